/**
 * The requests of a mirror that narrows, and events that may come in between. The contract has the promises of all
 * registry centres.
 */
import { describe, expect, test } from '@jest/globals';
import { type Mirror, type MirrorOptions } from '../../../lib/registry/registry-center.js';
import { ZooKeeperClient } from '../../../lib/registry/zookeeper/client/zookeeper-client.js';
import { ZooKeeperError } from '../../../lib/registry/zookeeper/transport.js';
import { ZookeeperRegistryCenter } from '../../../lib/registry/zookeeper/zookeeper-registry-center.js';
import { systemClock } from '../../../lib/time/clock.js';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { until } from '../../support/until.js';
import { openProxied, type ProxiedCentre, untilConnected } from '../../support/zookeeper-centres.js';

const zooKeeper = sharedZooKeeper();

const OPTIONS: MirrorOptions = { isRoutine: (path) => path.endsWith('/mark') };
const SCOPE = ['/job/mine', '/job/rare'];
const NAMES = ['mine', 'rare', 'theirs'];

/** A reader behind a proxy with a mirror of a job, and a writer. */
async function stage(): Promise<{ reader: ProxiedCentre; writer: ProxiedCentre; mirror: Mirror } & AsyncDisposable> {
  const namespace = zooKeeper.namespace();
  const [reader, writer] = [
    await openProxied(zooKeeper.servers, { namespace }),
    await openProxied(zooKeeper.servers, { namespace }),
  ];
  for (const name of NAMES) await writer.centre.put(`/job/${name}`, 'before');
  const mirror = await reader.centre.mirror('/job', OPTIONS);
  await mirror.sync();
  reader.proxy.resetRequests();
  const close = async (): Promise<void> => void (await Promise.all([reader.close(), writer.close()]));
  return { reader, writer, mirror, [Symbol.asyncDispose]: close };
}

/** A routine change within the scope, and that the mirror shows it: all that was told before has arrived by then. */
async function passRoutine(mirror: Mirror, writer: ProxiedCentre, value: string): Promise<void> {
  await writer.centre.put('/job/mine/mark', value);
  await until(() => mirror.nodes.get('/job/mine/mark')?.value === value, 'the mirror shows a routine change');
}

/** Expects that the mirror shows changes anywhere in its subtree. */
async function expectToFollowEverything(mirror: Mirror, writer: ProxiedCentre): Promise<void> {
  await writer.centre.put('/job/theirs', 'followed');
  await until(() => mirror.nodes.get('/job/theirs')?.value === 'followed', 'the mirror follows everything');
  expect(mirror.isNarrowed).toBe(false);
}

describe('the watches of a mirror', () => {
  test('are one for each subtree while it is narrowed, and the one of the whole otherwise', async () => {
    await using all = await stage();
    const { reader, mirror } = all;

    expect(await mirror.narrow(SCOPE)).toBe(true);
    await until(() => reader.proxy.count('removeWatches') === 1, 'the watch of the whole is removed');
    expect(reader.proxy.requests).toEqual({ addWatch: 2, removeWatches: 1 });

    reader.proxy.resetRequests();
    await mirror.sync();
    expect(reader.proxy.count('addWatch')).toBe(1);
    expect(reader.proxy.count('removeWatches')).toBe(2);
  });

  test('keep the server from telling what happens outside of the scope', async () => {
    await using all = await stage();
    const { reader, writer, mirror } = all;
    await mirror.narrow(SCOPE);
    // The removal of the watch is carried out before this answer.
    await reader.centre.get('/job');
    reader.proxy.resetRequests();

    for (let n = 0; n < 10; n++) await writer.centre.put('/job/theirs', String(n));
    await passRoutine(mirror, writer, '1');

    expect(reader.proxy.events).toBe(1);
  });

  test('are gone when a narrowed mirror was closed', async () => {
    await using all = await stage();
    const { reader, writer, mirror } = all;
    await mirror.narrow(SCOPE);
    mirror.close();
    await reader.centre.get('/job');
    reader.proxy.resetRequests();

    for (const name of NAMES) await writer.centre.put(`/job/${name}`, 'after');
    await reader.centre.get('/job');

    expect(reader.proxy.events).toBe(0);
  });

  test.each<[string, (all: { reader: ProxiedCentre; mirror: Mirror }) => Promise<unknown>]>([
    ['was closed while it had no connection', () => Promise.resolve()],
    [
      'lost its connection while it narrowed, and was closed',
      async ({ reader, mirror }) => {
        reader.proxy.blackHole('down');
        const narrowing = mirror.narrow(SCOPE);
        await until(() => reader.proxy.heldBytes('down') > 0, 'the server has answered');
        return { narrowing };
      },
    ],
  ])('are not set again on the next connection if it %s', async (_, begin) => {
    await using all = await stage();
    const { reader, writer, mirror } = all;
    await begin(all);
    reader.proxy.cut();
    await until(() => !mirror.isCurrent, 'the mirror has lost its connection');
    mirror.close();
    reader.proxy.heal();
    await untilConnected(reader.centre);
    await reader.centre.get('/job');
    reader.proxy.resetRequests();

    for (const name of NAMES) await writer.centre.put(`/job/${name}`, 'after');
    await reader.centre.get('/job');

    expect(reader.proxy.events).toBe(0);
  });
});

