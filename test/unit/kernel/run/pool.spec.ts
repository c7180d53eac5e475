import { expect, test } from '@jest/globals';
import { sleep } from '../../../../lib/async/wait.js';
import { TestCluster, type Run } from '../../../../lib/testing/index.js';

/** The greatest number of runs that overlap in time. */
function mostAtOnce(runs: readonly Run[]): number {
  const isOpenAt = (ms: number) => (run: Run) => run.startedMs <= ms && (run.endedMs ?? Infinity) > ms;
  return Math.max(...runs.map(({ startedMs }) => runs.filter(isOpenAt(startedMs)).length));
}

test('SINGLE_THREAD runs one item at a time, also if the items belong to different firings', async () => {
  await using cluster = await TestCluster.start(['A'], {
    job: { shardingTotalCount: 3, jobExecutorThreadPoolSizeProviderType: 'SINGLE_THREAD' },
    work: (_, { shardingItem }) => sleep(cluster.clock, shardingItem === 2 ? 12_000 : 100),
  });

  await cluster.advance('1m');

  expect(new Set(cluster.runs.map(({ at }) => at)).size).toBeGreaterThan(4);
  expect(mostAtOnce(cluster.runs)).toBe(1);
});

test('a pool whose provider returns a greater size lets waiting items of earlier firings start at the next firing', async () => {
  let size = 1;
  await using cluster = await TestCluster.start(['A'], {
    job: { shardingTotalCount: 3, jobExecutorThreadPoolSizeProviderType: 'VARIABLE' },
    host: { threadPoolSizeProviders: [{ type: 'VARIABLE', getSize: () => size }] },
    work: () => sleep(cluster.clock, 60_000),
  });
  await cluster.fire();
  expect(cluster.ran).toEqual({ A: [0] });

  size = 2;
  await cluster.fire();

  expect(cluster.runs.map(({ item, at }) => `${item} ${at}`)).toEqual(['0 00:00:05', '1 00:00:05']);
});

test('a pool whose provider returns a smaller size starts no item until fewer run than that', async () => {
  let size = 2;
  const ends = new Map<number, () => void>();
  await using cluster = await TestCluster.start(['A'], {
    job: { shardingTotalCount: 4, jobExecutorThreadPoolSizeProviderType: 'VARIABLE' },
    host: { threadPoolSizeProviders: [{ type: 'VARIABLE', getSize: () => size }] },
    work: (_, { shardingItem }) => new Promise((resolve) => ends.set(shardingItem, resolve)),
  });
  await cluster.fire();
  size = 1;
  await cluster.fire();
  expect(cluster.ran).toEqual({ A: [0, 1] });

  ends.get(0)?.();
  await cluster.settle();
  expect(cluster.ran).toEqual({ A: [0, 1] });

  ends.get(1)?.();
  await cluster.settle();
  expect(cluster.ran).toEqual({ A: [0, 1, 2] });
});
