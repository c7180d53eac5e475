import { getMaxListeners } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { JobHost } from '../../../../lib/kernel/job-host.js';
import { EmbeddedRegistryCenter } from '../../../../lib/registry/embedded/embedded-registry-center.js';
import { type Deliver, deliverSoon } from '../../../../lib/registry/embedded/delivery.js';
import { type ManualClock, TestCluster } from '../../../../lib/testing/index.js';
import { aConfiguration, idOf } from '../../../support/views.js';

/** The registry's answer to a question for the time takes three seconds on its way, everything else no time. */
const slowClock =
  (clock: ManualClock): Deliver =>
  (delivery) => {
    if (/^answer to .*systemTime/.test(delivery.what)) clock.after(3_000, delivery.arrive);
    else deliverSoon(delivery);
  };

describe('a run', () => {
  test('gives a signal to which all items may listen as often as they like, without a warning of Node', async () => {
    await using cluster = await TestCluster.start(['A']);
    await cluster.fire();
    expect(cluster.runs.map(({ context }) => getMaxListeners(context.signal))).toEqual([Infinity, Infinity]);
  });

  test('gives the job what Java gives it, and the scheduled instant, a signal and a fencing token', async () => {
    await using cluster = await TestCluster.start(['A'], {
      job: { shardingItemParameters: '0=Beijing,1=上海', jobParameter: 'fast' },
    });

    await cluster.fire();

    const [first, second] = cluster.runs.map(({ context }) => context);
    expect(first).toMatchObject({
      jobName: 'job',
      taskId: `job@-@0,1@-@READY@-@${idOf('A')}`,
      shardingTotalCount: 2,
      jobParameter: 'fast',
      shardingItem: 0,
      shardingParameter: 'Beijing',
      scheduledAt: new Date('2030-01-01T00:00:05Z'),
    });
    expect(second).toMatchObject({ shardingItem: 1, shardingParameter: '上海' });
    expect(first!.signal.aborted).toBe(false);
    expect(first!.fencingToken).toBeGreaterThan(0);
  });

  test('leaves no mark behind, whether its items succeed or fail', async () => {
    await using cluster = await TestCluster.start(['A'], {
      work: (_, { shardingItem }) => {
        if (shardingItem === 0) throw new Error('no stock');
      },
    });

    await cluster.fire();

    expect(cluster.ran).toEqual({ A: [0, 1] });
    expect([...cluster.tree.keys()].filter((path) => path.endsWith('/running'))).toEqual([]);
    expect(cluster.member('A').log.join('\n')).toContain(
      "Job 'job': item 0 (firing of 2030-01-01T00:00:05.000Z) failed: Error: no stock",
    );
  });

  test.each([
    ['a rejected promise', () => Promise.reject(new Error('later'))],
    ['something that is no error', () => Promise.reject(undefined as unknown as Error)],
    ['garbage as a result', () => Promise.resolve('garbage') as unknown as Promise<void>],
  ])('goes on with the next firing after %s', async (_, work) => {
    await using cluster = await TestCluster.start(['A'], { work });
    await cluster.fire();
    await cluster.fire();
    expect(cluster.ran).toEqual({ A: [0, 0, 1, 1] });
  });

  test('tells the configured error handler of each failed item', async () => {
    const told: unknown[] = [];
    await using cluster = await TestCluster.start(['A'], {
      job: { jobErrorHandlerType: 'collect' },
      host: {
        errorHandlers: [
          {
            type: 'COLLECT',
            handleException: ({ configuration, cause }) => void told.push([configuration.jobName, cause]),
          },
        ],
      },
      work: (_, { shardingItem }) => Promise.reject(new Error(`item ${shardingItem}`)),
    });
    await cluster.fire();
    expect(told).toEqual([
      ['job', new Error('item 0')],
      ['job', new Error('item 1')],
    ]);
  });

  test('runs at most as many items at once as the thread pool size says', async () => {
    let running = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
    };
    const pool = { type: 'THREE', getSize: () => 3 };
    await using cluster = await TestCluster.start(['A'], {
      job: { shardingTotalCount: 10, jobExecutorThreadPoolSizeProviderType: 'THREE' },
      host: { threadPoolSizeProviders: [pool] },
      work,
    });
    await cluster.fire();
    expect([most, cluster.runs.length]).toEqual([3, 10]);
  });

  test('does not happen on an instance whose clock differs too much from the registry', async () => {
    await using cluster = await TestCluster.start(['A'], { job: { maxTimeDiffSeconds: 1 } });
    const { registry, log } = cluster.member('A');
    const time = registry.time.bind(registry);
    registry.time = async (path) => (await time(path)) + 3_000;
    await cluster.fire();
    expect(cluster.runs).toEqual([]);
    expect(log.join('\n')).toContain("exceed '3' seconds, max time different is '1' seconds");
  });

  test('does not happen if the settings come to ask for a clock that the registry does not have', async () => {
    await using cluster = await TestCluster.start(['A']);
    const { registry, log } = cluster.member('A');
    Object.defineProperty(registry, 'time', { value: undefined });
    await cluster.reconfigure({ maxTimeDiffSeconds: 1 });

    await cluster.fire();

    expect(cluster.runs).toEqual([]);
    expect(log.join('\n')).toContain('maxTimeDiffSeconds is 1, but there is no clock to compare with at the');
  });

  test('is refused at the start if the registry has no clock that its settings ask for', async () => {
    const registryCenter = new EmbeddedRegistryCenter({ namespace: 'without-a-clock' });
    Object.defineProperty(registryCenter, 'time', { value: undefined });
    const silent = { debug: () => undefined, log: () => undefined, warn: () => undefined, error: () => undefined };
    const host = new JobHost({ registryCenter, logger: silent });
    const add = (maxTimeDiffSeconds: number): unknown =>
      host.add({
        configuration: aConfiguration({ jobName: 'bill', maxTimeDiffSeconds }),
        job: { execute: () => undefined },
        owner: 'a test',
      });

    expect(() => add(3)).toThrow(
      /^elasticjob\.jobs\.bill\.maxTimeDiffSeconds: must be -1, since there is no clock to compare with at the embedded registry.*; got 3$/,
    );
    expect(() => add(-1)).not.toThrow();
    await host.stop();
    await registryCenter.close();
  });

  test('happens although the registry takes longer to answer than clocks may differ, if they agree', async () => {
    await using cluster: TestCluster = await TestCluster.start(['A'], {
      job: { maxTimeDiffSeconds: 1, cron: '0 0 * * * ?' },
      deliver: slowClock,
    });

    await cluster.fire();
    await cluster.advance('6s');

    expect(cluster.runs.map(({ item, at }) => `${item} ${at}`)).toEqual(['0 01:00:00', '1 01:00:00']);
  });

  test('whose clock differs too much tells the error handler of each firing once, and does not try again', async () => {
    await using cluster = await TestCluster.start(['A'], { job: { maxTimeDiffSeconds: 1 } });
    await cluster.fire();
    cluster.forget();
    cluster.skew('A', '3s');
    await cluster.advance('15s');
    expect(cluster.runs).toEqual([]);
    const told = cluster.member('A').log.filter((line) => line.includes("exceed '3' seconds"));
    expect(told).toHaveLength(3);
  });
});

