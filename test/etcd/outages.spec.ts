import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type SessionState } from '../../lib/registry/registry-center.js';
import { EtcdRegistryCenter } from '../../lib/registry/etcd/etcd-registry-center.js';
import { openProxiedEtcd, untilConnected } from '../support/etcd-centres.js';
import { EtcdServer } from '../support/etcd-server.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { until } from '../support/until.js';

/** All states after this call. */
function record({ session }: EtcdRegistryCenter): SessionState['phase'][] {
  const phases: SessionState['phase'][] = [];
  session.onChange(({ phase }) => phases.push(phase));
  return phases;
}

function sessionOf({ session: { state } }: EtcdRegistryCenter): string {
  return 'id' in state ? state.id : '';
}

describe('A registry centre on etcd', () => {
  let server: EtcdServer;
  const centres: EtcdRegistryCenter[] = [];
  let namespaces = 0;

  beforeAll(async () => {
    server = await EtcdServer.start();
  });
  afterEach(async () => {
    await Promise.all(centres.splice(0).map((centre) => centre.close()));
  });
  afterAll(() => server.dispose());

  const namespace = (): string => `outages-${++namespaces}`;

  async function open(name: string, sessionTimeoutMilliseconds = 10_000): Promise<EtcdRegistryCenter> {
    const endpoints = `http://${server.address}`;
    const centre = new EtcdRegistryCenter({ endpoints, namespace: name, sessionTimeoutMilliseconds });
    centres.push(centre);
    centre.connect();
    await untilConnected(centre);
    return centre;
  }

  test('goes on with its session when the server crashes and comes back', async () => {
    const centre = await open(namespace());
    await centre.create('/job/mine', 'x', 'session');
    const mirror = await centre.mirror('/job');
    const id = sessionOf(centre);
    const phases = record(centre);

    await server.kill();
    await until(() => centre.session.state.phase === 'suspended', 'the session is suspended');
    expect(centre.session.reason).toMatch(/^(ECONNRESET|ECONNREFUSED|Connection dropped) 127\.0\.0\.1:\d+$/);
    await server.restart();
    await untilConnected(centre);

    expect(sessionOf(centre)).toBe(id);
    expect(phases).toEqual(['suspended', 'connected']);
    await until(() => mirror.isCurrent, 'the mirror is current again');
    expect(mirror.nodes.get('/job/mine')).toMatchObject({ value: 'x', session: id });
    expect(await centre.create('/job/later', '', 'session')).toBe(true);
  });

  test('leaves a server that is frozen, and returns to its session when it goes on', async () => {
    const centre = await open(namespace(), 3_000);
    const id = sessionOf(centre);
    const phases = record(centre);

    server.pause();
    await until(() => centre.session.state.phase === 'suspended', 'the session is suspended');
    expect(centre.session.isSilent).toBe(true);
    expect(centre.session.reason).toMatch(/no answer for \d+ ms/);
    server.resume();
    await untilConnected(centre);

    expect(sessionOf(centre)).toBe(id);
    expect(phases).toEqual(['suspended', 'connected']);
  });

  test('is lost by its own clock before a frozen server can end it, and begins again without leftovers', async () => {
    const centre = await open(namespace(), 1_000);
    await centre.create('/job/mine', 'x', 'session');
    const former = sessionOf(centre);
    const phases = record(centre);

    server.pause();
    await until(() => centre.session.state.phase === 'lost', 'the session is lost');
    expect(centre.session.state).toMatchObject({ id: former, reason: expect.stringContaining('confirmed nothing') });
    server.resume();
    await untilConnected(centre);

    expect(sessionOf(centre)).not.toBe(former);
    expect(await centre.get('/job/mine')).toBeUndefined();
    expect(phases).toEqual(['suspended', 'lost', 'connecting', 'connected']);
  });

  test('ends its session if its latest writes are lost, as when a backup has taken the place of the data', async () => {
    const centre = await open(namespace(), 60_000);
    await centre.create('/job/before', '', 'session');
    const former = sessionOf(centre);
    await server.backUp();
    await untilConnected(centre);
    await centre.create('/job/after', '', 'session');

    await server.loseData('backup');
    await server.restart();
    await untilConnected(centre);
    await expect(centre.put('/job/later', 'x')).rejects.toMatchObject({ code: 'REGISTRY_UNAVAILABLE' });
    await until(() => sessionOf(centre) !== former, 'another session begins');
    await untilConnected(centre);

    expect(await centre.children('/job')).toEqual([]);
    await centre.put('/job/later', 'x');
    expect(await centre.get('/job/later')).toBe('x');
  });

  test('ends a session that it has lost by its own clock and that still lives at the server, before it begins another one', async () => {
    await using proxied = await openProxiedEtcd(server.address, {
      namespace: namespace(),
      sessionTimeoutMilliseconds: 2_000,
    });
    const { centre, proxy } = proxied;
    await centre.create('/job/mine', '', 'session');
    const former = sessionOf(centre);

    proxy.refuse();
    proxy.cut();
    await until(async () => {
      // As a change of the leader does, this prolongs the lease.
      await server.call('lease/keepalive', { ID: BigInt(`0x${former}`).toString() });
      return centre.session.state.phase === 'lost';
    }, 'the session is lost');
    proxy.heal();
    await untilConnected(centre);

    expect(sessionOf(centre)).not.toBe(former);
    expect(await centre.get('/job/mine')).toBeUndefined();
  });

  test('hears at once that somebody has revoked its lease', async () => {
    const centre = await open(namespace(), 60_000);
    const phases = record(centre);

    await server.call('lease/revoke', { ID: BigInt(`0x${sessionOf(centre)}`).toString() });
    await until(() => phases.includes('lost'), 'the session is lost', 3_000);
    await untilConnected(centre);

    expect(phases.filter((phase) => phase !== 'suspended')).toEqual(['lost', 'connecting', 'connected']);
  });

  test('knows that a commit was made whose answer was lost', async () => {
    await using proxied = await openProxiedEtcd(server.address, {
      namespace: namespace(),
      sessionTimeoutMilliseconds: 20_000,
    });
    const { centre, proxy } = proxied;
    const [other] = [await open(`outages-${namespaces}`)];
    await centre.put('/job/counter', '0');
    const mirror = await other.mirror('/job');

    proxy.blackHole('down');
    const commit = centre.commit([{ type: 'set', path: '/job/counter', value: '1', version: 0 }]);
    await until(() => mirror.nodes.get('/job/counter')?.value === '1', 'the commit has happened at the server');
    proxy.cut();
    proxy.heal();

    const node = mirror.nodes.get('/job/counter');
    await expect(commit).resolves.toBe(node?.revision);
    await mirror.sync();
    expect(mirror.nodes.get('/job/counter')).toEqual(node);
  });

  test('makes a write once, although the request that was lost first arrives after all', async () => {
    await using first = await TcpProxy.start(server.address, 'other');
    await using second = await TcpProxy.start(server.address, 'other');
    const endpoints = `${first.address},${second.address}`;
    const centre = new EtcdRegistryCenter({ endpoints, namespace: namespace(), sessionTimeoutMilliseconds: 20_000 });
    centres.push(centre);
    centre.connect();
    await untilConnected(centre);
    const other = await open(`outages-${namespaces}`);
    const mirror = await other.mirror('/job');
    await centre.put('/job/counter', '0');

    first.blackHole('up');
    const put = centre.put('/job/counter', '1');
    await until(() => first.heldBytes('up') > 0, 'the request is under way');
    // The centre goes on through the other endpoint, where it settles the write and makes it again.
    first.refuse();
    first.cutClients();
    await put;
    const before = mirror.moment;
    first.heal();
    await until(() => first.connections === 0 || first.heldBytes('up') === 0, 'the late request has arrived');
    await other.put('/job/other', '');
    await mirror.sync();

    expect(mirror.moment).toBeGreaterThan(before);
    expect(mirror.nodes.get('/job/counter')).toMatchObject({ value: '1', version: 1 });
  });

  test('does not know what became of a write if its session ends before that is settled', async () => {
    await using proxied = await openProxiedEtcd(server.address, {
      namespace: namespace(),
      sessionTimeoutMilliseconds: 1_000,
    });
    const { centre, proxy } = proxied;
    await centre.put('/job/counter', '0');

    proxy.blackHole('up', 'down');
    const put = centre.put('/job/counter', '1');

    await expect(put).rejects.toMatchObject({ code: 'REGISTRY_OUTCOME_UNKNOWN' });
    proxy.cut();
    proxy.heal();
  });

  test('reads everything again if etcd has forgotten what happened while it was away', async () => {
    await using proxied = await openProxiedEtcd(server.address, {
      namespace: namespace(),
      sessionTimeoutMilliseconds: 20_000,
    });
    const { centre, proxy } = proxied;
    const other = await open(`outages-${namespaces}`);
    await other.put('/job/removed', '');
    const mirror = await centre.mirror('/job');

    proxy.refuse();
    proxy.cut();
    await until(() => !mirror.isCurrent, 'the mirror is out of date');
    await other.remove('/job/removed');
    const revision = await other.commit([{ type: 'create', path: '/job/new', value: '' }]);
    await server.call('kv/compaction', { revision: String(revision), physical: true });
    proxy.heal();
    await until(() => mirror.isCurrent, 'the mirror is current again');

    expect([...mirror.nodes.keys()]).toEqual(['/job', '/job/new']);
    await other.put('/job/new', 'later');
    await mirror.sync();
    expect(mirror.nodes.get('/job/new')?.value).toBe('later');
  });

  test('tells a tree that came back empty from the one that it knew', async () => {
    const lonely = await EtcdServer.start();
    try {
      const endpoints = `http://${lonely.address}`;
      const centre = new EtcdRegistryCenter({ endpoints, namespace: 'lost', sessionTimeoutMilliseconds: 2_000 });
      centres.push(centre);
      centre.connect();
      await untilConnected(centre);
      await centre.create('/job', '');
      const [known, former] = [await centre.lineage(), sessionOf(centre)];

      await lonely.loseData();
      await lonely.restart();
      await until(
        () => sessionOf(centre) !== former && centre.session.state.phase === 'connected',
        'there is a new session',
      );

      expect((await centre.lineage())?.id).not.toBe(known?.id);
      expect(await centre.children('/')).toEqual([]);
      await centre.close();
    } finally {
      await lonely.dispose();
    }
  });
});
