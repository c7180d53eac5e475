import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { EmbeddedRegistryCenter } from '../../lib/registry/embedded/embedded-registry-center.js';
import { EmbeddedRegistryServer } from '../../lib/registry/embedded/embedded-registry-server.js';
import { EtcdRegistryCenter } from '../../lib/registry/etcd/etcd-registry-center.js';
import { type Operation, type RegistryCenter } from '../../lib/registry/registry-center.js';
import { untilConnected } from '../support/etcd-centres.js';
import { EtcdServer } from '../support/etcd-server.js';
import { Random } from '../support/random.js';
import { until } from '../support/until.js';

describe('A registry centre on etcd', () => {
  let server: EtcdServer;
  beforeAll(async () => {
    server = await EtcdServer.start();
  });
  afterAll(() => server.dispose());

  test('accepts and refuses the same commits as the reference, for the same reason, and has the same tree then', async () => {
    const etcd = new EtcdRegistryCenter({ endpoints: server.address, namespace: 'random' });
    const reference = new EmbeddedRegistryCenter({ server: new EmbeddedRegistryServer() });
    etcd.connect();
    reference.connect();
    await untilConnected(etcd);
    await until(() => reference.session.state.phase === 'connected', 'the reference is connected');
    const random = new Random(20_261_127);
    const outcomes = { made: 0, refused: 0 };

    for (let n = 0; n < 400; n++) {
      const operations = someOperations(random);
      const [ours, theirs] = [await outcome(etcd, operations), await outcome(reference, operations)];
      expect({ n, operations, outcome: ours }).toEqual({ n, operations, outcome: theirs });
      outcomes[ours === 'made' ? 'made' : 'refused']++;
      if (n % 20 === 0) expect(await tree(etcd)).toEqual(await tree(reference));
    }

    expect(await tree(etcd)).toEqual(await tree(reference));
    // Enough of both, or this test shows nothing.
    expect(outcomes.made).toBeGreaterThan(40);
    expect(outcomes.refused).toBeGreaterThan(40);
    await Promise.all([etcd.close(), reference.close()]);
  });
});

/** Up to five operations on few paths, of which at most one changes each path, after its checks. */
function someOperations(random: Random): readonly Operation[] {
  const operations: Operation[] = [];
  const changed = new Set<string>();
  for (let left = random.integer(1, 5); left > 0; left--) {
    const path = somePath(random);
    if (changed.has(path)) continue;
    const operation = someOperation(random, path);
    if (operation.type !== 'check') changed.add(path);
    operations.push(operation);
  }
  return operations;
}

function somePath(random: Random): string {
  const depth = random.integer(1, 3);
  return Array.from({ length: depth }, () => `/${random.pick(['a', 'b'])}`).join('');
}

function someOperation(random: Random, path: string): Operation {
  // A node that was replaced has another version here than there.
  const isReplaced = path.endsWith('b');
  const version = !isReplaced && random.integer(1, 4) === 1 ? { version: random.integer(0, 1) } : {};
  const value = `value ${random.integer(1, 1_000)}`;
  const lifetime = random.integer(1, 5) === 1 ? ({ lifetime: 'session' } as const) : {};
  const type = random.pick(['check', 'set', 'replace', 'remove', 'remove', 'create', 'create', 'create'] as const);
  switch (type) {
    case 'check':
    case 'remove':
      return { type, path, ...version };
    case 'set':
      return { type, path, value, ...version };
    case 'replace':
      return isReplaced ? { type, path, value, ...lifetime } : { type: 'check', path };
    case 'create':
      return { type, path, value, ...lifetime };
  }
}

async function outcome(centre: RegistryCenter, operations: readonly Operation[]): Promise<unknown> {
  try {
    await centre.commit(operations);
    return 'made';
  } catch (error) {
    const { code, path, reason } = error as { readonly code: string; readonly path?: string; readonly reason?: string };
    return { code, path, reason };
  }
}

/** Everything but revisions and, since `replace` may go on with them or not, versions. */
async function tree(centre: RegistryCenter): Promise<Record<string, unknown>> {
  const mirror = await centre.mirror('/');
  const nodes = [...mirror.nodes].filter(([path]) => path !== '/').sort(([a], [b]) => (a < b ? -1 : 1));
  mirror.close();
  return Object.fromEntries(nodes.map(([path, { value, session }]) => [path, [value, session !== undefined]]));
}
