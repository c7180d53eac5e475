import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { Inject, Injectable } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { SchedulerRegistry } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import { type JobConfiguration } from '../../../lib/api/job/job-configuration.js';
import { type OneOffJobBootstrap } from '../../../lib/kernel/job-bootstrap.js';
import { type JobHandle } from '../../../lib/nest/jobs/job-handle.js';
import { ElasticJob } from '../../../lib/nest/decorators/elastic-job.decorator.js';
import { ElasticJobLifecycle } from '../../../lib/nest/elastic-job.lifecycle.js';
import { ElasticJobModule } from '../../../lib/nest/elastic-job.module.js';
import { elasticJobConfig } from '../../../lib/nest/settings/elastic-job-config.js';
import { elasticJob, RecordingLogger, refusalOf, started } from './application.js';

const directory = mkdtempSync(join(tmpdir(), 'elasticjob-'));
afterAll(() => rmSync(directory, { recursive: true }));

afterEach(() => {
  for (const name of Object.keys(process.env)) if (name.startsWith('ELASTICJOB_')) delete process.env[name];
});

let files = 0;
const fileWith = (text: string): string => {
  const file = join(directory, `${++files}.yaml`);
  writeFileSync(file, text);
  return file;
};

@ElasticJob('syncOrders', { cron: '0 0 0 1 1 ?', shardingTotalCount: 1, jobParameter: 'decorator' })
class SyncOrdersJob {
  execute(): void {}
}

/** The configuration with which the application starts its job. */
const configurationBy = async (text: string): Promise<JobConfiguration | undefined> => {
  const module = await Test.createTestingModule({
    imports: [
      ConfigModule.forRoot({ load: [elasticJobConfig(fileWith(text))], ignoreEnvFile: true }),
      ElasticJobModule.forRoot({ logger: new RecordingLogger(), regCenter: { namespace: `yaml-${files}` } }),
    ],
    providers: [SyncOrdersJob],
  }).compile();
  await module.init();
  try {
    return module.get(ElasticJobLifecycle).hosts?.job('syncOrders')?.configuration;
  } finally {
    await module.close();
  }
};

test.each([
  ['by item', '{ 0: Beijing, 1: "a,b" }', '{"0":"Beijing","1":"a,b"}'],
  ['as a list', '[Beijing, 007]', '0=Beijing,1=007'],
  ['by item, one of them without a parameter', '{ 0: , 1: Shanghai }', '1=Shanghai'],
])('a file gives the parameters of items %s', async (_, parameters, text) => {
  const job = `{ shardingTotalCount: 2, shardingItemParameters: ${parameters} }`;
  const configuration = await configurationBy(`elasticjob: { jobs: { syncOrders: ${job} } }`);

  expect(configuration?.shardingItemParameters).toBe(text);
});

test('a file sets jobs, and the environment comes before it', async () => {
  process.env['ELASTICJOB_JOBS_SYNCORDERS_SHARDINGTOTALCOUNT'] = '4';

  const configuration = await configurationBy(`
spring: { datasource: someone else's }
elasticjob:
  jobs:
    syncOrders:
      cron: 0 0 3 * * ?
      sharding-total-count: 3
      shardingItemParameters: 0=Beijing,1=Shanghai
      jobParameter: 007
      failover: false
      props: { email: { port: 25 } }
`);

  expect(configuration).toMatchObject({
    cron: '0 0 3 * * ?',
    shardingTotalCount: 4,
    shardingItemParameters: '0=Beijing,1=Shanghai',
    jobParameter: '007',
    props: { 'email.port': '25' },
  });
});

test('a file may have nothing to say', async () => {
  expect((await configurationBy('elasticjob:\n'))?.jobParameter).toBe('decorator');
});

test('anchors and merge keys work', async () => {
  const text = 'x: &common { shardingTotalCount: 7 }\nelasticjob: { jobs: { syncOrders: { <<: *common } } }\n';

  expect((await configurationBy(text))?.shardingTotalCount).toBe(7);
});

