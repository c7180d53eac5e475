import { expect, test } from '@jest/globals';
import { Deferred } from '../../../../lib/async/deferred.js';
import { sleep } from '../../../../lib/async/wait.js';
import { type Delivery } from '../../../../lib/registry/embedded/delivery.js';
import { type ManualClock, TestCluster } from '../../../../lib/testing/index.js';

test('the mark of a new run is not taken for one that an earlier run has left, whenever the answer was lost', async () => {
  for (let moment = 0; moment < 120; moment += 3) {
    const slowly = (clock: ManualClock) => (delivery: Delivery) => void clock.after(10, delivery.arrive);
    await using cluster = await TestCluster.start(['A'], {
      job: { shardingTotalCount: 3 },
      deliver: slowly,
      // In the first firing item 0 ends shortly before the second one, and item 1 after it; later, all go on for a
      // second.
      work: (_, { shardingItem, scheduledAt }) =>
        sleep(cluster.clock, scheduledAt?.getUTCSeconds() === 5 ? [4_860 + moment, 6_000, 10][shardingItem]! : 1_000),
    });
    await cluster.advance('1s');
    await cluster.advance(4_000 + 4_850 + moment);
    cluster.member('A').registry.faults.loseNextWrite('applied');

    await cluster.advance(150 - moment + 500);

    const running = cluster.runs.filter(({ outcome }) => outcome === 'running').map(({ item }) => item);
    const marked = [0, 1, 2].filter((item) => cluster.tree.has(cluster.paths.item(item, 'running')));
    expect({ moment, running: running.sort() }).toEqual({ moment, running: marked });
  }
});

test('a mark whose removal has lost its answer is not removed once more when another instance has begun the item', async () => {
  const gates = new Map<string, Deferred>();
  const work = (name: string): Promise<void> => {
    const gate = new Deferred();
    gates.set(name, gate);
    return gate.promise;
  };
  await using cluster = await TestCluster.start(['A', 'B'], {
    job: { shardingTotalCount: 4 },
    work: (instance, { shardingItem }) => (shardingItem < 2 ? work(`${instance} ${shardingItem}`) : undefined),
  });
  await cluster.fire();
  cluster.member('B').registry.faults.loseNextWrite('applied');
  gates.get('B 0')?.resolve();
  await cluster.advance('2s');
  const mark = cluster.paths.item(0, 'running');
  expect(cluster.tree.has(mark)).toBe(false);

  const leaving = cluster.leave('B');
  await cluster.fire();
  expect(cluster.tree.get(mark)).toBe(cluster.idOf('A'));
  gates.get('B 1')?.resolve();
  await cluster.advance('1s');
  await leaving;

  expect(cluster.tree.get(mark)).toBe(cluster.idOf('A'));
});
