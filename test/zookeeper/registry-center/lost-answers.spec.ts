import { expect, test } from '@jest/globals';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { until } from '../../support/until.js';
import { openProxied, type ProxiedCentre, untilConnected } from '../../support/zookeeper-centres.js';

const zooKeeper = sharedZooKeeper();

async function pair(): Promise<{ victim: ProxiedCentre; peer: ProxiedCentre } & AsyncDisposable> {
  const namespace = zooKeeper.namespace();
  const [victim, peer] = [
    // Many retries: on a busy machine the connection may need some time to come back.
    await openProxied(zooKeeper.servers, { namespace, maxRetries: 20, maxSleepTimeMilliseconds: 500 }),
    await openProxied(zooKeeper.servers, { namespace }),
  ];
  await peer.centre.put('/job', '');
  const close = async (): Promise<void> => void (await Promise.all([victim.close(), peer.close()]));
  return { victim, peer, [Symbol.asyncDispose]: close };
}

/**
 * The server carries out the request; its answer is lost with the connection. `meanwhile` happens before the centre can
 * reconnect.
 */
async function losingAnswer<T>(
  { proxy }: ProxiedCentre,
  ask: () => Promise<T>,
  meanwhile: () => Promise<unknown> = () => Promise.resolve(),
): Promise<PromiseSettledResult<T>> {
  proxy.resetRequests();
  proxy.blackHole('down');
  const asked = Promise.allSettled([ask()]);
  await until(() => proxy.count('create2', 'setData', 'delete', 'multi') > 0 && proxy.heldBytes('down') > 0);
  proxy.refuse();
  proxy.cut();
  await meanwhile();
  proxy.heal();
  return (await asked)[0];
}

/** The request is lost on its way to the server. `meanwhile` happens before the centre can reconnect. */
async function losingRequest<T>(
  { proxy }: ProxiedCentre,
  ask: () => Promise<T>,
  meanwhile: () => Promise<unknown> = () => Promise.resolve(),
): Promise<PromiseSettledResult<T>> {
  proxy.blackHole('up');
  const asked = Promise.allSettled([ask()]);
  await until(() => proxy.heldBytes('up') > 0);
  proxy.refuse();
  proxy.cut();
  await meanwhile();
  proxy.heal();
  return (await asked)[0];
}

const unknown = {
  status: 'rejected',
  reason: expect.objectContaining({ code: 'REGISTRY_OUTCOME_UNKNOWN' }) as unknown,
};

test('a session node whose creation was not confirmed is recognised as ours', async () => {
  await using both = await pair();
  const { victim, peer } = both;

  const result = await losingAnswer(victim, () => victim.centre.create('/job/mine', 'x', 'session'));

  expect(result).toEqual({ status: 'fulfilled', value: true });
  expect(await peer.centre.get('/job/mine')).toBe('x');
});

test('a write that did not reach the server before the session ended is not repeated in the next session', async () => {
  await using both = await pair();
  const { victim, peer } = both;

  const result = await losingRequest(
    victim,
    () => victim.centre.create('/job/mine', 'x', 'session'),
    () => victim.expire(),
  );
  await untilConnected(victim.centre);

  expect(result).toMatchObject(unknown);
  expect(await peer.centre.children('/job')).toEqual([]);
});

test('a session node that was there before is not taken for a new one', async () => {
  await using both = await pair();
  const { centre } = both.victim;
  await centre.create('/job/mine', 'x', 'session');

  const result = await losingAnswer(both.victim, () => centre.create('/job/mine', 'x', 'session'));

  expect(result).toEqual({ status: 'fulfilled', value: false });
});

test('the creation of a persistent node that was not confirmed stays unknown', async () => {
  await using both = await pair();
  const { victim, peer } = both;

  const result = await losingAnswer(victim, () => victim.centre.create('/job/claimed', ''));

  expect(result).toMatchObject(unknown);
  expect(await peer.centre.get('/job/claimed')).toBe('');
});

test('a creation that was not confirmed is repeated once it is certain that there is nothing', async () => {
  await using both = await pair();
  const { victim, peer } = both;

  const result = await losingAnswer(
    victim,
    () => victim.centre.create('/job/a', ''),
    () => peer.centre.remove('/job/a'),
  );

  expect(result).toEqual({ status: 'fulfilled', value: true });
  expect(await peer.centre.get('/job/a')).toBe('');
});

test('a removal that was not confirmed stays unknown', async () => {
  await using both = await pair();
  const { victim, peer } = both;
  await peer.centre.create('/job/trigger', '');

  const result = await losingAnswer(victim, () => victim.centre.remove('/job/trigger'));

  expect(result).toMatchObject(unknown);
  expect(await peer.centre.get('/job/trigger')).toBeUndefined();
});

test('a node created again after a removal that was not confirmed is left alone', async () => {
  await using both = await pair();
  const { victim, peer } = both;
  await peer.centre.create('/job/trigger', 'first');
  await victim.centre.get('/job/trigger');

  const result = await losingAnswer(
    victim,
    () => victim.centre.remove('/job/trigger'),
    () => peer.centre.create('/job/trigger', 'second'),
  );

  expect(result).toMatchObject(unknown);
  expect(await peer.centre.get('/job/trigger')).toBe('second');
});

test('a value whose writing was not confirmed is written once if it is there', async () => {
  await using both = await pair();
  const { victim, peer } = both;
  const mirror = await peer.centre.mirror('/job');

  const result = await losingAnswer(victim, () => victim.centre.put('/job', 'x'));
  await mirror.sync();

  expect(result).toMatchObject({ status: 'fulfilled' });
  expect(mirror.nodes.get('/job')).toMatchObject({ value: 'x', version: 1 });
});

