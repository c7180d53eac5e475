/** One watch for many mirrors, and when each has one of its own instead. */
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
const JOBS = Array.from({ length: 80 }, (_, index) => `/job-${index}`);

/** A reader behind a proxy with a mirror of each job, and a writer. */
interface Stage extends AsyncDisposable {
  readonly reader: ProxiedCentre;
  readonly writer: ProxiedCentre;
  readonly mirrors: readonly Mirror[];
}

async function stage(jobs: readonly string[] = JOBS): Promise<Stage> {
  const namespace = zooKeeper.namespace();
  const [reader, writer] = [
    await openProxied(zooKeeper.servers, { namespace }),
    await openProxied(zooKeeper.servers, { namespace }),
  ];
  await Promise.all(jobs.map((job) => writer.centre.put(`${job}/mine`, 'before')));
  const mirrors = await Promise.all(jobs.map((job) => reader.centre.mirror(job, OPTIONS)));
  // The removal of watches that are not needed any more has been carried out before this answer.
  await reader.centre.get(jobs[0]!);
  const close = async (): Promise<void> => void (await Promise.all([reader.close(), writer.close()]));
  return { reader, writer, mirrors, [Symbol.asyncDispose]: close };
}

/** Whether each mirror shows what is written in its job, and hears it once. */
async function expectToFollow({ reader, writer, mirrors }: Stage, value: string): Promise<void> {
  reader.proxy.resetRequests();
  await Promise.all(mirrors.map(({ path }) => writer.centre.put(`${path}/mine`, value)));
  for (const { path, nodes } of mirrors)
    await until(() => nodes.get(`${path}/mine`)?.value === value, `the mirror of ${path} shows the change`);
  expect(reader.proxy.events).toBe(mirrors.length);
}

/** What happens in jobs of which this reader has no mirror, or that their mirrors need not hear. */
async function flood({ writer }: Stage, count: number, path: (n: number) => string): Promise<void> {
  for (let done = 0; done < count; done += 100)
    await Promise.all(Array.from({ length: 100 }, (_, n) => writer.centre.put(path(n), String(done))));
}

describe('many mirrors', () => {
  test('have one watch', async () => {
    await using all = await stage();
    const { reader } = all;

    // Those that began before there were many had their own for a while.
    expect(reader.proxy.count('addWatch')).toBeLessThanOrEqual(65);
    expect(reader.proxy.count('removeWatches')).toBe(reader.proxy.count('addWatch') - 1);
    await expectToFollow(all, 'after');
  });

  test('need no request for it when the connection is back', async () => {
    await using all = await stage();
    const { reader, mirrors } = all;
    reader.proxy.resetRequests();
    reader.proxy.cut();
    await until(() => mirrors.every(({ isCurrent }) => !isCurrent), 'the mirrors have lost their connection');
    reader.proxy.heal();
    await until(() => mirrors.every(({ isCurrent }) => isCurrent), 'the mirrors have caught up');

    expect(reader.proxy.count('addWatch')).toBe(0);
    await expectToFollow(all, 'after');
  });

  test('have one watch in the next session, too', async () => {
    await using all = await stage();
    const { reader, mirrors } = all;
    reader.proxy.resetRequests();
    await reader.expire();
    await until(() => mirrors.every(({ isCurrent }) => !isCurrent), 'the mirrors have lost their session');
    await until(() => mirrors.every(({ isCurrent }) => isCurrent), 'the mirrors have caught up');

    expect(reader.proxy.count('addWatch')).toBe(1);
    await expectToFollow(all, 'after');
  });

  test('do not lose the watch when some of them are closed', async () => {
    await using all = await stage();
    for (const mirror of all.mirrors.slice(40)) mirror.close();
    await expectToFollow({ ...all, mirrors: all.mirrors.slice(0, 40) }, 'after');
  });
});

