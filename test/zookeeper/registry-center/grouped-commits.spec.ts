import { expect, test } from '@jest/globals';
import { type Operation } from '../../../lib/registry/registry-center.js';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { until } from '../../support/until.js';
import { openProxied, type ProxiedCentre } from '../../support/zookeeper-centres.js';

const zooKeeper = sharedZooKeeper();

/** A centre with the jobs `/job-0` to `/job-{count - 1}`. */
async function centreWithJobs(count: number): Promise<ProxiedCentre> {
  const proxied = await openProxied(zooKeeper.servers, { namespace: zooKeeper.namespace(), maxRetries: 20 });
  const { centre, proxy } = proxied;
  await centre.commit(jobs(count).map((path): Operation => ({ type: 'create', path, value: '' })));
  proxy.resetRequests();
  return proxied;
}

const jobs = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `/job-${index}`);
const begin = (path: string): readonly Operation[] => [
  { type: 'check', path },
  { type: 'create', path: `${path}/running`, value: 'me' },
];
const conflict = (path: string, reason: string): object => ({
  status: 'rejected',
  reason: expect.objectContaining({ code: 'REGISTRY_CONFLICT', path, reason }) as unknown,
});
const done = { status: 'fulfilled', value: expect.any(Number) as unknown };

test('commits that are asked for together cost one request', async () => {
  await using proxied = await centreWithJobs(50);

  const revisions = await Promise.all(jobs(50).map((path) => proxied.centre.commit(begin(path))));

  expect(proxied.proxy.requests).toEqual({ multi: 1 });
  expect(new Set(revisions).size).toBe(1);
  const running = await proxied.centre.getAll(jobs(50).map((path) => `${path}/running`));
  expect(running.map((node) => [node?.value, node?.revision])).toEqual(revisions.map((revision) => ['me', revision]));
});

test('commits that do not fit are refused alone, each for its own node, and the others are carried out', async () => {
  await using proxied = await centreWithJobs(5);
  const { centre, proxy } = proxied;
  const commits = [
    begin('/job-0'),
    begin('/job-removed'),
    [...begin('/job-2'), { type: 'check', path: '/job-1', version: 7 }] as const,
    begin('/job-3'),
    begin('/job-3'),
    begin('/job-4'),
  ];

  const results = await Promise.allSettled(commits.map((operations) => centre.commit(operations)));

  expect(results).toEqual([
    done,
    conflict('/job-removed', 'absent'),
    conflict('/job-1', 'changed'),
    done,
    conflict('/job-3/running', 'exists'),
    done,
  ]);
  // Together, and all but the first that does not fit once more, each for itself.
  expect(proxy.requests).toEqual({ multi: 6 });
  const running = await centre.getAll(jobs(5).map((path) => `${path}/running`));
  expect(running.map((node) => node?.value)).toEqual(['me', undefined, undefined, 'me', 'me']);
});

test('commits of one job are sent one after the other, so that each has a revision of its own', async () => {
  await using proxied = await centreWithJobs(3);
  const { centre, proxy } = proxied;
  await using mirror = await disposable(centre.mirror('/job-1'));
  proxy.resetRequests();

  const [one, two, three, four] = await Promise.all([
    centre.commit([{ type: 'create', path: '/job-0/new', value: 'a' }]),
    centre.commit([{ type: 'set', path: '/job-1', value: 'b', version: 0 }]),
    centre.commit([{ type: 'set', path: '/job-1', value: 'c', version: 1 }]),
    centre.commit([{ type: 'create', path: '/job-2/new', value: 'd' }]),
  ]);
  expect(proxy.count('multi')).toBe(2);
  await mirror.sync();

  expect(two).toBe(one);
  expect(three).toBeGreaterThan(two);
  expect(four).toBe(three);
  expect(mirror.nodes.get('/job-1')).toMatchObject({ value: 'c', version: 2, revision: three });
});

test('a commit that concerns several jobs is sent alone, after those that were asked for before', async () => {
  await using proxied = await centreWithJobs(3);
  const { centre, proxy } = proxied;

  const [one, both, three] = await Promise.all([
    centre.commit(begin('/job-0')),
    centre.commit([
      { type: 'check', path: '/job-0/running' },
      { type: 'create', path: '/job-1/running', value: 'me' },
    ]),
    centre.commit(begin('/job-2')),
  ]);

  expect(proxy.requests).toEqual({ multi: 3 });
  expect([one < both, both < three]).toEqual([true, true]);
});

