/**
 * Every public call that takes options refuses names that it does not know, with the nearest one, and says in the
 * library's own words what is missing if it is called without arguments. A value or a type of options that is exported
 * without being in these tables fails the first tests.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type DynamicModule } from '@nestjs/common';
import { DataSource } from 'typeorm';
import * as consoleEntry from '../lib/console/index.js';
import * as root from '../lib/index.js';
import { createJobHosts } from '../lib/nest/centers/create-job-hosts.js';
import { openTelemetryMetrics, openTelemetrySpans } from '../lib/observability/opentelemetry/index.js';
import { JobGraphAPI } from '../lib/operations/job-graph-api.js';
import { prometheusMetrics } from '../lib/observability/prometheus/index.js';
import { ManualClock, registryCenterContract, TestCluster } from '../lib/testing/index.js';
import { RdbOperationLog, RdbTraceStorage } from '../lib/tracing/rdb/index.js';
import { EtcdRegistryCenter } from '../lib/registry/etcd/etcd-registry-center.js';
import { PostgresqlRegistryCenter } from '../lib/registry/postgresql/postgresql-registry-center.js';

/** A public call, with and without arguments. */
interface Call {
  readonly call: string;
  /** The exported types of its options. */
  readonly types?: readonly string[];
  /** A name that is near to that of an option. */
  readonly misspelt: string;
  /** The text that the message must have besides that name. */
  readonly meant: string;
  readonly with: (options: never) => unknown;
  /** Omitted if the call needs no arguments. */
  readonly bare?: () => unknown;
}

/** Calls a function or a constructor as JavaScript can. */
const bare = (callable: unknown): unknown => (callable as () => unknown)();
const made = (constructor: unknown): unknown => new (constructor as new () => unknown)();

const logger = { debug: () => undefined, log: () => undefined, warn: () => undefined, error: () => undefined };
const configuration = root.jobConfiguration({ jobName: 'bill', shardingTotalCount: 1 });
const scheduled = root.jobConfiguration({ jobName: 'bill', shardingTotalCount: 1, cron: '0 0 0 * * ?' });
const job = { execute: () => undefined };
const registry = new root.EmbeddedRegistryCenter({ namespace: 'public-calls' });
const { signal } = new AbortController();

let dataSource: DataSource;
let storage: RdbTraceStorage;
let operationLog: RdbOperationLog;
let cluster: TestCluster;
let triggered: root.TriggeredJob;

beforeAll(async () => {
  dataSource = new DataSource({ type: 'sqljs' });
  storage = new RdbTraceStorage(dataSource);
  operationLog = new RdbOperationLog(dataSource);
  cluster = await TestCluster.start(['A']);
  registry.connect();
  const operate = new root.JobOperateAPI(cluster.operator, { clock: cluster.clock });
  triggered = await operate.trigger('job');
});

afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
  await registry.close();
});

const OPERATIONS = { types: ['OperationsOptions'], misspelt: 'operater', meant: 'operator' };

