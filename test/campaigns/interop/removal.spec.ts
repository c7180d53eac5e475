import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { until } from '../../support/until.js';
import { areOver, fire, fireAndBlock, release, sharedJob, untilReady, untilTaken } from './support/triggered-job.js';
import { MixedCluster } from './support/mixed-cluster.js';
import { type PeerRun } from './support/run-log.js';

const zooKeeper = sharedZooKeeper();
let cluster: MixedCluster;

beforeAll(async () => {
  cluster = await MixedCluster.open(zooKeeper.servers, zooKeeper.namespace());
  for (const name of ['J1', 'N1', 'N2']) await cluster.start(name, { job: false });
});
afterAll(() => cluster[Symbol.asyncDispose]());

/** The registered instances by name, and the servers by their instances. */
async function registered(job: MixedCluster, names: readonly string[]): Promise<object> {
  const instances = (await job.nodes(/^instances\/./)).map(({ path }) => job.nameOf(path.split('/')[1]!));
  const servers = (await job.nodes(/^servers\/./)).map(({ path }) =>
    names.find((name) => path.endsWith(`/${job.peer(name).ip}`)),
  );
  return { instances: instances.sort(), servers: servers.sort() };
}

const status = async (job: MixedCluster): Promise<unknown> =>
  ((await job.operate('statistics', job.job.jobName)) as { readonly job: { readonly status: unknown } }).job.status;

describe.each([
  ['Node alone', ['N1', 'N2']],
  ['both kinds that Java leads', ['J1', 'N1']],
  ['both kinds that Node leads', ['N1', 'J1']],
] as const)('An operator, on a job of %s,', (_, members) => {
  const all = [...members].sort();

  test.each(['shutdown', 'remove'])(
    'carries out %s of an idle server: the other runs everything',
    async (operation) => {
      for (const name of members) {
        await using job = await sharedJob(cluster, members);
        const rest = members.filter((each) => each !== name);

        await job.operate(operation, job.job.jobName, job.peer(name).ip);
        await untilTaken(job, rest);

        expect(await fire(job)).toEqual({ [rest[0]!]: [0, 1, 2, 3] });
        expect(await registered(job, members)).toEqual({
          instances: rest,
          servers: operation === 'remove' ? rest : all,
        });
        expect(await job.leader()).toBe(rest[0]);
      }
    },
  );

  test('shuts the job down: nobody takes part, until somebody is started again', async () => {
    await using job = await sharedJob(cluster, members);

    await job.operate('shutdown', job.job.jobName, null);
    await until(async () => (await job.leader()) === undefined, 'the leader to go');
    expect(await registered(job, members)).toEqual({ instances: [], servers: all });
    expect(await status(job)).toBe('CRASHED');
    // As long as items belong to instances that are gone, Java's statistics of items fail, of whichever kind they were.
    await expect(job.operate('items', job.job.jobName)).rejects.toThrow('NullPointerException');
    for (const name of members) {
      await job.peer(name).stop();
      await job.peer(name).begin(job.job);
    }
    await untilReady(job, members);

    expect(Object.keys(await fire(job)).sort()).toEqual(all);
  });

  test('removes the job, and then its configuration: nothing of it is left', async () => {
    await using job = await sharedJob(cluster, members);

    await job.operate('remove', job.job.jobName, null);
    await until(async () => (await job.leader()) === undefined, 'the leader to go');
    expect(await registered(job, members)).toEqual({ instances: [], servers: [] });
    await job.operate('removeConfiguration', job.job.jobName);

    expect(await job.nodes()).toEqual([]);
    expect(await job.reader.value(`/${job.job.jobName}`)).toBeUndefined();
  });

  test('removes the configuration of a job that is in use: it ends everywhere, and can be started anew', async () => {
    await using job = await sharedJob(cluster, members);

    await job.operate('removeConfiguration', job.job.jobName);
    // An instance that was writing at that moment may leave empty nodes, which do no harm.
    const isInUse = /^(config|instances\/|sharding|leader\/sharding|leader\/election\/(instance|latch\/))/;
    await until(async () => (await job.nodes(isInUse)).length === 0, 'the job to go');
    for (const name of members) {
      await job.peer(name).stop();
      await job.peer(name).begin(job.job);
    }
    await untilReady(job, members);

    expect(Object.keys(await fire(job)).sort()).toEqual(all);
  });

  test('shuts a busy server down: its run goes on, and where a Java instance has a part in it, is made a second time', async () => {
    for (const name of members) {
      await using job = await sharedJob(cluster, members);
      const other = members.find((each) => each !== name)!;
      const owners = await job.owners();
      const since = Date.now();
      await fireAndBlock(job, members);

      await job.operate('shutdown', job.job.jobName, job.peer(name).ip);
      await job.peer(other).release();
      // Java knows but one reason for which a busy instance can be gone: it has crashed. Node knows that of Java's,
      // too.
      const again = [name, other].some((each) => each.startsWith('J')) ? owners[name]! : [];
      await job.untilRan(
        'the other to finish',
        (runs) => areOver(of(other, runs), owners[other]!.length + again.length),
        since,
      );
      await job.peer(name).release();
      await job.untilRan('the run to end', (runs) => areOver(of(name, runs), owners[name]!.length), since);

      expect(job.ran(since)).toEqual({ [name]: owners[name], [other]: [...owners[other]!, ...again].sort() });
      expect(of(name, job.runs(since)).map(({ outcome }) => outcome)).toEqual(['ended', 'ended']);
      await untilTaken(job, [other]);
      expect(await fire(job)).toEqual({ [other]: [0, 1, 2, 3] });
    }
  });

  test('disables a busy server and then shuts it down: nothing runs twice', async () => {
    for (const name of members) {
      await using job = await sharedJob(cluster, members);
      const other = members.find((each) => each !== name)!;
      const owners = await job.owners();
      const since = Date.now();
      await fireAndBlock(job, members);

      await job.operate('disable', job.job.jobName, job.peer(name).ip);
      await job.operate('shutdown', job.job.jobName, job.peer(name).ip);
      for (const each of [other, name]) {
        await job.peer(each).release();
        await job.untilRan(`${each} to finish`, (runs) => areOver(of(each, runs), 2), since);
      }
      await untilTaken(job, [other]);

      await fire(job);
      expect(job.ran(since)).toEqual({ [name]: owners[name], [other]: [0, 1, 2, 3, ...owners[other]!].sort() });
    }
  });

  test('disables a busy server, lets it finish, and removes it: nothing runs twice, and nothing of it is left', async () => {
    for (const name of members) {
      await using job = await sharedJob(cluster, members);
      const other = members.find((each) => each !== name)!;
      const owners = await job.owners();
      const since = Date.now();
      await fireAndBlock(job, members);

      await job.operate('disable', job.job.jobName, job.peer(name).ip);
      await release(job, members);
      await job.untilRan('all to finish', (runs) => areOver(runs, 4), since);
      await until(async () => (await job.nodes(/running$/)).length === 0, 'the marks to go');
      await job.operate('remove', job.job.jobName, job.peer(name).ip);
      await untilTaken(job, [other]);

      await fire(job);
      expect(job.ran(since)).toEqual({ [name]: owners[name], [other]: [0, 1, 2, 3, ...owners[other]!].sort() });
      expect(await registered(job, members)).toEqual({ instances: [other], servers: [other] });
    }
  });
});

const of = (name: string, runs: readonly PeerRun[]): readonly PeerRun[] => runs.filter(({ by }) => by === name);