test('a commit is not sent again when its deadline has passed, because its asker may have read that it was not carried out', async () => {
  const namespace = zooKeeper.namespace();
  await using proxied = await openProxied(zooKeeper.servers, { namespace, connectionTimeoutMilliseconds: 300 });
  await using peer = await openProxied(zooKeeper.servers, { namespace });
  const { centre, proxy } = proxied;
  await centre.put('/job-0', '');

  proxy.blackHole('down');
  const fitting = centre.commit(begin('/job-0'));
  const misfit = centre.commit(begin('/job-removed'));
  await expect(fitting).rejects.toMatchObject({ code: 'REGISTRY_OUTCOME_UNKNOWN' });
  await expect(misfit).rejects.toMatchObject({ code: 'REGISTRY_OUTCOME_UNKNOWN' });
  const seen = centre.get('/job-0/running');
  await until(() => proxy.heldBytes('down') > 0, 'the server has answered');
  proxy.heal();

  expect(await seen).toBeUndefined();
  // Earlier requests were carried out before this one.
  await centre.put('/job-0/later', '');
  expect(await peer.centre.get('/job-0/running')).toBeUndefined();
});

test('a commit that was asked for just before the registry centre is closed is carried out', async () => {
  const namespace = zooKeeper.namespace();
  const { centre, proxy } = await openProxied(zooKeeper.servers, { namespace });
  await using peer = await openProxied(zooKeeper.servers, { namespace });
  await centre.put('/job-0', '');

  const committed = centre.commit(begin('/job-0'));
  const closed = centre.close();

  await expect(committed).resolves.toEqual(expect.any(Number));
  await closed;
  await proxy.close();
  expect(await peer.centre.get('/job-0/running')).toBe('me');
});

test.each([
  ['read', async ({ centre }: ProxiedCentre) => expect(await centre.get('/job-0/running')).toBe('me')],
  ['list', async ({ centre }: ProxiedCentre) => expect(await centre.children('/job-0')).toEqual(['running'])],
  [
    'read many',
    async ({ centre }: ProxiedCentre) => expect((await centre.getAll(['/job-0/running']))[0]).toBeDefined(),
  ],
  [
    'list many',
    async ({ centre }: ProxiedCentre) => expect(await centre.childrenOfAll(['/job-0'])).toEqual([['running']]),
  ],
  ['write', async ({ centre }: ProxiedCentre) => expect(await centre.create('/job-0/running', 'other')).toBe(false)],
  ['removal', async ({ centre }: ProxiedCentre) => expect(await centre.remove('/job-0/running')).toBe(true)],
])('what is asked for after a commit finds what it has done: %s', async (_, ask) => {
  await using proxied = await centreWithJobs(1);

  const committed = proxied.centre.commit(begin('/job-0'));
  await ask(proxied);
  await committed;
});

test('more than fits into one request goes in several', async () => {
  await using proxied = await centreWithJobs(4);
  const { centre, proxy } = proxied;
  const large = (path: string): readonly Operation[] => [{ type: 'set', path, value: 'x'.repeat(60_000) }];
  const many = (path: string): readonly Operation[] =>
    Array.from({ length: 100 }, (_, index) => ({ type: 'create', path: `${path}/${index}`, value: '' }));

  await Promise.all(jobs(4).map((path) => centre.commit(large(path))));
  expect(proxy.requests).toEqual({ multi: 2 });

  proxy.resetRequests();
  await Promise.all(jobs(4).map((path) => centre.commit(many(path))));
  expect(proxy.requests).toEqual({ multi: 2 });
  expect((await centre.childrenOfAll(jobs(4))).map(({ length }) => length)).toEqual([100, 100, 100, 100]);
});

test('if the answer to several is lost, each finds out by itself what has become of it', async () => {
  await using proxied = await centreWithJobs(3);
  const { centre, proxy } = proxied;
  const session = (path: string): Operation => ({
    type: 'create',
    path: `${path}/mine`,
    value: 'x',
    lifetime: 'session',
  });

  proxy.blackHole('down');
  const asked = Promise.allSettled(jobs(3).map((path) => centre.commit([session(path)])));
  await until(() => proxy.count('multi') === 1 && proxy.heldBytes('down') > 0);
  proxy.cut();
  proxy.heal();

  expect(await asked).toEqual([done, done, done]);
});

async function disposable<T extends { close(): void }>(opened: Promise<T>): Promise<T & AsyncDisposable> {
  const resource = await opened;
  return Object.assign(resource, {
    [Symbol.asyncDispose]: () => {
      resource.close();
      return Promise.resolve();
    },
  });
}
