/** Firings that are lost while items change their owner, and are made up for. */
import { describe, expect, test } from '@jest/globals';
import { Deferred } from '../../../../lib/async/deferred.js';
import { type Deliver, deliverSoon } from '../../../../lib/registry/embedded/delivery.js';
import { type ManualClock, TestCluster } from '../../../../lib/testing/index.js';

/** The description of each commit that begins items: its first operation checks the assignment. */
const BEGIN = 'commit changes of /job/sharding';
const begun = ({ runs }: TestCluster): string[] => runs.map(({ item, at }) => `${item} ${at}`);

/** Every message takes ten milliseconds. */
const slowly =
  (clock: ManualClock): Deliver =>
  ({ arrive }) =>
    void clock.after(10, arrive);

describe('an item that is taken away just before it is begun, and comes back,', () => {
  test.each<[what: string, ...refused: number[]]>([
    ['its firing', 1],
    ['what makes up for its firing', 1, 3],
    ['what makes up for its firing, twice', 1, 3, 4],
  ])('runs for that firing once (before %s)', async (_, ...refused) => {
    let begins = -Infinity;
    await using cluster: TestCluster = await TestCluster.start(['B', 'A'], {
      job: { shardingTotalCount: 4 },
      deliver:
        (clock) =>
        ({ channel, what, arrive }) => {
          // B, the leader, is slow; A begins its items through the third centre.
          if (begins >= 0 && channel === 'centre 2 → server') return void clock.after(200, arrive);
          const isBegin = channel === 'centre 3 → server' && what === BEGIN;
          deliverSoon({
            channel,
            what,
            arrive: () => {
              if (isBegin && refused.includes(++begins)) takeItemAway();
              arrive();
            },
          });
        },
    });
    const tree = cluster.server.namespace('elasticjob');
    const vanished = '10.0.0.9@-@1-Z';
    /** As an assignment to an instance that has vanished since; the leader then assigns the item again. */
    const takeItemAway = (): void => {
      tree.put('operator', cluster.paths.sharding, '');
      tree.put('operator', cluster.paths.beginRecord(vanished), '');
      tree.put('operator', cluster.paths.item(2, 'instance'), vanished);
    };
    await cluster.fire();
    cluster.forget();
    begins = 0;

    await cluster.fire();
    await cluster.advance('4s');

    expect(begun(cluster).sort()).toEqual([0, 1, 2, 3].map((item) => `${item} 00:00:10`));
    expect(begins).toBe(refused.length + 2);
  });

  test.each([true, false])(
    'is run, though its server was disabled for a moment around the instant (misfire=%s)',
    async (misfire) => {
      for (let gapMs = 0; gapMs <= 60; gapMs += 5) {
        await using cluster = await TestCluster.start(['A', 'B'], { job: { misfire }, deliver: slowly });
        await cluster.advance(9_970);
        cluster.forget();

        await cluster.advance(gapMs);
        await cluster.disable('A');
        await cluster.advance(20);
        await cluster.enable('A');
        await cluster.advance('4s');

        expect({ gapMs, begun: begun(cluster).sort() }).toEqual({ gapMs, begun: ['0 00:00:10', '1 00:00:10'] });
      }
    },
  );
});

test('an item that moves while its instance notes the misfire of another one is run by its new owner', async () => {
  const gate = new Deferred();
  let moves = -Infinity;
  await using cluster: TestCluster = await TestCluster.start(['A', 'B'], {
    job: { shardingTotalCount: 4 },
    work: (_, { shardingItem }) => (shardingItem === 2 ? gate.promise : undefined),
    deliver: () => (delivery) => {
      if (delivery.what === 'create /job/sharding/2/misfire' && ++moves === 1) {
        const tree = cluster.server.namespace('elasticjob');
        tree.put('operator', cluster.paths.sharding, '');
        tree.put('operator', cluster.paths.item(3, 'instance'), cluster.idOf('B'));
      }
      deliverSoon(delivery);
    },
  });
  expect(cluster.owners).toEqual({ A: [2, 3], B: [0, 1] });
  await cluster.fire();
  cluster.forget();
  moves = 0;

  await cluster.fire();
  await cluster.advance('1s');

  expect(moves).toBe(1);
  expect(cluster.ran).toEqual({ B: [0, 1, 3] });
  gate.resolve();
});
