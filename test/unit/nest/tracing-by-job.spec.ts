/** Several databases of event tracing in one application: a job names the one that records its runs. */
import { describe, expect, test } from '@jest/globals';
import { type INestApplicationContext } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Registry } from 'prom-client';
import { DataSource } from 'typeorm';
import { JobConfiguration } from '../../../lib/api/job/job-configuration.js';
import { type TraceEvent } from '../../../lib/api/events/trace-events.js';
import { type ScheduleJobBootstrap } from '../../../lib/kernel/job-bootstrap.js';
import { RegistryCenters } from '../../../lib/nest/centers/registry-centers.js';
import { ElasticJob } from '../../../lib/nest/decorators/elastic-job.decorator.js';
import { TracingListener } from '../../../lib/nest/decorators/tracing-listener.decorator.js';
import { ElasticJobHealth } from '../../../lib/nest/elastic-job.health.js';
import { type DatabaseTracing, JobTracings, type NamedDatabase } from '../../../lib/nest/job-tracings.js';
import { JobBootstraps } from '../../../lib/nest/jobs/job-bootstraps.js';
import { type ElasticJobModuleOptions } from '../../../lib/nest/settings/module-options.js';
import { prometheusMetrics } from '../../../lib/observability/prometheus/index.js';
import { EmbeddedRegistryCenter } from '../../../lib/registry/embedded/embedded-registry-center.js';
import { Tracing } from '../../../lib/tracing/tracing.js';
import { until } from '../../support/until.js';
import { elasticJob, RecordingLogger, refusalOf, started } from './application.js';

const cron = '0 0 0 1 1 ?';

@ElasticJob('orders', { cron, shardingTotalCount: 1 })
class OrdersJob {
  execute(): void {}
}

@ElasticJob('reports', { cron, shardingTotalCount: 1, tracingDataSource: 'reporting' })
class ReportsJob {
  execute(): void {}
}

const providers = [OrdersJob, ReportsJob];
const orm = (name?: string) => TypeOrmModule.forRoot({ type: 'sqljs', ...(name !== undefined && { name }) });
const databases = [orm(), orm('reporting')];

const rdb = ({ tracing, ...options }: ElasticJobModuleOptions = {}) =>
  elasticJob({ tracing: { type: 'RDB', ...tracing }, shutdownGracePeriodMilliseconds: 0, ...options });

const reportingOf = (app: INestApplicationContext): DataSource => app.get<DataSource>('reportingDataSource');

/** Names of the jobs whose runs a database has recorded to the end. */
async function recordedIn(database: DataSource): Promise<readonly string[]> {
  const text = 'SELECT DISTINCT job_name FROM JOB_EXECUTION_LOG WHERE complete_time IS NOT NULL ORDER BY job_name';
  const rows = await database.query<{ job_name: string }[]>(text).catch(() => []);
  return rows.map(({ job_name }) => job_name);
}

/** Runs jobs once. */
async function run(app: INestApplicationContext, ...jobNames: readonly string[]): Promise<void> {
  for (const jobName of jobNames) await (app.get(JobBootstraps).get(jobName) as ScheduleJobBootstrap).trigger();
}

const isRecorded = (database: DataSource, jobName: string): Promise<void> =>
  until(async () => (await recordedIn(database)).includes(jobName), `the row of ${jobName}`);

/** A database that cannot be reached: nothing has initialised its `DataSource`. */
const away = (): DataSource => new DataSource({ type: 'sqljs' });

