import { describe, expect, test } from '@jest/globals';
import { Injectable, Module, Scope } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { type TraceEvent } from '../../../lib/api/events/trace-events.js';
import { ScheduleJobBootstrap } from '../../../lib/kernel/job-bootstrap.js';
import { ElasticJob } from '../../../lib/nest/decorators/elastic-job.decorator.js';
import { ElasticJobHealth } from '../../../lib/nest/elastic-job.health.js';
import { JobBootstraps } from '../../../lib/nest/jobs/job-bootstraps.js';
import { type ElasticJobModuleOptions } from '../../../lib/nest/settings/module-options.js';
import { EmbeddedRegistryCenter } from '../../../lib/registry/embedded/embedded-registry-center.js';
import { TracingListener } from '../../../lib/nest/decorators/tracing-listener.decorator.js';
import { until } from '../../support/until.js';
import { elasticJob, RecordingLogger, refusalOf, started } from './application.js';

@ElasticJob('syncOrders', { cron: '0 0 0 1 1 ?', shardingTotalCount: 2 })
class SyncOrdersJob {
  execute(): void {}
}

@ElasticJob('bill', { cron: '0 0 0 1 1 ?', shardingTotalCount: 1 })
class BillJob {
  execute(): void {
    throw new Error('no paper');
  }
}

@TracingListener()
class Auditor {
  readonly events: TraceEvent[] = [];
  onTraceEvent(event: TraceEvent): void {
    this.events.push(event);
  }
}

const isFinished = (event: TraceEvent): boolean => event.type === 'status' && event.state === 'TASK_FINISHED';

type Row = Readonly<Record<string, unknown>>;

const rdb = (tracing: ElasticJobModuleOptions['tracing'] = {}) => elasticJob({ tracing: { type: 'RDB', ...tracing } });
const orm = (name?: string) => TypeOrmModule.forRoot({ type: 'sqljs', ...(name !== undefined && { name }) });

const rowsOf = (database: DataSource): Promise<readonly Row[]> =>
  database.query('SELECT * FROM JOB_EXECUTION_LOG ORDER BY job_name, sharding_item').catch(() => []);

/** Runs a job once, and waits until its items are recorded. */
async function ran(app: Awaited<ReturnType<typeof started>>, jobName: string): Promise<void> {
  const bootstrap = app.get(JobBootstraps).get(jobName) as ScheduleJobBootstrap;
  await bootstrap.trigger();
}

