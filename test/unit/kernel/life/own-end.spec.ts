/** Code of a job that waits for the end of its own job would wait for itself. */
import { describe, expect, test } from '@jest/globals';
import { type JobErrorHandler } from '../../../../lib/api/extensions/error-handler.js';
import {
  AbstractDistributeOnceElasticJobListener,
  type ElasticJobListener,
} from '../../../../lib/api/extensions/job-listener.js';
import { JobConfigurationAPI } from '../../../../lib/operations/job-configuration-api.js';
import { JobOperateAPI } from '../../../../lib/operations/job-operate-api.js';
import { TestCluster } from '../../../../lib/testing/test-cluster.js';
import { type Work } from '../../../../lib/testing/runs.js';

const ONE_ITEM = { shardingTotalCount: 1 };

/** With listeners, the firings of a job follow one another. */
const QUIET: ElasticJobListener = {
  type: 'QUIET',
  beforeJobExecuted: () => undefined,
  afterJobExecuted: () => undefined,
};

/** Code that runs once, for the first item that comes, and knows its cluster. */
function once(code: (cluster: TestCluster) => Promise<unknown>): { work: Work; for: (cluster: TestCluster) => void } {
  let cluster: TestCluster | undefined;
  return {
    for: (each) => (cluster = each),
    work: async () => {
      const mine = cluster;
      cluster = undefined;
      if (mine !== undefined) await code(mine);
    },
  };
}

function lines(cluster: TestCluster, text: string): readonly string[] {
  return cluster.log.filter((line) => line.includes(text));
}

