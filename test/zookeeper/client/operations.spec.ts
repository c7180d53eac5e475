import { describe, expect, test } from '@jest/globals';
import { type ZooKeeperError } from '../../../lib/registry/zookeeper/transport.js';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { until } from '../../support/until.js';
import { rejectionOf, TestClient, type TestClientOptions } from './test-client.js';

const zookeeper = sharedZooKeeper();
const NOTHING = Buffer.alloc(0);

/** A client whose root is a fresh node. */
async function connected(options: TestClientOptions = {}): Promise<TestClient> {
  const client = await TestClient.connect(zookeeper.servers, { chroot: `/${zookeeper.namespace()}`, ...options });
  await client.create('/', NOTHING, 'persistent');
  return client;
}

describe('Nodes', () => {
  test('what is created can be read, with the transaction that created it', async () => {
    await using client = await connected();

    const created = await client.create('/job', Buffer.from('class'), 'persistent');

    const { data, stat } = await client.getData('/job');
    expect(created).toEqual({ path: '/job', zxid: stat.czxid });
    expect(data.toString()).toBe('class');
    expect(stat).toMatchObject({ version: 0, numChildren: 0, ephemeralOwner: undefined });
    expect(stat.mzxid).toBe(stat.czxid);
    expect(stat.mtime).toBe(stat.ctime);
  });

  test('an ephemeral node belongs to the session and goes with it', async () => {
    await using observer = await connected();
    const chroot = await chrootOf(observer);
    const owner = await TestClient.connect(zookeeper.servers, { chroot });
    await owner.create('/mine', NOTHING, 'ephemeral');

    const stat = await observer.exists('/mine');
    await owner.close();

    const [connectedState] = owner.states;
    expect(connectedState).toMatchObject({ phase: 'connected', sessionId: stat?.ephemeralOwner });
    expect(stat?.ephemeralOwner).toMatch(/^[0-9a-f]{16}$/);
    expect(await observer.exists('/mine')).toBeUndefined();
  });

  test('sequential nodes are numbered by the server', async () => {
    await using client = await connected();

    const first = await client.create('/e-', NOTHING, 'ephemeral-sequential');
    const second = await client.create('/e-', NOTHING, 'ephemeral-sequential');

    expect([first.path, second.path]).toEqual(['/e-0000000000', '/e-0000000001']);
    expect((await client.exists('/e-0000000001'))?.ephemeralOwner).toBeDefined();
  });

  test('a container has children but no owner', async () => {
    await using client = await connected();

    const created = await client.create('/latch', NOTHING, 'container');
    await client.create('/latch/child', NOTHING, 'ephemeral');

    expect(created.zxid).toBe((await client.exists('/latch'))?.czxid);
    expect(await client.exists('/latch')).toMatchObject({ ephemeralOwner: undefined, numChildren: 1 });
  });

  test('data are replaced if the version is right', async () => {
    await using client = await connected();
    await client.create('/node', Buffer.from('a'), 'persistent');

    const stat = await client.setData('/node', Buffer.from('b'), 0);
    const refusal = await rejectionOf(client.setData('/node', Buffer.from('c'), 0));
    const forced = await client.setData('/node', Buffer.from('d'));

    expect([stat.version, forced.version]).toEqual([1, 2]);
    expect(refusal).toMatchObject({ errorName: 'BAD_VERSION', errorCode: -103, outcomeUnknown: false });
    expect((await client.getData('/node')).data.toString()).toBe('d');
  });

  test('a node is deleted if the version is right', async () => {
    await using client = await connected();
    await client.create('/node', NOTHING, 'persistent');

    const refusal = await rejectionOf(client.delete('/node', 3));
    await client.delete('/node', 0);

    expect(refusal).toMatchObject({ errorName: 'BAD_VERSION' });
    expect(await client.exists('/node')).toBeUndefined();
  });

  test('5,000 children are listed', async () => {
    await using client = await connected();
    const names = Array.from({ length: 5000 }, (_, index) => `child-with-a-name-of-some-length-${index}`);
    await Promise.all(names.map((name) => client.create(`/${name}`, NOTHING, 'persistent')));

    const children = await client.getChildren('/');

    expect([...children].sort()).toEqual(names.sort());
    expect((await client.exists('/'))?.numChildren).toBe(5000);
  });

  test('paths and data may contain any text', async () => {
    await using client = await connected();
    const path = '/作业-ежедневно-ñ';

    await client.create(path, Buffer.from('značka 🚀'), 'persistent');

    expect(await client.getChildren('/')).toEqual([path.slice(1)]);
    expect((await client.getData(path)).data.toString()).toBe('značka 🚀');
  });

  test('data may be any bytes, and none', async () => {
    await using client = await connected();
    const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

    await client.create('/bytes', all, 'persistent');
    await client.create('/none', NOTHING, 'persistent');

    expect((await client.getData('/bytes')).data).toEqual(all);
    expect((await client.getData('/none')).data).toEqual(NOTHING);
  });

  test('sync is answered', async () => {
    await using client = await connected();

    await expect(client.sync('/')).resolves.toBeUndefined();
  });

  test('answers come in the order of the requests', async () => {
    await using client = await connected();
    await client.create('/n', Buffer.from('0'), 'persistent');
    const order: string[] = [];

    await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const writing = client.setData('/n', Buffer.from(String(index))).then(() => order.push(`w${index}`));
        const { data } = await client.getData('/n');
        order.push(`r${index}=${data.toString()}`);
        await writing;
      }),
    );

    expect(order).toEqual(Array.from({ length: 50 }, (_, index) => [`w${index}`, `r${index}=${index}`]).flat());
  });
});

