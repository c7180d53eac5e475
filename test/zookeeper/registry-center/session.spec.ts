import { expect, test } from '@jest/globals';
import { settle } from '../../../lib/testing/manual-clock.js';
import { ZookeeperRegistryCenter } from '../../../lib/registry/zookeeper/zookeeper-registry-center.js';
import { freePort } from '../../support/free-port.js';
import { JumpingClock } from '../../support/jumping-clock.js';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { until } from '../../support/until.js';
import { openProxied, proxiedCentre, untilConnected } from '../../support/zookeeper-centres.js';
import { ZooKeeperServer } from '../../support/zookeeper-server.js';

const zooKeeper = sharedZooKeeper();

/** A session that ends soon. */
const SHORT_MS = 1_500;

/** A session in which a busy machine comes nowhere near an end; the clock of the test jumps there. */
const LONG_MS = 100_000;

function recordPhases(centre: ZookeeperRegistryCenter): readonly string[] {
  const phases: string[] = [];
  centre.session.onChange(({ phase }) => phases.push(phase));
  return phases;
}

function idOf(centre: ZookeeperRegistryCenter): string {
  const { state } = centre.session;
  if (state.phase !== 'connected') throw new Error(`Not connected but ${state.phase}`);
  return state.id;
}

test('a session survives a restart of the server, with its nodes and mirrors', async () => {
  await using server = await ZooKeeperServer.start();
  await using proxied = await openProxied(server.address, { sessionTimeoutMilliseconds: 60_000 });
  const { centre } = proxied;
  await centre.create('/mine', 'x', 'session');
  const mirror = await centre.mirror('/');
  const id = idOf(centre);

  await server.stop();
  await until(() => centre.session.state.phase === 'suspended');
  await expect(centre.get('/mine')).rejects.toMatchObject({ code: 'REGISTRY_UNAVAILABLE' });
  await server.restart();
  await untilConnected(centre);

  expect(idOf(centre)).toBe(id);
  await until(() => mirror.isCurrent);
  expect(mirror.nodes.get('/mine')).toMatchObject({ value: 'x', session: id });
});

test('when a server comes back after the session was lost, the old session is ended before a new one is reported', async () => {
  await using server = await ZooKeeperServer.start();
  await using proxied = await openProxied(server.address, { sessionTimeoutMilliseconds: SHORT_MS });
  const { centre } = proxied;
  await centre.create('/mine', 'old', 'session');
  const phases = recordPhases(centre);

  await server.kill();
  await until(() => phases.includes('lost'));
  await server.restart();
  await untilConnected(centre);

  // A restarted server would have kept the old session for another timeout.
  expect(await centre.get('/mine')).toBeUndefined();
  expect(await centre.create('/mine', 'new', 'session')).toBe(true);
});

test.each(['up', 'down'] as const)(
  'when nothing passes %s any more, the session is suspended after two thirds of its time and lost after all of it',
  async (direction) => {
    const clock = new JumpingClock();
    await using proxied = await openProxied(zooKeeper.servers, {
      clock,
      namespace: zooKeeper.namespace(),
      sessionTimeoutMilliseconds: LONG_MS,
    });
    const { centre, proxy } = proxied;
    const id = idOf(centre);
    const phases = recordPhases(centre);
    const passTenth = async (): Promise<void> => {
      clock.jump(LONG_MS / 10);
      await settle();
    };

    proxy.refuse();
    proxy.blackHole(direction);
    for (let tenth = 1; tenth <= 6; tenth++) await passTenth();
    expect(phases).toEqual([]);
    for (let tenth = 7; tenth <= 9; tenth++) await passTenth();
    await until(() => phases.length > 0);
    expect(phases).toEqual(['suspended']);
    await passTenth();
    await until(() => phases.length > 1);

    expect(phases.slice(0, 2)).toEqual(['suspended', 'lost']);
    proxy.heal();
    await untilConnected(centre);
    expect(idOf(centre)).not.toBe(id);
  },
);

