import { expect, test } from '@jest/globals';
import { EmbeddedRegistryCenter } from '../../../lib/registry/embedded/embedded-registry-center.js';
import { ZookeeperRegistryCenter } from '../../../lib/registry/zookeeper/zookeeper-registry-center.js';
import { createRegistryCenter } from '../../../lib/settings/create-registry-center.js';
import { until } from '../../support/until.js';

const silent = { debug: () => undefined, log: () => undefined, warn: () => undefined, error: () => undefined };

test('without serverLists the registry centre is one inside this process, below the namespace', async () => {
  const registry = createRegistryCenter({ namespace: 'orders', sessionTimeoutMilliseconds: 0 }, silent);
  const peer = createRegistryCenter({ namespace: 'orders' }, silent);
  const stranger = createRegistryCenter({ namespace: 'bills' }, silent);
  for (const each of [registry, peer, stranger]) {
    each.connect();
    await until(() => each.session.state.phase === 'connected');
  }

  await registry.put('/job', 'seen');

  expect(registry).toBeInstanceOf(EmbeddedRegistryCenter);
  expect(await peer.get('/job')).toBe('seen');
  expect(await stranger.get('/job')).toBeUndefined();
  for (const each of [registry, peer, stranger]) await each.close();
});

test('with serverLists the registry centre is ZooKeeper', async () => {
  const registry = createRegistryCenter({ serverLists: 'zoo:2181', namespace: 'orders' }, silent);

  expect(registry).toBeInstanceOf(ZookeeperRegistryCenter);
  expect(registry.description).toContain('zoo:2181');
  await registry.close();
});