describe('Large values', () => {
  test('a value of nearly 1 MB is written and read', async () => {
    await using client = await connected();
    const value = Buffer.alloc(1_048_000, 'x');

    await client.create('/large', value, 'persistent');

    const { data } = await client.getData('/large');
    expect(data.equals(value)).toBe(true);
  });

  test('a value so large that a server would drop the connection is refused before it is sent', async () => {
    await using client = await connected();

    const refusal = await rejectionOf(client.create('/large', Buffer.alloc(1_048_576), 'persistent'));

    expect(refusal).toMatchObject({ errorName: 'TOO_LARGE', outcomeUnknown: false });
    expect((refusal as ZooKeeperError).message).toMatch(/create \/large.*jute\.maxbuffer.*Nothing was changed/);
    expect(await client.exists('/large')).toBeUndefined();
    expect(client.phases).toEqual(['connected']);
  });
});

describe('Refusals', () => {
  test('each kind has a name of its own and names the path', async () => {
    await using client = await connected();
    await client.create('/parent', NOTHING, 'persistent');
    await client.create('/parent/child', NOTHING, 'ephemeral');

    const noNode = await rejectionOf(client.getData('/absent'));
    const noParent = await rejectionOf(client.create('/absent/child', NOTHING, 'persistent'));
    const exists = await rejectionOf(client.create('/parent', NOTHING, 'persistent'));
    const notEmpty = await rejectionOf(client.delete('/parent'));
    const noChildren = await rejectionOf(client.create('/parent/child/x', NOTHING, 'persistent'));

    expect(noNode).toMatchObject({ errorName: 'NO_NODE', errorCode: -101, outcomeUnknown: false });
    expect(noParent).toMatchObject({ errorName: 'NO_NODE' });
    expect(exists).toMatchObject({ errorName: 'NODE_EXISTS', errorCode: -110 });
    expect(notEmpty).toMatchObject({ errorName: 'NOT_EMPTY', errorCode: -111 });
    expect(noChildren).toMatchObject({ errorName: 'NO_CHILDREN_FOR_EPHEMERALS', errorCode: -108 });
    expect(String(noNode)).toContain('Could not read /absent: there is no such node');
  });

  test('a path without a leading slash is refused', async () => {
    await using client = await connected();

    expect(await rejectionOf(client.getData('job'))).toMatchObject({ errorName: 'OTHER', errorCode: -8 });
    expect(await rejectionOf(client.getData('/job/'))).toMatchObject({ errorName: 'OTHER', errorCode: -8 });
  });

  test('a path that the server refuses is an ordinary error', async () => {
    await using client = await connected();

    expect(await rejectionOf(client.create('/a\u0001b', NOTHING, 'persistent'))).toMatchObject({ errorCode: -8 });
    expect(client.phases).toEqual(['connected']);
  });
});

