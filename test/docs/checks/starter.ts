import { expect } from '@jest/globals';
import { resolveZookeeperConfiguration } from '../../../lib/registry/zookeeper/zookeeper-configuration.js';
import { type TraceEvent } from '../../../lib/api/events/trace-events.js';
import { type ScheduleJobBootstrap } from '../../../lib/kernel/job-bootstrap.js';
import { TracingListener } from '../../../lib/nest/decorators/tracing-listener.decorator.js';
import { ElasticJobHealth } from '../../../lib/nest/elastic-job.health.js';
import { JobBootstraps } from '../../../lib/nest/jobs/job-bootstraps.js';
import { type RegCenterSettings } from '../../../lib/settings/reg-center-settings.js';
import { readApplicationSettings } from '../../../lib/nest/settings/application-settings.js';
import { RecordingLogger, refusalOf, started } from '../../unit/nest/application.js';
import { until } from '../../support/until.js';
import { metadataOf, running } from '../application.js';
import { isSample, MonthlyReportJob, SAMPLES, starterDefaults, Stopwatch, SyncOrdersJob } from '../jobs.js';
import { type Check, type Checks, codeIn, quoted } from '../page.js';

/** A file with what stands under `elasticjob`; JSON is YAML. */
const fileWith = (elasticjob: object): string => JSON.stringify({ elasticjob });

/** A file with one job, of whose settings only the given ones are set, and those that it cannot do without. */
const fileWithJob = (settings: object): string =>
  fileWith({
    jobs: { syncOrders: { 'elastic-job-class': 'org.acme.SyncOrdersJob', 'sharding-total-count': 2, ...settings } },
  });

const providers = [SyncOrdersJob, MonthlyReportJob, Stopwatch];

/** A default as a row's cell writes it. */
const told = (value: unknown): string => {
  const text = JSON.stringify(value ?? '');
  return ['""', '[]', '{}'].includes(text) ? 'none' : `\`${text}\``;
};

const DEFAULTS = ({ retry, ...settings }: ReturnType<typeof resolveZookeeperConfiguration>): RegCenterSettings => ({
  baseSleepTimeMilliseconds: retry.baseMs,
  maxSleepTimeMilliseconds: retry.maxMs,
  maxRetries: retry.retries,
  sessionTimeoutMilliseconds: settings.sessionTimeoutMs,
  connectionTimeoutMilliseconds: settings.connectionTimeoutMs,
});

/** The setting of the registry centre is read under Java's name, and reaches what connects. */
function regCenter(value: string | number): Check {
  return (row) => {
    const name = codeIn(row, 'Here').replace('regCenter.', '') as keyof RegCenterSettings;
    const javaName = row.java.replace('reg-center.', '');
    const given = { 'server-lists': 'zoo:2181', namespace: 'orders', [javaName]: value };

    const settings = readApplicationSettings({
      options: {},
      file: { 'reg-center': given },
      environment: {},
      providers: [],
    })?.regCenters.get('default');

    expect(settings?.[name]).toBe(value);
    const { serverLists = '', namespace = '' } = settings ?? {};
    const fallback = DEFAULTS(resolveZookeeperConfiguration({ serverLists, namespace }));
    expect(row.cells['Default here']).toBe(told(fallback[name]));
    if (typeof value === 'number')
      expect(DEFAULTS(resolveZookeeperConfiguration({ ...settings, serverLists, namespace }))[name]).toBe(value);
  };
}

/** Checks of `elasticjob` in application.yml. */
export const moduleChecks: Checks = {
  enabled: async () => {
    const off = metadataOf({ file: fileWith({ enabled: false, jobs: { syncOrders: { unknown: 1 } } }) });
    await using app = await started(off);

    expect(app.get(ElasticJobHealth).report.session).toBe('disabled');
    expect(await refusalOf(metadataOf({ file: fileWith({ enabled: 'on' }) }))).toEqual([
      'elasticjob.enabled: must be true or false, got "on"',
    ]);
  },
  'reg-center.server-lists': regCenter('zoo1:2181,zoo2:2181'),
  'reg-center.namespace': regCenter('shop/orders'),
  'reg-center.base-sleep-time-milliseconds': regCenter(500),
  'reg-center.max-sleep-time-milliseconds': regCenter(2_000),
  'reg-center.max-retries': regCenter(5),
  'reg-center.session-timeout-milliseconds': regCenter(10_000),
  'reg-center.connection-timeout-milliseconds': regCenter(6_000),
  'reg-center.digest': regCenter('orders:secret'),
};

/**
 * The setting is read under Java's name, stored as it is, and has the defaults that the row names, here and in Java.
 */
const stored: Check = async (row) => {
  const name = codeIn(row, 'Here');
  if (!isSample(name)) throw new Error(`There is no value to try ${row.java} with.`);

  await using set = await running({ file: fileWithJob({ [row.java]: SAMPLES[name] }), providers });
  await using unset = await running({ file: fileWithJob({}), providers });

  expect(set.stored('syncOrders')[name]).toEqual(SAMPLES[name]);
  if (name === 'shardingTotalCount') return;
  expect(row.cells['Default here']).toBe(told(unset.stored('syncOrders')[name]));
  const inJava = name === 'cron' || name === 'props' ? undefined : starterDefaults[name];
  expect(row.cells['Default in Java']).toBe(told(inJava));
};

