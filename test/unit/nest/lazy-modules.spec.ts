import { expect, test } from '@jest/globals';
import { Module } from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import { ElasticJob } from '../../../lib/nest/decorators/elastic-job.decorator.js';
import { ElasticJobHealth } from '../../../lib/nest/elastic-job.health.js';
import { JobBootstraps } from '../../../lib/nest/jobs/job-bootstraps.js';
import { until } from '../../support/until.js';
import { elasticJob, RecordingLogger, started } from './application.js';

const EVERY_SECOND = { cron: '* * * * * ?', shardingTotalCount: 1 };

/** A module with a job, as a file has it that is imported when it is needed. */
function moduleWith(jobName: string, options: Record<string, unknown> = EVERY_SECOND) {
  const ran: number[] = [];
  @ElasticJob(jobName, options as never)
  class LateJob {
    execute({ shardingItem }: { readonly shardingItem: number }): void {
      ran.push(shardingItem);
    }
  }
  @Module({ providers: [LateJob] })
  class LateModule {}
  return { ran, LateModule };
}

test('the job of a module that is loaded lazily runs from then on', async () => {
  await using app = await started({ imports: [elasticJob()] });
  const { ran, LateModule } = moduleWith('late');

  await app.get(LazyModuleLoader).load(() => LateModule);

  expect(app.get(JobBootstraps).names).toEqual(['late']);
  expect(app.get(ElasticJobHealth).report.jobs['late']?.state).toBe('active');
  await until(() => ran.length > 0);
});

test('a module that is loaded again starts nothing twice, and no job that was removed', async () => {
  const logger = new RecordingLogger();
  await using app = await started({ imports: [elasticJob({ logger })] });
  const loader = app.get(LazyModuleLoader);
  const { LateModule } = moduleWith('late');
  await loader.load(() => LateModule);

  await loader.load(() => LateModule);
  await app.get(JobBootstraps).remove('late');
  await loader.load(() => moduleWith('other').LateModule);

  expect(app.get(JobBootstraps).names).toEqual(['other']);
  expect(logger.lines.filter((line) => line.startsWith('log A module was loaded lazily'))).toEqual([
    'log A module was loaded lazily; its jobs start: late.',
    'log A module was loaded lazily; its jobs start: other.',
  ]);
});

test('a job of such a module that cannot be used is an error in the log, and the module is there', async () => {
  const logger = new RecordingLogger();
  await using app = await started({ imports: [elasticJob({ logger })] });
  const { LateModule } = moduleWith('late', { cron: 'banana', shardingTotalCount: 1 });

  const module = await app.get(LazyModuleLoader).load(() => LateModule);

  expect(module.get(LateModule)).toBeInstanceOf(LateModule);
  expect(logger.lines.filter((line) => line.startsWith('error'))).toEqual([
    expect.stringMatching(/^error The jobs of a module that was loaded lazily do not run: .*banana/s),
  ]);
});

test('an application that is closed starts no job of a module that is loaded after that', async () => {
  const logger = new RecordingLogger();
  const app = await started({ imports: [elasticJob({ logger })] });
  const loader = app.get(LazyModuleLoader);
  await app.close();

  await loader.load(() => moduleWith('late').LateModule);

  expect(logger.lines.filter((line) => line.includes('A module was loaded lazily'))).toEqual([]);
});