describe('Transactions', () => {
  test('all operations are done in one transaction', async () => {
    await using client = await connected();
    await client.create('/old', NOTHING, 'persistent');
    await client.create('/data', NOTHING, 'persistent');

    const { zxid, stats } = await client.multi([
      { type: 'check', path: '/', version: -1 },
      { type: 'create', path: '/new', data: Buffer.from('n'), mode: 'persistent' },
      { type: 'create', path: '/box', data: NOTHING, mode: 'container' },
      { type: 'create', path: '/mine', data: NOTHING, mode: 'ephemeral' },
      { type: 'setData', path: '/data', data: Buffer.from('d'), version: 0 },
      { type: 'delete', path: '/old', version: -1 },
    ]);

    expect(stats.map((stat) => stat?.version)).toEqual([undefined, undefined, undefined, undefined, 1, undefined]);
    expect((await client.exists('/new'))?.czxid).toBe(zxid);
    expect((await client.exists('/data'))?.mzxid).toBe(zxid);
    expect((await client.exists('/mine'))?.ephemeralOwner).toBeDefined();
    expect([...(await client.getChildren('/'))].sort()).toEqual(['box', 'data', 'mine', 'new']);
  });

  test('a transaction of deletes alone has a number', async () => {
    await using client = await connected();
    const before = await client.create('/old', NOTHING, 'persistent');

    const { zxid } = await client.multi([{ type: 'delete', path: '/old', version: -1 }]);

    const after = await client.create('/new', NOTHING, 'persistent');
    expect(zxid > before.zxid && zxid < after.zxid).toBe(true);
  });

  test.each([
    ['a missing node', { type: 'check', path: '/absent', version: -1 }, 'NO_NODE'],
    ['an existing node', { type: 'create', path: '/data', data: NOTHING, mode: 'persistent' }, 'NODE_EXISTS'],
    ['another version', { type: 'setData', path: '/data', data: NOTHING, version: 7 }, 'BAD_VERSION'],
    ['children', { type: 'delete', path: '/', version: -1 }, 'NOT_EMPTY'],
  ] as const)('nothing is done because of %s, and the culprit is named', async (_, culprit, errorName) => {
    await using client = await connected();
    await client.create('/data', NOTHING, 'persistent');

    const refusal = await rejectionOf(
      client.multi([
        { type: 'create', path: '/new', data: NOTHING, mode: 'persistent' },
        culprit,
        { type: 'setData', path: '/data', data: Buffer.from('x'), version: -1 },
      ]),
    );

    expect(refusal).toMatchObject({ errorName, failedIndex: 1, outcomeUnknown: false });
    expect(String(refusal)).toContain(`${culprit.type} ${culprit.path}, operation 1 of a transaction`);
    expect(await client.getChildren('/')).toEqual(['data']);
    expect((await client.getData('/data')).data).toEqual(NOTHING);
  });

  test('an empty transaction is done', async () => {
    await using client = await connected();

    await expect(client.multi([])).resolves.toMatchObject({ stats: [] });
  });

  test('many nodes are read by one request, missing ones as undefined', async () => {
    await using client = await connected();
    await client.create('/a', Buffer.from('1'), 'persistent');
    await client.create('/b', Buffer.from('2'), 'persistent');

    const answers = await client.multiRead(['/a', '/absent', '/b']);

    expect(answers.map((answer) => answer?.data.toString())).toEqual(['1', undefined, '2']);
    expect(answers[2]?.stat.czxid).toBe((await client.exists('/b'))?.czxid);
    expect(await client.multiRead([])).toEqual([]);
  });
});

