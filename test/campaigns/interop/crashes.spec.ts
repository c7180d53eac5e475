import { describe, expect, test } from '@jest/globals';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { until } from '../../support/until.js';
import { JAVA_VERSIONS } from './support/java.js';
import { MixedCluster } from './support/mixed-cluster.js';
import { type JobSettings } from './support/peer.js';
import { type PeerRun } from './support/run-log.js';

const zooKeeper = sharedZooKeeper();

/**
 * A job that runs only when it is triggered, so that nothing but the crash happens. Short sessions show a crash soon.
 */
const open = (job: Partial<JobSettings>): Promise<MixedCluster> =>
  MixedCluster.open(zooKeeper.servers, zooKeeper.namespace(), { job: { cron: undefined, ...job }, sessionMs: 2_000 });

/**
 * Starts instances one after the other, so that the first one leads, and shares the items among them by a first run.
 */
async function share(cluster: MixedCluster, ...names: readonly string[]): Promise<void> {
  for (const name of names) await cluster.start(name);
  // A Java instance runs a crashed item again if another one has taken it over and finished it before.
  for (const name of names) await cluster.peer(name).last(200);
  await runAll(cluster, names[0]!);
  expect(Object.keys(await cluster.owners()).sort()).toEqual([...names].sort());
}

/** Runs the job and returns the items that ran, as often as they did. */
async function runAll(cluster: MixedCluster, name: string): Promise<readonly number[]> {
  const since = Date.now();
  await cluster.peer(name).execute();
  const items = range(cluster.job.shardingTotalCount);
  await cluster.untilRan('all items to run', (runs) => isEachAmong(items, ended(runs)), since);
  expect(await cluster.leftOver()).toEqual([]);
  return itemsOf(ended(cluster.runs(since)));
}

/** Kills an instance while it runs its items. Returns the time at which they were begun, and the items. */
async function killWhileItRuns(
  cluster: MixedCluster,
  name: string,
  caller: string,
): Promise<{ readonly since: number; readonly items: readonly number[] }> {
  const items = (await cluster.owners())[name] ?? [];
  await cluster.peer(name).block();
  const since = Date.now();
  await cluster.peer(caller).execute();
  const total = cluster.job.shardingTotalCount;
  await cluster.untilRan(
    'all items to be begun, and those of others to end',
    (runs) => runs.length === total && ended(runs).length === total - items.length,
    since,
  );
  await cluster.peer(name).kill();
  return { since, items };
}

const ended = (runs: readonly PeerRun[]): readonly PeerRun[] => runs.filter(({ outcome }) => outcome === 'ended');
const itemsOf = (runs: readonly PeerRun[]): readonly number[] => runs.map(({ item }) => item).sort();
const isEachAmong = (items: readonly number[], runs: readonly PeerRun[]): boolean =>
  items.every((item) => runs.some((run) => run.item === item));
const range = (count: number): readonly number[] => Array.from({ length: count }, (_, item) => item);

describe('An item that an instance was running when it was killed is run again, exactly once', () => {
  test.each([
    { of: 'a leading Java instance', by: 'one of Node', killed: 'J1', others: ['N1'] },
    { of: 'a leading Node instance', by: 'one of Java', killed: 'N1', others: ['J1'] },
    { of: 'a leading Java instance', by: 'one of two of Node', killed: 'J1', others: ['N1', 'N2'] },
    { of: 'a leading Node instance', by: 'one of two of Java', killed: 'N1', others: ['J1', 'J2'] },
    { of: 'a leading Java instance', by: 'one of either kind', killed: 'J1', others: ['J2', 'N1'] },
    { of: 'a leading Node instance', by: 'one of either kind', killed: 'N1', others: ['J1', 'N2'] },
    { of: 'a following Java instance', by: 'the leader of Node', killed: 'J1', others: ['N1'], leader: 'N1' },
    { of: 'a following Node instance', by: 'the leader of Java', killed: 'N1', others: ['J1'], leader: 'J1' },
  ])('$of by $by', async ({ killed, others, leader = killed }) => {
    const total = others.length + 1;
    await using cluster = await open({ shardingTotalCount: total });
    await share(cluster, leader, ...[killed, ...others].filter((name) => name !== leader));

    const { since, items } = await killWhileItRuns(cluster, killed, others[0]!);
    await cluster.untilRan('the item to be run again', (runs) => ended(runs).length === total, since);

    await cluster.untilReassigned();

    expect(items).toHaveLength(1);
    expect(itemsOf(ended(cluster.runs(since)))).toEqual(range(total));
    expect(await runAll(cluster, others[0]!)).toEqual(range(total));
  });
});

