import { describe, expect, test } from '@jest/globals';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { MixedCluster } from './support/mixed-cluster.js';

const zooKeeper = sharedZooKeeper();

describe('Instances of both kinds come and go between firings, each of which runs every item exactly once', () => {
  test.each([
    ['J1', 'J2', 'N1', 'N2'],
    ['N1', 'N2', 'J1', 'J2'],
  ])('under the leader %s', async (leader, ...others) => {
    await using cluster = await MixedCluster.open(zooKeeper.servers, zooKeeper.namespace());
    await Promise.all([cluster.start(leader), ...others.map((name) => cluster.start(name, { job: false }))]);
    await cluster.untilSharedBy(leader);
    const { from } = await cluster.firings(1);

    const present = new Set([leader]);
    const [same, one, another] = others;
    for (const changes of [[one], [same, another], [one, same], [another, one]]) {
      await cluster.betweenFirings();
      for (const name of changes) {
        if (present.delete(name)) await cluster.peer(name).stop();
        else await cluster.peer(present.add(name) && name).begin(cluster.job);
      }
      await cluster.untilSharedBy(...present);
    }
    const { to } = await cluster.firings(1);

    expect(cluster.misdeeds({ from, to })).toEqual([]);
    expect(await cluster.leftOver()).toEqual([]);
    expect(await cluster.leader()).toBe(leader);
  });
});
