import { expect } from '@jest/globals';
import { JobConfiguration, JobConfigurationBuilder } from '../../../lib/api/job/job-configuration.js';
import { OneOffJobBootstrap } from '../../../lib/kernel/job-bootstrap.js';
import { EmbeddedRegistryCenter } from '../../../lib/registry/embedded/embedded-registry-center.js';
import { ElasticJob } from '../../../lib/nest/decorators/elastic-job.decorator.js';
import { fromYaml, toYaml } from '../../../lib/layout/job-configuration-yaml.js';
import { refusalOf } from '../../unit/nest/application.js';
import { metadataOf, running } from '../application.js';
import { settingsOf } from '../../../lib/api/settings/setting.js';
import { JobSettings } from '../../../lib/settings/job-settings.js';
import { RegCenterSettings } from '../../../lib/settings/reg-center-settings.js';
import { jobChecks, moduleChecks, tracingAndDumpChecks } from './starter.js';
import { isSample, type SampleName, SAMPLES, Stopwatch } from '../jobs.js';
import { type Check, type Checks, codeIn, quoted, type Row } from '../page.js';

/** A class with the decorator, of whose options only the given ones are set, and the one that it cannot do without. */
function decorated(options: object): new () => object {
  class Decorated {
    execute(): void {}
  }
  ElasticJob('syncOrders', { shardingTotalCount: 2, ...options })(Decorated);
  return Decorated;
}