describe('elasticjob.tracing', () => {
  test('records runs in the database of the application’s DataSource', async () => {
    await using app = await started({ imports: [orm(), rdb()], providers: [SyncOrdersJob, BillJob] });
    const database = app.get(DataSource);

    await ran(app, 'syncOrders');
    await ran(app, 'bill');

    await until(async () => (await rowsOf(database)).filter((row) => row['complete_time']).length === 3, 'three rows');
    expect(await rowsOf(database)).toMatchObject([
      { job_name: 'bill', is_success: 0, failure_cause: expect.stringMatching(/^Error: no paper\n/) as unknown },
      { job_name: 'syncOrders', sharding_item: 0, is_success: 1, execution_source: 'NORMAL_TRIGGER' },
      { job_name: 'syncOrders', sharding_item: 1, is_success: 1, execution_source: 'NORMAL_TRIGGER' },
    ]);
    const health = app.get(ElasticJobHealth).report;
    expect(health).toMatchObject({ ready: true, tracing: { dropped: 0, lastError: undefined } });
  });

  test('stores what waits before any service closes the application’s DataSource', async () => {
    let rows: readonly Row[] = [];
    @Module({})
    class Witness {
      constructor(readonly database: DataSource) {}
      async onModuleDestroy(): Promise<void> {
        rows = await rowsOf(this.database);
      }
    }
    const app = await started({ imports: [orm(), rdb(), Witness], providers: [SyncOrdersJob, Auditor] });
    const { events } = app.get(Auditor);
    await ran(app, 'syncOrders');
    await until(() => events.some(isFinished), 'the end of the run');

    await app.close();

    expect(rows.filter(({ is_success }) => is_success === 1)).toHaveLength(2);
  });

  test('records only the jobs that are included, or not excluded', async () => {
    await using app = await started({
      imports: [orm(), rdb({ excludeJobNames: ['syncOrders'] })],
      providers: [SyncOrdersJob, BillJob],
    });
    const database = app.get(DataSource);

    await ran(app, 'syncOrders');
    await ran(app, 'bill');

    await until(async () => (await rowsOf(database)).length > 0, 'the row of the other job');
    expect((await rowsOf(database)).map((row) => row['job_name'])).toEqual(['bill']);
  });

  test('goes on without a database, and says so', async () => {
    const logger = new RecordingLogger();
    const dataSource = new DataSource({ type: 'sqljs' });
    await using app = await started({
      imports: [elasticJob({ logger, tracing: { type: 'rdb', dataSource } })],
      providers: [SyncOrdersJob],
    });

    await ran(app, 'syncOrders');

    const health = app.get(ElasticJobHealth);
    await until(() => health.report.tracing?.lastError !== undefined, 'a failed attempt');
    expect(health.report).toMatchObject({ ready: true, live: true });
    expect(health.report.tracing!.pending).toBeGreaterThan(0);
  });

  test('leaves no timer behind if the application cannot boot', async () => {
    const registryCenter = new EmbeddedRegistryCenter({ namespace: 'nameless' });
    Object.defineProperty(registryCenter, 'description', {
      get: () => {
        throw new Error('it has no name');
      },
    });
    const timers = (): number => process.getActiveResourcesInfo().filter((type) => type === 'Timeout').length;
    const before = timers();

    const refusal = await refusalOf({
      imports: [orm(), elasticJob({ registryCenter, tracing: { type: 'RDB', retentionDays: 7 } })],
      providers: [SyncOrdersJob],
    });

    expect(refusal).toEqual(['it has no name']);
    expect(timers()).toBe(before);
    expect(registryCenter.session.state.phase).toBe('closed');
  });

  test('costs nothing when it is not set: a DataSource alone is left alone', async () => {
    await using app = await started({ imports: [orm(), elasticJob()], providers: [SyncOrdersJob] });

    await ran(app, 'syncOrders');

    expect(app.get(ElasticJobHealth).report).not.toHaveProperty('tracing');
    const tables = await app.get(DataSource).query<Row[]>("SELECT name FROM sqlite_master WHERE name LIKE 'JOB%'");
    expect(tables).toEqual([]);
  });
});

describe('the DataSource', () => {
  /** True if a run of the job is recorded there. */
  const records = async (app: Awaited<ReturnType<typeof started>>, database: DataSource): Promise<boolean> => {
    await ran(app, 'syncOrders');
    await until(async () => (await rowsOf(database)).length === 2, 'its rows');
    return true;
  };

  test('is the default one of several', async () => {
    await using app = await started({ imports: [orm('reports'), orm(), rdb()], providers: [SyncOrdersJob] });

    expect(await records(app, app.get(DataSource))).toBe(true);
  });

  test('is the one that is named', async () => {
    await using app = await started({
      imports: [orm('reports'), orm(), rdb({ dataSource: 'reports' })],
      providers: [SyncOrdersJob],
    });

    expect(await records(app, app.get<DataSource>('reportsDataSource'))).toBe(true);
  });

  test('may be any provider, named by its token', async () => {
    const database = await new DataSource({ type: 'sqljs' }).initialize();
    const REPORTS = Symbol('reports');
    await using app = await started({
      imports: [rdb({ dataSource: REPORTS })],
      providers: [SyncOrdersJob, { provide: REPORTS, useValue: database }],
    });

    expect(await records(app, database)).toBe(true);
    await database.destroy();
  });

  test('is missing: the application does not start, and the message says what to do', async () => {
    expect(await refusalOf({ imports: [rdb()], providers: [SyncOrdersJob] })).toEqual([
      expect.stringMatching(
        /^elasticjob\.tracing\.type: is RDB, but the application has no TypeORM DataSource; import /,
      ),
    ]);
  });

  test('must be named if there are several and none is the default', async () => {
    expect(await refusalOf({ imports: [orm('reports'), orm('orders'), rdb()], providers: [SyncOrdersJob] })).toEqual([
      'elasticjob.tracing.dataSource: is required, as the application has several DataSources: reports, orders',
    ]);
  });

  test('must exist if it is named', async () => {
    const metadata = { imports: [orm('reports'), rdb({ dataSource: 'report' })], providers: [SyncOrdersJob] };

    expect(await refusalOf(metadata)).toEqual([
      'elasticjob.tracing.dataSource: the application has no TypeORM DataSource "report"; it has: reports; did you mean \'reports\'?',
    ]);
  });
});

