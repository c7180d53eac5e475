import { describe, expect, test } from '@jest/globals';
import { EmbeddedRegistryCenter } from '../../../lib/registry/embedded/embedded-registry-center.js';
import { EmbeddedRegistryServer } from '../../../lib/registry/embedded/embedded-registry-server.js';
import { ZookeeperRegistryCenter } from '../../../lib/registry/zookeeper/zookeeper-registry-center.js';
import { growsAndShrinks } from '../../registries/many-items.suite.js';
import { ZooKeeperServer } from '../../support/zookeeper-server.js';

/** The greatest number of items that a job may have. */
const MOST_ITEMS = 100_000;

describe('a job of a hundred thousand items', () => {
  test('is assigned, on the embedded registry', async () => {
    const server = new EmbeddedRegistryServer();
    expect(await growsAndShrinks(() => new EmbeddedRegistryCenter({ server }), MOST_ITEMS)).toBe(20);
  });

  test('is assigned, on a real ZooKeeper', async () => {
    const server = await ZooKeeperServer.start({ heapMb: 512 });
    try {
      const settings = { serverLists: server.address, namespace: 'many' };
      expect(await growsAndShrinks(() => new ZookeeperRegistryCenter(settings), MOST_ITEMS)).toBe(20);
    } finally {
      await server.dispose();
    }
  });
});