describe('tracingDataSource', () => {
  test('is the database that records the runs of its job; the others are in the one of elasticjob.tracing', async () => {
    await using app = await started({ imports: [...databases, rdb()], providers });

    await run(app, 'orders', 'reports');

    await isRecorded(app.get(DataSource), 'orders');
    await isRecorded(reportingOf(app), 'reports');
    expect(await recordedIn(app.get(DataSource))).toEqual(['orders']);
    expect(await recordedIn(reportingOf(app))).toEqual(['reports']);
  });

  test('is not stored in the registry centre', async () => {
    const registryCenter = new EmbeddedRegistryCenter({ namespace: 'tracing-by-job' });
    await using app = await started({ imports: [...databases, rdb({ registryCenter })], providers });

    expect(app.get(JobBootstraps).names).toContain('reports');
    expect(await registryCenter.get('/reports/config')).toContain('jobName: reports');
    expect(await registryCenter.get('/reports/config')).not.toMatch(/tracing|reporting/i);
  });

  test('is overridden by elasticjob.jobs, by the token of a provider or an object too', async () => {
    const database = await new DataSource({ type: 'sqljs' }).initialize();
    const ARCHIVE = Symbol('archive');
    await using app = await started({
      imports: [
        ...databases,
        rdb({ jobs: { orders: { tracingDataSource: ARCHIVE }, reports: { tracingDataSource: database } } }),
      ],
      providers: [...providers, { provide: ARCHIVE, useValue: database }],
    });

    await run(app, 'orders', 'reports');

    await isRecorded(database, 'orders');
    await isRecorded(database, 'reports');
    expect(Object.keys(app.get(ElasticJobHealth).report.tracingDataSources ?? {})).toEqual(['archive']);
    await database.destroy();
  });

  test('comes from the environment', async () => {
    process.env['ELASTICJOB_JOBS_ORDERS_TRACING_DATA_SOURCE'] = 'reporting';
    try {
      await using app = await started({ imports: [...databases, rdb()], providers });

      await run(app, 'orders');

      await isRecorded(reportingOf(app), 'orders');
      expect(await recordedIn(app.get(DataSource))).toEqual([]);
    } finally {
      delete process.env['ELASTICJOB_JOBS_ORDERS_TRACING_DATA_SOURCE'];
    }
  });

  test('may be the one of elasticjob.tracing itself, which has one queue then', async () => {
    await using app = await started({
      imports: [...databases, rdb({ tracing: { dataSource: 'reporting' } })],
      providers,
    });

    await run(app, 'orders', 'reports');

    await isRecorded(reportingOf(app), 'orders');
    await isRecorded(reportingOf(app), 'reports');
    expect(app.get(ElasticJobHealth).report).not.toHaveProperty('tracingDataSources');
  });

  test('of a job that is added at run time is an option of add()', async () => {
    await using app = await started({ imports: [...databases, rdb()], providers: [OrdersJob] });
    const bootstraps = app.get(JobBootstraps);
    const add = async (tracingDataSource?: string): Promise<void> => {
      const configuration = JobConfiguration.newBuilder('tenant', 1).cron(cron).build();
      const options = tracingDataSource === undefined ? {} : { tracingDataSource };
      await (bootstraps.add({ execute: () => undefined }, configuration, options) as ScheduleJobBootstrap).schedule();
    };

    await expect(add('reportin')).rejects.toThrow(
      'elasticjob.jobs.tenant.tracingDataSource: the application has no TypeORM DataSource "reportin"; it has: default, reporting; did you mean \'reporting\'?',
    );
    await add('reporting');
    await run(app, 'tenant');
    await isRecorded(reportingOf(app), 'tenant');
    await bootstraps.remove('tenant');
    await add();
    await run(app, 'tenant');
    await isRecorded(app.get(DataSource), 'tenant');
  });
});