const names = [
  ['cron', 'time-zone', 'sharding-total-count', 'sharding-item-parameters', 'job-parameter', 'monitor-execution'],
  ['failover', 'misfire', 'max-time-diff-seconds', 'reconcile-interval-minutes', 'job-sharding-strategy-type'],
  ['job-executor-thread-pool-size-provider-type', 'job-error-handler-type', 'job-listener-types', 'description'],
  ['props', 'disabled', 'overwrite'],
].flat();

/** Checks of `elasticjob.jobs.<jobName>` in application.yml. */
export const jobChecks: Checks = {
  ...Object.fromEntries(names.map((name) => [name, stored])),
  'elastic-job-class': async () => {
    await using app = await running({ file: fileWithJob({}), providers });

    expect(app.node('/syncOrders')).toBe('org.acme.SyncOrdersJob');
  },
  'elastic-job-type': async () => {
    const executors = [{ type: 'PRINT', process: () => undefined }];
    const file = fileWith({ jobs: { printer: { 'elastic-job-type': 'PRINT', 'sharding-total-count': 1 } } });
    await using app = await running({ file, options: { executors } });

    expect(app.node('/printer')).toBe('PRINT');
  },
  'job-bootstrap-bean-name': async () => {
    await using app = await running({ file: fileWithJob({ 'job-bootstrap-bean-name': 'orders' }), providers });

    expect(app.app.get(JobBootstraps).get('orders').jobName).toBe('syncOrders');
  },
  'job-executor-service-handler-type': async (row) => {
    await using app = await running({ file: fileWithJob({ [row.java]: 'SINGLE_THREAD' }), providers });

    expect(app.node('/syncOrders/config')).toContain(`\n${codeIn(row, 'Here')}: SINGLE_THREAD\n`);
    expect(app.node('/syncOrders/config')).not.toContain('jobExecutorThreadPoolSizeProviderType');
  },
  "'[job name]'": async () => {
    const settings = { 'elastic-job-class': 'SyncOrdersJob', 'sharding-total-count': 1 };
    await using app = await running({ file: fileWith({ jobs: { '[sync: orders]': settings } }), providers });

    expect(app.stored('sync: orders').jobName).toBe('sync: orders');
  },
};

/** Setting it is refused with the message that the row quotes. */
function refused(section: 'tracing', settings: object): Check {
  return async (row) => {
    expect(await refusalOf(metadataOf({ file: fileWith({ [section]: settings }) }))).toEqual([quoted(row)]);
  };
}

/** Hears which jobs are traced. */
@TracingListener()
class Ear {
  readonly jobNames = new Set<string>();
  onTraceEvent({ jobName }: TraceEvent): void {
    this.jobNames.add(jobName);
  }
}

/** Of the jobs syncOrders and monthlyReport, only the given ones are traced with these settings. */
function traces(tracing: object, ...expected: readonly string[]): Check {
  return async () => {
    const job = (name: string) => ({ 'elastic-job-class': name, 'sharding-total-count': 1, cron: '0 0 0 1 1 ?' });
    const jobs = { syncOrders: job('SyncOrdersJob'), monthlyReport: job('MonthlyReportJob') };
    await using app = await running({ file: fileWith({ tracing, jobs }), providers: [...providers, Ear] });
    const [syncOrders, monthlyReport] = [app.app.get(SyncOrdersJob), app.app.get(MonthlyReportJob)];

    for (const name of Object.keys(jobs))
      await (app.app.get(JobBootstraps).get(name) as ScheduleJobBootstrap).trigger();
    await until(() => syncOrders.contexts.length + monthlyReport.items.length === 2, 'both jobs to run');

    expect([...app.app.get(Ear).jobNames]).toEqual(expected);
  };
}

/** The number of dump ports that an application with these settings opens. */
async function dumpPorts(dump: object): Promise<number> {
  const logger = new RecordingLogger();
  const app = await running({ file: fileWith({ dump }), providers, options: { logger } });
  await app[Symbol.asyncDispose]();
  return logger.lines.filter((line) => line.startsWith('log The dump port is open')).length;
}

/** Checks of `elasticjob.tracing` and `elasticjob.dump` in application.yml. */
export const tracingAndDumpChecks: Checks = {
  'tracing.type': refused('tracing', { type: 'RDB' }),
  'tracing.include-job-names': traces({ 'include-job-names': ['syncOrders'] }, 'syncOrders'),
  'tracing.exclude-job-names': async (row) => {
    await traces({ 'exclude-job-names': ['syncOrders'] }, 'monthlyReport')(row);
    const both = { 'include-job-names': ['syncOrders'], 'exclude-job-names': ['bill'] };
    expect(await refusalOf(metadataOf({ file: fileWith({ tracing: both }) }))).toEqual([
      expect.stringMatching(/^elasticjob\.tracing\.excludeJobNames: and includeJobNames exclude each other/),
    ]);
  },
  'tracing.data-source.*': refused('tracing', { 'data-source': { url: 'jdbc:h2:mem:x', username: 'sa' } }),
  'dump.enabled': async () => {
    expect(await dumpPorts({ enabled: false, port: 0 })).toBe(0);
    expect(await dumpPorts({ enabled: true, port: 0 })).toBe(1);
  },
  'dump.port': async () => {
    expect(await dumpPorts({ port: 0 })).toBe(1);
    expect(await dumpPorts({ enabled: true })).toBe(0);
  },
};
