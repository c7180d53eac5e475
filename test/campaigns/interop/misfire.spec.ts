import { describe, expect, test } from '@jest/globals';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { MixedCluster } from './support/mixed-cluster.js';
import { instantOf, PERIOD_MS } from './support/run-log.js';

const zooKeeper = sharedZooKeeper();

interface Story {
  /** How often items ran at each firing: the slow item and the other one of either instance. */
  readonly runs: readonly Readonly<Record<string, number>>[];
  /** Nodes that are left when all is over. */
  readonly left: readonly string[];
}

/** Either instance has an item that still runs at the next firing. It ends before the one after. */
async function slowItems(cluster: MixedCluster): Promise<Story> {
  await cluster.start('J1');
  await cluster.start('N1');
  await cluster.untilSharedBy('J1', 'N1');
  const owners = await cluster.owners();
  const [javaSlow, java] = owners['J1'] as [number, number];
  const [nodeSlow, node] = owners['N1'] as [number, number];
  await cluster.betweenFirings();
  await cluster.peer('J1').block(javaSlow);
  await cluster.peer('N1').block(nodeSlow);

  const first = Math.ceil(Date.now() / PERIOD_MS) * PERIOD_MS;
  await cluster.untilRan('the slow ones to begin', (runs) => runs.length === 4, first);
  await cluster.untilRan('the next firing', (runs) => runs.length > 0, first + PERIOD_MS);
  await cluster.peer('J1').release(javaSlow);
  await cluster.peer('N1').release(nodeSlow);
  await cluster.firings(3);

  const ran = (item: number, firing: number): number =>
    cluster.runs().filter((run) => run.item === item && instantOf(run) === first + firing * PERIOD_MS).length;
  const runs = [0, 1, 2, 3].map((firing) => ({
    javaSlow: ran(javaSlow, firing),
    java: ran(java, firing),
    nodeSlow: ran(nodeSlow, firing),
    node: ran(node, firing),
  }));
  return { runs, left: await cluster.leftOver() };
}

describe('An item still runs at the next firing', () => {
  test('with misfire, Node makes up for that item as soon as it has ended; Java for all of its items, after the firing that follows', async () => {
    await using cluster = await MixedCluster.open(zooKeeper.servers, zooKeeper.namespace());

    const { runs, left } = await slowItems(cluster);

    expect(runs).toEqual([
      { javaSlow: 1, java: 1, nodeSlow: 1, node: 1 },
      { javaSlow: 0, java: 0, nodeSlow: 1, node: 1 },
      { javaSlow: 2, java: 2, nodeSlow: 1, node: 1 },
      { javaSlow: 1, java: 1, nodeSlow: 1, node: 1 },
    ]);
    expect(left).toEqual([]);
  });

  test('without misfire, that firing is dropped: by Node for that item, by Java for all of its items, whose marks it leaves', async () => {
    await using cluster = await MixedCluster.open(zooKeeper.servers, zooKeeper.namespace(), {
      job: { misfire: false },
    });

    const { runs, left } = await slowItems(cluster);

    expect(runs).toEqual([
      { javaSlow: 1, java: 1, nodeSlow: 1, node: 1 },
      { javaSlow: 0, java: 0, nodeSlow: 0, node: 1 },
      { javaSlow: 1, java: 1, nodeSlow: 1, node: 1 },
      { javaSlow: 1, java: 1, nodeSlow: 1, node: 1 },
    ]);
    expect(left).toEqual(['sharding/2/misfire -', 'sharding/3/misfire -']);

    await cluster.peer('J1').stop();
    await cluster.untilSharedBy('N1');
    expect(await cluster.leftOver()).toEqual([]);
  });
});
