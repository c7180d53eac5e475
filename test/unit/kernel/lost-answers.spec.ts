import { expect, test } from '@jest/globals';
import { sleep } from '../../../lib/async/wait.js';
import { type Delivery } from '../../../lib/registry/embedded/delivery.js';
import { type ManualClock, TestCluster } from '../../../lib/testing/index.js';

test('the mark of a new run is not taken for one that an earlier run has left, whenever the answer was lost', async () => {
  for (let moment = 0; moment < 120; moment += 3) {
    const slowly = (clock: ManualClock) => (delivery: Delivery) => void clock.after(10, delivery.arrive);
    await using cluster = await TestCluster.start(['A'], {
      job: { shardingTotalCount: 3 },
      deliver: slowly,
      // In the first firing item 0 ends shortly before the second one, and item 1 after it; later, all go on for a second.
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
