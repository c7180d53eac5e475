import { expect } from '@jest/globals';
import { JobConfiguration } from '../../../lib/api/job/job-configuration.js';
import { fromYaml, toYaml } from '../../../lib/layout/job-configuration-yaml.js';
import { JobBootstraps } from '../../../lib/nest/jobs/job-bootstraps.js';
import { type ElasticJobModuleOptions } from '../../../lib/nest/settings/module-options.js';
import { type JobSettings } from '../../../lib/settings/job-settings.js';
import { EmbeddedRegistryServer } from '../../../lib/registry/embedded/embedded-registry-server.js';
import { refusalOf } from '../../unit/nest/application.js';
import { until } from '../../support/until.js';
import { metadataOf, NAMESPACE, type Running, running } from '../application.js';
import { SyncOrdersJob } from '../jobs.js';
import { type Checks } from '../page.js';
import { TRACING } from './types.js';

const options = (settings: JobSettings): ElasticJobModuleOptions => ({
  jobs: { syncOrders: { elasticJobClass: SyncOrdersJob, shardingTotalCount: 1, ...settings } },
});

const javaText = toYaml(JobConfiguration.newBuilder('syncOrders', 1).build());

/** An application that joins a job of which a Java instance has stored this. */
function joined(text: string, settings: JobSettings = {}, more: ElasticJobModuleOptions = {}): Promise<Running> {
  const server = new EmbeddedRegistryServer();
  server.namespace(NAMESPACE).put('java', '/syncOrders', 'org.acme.SyncOrdersJob');
  server.namespace(NAMESPACE).put('java', '/syncOrders/config', text);
  const joining = { ...options({ jobClassName: 'org.acme.SyncOrdersJob', ...settings }), ...more };
  return running({ options: joining, providers: [SyncOrdersJob] }, server);
}

/** Runs the job's items, and says what was logged meanwhile. */
async function ran(app: Running): Promise<readonly string[]> {
  await app.app.get(JobBootstraps).oneOff('syncOrders').execute();
  await until(() => app.app.get(SyncOrdersJob).contexts.length > 0, 'the items to run');
  await app.app.get(JobBootstraps).remove('syncOrders');
  return app.logger.lines;
}

const refusal = (settings: JobSettings): Promise<readonly string[]> =>
  refusalOf(metadataOf({ options: options(settings), providers: [SyncOrdersJob] }));

/**
 * An unknown type is refused at start in own settings, and with `failOnJobError` in those that Java has stored.
 * @returns an application that has noticed that it was stored at run time
 */
async function changedAtRunTime(setting: string, settings: JobSettings, said: string): Promise<Running> {
  expect(await refusal(settings)).toEqual([expect.stringContaining(`elasticjob.jobs.syncOrders.${said}`)]);
  const joining = joined(`${setting}\n${javaText}`, {}, { failOnJobError: true });
  await expect(joining).rejects.toThrow(`/${NAMESPACE}/syncOrders/config: ${said}`);

  const app = await joined(javaText);
  const text = `${setting}\n${javaText.replace('Count: 1', 'Count: 2')}`;
  app.server.namespace(NAMESPACE).put('java', '/syncOrders/config', text);
  await until(() => app.node('/syncOrders/sharding/1/instance') !== undefined, 'the change to be noticed');
  return app;
}

/** The log when the job's items run, and fail, although an unknown type was stored at run time. */
async function ranWithUnknown(setting: string, settings: JobSettings, said: string): Promise<readonly string[]> {
  await using app = await changedAtRunTime(setting, settings, said);
  app.app.get(SyncOrdersJob).failure = new Error('out of paper');
  // Awaited, so that the application is not closed before.
  return await ran(app);
}