const sampleNameIn = (row: Row): SampleName => {
  const name = codeIn(row, 'Here').replace(/\(.*/, '');
  if (isSample(name)) return name;
  throw new Error(`There is no value to try ${row.java} with.`);
};

/** The configuration that an application stores for a job with these options of the decorator. */
async function storedBy(options: object): Promise<JobConfiguration> {
  await using app = await running({ providers: [decorated(options), Stopwatch] });
  return app.stored('syncOrders');
}

/** The option is stored; and if the row says that the default is the same in both, it is the builder's. */
const attribute: Check = async (row) => {
  const name = sampleNameIn(row);

  expect((await storedBy({ [name]: SAMPLES[name] }))[name]).toEqual(SAMPLES[name]);
  const [, inBoth] = /`(\w+)` in both/.exec(row.cells['Remark'] ?? '') ?? [];
  if (inBoth !== undefined) expect(JSON.stringify((await storedBy({}))[name])).toBe(inBoth);
};

/** The option is refused with the message that the row quotes. */
function refusedOption(name: string): Check {
  return async (row) => {
    expect(await refusalOf(metadataOf({ providers: [decorated({ [name]: 'x' })] }))).toEqual([quoted(row)]);
  };
}

const storedAttributes = [
  ['cron', 'timeZone', 'shardingTotalCount', 'shardingItemParameters', 'jobParameter', 'monitorExecution', 'failover'],
  ['misfire', 'maxTimeDiffSeconds', 'reconcileIntervalMinutes', 'jobShardingStrategyType', 'jobErrorHandlerType'],
  ['jobExecutorThreadPoolSizeProviderType', 'jobListenerTypes', 'description', 'disabled', 'overwrite'],
].flat();

/** A decorated provider is a job of the name that the decorator says. */
const isFound: Check = async () => {
  await using app = await running({ providers: [decorated({})] });

  expect(app.stored('syncOrders')).toMatchObject({ jobName: 'syncOrders', shardingTotalCount: 2 });
};

/** The name in the column `Here` is a setting of jobs. */
const isSettingOfJobs: Check = (row) => {
  expect([...settingsOf(JobSettings).keys()]).toContain(codeIn(row, 'Here'));
};

/** Checks of the annotations. */
export const annotationChecks: Checks = {
  ...Object.fromEntries(storedAttributes.map((name) => [name, attribute])),
  '@ElasticJobConfiguration': isFound,
  jobName: isFound,
  '@ElasticJobScan': isFound,
  'props = @ElasticJobProp(key = "a", value = "b")': async (row) => {
    expect(codeIn(row, 'Here')).toBe("props: { a: 'b' }");
    expect((await storedBy({ props: { a: 'b' } })).props).toEqual({ a: 'b' });
  },
  registryCenter: isSettingOfJobs,
  extraConfigurations: refusedOption('extraConfigurations'),
  jobExecutorServiceHandlerType: async (row) => {
    await using app = await running({ providers: [decorated({ [codeIn(row, 'Here')]: 'SINGLE_THREAD' })] });

    expect(app.node('/syncOrders/config')).toContain('\njobExecutorServiceHandlerType: SINGLE_THREAD\n');
  },
};

/** The configuration as peers read it from what is stored. */
const asStored = (configuration: JobConfiguration): JobConfiguration =>
  fromYaml(toYaml(configuration), '/syncOrders/config').configuration;

const builder = (): JobConfigurationBuilder => JobConfiguration.newBuilder('syncOrders', 3);

/** The builder's method sets the stored value; without it the default that the row names is stored. */
const method: Check = (row) => {
  const name = sampleNameIn(row);
  expect(row.java.replace(/\(.*/, '')).toMatch(new RegExp(`^(${name}|jobExecutorServiceHandlerType)$`));

  const set = builder();
  const call = Reflect.get(set, name) as (...values: unknown[]) => unknown;
  const values: readonly unknown[] = [SAMPLES[name]].flat();

  expect(call.apply(set, [...values])).toBe(set);
  expect(asStored(set.build())[name]).toEqual(SAMPLES[name]);
  const [, fallback] = /default `(\S+)`/.exec(row.cells['Remark'] ?? '') ?? [];
  if (fallback !== undefined) expect(JSON.stringify(asStored(builder().build())[name])).toBe(fallback);
};

const methods = [
  ['cron("…")', 'timeZone("…")', 'shardingItemParameters("…")', 'jobParameter("…")', 'monitorExecution(false)'],
  ['failover(true)', 'misfire(false)', 'maxTimeDiffSeconds(5)', 'reconcileIntervalMinutes(7)', 'description("…")'],
  ['jobShardingStrategyType("…")', 'jobExecutorThreadPoolSizeProviderType("…")', 'jobErrorHandlerType("…")'],
  ['disabled(true)', 'overwrite(true)', 'label("…")', 'staticSharding(true)'],
].flat();

const lacks =
  (name: string): Check =>
  () => {
    expect(name in JobConfigurationBuilder.prototype).toBe(false);
  };

/** Checks of JobConfiguration and its builder. */
export const builderChecks: Checks = {
  ...Object.fromEntries(methods.map((one) => [one, method])),
  'JobConfiguration.newBuilder("syncOrders", 3)': () => {
    expect(builder().build()).toMatchObject({ jobName: 'syncOrders', shardingTotalCount: 3 });
  },
  'jobListenerTypes("A", "B")': () => {
    expect(asStored(builder().jobListenerTypes('A', 'B').build()).jobListenerTypes).toEqual(['A', 'B']);
  },
  'setProperty("a", "b")': () => {
    expect(asStored(builder().setProperty('a', 'b').build()).props).toEqual({ a: 'b' });
  },
  'jobExecutorServiceHandlerType("…")': async (row) => {
    await method(row);
    await lacks('jobExecutorServiceHandlerType')(row);
    const registryCenter = new EmbeddedRegistryCenter({ namespace: 'former' });
    const configuration = builder().jobExecutorThreadPoolSizeProviderType('CPU').build();
    const job = { execute: () => undefined };

    const bootstrap = new OneOffJobBootstrap(registryCenter, job, configuration, { compatibility: '3.0.4' });
    await bootstrap.start();

    expect(await registryCenter.get('/syncOrders/config')).toContain('\njobExecutorServiceHandlerType: CPU\n');
    await bootstrap.shutdown();
    await registryCenter.close();
  },
  'addExtraConfigurations(…)': lacks('addExtraConfigurations'),
  'build()': () => {
    expect(() => builder().cron('nonsense').timeZone('Mars').build()).toThrow(/\.cron: [^]*\.timeZone: /);
  },
};

/** Attributes of the namespace's `job` that are stored. */
const jobAttributes = [
  ['cron', 'time-zone', 'sharding-total-count', 'sharding-item-parameters', 'job-parameter', 'monitor-execution'],
  ['failover', 'misfire', 'max-time-diff-seconds', 'reconcile-interval-minutes', 'job-sharding-strategy-type'],
  ['job-executor-service-handler-type', 'job-error-handler-type', 'job-listener-types', 'description', 'props'],
  ['disabled', 'overwrite', 'label', 'static-sharding'],
].flat();

/** Checks of the Spring namespace. */
export const namespaceChecks: Checks = {
  ...Object.fromEntries(jobAttributes.map((name) => [`job ${name}`, attribute])),
  '<elasticjob:job>': isFound,
  'job id': isFound,
  '<elasticjob:job-scanner>': isFound,
  'job job-ref': (row) => ofStarter(jobChecks, 'elastic-job-class', row),
  'job job-type': (row) => ofStarter(jobChecks, 'elastic-job-type', row),
  'job registry-center-ref': isSettingOfJobs,
  'job tracing-ref': isSettingOfJobs,
  '<elasticjob:zookeeper>': () => {
    const attributes = Object.keys(moduleChecks).filter((name) => name.startsWith('reg-center.'));

    // All but the settings that Java does not have.
    const own = [
      ...['required', 'tls', 'sasl', 'type'],
      ...['url', 'dataSource', 'schema', 'connections', 'notify'],
      ...['endpoints', 'username', 'password', 'maxTxnOps'],
    ];
    expect(attributes.length).toBe(settingsOf(RegCenterSettings).size - own.length);
  },
  '<elasticjob:rdb-tracing>': (row) => ofStarter(tracingAndDumpChecks, 'tracing.type', row),
  '<elasticjob:snapshot>': (row) => ofStarter(tracingAndDumpChecks, 'dump.port', row),
};

/** Holds a row against what holds for a setting of the starter. */
export function ofStarter(checks: Checks, name: string, row: Row): void | Promise<void> {
  return checks[name]?.(row);
}
