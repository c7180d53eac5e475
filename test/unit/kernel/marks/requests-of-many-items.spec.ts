/** Jobs of many items write a few commits, whatever the number of items. */
import { expect, test } from '@jest/globals';
import { JobOperateAPI } from '../../../../lib/operations/job-operate-api.js';
import { TestCluster } from '../../../../lib/testing/index.js';

const TOTAL = 1_000;

/** A cluster whose items run until they are let go, with the commits, creations and removals that instances send. */
async function busyCluster(names: readonly string[]) {
  const writes: string[] = [];
  const running: (() => void)[] = [];
  const cluster = await TestCluster.start(names, {
    job: { shardingTotalCount: TOTAL, failover: true, jobExecutorThreadPoolSizeProviderType: 'ALL' },
    host: { threadPoolSizeProviders: [{ type: 'ALL', getSize: () => TOTAL }] },
    work: () => new Promise<void>((resolve) => running.push(resolve)),
    deliver:
      () =>
      ({ channel, what, arrive }) => {
        const [verb = ''] = what.split(' ');
        if (channel.endsWith('→ server') && ['commit', 'create', 'remove'].includes(verb)) writes.push(verb);
        void Promise.resolve().then(arrive);
      },
  });
  await cluster.fire();
  const endAll = (): void => running.splice(0).forEach((end) => end());
  return { cluster, writes, endAll, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() };
}

test('a firing that running items miss is noted in one commit, and the notes are removed in one', async () => {
  await using stage = await busyCluster(['A']);
  const { cluster, writes, endAll } = stage;
  writes.length = 0;

  await cluster.fire();
  expect(cluster.view.items.filter(({ misfired }) => misfired)).toHaveLength(TOTAL);
  expect(writes).toEqual(['commit']);
  await cluster.reconfigure({ misfire: false });
  writes.length = 0;
  endAll();
  await cluster.settle();

  expect(cluster.view.items.filter(({ misfired }) => misfired)).toEqual([]);
  expect(writes.length).toBeLessThan(5);
});

test('all items of an instance that has died are taken over in a few commits', async () => {
  await using stage = await busyCluster(['A']);
  const { cluster, writes } = stage;
  await cluster.join('B');
  cluster.forget();
  cluster.kill('A');
  writes.length = 0;

  await cluster.advance('8s');

  expect(cluster.ran['B']).toHaveLength(TOTAL);
  expect(writes.length).toBeLessThan(20);
});

test('if a peer was faster with one item, the others are taken over all the same', async () => {
  await using stage = await busyCluster(['A']);
  const { cluster } = stage;
  await cluster.join('B');
  await cluster.join('C');
  cluster.forget();
  cluster.kill('A');

  await cluster.advance('8s');

  const { B = [], C = [] } = cluster.ran;
  expect([...B, ...C].sort((one, other) => one - other)).toEqual(Array.from({ length: TOTAL }, (_, item) => item));
  expect(Math.min(B.length, C.length)).toBeGreaterThan(0);
});

test('items that are run one by one with long parameters keep none of them when they have ended', async () => {
  await using cluster = await TestCluster.start(['A'], {
    job: { cron: '', shardingTotalCount: 12, failover: true },
    limits: { bytes: 50_000 },
  });
  const operations = new JobOperateAPI(cluster.operator, { clock: cluster.clock });

  for (let item = 0; item < 12; item++) {
    await operations.trigger('job', { items: [item], jobParameter: `${item} `.padEnd(9_900, 'x') });
    await cluster.settle();
  }

  expect(cluster.ran['A']).toHaveLength(12);
  expect(cluster.tree.get(cluster.paths.beginRecord(cluster.idOf('A')))?.length).toBeLessThan(20_000);
});
