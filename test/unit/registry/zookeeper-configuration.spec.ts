import { expect, test } from '@jest/globals';
import {
  digestProblem,
  maxRetriesProblem,
  namespaceProblem,
  resolveZookeeperConfiguration,
  serverListsProblem,
  timeoutProblem,
  type ZookeeperConfiguration,
} from '../../../lib/registry/zookeeper/zookeeper-configuration.js';

const resolve = (configuration: Partial<ZookeeperConfiguration>) =>
  resolveZookeeperConfiguration({ serverLists: 'localhost:2181', namespace: 'orders', ...configuration });

test('what is missing or 0 takes the defaults of Java', () => {
  expect(resolve({ maxRetries: 0, sessionTimeoutMilliseconds: 0 })).toMatchObject({
    servers: [{ host: 'localhost', port: 2181 }],
    root: '/orders',
    retry: { baseMs: 1000, maxMs: 3000, retries: 3 },
    sessionTimeoutMs: 60_000,
    connectionTimeoutMs: 15_000,
    operationTimeoutMs: 24_000,
    digest: undefined,
  });
});

test('one operation may take as long as one connection attempt and all the pauses between its attempts', () => {
  const settings = resolve({
    connectionTimeoutMilliseconds: 2_000,
    maxSleepTimeMilliseconds: 500,
    maxRetries: 7,
    baseSleepTimeMilliseconds: 100,
  });

  expect(settings).toMatchObject({
    retry: { baseMs: 100, maxMs: 500, retries: 7 },
    connectionTimeoutMs: 2_000,
    operationTimeoutMs: 5_500,
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
    '[::1]:2181,[fe80::1],[fe80::1%eth0]:2182',
    [
      { host: '::1', port: 2181 },
      { host: 'fe80::1', port: 2181 },
      { host: 'fe80::1%eth0', port: 2182 },
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

test.each(['a:1/shared/', 'a:1/shared', 'a:1/shared '])('%j roots the namespace in /shared', (serverLists) => {
  expect(resolve({ serverLists }).root).toBe('/shared/orders');
});

test('a slash alone behind the servers means nothing', () => {
  expect(resolve({ serverLists: 'a:1/' }).root).toBe('/orders');
});

const SERVERS = "must be servers like 'host1:2181,host2:2181'";
const CHROOT = "must end with a path such as '/team', without empty or odd names in it, if with any";
const NAMESPACE = "must be a name like 'orders', or names joined by '/'";

test.each<[unknown, string]>([
  ['', SERVERS],
  [' ', SERVERS],
  [undefined, SERVERS],
  [['a:1'], SERVERS],
  ['a:b', `${SERVERS}, which 'a:b' is not`],
  ['a:0', `${SERVERS}, which 'a:0' is not`],
  ['b:1,a:65536', `${SERVERS}, which 'a:65536' is not`],
  ['a b', `${SERVERS}, which 'a b' is not`],
  ['user@host:2181', `${SERVERS}, which 'user@host:2181' is not`],
  ['a\u0000b:2181', `${SERVERS}, which 'a\\u0000b:2181' is not`],
  ['[zoo]:2181', `${SERVERS}, which '[zoo]:2181' is not`],
  ['a,,b', `${SERVERS}, without commas that separate nothing`],
  ['::1:2181', `${SERVERS}, which '::1:2181' is not; an IPv6 address stands in brackets: '[::1]:2181'`],
  ['http://a:2181', `${SERVERS}, which 'http:' is not`],
  ['a:1/b//c', CHROOT],
  ['a:1//b', CHROOT],
  ['a:1/../c', CHROOT],
  ['a:1/\u0000', CHROOT],
])('the servers %j are refused', (serverLists, problem) => {
  expect(serverListsProblem(serverLists)).toBe(problem);
});

test.each<unknown>(['', '/orders', 'orders/', 'a//b', 'a/../b', '.', ' a', 'a /b', 'a\u0007', 'a🎉', undefined, 5])(
  'the namespace %j is refused',
  (namespace) => {
    expect(namespaceProblem(namespace)).toBe(NAMESPACE);
  },
);

test.each<unknown>(['secret', ':secret', 'user:', 5])('the credentials %j are refused', (digest) => {
  expect(digestProblem(digest)).toBe('must be of the form user:password');
});

test.each([
  ['-1', -1, 'must be an integer of at least 0'],
  ['a fraction', 0.5, 'must be an integer of at least 0'],
  ['what is no number', NaN, 'must be an integer of at least 0'],
  ['a text', '1000', 'must be an integer of at least 0'],
  ['more than the protocol can send', 2 ** 31, 'must be an integer of at most 2147483647'],
  ['the most that the protocol can send', 2 ** 31 - 1, undefined],
  ['0, which is the default', 0, undefined],
])('a time may not be everything: %s', (_, value, problem) => {
  expect(timeoutProblem(value)).toBe(problem);
});

test('an operation is tried again at most 29 times', () => {
  expect([0, 29, 30].map(maxRetriesProblem)).toEqual([undefined, undefined, 'must be an integer of at most 29']);
});

test('every fault is named by its key, with what would be right, and no secret', () => {
  const attempt = (): unknown =>
    resolve({
      serverLists: 'a:0',
      namespace: '',
      baseSleepTimeMilliseconds: -1,
      maxSleepTimeMilliseconds: NaN,
      maxRetries: 30,
      sessionTimeoutMilliseconds: 2 ** 31,
      connectionTimeoutMilliseconds: 0.5,
      digest: 'secret',
    });

  expect(attempt).toThrow(
    expect.objectContaining({
      faults: [
        `serverLists is "a:0"; it ${SERVERS}, which 'a:0' is not.`,
        `namespace is ""; it ${NAMESPACE}.`,
        'baseSleepTimeMilliseconds is -1; it must be an integer of at least 0.',
        'maxSleepTimeMilliseconds is NaN; it must be an integer of at least 0.',
        'maxRetries is 30; it must be an integer of at most 29.',
        'sessionTimeoutMilliseconds is 2147483648; it must be an integer of at most 2147483647.',
        'connectionTimeoutMilliseconds is 0.5; it must be an integer of at least 0.',
        'digest is a string that is not shown; it must be of the form user:password.',
      ],
    }),
  );
});

test('an empty digest is none', () => {
  expect(resolve({ digest: '' }).digest).toBeUndefined();
});
