import { describe, expect, test } from '@jest/globals';
import { type Mirror } from '../../../lib/registry/registry-center.js';
import { ZooKeeperClient } from '../../../lib/registry/zookeeper/client/zookeeper-client.js';
import { ZooKeeperError, type ZooKeeperTransport } from '../../../lib/registry/zookeeper/transport.js';
import { ZookeeperRegistryCenter } from '../../../lib/registry/zookeeper/zookeeper-registry-center.js';
import { systemClock } from '../../../lib/time/clock.js';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { until } from '../../support/until.js';
import { openProxied, type ProxiedCentre, untilConnected } from '../../support/zookeeper-centres.js';

const zooKeeper = sharedZooKeeper();

/** A reader behind a proxy, and a writer. */
async function pair(): Promise<{ reader: ProxiedCentre; writer: ProxiedCentre } & AsyncDisposable> {
  const namespace = zooKeeper.namespace();
  const [reader, writer] = [
    await openProxied(zooKeeper.servers, { namespace }),
    await openProxied(zooKeeper.servers, { namespace }),
  ];
  const close = async (): Promise<void> => void (await Promise.all([reader.close(), writer.close()]));
  return { reader, writer, [Symbol.asyncDispose]: close };
}

/** A client whose first readings are refused, `refusals` times: a real server does that only under load. */
class ThrottledClient extends ZooKeeperClient {
  refusals = 0;

  override multiRead(paths: readonly string[]): ReturnType<ZooKeeperTransport['multiRead']> {
    if (this.refusals === 0) return super.multiRead(paths);
    this.refusals--;
    return Promise.reject(new ZooKeeperError('THROTTLED', -127, 'The server is overloaded.'));
  }
}

const values = (mirror: Mirror): string => [...mirror.nodes].map(([path, { value }]) => `${path}=${value}`).join(' ');

describe('requests of a mirror', () => {
  test('a commit of a thousand nodes by a peer costs a handful of requests', async () => {
    await using both = await pair();
    const { reader, writer } = both;
    await writer.centre.create('/job', '');
    const mirror = await reader.centre.mirror('/job');
    reader.proxy.resetRequests();

    await writer.centre.commit(
      Array.from({ length: 1_000 }, (_, n) => ({ type: 'create', path: `/job/${n}`, value: `value of ${n}` })),
    );
    await until(() => mirror.nodes.size === 1_001);

    expect(reader.proxy.count()).toBeLessThan(20);
    expect(mirror.nodes.get('/job/999')?.value).toBe('value of 999');
  });

  test('changes that follow each other cost at most one request each', async () => {
    await using both = await pair();
    const { reader, writer } = both;
    await writer.centre.create('/job', '');
    const mirror = await reader.centre.mirror('/job');
    reader.proxy.resetRequests();

    for (let n = 0; n < 50; n++) await writer.centre.put('/job', String(n));
    await until(() => mirror.nodes.get('/job')?.value === '49');

    expect(reader.proxy.requests.multiRead).toBeLessThanOrEqual(50);
    expect(reader.proxy.count()).toBe(reader.proxy.requests.multiRead);
  });

  test('what the centre wrote itself is shown without a single request', async () => {
    await using both = await pair();
    const { centre, proxy } = both.reader;
    await centre.create('/job', '');
    const mirror = await centre.mirror('/job');
    proxy.resetRequests();

    await centre.create('/job/a', '1', 'session');
    await centre.put('/job', 'changed');
    const revision = await centre.commit([
      { type: 'set', path: '/job/a', value: '2', version: 0 },
      { type: 'create', path: '/job/b', value: '3' },
      { type: 'create', path: '/job/c', value: 'fleeting' },
      { type: 'remove', path: '/job/c' },
    ]);
    await centre.remove('/job/b');
    await until(() => !mirror.nodes.has('/job/b') && mirror.nodes.has('/job/a'));

    expect(values(mirror)).toBe('/job=changed /job/a=2');
    expect(mirror.nodes.get('/job/a')).toMatchObject({ version: 1, revision });
    expect(proxy.requests).toEqual({ create2: 1, setData: 1, multi: 1, delete: 1 });
  });

  test('what is mirrored of our own writes equals what a fresh mirror reads', async () => {
    await using both = await pair();
    const { centre } = both.reader;
    await centre.create('/job/x/y', 'deep');
    const mirror = await centre.mirror('/job');

    await Promise.all([
      centre.put('/job/x', '1'),
      centre.put('/job/x', '2'),
      centre.create('/job/new/below', 'n', 'session'),
      both.writer.centre.put('/job/x', 'theirs'),
      centre.create('/job/x', 'lost race'),
      centre.remove('/job/x/y'),
    ]);
    await mirror.sync();

    const fresh = await both.writer.centre.mirror('/job');
    expect(Object.fromEntries(mirror.nodes)).toEqual(Object.fromEntries(fresh.nodes));
  });

  test('nodes of which only the presence matters come and go without a request', async () => {
    await using both = await pair();
    const { reader, writer } = both;
    await writer.centre.create('/job', '');
    const mirror = await reader.centre.mirror('/job', { presenceOnly: (path) => path.endsWith('/running') });
    reader.proxy.resetRequests();

    await writer.centre.create('/job/running', 'not wanted', 'session');
    await until(() => mirror.nodes.has('/job/running'));
    expect(mirror.nodes.get('/job/running')?.value).toBeUndefined();
    await writer.centre.remove('/job/running');
    await until(() => !mirror.nodes.has('/job/running'));

    expect(reader.proxy.count()).toBe(0);
  });

  test('opening a mirror of a thousand nodes takes requests by levels, not by nodes', async () => {
    await using both = await pair();
    const { reader, writer } = both;
    await writer.centre.create('/job/items', '');
    await writer.centre.commit(
      Array.from({ length: 1_000 }, (_, n) => ({ type: 'create', path: `/job/items/${n}`, value: `value of ${n}` })),
    );
    reader.proxy.resetRequests();

    const mirror = await reader.centre.mirror('/job');

    expect(mirror.nodes.size).toBe(1_002);
    expect(reader.proxy.count()).toBeLessThan(12);
  });
});

