import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { until } from '../../support/until.js';
import {
  areOver,
  TRIGGERED_ONLY,
  fire,
  fireAndBlock,
  numbersOf,
  release,
  sharedJob,
  settings,
  untilReassigned,
} from './support/triggered-job.js';
import { MixedCluster } from './support/mixed-cluster.js';

const zooKeeper = sharedZooKeeper();
let cluster: MixedCluster;

beforeAll(async () => {
  cluster = await MixedCluster.open(zooKeeper.servers, zooKeeper.namespace());
  for (const name of ['J1', 'N1', 'N2']) await cluster.start(name, { job: false });
});
afterAll(() => cluster[Symbol.asyncDispose]());

const configure = (job: MixedCluster, changes: object): Promise<unknown> =>
  job.operate('configure', job.job.jobName, changes);

/** The numbers of the items below `sharding/`. */
const items = async (job: MixedCluster): Promise<readonly number[]> =>
  (await job.nodes(/^sharding\/\d+$/)).map(({ path }) => Number(path.split('/')[1]));

describe.each([
  ['Node alone', ['N1', 'N2']],
  ['both kinds that Java leads', ['J1', 'N1']],
  ['both kinds that Node leads', ['N1', 'J1']],
] as const)('An operator who updates the configuration of a job of %s', (_, members) => {
  test('adds items, and takes them away again', async () => {
    await using job = await sharedJob(cluster, members);

    await configure(job, { shardingTotalCount: 7 });
    await untilReassigned(job, async () => (await items(job)).length === 7);
    const more = await fire(job, [0, 1, 2, 3, 4, 5, 6]);
    expect(Object.keys(more).sort()).toEqual([...members].sort());
    expect(await items(job)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    await configure(job, { shardingTotalCount: 2 });
    await untilReassigned(job, async () => (await items(job)).length === 2);
    const fewer = await fire(job, [0, 1]);

    expect(Object.keys(fewer).sort()).toEqual([...members].sort());
    expect(await items(job)).toEqual([0, 1]);
    expect(
      job
        .runs()
        .slice(-2)
        .map(({ total }) => total),
    ).toEqual([2, 2]);
  });

  test('takes items away while they run: they run to their end, and are gone afterwards', async () => {
    await using job = await sharedJob(cluster, members);
    await fireAndBlock(job, members);

    await configure(job, { shardingTotalCount: 2 });
    await untilReassigned(job, async () => (await items(job)).length === 2);
    await release(job, members);
    await fire(job, [0, 1]);

    expect(numbersOf(job.runs())).toEqual([0, 0, 0, 1, 1, 1, 2, 2, 3, 3]);
    expect(job.runs().every(({ outcome }) => outcome === 'ended')).toBe(true);
    await until(async () => (await items(job)).join() === '0,1', 'the surplus items to go');
    expect(await job.leftOver()).toEqual([]);
  });

  test('changes its parameters, its description and its props: the next firing has them, and nobody changes them back', async () => {
    await using job = await sharedJob(cluster, members);
    const changes = {
      jobParameter: 'täglich: "alles" # ja',
      shardingItemParameters: '0=北京,1=Shanghai,2=c:d,3=x y',
      description: 'erste Zeile\nzweite Zeile',
      props: { 'a.b': '1', ü: 'true' },
    };

    await configure(job, changes);
    await fire(job);

    expect(
      Object.fromEntries(
        job
          .runs()
          .slice(-4)
          .map(({ item, parameter }) => [item, parameter]),
      ),
    ).toEqual({
      0: '北京',
      1: 'Shanghai',
      2: 'c:d',
      3: 'x y',
    });
    expect(
      job
        .runs()
        .slice(-4)
        .map(({ jobParameter }) => jobParameter),
    ).toEqual(Array(4).fill(changes.jobParameter));
    expect(await job.operate('configuration', job.job.jobName)).toMatchObject(changes);
  });

  test('switches monitorExecution off while items run: they run on unmarked, and are marked again when it is switched on', async () => {
    await using job = await sharedJob(cluster, members);
    await fireAndBlock(job, members);
    expect(await marks(job)).toEqual([0, 1, 2, 3]);

    await configure(job, { monitorExecution: false });
    // Java removes all marks at once. Node removes each with its run, so that no other instance begins the item
    // meanwhile.
    const isJavaHere = members.some((name) => name.startsWith('J'));
    if (isJavaHere) await until(async () => (await marks(job)).length === 0, 'the marks to go');
    else expect(await marks(job)).toEqual([0, 1, 2, 3]);
    expect(numbersOf(job.runs().filter(({ endedAt }) => endedAt === undefined))).toEqual([0, 1, 2, 3]);
    await release(job, members);
    await job.untilRan('all items to end', (runs) => areOver(runs, 8));
    expect(await job.leftOver()).toEqual([]);
    await fireAndBlock(job, members);
    expect(await marks(job)).toEqual([]);
    await release(job, members);
    await job.untilRan('all items to end', (runs) => areOver(runs, 12));
    await configure(job, { monitorExecution: true });
    await fireAndBlock(job, members);
    expect(await marks(job)).toEqual([0, 1, 2, 3]);
    await release(job, members);

    await job.untilRan('all items to end', (runs) => areOver(runs, 16));
    expect(await job.leftOver()).toEqual([]);
  });

  test('switches failover: from the next run on, marks outlive their instance, or do not', async () => {
    await using job = await sharedJob(cluster, members, { failover: false });
    const kinds: (readonly string[])[] = [];

    for (const failover of [false, true, false]) {
      await configure(job, { failover });
      await fireAndBlock(job, members);
      kinds.push([...new Set((await job.nodes(/running$/)).map(({ kind }) => kind))]);
      await release(job, members);
      expect(await job.leftOver()).toEqual([]);
    }

    expect(kinds).toEqual([['ephemeral'], ['persistent'], ['ephemeral']]);
    expect(numbersOf(job.runs())).toEqual([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]);
  });
});

describe('Jobs whose schedule an operator updates', () => {
  test('fire by a new cron expression at once, on all instances', async () => {
    const teams = [
      ['N1', 'N2'],
      ['J1', 'N1'],
      ['N1', 'J1'],
    ];
    const jobs = await Promise.all(teams.map((members) => sharedJob(cluster, members)));

    for (const job of jobs) await configure(job, { cron: '0/2 * * * * ?' });
    for (const job of jobs) await job.untilRan('the first scheduled firing', (runs) => areOver(runs, 8));
    const firings = await jobs[0]!.firings(1);
    for (const job of jobs) await configure(job, { cron: TRIGGERED_ONLY });

    expect(jobs.map((job) => job.misdeeds(firings))).toEqual([[], [], []]);
    for (const job of jobs) await fire(job);
    for (const job of jobs) await job[Symbol.asyncDispose]();
  });

  test('are told during a run whether to make up for what it misses: Node does so at once, Java after its next firing', async () => {
    const members = ['N1', 'J1'];
    const begin = (misfire: boolean): Promise<MixedCluster> =>
      cluster.with({ ...settings(), cron: '0/2 * * * * ?', misfire }, ...members);
    await using making = await begin(false);
    await using dropping = await begin(true);
    const jobs = [making, dropping];
    for (const job of jobs) await job.untilSharedBy(...members);
    // Of a job that has not fired by its schedule yet, Java does not notice what it misses.
    await making.firings(1);

    for (const job of jobs) for (const name of members) await job.peer(name).block();
    await making.firings(1);
    for (const job of jobs) await configure(job, { misfire: job === making });
    await making.firings(1);
    const since = Date.now();
    for (const job of jobs) await release(job, members);
    const { from } = await making.firings(2);
    for (const job of jobs) await configure(job, { cron: TRIGGERED_ONLY });

    const countOf = (job: MixedCluster, name: string, [after, before]: readonly [number, number]): number =>
      job.runs(after).filter(({ by, startedAt }) => by === name && startedAt < before).length;
    const counts = jobs.map((job) =>
      members.map((name) => [countOf(job, name, [since, from]), countOf(job, name, [from, Infinity])]),
    );
    expect(counts).toEqual([
      [
        [2, 4],
        [0, 6],
      ],
      [
        [0, 4],
        [0, 4],
      ],
    ]);
    expect(await making.nodes(/misfire/)).toEqual([]);
    // Java notes what it has missed though it is not to make up for it, and leaves the note.
    const left = (await dropping.owners())['J1']!;
    expect((await dropping.nodes(/misfire/)).map(({ path }) => path)).toEqual(
      left.map((item) => `sharding/${item}/misfire`),
    );
  });
});

const marks = async (job: MixedCluster): Promise<readonly number[]> =>
  (await job.nodes(/^sharding\/\d+\/running$/)).map(({ path }) => Number(path.split('/')[1]));
