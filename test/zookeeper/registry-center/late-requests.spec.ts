/**
 * A write whose answer was lost, and that the server carries out only after the client has looked at what became of it.
 * No connection does this to a ZooKeeper server, which closes a session's former connection before it answers on a new
 * one.
 */
import { expect, test } from '@jest/globals';
import { ZooKeeperClient } from '../../../lib/registry/zookeeper/client/zookeeper-client.js';
import { ZooKeeperError } from '../../../lib/registry/zookeeper/transport.js';
import { ZookeeperRegistryCenter } from '../../../lib/registry/zookeeper/zookeeper-registry-center.js';
import { systemClock } from '../../../lib/time/clock.js';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { untilConnected } from '../../support/zookeeper-centres.js';

const zooKeeper = sharedZooKeeper();

/**
 * A client that can hold back one write: it reports the answer as lost, and sends the write just before the next one.
 */
class LateClient extends ZooKeeperClient {
  #isLate: 'any' | 'multi' | undefined;
  #held: (() => Promise<unknown>) | undefined;

  holdBackNextWrite(which: 'any' | 'multi' = 'any'): void {
    this.#isLate = which;
  }

  override create(...args: Parameters<ZooKeeperClient['create']>): ReturnType<ZooKeeperClient['create']> {
    return this.#write(() => super.create(...args));
  }

  override delete(...args: Parameters<ZooKeeperClient['delete']>): ReturnType<ZooKeeperClient['delete']> {
    return this.#write(() => super.delete(...args));
  }

  override multi(...args: Parameters<ZooKeeperClient['multi']>): ReturnType<ZooKeeperClient['multi']> {
    return this.#write(() => super.multi(...args), 'multi');
  }

  #write<T>(send: () => Promise<T>, name?: 'multi'): Promise<T> {
    if (this.#isLate === 'any' || (this.#isLate !== undefined && this.#isLate === name)) {
      this.#isLate = undefined;
      this.#held = send;
      return Promise.reject(new ZooKeeperError('CONNECTION_LOSS', -4, 'The connection broke', true));
    }
    // The client that lost the answer does not learn whether the write still fits.
    this.#held?.().catch(() => undefined);
    this.#held = undefined;
    return send();
  }
}

async function lateCentre(): Promise<{ centre: ZookeeperRegistryCenter; client: () => LateClient } & AsyncDisposable> {
  let client: LateClient | undefined;
  const centre = new ZookeeperRegistryCenter(
    { serverLists: zooKeeper.servers, namespace: zooKeeper.namespace() },
    { transport: (connection) => (client = new LateClient(connection, { clock: systemClock })) },
  );
  centre.connect();
  await untilConnected(centre);
  await centre.put('/job', 'former');
  return { centre, client: () => client!, [Symbol.asyncDispose]: () => centre.close() };
}

const unknown = { code: 'REGISTRY_OUTCOME_UNKNOWN' };

test('a commit that is carried out late is recognised, though its repetition does not fit any more', async () => {
  await using late = await lateCentre();
  const { centre, client } = late;
  client().holdBackNextWrite();

  const revision = await centre.commit([
    { type: 'set', path: '/job', value: 'x', version: 0 },
    { type: 'create', path: '/job/a', value: 'y' },
  ]);

  const mirror = await centre.mirror('/job');
  expect(mirror.nodes.get('/job')).toMatchObject({ value: 'x', version: 1, revision });
});

test('a commit is refused if its repetition does not fit and the first request was certainly not carried out', async () => {
  await using late = await lateCentre();
  const { centre, client } = late;
  await centre.put('/job/a', 'theirs');
  client().holdBackNextWrite();

  const commit = centre.commit([
    { type: 'set', path: '/job', value: 'x' },
    { type: 'create', path: '/job/a', value: 'y' },
  ]);

  await expect(commit).rejects.toMatchObject({ code: 'REGISTRY_CONFLICT', path: '/job/a', reason: 'exists' });
});

test('a commit whose repetition does not fit stays unknown if nothing shows what the first request did', async () => {
  await using late = await lateCentre();
  const { centre, client } = late;
  client().holdBackNextWrite();

  await expect(centre.commit([{ type: 'set', path: '/job', value: 'x', version: 0 }])).rejects.toMatchObject(unknown);
});

test('a session node that is created late is recognised as ours', async () => {
  await using late = await lateCentre();
  const { centre, client } = late;
  client().holdBackNextWrite();

  expect(await centre.create('/job/mine', '', 'session')).toBe(true);
});

test('the creation of a persistent node that happens late stays unknown: it is not reported as that of a peer', async () => {
  await using late = await lateCentre();
  const { centre, client } = late;
  client().holdBackNextWrite();

  await expect(centre.create('/job/claimed', '')).rejects.toMatchObject(unknown);
});

test('a removal that happens late stays unknown: the node is not reported as missing before', async () => {
  await using late = await lateCentre();
  const { centre, client } = late;
  await centre.create('/job/trigger', '');
  client().holdBackNextWrite();

  await expect(centre.remove('/job/trigger')).rejects.toMatchObject(unknown);
  expect(await centre.get('/job/trigger')).toBeUndefined();
});

test('a removal of a subtree that happens late stays unknown', async () => {
  await using late = await lateCentre();
  const { centre, client } = late;
  await centre.create('/job/items/0', '');
  client().holdBackNextWrite('multi');

  await expect(centre.remove('/job/items')).rejects.toMatchObject(unknown);
  expect(await centre.children('/job')).toEqual([]);
});
