/** Faults that only an instance knows are in its health report, and stored for `explain` of other processes. */
import { describe, expect, test } from '@jest/globals';
import { type TypedJobItemExecutor } from '../../../../lib/api/extensions/job-executor.js';
import { Deferred } from '../../../../lib/async/deferred.js';
import { ScheduleJobBootstrap } from '../../../../lib/kernel/job-bootstrap.js';
import { type JobHealth } from '../../../../lib/kernel/life/job-health.js';
import { JobHost } from '../../../../lib/kernel/job-host.js';
import { FaultReport } from '../../../../lib/kernel/log/fault-report.js';
import { jobConfiguration } from '../../../../lib/api/job/job-configuration.js';
import { ExplanationAPI } from '../../../../lib/operations/explanation-api.js';
import { EmbeddedRegistryCenter } from '../../../../lib/registry/embedded/embedded-registry-center.js';
import { TestCluster } from '../../../../lib/testing/index.js';
import { until } from '../../../support/until.js';

const health = (cluster: TestCluster, name: string): JobHealth | undefined =>
  cluster.member(name).host.jobs.get('job')?.health;

/** The explanation of a process in which no job runs. */
async function explained(cluster: TestCluster, item?: number): Promise<readonly string[]> {
  const { reason, others } = await new ExplanationAPI(cluster.operator, { clock: cluster.clock }).explain('job', item);
  return [reason, ...others].map(({ sentence }) => sentence);
}

const stored = ({ tree }: TestCluster): readonly string[] =>
  [...tree.keys()].filter((path) => path.startsWith('/job/x-node/faults/'));

/** Settings of which each instance finds that it has no such error handler. */
const UNKNOWN_HANDLER = { jobErrorHandlerType: 'NOPE' };

describe('A fault that several instances have', () => {
  test('is explained once, in the words of their health reports, and no longer when it is over', async () => {
    await using cluster = await TestCluster.start(['A', 'B', 'C', 'D', 'E', 'F']);
    expect([...cluster.tree.keys()]).not.toContain('/job/x-node/faults');

    await cluster.reconfigure(UNKNOWN_HANDLER);

    const { reason } = health(cluster, 'B') as { readonly reason: string };
    const sentences = await explained(cluster);
    expect(sentences.filter((sentence) => sentence.includes(reason.replace(/\.$/, '')))).toHaveLength(1);
    expect(sentences.at(-1)).toMatch(/^On instance \S+, and also on \S+, \S+, \S+ and 2 more, job 'job' is impaired: /);

    await cluster.reconfigure({ jobErrorHandlerType: 'LOG' });
    expect(stored(cluster)).toEqual([]);
    expect((await explained(cluster)).join()).not.toContain('impaired');
  });

  test('goes with each instance that stops or dies', async () => {
    await using cluster = await TestCluster.start(['A', 'B', 'C']);
    await cluster.reconfigure(UNKNOWN_HANDLER);
    expect(stored(cluster)).toHaveLength(3);

    await cluster.leave('A');
    cluster.kill('B');
    await cluster.advance('1m');

    const [rest, ...others] = stored(cluster);
    expect(others).toEqual([]);
    expect(rest).toContain('-C');
  });

  test('is stored again in a new session', async () => {
    await using cluster = await TestCluster.start(['A']);
    await cluster.reconfigure(UNKNOWN_HANDLER);

    await cluster.expire('A');
    await cluster.advance('1m');

    expect(stored(cluster)).toHaveLength(1);
    expect((await explained(cluster)).join()).toContain('impaired');
  });

  test('is not read from a copy of the registry centre, nor from nodes of another hand', async () => {
    await using cluster = await TestCluster.start(['A']);

    await cluster.operator.put('/job/x-node/faults/10.0.0.9@-@7', 'blocked the cluster that this copy is of was ill.');
    await cluster.operator.create('/job/x-node/faults/10.0.0.8@-@7', 'hello', 'session');

    expect((await explained(cluster)).join()).toMatch(
      /^Nothing keeps items 0-1 from running; the next instant is \S+$/,
    );
  });

  test('does not bring back a job that was removed', async () => {
    await using cluster = await TestCluster.start([]);
    const report = new FaultReport({ registry: cluster.operator, paths: cluster.paths, me: '10.0.0.65@-@1-A' });

    await report.store({ state: 'failed', reason: 'no driver.' });

    expect([...cluster.tree.keys()].filter((path) => path.startsWith('/job'))).toEqual([]);
  });
});