test('an uncontended hold costs three requests', async () => {
  await using both = await pair();
  const { centre, proxy } = both.reader;
  await centre.exclusively('/job/latch', 1_000, () => Promise.resolve());
  proxy.resetRequests();

  await centre.exclusively('/job/latch', 1_000, () => Promise.resolve());

  expect(proxy.requests).toEqual({ create2: 1, getChildren: 1, delete: 1 });
});

describe('moments of a mirror', () => {
  test('a commit of removals is shown as a whole even if its events arrive byte by byte', async () => {
    await using both = await pair();
    const { reader, writer } = both;
    const paths = Array.from({ length: 20 }, (_, n) => `/job/${n}`);
    await writer.centre.create('/job', '');
    await writer.centre.commit(paths.map((path) => ({ type: 'create', path, value: '' })));
    const mirror = await reader.centre.mirror('/job');
    const sizes: number[] = [];
    mirror.onChange(() => sizes.push(mirror.nodes.size));

    reader.proxy.chunk(7);
    await writer.centre.commit(paths.map((path) => ({ type: 'remove', path })));
    await until(() => mirror.nodes.size === 1);

    expect(sizes).toEqual([1]);
  });

  test('a commit of our own is shown as a whole even if its events arrive byte by byte', async () => {
    await using both = await pair();
    const { centre, proxy } = both.reader;
    const paths = Array.from({ length: 20 }, (_, n) => `/job/${n}`);
    await centre.create('/job', '');
    const mirror = await centre.mirror('/job');
    const sizes: number[] = [];
    mirror.onChange(() => sizes.push(mirror.nodes.size));

    proxy.chunk(7);
    await centre.commit(paths.map((path) => ({ type: 'create', path, value: '' })));
    await until(() => mirror.nodes.size === 21);

    expect(sizes).toEqual([21]);
  });

  test('a late answer never overwrites a newer event', async () => {
    await using both = await pair();
    const { reader, writer } = both;
    await writer.centre.put('/job/a', '0');
    const mirror = await reader.centre.mirror('/job');
    const seen: number[] = [];
    mirror.onChange(() => seen.push(Number(mirror.nodes.get('/job/a')?.value ?? -1)));

    reader.proxy.delay('down', 20);
    for (let n = 1; n <= 60; n++) {
      if (n % 10 === 0) await writer.centre.remove('/job/a');
      await writer.centre.put('/job/a', String(n));
    }
    await until(() => mirror.nodes.get('/job/a')?.value === '60');

    const order = seen.filter((value) => value >= 0);
    expect([...order].sort((x, y) => x - y)).toEqual(order);
  });

  test('nodes that did not change during an outage stay the same objects', async () => {
    await using both = await pair();
    const { reader, writer } = both;
    await writer.centre.put('/job/a', '1');
    await writer.centre.put('/job/b', '1');
    const mirror = await reader.centre.mirror('/job');
    const [a, b] = [mirror.nodes.get('/job/a'), mirror.nodes.get('/job/b')];

    reader.proxy.cut();
    await until(() => !mirror.isCurrent);
    await writer.centre.put('/job/b', '2');
    await until(() => mirror.isCurrent && mirror.nodes.get('/job/b')?.value === '2');

    expect(mirror.nodes.get('/job/a')).toBe(a);
    expect(mirror.nodes.get('/job/b')).not.toBe(b);
  });
});

