import { expect, test } from '@jest/globals';
import { ZookeeperRegistryCenter } from '../../../lib/registry/zookeeper/zookeeper-registry-center.js';
import { until } from '../../support/until.js';
import { untilConnected } from '../../support/zookeeper-centres.js';
import { ZooKeeperEnsemble } from '../../support/zookeeper-ensemble.js';

async function openOn(serverLists: string): Promise<ZookeeperRegistryCenter & AsyncDisposable> {
  const centre = new ZookeeperRegistryCenter({ serverLists, namespace: 'test', sessionTimeoutMilliseconds: 8_000 });
  centre.connect();
  await untilConnected(centre);
  return Object.assign(centre, { [Symbol.asyncDispose]: () => centre.close() });
}

test('a session, its nodes and mirrors survive the loss of the leader of an ensemble', async () => {
  await using ensemble = await ZooKeeperEnsemble.start();
  await using centre = await openOn(ensemble.address);
  await centre.create('/job/mine', 'x', 'session');
  const mirror = await centre.mirror('/job');
  const before = centre.session.state;
  const mine = mirror.nodes.get('/job/mine');
  const phases: string[] = [];
  centre.session.onChange(({ phase }) => phases.push(phase));

  const leader = await ensemble.leader();
  await leader.kill();
  expect(await ensemble.leader()).not.toBe(leader);
  await until(() => mirror.isCurrent && centre.session.state.phase === 'connected');
  await centre.put('/job/after', 'y');
  await mirror.sync();

  expect(centre.session.state).toEqual(before);
  expect(phases).not.toContain('lost');
  expect(mirror.nodes.get('/job/mine')).toBe(mine);
  expect(mirror.nodes.get('/job/after')?.value).toBe('y');
});

// Not at the leader: it answers a sync at once, and may confirm a change at a follower before it has applied it itself.
test('what one follower has confirmed is read at the other', async () => {
  await using ensemble = await ZooKeeperEnsemble.start();
  const leader = await ensemble.leader();
  const [first, second] = ensemble.servers.filter((server) => server !== leader).map(({ address }) => address);
  await using writer = await openOn(first!);
  await using reader = await openOn(second!);
  const mirror = await reader.mirror('/job');
  const stale: string[] = [];

  for (let n = 0; n < 50; n++) {
    await writer.put('/job', String(n));
    const [value, names] = await Promise.all([reader.get('/job'), reader.children('/'), mirror.sync()]);
    if (value !== String(n) || !names.includes('job')) stale.push(`get ${value} at ${n}`);
    if (mirror.nodes.get('/job')?.value !== String(n)) stale.push(`mirror at ${n}`);
  }

  expect(stale).toEqual([]);
});