describe('the databases', () => {
  test('do not wait for each other: one that is away keeps only the events of its own jobs', async () => {
    const logger = new RecordingLogger();
    const gone = away();
    await using app = await started({
      imports: [orm(), rdb({ logger, jobs: { reports: { tracingDataSource: gone } } })],
      providers,
    });
    const health = app.get(ElasticJobHealth);

    await run(app, 'orders', 'reports');

    await isRecorded(app.get(DataSource), 'orders');
    await until(() => health.report.tracingDataSources?.['unnamed']?.lastError !== undefined, 'a failed attempt');
    await until(() => health.report.tracing?.pending === 0, 'the events of the other database');
    expect(health.report).toMatchObject({ ready: true, tracing: { pending: 0, lastError: undefined } });
    expect(health.report.tracingDataSources!['unnamed']!.pending).toBeGreaterThan(0);
    expect(health.isTracing().elasticjobTracing).toMatchObject({
      ...{ status: 'down', pending: 0 },
      tracingDataSources: { unnamed: { stored: 0 } },
    });
    await gone.initialize();
    await isRecorded(gone, 'reports');
    await until(() => health.isTracing().elasticjobTracing.status === 'up', 'both databases');
  });

  test('do not wait for each other either if that of elasticjob.tracing is away', async () => {
    await using app = await started({
      imports: [orm('reporting'), rdb({ tracing: { dataSource: away() } })],
      providers,
    });

    await run(app, 'orders', 'reports');

    await isRecorded(reportingOf(app), 'reports');
    const health = app.get(ElasticJobHealth);
    await until(() => health.report.tracing?.lastError !== undefined, 'a failed attempt');
    expect(health.isTracing().elasticjobTracing.status).toBe('down');
  });

  test('that have no name are told apart by a number, and log entries begin with the name', async () => {
    const logger = new RecordingLogger();
    const [one, other] = [away(), away()];
    const app = await started({
      imports: [
        orm(),
        rdb({ logger, jobs: { orders: { tracingDataSource: one }, reports: { tracingDataSource: other } } }),
      ],
      providers,
    });
    await run(app, 'orders', 'reports');
    const { tracingDataSources } = app.get(ElasticJobHealth).report;
    await until(() => logger.lines.some((line) => line.includes("'unnamed-2': Trace events could not")), 'a log entry');

    await app.close();

    expect(Object.keys(tracingDataSources!)).toEqual(['unnamed', 'unnamed-2']);
    expect(logger.lines).toContainEqual(
      expect.stringMatching(/^warn Data source 'unnamed-2': \d+ trace events were dropped and will be missing/),
    );
  });

  test('receive the last events when the application stops', async () => {
    const database = await new DataSource({ type: 'sqljs' }).initialize();
    const events: TraceEvent[] = [];
    @TracingListener()
    class Auditor {
      onTraceEvent(event: TraceEvent): void {
        events.push(event);
      }
    }
    const app = await started({
      imports: [orm(), rdb({ jobs: { reports: { tracingDataSource: database } } })],
      providers: [...providers, Auditor],
    });
    await run(app, 'reports');
    await until(() => events.some((event) => event.type === 'status' && event.state === 'TASK_FINISHED'));

    await app.close();

    expect(await recordedIn(database)).toEqual(['reports']);
    expect(events.filter(({ type }) => type === 'execution')).toHaveLength(2);
    await database.destroy();
  });

  test('are explained, each job from its own', async () => {
    await using app = await started({ imports: [...databases, rdb()], providers });
    await run(app, 'orders', 'reports');
    await isRecorded(reportingOf(app), 'reports');
    await isRecorded(app.get(DataSource), 'orders');
    const { explanation } = app.get(RegistryCenters).of('default');
    await reportingOf(app).query('DROP TABLE JOB_EXECUTION_LOG');

    const instant = new Date(Date.UTC(2026, 0, 1));
    const [orders, reports] = [
      await explanation.explain('orders', 0, instant),
      await explanation.explain('reports', 0, instant),
    ];

    const unreadable = (limits: typeof orders.limits): boolean => limits.some(({ code }) => code === 'past-unreadable');
    expect([unreadable(orders.limits), unreadable(reports.limits)]).toEqual([false, true]);
  });

  test('have metrics of their own, with the label data_source', async () => {
    const registry = new Registry();
    await using app = await started({
      imports: [
        orm(),
        rdb({ jobs: { reports: { tracingDataSource: away() } }, observers: [prometheusMetrics({ registry })] }),
      ],
      providers,
    });
    await run(app, 'orders', 'reports');
    await isRecorded(app.get(DataSource), 'orders');
    const health = app.get(ElasticJobHealth);
    await until(() => health.report.tracingDataSources?.['unnamed']?.pending === 4, 'all events of the run');

    const lines = (await registry.metrics()).split('\n');

    expect(lines).toContain('elasticjob_tracing_pending{data_source="unnamed"} 4');
    expect(lines).toContainEqual(expect.stringMatching(/^elasticjob_tracing_pending \d+$/));
    expect(lines).toContain('elasticjob_tracing_dropped_total{data_source="unnamed"} 0');
  });

  test('of which one cannot hold the tables keep the application from booting, and leave no timer behind', async () => {
    const mongo = Object.assign(away(), { options: { type: 'mongodb' } });
    const timers = (): number => process.getActiveResourcesInfo().filter((type) => type === 'Timeout').length;
    const before = timers();

    const refusal = await refusalOf({
      imports: [orm(), rdb({ tracing: { retentionDays: 7 }, jobs: { reports: { tracingDataSource: mongo } } })],
      providers,
    });

    expect(refusal).toEqual([expect.stringMatching(/mongodb/)]);
    expect(timers()).toBe(before);
  });
});

