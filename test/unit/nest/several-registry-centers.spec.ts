/** Several registry centres in one application. */
import { describe, expect, test } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { type JobErrorHandler } from '../../../lib/api/extensions/error-handler.js';
import { JobConfiguration } from '../../../lib/api/job/job-configuration.js';
import { type ShardingContext } from '../../../lib/api/job/sharding-context.js';
import { SnapshotService } from '../../../lib/dump/snapshot-service.js';
import { NamedRegistryCenter, RegistryCenters } from '../../../lib/nest/centers/registry-centers.js';
import { ElasticJob } from '../../../lib/nest/decorators/elastic-job.decorator.js';
import { ElasticJobHealth } from '../../../lib/nest/elastic-job.health.js';
import { ElasticJobLifecycle } from '../../../lib/nest/elastic-job.lifecycle.js';
import { JobBootstraps } from '../../../lib/nest/jobs/job-bootstraps.js';
import { JobOperateAPI } from '../../../lib/operations/job-operate-api.js';
import { JobStatisticsAPI } from '../../../lib/operations/job-statistics-api.js';
import { prometheusMetrics } from '../../../lib/observability/prometheus/index.js';
import { EmbeddedRegistryCenter } from '../../../lib/registry/embedded/embedded-registry-center.js';
import { Registry } from 'prom-client';
import { until } from '../../support/until.js';
import { elasticJob, RecordingLogger, refusalOf, started } from './application.js';

const EACH_SECOND = '* * * * * ?';

class Ticks {
  ticks = 0;
  execute(): void {
    this.ticks++;
  }
}

@ElasticJob('orders', { cron: EACH_SECOND, shardingTotalCount: 1 })
class OrdersJob extends Ticks {}

@ElasticJob('reports', { cron: EACH_SECOND, shardingTotalCount: 1, registryCenter: 'reporting' })
class ReportsJob extends Ticks {}

const jobs = [OrdersJob, ReportsJob];

/** Two embedded registry centres of a test, whose connections it can cut. */
function centers(namespace: string) {
  const registryCenter = new EmbeddedRegistryCenter({ namespace });
  const reporting = new EmbeddedRegistryCenter({ namespace: `${namespace}-reporting` });
  return { registryCenter, reporting, options: { registryCenter, registryCenters: { reporting } } };
}