describe('an item that ends its own job', () => {
  for (const [call, end] of [
    ['shutdown() of its bootstrap', (cluster: TestCluster) => cluster.member('A').bootstrap.shutdown()],
    ['remove() of its host', (cluster: TestCluster) => cluster.member('A').host.remove('job')],
    ['stop() of its runtime', (cluster: TestCluster) => cluster.member('A').host.jobs.get('job')!.stop()],
  ] as const) {
    test(`by ${call} goes on at once, and the job ends after it`, async () => {
      let step = 'not called';
      let release = (): void => undefined;
      const ending = once(async (cluster) => {
        await end(cluster);
        step = 'the call has returned';
        await new Promise<void>((resolve) => (release = resolve));
        step = 'the item has returned';
      });
      await using cluster = await TestCluster.start(['A'], { job: ONE_ITEM, work: ending.work });
      ending.for(cluster);

      await cluster.fire();
      expect(step).toBe('the call has returned');
      expect(cluster.view.items[0]?.runningOn).toBe(cluster.idOf('A'));
      expect(lines(cluster, 'item 0 ends its own job: the call returns at once')).toHaveLength(1);

      release();
      await cluster.settle();
      expect([step, cluster.view.instances.size, cluster.view.items[0]?.runningOn]).toEqual([
        'the item has returned',
        0,
        undefined,
      ]);
      expect(lines(cluster, 'is left')).toEqual([]);
    });
  }

  test('by stop() of the whole host is waited for a second, and an error says how to do it', async () => {
    const ending = once((cluster) => cluster.member('A').leave());
    await using cluster = await TestCluster.start(['A'], { job: ONE_ITEM, work: ending.work });
    ending.for(cluster);
    const { host } = cluster.member('A');

    await cluster.fire();
    expect(host.jobs.get('job')?.phase).toBe('stopping');
    await cluster.advance('2s');

    expect(host.jobs.get('job')?.phase).toBe('stopped');
    expect(lines(cluster, 'item 0 waits for that end')).toEqual([
      expect.stringContaining("process.kill(process.pid, 'SIGTERM')"),
    ]);
    expect(lines(cluster, 'do not react to context.signal')).toEqual([]);
  });

  test('by stop() of the whole host lets the other items of its run end first', async () => {
    let release = (): void => undefined;
    const ending = once((cluster) => cluster.member('A').leave());
    const work: Work = async (name, context) =>
      context.shardingItem === 0 ? ending.work(name, context) : new Promise<void>((resolve) => (release = resolve));
    await using cluster = await TestCluster.start(['A'], { work });
    ending.for(cluster);
    const { host } = cluster.member('A');

    await cluster.fire();
    await cluster.advance('15s');
    expect(host.jobs.get('job')?.phase).toBe('stopping');
    release();
    await cluster.advance('2s');

    expect(host.jobs.get('job')?.phase).toBe('stopped');
    expect(cluster.runs.find(({ item }) => item === 1)?.outcome).toBe('completed');
  });

  test('by stop() of the whole host is waited for a second, too, if several items do so', async () => {
    await using cluster = await TestCluster.start(['A'], { work: () => cluster.member('A').leave() });
    const { host } = cluster.member('A');

    await cluster.fire();
    await cluster.advance('2s');

    expect([host.jobs.get('job')?.phase, cluster.ran]).toEqual(['stopped', { A: [0, 1] }]);
  });

  test('by stop() of the whole host is waited for a second, too, while others only wait for its place in the pool', async () => {
    const ending = once((cluster) => cluster.member('A').leave());
    const job = { shardingTotalCount: 3, jobExecutorThreadPoolSizeProviderType: 'SINGLE_THREAD' };
    await using cluster = await TestCluster.start(['A'], { job, work: ending.work });
    ending.for(cluster);
    const { host } = cluster.member('A');

    await cluster.fire();
    await cluster.advance('2s');

    expect(host.jobs.get('job')?.phase).toBe('stopped');
    expect(cluster.ran).toEqual({ A: [0] });
    expect(lines(cluster, 'item 0 waits for that end')).toHaveLength(1);
  });

  test('by stop() of the whole host lets the items end first that run beside it, and those that take their places', async () => {
    const releases: (() => void)[] = [];
    const ending = once((cluster) => cluster.member('A').leave());
    const work: Work = async (name, context) =>
      context.shardingItem === 0 ? ending.work(name, context) : new Promise<void>((resolve) => releases.push(resolve));
    const job = { shardingTotalCount: 3, jobExecutorThreadPoolSizeProviderType: 'TWO' };
    await using cluster = await TestCluster.start(['A'], {
      ...{ job, work },
      host: { threadPoolSizeProviders: [{ type: 'TWO', getSize: () => 2 }] },
    });
    ending.for(cluster);
    const { host } = cluster.member('A');

    await cluster.fire();
    await cluster.advance('7s');
    releases[0]?.();
    await cluster.advance('7s');
    expect([host.jobs.get('job')?.phase, cluster.ran]).toEqual(['stopping', { A: [0, 1, 2] }]);
    releases[1]?.();
    await cluster.advance('2s');

    expect(host.jobs.get('job')?.phase).toBe('stopped');
    expect(cluster.runs.filter(({ outcome }) => outcome === 'completed').map(({ item }) => item)).toEqual([1, 2]);
  });

  test('by stop() of the whole host without waiting for it ends like any other', async () => {
    const ending = once((cluster) => {
      void cluster.member('A').leave();
      return Promise.resolve();
    });
    await using cluster = await TestCluster.start(['A'], { job: ONE_ITEM, work: ending.work });
    ending.for(cluster);

    await cluster.fire();
    await cluster.advance('2s');

    expect([cluster.view.instances.size, cluster.runs[0]?.outcome]).toEqual([0, 'completed']);
    expect(cluster.log.filter((line) => /waits for that end|is left/.test(line))).toEqual([]);
  });

  test('may wait in what it has left behind', async () => {
    let ended = false;
    const ending = once((cluster) => {
      void new Promise<void>((resolve) => cluster.clock.after(2_000, resolve)).then(async () => {
        await cluster.member('A').bootstrap.shutdown();
        ended = true;
      });
      return Promise.resolve();
    });
    await using cluster = await TestCluster.start(['A'], { job: ONE_ITEM, work: ending.work });
    ending.for(cluster);

    await cluster.fire();
    await cluster.advance('3s');

    expect([ended, cluster.view.instances.size]).toEqual([true, 0]);
    expect(lines(cluster, 'ends its own job')).toEqual([]);
  });
});

