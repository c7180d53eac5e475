/* eslint-disable jest/no-export -- a suite that the specs of several registry centres call */
import { expect, test } from '@jest/globals';
import { JobPaths } from '../../lib/layout/job-paths.js';
import { JobOperateAPI } from '../../lib/operations/job-operate-api.js';
import { ShardingOperateAPI } from '../../lib/operations/sharding-operate-api.js';
import { until } from '../support/until.js';
import { ALL, ITEMS, type ItemCluster, type Member } from './item-cluster.js';

const paths = new JobPaths('bill');

/**
 * Items that are run for instances that die, that an operator disables, and that he triggers.
 * @param start starts a cluster whose items are assigned
 */
export function itemStories(start: () => Promise<ItemCluster>): void {
  test.each<[who: string, pick: (cluster: ItemCluster) => Member]>([
    ['the leader', ({ leader }) => leader],
    ['another instance', ({ followers }) => followers[0]!],
  ])('the items that %s was running when it died are run again, each once', async (_, pick) => {
    await using cluster = await start();
    const victim = pick(cluster);
    const lost = cluster.itemsOf(victim);
    for (const item of lost) cluster.held.add(`${victim.name} ${item}`);

    expect(await cluster.fire(ITEMS - lost.length)).toEqual(ALL.filter((item) => !lost.includes(item)));
    await cluster.crash(victim);
    cluster.held.clear();
    await cluster.untilEnded(ITEMS);
    expect(cluster.endedItems).toEqual(ALL);

    const ownedByLiving = (): boolean =>
      cluster.view.items.every(({ owner }) => owner !== undefined && owner !== victim.id);
    await until(ownedByLiving, 'the items of the dead instance have other owners');
    await until(() => !cluster.view.reshardingNeeded && !cluster.view.processing, 'the items are assigned');
    expect(await cluster.fire(ITEMS)).toEqual(ALL);
  });

  test('an item that an operator disables does not run, and others go on', async () => {
    await using cluster = await start();
    const owner = cluster.followers[0]!;
    const [item] = cluster.itemsOf(owner);

    await new ShardingOperateAPI(cluster.operator).disable('bill', item!);
    const seen = (): boolean => owner.host.jobs.get('bill')?.nodes?.has(paths.item(item!, 'disabled')) === true;
    await until(seen, 'the owner sees that the item is disabled');

    expect(await cluster.fire(ITEMS - 1)).toEqual(ALL.filter((each) => each !== item));
  });

  test('items that an operator triggers by number run, each once', async () => {
    await using cluster = await start();
    const items = cluster.members.map((member) => cluster.itemsOf(member)[0]!).sort((a, b) => a - b);
    cluster.ended.length = 0;

    await new JobOperateAPI(cluster.operator).trigger('bill', { items });
    await cluster.untilEnded(items.length);

    expect(cluster.endedItems).toEqual(items);
  });

  test('an instance runs its items once if its node is overwritten with TRIGGER', async () => {
    await using cluster = await start();
    const owner = cluster.followers[0]!;
    const items = [...cluster.itemsOf(owner)].sort((a, b) => a - b);
    cluster.ended.length = 0;

    await cluster.operator.put(paths.instance(owner.id), 'TRIGGER');
    await cluster.untilEnded(items.length);

    expect(cluster.endedItems).toEqual(items);
    expect(await cluster.operator.get(paths.instance(owner.id))).toContain(owner.id);
  });
}