describe('at start', () => {
  test('each job registers and fires on the registry centre that it names, the others on the default one', async () => {
    const { registryCenter, reporting, options } = centers('each-its-own');
    await using app = await started({ imports: [elasticJob(options)], providers: jobs });

    await until(() => app.get(OrdersJob).ticks > 0 && app.get(ReportsJob).ticks > 0);

    expect(await registryCenter.children('/')).toEqual(['orders']);
    expect(await reporting.children('/')).toEqual(['reports']);
  });

  test('settings describe a registry centre too, in code, in a file and in the environment', async () => {
    const logger = new RecordingLogger();
    process.env['ELASTICJOB_REGCENTERS_FROM_VARIABLES_NAMESPACE'] = 'from-variables';
    process.env['ELASTICJOB_JOBS_ORDERS_REGISTRY_CENTER'] = 'from_variables';
    try {
      const file = () => ({ elasticjob: { 'reg-centers': { reporting: { namespace: 'from-a-file' } } } });
      await using app = await started({
        imports: [
          ConfigModule.forRoot({ load: [file], ignoreEnvFile: true }),
          elasticJob({
            logger,
            regCenters: { reporting: { namespace: 'from-code' }, unused: { namespace: 'unused' } },
          }),
        ],
        providers: jobs,
      });

      expect(app.get(RegistryCenters).names).toEqual(['default', 'reporting', 'unused', 'from_variables']);
    } finally {
      delete process.env['ELASTICJOB_REGCENTERS_FROM_VARIABLES_NAMESPACE'];
      delete process.env['ELASTICJOB_JOBS_ORDERS_REGISTRY_CENTER'];
    }
    expect(logger.lines.filter((line) => line.startsWith('log Registry centre'))).toEqual([
      expect.stringMatching(/^log Registry centre: embedded .*; 0 jobs\.$/),
      expect.stringMatching(
        /^log Registry centre 'reporting': .*, namespace 'from-a-file'; 1 job\. Without elasticjob\.regCenters\.reporting\.serverLists, /,
      ),
      "log Registry centre 'unused': embedded registry in this process, namespace 'unused'; 0 jobs.",
      expect.stringMatching(/^log Registry centre 'from_variables': .*, namespace 'from-variables'; 1 job\./),
    ]);
  });

  test('two names may mean the same registry centre and namespace', async () => {
    const namespace = 'meant-twice';
    await using app = await started({
      imports: [elasticJob({ regCenter: { namespace }, regCenters: { reporting: { namespace } } })],
      providers: jobs,
    });

    await until(() => app.get(OrdersJob).ticks > 0 && app.get(ReportsJob).ticks > 0);

    const all = await app.get(JobStatisticsAPI).getAllJobsBriefInfo();
    expect(all.map(({ jobName, instanceCount }) => [jobName, instanceCount])).toEqual([
      ['orders', 1],
      ['reports', 1],
    ]);
  });

  test('one object may have two names', async () => {
    const registryCenter = new EmbeddedRegistryCenter({ namespace: 'one-object' });
    const app = await started({
      imports: [elasticJob({ registryCenter, registryCenters: { reporting: registryCenter } })],
      providers: jobs,
    });
    await until(() => app.get(OrdersJob).ticks > 0 && app.get(ReportsJob).ticks > 0);

    await app.close();

    expect(registryCenter.session.state).toMatchObject({ phase: 'closed' });
  });

  test('a registry centre that cannot be reached keeps its own jobs from starting, until it can', async () => {
    const { reporting, options } = centers('down-at-start');
    reporting.faults.disconnect();
    const logger = new RecordingLogger();

    await using app = await started({ imports: [elasticJob({ ...options, logger })], providers: jobs });

    expect(logger.lines.filter((line) => line.startsWith('warn'))).toEqual([
      "warn The registry centre 'reporting' has not answered yet. The application goes on booting; its jobs start as soon as it answers: reports.",
    ]);
    await until(() => app.get(OrdersJob).ticks > 0);
    expect(app.get(ReportsJob).ticks).toBe(0);
    reporting.faults.resume();
    await until(() => app.get(ReportsJob).ticks > 0);
  });

  test('in production, each registry centre inside the process that jobs use is a warning', async () => {
    const environment = process.env['NODE_ENV'];
    process.env['NODE_ENV'] = 'production';
    const logger = new RecordingLogger();
    try {
      const regCenters = { reporting: { namespace: 'alone' }, unused: { namespace: 'alone-too' } };
      await using app = await started({ imports: [elasticJob({ logger, regCenters })], providers: [ReportsJob] });
      expect(app.get(JobBootstraps).names).toEqual(['reports']);
    } finally {
      process.env['NODE_ENV'] = environment;
    }
    expect(logger.lines.filter((line) => line.startsWith('warn NODE_ENV'))).toEqual([
      expect.stringMatching(
        /^warn NODE_ENV is production, but the registry centre 'reporting' is inside this process: .* of its jobs\. Set elasticjob\.regCenters\.reporting\.serverLists, .* and elasticjob\.regCenters\.reporting\.required: true, /,
      ),
    ]);
  });
});