/** Checks of what to mind in a shared configuration. */
export const pitfallChecks: Checks = {
  jobExecutorThreadPoolSizeProviderType: async () => {
    const pool: JobSettings = { jobExecutorThreadPoolSizeProviderType: 'SINGLE_THREAD' };
    const old = `jobExecutorServiceHandlerType: CPU\n${javaText}`;
    await using kept = await joined(old, { ...pool, overwrite: true });
    await using former = await running({
      options: options({ jobExecutorServiceHandlerType: 'SINGLE_THREAD' }),
      providers: [SyncOrdersJob],
    });
    await using created = await running({ options: options(pool), providers: [SyncOrdersJob] });
    await using unset = await running({ options: options({}), providers: [SyncOrdersJob] });
    await using read = await joined(old);

    expect(kept.node('/syncOrders/config')).toContain('jobExecutorServiceHandlerType: SINGLE_THREAD\n');
    expect(kept.node('/syncOrders/config')).not.toContain('PoolSizeProvider');
    expect(former.node('/syncOrders/config')).toContain('jobExecutorServiceHandlerType: SINGLE_THREAD\n');
    expect(created.node('/syncOrders/config')).toContain('jobExecutorThreadPoolSizeProviderType: SINGLE_THREAD\n');
    expect(unset.node('/syncOrders/config')).not.toContain('jobExecutor');
    expect(read.stored('syncOrders').jobExecutorThreadPoolSizeProviderType).toBe('CPU');
  },
  timeZone: () => {
    expect(javaText).not.toContain('timeZone');
  },
  'timeZone: Asia/Shanghai': async () => {
    const jobClassName = 'com.example.SyncOrdersJob';
    const settings = options({ cron: '0 0 3 * * ? 2099', timeZone: 'Asia/Shanghai', jobClassName });
    await using app = await running({ options: settings, providers: [SyncOrdersJob] });

    expect(app.logger.lines).toContain(
      "warn Job 'syncOrders': the time zone does not start with 'GMT', so that Java ElasticJob refuses it and Java instances cannot take part.",
    );
  },
  'crontab, such as */5 * * * *': async () => {
    await using app = await running({ options: options({ cron: '*/5 * * * *' }), providers: [SyncOrdersJob] });

    expect(app.stored('syncOrders').cron).toBe('0 */5 * * * ?');
  },
  'jobListenerTypes that only one side has': async () => {
    const said = 'jobListenerTypes: unknown job listener "JAVA"';
    const logged = await ranWithUnknown('jobListenerTypes: [JAVA]', { jobListenerTypes: ['JAVA'] }, said);

    expect(logged).toContainEqual(expect.stringMatching(/^error .*unknown job listener "JAVA"/));
  },
  'jobErrorHandlerType that only one side has': async () => {
    const said = 'jobErrorHandlerType: unknown error handler "PAGER"';
    const logged = await ranWithUnknown('jobErrorHandlerType: PAGER', { jobErrorHandlerType: 'PAGER' }, said);

    expect(logged).toContainEqual(
      expect.stringMatching(/^error .*unknown error handler "PAGER".*failures are logged here/),
    );
    expect(logged).toContainEqual(expect.stringMatching(/^error .*out of paper/));
  },
  'jobExecutorThreadPoolSizeProviderType that only one side has': async () => {
    const said = 'jobExecutorThreadPoolSizeProviderType: unknown thread pool size provider "JAVA"';
    const settings = { jobExecutorThreadPoolSizeProviderType: 'JAVA' };

    expect(await ranWithUnknown('jobExecutorThreadPoolSizeProviderType: JAVA', settings, said)).toContainEqual(
      expect.stringMatching(/^error .*provider "JAVA".*the former size of the pool, \d+, stays in force/),
    );
  },
  'jobShardingStrategyType that only one side has': async () => {
    const said = 'jobShardingStrategyType: unknown sharding strategy "JAVA"';
    const settings = { jobShardingStrategyType: 'JAVA' };

    expect(await ranWithUnknown('jobShardingStrategyType: JAVA', settings, said)).toContainEqual(
      expect.stringMatching(/^error .*unknown sharding strategy "JAVA".*assigned by AVG_ALLOCATION instead/),
    );
  },
  'jobExtraConfigurations (tracing)': async () => {
    await using app = await joined(TRACING + javaText, { overwrite: true, jobParameter: 'new' });

    expect(app.node('/syncOrders/config')).toContain(`${TRACING}jobName: syncOrders\njobParameter: new\n`);
  },
  '!!binary texts': async () => {
    const text = toYaml({ ...JobConfiguration.newBuilder('syncOrders', 1).build(), jobParameter: 'bell \u0007' });
    await using app = await joined(`props:\n  a: !!binary |-\n    YmVsbCAH\n${text}`);

    expect(text).toContain('jobParameter: !!binary |-\n  YmVsbCAH\n');
    expect(app.stored('syncOrders')).toMatchObject({ jobParameter: 'bell \u0007', props: { a: 'bell \u0007' } });
  },
  "empty texts, as in cron: ''": () => {
    const text = `cron: ''\ntimeZone: ''\nlabel: ''\njobErrorHandlerType: ''\n${javaText}`;

    expect(fromYaml(text, '/syncOrders/config').configuration).toEqual(
      fromYaml(javaText, '/syncOrders/config').configuration,
    );
  },
  'absent flags': () => {
    const text = 'jobName: syncOrders\nshardingTotalCount: 1\n';

    expect(fromYaml(text, '/syncOrders/config').configuration).toMatchObject({
      monitorExecution: false,
      misfire: false,
      reconcileIntervalMinutes: 0,
      maxTimeDiffSeconds: -1,
    });
  },
};
