/**
 * A job whose nodes or whose executor have a fault is that job's fault: the application boots, all its other jobs run,
 * and it runs once it is mended.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type INestApplicationContext } from '@nestjs/common';
import { type TypedJobItemExecutor } from '../../../lib/api/extensions/job-executor.js';
import { type JobConfiguration } from '../../../lib/api/job/job-configuration.js';
import { type JobHealth } from '../../../lib/kernel/life/job-health.js';
import { toYaml } from '../../../lib/layout/job-configuration-yaml.js';
import { JobPaths } from '../../../lib/layout/job-paths.js';
import { ElasticJobHealth } from '../../../lib/nest/elastic-job.health.js';
import { EmbeddedRegistryCenter } from '../../../lib/registry/embedded/embedded-registry-center.js';
import { type RegistryCenter } from '../../../lib/registry/registry-center.js';
import { ZookeeperRegistryCenter } from '../../../lib/registry/zookeeper/zookeeper-registry-center.js';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { until } from '../../support/until.js';
import { aConfiguration } from '../../support/views.js';
import { elasticJob, RecordingLogger, started } from '../../unit/nest/application.js';

const zooKeeper = sharedZooKeeper();

/** A fault of one job. */
interface Fault {
  /** The differences from the job's own settings; a text is the value of the whole node. */
  readonly stored: Partial<JobConfiguration> | string;
  /** The text of the job's root node. Default: the job's type. */
  readonly root?: string;
  /** The state of the job, and whether its items run nevertheless. */
  readonly state: JobHealth['state'];
  readonly runs?: true;
  /** The text of the one error besides the node. */
  readonly says: string;
}

const FAULTS: Readonly<Record<string, Fault>> = {
  cron: { stored: { cron: 'banana' }, state: 'blocked', says: "'banana'" },
  zone: { stored: { timeZone: 'Mars/Phobos' }, state: 'blocked', says: "Time zone 'Mars/Phobos' is not known" },
  noCron: { stored: { cron: '' }, state: 'blocked', says: "'* * * * * ?' of this instance has no effect" },
  count: { stored: { shardingTotalCount: 0 }, state: 'blocked', says: 'shardingTotalCount must be at least 1' },
  yaml: { stored: '{{{', state: 'blocked', says: 'its settings cannot be used' },
  empty: { stored: '', state: 'blocked', says: 'the document is empty' },
  limits: {
    stored: { props: { 'run.timeoutMilliseconds': 'soon' } },
    state: 'blocked',
    says: 'run.timeoutMilliseconds',
  },
  parameters: { stored: { shardingItemParameters: 'none' }, state: 'blocked', says: 'format error' },
  pool: { stored: { jobExecutorThreadPoolSizeProviderType: 'NOPE' }, state: 'blocked', says: 'provider "NOPE"' },
  poolSize: { stored: { jobExecutorThreadPoolSizeProviderType: 'BAD' }, state: 'blocked', says: 'got NaN' },
  handler: { stored: { jobErrorHandlerType: 'NOPE' }, state: 'impaired', runs: true, says: 'error handler "NOPE"' },
  email: { stored: { jobErrorHandlerType: 'EMAIL' }, state: 'impaired', runs: true, says: 'email.host' },
  listener: { stored: { jobListenerTypes: ['NOPE'] }, state: 'impaired', runs: true, says: 'job listener "NOPE"' },
  strategy: { stored: { jobShardingStrategyType: 'NOPE' }, state: 'impaired', runs: true, says: 'strategy "NOPE"' },
  validate: { stored: { props: { size: 'odd' } }, state: 'failed', says: 'must be even, got "odd"' },
  prepare: { stored: { props: { file: 'missing' } }, state: 'failed', says: 'no such file' },
  root: { stored: {}, root: 'org.acme.OtherJob', state: 'failed', says: 'org.acme.OtherJob' },
};

const NAMES = Object.keys(FAULTS);

const configurationOf = (jobName: string, settings: Partial<JobConfiguration> = {}): JobConfiguration =>
  aConfiguration({ jobName, cron: '* * * * * ?', shardingTotalCount: 1, ...settings });

/** Runs all jobs of the test, and refuses what two of the faults say. */
class CountingExecutor implements TypedJobItemExecutor {
  readonly type = 'COUNTING';
  readonly runs = new Map<string, number>();