describe('a mirror stays wide', () => {
  test('if something was told that it does not show yet', async () => {
    await using all = await stage();
    const { reader, writer, mirror } = all;
    reader.proxy.withholdFrom('multiRead');
    await writer.centre.put('/job/rare', 'after');
    await until(() => reader.proxy.count('multiRead') === 1, 'the mirror reads what has changed');

    const narrowing = mirror.narrow(SCOPE);
    reader.proxy.heal();

    expect(await narrowing).toBe(false);
    await until(() => mirror.nodes.get('/job/rare')?.value === 'after', 'the mirror shows the change');
    await expectToFollowEverything(mirror, writer);
  });

  test('if something that is not routine happens in the scope while it narrows', async () => {
    await using all = await stage();
    const { reader, writer, mirror } = all;
    reader.proxy.withholdFrom('addWatch');
    const narrowing = mirror.narrow(SCOPE);
    await writer.centre.put('/job/rare', 'after');
    await until(() => mirror.nodes.get('/job/rare')?.value === 'after' || reader.proxy.events > 0, 'it is told');
    reader.proxy.heal();

    expect(await narrowing).toBe(false);
    await until(() => mirror.nodes.get('/job/rare')?.value === 'after', 'the mirror shows the change');
    await expectToFollowEverything(mirror, writer);
  });

  test('if it is to be wide while it narrows', async () => {
    await using all = await stage();
    const { reader, writer, mirror } = all;
    reader.proxy.withholdFrom('addWatch');
    const narrowing = mirror.narrow(SCOPE);
    mirror.widen();
    reader.proxy.heal();

    expect(await narrowing).toBe(false);
    await expectToFollowEverything(mirror, writer);
  });

  test('if another mirror of the same subtree is opened while it narrows', async () => {
    await using all = await stage();
    const { reader, writer, mirror } = all;
    reader.proxy.withholdFrom('addWatch');
    const narrowing = mirror.narrow(SCOPE);
    const opening = reader.centre.mirror('/job', OPTIONS);
    reader.proxy.heal();

    expect(await narrowing).toBe(false);
    const other = await opening;
    await expectToFollowEverything(mirror, writer);
    await expectToFollowEverything(other, writer);
    expect(await other.narrow(SCOPE)).toBe(false);
  });

  test('if its connection breaks while it narrows', async () => {
    await using all = await stage();
    const { reader, writer, mirror } = all;
    reader.proxy.withholdFrom('addWatch');
    const narrowing = mirror.narrow(SCOPE);
    await until(() => reader.proxy.count('addWatch') > 0, 'the mirror narrows');
    reader.proxy.cut();

    expect(await narrowing).toBe(false);
    reader.proxy.heal();
    await until(() => mirror.isCurrent, 'the mirror has caught up');
    await expectToFollowEverything(mirror, writer);
  });

  test('if it is closed while it narrows', async () => {
    await using all = await stage();
    const { reader, mirror } = all;
    reader.proxy.withholdFrom('addWatch');
    const narrowing = mirror.narrow(SCOPE);
    mirror.close();
    reader.proxy.heal();

    expect(await narrowing).toBe(false);
    expect(mirror.isNarrowed).toBe(false);
  });
});

/** A client that may not watch what is below a job. */
class NarrowMinded extends ZooKeeperClient {
  asked = 0;

  override addWatch(path: string): Promise<void> {
    if (path.endsWith('/job')) return super.addWatch(path);
    this.asked++;
    return Promise.reject(new ZooKeeperError('NO_AUTH', -102, 'Not allowed.'));
  }
}

test('a mirror whose narrower watches the server refuses stays wide, and does not ask again on this connection', async () => {
  const namespace = zooKeeper.namespace();
  await using writer = await openProxied(zooKeeper.servers, { namespace });
  let client: NarrowMinded | undefined;
  const centre = new ZookeeperRegistryCenter(
    { serverLists: zooKeeper.servers, namespace },
    { transport: (connection) => (client = new NarrowMinded(connection, { clock: systemClock })) },
  );
  centre.connect();
  await untilConnected(centre);
  await writer.centre.put('/job/theirs', 'before');
  const mirror = await centre.mirror('/job', OPTIONS);

  expect(await mirror.narrow(SCOPE)).toBe(false);
  expect(await mirror.narrow(SCOPE)).toBe(false);

  expect(client!.asked).toBe(SCOPE.length);
  await expectToFollowEverything(mirror, writer);
  await centre.close();
});