describe('the settings of tracing', () => {
  const refusals = (tracing: unknown): Promise<readonly string[]> =>
    refusalOf({ imports: [orm(), elasticJob({ tracing: tracing as never })], providers: [SyncOrdersJob] });

  test('refuse another type, and both lists of jobs at once', async () => {
    expect(await refusals({ type: 'KAFKA', includeJobNames: ['a'], excludeJobNames: ['b'] })).toEqual([
      'elasticjob.tracing.type: must be RDB, which records runs in a database by TypeORM, got "KAFKA"',
      'elasticjob.tracing.excludeJobNames: and includeJobNames exclude each other, but includeJobNames is ["a"]; give only one of them, got ["b"]',
    ]);
  });

  test('refuse Java’s settings of a connection, and say where these belong', async () => {
    const [refusal] = await refusals({ type: 'RDB', dataSource: { url: 'jdbc:mysql://secret' } });

    expect(refusal).toMatch(
      /^elasticjob\.tracing\.dataSource: must be the name of a TypeORM DataSource .*data-source\.url/,
    );
    expect(refusal).not.toContain('secret');
  });

  test.each([[0], [1.5], ['7']])('refuse %p days of retention', async (retentionDays) => {
    expect(await refusals({ type: 'RDB', retentionDays })).toEqual([
      expect.stringMatching(/^elasticjob\.tracing\.retentionDays: must be an integer/),
    ]);
  });

  test('warn of names that no job has, and of settings that have no effect', async () => {
    const logger = new RecordingLogger();
    const app = await started({
      imports: [elasticJob({ logger, tracing: { includeJobNames: ['syncOrder', 'bill'], retentionDays: 7 } })],
      providers: [SyncOrdersJob],
    });

    await app.close();
    expect(logger.lines.filter((line) => line.startsWith('warn'))).toEqual([
      'warn elasticjob.tracing.retentionDays has no effect without elasticjob.tracing.type: RDB.',
      "warn elasticjob.tracing.includeJobNames names jobs that this application does not define: 'syncOrder'; did you mean 'syncOrders'?, 'bill'.",
    ]);
  });
});

describe('@TracingListener()', () => {
  test('makes a provider hear of all that is traced, with or without a database', async () => {
    await using app = await started({ imports: [elasticJob()], providers: [SyncOrdersJob, Auditor] });
    const { events } = app.get(Auditor);

    await ran(app, 'syncOrders');

    await until(() => events.some(isFinished), 'the end of the run');
    expect(events.filter(({ type }) => type === 'execution')).toHaveLength(4);
  });

  test('hurts no job by what it throws, or rejects, which is logged', async () => {
    @TracingListener()
    class Thrower {
      onTraceEvent(): void {
        throw new Error('full disk');
      }
    }
    @TracingListener()
    class Rejecter {
      async onTraceEvent(): Promise<void> {
        await Promise.reject(new Error('no network'));
      }
    }
    const logger = new RecordingLogger();
    await using app = await started({
      imports: [elasticJob({ logger })],
      providers: [SyncOrdersJob, Thrower, Rejecter, Auditor],
    });
    const { events } = app.get(Auditor);

    await ran(app, 'syncOrders');

    await until(() => events.some(isFinished), 'the end of the run');
    expect(logger.lines.filter((line) => line.startsWith('error'))).toEqual([
      'error Tracing: a tracing listener failed; the jobs go on: Error: full disk.',
    ]);
  });

  test('is refused on a provider without the method, or with many instances', async () => {
    @TracingListener()
    @Injectable({ scope: Scope.REQUEST })
    class PerRequest {
      onTraceEvent(): void {}
    }
    class Deaf {}
    (TracingListener() as (type: unknown) => void)(Deaf);

    expect(await refusalOf({ imports: [elasticJob()], providers: [SyncOrdersJob, PerRequest, Deaf] })).toEqual([
      expect.stringMatching(
        /^@TracingListener\(\) on PerRequest: provider PerRequest of \w+ cannot be a tracing listener: it is request-scoped/,
      ),
      expect.stringMatching(
        /^@TracingListener\(\) on Deaf: provider Deaf of \w+ cannot be a tracing listener: it has no method onTraceEvent\(\)$/,
      ),
    ]);
  });
});