test('a listener that ends its own job goes on at once, and the job ends after its firing', async () => {
  const seen: string[] = [];
  const ending = once((cluster) => cluster.member('A').bootstrap.shutdown());
  const listener: ElasticJobListener = {
    type: 'ENDING',
    beforeJobExecuted: async () => {
      await ending.work('A', undefined as never);
      seen.push('before');
    },
    afterJobExecuted: () => void seen.push('after'),
  };
  await using cluster = await TestCluster.start(['A'], {
    job: { ...ONE_ITEM, jobListenerTypes: ['ENDING'] },
    host: { listeners: [listener] },
  });
  ending.for(cluster);

  await cluster.fire();

  expect(seen).toEqual(['before', 'after']);
  expect([cluster.runs.length, cluster.view.instances.size]).toEqual([1, 0]);
});

test('a listener that is called once in the cluster and ends its own job goes on at once', async () => {
  const ending = once((cluster) => cluster.member('A').bootstrap.shutdown());
  class Ending extends AbstractDistributeOnceElasticJobListener {
    override readonly type = 'ENDING';
    doBeforeJobExecutedAtLastStarted(): void {}
    async doAfterJobExecutedAtLastCompleted(): Promise<void> {
      await ending.work('A', undefined as never);
    }
  }
  await using cluster = await TestCluster.start(['A'], {
    job: { ...ONE_ITEM, jobListenerTypes: ['ENDING'] },
    host: { listeners: [new Ending(0, 0)] },
  });
  ending.for(cluster);
  const { host } = cluster.member('A');

  await cluster.fire();

  expect(host.jobs.size).toBe(0);
});

test('a listener that ends the process is waited for a second', async () => {
  const ending = once((cluster) => cluster.member('A').leave());
  const listener: ElasticJobListener = {
    type: 'ENDING',
    beforeJobExecuted: () => ending.work('A', undefined as never),
    afterJobExecuted: () => undefined,
  };
  await using cluster = await TestCluster.start(['A'], {
    job: { ...ONE_ITEM, jobListenerTypes: ['ENDING'] },
    host: { listeners: [listener] },
  });
  ending.for(cluster);
  const { host } = cluster.member('A');

  await cluster.fire();
  await cluster.advance('2s');

  expect(host.jobs.get('job')?.phase).toBe('stopped');
  expect(lines(cluster, 'the listener ENDING.beforeJobExecuted waits for that end')).toHaveLength(1);
});

test('an item may wait until another instance has ended the job', async () => {
  const steps: string[] = [];
  let release = (): void => undefined;
  const ending = once(async (cluster) => {
    await new Promise<void>((resolve) => cluster.clock.after(1_000, resolve));
    await cluster.member('B').bootstrap.shutdown();
    steps.push('B has ended');
  });
  const work: Work = async (name, context) => {
    if (name === 'A') await ending.work(name, context);
    else await new Promise<void>((resolve) => (release = resolve));
  };
  await using cluster = await TestCluster.start(['A', 'B'], { work });
  ending.for(cluster);

  await cluster.fire();
  await cluster.advance('2s');
  expect(steps).toEqual([]);
  release();
  await cluster.settle();

  expect(steps).toEqual(['B has ended']);
});

test('an error handler that ends the process is waited for a second', async () => {
  const ending = once((cluster) => cluster.member('A').leave());
  const handler: JobErrorHandler = { type: 'ENDING', handleException: () => ending.work('A', undefined as never) };
  await using cluster = await TestCluster.start(['A'], {
    job: { ...ONE_ITEM, jobErrorHandlerType: 'ENDING' },
    work: () => {
      throw new Error('boom');
    },
    host: { errorHandlers: [handler] },
  });
  ending.for(cluster);
  const { host } = cluster.member('A');

  await cluster.fire();
  expect(host.jobs.get('job')?.phase).toBe('stopping');
  await cluster.advance('1s');

  expect(host.jobs.get('job')?.phase).toBe('stopped');
});

