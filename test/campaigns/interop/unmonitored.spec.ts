import { expect, test } from '@jest/globals';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { MixedCluster } from './support/mixed-cluster.js';

const zooKeeper = sharedZooKeeper();

test.each([
  ['J1', 'N1', 'J2'],
  ['N1', 'J1', 'N2'],
])(
  'Without monitorExecution, %s leads and is killed, %s leads, %s joins: firings are complete, and nothing is written for them',
  async (first, second, third) => {
    const job = { monitorExecution: false, failover: false };
    await using cluster = await MixedCluster.open(zooKeeper.servers, zooKeeper.namespace(), { job, sessionMs: 2_000 });
    await Promise.all([cluster.start(first), cluster.start(third, { job: false })]);
    await cluster.start(second);
    await cluster.untilSharedBy(first, second);
    const shared = cluster.misdeeds(await cluster.firings(2));

    await cluster.peer(first).kill();
    await cluster.untilSharedBy(second);
    const alone = cluster.misdeeds(await cluster.firings(1));
    await cluster.peer(third).begin(cluster.job);
    await cluster.untilSharedBy(second, third);

    expect([...shared, ...alone, ...cluster.misdeeds(await cluster.firings(2))]).toEqual([]);
    expect(await cluster.leftOver()).toEqual([]);
  },
);