describe('while the application runs', () => {
  test('the outage of one registry centre suspends its jobs alone, and health says which one is away', async () => {
    const { reporting, options } = centers('outage');
    await using app = await started({ imports: [elasticJob(options)], providers: jobs });
    const health = app.get(ElasticJobHealth);
    await until(() => health.report.ready);

    reporting.faults.disconnect();
    await until(() => health.report.jobs['reports']?.state === 'suspended');
    const [before, orders] = [app.get(ReportsJob).ticks, app.get(OrdersJob).ticks];
    await until(() => app.get(OrdersJob).ticks > orders + 1);

    expect(app.get(ReportsJob).ticks).toBe(before);
    expect(health.isHealthy()).toMatchObject({
      elasticjob: {
        ...{ status: 'down', live: true, session: 'connected' },
        reason: expect.stringMatching(/^registry centre 'reporting': /) as unknown,
        registryCenters: {
          reporting: {
            session: 'suspended',
            registryCenter: reporting.description,
            reason: expect.any(String) as unknown,
            jobs: ['reports'],
          },
        },
        jobs: { orders: { state: 'active' }, reports: { state: 'suspended' } },
      },
    });
    reporting.faults.resume();
    await until(() => health.report.ready && app.get(ReportsJob).ticks > before);
  });

  test('a registry centre without jobs has no influence on health', async () => {
    const { registryCenter, options } = centers('no-jobs');
    await using app = await started({ imports: [elasticJob(options)], providers: [ReportsJob] });
    const health = app.get(ElasticJobHealth);
    await until(() => health.report.ready);

    registryCenter.faults.disconnect();
    await until(() => health.report.session === 'suspended');

    expect(health.report).toMatchObject({ live: true, ready: true });
  });

  test('a process is live as long as one registry centre with jobs has not closed its session for good', async () => {
    const { registryCenter, reporting, options } = centers('live');
    await using app = await started({ imports: [elasticJob(options)], providers: jobs });
    const health = app.get(ElasticJobHealth);
    await until(() => health.report.ready);

    await reporting.close();
    expect(health.report).toMatchObject({ live: true, ready: false });

    await registryCenter.close();
    expect(health.report).toMatchObject({ live: false, ready: false });
  });

  test('metrics have the session with each registry centre, and count the backlog of a shared observer once', async () => {
    const registry = new Registry();
    const { reporting, options } = centers('metrics');
    const queue = { onRunEvent: () => undefined, backlog: () => ({ pending: 3, dropped: 0 }) };
    await using app = await started({
      imports: [elasticJob({ ...options, observers: [prometheusMetrics({ registry }), queue] })],
      providers: jobs,
    });
    await until(() => app.get(ElasticJobHealth).report.ready);
    reporting.faults.disconnect();

    const lines = (await registry.metrics()).split('\n');

    expect(lines).toContain('elasticjob_session_state{state="connected",registry_center="default"} 1');
    expect(lines).toContain('elasticjob_session_state{state="connected",registry_center="reporting"} 0');
    expect(lines).toContain('elasticjob_session_state{state="suspended",registry_center="reporting"} 1');
    expect(lines).toContain('elasticjob_tracing_pending 3');
  });

  test('operations reach the jobs of each registry centre by its name', async () => {
    @Injectable()
    class Operator {
      readonly reporting: NamedRegistryCenter;
      constructor(centersOfAll: RegistryCenters) {
        this.reporting = centersOfAll.of('reporting');
      }
    }
    Reflect.defineMetadata('design:paramtypes', [RegistryCenters], Operator);
    const { reporting, options } = centers('operations');
    await using app = await started({ imports: [elasticJob(options)], providers: [...jobs, Operator] });
    const operator = app.get(Operator).reporting;
    await until(() => app.get(ElasticJobHealth).report.ready);

    await operator.jobOperate.disable({ jobName: 'reports' });
    await until(() => app.get(ElasticJobHealth).report.jobs['reports']?.state === 'disabled');

    expect(operator.registryCenter).toBe(reporting);
    expect(await operator.jobStatistics.getAllJobsBriefInfo()).toMatchObject([{ jobName: 'reports' }]);
    expect((await operator.jobConfiguration.getJobConfiguration('reports'))?.cron).toBe(EACH_SECOND);
    expect(JSON.stringify(await operator.explanation.explain('reports'))).toContain('disabled');
    await expect(app.get(JobOperateAPI).disable({ jobName: 'reports' })).rejects.toThrow(/reports/);
    await expect(app.get(RegistryCenters).of('reportign').jobStatistics.getAllJobsBriefInfo()).rejects.toThrow(
      "There is no registry centre 'reportign' in this application; did you mean 'reporting'?",
    );
  });

  test('a job is added on a registry centre by name, and its name is taken on all of them', async () => {
    const { reporting, options } = centers('added');
    await using app = await started({ imports: [elasticJob(options)], providers: [OrdersJob] });
    const bootstraps = app.get(JobBootstraps);
    const ran: string[] = [];
    const job = { execute: ({ jobName }: ShardingContext) => void ran.push(jobName) };
    const configuration = JobConfiguration.newBuilder('tenant', 1).build();

    const bootstrap = bootstraps.add(job, configuration, { registryCenter: 'reporting' });
    await bootstraps.oneOff('tenant').execute();
    await until(() => ran.length === 1);

    expect(bootstrap.jobName).toBe('tenant');
    expect(await reporting.children('/')).toEqual(['tenant']);
    expect(() => bootstraps.add(job, configuration)).toThrow(
      "Job 'tenant' cannot be added on the registry centre 'default': this application has a job of that name on the registry centre 'reporting'.",
    );
    expect(() => bootstraps.add(job, configuration, { registryCenter: 'reportign' })).toThrow(
      `elasticjob.jobs.tenant.registryCenter: must name a registry centre of elasticjob.regCenters, got "reportign"; known are: default, reporting; did you mean 'reporting'?`,
    );
    await bootstraps.remove('tenant');
    expect(bootstraps.add(job, configuration).jobName).toBe('tenant');
  });

  test('the dump port answers for a job from the registry centre that it is on', async () => {
    const { options } = centers('dumped');
    const logger = new RecordingLogger();
    await using app = await started({
      imports: [elasticJob({ ...options, logger, dump: { port: 0 } })],
      providers: jobs,
    });
    await until(() => app.get(ElasticJobHealth).report.ready);
    const port = Number(/port (\d+)\.$/.exec(logger.lines.find((line) => line.includes('dump port is open'))!)?.[1]);

    expect(await SnapshotService.dumpJob('127.0.0.1', port, 'reports')).toContain('/reports/config | ');
    expect(await SnapshotService.dumpJob('127.0.0.1', port, 'orders')).toContain('/orders/config | ');
  });
});