describe('Several items that an instance was running when it was killed are run again exactly once by who is idle', () => {
  // Each of Java's claims causes a firing of its own, but one firing may serve two of them: the other finds no crashed
  // item and runs Java's own. So only those may be run once more.
  test.each([
    ['J1', 'J2', 'N1'],
    ['N1', 'J1', 'N2'],
    ['N1', 'J1'],
  ])('%s is killed beside %s %s', async (killed, ...others) => {
    await using cluster = await open({ shardingTotalCount: 9 });
    await share(cluster, killed, ...others);
    const owners = await cluster.owners();
    // Java makes a list of what has crashed, and goes through it without checking again if another instance has taken
    // an item over by then.
    for (const name of others) await cluster.peer(name).last(1_500);
    const ofJava = others.flatMap((name) => (name.startsWith('J') ? owners[name]! : []));

    const { since, items } = await killWhileItRuns(cluster, killed, others[0]!);
    await cluster.untilRan('the items to be run again', (runs) => isEachAmong(items, ended(runs)), since);
    await cluster.untilReassigned();
    const rescued = itemsOf(ended(cluster.runs(since)));
    const next = await runAll(cluster, others[0]!);

    const butJavas = (all: readonly number[]): readonly number[] => all.filter((item) => !ofJava.includes(item));
    expect(items.length).toBeGreaterThan(2);
    expect(butJavas(rescued)).toEqual(butJavas(range(9)));
    expect(butJavas(next)).toEqual(butJavas(range(9)));
  });
});

test.each([
  ['J1', 'N1'],
  ['N1', 'J1'],
])(
  'Without failover, the item of %s, who is killed, is not run again, and the next run is complete',
  async (killed, other) => {
    await using cluster = await open({ shardingTotalCount: 2, failover: false });
    await share(cluster, killed, other);

    const { since } = await killWhileItRuns(cluster, killed, other);
    await cluster.untilLeads(other);
    await cluster.untilReassigned();

    expect(ended(cluster.runs(since))).toHaveLength(1);
    expect(await runAll(cluster, other)).toEqual([0, 1]);
  },
);

describe('An instance is killed while it rescues an item', () => {
  const hasMark = async (cluster: MixedCluster, mark: string, of: string): Promise<boolean> =>
    (await cluster.nodes(/^sharding\/\d+\/\w+$/)).some(
      ({ path, value }) => path.endsWith(`/${mark}`) && cluster.nameOf(value) === of,
    );

  /**
   * `first` dies while it runs an item, `rescuer` during the takeover. Returns when the item had begun, and the item.
   */
  async function loseRescuer(
    cluster: MixedCluster,
    { first, rescuer, last }: { readonly first: string; readonly rescuer: string; readonly last: string },
  ): Promise<{ readonly since: number; readonly items: readonly number[] }> {
    await share(cluster, first, rescuer);
    const lost = await killWhileItRuns(cluster, first, rescuer);
    await cluster.peer(rescuer).block();
    await cluster.untilRan('the rescue to begin', (runs) => runs.length === 3, lost.since);
    await cluster.start(last);
    await cluster.peer(rescuer).kill();
    return lost;
  }

  test('one of Java: one of Node runs the item, exactly once', async () => {
    await using cluster = await open({ shardingTotalCount: 2 });

    const { since, items } = await loseRescuer(cluster, { first: 'N1', rescuer: 'J1', last: 'N2' });
    await cluster.untilRan('the item to be rescued again', (runs) => runs.length === 4, since);
    await cluster.untilLeads('N2');
    await cluster.untilReassigned();

    const runs = cluster.runs(since).filter(({ item }) => items.includes(item));
    expect(runs.map(({ by }) => by)).toEqual(['N1', 'J1', 'N2']);
    expect(await runAll(cluster, 'N2')).toEqual([0, 1]);
  });

  // Up to 3.0.4, Java takes it over and leaves it marked as running, so that it neither runs it nor assigns items any
  // more.
  test('one of Node: one of Java runs the item, exactly once; up to 3.0.4, when Node has come and removed the mark', async () => {
    await using cluster = await open({ shardingTotalCount: 2 });

    const { since, items } = await loseRescuer(cluster, { first: 'J1', rescuer: 'N1', last: 'J2' });
    if (JAVA_VERSIONS[0] === '3.0.4') {
      await until(() => hasMark(cluster, 'failover', 'J2'), 'Java to claim the item');
      expect(await hasMark(cluster, 'running', 'N1')).toBe(true);
    } else await cluster.untilRan('the item to be rescued again', (runs) => runs.length === 4, since);
    await cluster.start('N2');
    await until(async () => !(await hasMark(cluster, 'running', 'N1')), 'Node to remove the mark');
    if (JAVA_VERSIONS[0] === '3.0.4') await cluster.reader.write(`/job/trigger/${cluster.peer('J2').id}`, '');
    await cluster.untilRan('the item to be rescued again', (runs) => runs.length === 4, since);
    await until(async () => !(await hasMark(cluster, 'failover', 'J2')), 'the rescue to be over');
    await cluster.untilReassigned();

    const runs = cluster.runs(since).filter(({ item }) => items.includes(item));
    expect(runs.map(({ by }) => by)).toEqual(['J1', 'N1', 'J2']);
    expect(await runAll(cluster, 'J2')).toEqual([0, 1]);
  });
});
