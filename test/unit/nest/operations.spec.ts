import { describe, expect, test } from '@jest/globals';
import { Inject, Injectable, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { type OperationRecord } from '../../../lib/api/events/operation-record.js';
import { ElasticJob } from '../../../lib/nest/decorators/elastic-job.decorator.js';
import { OperationListener } from '../../../lib/nest/decorators/operation-listener.decorator.js';
import { DoctorAPI } from '../../../lib/operations/doctor-api.js';
import { ExplanationAPI } from '../../../lib/operations/explanation-api.js';
import { JobConfigurationAPI } from '../../../lib/operations/job-configuration-api.js';
import { JobOperateAPI } from '../../../lib/operations/job-operate-api.js';
import { JobStatisticsAPI } from '../../../lib/operations/job-statistics-api.js';
import { ServerStatisticsAPI } from '../../../lib/operations/server-statistics-api.js';
import { ShardingOperateAPI } from '../../../lib/operations/sharding-operate-api.js';
import { ShardingStatisticsAPI } from '../../../lib/operations/sharding-statistics-api.js';
import { until } from '../../support/until.js';
import { elasticJob, RecordingLogger, refusalOf, started } from './application.js';

@ElasticJob('syncOrders', { cron: '0 0 0 1 1 ?', shardingTotalCount: 2 })
class SyncOrdersJob {
  readonly ran: number[] = [];
  execute({ shardingItem }: { shardingItem: number }): void {
    this.ran.push(shardingItem);
  }
}

@Injectable()
class Desk {
  constructor(
    @Inject(JobConfigurationAPI) readonly configurations: JobConfigurationAPI,
    @Inject(JobOperateAPI) readonly jobs: JobOperateAPI,
    @Inject(ShardingOperateAPI) readonly items: ShardingOperateAPI,
    @Inject(JobStatisticsAPI) readonly jobStatistics: JobStatisticsAPI,
    @Inject(ServerStatisticsAPI) readonly serverStatistics: ServerStatisticsAPI,
    @Inject(ShardingStatisticsAPI) readonly itemStatistics: ShardingStatisticsAPI,
  ) {}
}

@Module({ providers: [Desk] })
class DeskModule {}

@OperationListener()
class Auditor {
  readonly records: OperationRecord[] = [];
  onOperation(record: OperationRecord): void {
    this.records.push(record);
  }
}

@OperationListener()
class Broken {
  onOperation(): void {
    throw new Error('no ink');
  }
}

describe('The operations', () => {
  test('are injected in any module, and work on the registry centre of the application', async () => {
    await using app = await started({ imports: [elasticJob(), DeskModule], providers: [SyncOrdersJob] });
    const desk = app.get(Desk);

    await until(async () => (await desk.jobStatistics.getJobBriefInfo('syncOrders')).status === 'OK');
    const triggered = await desk.jobs.trigger('syncOrders');
    await triggered.ended({ timeoutMs: 5_000 });
    await desk.items.disable('syncOrders', 0);
    const { version } = await desk.configurations.getJobConfiguration('syncOrders');

    expect(app.get(SyncOrdersJob).ran.sort()).toEqual([0, 1]);
    expect(version).toBe(0);
    expect(await desk.itemStatistics.getShardingInfo('syncOrders')).toMatchObject([
      { status: 'DISABLED' },
      { status: 'PENDING' },
    ]);
    expect(await desk.serverStatistics.getServersTotalCount()).toBe(1);
  });

  test('leave their records with all decorated listeners; one that throws is logged and hurts no one', async () => {
    const logger = new RecordingLogger();
    await using app = await started({
      imports: [elasticJob({ logger }), DeskModule],
      providers: [SyncOrdersJob, Broken, Auditor],
    });

    await app.get(Desk).jobs.disable({ jobName: 'syncOrders', reason: 'maintenance' });
    await expect(app.get(Desk).items.disable('syncOrder', 1)).rejects.toMatchObject({ code: 'UNKNOWN_JOB' });

    await until(() => app.get(Auditor).records.length === 2);
    expect(app.get(Auditor).records).toMatchObject([
      { operation: 'disable', registryCenter: 'default', reason: 'maintenance', outcome: 'done' },
      { operation: 'disable-item', item: 1, outcome: 'failed' },
    ]);
    await until(() => logger.lines.filter((line) => line.includes('no ink')).length === 2);
  });

  test('are recorded in the database that runs are recorded in', async () => {
    await using app = await started({
      imports: [TypeOrmModule.forRoot({ type: 'sqljs' }), elasticJob({ tracing: { type: 'RDB' } }), DeskModule],
      providers: [SyncOrdersJob],
    });
    const rows = (): Promise<readonly Readonly<Record<string, unknown>>[]> =>
      app
        .get(DataSource)
        .query('SELECT * FROM JOB_OPERATION_LOG ORDER BY started_at, operation')
        .catch(() => []);
    const { jobs, items, serverStatistics } = app.get(Desk);
    const [{ serverIp } = { serverIp: '' }] = await serverStatistics.getAllServersBriefInfo();

    await jobs.disable({ jobName: 'syncOrders', by: 'anna', reason: 'maintenance' });
    await items.disable('syncOrders', 1, { by: 'bob' });
    await expect(jobs.enable({ jobName: 'syncOrder', by: 'carl' })).rejects.toThrow();

    await until(async () => (await rows()).length === 3, 'three rows');
    const byOperator = new Map((await rows()).map((row) => [row['operator'], row]));
    const server = `/syncOrders/servers/${serverIp}`;
    expect(byOperator.get('anna')).toMatchObject({
      job_name: 'syncOrders',
      operation: 'disable',
      reason: 'maintenance',
      value_before: JSON.stringify({ [server]: 'ENABLED' }),
      value_after: JSON.stringify({ [server]: 'DISABLED' }),
      outcome: 'done',
      failure_cause: null,
      sharding_item: null,
      started_at: expect.stringMatching(/^20/) as unknown,
    });
    expect(byOperator.get('bob')).toMatchObject({ operation: 'disable-item', sharding_item: 1, reason: null });
    expect(byOperator.get('carl')).toMatchObject({
      outcome: 'failed',
      failure_cause: expect.stringContaining("did you mean 'syncOrders'?") as unknown,
    });
  });

  test('explain who has disabled a job, and why, from the records in the database', async () => {
    await using app = await started({
      imports: [TypeOrmModule.forRoot({ type: 'sqljs' }), elasticJob({ tracing: { type: 'RDB' } }), DeskModule],
      providers: [SyncOrdersJob],
    });
    const explanations = app.get(ExplanationAPI);
    await until(async () => (await explanations.explain('syncOrders')).reason.type === 'free');

    await app.get(Desk).jobs.disable({ jobName: 'syncOrders', by: 'anna', reason: 'maintenance' });

    const sentence = async () => (await explanations.explain('syncOrders')).reason.sentence;
    await until(async () => /are disabled: \S+, by anna at \S+ \(maintenance\)\.$/.test(await sentence()));
    const triggered = await app.get(Desk).jobs.trigger('syncOrders', { by: 'anna' });
    expect(triggered.instances).toHaveLength(1);
    expect((await explanations.explain('syncOrders')).unknown).toEqual([]);
  });

  test('examine the namespace of the application, and mend it', async () => {
    await using app = await started({ imports: [elasticJob(), DeskModule], providers: [SyncOrdersJob, Auditor] });
    const { jobs, jobStatistics } = app.get(Desk);
    await until(async () => (await jobStatistics.getJobBriefInfo('syncOrders')).status === 'OK');
    await jobs.enable({ jobName: 'syncOrders', serverIp: '10.9.9.9', unknownServer: true });

    const { findings } = await app.get(DoctorAPI).examine({ settleMs: 0 });

    expect(findings).toMatchObject([{ type: 'offline-server', subject: '10.9.9.9' }]);
    expect(await app.get(DoctorAPI).fix(findings[0]!)).toBe(true);
    await until(() => app.get(Auditor).records.some(({ operation }) => operation === 'fix'));
  });

  test('explain that ElasticJob is switched off, and carry out nothing', async () => {
    await using app = await started({
      imports: [elasticJob({ enabled: false }), DeskModule],
      providers: [SyncOrdersJob],
    });

    expect((await app.get(ExplanationAPI).explain('syncOrders')).reason.type).toBe('switched-off');
    await expect(app.get(DoctorAPI).examine()).rejects.toThrow('switched off');
  });

  test('wait for their listeners when the application is closed', async () => {
    const order: string[] = [];
    @OperationListener()
    class Slow {
      async onOperation(): Promise<void> {
        await new Promise((resolve) => setTimeout(resolve, 50));
        order.push('recorded');
      }
    }
    const app = await started({ imports: [elasticJob(), DeskModule], providers: [SyncOrdersJob, Slow] });

    await app.get(Desk).jobs.disable({ jobName: 'syncOrders' });
    await app.close();
    order.push('closed');

    expect(order).toEqual(['recorded', 'closed']);
  });

  test('say so if ElasticJob is switched off, or the application is closed', async () => {
    await using off = await started({ imports: [elasticJob({ enabled: false }), DeskModule] });
    await expect(off.get(Desk).jobs.trigger('syncOrders')).rejects.toThrow('elasticjob.enabled is false');

    const app = await started({ imports: [elasticJob(), DeskModule] });
    await app.close();
    await expect(app.get(Desk).jobStatistics.getJobsTotalCount()).rejects.toThrow('is shutting down');
  });

  test('refuse a listener without the method', async () => {
    // @ts-expect-error what the compiler refuses, others may not
    @OperationListener()
    class Deaf {}

    expect(await refusalOf({ imports: [elasticJob()], providers: [Deaf] })).toEqual([
      '@OperationListener() on Deaf: provider Deaf of RootTestModule cannot be a listener of operations: it has no method onOperation()',
    ]);
    expect(() => OperationListener()({} as never)).toThrow('@OperationListener() can only decorate a class');
  });
});
