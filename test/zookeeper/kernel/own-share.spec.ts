/** Instances that have stopped listening to each other's items: the events of a firing, and the end of this state. */
import { describe, expect, test } from '@jest/globals';
import { type JobConfiguration } from '../../../lib/api/job/job-configuration.js';
import { JobPaths } from '../../../lib/layout/job-paths.js';
import { ShardingOperateAPI } from '../../../lib/operations/sharding-operate-api.js';
import { ALL, ItemCluster, ITEMS, type Member } from '../../registries/item-cluster.js';
import { itemStories } from '../../registries/item-stories.suite.js';
import { zookeeper } from '../../registries/zookeeper-kind.js';
import { until } from '../../support/until.js';

const server = zookeeper.shared();
const paths = new JobPaths('bill');

/** A cluster whose instances but the leader have stopped listening to everything. */
async function narrowed(changes: Partial<JobConfiguration> = {}): Promise<ItemCluster> {
  const cluster = await ItemCluster.start(server, changes);
  await cluster.calmDown();
  const isNarrowed = ({ proxied: { proxy } }: Member): boolean => proxy.count('removeWatches') > 0;
  await until(() => cluster.followers.every(isNarrowed), 'the followers have stopped listening to everything');
  await cluster.settle();
  return cluster;
}

test('a firing tells an instance that does not lead of its own items only, and the leader of all', async () => {
  await using cluster = await narrowed();

  expect(await cluster.fire(ITEMS)).toEqual(ALL);
  await Promise.all(cluster.members.map(({ proxied }) => proxied.centre.get(paths.root)));

  const eventsOf = ({ proxied: { proxy } }: Member): number => proxy.events;
  // The mark of each item comes and goes, and each instance writes its record.
  for (const each of cluster.followers) expect(eventsOf(each)).toBe(2 * cluster.itemsOf(each).length + 1);
  expect(eventsOf(cluster.leader)).toBe(2 * ITEMS + 3);
  for (const { proxied } of cluster.members) expect(proxied.proxy.count('multiRead', 'addWatch')).toBe(0);
});

describe('when instances have stopped listening to each other’s items', () => {
  itemStories(() => narrowed());

  test('a firing that comes while an instance reads everything again goes by what it reads then', async () => {
    // With misfire off, a firing of an item that seems to run is dropped.
    await using cluster = await narrowed({ misfire: false });
    const owner = cluster.followers[0]!;
    const { proxy } = owner.proxied;
    const [long, disabled] = cluster.itemsOf(owner) as [number, number];
    cluster.held.add(`${owner.name} ${long}`);
    await cluster.fire(ITEMS - 1);
    cluster.held.clear();

    proxy.delay('down', 50);
    proxy.resetRequests();
    await new ShardingOperateAPI(cluster.operator).disable('bill', disabled);
    await until(() => proxy.count('addWatch') > 0, 'the owner listens to everything again');
    for (const end of cluster.release) end();
    const job = owner.host.jobs.get('bill')!;
    await until(() => job.itemsRunning === 0, 'the long run has ended');
    cluster.ended.length = 0;
    owner.timers.fire();
    await cluster.untilEnded(1);
    await cluster.settle();

    expect(cluster.endedItems).toEqual(cluster.itemsOf(owner).filter((item) => item !== disabled));
  });
});