test('a commit that was not confirmed is recognised by what it left, and not repeated', async () => {
  await using both = await pair();
  const { victim, peer } = both;
  const mirror = await peer.centre.mirror('/job');

  const result = await losingAnswer(victim, () =>
    victim.centre.commit([
      { type: 'set', path: '/job', value: 'x' },
      { type: 'create', path: '/job/a', value: 'y' },
    ]),
  );
  await mirror.sync();

  const revision = mirror.nodes.get('/job/a')!.revision;
  expect(result).toEqual({ status: 'fulfilled', value: revision });
  expect(mirror.nodes.get('/job')).toMatchObject({ value: 'x', version: 1, revision });
});

test('a commit that was not confirmed stays unknown if a peer has overwritten its traces', async () => {
  await using both = await pair();
  const { victim, peer } = both;

  const result = await losingAnswer(
    victim,
    () => victim.centre.commit([{ type: 'set', path: '/job', value: 'x' }]),
    () => peer.centre.put('/job', 'theirs'),
  );

  expect(result).toMatchObject(unknown);
  expect(await peer.centre.get('/job')).toBe('theirs');
});

test('a commit that did not reach the server is repeated if a node that it writes is as it was', async () => {
  await using both = await pair();
  const { victim, peer } = both;
  const mirror = await peer.centre.mirror('/job');
  // The victim knows the last change of this node, which is the newest of all.
  await victim.centre.put('/job', 'former');

  const result = await losingRequest(victim, () =>
    victim.centre.commit([{ type: 'set', path: '/job', value: 'x', version: 1 }]),
  );
  await mirror.sync();

  const { revision } = mirror.nodes.get('/job')!;
  expect(result).toEqual({ status: 'fulfilled', value: revision });
  expect(mirror.nodes.get('/job')).toMatchObject({ value: 'x', version: 2 });
});

test('a commit of one value that did not reach the server is not recognised by a peer that wrote the same', async () => {
  await using both = await pair();
  const { victim, peer } = both;

  const result = await losingRequest(
    victim,
    () => victim.centre.commit([{ type: 'set', path: '/job', value: 'same' }]),
    () => peer.centre.put('/job', 'same'),
  );

  expect(result).toMatchObject(unknown);
});

test('a value whose writing was not confirmed is written again if another one stands there', async () => {
  await using both = await pair();
  const { victim, peer } = both;

  const result = await losingAnswer(
    victim,
    () => victim.centre.put('/job', 'x'),
    () => peer.centre.put('/job', 'theirs'),
  );

  expect(result).toMatchObject({ status: 'fulfilled' });
  expect(await peer.centre.get('/job')).toBe('x');
});

test('a request that is still on its way when the session returns to the same server is not carried out any more', async () => {
  await using both = await pair();
  const { victim, peer } = both;
  const { proxy } = victim;
  const mirror = await peer.centre.mirror('/job');
  await victim.centre.put('/job', 'former');
  proxy.withholdFrom('multi');

  const committing = victim.centre.commit([{ type: 'set', path: '/job', value: 'x' }]);
  await until(() => proxy.heldBytes('up') > 0);
  proxy.cutClients();
  // The session goes on with a new connection, on which nothing is withheld.
  await until(() => victim.centre.session.state.phase === 'suspended');
  await until(() => victim.centre.session.state.phase === 'connected');
  proxy.heal();
  await committing;
  await victim.centre.get('/job');
  await mirror.sync();

  expect(mirror.nodes.get('/job')).toMatchObject({ value: 'x', version: 2 });
});

test('a place in the queue whose creation was not confirmed is given up, so that others get their turn', async () => {
  await using both = await pair();
  const { victim, peer } = both;
  // Creates the parents, so that the lost answer is that to the creation of the place.
  await victim.centre.exclusively('/job/latch', 1_000, () => Promise.resolve());
  let ran = false;

  const result = await losingAnswer(victim, () =>
    victim.centre.exclusively('/job/latch', 5_000, () => Promise.resolve((ran = true))),
  );

  expect(result).toMatchObject({ status: 'rejected', reason: { code: 'REGISTRY_UNAVAILABLE' } });
  expect(ran).toBe(false);
  await peer.centre.exclusively('/job/latch', 5_000, () => Promise.resolve());
  expect(await peer.centre.children('/job/latch')).toEqual([]);
});

test('a mirror reads a node again that its centre wrote with an unknown outcome', async () => {
  await using both = await pair();
  const { victim } = both;
  const mirror = await victim.centre.mirror('/job');

  await losingAnswer(victim, () => victim.centre.commit([{ type: 'create', path: '/job/a', value: 'x' }]));
  await until(() => mirror.isCurrent);

  expect(mirror.nodes.get('/job/a')?.value).toBe('x');
});

test('a subtree that grows while it is removed is removed all the same', async () => {
  await using both = await pair();
  const { victim, peer } = both;
  await peer.centre.put('/job/items/0/running', '');
  // The nodes have been listed, and their removal is on its way.
  victim.proxy.withholdFrom('multi');
  const removing = victim.centre.remove('/job/items');
  await until(() => victim.proxy.heldBytes('up') > 0);

  await peer.centre.put('/job/items/0/late', '');
  await peer.centre.put('/job/items/1/late', '');
  victim.proxy.heal();

  expect(await removing).toBe(true);
  expect(await peer.centre.children('/job')).toEqual([]);
  expect(victim.proxy.count('multi')).toBe(2);
});
