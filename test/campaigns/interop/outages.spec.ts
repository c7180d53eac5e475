import { describe, expect, test } from '@jest/globals';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { until } from '../../support/until.js';
import { ZooKeeperEnsemble } from '../../support/zookeeper-ensemble.js';
import { MixedCluster } from './support/mixed-cluster.js';
import { instantOf, overlaps } from './support/run-log.js';

const zooKeeper = sharedZooKeeper();
const open = (sessionMs: number): Promise<MixedCluster> =>
  MixedCluster.open(zooKeeper.servers, zooKeeper.namespace(), { sessionMs });

/** Waits until the instance runs its items, which are blocked. Returns the items. */
async function busy(cluster: MixedCluster, name: string): Promise<readonly number[]> {
  await cluster.betweenFirings();
  const own = (await cluster.owners())[name]!;
  await cluster.peer(name).block();
  const since = Date.now();
  await cluster.untilRan('the items to begin', (runs) => runs.length === cluster.job.shardingTotalCount, since);
  return own;
}

const isRegistered = async (cluster: MixedCluster, name: string): Promise<boolean> =>
  (await cluster.nodes(/^instances\/./)).some(({ path }) => cluster.nameOf(path.slice('instances/'.length)) === name);

describe('An instance loses its connection for less than its session while it runs items', () => {
  test('Node keeps its marks and its items, and not even a firing is missed', async () => {
    await using proxy = await TcpProxy.start(zooKeeper.servers);
    await using cluster = await open(6_000);
    await cluster.start('J1');
    await cluster.start('N1', { servers: proxy.address });
    await cluster.untilSharedBy('J1', 'N1');
    const items = await busy(cluster, 'N1');
    const from = instantOf(cluster.runs().at(-1)!);

    proxy.refuse();
    proxy.cut();
    await cluster.untilRan('Java to run its items without it', (runs) => runs.length >= 2, from + 2_000);
    proxy.heal();
    await until(() => /connected: again/.test(cluster.peer('N1').process.output), 'Node to be connected again');
    const marks = await cluster.nodes(/^sharding\/\d+\/running$/);
    await cluster.peer('N1').release();

    const { to } = await cluster.firings(2);
    expect(marks.map(({ path }) => Number(path.split('/')[1]))).toEqual(expect.arrayContaining([...items]));
    expect(cluster.misdeeds({ from, to })).toEqual([]);
    expect(await cluster.leftOver()).toEqual([]);
  });

  test('Java registers anew, and nobody rescues what it runs; but it forgets that: if the items move, their new owner runs them, too', async () => {
    await using proxy = await TcpProxy.start(zooKeeper.servers);
    await using cluster = await open(6_000);
    await Promise.all([cluster.start('N1'), cluster.start('N2', { job: false })]);
    await cluster.start('J1', { servers: proxy.address });
    await cluster.untilSharedBy('J1', 'N1');
    const items = await busy(cluster, 'J1');
    const since = Date.now();

    // Long enough for others to see that it has removed its node, and has not created it again yet.
    proxy.delay('down', 20);
    proxy.cut();
    const isMarked = async (): Promise<boolean> =>
      (await cluster.nodes(/^sharding\/\d+\/running$/)).some(({ value }) => cluster.nameOf(value) === 'J1');
    await until(async () => !(await isMarked()), 'Java to remove the marks of what it runs');
    proxy.heal();
    const during = overlaps(cluster.runs());
    await cluster.peer('N2').begin(cluster.job);
    await cluster.untilSharedBy('J1', 'N1', 'N2');
    const moved = items.filter((item) => cluster.runs(since).every((run) => run.item !== item));
    await cluster.untilRan(
      'a moved item to run',
      (runs) => runs.some((run) => run.by.startsWith('N') && items.includes(run.item)),
      since,
    );
    await cluster.peer('J1').release();
    await cluster.betweenFirings();

    expect(during).toEqual([]);
    expect(moved).not.toEqual([]);
    expect(overlaps(cluster.runs()).join()).toMatch(/item \d: J1 until .*, N\d from/);
    const { from, to } = await cluster.firings(2);
    expect(cluster.misdeeds({ from, to }).filter((text) => !text.includes('until'))).toEqual([]);
    expect(await cluster.leftOver()).toEqual([]);
  });
});