test('options that a factory makes with the help of other providers come before the decorator and after the file', async () => {
  const file = fileWith(
    'elasticjob: { jobs: { syncOrders: { shardingTotalCount: 2 } } }\nmine: { parameter: from the file }\n',
  );
  const logger = new RecordingLogger();
  const module = await Test.createTestingModule({
    imports: [
      ConfigModule.forRoot({
        load: [elasticJobConfig(file), () => ({ mine: 'from the loader' })],
        ignoreEnvFile: true,
      }),
      ElasticJobModule.forRootAsync({
        imports: [ConfigModule],
        inject: [ConfigService],
        useFactory: (config: ConfigService) => ({
          logger,
          regCenter: { namespace: 'factory' },
          jobs: { syncOrders: { shardingTotalCount: 9, jobParameter: config.get<string>('mine', '') } },
        }),
      }),
    ],
    providers: [SyncOrdersJob],
  }).compile();
  await module.init();

  const configuration = module.get(ElasticJobLifecycle).hosts?.job('syncOrders')?.configuration;
  expect(configuration).toMatchObject({ shardingTotalCount: 2, jobParameter: 'from the loader' });
  expect(module.get(SchedulerRegistry).doesExist('cron', 'syncOrders')).toBe(true);
  await module.close();
});

test('the names of jobs and bootstraps in a file are injected by @Inject alone', async () => {
  @Injectable()
  class Consumer {
    constructor(
      @Inject('mBean') readonly bean: OneOffJobBootstrap,
      @Inject('of the file') readonly job: OneOffJobBootstrap,
    ) {}
  }
  const file = fileWith(`
elasticjob:
  jobs:
    '[of the file]': { elasticJobClass: SyncOrdersJob, shardingTotalCount: 1, job-bootstrap-bean-name: mBean }
`);
  await using app = await started({
    imports: [ConfigModule.forRoot({ load: [elasticJobConfig(file)], ignoreEnvFile: true }), elasticJob()],
    providers: [SyncOrdersJob, Consumer],
  });

  expect(app.get(Consumer).bean.jobName).toBe('of the file');
  expect(app.get(Consumer).job.jobName).toBe('of the file');
  expect(app.get<JobHandle>('mBean').jobName).toBe('of the file');
});

describe('a file whose loader another function calls, so that nobody reads its settings,', () => {
  const { imports, file } = (() => {
    const path = fileWith('elasticjob: { jobs: { syncOrders: { jobParameter: from the file } } }');
    const config = (): ReturnType<typeof ConfigModule.forRoot> =>
      ConfigModule.forRoot({ load: [() => elasticJobConfig(path)()], ignoreEnvFile: true });
    return { imports: config, file: path };
  })();

  test('is named in a warning with the cure', async () => {
    const logger = new RecordingLogger();
    await using app = await started({ imports: [imports(), elasticJob({ logger })], providers: [SyncOrdersJob] });

    expect(app.get(ElasticJobLifecycle).hosts?.job('syncOrders')?.configuration.jobParameter).toBe('decorator');
    expect(logger.lines.filter((line) => line.includes('ignored'))).toEqual([
      `warn The settings of the file "${file}" are ignored, because ConfigModule has them at its top and not under 'elasticjob': ` +
        'write load: [elasticJobConfig(…)], and not load: [() => elasticJobConfig(…)()].',
    ]);
  });

  test('is named beside the problems that it has caused', async () => {
    @ElasticJob('incomplete', {} as { shardingTotalCount: number })
    class IncompleteJob extends SyncOrdersJob {}

    expect(await refusalOf({ imports: [imports(), elasticJob()], providers: [IncompleteJob] })).toContainEqual(
      expect.stringContaining(`The settings of the file "${file}" are ignored`),
    );
  });
});

describe('elasticJobConfig() refuses', () => {
  test.each([undefined, null, '', 5])('no file at all: %p', (file) => {
    expect(() => void elasticJobConfig(file as string)()).toThrow(
      'elasticJobConfig(): must be given the path of a file, got',
    );
  });

  test('a file that cannot be used, when the application starts', async () => {
    await expect(configurationBy('elasticjob: [1]')).rejects.toThrow(
      "must have keys with values (key: value) under 'elasticjob', got a list",
    );
  });
});