describe('a run that takes long', () => {
  /** A job whose items wait until they are released, by item. */
  const gates = () => {
    const waiting = new Map<number, () => void>();
    const work = (_: string, { shardingItem }: { shardingItem: number }): Promise<void> =>
      new Promise((resolve) => waiting.set(shardingItem, resolve));
    const release = (item: number): void => waiting.get(item)?.();
    return { work, release };
  };

  test('is followed by one more run for all the firings it covered', async () => {
    const { work, release } = gates();
    await using cluster = await TestCluster.start(['A'], { job: { shardingTotalCount: 1 }, work });
    await cluster.fire();
    await cluster.fire();
    await cluster.fire();
    expect(cluster.runs.map(({ at }) => at)).toEqual(['00:00:05']);

    release(0);
    await cluster.settle();
    expect(cluster.runs.map(({ at }) => at)).toEqual(['00:00:05', '00:00:15']);
    release(0);
  });

  test('is not followed by another one with misfire=false', async () => {
    const { work, release } = gates();
    await using cluster = await TestCluster.start(['A'], { job: { shardingTotalCount: 1, misfire: false }, work });
    await cluster.fire();
    await cluster.fire();
    release(0);
    await cluster.settle();
    expect(cluster.runs.map(({ at }) => at)).toEqual(['00:00:05']);
  });

  test('keeps the items from moving for a second; then those that do not run move, and the others when they have ended', async () => {
    const { work, release } = gates();
    const ofA = (name: string, context: { shardingItem: number }): void | Promise<void> =>
      name === 'A' ? work(name, context) : undefined;
    await using cluster = await TestCluster.start(['A', 'B'], {
      job: { shardingTotalCount: 4, misfire: false },
      work: ofA,
    });
    await cluster.fire();
    await cluster.join('C');
    await cluster.advance(999);
    expect(cluster.owners).toEqual({ A: [2, 3], B: [0, 1] });

    await cluster.advance(1);
    expect(cluster.owners).toEqual({ A: [2, 3], B: [1], C: [0] });
    expect(cluster.member('A').log.join('\n')).toContain(`still running after 1000 ms: 3 on ${idOf('A')}. They`);

    for (const item of [2, 3]) release(item);
    await cluster.settle();
    expect(cluster.owners).toEqual({ A: [2], B: [1], C: [0, 3] });
    for (const item of [2, 3]) release(item);
  });

  test.each([
    ['that is set', 3_000, { shutdownGracePeriodMilliseconds: 3_000 }],
    ['by default', 20_000, {}],
  ])('is told to end when the grace period %s of %d ms is over, and its instance leaves', async (_, periodMs, host) => {
    const reasons: unknown[] = [];
    const work = (_name: string, { signal }: { signal: AbortSignal }): Promise<void> =>
      new Promise((resolve) =>
        signal.addEventListener('abort', () => {
          reasons.push(signal.reason);
          resolve();
        }),
      );
    await using cluster = await TestCluster.start(['A'], {
      job: { shardingTotalCount: 1 },
      work,
      host,
    });
    await cluster.fire();
    const left = cluster.leave('A');
    await cluster.advance(periodMs - 1);
    expect(reasons).toEqual([]);
    await cluster.advance(1);
    expect(reasons).toEqual([expect.objectContaining({ code: 'JOB_STOPPED' })]);
    await left;
    expect(cluster.view.instances.size).toBe(0);
  });
});