test('at shutdown, items of all registry centres end before an error handler that they share is closed', async () => {
  const calls: string[] = [];
  let endOrders = (): void => undefined;
  const handler: JobErrorHandler = {
    type: 'RECORDING',
    handleException: ({ configuration: { jobName } }) => void calls.push(jobName),
    close: () => void calls.push('closed'),
  };
  @ElasticJob('slow', { shardingTotalCount: 1, jobErrorHandlerType: 'RECORDING' })
  class SlowJob {
    async execute(): Promise<void> {
      await new Promise<void>((resolve) => (endOrders = resolve));
      throw new Error('at the end');
    }
  }
  const { reporting, options } = centers('shutdown');
  const app = await started({
    imports: [elasticJob({ ...options, errorHandlers: [handler] })],
    providers: [SlowJob, ReportsJob],
  });
  await app.get(JobBootstraps).oneOff('slow').execute();
  const { byName } = app.get(ElasticJobLifecycle).hosts!;
  await until(() => byName.get('default')?.jobs.get('slow')?.itemsRunning === 1);

  const closing = app.close();
  await until(() => byName.get('reporting')?.jobs.get('reports')?.phase === 'stopped');
  endOrders();
  await closing;

  expect(calls).toEqual(['slow', 'closed']);
  expect(reporting.session.state.phase).toBe('closed');
});