describe('Watches', () => {
  test('changes of the node and of all below it are reported in order', async () => {
    await using client = await connected();
    await using writer = await TestClient.connect(zookeeper.servers, { chroot: await chrootOf(client) });
    await client.addWatch('/');

    await writer.create('/a', NOTHING, 'persistent');
    await writer.create('/a/b', NOTHING, 'persistent');
    await writer.setData('/a/b', Buffer.from('x'));
    await writer.delete('/a/b');
    await writer.setData('/', Buffer.from('root'));

    await until(() => client.events.length >= 5);
    expect(client.events).toMatchObject([
      { type: 'created', path: '/a' },
      { type: 'created', path: '/a/b' },
      { type: 'changed', path: '/a/b' },
      { type: 'deleted', path: '/a/b' },
      { type: 'changed', path: '/' },
    ]);
  });

  test('an event comes before the answer to a request that shows the change', async () => {
    await using client = await connected();
    await client.addWatch('/');

    await client.create('/a', NOTHING, 'persistent');

    expect(client.events).toMatchObject([{ type: 'created', path: '/a' }]);
  });

  test('changes outside the watched node are not reported', async () => {
    await using client = await connected();
    await client.create('/a', NOTHING, 'persistent');
    await client.addWatch('/a');

    await client.create('/ab', NOTHING, 'persistent');
    await client.create('/a/b', NOTHING, 'persistent');

    expect(client.events).toMatchObject([{ type: 'created', path: '/a/b' }]);
  });

  test('a node may be watched before it exists', async () => {
    await using client = await connected();

    await client.addWatch('/later');
    await client.create('/later', NOTHING, 'persistent');

    expect(client.events).toMatchObject([{ type: 'created', path: '/later' }]);
  });

  test('after its removal a watch is silent, and removing it again is no error', async () => {
    await using client = await connected();
    await client.addWatch('/');

    await client.removeWatch('/');
    await client.removeWatch('/');
    await client.create('/a', NOTHING, 'persistent');

    expect(client.events).toEqual([]);
  });

  test('a listener that throws harms nothing and is logged', async () => {
    const errors: string[] = [];
    const logger = { debug: ignore, log: ignore, warn: ignore, error: (message: string) => void errors.push(message) };
    await using client = await connected({ logger });
    await client.addWatch('/');
    client.onWatch = ({ path }) => {
      throw new Error(`no use for ${path}`);
    };

    await client.create('/a', NOTHING, 'persistent');

    expect(await client.exists('/a')).toBeDefined();
    expect(errors).toEqual([expect.stringContaining('no use for /a')]);
  });
});

describe('The chroot', () => {
  test('is added to every path and never shown', async () => {
    const chroot = `/${zookeeper.namespace()}`;
    await using outside = await TestClient.connect(zookeeper.servers);
    await using inside = await TestClient.connect(zookeeper.servers, { chroot });

    await inside.create('/', NOTHING, 'container');
    await inside.addWatch('/');
    const created = await inside.create('/job-', NOTHING, 'ephemeral-sequential');
    await inside.multi([{ type: 'create', path: '/multi', data: NOTHING, mode: 'persistent' }]);

    expect(created.path).toBe('/job-0000000000');
    expect([...(await outside.getChildren(chroot))].sort()).toEqual(['job-0000000000', 'multi']);
    expect(inside.events.map(({ path }) => path)).toEqual(['/job-0000000000', '/multi']);
  });
});

function ignore(): void {
  // Nothing to be done.
}

/** The chroot of a client made by `connected()`: the namespace whose root that client has created last. */
async function chrootOf(client: TestClient): Promise<string> {
  await using outside = await TestClient.connect(zookeeper.servers);
  const czxid = (await client.exists('/'))?.czxid;
  for (const name of await outside.getChildren('/')) {
    if ((await outside.exists(`/${name}`))?.czxid === czxid) return `/${name}`;
  }
  throw new Error('The client has no chroot');
}