describe('each of many mirrors has a watch of its own again', () => {
  test('if the one of the namespace mostly reports what happens in jobs that are not here', async () => {
    await using all = await stage();
    const { reader } = all;
    reader.proxy.resetRequests();

    await flood(all, 1_100, (n) => `/other/${n}`);
    await until(() => reader.proxy.count('removeWatches') === 1, 'the watch of the namespace is removed');
    await reader.centre.get('/job-0');

    expect(reader.proxy.count('addWatch')).toBe(JOBS.length);
    reader.proxy.resetRequests();
    await flood(all, 100, (n) => `/other/${n}`);
    await reader.centre.get('/job-0');
    expect(reader.proxy.events).toBe(0);
    await expectToFollow(all, 'after');
  });

  test('if it mostly reports what their mirrors, narrowed, would not hear, and they can be narrowed then', async () => {
    await using all = await stage();
    const { reader, writer, mirrors } = all;
    const [mirror] = mirrors;
    expect(await mirror!.narrow(['/job-0/mine'])).toBe(false);
    reader.proxy.resetRequests();

    await flood(all, 1_300, (n) => `/job-0/theirs/${n}/mark`);
    await until(() => reader.proxy.count('removeWatches') === 1, 'the watch of the namespace is removed');
    await mirror!.sync();

    expect(await mirror!.narrow(['/job-0/mine'])).toBe(true);
    await reader.centre.get('/job-0');
    reader.proxy.resetRequests();
    await writer.centre.put('/job-0/theirs/0/mark', 'unheard');
    await reader.centre.get('/job-0');
    expect(reader.proxy.events).toBe(0);
  });

  test('until the next session', async () => {
    await using all = await stage();
    const { reader, mirrors } = all;
    await flood(all, 1_100, (n) => `/other/${n}`);
    await until(() => reader.proxy.count('removeWatches') >= 1, 'the watch of the namespace is removed');
    await reader.expire();
    await until(() => mirrors.every(({ isCurrent }) => !isCurrent), 'the mirrors have lost their session');
    reader.proxy.resetRequests();
    await until(() => mirrors.every(({ isCurrent }) => isCurrent), 'the mirrors have caught up');

    expect(reader.proxy.count('addWatch')).toBeLessThanOrEqual(1);
    await expectToFollow(all, 'after');
  });
});

test('as long as most events concern mirrors here, the watch of the namespace stays', async () => {
  await using all = await stage();
  const { reader } = all;
  reader.proxy.resetRequests();

  for (let round = 0; round < 6; round++) {
    await flood(all, 300, (n) => `/other/${n}`);
    await flood(all, 200, (n) => `${JOBS[n % 80]!}/mine`);
  }

  await reader.centre.get('/job-0');
  expect(reader.proxy.count('addWatch', 'removeWatches')).toBe(0);
});

test('few mirrors have a watch each, however many parts they follow', async () => {
  await using all = await stage(['/job-0']);
  const { reader, mirrors, writer } = all;
  const parts = Array.from({ length: 100 }, (_, n) => `/job-0/part-${n}`);
  await Promise.all(parts.map((part) => writer.centre.put(part, '')));
  await mirrors[0]!.sync();
  reader.proxy.resetRequests();

  expect(await mirrors[0]!.narrow(parts)).toBe(true);

  expect(reader.proxy.count('addWatch')).toBe(parts.length);
});

/** A client that may watch jobs, but not a whole namespace. */
class NarrowMinded extends ZooKeeperClient {
  refused = 0;

  override addWatch(path: string): Promise<void> {
    if (/job-\w+$/.test(path)) return super.addWatch(path);
    this.refused++;
    return Promise.reject(new ZooKeeperError('NO_AUTH', -102, 'Not allowed.'));
  }
}

test('if the server refuses a watch of the whole namespace, each mirror has its own', async () => {
  const namespace = zooKeeper.namespace();
  await using writer = await openProxied(zooKeeper.servers, { namespace });
  let client: NarrowMinded | undefined;
  const centre = new ZookeeperRegistryCenter(
    { serverLists: zooKeeper.servers, namespace },
    { transport: (connection) => (client = new NarrowMinded(connection, { clock: systemClock })) },
  );
  centre.connect();
  await untilConnected(centre);

  const mirrors = await Promise.all(JOBS.map((job) => centre.mirror(job, OPTIONS)));
  await centre.mirror('/job-later', OPTIONS);

  expect(client!.refused).toBe(1);
  await Promise.all(mirrors.map(({ path }) => writer.centre.put(`${path}/mine`, 'after')));
  for (const { path, nodes } of mirrors)
    await until(() => nodes.get(`${path}/mine`)?.value === 'after', `the mirror of ${path} shows the change`);
  await centre.close();
});
