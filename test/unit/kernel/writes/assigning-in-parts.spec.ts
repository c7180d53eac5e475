import { describe, expect, test } from '@jest/globals';
import { type Delivery } from '../../../../lib/registry/embedded/delivery.js';
import { type WatchedCommit } from '../../../../lib/registry/embedded/embedded-namespace.js';
import { type JobConfiguration } from '../../../../lib/api/job/job-configuration.js';
import { type ManualClock, TestCluster } from '../../../../lib/testing/index.js';

/** So that an assignment of thirty items takes several commits, and beginning a few items takes one. */
const LIMITS = { operations: 14 };
const ITEMS = 30;

function start(names: readonly string[], job: Partial<JobConfiguration> = {}): Promise<TestCluster> {
  return TestCluster.start(names, { job: { shardingTotalCount: ITEMS, cron: '', ...job }, limits: LIMITS });
}

/** The commits that change the owner of an item, or items, from now on. */
function assignmentsOf(cluster: TestCluster): WatchedCommit[] {
  const commits: WatchedCommit[] = [];
  cluster.server.namespace('elasticjob').watch(cluster.paths.sharding, (commit) => {
    const isAssignment = commit.changes.some(({ path }) => /\/sharding(\/\d+(\/instance)?)?$/.test(path));
    if (isAssignment) commits.push(commit);
  });
  return commits;
}

const counts = (cluster: TestCluster): Record<string, number> =>
  Object.fromEntries(Object.entries(cluster.owners).map(([name, items]) => [name, items.length]));

describe('more items than one commit may hold', () => {
  test('are assigned all the same, in several commits', async () => {
    await using cluster = await start(['A', 'B']);
    const commits = assignmentsOf(cluster);

    await cluster.join('C');

    expect(counts(cluster)).toEqual({ A: 10, B: 10, C: 10 });
    expect(cluster.view.reshardingNeeded).toBe(false);
    expect(commits.length).toBeGreaterThan(2);
  });

  test('are assigned only by the last of these commits: until then the request stands', async () => {
    await using cluster = await start(['A', 'B']);
    const { paths, server } = cluster;
    const commits = assignmentsOf(cluster);
    const asked: boolean[] = [];
    server.namespace('elasticjob').watch(paths.sharding, ({ changes }) => {
      if (changes.some(({ path }) => path.endsWith('/instance'))) asked.push(cluster.view.reshardingNeeded);
    });

    await cluster.join('C');

    expect(asked.length).toBeGreaterThan(1);
    expect(new Set(asked)).toEqual(new Set([true]));
    expect(commits.at(-1)?.changes.map(({ path }) => path)).toEqual([paths.sharding]);
  });

  test('go when their number is reduced, with all that is below them', async () => {
    await using cluster = await start(['A', 'B']);
    for (const item of [3, 7, 29]) await cluster.operator.create(`${cluster.paths.item(item)}/mine/too`, '');
    await cluster.operator.create(cluster.paths.crashedItem(29), '');
    await cluster.operator.create(cluster.paths.item(28, 'misfire'), '');
    const commits = assignmentsOf(cluster);

    await cluster.reconfigure({ shardingTotalCount: 5 });

    expect(commits.length).toBeGreaterThan(2);
    expect(cluster.owners).toEqual({ A: [2, 3], B: [0, 1, 4] });
    const items = [...cluster.tree.keys()].filter((path) => /\/(sharding|items)\/\d/.test(path));
    expect(items.filter((path) => !/\/sharding\/[0-4](\/|$)/.test(path))).toEqual([]);
    expect(cluster.tree.has(`${cluster.paths.item(3)}/mine/too`)).toBe(true);
  });

  test('follow the instances that come while they are being assigned', async () => {
    const slowly = (clock: ManualClock) => (delivery: Delivery) => void clock.after(10, delivery.arrive);
    for (let moment = 0; moment <= 150; moment += 10) {
      const job = { shardingTotalCount: ITEMS, cron: '' };
      await using cluster = await TestCluster.start(['A', 'B'], { job, limits: LIMITS, deliver: slowly });
      await cluster.advance('2s');
      await cluster.join('C');
      await cluster.advance(moment);
      await cluster.join('D');

      await cluster.advance('2s');

      expect({ moment, counts: counts(cluster) }).toEqual({ moment, counts: { A: 7, B: 7, C: 8, D: 8 } });
    }
  });
});

