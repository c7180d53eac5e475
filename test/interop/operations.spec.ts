import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sharedZooKeeper } from '../support/shared-zookeeper.js';
import { until } from '../support/until.js';
import {
  areOver,
  TRIGGERED_ONLY,
  fire,
  fireAndBlock,
  release,
  sharedJob,
  untilReassigned,
  untilSharedAnew,
  untilTaken,
  untilTriggersAreTaken,
} from './support/triggered-job.js';
import { MixedCluster } from './support/mixed-cluster.js';

const zooKeeper = sharedZooKeeper();

let cluster: MixedCluster;

beforeAll(async () => {
  cluster = await MixedCluster.open(zooKeeper.servers, zooKeeper.namespace());
  for (const name of ['J1', 'N1', 'N2']) await cluster.start(name, { job: false });
});
afterAll(() => cluster[Symbol.asyncDispose]());

const statistics = async (job: MixedCluster): Promise<Statistics> =>
  (await cluster.operate('statistics', job.job.jobName)) as Statistics;

const itemStatistics = async (job: MixedCluster): Promise<readonly Info[]> =>
  (await cluster.operate('items', job.job.jobName)) as readonly Info[];

type Info = Readonly<Record<string, unknown>>;
interface Statistics {
  readonly job: Info;
  readonly servers: readonly Info[];
}

describe.each([
  ['Node alone', ['N1', 'N2']],
  ['both kinds that Java leads', ['J1', 'N1']],
  ['both kinds that Node leads', ['N1', 'J1']],
] as const)("An operator of ElasticJob's lifecycle API, on a job of %s,", (_, members) => {
  test('triggers it: each item runs once', async () => {
    await using job = await sharedJob(cluster, members);

    const ran = await fire(job);

    expect(ran).toEqual(await job.owners());
    expect(Object.keys(ran).sort()).toEqual([...members].sort());
  });

  test('triggers it while it is busy: Node runs its items again afterwards, Java forgets the trigger', async () => {
    await using job = await sharedJob(cluster, members);
    const owners = await job.owners();
    const since = Date.now();
    await fireAndBlock(job, members);

    await cluster.operate('trigger', job.job.jobName);
    await untilTriggersAreTaken(job);
    await release(job, members);
    const ofNode = members.filter((name) => name.startsWith('N')).flatMap((name) => owners[name]!).length;
    await job.untilRan("Node's items to run again", (runs) => areOver(runs, 4 + ofNode), since);
    await fire(job);

    const times = (name: string): number => (name.startsWith('N') ? 3 : 2);
    for (const name of members)
      expect(job.ran(since)[name]).toEqual(owners[name]!.flatMap((item) => Array<number>(times(name)).fill(item)));
  });

  test('disables all its servers, and nothing runs until they are enabled', async () => {
    await using job = await sharedJob(cluster, members);
    const { jobName } = job.job;

    await cluster.operate('disable', jobName, null);
    const since = Date.now();
    await cluster.operate('trigger', jobName);
    await untilTriggersAreTaken(job);

    expect(await job.nodes(/^servers\/./)).toEqual(servers(job, members, 'DISABLED'));
    expect((await statistics(job)).job).toMatchObject({ status: 'DISABLED' });
    await until(async () => (await job.leader()) === undefined, 'the leader to abdicate');

    await cluster.operate('enable', jobName, null);
    await until(async () => (await job.leader()) !== undefined, 'a leader to be elected');
    expect(job.ran(since)).toEqual({});
    await untilSharedAnew(job, members);
    expect(Object.keys(await fire(job)).sort()).toEqual([...members].sort());
    expect(await job.nodes(/^servers\/./)).toEqual(servers(job, members, 'ENABLED'));
  });

  test.each(members)('disables the server of %s: its items move, and come back when it is enabled', async (name) => {
    await using job = await sharedJob(cluster, members);
    const { jobName } = job.job;
    const other = members.find((each) => each !== name)!;

    await cluster.operate('disable', jobName, job.peer(name).ip);
    await untilTaken(job, [other]);
    expect(await fire(job)).toEqual({ [other]: [0, 1, 2, 3] });
    await cluster.operate('enable', jobName, job.peer(name).ip);
    await untilReassigned(job, async () => Object.keys(await job.owners()).length > 1);

    expect(Object.keys(await fire(job)).sort()).toEqual([...members].sort());
  });

  test.each([0, 3])(
    'disables item %i: it is left out, stays with its instance, and runs when it is enabled',
    async (item) => {
      await using job = await sharedJob(cluster, members);
      const { jobName } = job.job;
      const owners = await job.owners();
      const others = [0, 1, 2, 3].filter((each) => each !== item);

      await cluster.operate('disableItem', jobName, `${item}`);
      await fire(job, others);
      expect(await job.owners()).toEqual(owners);
      expect((await itemStatistics(job)).map(({ status }) => status)).toEqual(
        [0, 1, 2, 3].map((each) => (each === item ? 'DISABLED' : 'PENDING')),
      );
      await cluster.operate('enableItem', jobName, `${item}`);

      expect(await fire(job)).toEqual(owners);
      expect(await job.nodes(/disabled/)).toEqual([]);
    },
  );

  test('reads the same of instances of either kind', async () => {
    await using job = await sharedJob(cluster, members);
    const { jobName } = job.job;
    const owners = await job.owners();
    const ids = new Map(
      (await job.nodes(/^instances\/./)).map(({ path }) => [job.nameOf(path.split('/')[1]!), path.split('/')[1]!]),
    );
    const ownerOf = (item: number): string => members.find((name) => owners[name]!.includes(item))!;
    for (const name of members) await job.peer(name).block(1);
    await cluster.operate('trigger', jobName);
    await until(
      async () => (await job.nodes(/running$/)).map(({ path }) => path).join() === 'sharding/1/running',
      'item 1 alone to run',
    );

    const { job: brief, servers: all } = await statistics(job);
    const items = await itemStatistics(job);
    await release(job, members);

    expect(brief).toEqual({
      jobName,
      status: 'OK',
      cron: TRIGGERED_ONLY,
      description: '',
      instanceCount: 2,
      shardingTotalCount: 4,
    });
    expect(items).toEqual(
      [0, 1, 2, 3].map((item) => ({
        item,
        serverIp: job.peer(ownerOf(item)).ip,
        instanceId: ids.get(ownerOf(item)),
        status: item === 1 ? 'RUNNING' : 'PENDING',
        failover: false,
      })),
    );
    expect(all).toEqual(
      expect.arrayContaining(
        members.map((name) =>
          expect.objectContaining({
            serverIp: job.peer(name).ip,
            instances: [ids.get(name)],
            jobNames: expect.arrayContaining([jobName]),
            instancesNum: 1,
            disabledJobsNum: 0,
          }),
        ),
      ),
    );
  });
});

const servers = (job: MixedCluster, members: readonly string[], value: string): readonly object[] =>
  members
    .map((name) => ({ path: `servers/${job.peer(name).ip}`, value, kind: 'persistent' }))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
