import { expect, test } from '@jest/globals';
import { type INestApplicationContext, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { ElasticJob } from '../../../lib/nest/decorators/elastic-job.decorator.js';
import { JobBootstraps } from '../../../lib/nest/jobs/job-bootstraps.js';
import { until } from '../../support/until.js';
import { elasticJob, RecordingLogger, started } from './application.js';

const EVERY_SECOND = { cron: '* * * * * ?', shardingTotalCount: 1 };

test('a job that closes its application and waits for that is told, and the application closes', async () => {
  const steps: string[] = [];
  let app: INestApplicationContext | undefined = undefined as INestApplicationContext | undefined;
  @Injectable()
  class Database implements OnModuleDestroy {
    onModuleDestroy(): void {
      steps.push('database closed');
    }
  }
  @ElasticJob('closer', EVERY_SECOND)
  class CloserJob {
    async execute(): Promise<void> {
      steps.push('run');
      await app?.close();
      steps.push('application closed');
    }
  }
  const logger = new RecordingLogger();

  app = await started({ imports: [elasticJob({ logger })], providers: [CloserJob, Database] });
  await until(() => steps.includes('application closed'));

  expect(steps).toEqual(['run', 'database closed', 'application closed']);
  expect(logger.lines.filter((line) => line.startsWith('error'))).toEqual([
    expect.stringContaining('item 0 waits for that end, as by await app.close()'),
  ]);
});

for (const [how, remove] of [
  ['remove()', (bootstraps: JobBootstraps) => bootstraps.remove('once')],
  ['shutdown() of its handle', (bootstraps: JobBootstraps) => bootstraps.handle('once').shutdown()],
] as const)
  test(`a job that ends itself by ${how} goes on at once, and its name is free when it has ended`, async () => {
    const steps: string[] = [];
    @ElasticJob('once', EVERY_SECOND)
    class OnceJob {
      constructor(readonly bootstraps: JobBootstraps) {}
      async execute(): Promise<void> {
        await remove(this.bootstraps);
        steps.push(this.bootstraps.has('once') ? 'still there' : 'gone');
      }
    }
    Reflect.defineMetadata('design:paramtypes', [JobBootstraps], OnceJob);

    await using app = await started({ imports: [elasticJob()], providers: [OnceJob] });
    await until(() => steps.length > 0 && !app.get(JobBootstraps).has('once'));

    expect(steps).toEqual(['still there']);
  });