describe('a leader that dies at any of the writes of an assignment', () => {
  test.each([
    { outcome: 'applied', monitorExecution: true },
    { outcome: 'not-applied', monitorExecution: true },
    { outcome: 'applied', monitorExecution: false },
    { outcome: 'not-applied', monitorExecution: false },
  ] as const)(
    '($outcome, monitorExecution $monitorExecution) leaves a request, by which its successor assigns the items again',
    async ({ outcome, monitorExecution }) => {
      // The request, two parts, and the commit that makes the assignment valid.
      const writes = [1, 2, 3, 4];
      const halves: boolean[] = [];
      for (const number of writes) {
        await using cluster = await start(['A', 'B', 'C'], { cron: '0/5 * * * * ?', monitorExecution });
        await cluster.fire();
        await cluster.advance('1s');
        expect(cluster.leader).toBe('A');
        cluster.killAtWrite('A', number, outcome);

        await cluster.join('D');
        const ownedByDead = cluster.view.items.filter(({ owner }) => owner === cluster.idOf('A')).length;
        halves.push(cluster.view.reshardingNeeded && ownedByDead !== 10);
        await cluster.advance('12s');
        cluster.forget();
        await cluster.fire();

        expect({ number, counts: counts(cluster) }).toEqual({ number, counts: { B: 10, C: 10, D: 10 } });
        expect(cluster.runs.map(({ item }) => item).sort((a, b) => a - b)).toEqual([...Array(ITEMS).keys()]);
      }
      // Otherwise this shows nothing.
      expect(halves).toContain(true);
    },
  );

  test('gives no item a fencing token that is less than a former one', async () => {
    for (let number = 1; number <= 4; number++) {
      await using cluster = await start(['A', 'B', 'C'], { cron: '0/5 * * * * ?', monitorExecution: false });
      await cluster.fire();
      cluster.killAtWrite('A', number, 'applied');
      await cluster.join('D');
      await cluster.advance('20s');
      await cluster.leave('D');
      await cluster.advance('20s');

      const last = new Map<number, number>();
      for (const { item, context } of cluster.runs) {
        expect(context.fencingToken).toBeGreaterThanOrEqual(last.get(item) ?? 0);
        last.set(item, context.fencingToken);
      }
      expect(cluster.runs.length).toBeGreaterThan(100);
    }
  });
});

test('of two instances that both believe to lead, one alone writes the assignment', async () => {
  for (let moment = 0; moment <= 300; moment += 10) {
    // Each delivery of the registry to A, which leads, takes a fifth of a second.
    const late = (clock: ManualClock) => (delivery: Delivery) =>
      void clock.after(delivery.channel === 'server → centre 2' ? 200 : 10, delivery.arrive);
    const job = { shardingTotalCount: ITEMS, cron: '' };
    await using cluster = await TestCluster.start(['A'], { job, limits: LIMITS, deliver: late });
    await cluster.advance('5s');
    await cluster.join('B');
    await cluster.advance('5s');
    expect({ leader: cluster.leader, ...counts(cluster) }).toEqual({ leader: 'A', A: 15, B: 15 });
    const { operator, paths } = cluster;
    await cluster.join('C');
    await cluster.advance(500 + moment);
    // B hears of this long before A does.
    await cluster.join('D');
    await cluster.advance(100);

    void operator.commit([{ type: 'replace', path: paths.leader, value: cluster.idOf('B'), lifetime: 'session' }]);
    await cluster.advance('5s');

    expect({ moment, ...counts(cluster) }).toEqual({ moment, A: 7, B: 7, C: 8, D: 8 });
  }
});

test('items for which one commit is enough are assigned by one', async () => {
  await using cluster = await TestCluster.start(['A'], { job: { shardingTotalCount: ITEMS, cron: '' } });
  const commits = assignmentsOf(cluster);

  await cluster.join('B');

  // The request, and the assignment.
  expect(commits.map(({ changes }) => changes.length)).toEqual([1, 1 + ITEMS / 2]);
});