describe('refused at start', () => {
  const job = (registryCenter: unknown) => {
    @ElasticJob('orders', { shardingTotalCount: 1, registryCenter: registryCenter as string })
    class Job extends Ticks {}
    return Job;
  };
  const regCenters = { reporting: { namespace: 'r' } };

  test.each<[what: string, options: object, registryCenter: unknown, refusal: string]>([
    [
      'a job that names an unknown one',
      { regCenters },
      'reportign',
      `elasticjob.jobs.orders.registryCenter: must name a registry centre of elasticjob.regCenters, got "reportign"; known are: default, reporting; did you mean 'reporting'?`,
    ],
    [
      'a job that names one in an application that has one only',
      {},
      'reporting',
      `elasticjob.jobs.orders.registryCenter: must name a registry centre of elasticjob.regCenters, got "reporting"; there is only 'default', as elasticjob.regCenters has none`,
    ],
    ['a name that is no text', { regCenters }, 5, 'elasticjob.jobs.orders.registryCenter: must be a text, got 5'],
    [
      'an empty name',
      { regCenters: { '': {} } },
      '',
      `elasticjob.regCenters[""]: must be a name of letters, digits, - and _ that begins with a letter, such as 'reports'`,
    ],
    [
      'a name with other characters',
      { regCenters: { 'a b': {} } },
      '',
      `elasticjob.regCenters["a b"]: must be a name of letters, digits, - and _ that begins with a letter, such as 'reports'`,
    ],
    [
      'two names that are one in the environment',
      { regCenters: { 'a-b': {}, aB: {} } },
      '',
      `elasticjob.regCenters.aB: differs from 'a-b' only in case or separators, which do not count`,
    ],
    [
      'the name of the default one',
      { regCenters: { default: {} } },
      '',
      'elasticjob.regCenters.default: is the name of elasticjob.regCenter; write its settings there',
    ],
    [
      'no map',
      { regCenters: ['reporting'] },
      '',
      'elasticjob.regCenters: must be keys with values (key: value), got a list',
    ],
    [
      'an entry that is no map',
      { regCenters: { reporting: 'zk:2181' } },
      '',
      'elasticjob.regCenters.reporting: must be keys with values (key: value), got a string that is not shown',
    ],
    [
      'an unknown setting',
      { regCenters: { reporting: { serverList: 'zk:2181' } } },
      '',
      "elasticjob.regCenters.reporting.serverList: unknown key; did you mean 'serverLists'?",
    ],
    [
      'a wrong value',
      { regCenters: { reporting: { serverLists: 'zk:port', namespace: 'n' } } },
      '',
      `elasticjob.regCenters.reporting.serverLists: must be servers like 'host1:2181,host2:2181', which 'zk:port' is not, got "zk:port"`,
    ],
    [
      'servers without a namespace',
      { regCenters: { 'for-reports': { serverLists: 'zk:2181' } } },
      '',
      "elasticjob.regCenters.for-reports.namespace: is required with serverLists or url or endpoints and must be a name like 'orders'; set it in " +
        'forRoot({ regCenters: { for-reports: { namespace } } }), as elasticjob.regCenters.for-reports.namespace in the file, or as ' +
        'ELASTICJOB_REGCENTERS_FOR_REPORTS_NAMESPACE',
    ],
    [
      'a required one without servers',
      { regCenters: { reporting: { required: true } } },
      '',
      'elasticjob.regCenters.reporting: needs serverLists, url or endpoints, as elasticjob.regCenters.reporting.required is true; ' +
        'without a registry centre, each process would run all items by itself',
    ],
    [
      'settings of another kind',
      { regCenters: { reporting: { url: 'postgres://localhost/a', namespace: 'n', digest: 'a:b' } } },
      '',
      'elasticjob.regCenters.reporting.digest: is a setting of ZooKeeper, and the registry centre is PostgreSQL; remove it',
    ],
    [
      'objects that are no map',
      { registryCenters: 'reporting' },
      '',
      'elasticjob.registryCenters: must be registry centres by name, such as { reports: new EmbeddedRegistryCenter() }, got "reporting"',
    ],
    [
      'an object that is no registry centre',
      { registryCenters: { reporting: {} } },
      '',
      "elasticjob.registryCenters: must be registry centres by name, but 'reporting' must be an object with the methods connect(), mirror(), commit(), close(), got keys with values",
    ],
    [
      'an object under the name of the default one',
      { registryCenters: { default: new EmbeddedRegistryCenter() } },
      '',
      'elasticjob.registryCenters.default: is the name of elasticjob.registryCenter; write its settings there',
    ],
    [
      'an object beside settings',
      { registryCenters: { reporting: new EmbeddedRegistryCenter() }, regCenters },
      '',
      'elasticjob.regCenters.reporting: has no effect beside registryCenters.reporting; give only one of them',
    ],
  ])('%s', async (_, options, registryCenter, refusal) => {
    expect(await refusalOf({ imports: [elasticJob(options)], providers: [job(registryCenter)] })).toEqual(
      expect.arrayContaining([expect.stringContaining(refusal)]),
    );
  });
});
