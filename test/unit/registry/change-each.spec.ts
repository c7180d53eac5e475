import { expect, test } from '@jest/globals';
import { RegistryRefusedError } from '../../../lib/api/errors/errors.js';
import { changeEach, type SmallChange } from '../../../lib/registry/change-each.js';
import { EmbeddedRegistryCenter } from '../../../lib/registry/embedded/embedded-registry-center.js';
import { EmbeddedRegistryServer } from '../../../lib/registry/embedded/embedded-registry-server.js';
import { whenConnected } from '../../../lib/registry/session-state.js';
import { type Delivery } from '../../../lib/registry/embedded/delivery.js';

/** A registry centre, and what is sent to it. */
async function stage(limits = {}) {
  const requests: string[] = [];
  const underWay = { now: 0, most: 0 };
  const deliver = ({ channel, what, arrive }: Delivery): void => {
    if (channel.endsWith('→ server')) {
      requests.push(what.split(' ')[0]!);
      underWay.most = Math.max(underWay.most, ++underWay.now);
    } else if (what.startsWith('answer')) underWay.now--;
    void Promise.resolve().then(arrive);
  };
  const server = new EmbeddedRegistryServer({ deliver, limits });
  const registry = new EmbeddedRegistryCenter({ server });
  registry.connect();
  await whenConnected(registry.session, new AbortController().signal);
  const names = (): readonly string[] => [...server.namespace('elasticjob').subtree('/a').keys()];
  return { registry, requests, underWay, names };
}

const creations = (total: number): readonly SmallChange[] =>
  Array.from({ length: total }, (_, n) => ({ type: 'create', path: `/a/${n}`, value: '' }));
const removals = (total: number): readonly SmallChange[] =>
  creations(total).map(({ path }) => ({ type: 'remove', path }));

test('many small changes are one request, or as many as the limits of a commit want', async () => {
  const { registry, requests, names } = await stage({ operations: 400 });
  await registry.create('/a', '');
  requests.length = 0;

  await changeEach(registry, creations(1_000));
  expect(names()).toHaveLength(1_001);
  await changeEach(registry, removals(1_000));

  expect(names()).toEqual(['/a']);
  expect(requests).toEqual(Array.from({ length: 6 }, () => 'commit'));
});

test('a change that others have made keeps no other from being made, and few requests are under way at a time', async () => {
  const { registry, underWay, names } = await stage();
  await registry.create('/a/7', 'theirs');

  await changeEach(registry, creations(1_000));
  expect(names()).toHaveLength(1_001);
  expect(await registry.get('/a/7')).toBe('theirs');
  await registry.remove('/a/3');
  await changeEach(registry, removals(1_000));

  expect(names()).toEqual(['/a']);
  expect(underWay.most).toBe(256);
});

test('a change that is refused keeps no other from being made, and is reported', async () => {
  const { registry, names } = await stage({ operations: 4 });
  const refusal = new RegistryRefusedError('create', '/a/1', 'not at the moment');
  const [create, commit] = [registry.create.bind(registry), registry.commit.bind(registry)];
  registry.create = (path, value) => (path === '/a/1' ? Promise.reject(refusal) : create(path, value));
  registry.commit = (operations) =>
    operations.some(({ path }) => path === '/a/1') ? Promise.reject(refusal) : commit(operations);
  await create('/a', '');

  await expect(changeEach(registry, creations(10))).rejects.toBe(refusal);

  expect([...names()].sort()).toEqual(['/a', ...[0, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `/a/${n}`)]);
});

test('a single change is no commit', async () => {
  const { registry, requests, names } = await stage();

  await changeEach(registry, creations(1));

  expect(names()).toEqual(['/a', '/a/0']);
  expect(requests).not.toContain('commit');
});

test('nothing to do sends nothing', async () => {
  const { registry, requests } = await stage();

  await changeEach(registry, []);

  expect(requests).not.toContain('commit');
});
