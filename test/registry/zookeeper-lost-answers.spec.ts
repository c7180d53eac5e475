import { expect, test } from '@jest/globals';
import { sharedZooKeeper } from '../support/shared-zookeeper.js';
import { until } from '../support/until.js';
import { openProxied, type ProxiedCentre } from '../support/zookeeper-centres.js';

const zooKeeper = sharedZooKeeper();

async function pair(): Promise<{ victim: ProxiedCentre; peer: ProxiedCentre } & AsyncDisposable> {
  const namespace = zooKeeper.namespace();
  const [victim, peer] = [
    // Patient: what became of a lost write is asked as soon as the connection is back, however busy the machine is.
    await openProxied(zooKeeper.servers, { namespace, maxRetries: 20, maxSleepTimeMilliseconds: 500 }),
    await openProxied(zooKeeper.servers, { namespace }),
  ];
  await peer.centre.put('/job', '');
  const close = async (): Promise<void> => void (await Promise.all([victim.close(), peer.close()]));
  return { victim, peer, [Symbol.asyncDispose]: close };
}

/** Asks, and lets the server carry it out; the answer is lost with the connection, `meanwhile` happens, all is well again. */
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

test('a session node that was there before is not taken for a new one', async () => {
  await using both = await pair();
  const { centre } = both.victim;
  await centre.create('/job/mine', 'x', 'session');

  const result = await losingAnswer(both.victim, () => centre.create('/job/mine', 'x', 'session'));

  expect(result).toEqual({ status: 'fulfilled', value: false });
});

test('of a persistent node whose creation was not confirmed nobody claims to be the creator', async () => {
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

test('a removal that was not confirmed is claimed by nobody', async () => {
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

test('a commit that was not confirmed and whose traces others have covered stays unknown', async () => {
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

test('a place in the queue whose creation was not confirmed is given up, so that others get their turn', async () => {
  await using both = await pair();
  const { victim, peer } = both;
  // So that the parents are there and the lost answer is the one about the place itself.
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

test('a mirror reads again what it wrote itself without being told of the outcome', async () => {
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
  for (let n = 0; n < 20; n++) await peer.centre.put(`/job/items/${n}/running`, '');
  let growing = true;
  const grow = async (): Promise<void> => {
    for (let n = 0; growing && n < 2; n++) await peer.centre.put(`/job/items/${n}/late`, '');
  };

  const [removed] = await Promise.all([victim.centre.remove('/job/items'), grow()]);
  growing = false;

  expect(removed).toBe(true);
});