describe('The registry centre ends the session of an instance that runs items and cannot reach it', () => {
  test('Node ends the items before Java takes them over, and takes part again', async () => {
    await using proxy = await TcpProxy.start(zooKeeper.servers);
    await using cluster = await open(2_000);
    await cluster.start('J1');
    await cluster.start('N1', { servers: proxy.address });
    await cluster.untilSharedBy('J1', 'N1');
    const items = await busy(cluster, 'N1');
    const since = Date.now();

    proxy.blackHole('up', 'down');
    await cluster.untilRan(
      'Java to take over',
      (runs) => items.every((item) => runs.some((run) => run.item === item)),
      since,
    );
    proxy.cut();
    proxy.heal();
    await cluster.peer('N1').release();
    await cluster.untilSharedBy('J1', 'N1');

    const passed = await cluster.firings(2);
    expect(
      cluster
        .runs()
        .filter(({ outcome }) => outcome === 'interrupted')
        .map(({ item }) => item),
    ).toEqual(items);
    expect(cluster.misdeeds(passed)).toEqual([]);
    expect(await cluster.leftOver()).toEqual([]);
  });

  test('Java goes on running them while Node has taken them over, and takes part again', async () => {
    await using proxy = await TcpProxy.start(zooKeeper.servers);
    await using cluster = await open(2_000);
    await cluster.start('N1');
    await cluster.start('J1', { servers: proxy.address });
    await cluster.untilSharedBy('J1', 'N1');
    const items = await busy(cluster, 'J1');
    const since = Date.now();

    proxy.blackHole('up', 'down');
    await cluster.untilSharedBy('N1');
    await cluster.untilRan(
      'Node to take over',
      (runs) => items.every((item) => runs.some((run) => run.item === item)),
      since,
    );
    // For which firing Java ran them is not known.
    const rescues = cluster.runs(since).filter(({ by, scheduledAt }) => by === 'N1' && scheduledAt === undefined);
    proxy.cut();
    proxy.heal();
    await cluster.peer('J1').release();
    await cluster.untilSharedBy('J1', 'N1');
    await cluster.betweenFirings();

    const passed = await cluster.firings(2);
    expect(rescues.map(({ item }) => item).sort()).toEqual(items);
    expect(cluster.misdeeds(passed).filter((text) => !text.includes('until'))).toEqual([]);
    expect(await cluster.leftOver()).toEqual([]);
  });
});

describe('A leader is frozen for longer than its session, and wakes', () => {
  test('Node has been replaced by Java, and runs nothing that is not its own any more', async () => {
    await using cluster = await open(2_000);
    await cluster.start('N1');
    await cluster.start('J1');
    await cluster.untilSharedBy('J1', 'N1');
    await cluster.betweenFirings();

    cluster.peer('N1').freeze();
    await cluster.untilSharedBy('J1');
    const { from } = await cluster.firings(1);
    cluster.peer('N1').thaw();
    await cluster.untilSharedBy('J1', 'N1');

    const { to } = await cluster.firings(1);
    expect(await cluster.leader()).toBe('J1');
    expect(cluster.misdeeds({ from, to })).toEqual([]);
    expect(await cluster.leftOver()).toEqual([]);
  });

  test('Java may run its former items once more, whoever runs them by now; then all is well again', async () => {
    await using cluster = await open(2_000);
    await cluster.start('J1');
    await cluster.start('N1');
    await cluster.untilSharedBy('J1', 'N1');
    await cluster.betweenFirings();

    cluster.peer('J1').freeze();
    await cluster.untilSharedBy('N1');
    const meanwhile = await cluster.firings(1);
    const missed = cluster.misdeeds(meanwhile);
    cluster.peer('J1').thaw();
    await cluster.untilSharedBy('J1', 'N1');
    // With the first firing on time, it makes up for those it has missed.
    await cluster.betweenFirings();
    await cluster.betweenFirings();

    const passed = await cluster.firings(2);
    expect(missed).toEqual([]);
    expect(await cluster.leader()).toBe('N1');
    expect(cluster.misdeeds(passed)).toEqual([]);
    expect(await cluster.leftOver()).toEqual([]);
  });

  test('Java was just waiting to assign the items: what it overwrites then is put right', async () => {
    await using cluster = await open(2_000);
    await cluster.start('J1');
    await Promise.all([cluster.start('N1'), cluster.start('N2', { job: false })]);
    await cluster.untilSharedBy('J1', 'N1');
    await busy(cluster, 'N1');
    await cluster.peer('N2').begin(cluster.job);
    await until(async () => (await cluster.nodes(/^leader\/sharding\/necessary$/)).length > 0, 'Java to be asked');
    // It has begun to wait for the running items by the time at which the next firing is due.
    await cluster.firings(1);

    cluster.peer('J1').freeze();
    await until(async () => !(await isRegistered(cluster, 'J1')), 'the session of Java to end', 20_000);
    await cluster.untilReassigned();
    cluster.peer('J1').thaw();
    await cluster.peer('N1').release();
    await cluster.untilSharedBy('J1', 'N1', 'N2');
    // With its next firing Java makes up for those that it has missed, whoever has run them.
    await cluster.firings(1);
    await cluster.betweenFirings();

    expect(cluster.misdeeds(await cluster.firings(2))).toEqual([]);
    expect(await cluster.leftOver()).toEqual([]);
  });
});

test('The ZooKeeper ensemble loses its leader: both kinds go on with their sessions', async () => {
  await using ensemble = await ZooKeeperEnsemble.start();
  await using cluster = await MixedCluster.open(ensemble.address, zooKeeper.namespace(), { sessionMs: 10_000 });
  await cluster.start('J1');
  await cluster.start('N1');
  await cluster.untilSharedBy('J1', 'N1');
  await cluster.betweenFirings();
  const owners = await cluster.owners();

  await (await ensemble.leader()).kill();
  await ensemble.leader();
  await cluster.betweenFirings();
  await cluster.betweenFirings();

  expect(cluster.misdeeds(await cluster.firings(2))).toEqual([]);
  expect(await cluster.owners()).toEqual(owners);
  expect(await cluster.leader()).toBe('J1');
  expect(await cluster.leftOver()).toEqual([]);
}, 60_000);
