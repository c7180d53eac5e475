import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { OneOffJobBootstrap } from '../../../lib/kernel/job-bootstrap.js';
import { JobHost } from '../../../lib/kernel/job-host.js';
import { toYaml } from '../../../lib/layout/job-configuration-yaml.js';
import { isPresenceOnly, type JobView, readJobView } from '../../../lib/layout/job-view.js';
import { JobPaths } from '../../../lib/layout/job-paths.js';
import { jobInstanceOn } from '../../../lib/layout/job-instance.js';
import { EmbeddedRegistryCenter } from '../../../lib/registry/embedded/embedded-registry-center.js';
import { EmbeddedRegistryServer } from '../../../lib/registry/embedded/embedded-registry-server.js';
import { type Mirror, type RegistryCenter } from '../../../lib/registry/registry-center.js';
import { ZookeeperRegistryCenter } from '../../../lib/registry/zookeeper/zookeeper-registry-center.js';
import { aConfiguration } from '../../support/views.js';
import { ZooKeeperServer } from '../../support/zookeeper-server.js';

const silent = { debug: () => undefined, log: () => undefined, warn: () => undefined, error: () => undefined };
const paths = new JobPaths('bill');

/** The greatest number of items that a job may have. */
const MOST_ITEMS = 100_000;

describe('a job of a hundred thousand items', () => {
  test('is assigned, on the embedded registry', async () => {
    const server = new EmbeddedRegistryServer();
    expect(await growsAndShrinks(() => new EmbeddedRegistryCenter({ server }))).toBe(20);
  });

  test('is assigned, on a real ZooKeeper', async () => {
    const server = await ZooKeeperServer.start({ heapMb: 512 });
    try {
      const settings = { serverLists: server.address, namespace: 'many' };
      expect(await growsAndShrinks(() => new ZookeeperRegistryCenter(settings))).toBe(20);
    } finally {
      await server.dispose();
    }
  });
});

/**
 * Two instances have ten items, then a hundred thousand, then ten again. Returns how many nodes there are of items in
 * the end.
 */
async function growsAndShrinks(open: () => RegistryCenter): Promise<number> {
  const registry = open();
  await using first = await start(registry, 'A');
  await using second = await start(open(), 'B');
  const mirror = await registry.mirror(paths.root, { presenceOnly: isPresenceOnly });

  for (const total of [10, MOST_ITEMS, 10]) {
    await registry.put(paths.config, toYaml(aConfiguration({ shardingTotalCount: total })));
    await assigned(mirror, { A: total / 2, B: total / 2 });
    // So many names fit into one answer.
    expect(await registry.children(paths.sharding)).toHaveLength(total);
  }

  const nodes = [...mirror.nodes.keys()].filter((path) => paths.itemOf(path) !== undefined);
  await Promise.all([first.host.stop(), second.host.stop()]);
  return nodes.length;
}

/** Waits until the items are assigned to instances of these names, so many to each. */
function assigned(mirror: Mirror, counts: Readonly<Record<string, number>>): Promise<void> {
  const isAssigned = (): boolean =>
    !mirror.nodes.has(paths.resharding) && isDeepStrictEqual(ownedBy(readJobView(mirror.nodes, 'bill')), counts);
  return new Promise((resolve) => {
    const look = (): void => {
      if (!isAssigned()) return;
      unsubscribe();
      resolve();
    };
    const unsubscribe = mirror.onChange(look);
    look();
  });
}

/** Number of items by the name of the instance that owns them. */
function ownedBy({ items }: JobView): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { owner } of items) {
    const name = owner?.at(-1) ?? 'nobody';
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

async function start(registryCenter: RegistryCenter, name: string): Promise<AsyncDisposable & { host: JobHost }> {
  registryCenter.connect();
  const instance = jobInstanceOn(`10.0.0.${name.charCodeAt(0)}`, name);
  const host = new JobHost({ registryCenter, logger: silent, instance });
  const job = { execute: () => undefined };
  const configuration = aConfiguration({ shardingTotalCount: 10 });
  await new OneOffJobBootstrap(registryCenter, job, configuration, { host, jobClassName: 'BillJob' }).start();
  return {
    host,
    [Symbol.asyncDispose]: async () => {
      await host.stop();
      await registryCenter.close();
    },
  };
}