describe('an item that triggers its own job', () => {
  test('and waits for its own next run is refused at once', async () => {
    const refusals: unknown[] = [];
    const waiting = once(async (cluster) => {
      const triggered = await new JobOperateAPI(cluster.operator, { clock: cluster.clock }).trigger('job');
      await triggered.ended({ timeoutMs: 60_000 }).catch((error: unknown) => refusals.push(String(error)));
    });
    await using cluster = await TestCluster.start(['A'], { job: ONE_ITEM, work: waiting.work });
    waiting.for(cluster);

    await cluster.fire();

    expect(refusals).toEqual([
      "JobStateError: The end of job 'job' cannot be waited for in item 0 of the same job: its items 0 were triggered, and run after " +
        'item 0. Return without waiting, or wait elsewhere.',
    ]);
  });

  test('and waits for another item is refused if the job has listeners, as its firings follow one another then', async () => {
    const refusals: unknown[] = [];
    const waiting = once(async (cluster) => {
      const operate = new JobOperateAPI(cluster.operator, { clock: cluster.clock });
      const triggered = await operate.trigger('job', { items: [1] });
      await triggered.ended({ timeoutMs: 60_000 }).catch((error: unknown) => refusals.push(String(error)));
    });
    const work: Work = async (name, context) => {
      if (context.shardingItem === 0) await waiting.work(name, context);
    };
    await using cluster = await TestCluster.start(['A'], {
      work,
      job: { jobListenerTypes: ['QUIET'] },
      host: { listeners: [QUIET] },
    });
    waiting.for(cluster);

    await cluster.fire();
    await cluster.advance('6s');

    expect(refusals).toEqual([expect.stringContaining('its items 1 were triggered, and run after item 0')]);
  });

  test('may wait for another item', async () => {
    const steps: string[] = [];
    const waiting = once(async (cluster) => {
      const operate = new JobOperateAPI(cluster.operator, { clock: cluster.clock });
      const triggered = await operate.trigger('job', { items: [1] });
      await triggered.ended({ timeoutMs: 60_000 });
      steps.push('ended');
    });
    const work: Work = async (name, context) => {
      if (context.shardingItem === 0) await waiting.work(name, context);
    };
    await using cluster = await TestCluster.start(['A'], { work });
    waiting.for(cluster);

    await cluster.fire();

    await cluster.advance('4s');
    expect([steps, cluster.ran]).toEqual([['ended'], { A: [0, 1, 1] }]);
  });
});

test('an error handler may trigger its job again, and wait for that run', async () => {
  const steps: string[] = [];
  const waiting = once(async (cluster) => {
    const triggered = await new JobOperateAPI(cluster.operator, { clock: cluster.clock }).trigger('job');
    await triggered.ended({ timeoutMs: 60_000 });
    steps.push('ended');
  });
  const handler: JobErrorHandler = { type: 'AGAIN', handleException: () => waiting.work('A', undefined as never) };
  await using cluster = await TestCluster.start(['A'], {
    job: { ...ONE_ITEM, jobErrorHandlerType: 'AGAIN', jobListenerTypes: ['QUIET'] },
    work: () => {
      throw new Error('boom');
    },
    host: { errorHandlers: [handler], listeners: [QUIET] },
  });
  waiting.for(cluster);

  await cluster.fire();
  await cluster.advance('2s');

  expect(steps).toEqual(['ended']);
});

test('an item that removes its own job from the registry centre does not wait for itself', async () => {
  const removed: unknown[] = [];
  const removing = once(async (cluster) => {
    const api = new JobConfigurationAPI(cluster.operator, { clock: cluster.clock });
    removed.push(await api.removeJobConfiguration('job', { living: true, timeoutMs: 60_000 }));
  });
  await using cluster = await TestCluster.start(['A'], { job: ONE_ITEM, work: removing.work });
  removing.for(cluster);

  await cluster.fire();
  await cluster.advance('5s');

  expect(removed).toEqual([{ instances: [cluster.idOf('A')], stillRunning: [cluster.idOf('A')] }]);
  expect(cluster.view.instances.size).toBe(0);
});
