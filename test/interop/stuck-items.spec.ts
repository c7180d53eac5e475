import { describe, expect, test } from '@jest/globals';
import { sharedZooKeeper } from '../support/shared-zookeeper.js';
import { until } from '../support/until.js';
import { MixedCluster } from './support/mixed-cluster.js';
import { type PeerRun } from './support/run-log.js';

const zooKeeper = sharedZooKeeper();

/** An item of an instance does not end, and another instance joins. Returns the item. */
async function joinBesideStuckItem(
  cluster: MixedCluster,
  { leader, stuck, joining }: { readonly leader: string; readonly stuck: string; readonly joining: string },
): Promise<number> {
  await cluster.start(leader);
  await Promise.all([cluster.start(stuck), cluster.start(joining, { job: false })]);
  await cluster.untilSharedBy(leader, stuck);
  await cluster.betweenFirings();
  const item = (await cluster.owners())[stuck]![0]!;
  await cluster.peer(stuck).block(item);
  const begun = Date.now();
  await cluster.untilRan('the item to begin', (runs) => runs.some((run) => run.item === item), begun);
  await cluster.peer(joining).begin(cluster.job);
  return item;
}

const itemsOf = (runs: readonly PeerRun[]): readonly number[] => [...new Set(runs.map(({ item }) => item))].sort();

describe('An item does not end while items are to be assigned', () => {
  test.each([
    { stuck: 'J1', joining: 'N2' },
    { stuck: 'N2', joining: 'J1' },
  ])(
    'under a Node leader, all but those of a stuck Java instance go on: $stuck is stuck',
    async ({ stuck, joining }) => {
      await using cluster = await MixedCluster.open(zooKeeper.servers, zooKeeper.namespace());
      const item = await joinBesideStuckItem(cluster, { leader: 'N1', stuck, joining });

      await cluster.untilSharedBy('N1', stuck, joining);
      const { from } = await cluster.firings(1);
      const ran = itemsOf(cluster.runs(from));
      const blocked = (await cluster.owners())[stuck]!;
      await cluster.peer(stuck).release();
      await cluster.betweenFirings();

      const isFree = (other: number): boolean => (stuck === 'J1' ? !blocked.includes(other) : other !== item);
      expect(ran).toEqual([0, 1, 2, 3].filter(isFree));
      expect(cluster.misdeeds(await cluster.firings(2))).toEqual([]);
      expect(await cluster.leftOver()).toEqual([]);
    },
  );

  test('under a Java leader, which waits for ever, nobody begins anything until it ends; then all is well again', async () => {
    await using cluster = await MixedCluster.open(zooKeeper.servers, zooKeeper.namespace());
    await joinBesideStuckItem(cluster, { leader: 'J1', stuck: 'N1', joining: 'N2' });
    await until(async () => (await cluster.nodes(/^leader\/sharding\/necessary$/)).length > 0, 'Java to be asked');

    const { from, to } = await cluster.firings(2);
    const ran = cluster.runs(from);
    await cluster.peer('N1').release();
    await cluster.untilSharedBy('J1', 'N1', 'N2');
    await cluster.betweenFirings();

    expect(ran.filter(({ startedAt }) => startedAt < to)).toEqual([]);
    expect(cluster.misdeeds(await cluster.firings(2))).toEqual([]);
    expect(await cluster.leftOver()).toEqual([]);
  });
});
