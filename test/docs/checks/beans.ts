import { DataSource } from 'typeorm';
import { expect } from '@jest/globals';
import { Inject, Injectable } from '@nestjs/common';
import { type OneOffJobBootstrap } from '../../../lib/kernel/job-bootstrap.js';
import { ElasticJob, InjectOneOffJob } from '../../../lib/nest/decorators/elastic-job.decorator.js';
import { ElasticJobHealth } from '../../../lib/nest/elastic-job.health.js';
import { JobBootstraps } from '../../../lib/nest/jobs/job-bootstraps.js';
import { EmbeddedRegistryCenter } from '../../../lib/registry/embedded/embedded-registry-center.js';
import { refusalOf, started } from '../../unit/nest/application.js';
import { until } from '../../support/until.js';
import { metadataOf, NAMESPACE, running } from '../application.js';
import { applicationYml } from '../fixtures.js';
import { MonthlyReportJob, Stopwatch, SyncOrdersJob } from '../jobs.js';
import { type Check, type Checks } from '../page.js';
import { ofStarter } from './code.js';
import { tracingAndDumpChecks } from './starter.js';

const providers = [SyncOrdersJob, MonthlyReportJob, Stopwatch];
const executors = [{ type: 'PRINT', process: () => undefined }];
const asInJava = { file: applicationYml, options: { executors }, providers };

@ElasticJob('slow', { shardingTotalCount: 1 })
class SlowJob {
  finish: () => void = () => undefined;
  began = false;
  ended = false;
  async execute(): Promise<void> {
    this.began = true;
    await new Promise<void>((resolve) => (this.finish = resolve));
    this.ended = true;
  }
}

const boots: Check = async () => {
  await using app = await running(asInJava);

  expect(Object.keys(app.app.get(ElasticJobHealth).report.jobs).sort()).toEqual([
    'monthly-report',
    'orders.clean up',
    'printer',
    'syncOrders',
  ]);
};

/** Checks of the beans of the starter. */
export const beanChecks: Checks = {
  'ElasticJobAutoConfiguration (ElasticJobLiteAutoConfiguration until 3.0.4)': boots,
  zookeeperRegistryCenter: async () => {
    await using fromSettings = await started(
      metadataOf({ options: { regCenter: { serverLists: '127.0.0.1:1', namespace: NAMESPACE } } }),
    );
    const registryCenter = new EmbeddedRegistryCenter({ namespace: 'mine' });
    await using mine = await started(
      metadataOf({ file: applicationYml, options: { registryCenter, executors }, providers }),
    );

    expect(fromSettings.get(ElasticJobHealth).report.registryCenter).toContain('127.0.0.1:1');
    expect(mine.get(ElasticJobHealth).report.registryCenter).toBe(registryCenter.description);
  },
  "a job's bean": async () => {
    await using app = await running(asInJava);

    await app.app.get(JobBootstraps).oneOff('monthlyReport').execute();

    expect(app.app.get(MonthlyReportJob)).toBeInstanceOf(MonthlyReportJob);
  },
  'the bean <jobBootstrapBeanName> of a one-off job': async () => {
    const ran: number[] = [];
    class Report {
      execute({ shardingItem }: { shardingItem: number }): void {
        ran.push(shardingItem);
      }
    }
    @Injectable()
    class Accounting {
      constructor(
        @InjectOneOffJob('monthlyReport') readonly report: OneOffJobBootstrap,
        @Inject(JobBootstraps) readonly all: JobBootstraps,
      ) {}
    }
    const jobs = { report: { 'elastic-job-class': 'Report', 'job-bootstrap-bean-name': 'monthlyReport' } };
    const file = JSON.stringify({ elasticjob: { jobs: { report: { ...jobs.report, 'sharding-total-count': 2 } } } });
    await using app = await running({ file, providers: [Report, Accounting] });

    await app.app.get(Accounting).report.execute();
    await until(() => ran.length === 2, 'both items to run');

    expect(app.app.get(Accounting).report.jobName).toBe('report');
  },
  'the bean <jobName>ScheduleJobBootstrap': async () => {
    await using app = await running(asInJava);
    const bootstraps = app.app.get(JobBootstraps);

    expect(bootstraps.scheduled('syncOrders').jobName).toBe('syncOrders');
    expect(bootstraps.scheduled('syncOrdersBootstrap')).toBe(bootstraps.scheduled('syncOrders'));
  },
  ScheduleJobBootstrapStartupRunner: async () => {
    await using app = await running({ ...asInJava, options: { executors, jobs: { printer: { autoStart: false } } } });

    const jobs = () => app.app.get(ElasticJobHealth).report.jobs;
    // It was started, and has seen that its settings disable this server.
    await until(() => jobs()['syncOrders']?.state === 'disabled');

    expect(jobs()['printer']).toMatchObject({ state: 'created' });
  },
  'closing the context': async () => {
    const app = await running({ providers: [SlowJob] });
    const job = app.app.get(SlowJob);
    await app.app.get(JobBootstraps).oneOff('slow').execute();
    await until(() => job.began, 'the item to begin');

    const closed = app.app.close();
    job.finish();
    await closed;

    expect(job.ended).toBe(true);
    expect(app.server.sessions).toEqual([]);
  },
  snapshotService: (row) => ofStarter(tracingAndDumpChecks, 'dump.port', row),
  'tracingConfiguration, tracingDataSource': async () => {
    const unused = ['tracingConfiguration', 'tracingDataSource'].map((provide) => ({ provide, useValue: {} }));

    expect(await refusalOf(metadataOf({ providers: [...unused, SlowJob] }))).toEqual(['it boots']);
    const tracing = { type: 'RDB', dataSource: 'tracingDataSource' };
    expect(await refusalOf(metadataOf({ options: { tracing }, providers: [...unused, SlowJob] }))).toEqual([
      expect.stringMatching(
        /^elasticjob\.tracing\.dataSource: the application has no TypeORM DataSource "tracingDataSource"/,
      ),
    ]);
    const database = await new DataSource({ type: 'sqljs' }).initialize();
    const provider = { provide: 'tracingDataSource', useValue: database };
    expect(await refusalOf(metadataOf({ options: { tracing }, providers: [provider, SlowJob] }))).toEqual(['it boots']);
    await database.destroy();
  },
};