describe('at start', () => {
  const warningsOf = async (options: ElasticJobModuleOptions): Promise<readonly string[]> => {
    const logger = new RecordingLogger();
    const app = await started({ imports: [...databases, elasticJob({ ...options, logger })], providers });
    await app.close();
    return logger.lines.filter((line) => line.startsWith('warn'));
  };

  test.each<[unknown, string]>([
    [
      'reportin',
      `elasticjob.jobs.orders.tracingDataSource: the application has no TypeORM DataSource "reportin"; it has: default, reporting; did you mean 'reporting'?`,
    ],
    ['', 'elasticjob.jobs.orders.tracingDataSource: must name a DataSource of the application'],
    [7, 'elasticjob.jobs.orders.tracingDataSource: must be the name of a TypeORM DataSource that is a provider'],
  ])('%j is refused', async (tracingDataSource, refusal) => {
    const jobs = { orders: { tracingDataSource } } as ElasticJobModuleOptions['jobs'] & object;

    const refusals = await refusalOf({ imports: [...databases, rdb({ jobs })], providers });

    expect(refusals).toEqual([expect.stringContaining(refusal)]);
  });

  test('is warned of without effect if runs are not recorded, or not those of the job', async () => {
    const path = 'elasticjob.jobs.reports.tracingDataSource';

    expect(await warningsOf({})).toEqual([`warn ${path} has no effect without elasticjob.tracing.type: RDB.`]);
    expect(await warningsOf({ tracing: { type: 'RDB', excludeJobNames: ['reports'] } })).toEqual([
      `warn ${path} has no effect, as elasticjob.tracing.excludeJobNames names the job: its runs are not recorded.`,
    ]);
    expect(await warningsOf({ tracing: { type: 'RDB', includeJobNames: ['orders'] } })).toEqual([
      `warn ${path} has no effect, as elasticjob.tracing.includeJobNames does not name the job: its runs are not recorded.`,
    ]);
    expect(await warningsOf({ tracing: { type: 'RDB', includeJobNames: ['reports'] } })).toEqual([]);
  });
});

test('each database knows its jobs, the leader of which deletes old rows', () => {
  const opened: NamedDatabase[] = [];
  const logger = new RecordingLogger();
  const [byDefault, one, other] = [away(), away(), away()];
  const tracingInto = (dataSource: DataSource): DatabaseTracing => ({
    ...{ tracing: new Tracing({ logger }), storage: undefined, dataSource },
  });
  const tracings = new JobTracings({
    ofDefault: tracingInto(byDefault),
    open: (database) => {
      opened.push(database);
      return tracingInto(database.dataSource as DataSource);
    },
    dataSources: () => [],
  });

  tracings.assign('orders', undefined);
  tracings.assign('reports', one);
  tracings.assign('bill', one);
  tracings.assign('archive', other);
  tracings.assign('bill', byDefault);

  const jobs = ['orders', 'reports', 'bill', 'archive'];
  expect(opened.map(({ name, hasJob }) => [name, jobs.filter(hasJob)])).toEqual([
    ['unnamed', ['reports']],
    ['unnamed-2', ['archive']],
  ]);
  expect([...tracings.dataSources.values()]).toEqual([byDefault, one, other]);
});