/** By entry and name. A text says why there is no call with options. */
const CALLS: Readonly<Record<string, string | readonly Call[]>> = {
  AbstractDistributeOnceElasticJobListener: 'a base class',
  DoctorAPI: [
    api('new DoctorAPI()', root.DoctorAPI, OPERATIONS),
    {
      ...{ call: 'examine()', types: ['ExamineOptions'], misspelt: 'jobname', meant: 'jobName' },
      with: (options) => new root.DoctorAPI(registry).examine(options),
    },
  ],
  DumpSettings: 'settings of forRoot()',
  ElasticJob:
    'a decorator; the application refuses unknown settings when it boots: test/unit/nest/application-settings.spec.ts',
  elasticJobConfig: 'takes the path of a file; its loader refuses others',
  ElasticJobHealth: 'injected; takes the key of a result',
  ElasticJobModule: [
    {
      ...{
        call: 'forRootAsync()',
        types: ['ElasticJobModuleAsyncOptions'],
        misspelt: 'useFactry',
        meant: 'useFactory',
      },
      with: (options) => root.ElasticJobModule.forRootAsync(options),
      bare: () => bare(root.ElasticJobModule.forRootAsync.bind(root.ElasticJobModule)),
    },
  ],
  EmbeddedRegistryCenter: [
    {
      ...{
        call: 'new EmbeddedRegistryCenter()',
        types: ['EmbeddedRegistryCenterOptions'],
        misspelt: 'namespac',
        meant: 'namespace',
      },
      with: (options) => new root.EmbeddedRegistryCenter(options),
    },
    {
      ...{
        call: 'mirror() of an EmbeddedRegistryCenter',
        types: ['MirrorOptions'],
        misspelt: 'presenseOnly',
        meant: 'presenceOnly',
      },
      with: (options) => registry.mirror('/job', options),
      bare: () => bare(registry.mirror.bind(registry)),
    },
    ...['get', 'children', 'create', 'update', 'remove', 'commit', 'exclusively'].flatMap((method) => {
      const call = (registry as unknown as Record<string, unknown>)[method];
      return typeof call === 'function'
        ? [withoutOptions(`${method}() of an EmbeddedRegistryCenter`, call.bind(registry))]
        : [];
    }),
  ],
  EmbeddedRegistryServer: [
    {
      ...{ call: 'new EmbeddedRegistryServer()', misspelt: 'limit', meant: 'limits' },
      with: (options) => new root.EmbeddedRegistryServer(options),
    },
    {
      ...{ call: 'limits of an EmbeddedRegistryServer', types: ['CommitLimits'], misspelt: 'byte', meant: 'bytes' },
      with: (limits) => new root.EmbeddedRegistryServer({ limits }),
    },
  ],
  ExplanationAPI: [
    {
      ...{ call: 'new ExplanationAPI()', types: ['ExplanationOptions'], misspelt: 'clok', meant: 'clock' },
      with: (options) => new root.ExplanationAPI(registry, options),
      bare: () => made(root.ExplanationAPI),
    },
    withoutOptions('explain()', () =>
      bare(new root.ExplanationAPI(registry).explain.bind(new root.ExplanationAPI(registry))),
    ),
  ],
  InjectOneOffJob: 'takes a name; the application refuses others when it boots',
  isDataflowJob: 'answers for any value',
  isSimpleJob: 'answers for any value',
  JobBootstraps: [
    {
      ...{
        call: 'add() of JobBootstraps',
        types: ['AddJobOptions'],
        misspelt: 'jobBootstrapBean',
        meant: 'jobBootstrapBeanName',
      },
      with: (options) => opened().add(job, configuration, options),
      bare: () => bare(root.JobBootstraps.prototype.add.bind(opened())),
    },
    withoutOptions('get() of JobBootstraps', () => bare(root.JobBootstraps.prototype.get.bind(opened()))),
    withoutOptions('handle() of JobBootstraps', () => bare(root.JobBootstraps.prototype.handle.bind(opened()))),
    withoutOptions('remove() of JobBootstraps', () => bare(root.JobBootstraps.prototype.remove.bind(opened()))),
  ],
  jobConfiguration: [
    {
      ...{ call: 'jobConfiguration()', misspelt: 'shardingTotalCounts', meant: 'shardingTotalCount' },
      with: (options) => root.jobConfiguration({ jobName: 'bill', shardingTotalCount: 1, ...(options as object) }),
      bare: () => bare(root.jobConfiguration),
    },
  ],
  JobConfiguration: [
    withoutOptions('JobConfiguration.newBuilder()', () =>
      (bare(root.JobConfiguration.newBuilder) as root.JobConfigurationBuilder).build(),
    ),
  ],
  JobConfigurationAPI: [
    api('new JobConfigurationAPI()', root.JobConfigurationAPI, OPERATIONS),
    {
      ...{ call: 'removeJobConfiguration()', types: ['RemoveJobOptions'], misspelt: 'timeout', meant: 'timeoutMs' },
      with: (options) => new root.JobConfigurationAPI(registry).removeJobConfiguration('bill', options),
      bare: () =>
        bare(
          new root.JobConfigurationAPI(registry).removeJobConfiguration.bind(new root.JobConfigurationAPI(registry)),
        ),
    },
    {
      ...{
        call: 'updateJobConfiguration()',
        types: ['JobConfigurationUpdate'],
        misspelt: 'shardingTotalCounts',
        meant: 'shardingTotalCount',
      },
      with: (options) =>
        new root.JobConfigurationAPI(registry).updateJobConfiguration({ ...configuration, ...(options as object) }),
      bare: () =>
        bare(
          new root.JobConfigurationAPI(registry).updateJobConfiguration.bind(new root.JobConfigurationAPI(registry)),
        ),
    },
  ],
  JobConfigurationBuilder: 'made by JobConfiguration.newBuilder()',
  JobErrorHandler: 'a decorator that takes a type',
  JobExecutor: 'a decorator that takes a type',
  JobExecutorThreadPoolSizeProvider: 'a decorator that takes a type',
  JobHandle: 'injected; execute() and trigger() are those of the bootstraps',
  JobHost: [
    {
      ...{ call: 'new JobHost()', types: ['JobHostOptions'], misspelt: 'errorHandler', meant: 'errorHandlers' },
      with: (options) => new root.JobHost({ registryCenter: registry, logger, ...(options as object) }),
      bare: () => made(root.JobHost),
    },
  ],
  JobListener: 'a decorator that takes a type',
  JobOperateAPI: [
    api('new JobOperateAPI()', root.JobOperateAPI, OPERATIONS),
    operate('trigger', ['TriggerJobOptions', 'TriggerOptions'], 'item', 'items', ['bill']),
    operate('disable', ['AvailabilityTarget'], 'jobname', 'jobName'),
    operate('enable', [], 'jobname', 'jobName'),
    operate('shutdown', ['JobTarget'], 'serverIP', 'serverIp'),
    operate('remove', [], 'serverIP', 'serverIp'),
    operate('pruneServers', ['PruneOptions'], 'dryrun', 'dryRun'),
    {
      ...{ call: 'ended() of a trigger', misspelt: 'timeout', meant: 'timeoutMs' },
      with: (options) => triggered.ended(options),
      bare: () => bare(triggered.ended.bind(triggered)),
    },
  ],
  JobOptions: 'settings of @ElasticJob()',
  JobSettings: 'settings of forRoot()',
  JobShardingStrategy: 'a decorator that takes a type',
  JobStatisticsAPI: [withoutOptions('new JobStatisticsAPI()', () => made(root.JobStatisticsAPI))],
  notifyingErrorHandlers: [
    {
      ...{
        call: 'notifyingErrorHandlers()',
        types: ['NotifyingErrorHandlersOptions'],
        misspelt: 'loger',
        meant: 'logger',
      },
      with: (options) => root.notifyingErrorHandlers(options),
      bare: () => bare(root.notifyingErrorHandlers),
    },
  ],
  OneOffJobBootstrap: [
    {
      ...{
        call: 'new OneOffJobBootstrap()',
        types: ['JobBootstrapOptions'],
        misspelt: 'jobClass',
        meant: 'jobClassName',
      },
      with: (options) => new root.OneOffJobBootstrap(registry, job, configuration, options),
      bare: () => made(root.OneOffJobBootstrap),
    },
  ],
  OperationAudit: [withoutOptions('new OperationAudit()', undefined)],
  OperationListener: 'a decorator without arguments',
  QuartzCron: [
    {
      ...{ call: 'QuartzCron.parse()', types: ['CronOptions'], misspelt: 'timezone', meant: 'timeZone' },
      with: (options) => root.QuartzCron.parse('0 0 0 * * ?', options),
      bare: () => bare(root.QuartzCron.parse.bind(root.QuartzCron)),
    },
    withoutOptions('new QuartzCron()', () => made(root.QuartzCron)),
  ],
  RegCenterSettings: 'settings of forRoot()',
  RegistryCenters: 'injected; of() takes a name',
  ScheduleJobBootstrap: [
    {
      ...{ call: 'new ScheduleJobBootstrap()', misspelt: 'compatability', meant: 'compatibility' },
      with: (options) => new root.ScheduleJobBootstrap(registry, job, scheduled, options),
      bare: () => made(root.ScheduleJobBootstrap),
    },
  ],
  ServerStatisticsAPI: [withoutOptions('new ServerStatisticsAPI()', () => made(root.ServerStatisticsAPI))],
  ShardingOperateAPI: [
    api('new ShardingOperateAPI()', root.ShardingOperateAPI, OPERATIONS),
    {
      ...{
        call: 'disable() of ShardingOperateAPI',
        types: ['OperationContext'],
        misspelt: 'reasn',
        meant: 'reason',
      },
      with: (options) => new root.ShardingOperateAPI(registry).disable('bill', 0, options),
      bare: () => bare(new root.ShardingOperateAPI(registry).disable.bind(new root.ShardingOperateAPI(registry))),
    },
  ],
  ShardingStatisticsAPI: [withoutOptions('new ShardingStatisticsAPI()', () => made(root.ShardingStatisticsAPI))],
  SnapshotService: [
    {
      ...{ call: 'new SnapshotService()', types: ['SnapshotServiceOptions'], misspelt: 'prot', meant: 'port' },
      with: (options) => new root.SnapshotService(registry, options),
      bare: () => made(root.SnapshotService),
    },
  ],
  systemClock: 'no call',
  toQuartz: [
    {
      ...{ call: 'toQuartz()', misspelt: 'timezone', meant: 'timeZone' },
      with: (options) => root.toQuartz('0 0 * * *', options),
      bare: () => bare(root.toQuartz),
    },
  ],
  TraceQueue: [
    {
      ...{ call: 'new TraceQueue()', types: ['TraceQueueOptions'], misspelt: 'batchsize', meant: 'batchSize' },
      with: (options) =>
        new root.TraceQueue({
          storage: { prepare: () => Promise.resolve(), write: () => Promise.resolve() },
          logger,
          ...(options as object),
        }),
      bare: () => made(root.TraceQueue),
    },
  ],
  Tracing: [
    {
      ...{ call: 'new Tracing()', types: ['TracingOptions'], misspelt: 'includeJobs', meant: 'includeJobNames' },
      with: (options) => new root.Tracing({ logger, ...(options as object) }),
      bare: () => made(root.Tracing),
    },
  ],
  TracingListener: 'a decorator without arguments',
  TracingSettings: 'settings of forRoot()',
  TriggeredJob: 'made by trigger()',
  'registry/EtcdRegistryCenter': [
    {
      ...{
        call: 'new EtcdRegistryCenter()',
        types: ['EtcdConfiguration'],
        misspelt: 'endpoint',
        meant: 'endpoints',
      },
      with: (options) =>
        new EtcdRegistryCenter({ endpoints: 'http://127.0.0.1:1', namespace: 'a', ...(options as object) }),
      bare: () => made(EtcdRegistryCenter),
    },
    {
      ...{
        call: 'the options of an EtcdRegistryCenter',
        types: ['EtcdRegistryCenterOptions'],
        misspelt: 'loger',
        meant: 'logger',
      },
      with: (options) => new EtcdRegistryCenter({ endpoints: 'http://127.0.0.1:1', namespace: 'a' }, options),
    },
    {
      ...{ call: 'mirror() of an EtcdRegistryCenter', misspelt: 'presenseOnly', meant: 'presenceOnly' },
      with: (options) => etcd().mirror('/job', options),
      bare: () => bare(etcd().mirror.bind(etcd())),
    },
  ],
  'registry/PostgresqlRegistryCenter': [
    {
      ...{
        call: 'new PostgresqlRegistryCenter()',
        types: ['PostgresqlConfiguration'],
        misspelt: 'shema',
        meant: 'schema',
      },
      with: (options) =>
        new PostgresqlRegistryCenter({ url: 'postgres://127.0.0.1:1/a', namespace: 'a', ...(options as object) }),
      bare: () => made(PostgresqlRegistryCenter),
    },
    {
      ...{
        call: 'the options of a PostgresqlRegistryCenter',
        types: ['PostgresqlRegistryCenterOptions'],
        misspelt: 'loger',
        meant: 'logger',
      },
      with: (options) => new PostgresqlRegistryCenter({ url: 'postgres://127.0.0.1:1/a', namespace: 'a' }, options),
    },
    {
      ...{ call: 'mirror() of a PostgresqlRegistryCenter', misspelt: 'presenseOnly', meant: 'presenceOnly' },
      with: (options) => postgresql().mirror('/job', options),
      bare: () => bare(postgresql().mirror.bind(postgresql())),
    },
  ],
  ZookeeperRegistryCenter: [
    {
      ...{
        call: 'new ZookeeperRegistryCenter()',
        types: ['ZookeeperConfiguration'],
        misspelt: 'serverList',
        meant: 'serverLists',
      },
      with: (options) =>
        new root.ZookeeperRegistryCenter({ serverLists: 'zk:2181', namespace: 'a', ...(options as object) }),
      bare: () => made(root.ZookeeperRegistryCenter),
    },
    {
      ...{ call: 'the options of a ZookeeperRegistryCenter', misspelt: 'loger', meant: 'logger' },
      with: (options) => new root.ZookeeperRegistryCenter({ serverLists: 'zk:2181', namespace: 'a' }, options),
    },
    {
      ...{ call: 'mirror() of a ZookeeperRegistryCenter', misspelt: 'presenseOnly', meant: 'presenceOnly' },
      with: (options) => zookeeper().mirror('/job', options),
      bare: () => bare(root.ZookeeperRegistryCenter.prototype.mirror.bind(zookeeper())),
    },
    ...['get', 'children', 'create', 'update', 'remove', 'commit', 'exclusively'].flatMap((method) => {
      const call = (zookeeper() as unknown as Record<string, unknown>)[method];
      return typeof call === 'function'
        ? [withoutOptions(`${method}() of a ZookeeperRegistryCenter`, call.bind(zookeeper()))]
        : [];
    }),
  ],

  'testing/ManualClock': [
    withoutOptions('advance() of a ManualClock', () => bare(new ManualClock().advance.bind(new ManualClock()))),
  ],
  'testing/registryCenterContract': [
    {
      ...{
        call: 'registryCenterContract()',
        types: ['ContractOptions'],
        misspelt: 'canNarow',
        meant: 'canNarrow',
      },
      with: (options) => registryCenterContract('a', () => Promise.reject(new Error('not opened')), options),
      bare: () => bare(registryCenterContract),
    },
  ],
  'registry/operationBytes': 'takes an operation of a commit',
  'testing/settle': 'takes nothing',
  'testing/tellEvent': 'takes an event of a cluster',
  'testing/TestCluster': [
    {
      ...{
        call: 'TestCluster.start()',
        types: ['TestClusterOptions'],
        misspelt: 'sessionTimeout',
        meant: 'sessionTimeoutMs',
      },
      with: (options) => TestCluster.start(['A'], options),
      bare: () => bare(TestCluster.start.bind(TestCluster)),
    },
    {
      ...{ call: 'cut() of a TestCluster', misspelt: 'directions', meant: 'direction' },
      with: (options) => cluster.cut('A', options),
      bare: () => bare(cluster_('cut')),
    },
    {
      ...{ call: 'join() of a TestCluster', misspelt: 'shardingTotalCounts', meant: 'shardingTotalCount' },
      with: (options) => cluster.join('B', options),
      bare: () => bare(cluster_('join')),
    },
    {
      ...{ call: 'reconfigure() of a TestCluster', misspelt: 'shardingTotalCounts', meant: 'shardingTotalCount' },
      with: (options) => cluster.reconfigure(options),
      bare: () => bare(cluster_('reconfigure')),
    },
    ...(
      [
        'kill',
        'killAtWrite',
        'leave',
        'heal',
        'freeze',
        'thaw',
        'skew',
        'expire',
        'disable',
        'enable',
        'disableItem',
        'enableItem',
        'advance',
        'member',
      ] as const
    ).map((method) => withoutOptions(`${method}() of a TestCluster`, () => bare(cluster_(method)))),
  ],

  'tracing-rdb/RdbOperationLog': [
    {
      ...{ call: 'new RdbOperationLog()', misspelt: 'clok', meant: 'clock' },
      with: (options) => new RdbOperationLog(dataSource, options),
      bare: () => made(RdbOperationLog),
    },
    {
      ...{ call: 'operations()', types: ['OperationFilter'], misspelt: 'jobname', meant: 'jobName' },
      with: (options) => operationLog.operations(options, signal),
      bare: () => bare(operationLog.operations.bind(operationLog)),
    },
  ],
  'tracing-rdb/RdbTraceStorage': [
    {
      ...{
        call: 'new RdbTraceStorage()',
        types: ['RdbTraceStorageOptions'],
        misspelt: 'missingTable',
        meant: 'missingTables',
      },
      with: (options) => new RdbTraceStorage(dataSource, options),
      bare: () => made(RdbTraceStorage),
    },
    ...(
      [
        ['executions', ['ExecutionFilter', 'TraceFilter'], 'shardingItems', 'shardingItem'],
        ['statuses', ['StatusFilter'], 'jobname', 'jobName'],
        ['jobNames', ['JobNameFilter'], 'limits', 'limit'],
        ['figures', ['CountFilter'], 'bound', 'bounds'],
        ['latest', ['LatestFilter'], 'job', 'jobs'],
        ['deleteOld', ['Retention'], 'batchrows', 'batchRows'],
        ['completeOrphans', ['Orphans'], 'item', 'items'],
      ] as const
    ).map(([method, types, misspelt, meant]): Call => ({
      ...{ call: `${method}()`, types, misspelt, meant },
      with: (options) => storage[method](options, signal),
      bare: () => bare((storage[method] as () => unknown).bind(storage)),
    })),
  ],

  'operations/JobGraphAPI': [
    api('new JobGraphAPI()', JobGraphAPI, OPERATIONS),
    ofGraphs('rounds', ['nightly'], 'limits', 'limit'),
    ofGraphs('trigger', ['nightly']),
    ofGraphs('runAgain', ['nightly', new Date(0)], 'form', 'from'),
    ofGraphs('skip', ['nightly', new Date(0), 'bill']),
    ofGraphs('stop', ['nightly', new Date(0)]),
    ofGraphs('pause', ['nightly']),
    ofGraphs('resume', ['nightly']),
  ],
  'prometheus/METRICS': 'no call',
  'prometheus/prometheusMetrics': [
    {
      ...{
        call: 'prometheusMetrics()',
        types: ['PrometheusMetricsOptions', 'MetricsOptions'],
        misspelt: 'maxJob',
        meant: 'maxJobs',
      },
      with: (options) => prometheusMetrics(options),
    },
  ],
  'opentelemetry/METRICS': 'no call',
  'opentelemetry/openTelemetryMetrics': [
    {
      ...{
        call: 'openTelemetryMetrics()',
        types: ['OpenTelemetryMetricsOptions', 'MetricsOptions'],
        misspelt: 'maxJob',
        meant: 'maxJobs',
      },
      with: (options) => openTelemetryMetrics(options),
    },
  ],
  'opentelemetry/openTelemetrySpans': [
    {
      ...{ call: 'openTelemetrySpans()', types: ['OpenTelemetrySpansOptions'], misspelt: 'tracr', meant: 'tracer' },
      with: (options) => openTelemetrySpans(options),
    },
  ],
  'console/ConsoleStore': 'a base class',
  'console/ElasticJobConsoleModule': [
    {
      ...{
        call: 'ElasticJobConsoleModule.forRoot()',
        types: ['ElasticJobConsoleOptions'],
        misspelt: 'pth',
        meant: 'path',
      },
      // When the application starts.
      with: (options) => factoryOf(consoleEntry.ElasticJobConsoleModule.forRoot(options))(),
    },
    {
      ...{
        call: 'ElasticJobConsoleModule.forRootAsync()',
        types: ['ElasticJobConsoleAsyncOptions'],
        misspelt: 'useFactry',
        meant: 'useFactory',
      },
      with: (options) => consoleEntry.ElasticJobConsoleModule.forRootAsync(options),
      bare: () => bare(consoleEntry.ElasticJobConsoleModule.forRootAsync.bind(consoleEntry.ElasticJobConsoleModule)),
    },
  ],
};

