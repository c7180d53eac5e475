import { describe, expect, test } from '@jest/globals';
import { operationBytes } from '../../../lib/registry/commit-limits.js';
import { type CommitLimits, type Operation } from '../../../lib/registry/registry-center.js';
import { EmbeddedRegistryCenter } from '../../../lib/registry/embedded/embedded-registry-center.js';
import { EmbeddedRegistryServer } from '../../../lib/registry/embedded/embedded-registry-server.js';
import { ZookeeperRegistryCenter } from '../../../lib/registry/zookeeper/zookeeper-registry-center.js';
import { until } from '../../support/until.js';
import { FakeServer } from '../client/fake-server.js';

const MULTI = 14;
const UNIMPLEMENTED = -6;

/** The size of the request by which a centre with a long namespace sends a commit. */
async function bytesOnTheWire(operations: readonly Operation[]): Promise<{ bytes: number; limits: CommitLimits }> {
  let bytes = 0;
  await using server = await FakeServer.start((request, { reply }) => {
    if (request.opcode === MULTI) ({ bytes } = request);
    reply(request.xid, UNIMPLEMENTED);
  });
  const centre = new ZookeeperRegistryCenter({ serverLists: server.address, namespace: 'orders/of/the/whole/wörld' });
  centre.connect();
  await until(() => centre.session.state.phase === 'connected', 'the centre is connected');
  await expect(centre.commit(operations)).rejects.toMatchObject({ code: 'REGISTRY_REFUSED' });
  await centre.close();
  return { bytes, limits: centre.limits };
}

describe('The limits of a commit on ZooKeeper', () => {
  test.each<[string, Operation]>([
    ['checks', { type: 'check', path: '/orders/leader', version: 3 }],
    ['creations', { type: 'create', path: '/orders/Straße', value: 'Größe' }],
    ['creations of session nodes', { type: 'create', path: '/orders/x', value: '', lifetime: 'session' }],
    ['writes', { type: 'set', path: '/orders/leader', value: '日本' }],
    ['removals', { type: 'remove', path: '/orders/leader' }],
    ['replacements', { type: 'replace', path: '/orders/x', value: 'x', lifetime: 'session' }],
  ])('count %s at least as large as they are on the wire', async (_, operation) => {
    const operations = Array.from({ length: 500 }, () => operation);

    const { bytes, limits } = await bytesOnTheWire(operations);

    const counted = 500 * operationBytes(operation, limits);
    expect(bytes).toBeGreaterThan(500 * (operationBytes(operation, { overheadBytes: 0 }) + '/orders/of'.length));
    expect(bytes).toBeLessThanOrEqual(counted + 17);
    // Header and end mark included, the largest commit is within the largest request.
    expect(limits.bytes + 17).toBeLessThanOrEqual(0xfffff);
  });

  test('count creations exactly, since these are most of what is committed', async () => {
    const create: Operation = { type: 'create', path: '/orders/sharding/12/instance', value: '10.0.0.1@-@17' };

    const { bytes, limits } = await bytesOnTheWire([create, create]);

    expect(bytes).toBe(2 * operationBytes(create, limits) + 17);
  });

  test('are those that the embedded registry has by default, with a namespace of 15 bytes', () => {
    const zooKeeper = new ZookeeperRegistryCenter({ serverLists: 'localhost', namespace: 'x'.repeat(15) });
    const embedded = new EmbeddedRegistryCenter();

    expect(embedded.limits).toEqual(zooKeeper.limits);
  });
});

describe('The limits of an embedded registry', () => {
  test("are set for all its centres; those that are left out are ZooKeeper's", () => {
    const server = new EmbeddedRegistryServer({ limits: { operations: 5 } });

    const centre = new EmbeddedRegistryCenter({ server });

    expect(centre.limits).toEqual({ ...new EmbeddedRegistryCenter().limits, operations: 5 });
  });

  test('are for commits; a single node may be as large as ever', async () => {
    const server = new EmbeddedRegistryServer({ limits: { bytes: 150, overheadBytes: 10 } });
    const centre = new EmbeddedRegistryCenter({ server });
    centre.connect();
    await until(() => centre.session.state.phase === 'connected', 'the centre is connected');

    await centre.put('/config', 'x'.repeat(1_000));
    const large = centre.commit([{ type: 'set', path: '/config', value: 'x'.repeat(1_000) }]);

    await expect(large).rejects.toThrow('the commit has 1017 bytes, the limit is 150');
    expect(await centre.get('/config')).toHaveLength(1_000);
    await centre.close();
  });

  test('hold for a single value, too, as large as it is said to be', async () => {
    const server = new EmbeddedRegistryServer({ limits: { valueBytes: 10 } });
    const centre = new EmbeddedRegistryCenter({ server });
    centre.connect();
    await until(() => centre.session.state.phase === 'connected', 'the centre is connected');
    await centre.create('/config', '');

    await centre.commit([{ type: 'set', path: '/config', value: 'ä'.repeat(5) }]);
    const large = centre.commit([{ type: 'set', path: '/config', value: 'ä'.repeat(6) }]);

    await expect(large).rejects.toThrow('the value has 12 bytes, the limit is 10');
    await centre.close();
  });

  test.each<[string, Operation, Operation]>([
    ['two changes', { type: 'remove', path: '/config' }, { type: 'create', path: '/config', value: '' }],
    ['a check after a change', { type: 'set', path: '/config', value: '' }, { type: 'check', path: '/config' }],
  ])('leave out commits with %s of one path, which not every registry can carry out', async (_, first, second) => {
    const centre = new EmbeddedRegistryCenter({ server: new EmbeddedRegistryServer() });
    centre.connect();
    await until(() => centre.session.state.phase === 'connected', 'the centre is connected');
    await centre.create('/config', 'before');

    const commit = centre.commit([first, second]);

    await expect(commit).rejects.toMatchObject({
      code: 'REGISTRY_REFUSED',
      message: expect.stringContaining('another operation on /config after one that changes it'),
    });
    expect(await centre.get('/config')).toBe('before');
    await centre.close();
  });
});
