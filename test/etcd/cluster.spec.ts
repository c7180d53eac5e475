import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DoctorAPI, type Examination } from '../../lib/operations/doctor-api.js';
import { EtcdRegistryCenter } from '../../lib/registry/etcd/etcd-registry-center.js';
import { untilConnected } from '../support/etcd-centres.js';
import { EtcdCluster } from '../support/etcd-cluster.js';
import { type EtcdServer } from '../support/etcd-server.js';
import { until } from '../support/until.js';

describe('A registry centre on three members of etcd', () => {
  let cluster!: EtcdCluster;

  beforeAll(async () => {
    cluster = await EtcdCluster.start();
  });
  afterAll(async () => {
    await cluster[Symbol.asyncDispose]();
  });

  test('goes on with its session at another member when its own crashes, even if that was the leader', async () => {
    const own = await cluster.leader();
    const endpoints = [own, ...cluster.members.filter((each) => each !== own)].map(
      ({ address }) => `http://${address}`,
    );
    await using centre = disposable(
      new EtcdRegistryCenter({
        endpoints: endpoints.join(','),
        namespace: 'cluster',
        sessionTimeoutMilliseconds: 10_000,
      }),
    );
    centre.connect();
    await untilConnected(centre);
    const { state } = centre.session;
    await centre.create('/job/mine', '', 'session');
    const mirror = await centre.mirror('/job');
    const revisions = [await centre.commit([{ type: 'create', path: '/job/a', value: '' }])];

    await own.kill();
    await until(() => centre.session.state.phase === 'suspended', 'the session is suspended');
    await untilConnected(centre);

    expect(centre.session.state).toEqual(state);
    revisions.push(await centre.commit([{ type: 'create', path: '/job/b', value: '' }]));
    expect(revisions[1]).toBeGreaterThan(revisions[0]!);
    await mirror.sync();
    expect([...mirror.nodes.keys()].sort()).toEqual(['/job', '/job/a', '/job/b', '/job/mine']);
    await own.restart();
  });

  test('learns what became of a commit that died with the leader before etcd gives it up', async () => {
    const leader = await cluster.leader();
    const [member, other] = cluster.members.filter((each) => each !== leader) as [EtcdServer, EtcdServer];
    await using centre = await opened(member, 'orphans');
    await using peer = await opened(other, 'orphans');
    await centre.create('/job', '');

    leader.pause();
    // Both are passed on to the leader, which does not hear them.
    const forgotten = member.call('kv/put', { key: btoa('unrelated'), value: btoa('') }).catch(() => undefined);
    const commit = centre.commit([{ type: 'create', path: '/job/a', value: '' }]);
    const outcomes = [commit.then(() => 'the commit was made'), forgotten.then(() => 'etcd gave up the request')];
    await cluster.leaderBut(leader);
    await peer.put('/job/b', '');

    const first = await Promise.race(outcomes);
    leader.resume();
    await Promise.all(outcomes);

    expect(first).toBe('the commit was made');
    expect(await centre.children('/job')).toEqual(['a', 'b']);
  });

  test('makes each of its commits exactly once while the leader changes again and again', async () => {
    const endpoints = cluster.members.map(({ address }) => `http://${address}`).join(',');
    await using centre = disposable(
      new EtcdRegistryCenter({ endpoints, namespace: 'moves', sessionTimeoutMilliseconds: 20_000 }),
    );
    centre.connect();
    await untilConnected(centre);
    await centre.put('/job/counter', '');
    let commits = 0;
    let isOver = false;
    const failures: unknown[] = [];
    const writing = (async () => {
      while (!isOver) {
        try {
          await centre.put('/job/counter', String(commits));
          commits++;
        } catch (error) {
          // Nothing was changed: an unknown outcome would be an error of another code.
          if ((error as { readonly code?: string }).code !== 'REGISTRY_UNAVAILABLE') failures.push(error);
          await untilConnected(centre);
        }
      }
    })();

    for (let change = 0; change < 3; change++) {
      const present = await cluster.leader();
      const before = commits;
      await until(() => commits > before + 5, 'commits are made');
      await present.restart();
      await Promise.all(cluster.members.map((member) => member.ready()));
    }
    isOver = true;
    await writing;

    const [node] = await centre.getAll(['/job/counter']);
    expect(failures).toEqual([]);
    expect(node?.version).toBe(commits);
  });
});

test('the doctor names each member that does not answer: at a configured endpoint as a problem, elsewhere as not examined', async () => {
  await using cluster = await EtcdCluster.start();
  const [own, second, third] = cluster.members as [EtcdServer, EtcdServer, EtcdServer];
  const endpoints = `http://${own.address},http://${second.address}`;
  await using centre = disposable(new EtcdRegistryCenter({ endpoints, namespace: 'examined' }));
  centre.connect();
  await untilConnected(centre);
  const healthy = await new DoctorAPI(centre).examine();
  // A member that serves no clients, as a majority still has to answer.
  await second.kill();
  const withoutSecond = await new DoctorAPI(centre).examine();
  await second.restart();
  await third.kill();
  const withoutThird = await new DoctorAPI(centre).examine();

  const aboutMembers = ({ findings }: Examination): readonly string[] =>
    findings.filter(({ type }) => /^etcd-(members|version|mixed)$/.test(type)).map(({ sentence }) => sentence);
  expect(aboutMembers(healthy)).toEqual([]);
  expect(healthy.unknown).toEqual([expect.stringContaining('Clocks were not compared')]);
  expect(aboutMembers(withoutSecond)).toEqual([
    `Members of etcd do not answer: m1 at ${second.address} (ECONNREFUSED).`,
  ]);
  expect(aboutMembers(withoutThird)).toEqual([]);
  expect(withoutThird.unknown).toContain(
    `Member m2 of etcd was not examined: no answer at ${third.address} (ECONNREFUSED)`,
  );
});

/** A centre on one member, whose requests and sessions may take long. */
async function opened(member: EtcdServer, namespace: string): Promise<EtcdRegistryCenter & AsyncDisposable> {
  const timeouts = { sessionTimeoutMilliseconds: 60_000, connectionTimeoutMilliseconds: 30_000 };
  const centre = new EtcdRegistryCenter({ endpoints: `http://${member.address}`, namespace, ...timeouts });
  centre.connect();
  await untilConnected(centre);
  return disposable(centre);
}

function disposable(centre: EtcdRegistryCenter): EtcdRegistryCenter & AsyncDisposable {
  return Object.assign(centre, { [Symbol.asyncDispose]: () => centre.close() });
}