/** Exported types of options that no call of these tables takes, and where they are checked. */
const OTHERS: Readonly<Record<string, string>> = {
  ContractOpenOptions: 'given by the contract to those who open a centre',
  ConsoleServiceOptions: 'a part of the options of the console, whose own test checks them',
  ElasticJobModuleOptions:
    'settings of forRoot(), checked when the application boots: test/unit/nest/application-settings.spec.ts',
  ElasticJobOptions: 'settings of @ElasticJob(), checked when the application boots',
  PastFilter: 'given by the library to those who read the past',
  PropsOptions: 'a setting of jobs',
};

/** The factory of a module's options, which Nest calls. */
function factoryOf({ providers = [] }: DynamicModule): () => unknown {
  const factory = providers.find((each) => 'useFactory' in each);
  return (factory as { readonly useFactory: () => unknown }).useFactory;
}

function zookeeper(): root.ZookeeperRegistryCenter {
  return new root.ZookeeperRegistryCenter({ serverLists: '127.0.0.1:1', namespace: 'a' });
}

function postgresql(): PostgresqlRegistryCenter {
  return new PostgresqlRegistryCenter({ url: 'postgres://127.0.0.1:1/a', namespace: 'a' });
}

function etcd(): EtcdRegistryCenter {
  return new EtcdRegistryCenter({ endpoints: 'http://127.0.0.1:1', namespace: 'a' });
}

