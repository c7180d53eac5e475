/**
 * A job that is removed node by node, as Java's `removeJobConfiguration` and `deleteall` of ZooKeeper's shell do it:
 * the children first, and again if there are children when the node itself is to go.
 */
import { expect, test } from '@jest/globals';
import { TestCluster } from '../../../../lib/testing/index.js';

/** Requests that removing the job of this cluster may take, when it is not hindered: 50 nodes, two requests each. */
const MOST_REQUESTS = 400;

/**
 * Removes what is under a path, and then the path; whatever instances do about a removal, they do before the next one.
 */
async function removeNodeByNode(cluster: TestCluster, paths: readonly string[]): Promise<void> {
  let requests = 0;
  const count = async (): Promise<void> => {
    await cluster.settle();
    if (++requests > MOST_REQUESTS) throw new Error(`Not removed after ${MOST_REQUESTS} requests.`);
  };
  const remove = async (path: string): Promise<void> => {
    await count();
    const children = await cluster.operator.children(path);
    for (const child of children) await remove(`${path}/${child}`);
    await count();
    if ((await cluster.operator.children(path)).length > 0) return remove(path);
    await cluster.operator.remove(path);
  };
  for (const path of paths) await remove(path);
}

test.each(['config', 'instances', 'leader', 'servers', 'sharding', 'x-node'])(
  'a removal that begins with %s comes to its end, and nothing of the job comes back',
  async (first) => {
    await using cluster = await TestCluster.start(['A', 'B'], { job: { shardingTotalCount: 4, failover: true } });
    await cluster.fire();
    const { root } = cluster.paths;

    await removeNodeByNode(cluster, [`${root}/${first}`, root]);
    await cluster.advance('1m');

    expect(await cluster.operator.children('/')).toEqual([]);
  },
);

test.each<[what: string, path: (cluster: TestCluster) => string]>([
  ['sign of life', (cluster) => cluster.paths.live(cluster.idOf('A'))],
  ['record', (cluster) => cluster.paths.beginRecord(cluster.idOf('A'))],
  ['server', (cluster) => cluster.paths.server(cluster.ipOf('A'))],
])('an instance whose %s alone is removed makes it again after a second, each time', async (_, pathOf) => {
  await using cluster = await TestCluster.start(['A', 'B']);
  const path = pathOf(cluster);

  for (let round = 1; round <= 2; round++) {
    await cluster.operator.remove(path);
    await cluster.advance('900ms');
    expect(cluster.tree.has(path)).toBe(false);
    await cluster.advance('200ms');
    expect(cluster.tree.has(path)).toBe(true);
  }
  expect(Object.keys(cluster.owners).sort()).toEqual(['A', 'B']);
});
