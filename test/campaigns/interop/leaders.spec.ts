import { describe, expect, test } from '@jest/globals';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { MixedCluster } from './support/mixed-cluster.js';

const zooKeeper = sharedZooKeeper();
const open = (): Promise<MixedCluster> =>
  MixedCluster.open(zooKeeper.servers, zooKeeper.namespace(), { sessionMs: 2_000 });

describe('While the job fires', () => {
  test.each([
    ['J1', 'N1'],
    ['N1', 'J1'],
  ])(
    '%s leads, leaves in good order and comes back: %s leads, and no firing misses or repeats an item',
    async (first, second) => {
      await using cluster = await open();
      await cluster.start(first);
      await cluster.start(second);
      await cluster.untilSharedBy(first, second);
      expect(await cluster.leader()).toBe(first);
      const { from } = await cluster.firings(1);

      // Between firings, as it cannot be proved that a Java instance has not run a firing during which it leaves.
      await cluster.betweenFirings();
      await cluster.peer(first).stop();
      await cluster.untilSharedBy(second);
      expect(await cluster.leader()).toBe(second);
      await cluster.betweenFirings();
      await cluster.peer(first).begin(cluster.job);
      await cluster.untilSharedBy('J1', 'N1');
      expect(await cluster.leader()).toBe(second);
      await cluster.betweenFirings();
      await cluster.peer(second).stop();
      await cluster.untilSharedBy(first);
      const { to } = await cluster.firings(1);

      expect(cluster.misdeeds({ from, to })).toEqual([]);
      expect(await cluster.leftOver()).toEqual([]);
    },
  );

  test.each([
    ['J1', 'N1'],
    ['N1', 'J1'],
  ])('%s leads and is killed: %s leads, and firings are complete again', async (first, second) => {
    await using cluster = await open();
    await cluster.start(first);
    await cluster.start(second);
    await cluster.untilSharedBy(first, second);

    await cluster.peer(first).kill();
    await cluster.untilSharedBy(second);

    expect(await cluster.leader()).toBe(second);
    expect(cluster.misdeeds(await cluster.firings(2))).toEqual([]);
    expect(await cluster.leftOver()).toEqual([]);
  });
});