function opened(): root.JobBootstraps {
  const bootstraps = new root.JobBootstraps();
  bootstraps.open(createJobHosts(new Map([['default', registry]]), { extensions: {}, logger }), undefined);
  return bootstraps;
}

function cluster_(method: keyof TestCluster): unknown {
  return (cluster[method] as () => unknown).bind(cluster);
}

function api(
  call: string,
  type: unknown,
  { types, misspelt, meant }: Pick<Call, 'types' | 'misspelt' | 'meant'>,
): Call {
  const Api = type as new (registryCenter: unknown, options: unknown) => unknown;
  return {
    call,
    ...(types && { types }),
    misspelt,
    meant,
    with: (options) => new Api(registry, options),
    bare: () => made(type),
  };
}

function operate(
  method: keyof root.JobOperateAPI,
  types: readonly string[],
  misspelt: string,
  meant: string,
  before: readonly unknown[] = [],
): Call {
  const operations = new root.JobOperateAPI(registry);
  const call = (operations[method] as (...args: readonly unknown[]) => unknown).bind(operations);
  const needsNothing = method === 'pruneServers';
  return {
    ...{ call: `${method}()`, types, misspelt, meant },
    with: (options) => call(...before, options),
    ...(!needsNothing && { bare: () => call() }),
  };
}