test('events that still arrive do not hide that requests no longer reach the server', async () => {
  const namespace = zooKeeper.namespace();
  await using proxied = await openProxied(zooKeeper.servers, { namespace, sessionTimeoutMilliseconds: SHORT_MS });
  await using peer = await openProxied(zooKeeper.servers, { namespace });
  await proxied.centre.create('/mine', '', 'session');
  await proxied.centre.mirror('/');
  const events: string[] = [];
  proxied.centre.session.onChange(({ phase }) => {
    if (phase !== 'connecting') events.push(phase);
  });

  proxied.proxy.blackHole('up');
  await until(async () => {
    await peer.centre.put('/noise', 'x');
    if ((await peer.centre.get('/mine')) !== undefined) return false;
    events.push('gone');
    return true;
  });

  expect(events.slice(0, 3)).toEqual(['suspended', 'lost', 'gone']);
});

test('a slow network in either direction changes nothing', async () => {
  await using proxied = await openProxied(zooKeeper.servers, { namespace: zooKeeper.namespace() });
  const { centre, proxy } = proxied;
  const phases = recordPhases(centre);
  const mirror = await centre.mirror('/');

  proxy.delay('up', 100);
  proxy.delay('down', 100);
  await Promise.all([centre.put('/a', '1'), centre.put('/b', '2')]);
  await mirror.sync();

  expect(mirror.nodes.get('/b')?.value).toBe('2');
  expect(phases).toEqual([]);
});

test('a process that was frozen longer than its session finds it lost as soon as it continues', async () => {
  const clock = new JumpingClock();
  await using proxied = await openProxied(zooKeeper.servers, {
    clock,
    namespace: zooKeeper.namespace(),
    sessionTimeoutMilliseconds: LONG_MS,
  });
  const { centre } = proxied;
  const id = idOf(centre);
  const phases = recordPhases(centre);

  clock.jump(LONG_MS + 1);
  const { phase } = centre.session.state;

  expect(phase).toBe('lost');
  await untilConnected(centre);
  expect(phases).toEqual(['lost', 'connecting', 'connected']);
  expect(idOf(centre)).not.toBe(id);
});

test('a process that was frozen for a part of its session goes on as if nothing had happened', async () => {
  const clock = new JumpingClock();
  await using proxied = await openProxied(zooKeeper.servers, {
    clock,
    namespace: zooKeeper.namespace(),
    sessionTimeoutMilliseconds: LONG_MS,
  });
  const { centre } = proxied;
  const id = idOf(centre);
  const phases = recordPhases(centre);

  await centre.put('/a', '');

  clock.jump(0.7 * LONG_MS);
  // No item begins until the server has answered: the session may be over.
  expect([centre.session.state.phase, centre.session.isSilent]).toEqual(['connected', true]);

  await centre.put('/a', 'again');
  expect(centre.session.isSilent).toBe(false);
  expect(idOf(centre)).toBe(id);
  expect(phases).toEqual([]);
});

test.each(['persistent', 'session'] as const)(
  'a call that was made in a session does not go on in the next one: a %s node is not created',
  async (lifetime) => {
    const namespace = zooKeeper.namespace();
    await using peer = await openProxied(zooKeeper.servers, { namespace });
    await using proxied = await openProxied(zooKeeper.servers, { namespace, maxRetries: 20 });
    const { centre, proxy } = proxied;
    await peer.centre.put('/job', '');
    proxy.refuse();
    proxy.cut();
    await until(() => centre.session.state.phase === 'suspended');

    const creating = Promise.allSettled([
      centre.create('/job/created', '', lifetime),
      centre.put('/job/written', ''),
      centre.commit([{ type: 'create', path: '/job/committed', value: '', lifetime }]),
      centre.get('/job'),
    ]);
    await proxied.expire();
    proxy.heal();
    await untilConnected(centre);

    const sessionLost = {
      status: 'rejected',
      reason: expect.objectContaining({
        code: 'REGISTRY_UNAVAILABLE',
        cause: expect.objectContaining({ code: 'SESSION_LOST' }) as unknown,
      }) as unknown,
    };
    expect(await creating).toEqual([sessionLost, sessionLost, sessionLost, sessionLost]);
    expect(await centre.children('/job')).toEqual([]);
  },
);

