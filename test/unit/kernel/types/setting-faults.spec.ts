/**
 * Stored settings, and users' objects, that cannot be used: what of the job goes on, what it says, and how it heals.
 */
import { describe, expect, test } from '@jest/globals';
import { jobConfiguration } from '../../../../lib/api/job/job-configuration.js';
import { OneOffJobBootstrap, ScheduleJobBootstrap } from '../../../../lib/kernel/job-bootstrap.js';
import { JobHost } from '../../../../lib/kernel/job-host.js';
import { type JobHealth } from '../../../../lib/kernel/life/job-health.js';
import { toYaml } from '../../../../lib/layout/job-configuration-yaml.js';
import { EmbeddedRegistryCenter } from '../../../../lib/registry/embedded/embedded-registry-center.js';
import { TestCluster } from '../../../../lib/testing/test-cluster.js';
import { until } from '../../../support/until.js';

const health = (cluster: TestCluster): JobHealth => cluster.member('A').host.jobs.get('job')!.health;
const linesOf = (cluster: TestCluster, text: string): readonly string[] =>
  cluster.member('A').log.filter((line) => line.includes(text));

describe('a thread pool size provider', () => {
  const POOL = { jobExecutorThreadPoolSizeProviderType: 'ODD' };

  test.each<[what: string, said: string, answer: () => unknown]>([
    ['answers 0', 'got 0', () => 0],
    ['answers a promise', 'got an instance of Promise', () => Promise.resolve(2)],
    [
      'throws',
      'getSize() of the provider ODD has failed: Error: no cgroup',
      () => {
        throw new Error('no cgroup');
      },
    ],
  ])(
    'that later %s leaves the former size in force, and is one error until it answers again',
    async (_, said, answer) => {
      let getSize: () => unknown = () => 2;
      const provider = { type: 'ODD', getSize: () => getSize() as number };
      await using cluster = await TestCluster.start(['A'], {
        job: { shardingTotalCount: 2, ...POOL },
        host: { threadPoolSizeProviders: [provider] },
      });

      getSize = answer;
      for (let firing = 0; firing < 3; firing++) await cluster.fire();

      expect(cluster.runs).toHaveLength(6);
      expect(linesOf(cluster, 'the run ')).toEqual([]);
      const { state, reason } = health(cluster) as { readonly state: string; readonly reason: string };
      expect(state).toBe('impaired');
      expect(reason).toContain(
        'settings in /elasticjob/job/config cannot be used: jobExecutorThreadPoolSizeProviderType: ',
      );
      expect(reason).toContain('the former size of the pool, 2, stays in force');
      expect(linesOf(cluster, 'the former size of the pool')).toHaveLength(1);
      expect(reason).toContain(said);

      getSize = () => 1;
      await cluster.fire();
      expect(health(cluster)).toEqual({ state: 'active' });
      expect(linesOf(cluster, 'all its settings can be used.')).toHaveLength(1);
    },
  );

  test('that is unknown while the job runs leaves the former size in force', async () => {
    await using cluster = await TestCluster.start(['A'], { job: { shardingTotalCount: 2 } });

    await cluster.reconfigure({ jobExecutorThreadPoolSizeProviderType: 'NOPE' });
    for (let firing = 0; firing < 3; firing++) await cluster.fire();

    expect(cluster.runs).toHaveLength(6);
    expect(health(cluster)).toMatchObject({ state: 'impaired' });
    expect(linesOf(cluster, 'unknown thread pool size provider "NOPE"')).toHaveLength(1);
  });
});

test('listeners that are unknown are left out, those that are known are called, and no run fails', async () => {
  const called: string[] = [];
  const listener = {
    type: 'KNOWN',
    beforeJobExecuted: () => void called.push('before'),
    afterJobExecuted: () => void called.push('after'),
  };
  await using cluster = await TestCluster.start(['A'], { host: { listeners: [listener] } });

  await cluster.reconfigure({ jobListenerTypes: ['NOPE', 'KNOWN'] });
  await cluster.fire();
  await cluster.fire();

  expect(called).toEqual(['before', 'after', 'before', 'after']);
  expect(linesOf(cluster, 'the run ')).toEqual([]);
  expect(health(cluster)).toMatchObject({ state: 'impaired' });
  expect(linesOf(cluster, 'unknown job listener "NOPE"')).toHaveLength(1);
});

test('a listener whose order() begins to throw is called last, and health says so when the settings are read again', async () => {
  let isBroken = false;
  const called: string[] = [];
  const listener = (type: string, order: () => number) => ({
    ...{ type, order, afterJobExecuted: () => undefined },
    beforeJobExecuted: () => void called.push(type),
  });
  const broken = (): number => {
    if (isBroken) throw new Error('no order');
    return 1;
  };
  await using cluster = await TestCluster.start(['A'], {
    job: { jobListenerTypes: ['ONE', 'TWO'] },
    host: { listeners: [listener('ONE', broken), listener('TWO', () => 2)] },
  });
  await cluster.fire();
  isBroken = true;
  await cluster.reconfigure({ jobParameter: 'new' });
  await cluster.fire();

  expect(called).toEqual(['ONE', 'TWO', 'TWO', 'ONE']);
  expect(health(cluster)).toMatchObject({
    state: 'impaired',
    reason: expect.stringContaining('the order() of job listener ONE has failed: Error: no order') as unknown,
  });
});

