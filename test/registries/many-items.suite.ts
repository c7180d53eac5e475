/* eslint-disable jest/no-export -- a suite that the specs of several registry centres call */
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from '@jest/globals';
import { OneOffJobBootstrap } from '../../lib/kernel/job-bootstrap.js';
import { JobHost } from '../../lib/kernel/job-host.js';
import { toYaml } from '../../lib/layout/job-configuration-yaml.js';
import { isPresenceOnly, type JobView, readJobView } from '../../lib/layout/job-view.js';
import { JobPaths } from '../../lib/layout/job-paths.js';
import { jobInstanceOn } from '../../lib/layout/job-instance.js';
import { type Mirror, type RegistryCenter } from '../../lib/registry/registry-center.js';
import { createRegistryCenter } from '../../lib/settings/create-registry-center.js';
import { aConfiguration } from '../support/views.js';
import { newNamespace, type RegistryKind, silent } from './registry-kind.js';

const paths = new JobPaths('bill');

/** Jobs of as many items as large applications have. */
export function manyItems(kind: RegistryKind, counts: readonly number[] = [1_000, 20_000]): void {
  const server = kind.shared();

  test.each(counts)('a job of ten items gets %d, and has ten again', async (most) => {
    const settings = server.regCenter({ namespace: newNamespace() });

    expect(await growsAndShrinks(() => createRegistryCenter(settings, silent), most)).toBe(20);
  });
}

/**
 * Two instances have ten items, then so many, then ten again. Returns how many nodes there are of items in
 * the end.
 */
export async function growsAndShrinks(open: () => RegistryCenter, most: number): Promise<number> {
  const registry = open();
  await using first = await start(registry, 'A');
  await using second = await start(open(), 'B');
  const mirror = await registry.mirror(paths.root, { presenceOnly: isPresenceOnly });

  for (const total of [10, most, 10]) {
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