test('a call of several requests in which the process is frozen for longer than its session ends with the session', async () => {
  const clock = new JumpingClock();
  const namespace = zooKeeper.namespace();
  await using peer = await openProxied(zooKeeper.servers, { namespace });
  await using proxied = await openProxied(zooKeeper.servers, {
    clock,
    namespace,
    sessionTimeoutMilliseconds: LONG_MS,
    maxRetries: 20,
  });
  const { centre, proxy } = proxied;
  await peer.centre.put('/job', '');
  // The creation has failed, and the centre asks which parents are missing.
  proxy.withholdFrom('exists');
  const creating = Promise.allSettled([centre.create('/job/missing/mine', '', 'session')]);
  await until(() => proxy.heldBytes('up') > 0);

  clock.jump(LONG_MS + 1);

  expect(await creating).toMatchObject([{ status: 'rejected', reason: { code: 'REGISTRY_UNAVAILABLE' } }]);
  await untilConnected(centre);
  expect(await peer.centre.children('/job')).toEqual([]);
});

test('a centre waits for a server that is absent at the start', async () => {
  const port = await freePort();
  await using proxied = await proxiedCentre(`127.0.0.1:${port}`);
  const { centre } = proxied;

  centre.connect();
  await expect(centre.get('/a')).rejects.toMatchObject({ code: 'REGISTRY_UNAVAILABLE' });
  expect(centre.session.state.phase).toBe('connecting');
  await using server = await ZooKeeperServer.start({ port });
  await untilConnected(centre);

  expect(await centre.create('/a', '')).toBe(true);
  expect(proxied.client().state).toMatchObject({ server: proxied.proxy.address });
  expect(server.port).toBe(port);
});

test('a centre passes over a dead server', async () => {
  const dead = await freePort();
  const centre = new ZookeeperRegistryCenter({
    serverLists: `127.0.0.1:${dead},${zooKeeper.servers}`,
    namespace: zooKeeper.namespace(),
  });

  centre.connect();
  await untilConnected(centre);

  expect(await centre.create('/a', '')).toBe(true);
  await centre.close();
});

test('a wrong digest closes the session with a reason, and all calls are refused with it', async () => {
  const namespace = zooKeeper.namespace();
  await using owner = await openProxied(zooKeeper.servers, { namespace, digest: 'digest:right' });
  await owner.centre.put('/a', 'secret');
  await using stranger = await proxiedCentre(zooKeeper.servers, { namespace, digest: 'digest:wrong' });

  stranger.centre.connect();
  await until(() => stranger.centre.session.state.phase === 'closed');

  const reason = expect.stringContaining('digest') as unknown;
  const code = 'REGISTRY_CREDENTIALS';
  expect(stranger.centre.session.state).toMatchObject({ reason, refusal: { code } });
  await expect(stranger.centre.get('/a')).rejects.toMatchObject({ code, message: reason });
  await expect(stranger.centre.mirror('/a')).rejects.toMatchObject({ code });
  expect(await owner.centre.get('/a')).toBe('secret');
});

test('a namespace of several segments is created down to its last one', async () => {
  const namespace = `${zooKeeper.namespace()}/orders/eu`;
  await using proxied = await openProxied(zooKeeper.servers, { namespace });
  const { centre } = proxied;

  await centre.commit([{ type: 'create', path: '/job', value: 'x' }]);

  expect(await centre.children('/')).toEqual(['job']);
  const stat = await proxied.client().exists(`/${namespace}/job`);
  expect(stat?.version).toBe(0);
  expect(centre.description).toContain(`namespace '${namespace}'`);
});
