import { describe, expect, test } from '@jest/globals';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { MixedCluster } from './support/mixed-cluster.js';

const zooKeeper = sharedZooKeeper();

describe('Java and Node instances of one job', () => {
  test('share its items, and each firing runs every item exactly once', async () => {
    await using cluster = await MixedCluster.open(zooKeeper.servers, zooKeeper.namespace());
    await cluster.start('J1');
    await cluster.start('N1');
    await cluster.untilSharedBy('J1', 'N1');

    expect(cluster.misdeeds(await cluster.firings(3))).toEqual([]);
    expect(await cluster.leftOver()).toEqual([]);
  });
});
