import { describe, expect, test } from '@jest/globals';
import { TestCluster } from '../../../../lib/testing/test-cluster.js';
import { idOf, ipOf } from '../../../support/views.js';

describe('items', () => {
  test('are spread over the instances and each runs once in a firing', async () => {
    await using cluster = await TestCluster.start(['A', 'B', 'C'], { job: { shardingTotalCount: 7 } });

    await cluster.fire();

    expect(cluster.ran).toEqual({ A: [4, 5], B: [2, 3], C: [0, 1, 6] });
    expect(cluster.runs.map(({ at }) => at)).toEqual(Array(7).fill('00:00:05'));
  });

  test('move to an instance that joins, before the next firing', async () => {
    await using cluster = await TestCluster.start(['A', 'B'], { job: { shardingTotalCount: 6 } });

    await cluster.join('C');

    expect(cluster.owners).toEqual({ A: [4, 5], B: [2, 3], C: [0, 1] });
  });

  test('move away at once from an instance that leaves', async () => {
    await using cluster = await TestCluster.start(['A', 'B', 'C'], { job: { shardingTotalCount: 6 } });

    await cluster.leave('A');

    expect(cluster.owners).toEqual({ B: [3, 4, 5], C: [0, 1, 2] });
    expect(cluster.view.leader).not.toBe(idOf('A'));
  });

  test('move away from a crashed instance when its session has ended', async () => {
    await using cluster = await TestCluster.start(['A', 'B'], { job: { shardingTotalCount: 4 } });

    cluster.kill('A');
    await cluster.advance(12_000);

    expect(cluster.owners).toEqual({ B: [0, 1, 2, 3] });
    expect(cluster.view.leader).toBe(idOf('B'));
  });

  test('of more than there are instances leave nobody idle, of fewer leave some idle', async () => {
    await using cluster = await TestCluster.start(['A', 'B', 'C'], { job: { shardingTotalCount: 2 } });
    expect(cluster.owners).toEqual({ C: [0], B: [1] });
  });

  test('follow a custom strategy', async () => {
    const last = {
      type: 'LAST',
      sharding: (all: readonly { jobInstanceId: string }[], _: string, total: number) =>
        new Map([[all.at(-1)!.jobInstanceId, Array.from({ length: total }, (_, i) => i)]]),
    };
    await using cluster = await TestCluster.start(['A', 'B'], {
      job: { jobShardingStrategyType: 'last', shardingTotalCount: 3 },
      host: { strategies: [last] },
    });
    expect(cluster.owners).toEqual({ A: [0, 1, 2] });
  });

  test('stay as they are while a custom strategy forgets one, and the log says which strategy and what it returned', async () => {
    const forgetful = {
      type: 'FORGETFUL',
      sharding: (all: readonly { jobInstanceId: string }[]) => new Map([[all[0]!.jobInstanceId, [0]]]),
    };
    await using cluster = await TestCluster.start(['A'], {
      job: { jobShardingStrategyType: 'FORGETFUL' },
      host: { strategies: [forgetful] },
    });
    expect(cluster.owners).toEqual({});
    expect(cluster.member('A').log.join('\n')).toContain(
      'FORGETFUL must return a Map that gives each of the items 0 to 1',
    );
  });

  test('of a thousand are assigned and run', async () => {
    await using cluster = await TestCluster.start(['A', 'B', 'C'], { job: { shardingTotalCount: 1_000 } });
    await cluster.fire();
    expect(Object.values(cluster.ran).map((items) => items.length)).toEqual([333, 333, 334]);
    expect(new Set(cluster.runs.map(({ item }) => item)).size).toBe(1_000);
  });

  test('with static sharding stay with their instances when others join', async () => {
    await using cluster = await TestCluster.start(['A'], { job: { staticSharding: true } });
    await cluster.join('B');
    expect(cluster.owners).toEqual({ A: [0, 1] });
  });
});

describe('a leader', () => {
  test('that leads for the second time does not take the work of its successors for its own', async () => {
    await using cluster = await TestCluster.start(['A', 'B'], { job: { shardingTotalCount: 1 } });
    await cluster.operator.put(cluster.paths.server(ipOf('A')), 'DISABLED');
    await cluster.join('C');
    await cluster.operator.put(cluster.paths.server(ipOf('B')), 'DISABLED');
    await cluster.settle();
    expect(cluster.owners).toEqual({ C: [0] });

    await cluster.operator.put(cluster.paths.server(ipOf('A')), 'ENABLED');
    await cluster.operator.put(cluster.paths.server(ipOf('B')), 'ENABLED');
    await cluster.leave('C');
    expect(cluster.owners).toEqual({ B: [0] });
  });
});