describe('An item with which something is not as it should be', () => {
  const clumsy = () => {
    const done = new Deferred();
    const executor: TypedJobItemExecutor = {
      type: 'CLUMSY',
      process: async (_configuration, { shardingItem }, job) => {
        if (shardingItem < 5) job.noteImpairment('its port is blocked. Open it.');
        await done.promise;
        job.noteImpairment('all is over.');
      },
    };
    return { executor, done };
  };
  const start = ({ executor }: ReturnType<typeof clumsy>) =>
    TestCluster.start(['A'], {
      job: { shardingTotalCount: 6, jobExecutorThreadPoolSizeProviderType: 'WIDE' },
      ...{
        createJob: () => 'CLUMSY',
        host: { executors: [executor], threadPoolSizeProviders: [{ type: 'WIDE', getSize: () => 6 }] },
      },
    });

  test('impairs the job until the item ends, in the health report and in explain', async () => {
    const work = clumsy();
    await using cluster = await start(work);
    expect(health(cluster, 'A')).toEqual({ state: 'active' });

    await cluster.fire();

    const each = (item: number) => `item ${item}: its port is blocked. Open it.`;
    const reason = `${each(0)} ${each(1)} ${each(2)} In all, 5 items are impaired.`;
    expect(health(cluster, 'A')).toEqual({ state: 'impaired', reason });
    expect((await explained(cluster)).join()).toContain(reason.replace(/\.$/, ''));
    expect(cluster.member('A').log.join()).not.toContain('port');

    work.done.resolve();
    await cluster.settle();
    expect(health(cluster, 'A')).toEqual({ state: 'active' });
    expect(stored(cluster)).toEqual([]);
  });
});

describe('A job that cannot start', () => {
  test('because its executor cannot prepare is explained with the reason, and no longer when it starts', async () => {
    const registryCenter = new EmbeddedRegistryCenter({ namespace: 'cannot-start' });
    registryCenter.connect();
    let fault: Error | undefined = new Error('no driver at mysql://root:hunter2@db');
    const executor: TypedJobItemExecutor = {
      type: 'PICKY',
      prepare: () => {
        if (fault !== undefined) throw fault;
      },
      process: () => undefined,
    };
    const quiet = (): void => undefined;
    const logger = { debug: quiet, log: quiet, warn: quiet, error: quiet };
    const host = new JobHost({ registryCenter, logger, executors: [executor] });
    const configuration = jobConfiguration({ jobName: 'bill', shardingTotalCount: 1, cron: '0 0 0 1 1 ?' });
    new ScheduleJobBootstrap(registryCenter, 'PICKY', configuration, { host });
    const runtime = host.jobs.get('bill')!;
    const explanations = new ExplanationAPI(registryCenter);

    await runtime.boot('scheduled');
    await until(async () => (await registryCenter.children('/bill/x-node/faults')).length === 1);
    const { reason, others } = await explanations.explain('bill');

    expect(reason.sentence).toMatch(/^On instance \S+, job 'bill' is failed: it cannot be started: .*no driver/);
    expect(reason.sentence).not.toContain('hunter2');
    expect(others.map(({ type }) => type)).toContain('no-instance');

    fault = undefined;
    await until(() => runtime.health.state === 'active');
    await until(async () => (await registryCenter.children('/bill/x-node/faults')).length === 0);
    expect((await explanations.explain('bill')).reason.type).toBe('free');
    await host.stop();
    await registryCenter.close();
  });
});