function ofGraphs(method: keyof JobGraphAPI, before: readonly unknown[], misspelt = 'bye', meant = 'by'): Call {
  const graphs = new JobGraphAPI(registry);
  const call = (graphs[method] as (...args: readonly unknown[]) => unknown).bind(graphs);
  const types = { rounds: ['RoundsOptions'], runAgain: ['RunAgainOptions'] }[method as string] ?? [];
  return {
    ...{ call: `JobGraphAPI.${method}()`, types, misspelt, meant },
    with: (options) => call(...before, options),
    bare: () => call(),
  };
}

/** A call without options, which is made without arguments alone. */
function withoutOptions(call: string, callable: unknown): Call {
  return {
    call,
    misspelt: '',
    meant: '',
    with: () => undefined,
    ...(typeof callable === 'function' && { bare: () => bare(callable) }),
  };
}

const exported = readFileSync(join(import.meta.dirname ?? '', 'public-api.txt'), 'utf8')
  .split('\n')
  .reduce<{ entry: string; names: readonly { entry: string; name: string; isType: boolean }[] }>(
    ({ entry, names }, line) => {
      if (line.trim() === '') return { entry, names };
      if (!line.startsWith(' ')) return { entry: line.replace(/^nestjs-elasticjob\/?/, ''), names };
      const name = line.trim().replace(/^type | \(deprecated: .*$/g, '');
      return { entry, names: [...names, { entry, name, isType: line.trim().startsWith('type ') }] };
    },
    { entry: '', names: [] },
  ).names;

/** The key of an export; the name alone for the main entry, even if another entry is its home. */
const keyOf = ({ entry, name }: { entry: string; name: string }): string =>
  entry === '' || name in root ? name : `${entry}/${name}`;
const all = Object.values(CALLS).flatMap((calls) => (typeof calls === 'string' ? [] : calls));

describe('the tables', () => {
  test('have every exported value', () => {
    const isError = (name: string): boolean => /Error$/.test(name);
    const values = exported.filter(({ isType, name }) => !isType && !isError(name)).map(keyOf);

    expect(Object.keys(CALLS).sort()).toEqual([...new Set(values)].sort());
  });

  test('have every exported type of options', () => {
    const isOptions = (name: string): boolean =>
      /(Options|Filter|Target|Context|Limits|Update|Configuration)$|^(Retention|Orphans)$/.test(name) &&
      !/^(Job|Sharding|Tracing)(Configuration|Context)$/.test(name);
    const types = exported.filter(({ isType, name }) => isType && isOptions(name)).map(({ name }) => name);
    const known = new Set([...all.flatMap((each) => each.types ?? []), ...Object.keys(OTHERS)]);

    expect(types.filter((name) => !known.has(name))).toEqual([]);
  });
});

/** The error that the call throws, or rejects with. */
async function failureOf(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  return 'nothing is thrown';
}

/** The library's own errors, or the errors of a wrong call of the test kit. */
const isOurs = (error: unknown): boolean =>
  error instanceof root.ElasticJobError ||
  error instanceof root.InvalidCronError ||
  (error instanceof RangeError && !/stack/.test(error.message)) ||
  (error instanceof TypeError && /made by QuartzCron/.test(error.message));

describe('an option with a wrong name is refused by', () => {
  for (const { call, misspelt, meant, with: perform } of all.filter((each) => each.misspelt !== ''))
    test(`${call}`, async () => {
      const error = await failureOf(() => perform({ [misspelt]: 1 } as never));

      expect({ error: String(error), isOurs: isOurs(error) }).toEqual({
        error: expect.stringContaining(meant),
        isOurs: true,
      });
      expect(String(error)).toContain(misspelt);
    });
});

describe('without arguments, the library says what is missing in', () => {
  for (const { call, bare: perform } of all)
    if (perform !== undefined)
      test(`${call}`, async () => {
        const error = await failureOf(perform);

        expect({ error: String(error), isOurs: isOurs(error) }).toEqual({ error: String(error), isOurs: true });
      });
});