  process({ jobName }: JobConfiguration): void {
    this.runs.set(jobName, this.runsOf(jobName) + 1);
  }

  validate({ props }: JobConfiguration) {
    return props['size'] === 'odd' ? [{ property: 'size', problem: 'must be even, got "odd"' }] : [];
  }

  prepare({ props }: JobConfiguration): void {
    if (props['file'] === 'missing') throw new Error('no such file');
  }

  runsOf(jobName: string): number {
    return this.runs.get(jobName) ?? 0;
  }
}

describe.each([
  ['the embedded one', (namespace: string): RegistryCenter => new EmbeddedRegistryCenter({ namespace })],
  [
    'ZooKeeper',
    (namespace: string): RegistryCenter => new ZookeeperRegistryCenter({ serverLists: zooKeeper.servers, namespace }),
  ],
])('on a registry centre such as %s', (_, open) => {
  const logger = new RecordingLogger();
  const executor = new CountingExecutor();
  let namespace = '';
  let operator: RegistryCenter;
  let app: INestApplicationContext & AsyncDisposable;

  const healthOf = (jobName: string): JobHealth | undefined => app.get(ElasticJobHealth).report.jobs[jobName];
  const errorsOf = (jobName: string): readonly string[] =>
    logger.lines.filter((line) => line.startsWith('error') && line.includes(`'${jobName}'`));
  const store = async (jobName: string, { stored, root = 'COUNTING' }: Fault): Promise<void> => {
    const paths = new JobPaths(jobName);
    await operator.put(paths.root, root);
    const yaml = typeof stored === 'string' ? stored : toYaml(configurationOf(jobName, stored));
    await operator.put(paths.config, yaml);
  };

  beforeAll(async () => {
    namespace = zooKeeper.namespace();
    operator = open(namespace);
    operator.connect();
    await until(() => operator.session.state.phase === 'connected', 'the operator is connected');
    for (const [jobName, fault] of Object.entries(FAULTS)) await store(jobName, fault);
    const jobs = Object.fromEntries(
      [...NAMES, 'sound'].map((name) => [
        name,
        { cron: '* * * * * ?', shardingTotalCount: 1, elasticJobType: 'COUNTING' },
      ]),
    );
    app = await started({
      imports: [
        elasticJob({
          ...{ logger, jobs, registryCenter: open(namespace), executors: [executor] },
          threadPoolSizeProviders: [{ type: 'BAD', getSize: () => NaN }],
        }),
      ],
    });
  });

  afterAll(async () => {
    await app[Symbol.asyncDispose]();
    await operator.close();
  });

  test('the application boots, the job without a fault runs, and the report says which jobs do not', async () => {
    await until(() => executor.runsOf('sound') >= 2);
    const blocked = NAMES.filter((name) => FAULTS[name]!.runs === undefined);

    expect(healthOf('sound')).toEqual({ state: 'active' });
    const { ready, reason = '' } = app.get(ElasticJobHealth).report;
    expect(ready).toBe(false);
    expect(blocked.filter((name) => !reason.includes(`job '${name}': `))).toEqual([]);
  });

  test.each(NAMES)(
    'the fault "%s" is one error of its job that names the node, and is over when the node is mended',
    async (jobName) => {
      const fault = FAULTS[jobName]!;
      await until(() => healthOf(jobName)?.state === fault.state && executor.runsOf('sound') >= 2, fault.state);
      if (fault.runs) await until(() => executor.runsOf(jobName) >= 2, 'it runs all the same');
      else expect(executor.runsOf(jobName)).toBe(0);

      const { reason } = healthOf(jobName) as { readonly reason: string };
      const node = fault.root === undefined ? new JobPaths(jobName).config : new JobPaths(jobName).root;
      expect(reason).toContain(fault.says);
      expect(reason).toContain(`/${namespace}${node}`);
      expect(errorsOf(jobName)).toEqual([`error Job '${jobName}': ${reason}`]);

      const before = executor.runsOf(jobName);
      await store(jobName, { ...fault, stored: {}, root: 'COUNTING' });

      await until(() => healthOf(jobName)?.state === 'active' && executor.runsOf(jobName) > before, 'it has healed');
      expect(errorsOf(jobName)).toHaveLength(1);
    },
  );
});