test('a manual run of a job that its settings block is left out with a warning', async () => {
  await using cluster = await TestCluster.start(['A']);
  const yaml = toYaml({ ...cluster.view.config!, shardingItemParameters: 'none' });
  await cluster.operator.put(cluster.paths.config, yaml);

  await cluster.trigger();

  expect(cluster.runs).toEqual([]);
  expect(linesOf(cluster, 'a manual run is left out; trigger it again when the settings are mended')).toHaveLength(1);
});

describe('a job that an application boots', () => {
  const own = jobConfiguration({ jobName: 'job', cron: '0 0 0 1 1 ?', shardingTotalCount: 1 });

  /** A host whose job has a fault until `mend` is called. */
  async function faulty() {
    const registryCenter = new EmbeddedRegistryCenter();
    registryCenter.connect();
    await until(() => registryCenter.session.state.phase === 'connected');
    const lines: string[] = [];
    const note = (line: string): void => void lines.push(line);
    const logger = { debug: () => undefined, log: note, warn: note, error: note };
    let fault: Error | undefined = new Error('no such file');
    const executor = {
      type: 'CAREFUL',
      process: () => undefined,
      prepare: () => {
        if (fault !== undefined) throw fault;
      },
    };
    const host = new JobHost({ registryCenter, logger, executors: [executor] });
    return {
      ...{ host, registryCenter, lines },
      mend: () => (fault = undefined),
      [Symbol.asyncDispose]: async () => {
        await host.stop();
        await registryCenter.close();
      },
    };
  }

  test('is tried again until it can be started, and rejects calls that need it until then', async () => {
    await using of = await faulty();
    const bootstrap = new ScheduleJobBootstrap(of.registryCenter, 'CAREFUL', own, { host: of.host });
    const runtime = of.host.jobs.get('job')!;

    await runtime.boot('scheduled');

    expect(runtime.health).toMatchObject({ state: 'failed' });
    await expect(bootstrap.schedule()).rejects.toThrow('no such file');
    await expect(bootstrap.trigger()).rejects.toThrow('no such file');
    of.mend();
    await until(() => runtime.health.state === 'active');
    expect(runtime.nextInstant).toBeDefined();
    await bootstrap.schedule();
    await bootstrap.trigger();
    expect(of.lines.filter((line) => line.includes('no such file'))).toHaveLength(1);
    expect(of.lines.filter((line) => line.includes('it can be started now.'))).toHaveLength(1);
  });

  test('and that is stopped before it could be started has ended', async () => {
    await using of = await faulty();
    const bootstrap = new ScheduleJobBootstrap(of.registryCenter, 'CAREFUL', own, { host: of.host });
    const runtime = of.host.jobs.get('job')!;
    await runtime.boot('scheduled');

    await bootstrap.shutdown();

    expect(runtime.health).toMatchObject({ state: 'stopped' });
  });
});

describe('a job that code starts is refused, with the node, and has ended,', () => {
  const own = jobConfiguration({ jobName: 'job', cron: '0 0 0 1 1 ?', shardingTotalCount: 1 });

  test.each<[what: string, stored: string, said: string]>([
    ['by a stored cron', toYaml({ ...own, cron: 'banana' }), "/elasticjob/job/config: Cron expression 'banana'"],
    ['by a stored zone', toYaml({ ...own, timeZone: 'Mars' }), "/elasticjob/job/config: Time zone 'Mars' is not known"],
    [
      'by a stored type',
      toYaml({ ...own, jobErrorHandlerType: 'NOPE' }),
      '/elasticjob/job/config: jobErrorHandlerType: ',
    ],
    [
      'by no stored cron',
      toYaml({ ...own, cron: '' }),
      "job 'job' has none in /elasticjob/job/config and cannot be scheduled. Write one there, or set overwrite: true, which",
    ],
  ])('%s', async (_, stored, said) => {
    await using cluster = await TestCluster.start([]);
    await cluster.operator.put('/job', 'TestJob');
    await cluster.operator.put('/job/config', stored);

    const { started } = await cluster.join('A', { cron: '0 0 0 1 1 ?' });

    await expect(started).rejects.toThrow(said);
    expect(health(cluster)).toMatchObject({ state: 'failed' });
  });
});

test('a scheduled job without a cron expression is refused when it is made', async () => {
  const registryCenter = new EmbeddedRegistryCenter();
  const oneOff = jobConfiguration({ jobName: 'job', shardingTotalCount: 1 });

  expect(() => new ScheduleJobBootstrap(registryCenter, { execute: () => undefined }, oneOff)).toThrow(
    "Cron can not be empty: job 'job' has none but is started as a scheduled job. Set cron or after, or make it a one-off job",
  );
  await registryCenter.close();
});

test('a one-off job says that it runs when it is triggered', async () => {
  const registryCenter = new EmbeddedRegistryCenter();
  registryCenter.connect();
  const lines: string[] = [];
  const note = (line: string): void => void lines.push(line);
  const host = new JobHost({ registryCenter, logger: { debug: () => undefined, log: note, warn: note, error: note } });
  const oneOff = jobConfiguration({ jobName: 'job', shardingTotalCount: 1 });
  await new OneOffJobBootstrap(registryCenter, { execute: () => undefined }, oneOff, { host }).start();

  await until(() => lines.some((line) => line.includes('as a one-off job, which runs when it is triggered')));
  await host.stop();
  await registryCenter.close();
});
