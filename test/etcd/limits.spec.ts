import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { operationBytes } from '../../lib/registry/commit-limits.js';
import { EtcdRegistryCenter } from '../../lib/registry/etcd/etcd-registry-center.js';
import { type EtcdConfiguration } from '../../lib/registry/etcd/etcd-configuration.js';
import { type Operation } from '../../lib/registry/registry-center.js';
import { untilConnected } from '../support/etcd-centres.js';
import { EtcdServer } from '../support/etcd-server.js';

describe('The limits of a commit on etcd', () => {
  let servers: readonly EtcdServer[] = [];
  const centres: EtcdRegistryCenter[] = [];

  beforeAll(async () => {
    servers = await Promise.all([EtcdServer.start(), EtcdServer.start({ args: ['--max-txn-ops=10000'] })]);
  });
  afterAll(async () => {
    await Promise.all(centres.map((centre) => centre.close()));
    await Promise.all(servers.map((server) => server.dispose()));
  });

  async function open(server: EtcdServer, options: Partial<EtcdConfiguration> = {}): Promise<EtcdRegistryCenter> {
    const namespace = 'a namespace/with a long name/that every key begins with';
    const centre = new EtcdRegistryCenter({ endpoints: server.address, namespace, ...options });
    centres.push(centre);
    centre.connect();
    await untilConnected(centre);
    return centre;
  }

  test('follow from what the servers accept in one transaction', async () => {
    const [usual, generous] = [await open(servers[0]!), await open(servers[1]!, { maxTxnOps: 10_000 })];

    expect(usual.limits.operations).toBe(42);
    expect(generous.limits.operations).toBe(300);
  });

  /** Paths as long as they may be, each below a parent of its own. */
  const longPaths = (count: number): { readonly parents: readonly string[]; readonly paths: readonly string[] } => {
    const parents = Array.from(
      { length: count },
      (_, index) => `/job/${'p'.repeat(400)}${String(index).padStart(4, '0')}`,
    );
    return { parents, paths: parents.map((parent) => `${parent}/${'c'.repeat(512 - parent.length - 1)}`) };
  };

  test.each([
    ['creations', (path: string, value: string): Operation => ({ type: 'create', path, value, lifetime: 'session' })],
    ['writes', (path: string, value: string): Operation => ({ type: 'set', path, value, version: 0 })],
    ['replacements', (path: string, value: string): Operation => ({ type: 'replace', path, value })],
    ['removals', (path: string): Operation => ({ type: 'remove', path, version: 0 })],
  ])('let servers accept %s with the longest paths and as many bytes as they say', async (kind, operationOf) => {
    for (const [index, server] of servers.entries()) {
      const centre = await open(server, {
        namespace: `${kind} with a long name`,
        ...(index === 1 && { maxTxnOps: 10_000 }),
      });
      const { limits } = centre;
      const { parents, paths } = longPaths(limits.operations);
      for (const parent of parents) await centre.create(parent, '');
      if (kind !== 'creations') for (const path of paths) await centre.create(path, '');
      const used = paths.reduce((sum, path) => sum + operationBytes(operationOf(path, ''), limits), 0);
      const room = Math.floor((limits.bytes - used) / paths.length);

      await centre.commit(paths.map((path) => operationOf(path, 'x'.repeat(room))));

      const [node] = await centre.getAll([paths[0]!]);
      expect(node?.value?.length).toBe(kind === 'removals' ? undefined : room);
    }
  });

  test('are refused by servers that accept less than maxTxnOps says, with the cure', async () => {
    const centre = await open(servers[0]!, { namespace: 'mistaken', maxTxnOps: 1_000 });
    await centre.create('/job', '');

    const commit = centre.commit(
      Array.from({ length: 200 }, (_, item) => ({ type: 'create', path: `/job/${item}`, value: '' })),
    );

    await expect(commit).rejects.toMatchObject({
      code: 'REGISTRY_REFUSED',
      message: expect.stringContaining('--max-txn-ops'),
    });
    expect(await centre.children('/job')).toEqual([]);
  });

  test('do not let a path be longer than 512 bytes', async () => {
    const centre = await open(servers[0]!, { namespace: 'paths' });

    expect(await centre.create(`/${'ä'.repeat(255)}`, '')).toBe(true);
    await expect(centre.create(`/${'ä'.repeat(256)}`, '')).rejects.toMatchObject({ code: 'REGISTRY_REFUSED' });
  });

  test('namespaces of which one is a part of the other have nothing in common', async () => {
    const [outer, inner] = [
      await open(servers[0]!, { namespace: 'team' }),
      await open(servers[0]!, { namespace: 'team/n' }),
    ];

    await inner.put('/job/x', 'inner');
    await outer.put('/n/job/x', 'outer');

    expect(await outer.children('/')).toEqual(['n']);
    expect(await inner.children('/')).toEqual(['job']);
    expect(await inner.get('/job/x')).toBe('inner');
    expect(await outer.remove('/n')).toBe(true);
    expect(await inner.get('/job/x')).toBe('inner');
  });
});