describe('loading a mirror', () => {
  test('goes on if the connection breaks and comes back while it runs', async () => {
    await using both = await pair();
    const { reader, writer } = both;
    await writer.centre.put('/job/running', 'value');
    const mirror = await reader.centre.mirror('/job', { presenceOnly: (path) => path.endsWith('/running') });
    const before = mirror.nodes.get('/job/running')?.value;
    reader.proxy.resetRequests();

    reader.proxy.blackHole('down');
    const loading = mirror.load();
    await until(() => reader.proxy.count('multiRead') > 0);
    reader.proxy.cut();
    reader.proxy.heal();
    await loading;

    expect(before).toBeUndefined();
    expect(mirror.nodes.get('/job/running')?.value).toBe('value');
  });

  test('may be asked for by a listener', async () => {
    await using both = await pair();
    const { reader, writer } = both;
    await writer.centre.put('/job', '');
    const mirror = await reader.centre.mirror('/job', { presenceOnly: (path) => path.endsWith('/running') });
    let loading: Promise<unknown> | undefined;
    mirror.onChange(() => void (loading ??= mirror.load().then(() => mirror.nodes.get('/job/running')?.value)));

    await writer.centre.put('/job/running', 'value');
    await until(() => loading !== undefined);

    expect(await loading).toBe('value');
  });

  test('ends although nodes of which only the presence matters keep appearing', async () => {
    await using both = await pair();
    const { reader, writer } = both;
    await writer.centre.put('/job/first/running', 'value');
    const mirror = await reader.centre.mirror('/job', { presenceOnly: (path) => path.endsWith('/running') });
    reader.proxy.resetRequests();

    reader.proxy.delay('down', 50);
    const loading = mirror.load();
    await until(() => reader.proxy.count('multiRead') > 0);
    await writer.centre.put('/job/second/running', 'later');
    await loading;

    expect(mirror.nodes.get('/job/first/running')?.value).toBe('value');
    expect(reader.proxy.count('multiRead')).toBeLessThanOrEqual(2);
  });
});

test('a mirror whose reading the server refuses temporarily is not current until it has read again', async () => {
  const namespace = zooKeeper.namespace();
  await using writer = await openProxied(zooKeeper.servers, { namespace });
  let client: ThrottledClient | undefined;
  const centre = new ZookeeperRegistryCenter(
    { serverLists: zooKeeper.servers, namespace, baseSleepTimeMilliseconds: 20, maxSleepTimeMilliseconds: 50 },
    { transport: (connection) => (client = new ThrottledClient(connection, { clock: systemClock })) },
  );
  centre.connect();
  await untilConnected(centre);
  await writer.centre.put('/job', 'old');
  const mirror = await centre.mirror('/job');
  const told: string[] = [];
  mirror.onChange(() => told.push(`${mirror.nodes.get('/job')?.value}, ${mirror.isCurrent ? 'current' : 'outdated'}`));

  client!.refusals = 1;
  await writer.centre.put('/job', 'new');
  await until(() => mirror.nodes.get('/job')?.value === 'new');
  await centre.close();

  expect(told.slice(0, 2)).toEqual(['old, outdated', 'new, current']);
});
