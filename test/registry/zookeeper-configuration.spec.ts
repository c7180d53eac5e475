import { expect, test } from '@jest/globals';
import {
  resolveZookeeperConfiguration,
  type ZookeeperConfiguration,
} from '../../lib/registry/zookeeper/zookeeper-configuration.js';

const resolve = (configuration: Partial<ZookeeperConfiguration>) =>
  resolveZookeeperConfiguration({ serverLists: 'localhost:2181', namespace: 'orders', ...configuration });

test('what is missing or 0 takes the defaults of Java', () => {
  expect(resolve({ maxRetries: 0, sessionTimeoutMilliseconds: 0 })).toMatchObject({
    servers: [{ host: 'localhost', port: 2181 }],
    root: '/orders',
    retry: { baseMs: 1000, maxMs: 3000, retries: 3 },
    sessionTimeoutMs: 60_000,
    connectionTimeoutMs: 15_000,
    digest: undefined,
  });
});

test.each([
  [
    'a:1,b:2',
    [
      { host: 'a', port: 1 },
      { host: 'b', port: 2 },
    ],
  ],
  [
    ' zk-1.example , 10.0.0.2:2182 ',
    [
      { host: 'zk-1.example', port: 2181 },
      { host: '10.0.0.2', port: 2182 },
    ],
  ],
  [
    '[::1]:2181,[fe80::1]',
    [
      { host: '::1', port: 2181 },
      { host: 'fe80::1', port: 2181 },
    ],
  ],
])('the servers %j are understood', (serverLists, servers) => {
  expect(resolve({ serverLists }).servers).toEqual(servers);
});

test('a path behind the servers roots the namespace there', () => {
  expect(resolve({ serverLists: 'a:1,b:2/shared/zone', namespace: 'shop/orders' }).root).toBe(
    '/shared/zone/shop/orders',
  );
});

test.each(['', ' ', 'a:b', 'a:0', 'a:65536', 'a,,b', '::1:2181', 'http://a:2181', 'a b'])(
  'the servers %j are refused by name',
  (serverLists) => {
    expect(() => resolve({ serverLists })).toThrow(/serverLists/);
  },
);

test.each(['', '/orders', 'orders/', 'a//b', 'a/../b'])('the namespace %j is refused by name', (namespace) => {
  expect(() => resolve({ namespace })).toThrow(/namespace/);
});

test('every fault is named, with what would be right, and no secret', () => {
  const attempt = (): unknown => resolve({ maxRetries: 30, baseSleepTimeMilliseconds: -1, digest: 'secret' });

  expect(attempt).toThrow(/maxRetries is 30; .* at most 29/);
  expect(attempt).toThrow(/baseSleepTimeMilliseconds is -1/);
  expect(attempt).toThrow(/digest is not of the form/);
  expect(attempt).not.toThrow(/secret/);
});
