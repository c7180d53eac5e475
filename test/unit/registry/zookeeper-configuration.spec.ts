import { expect, test } from '@jest/globals';
import { type InvalidConfigurationError } from '../../../lib/api/errors/errors.js';
import { namespaceProblem } from '../../../lib/registry/zookeeper/namespace.js';
import { serverListsProblem } from '../../../lib/registry/zookeeper/server-lists.js';
import {
  resolveZookeeperConfiguration,
  type ZookeeperConfiguration,
} from '../../../lib/registry/zookeeper/zookeeper-configuration.js';
import { english } from '../../support/english.js';

/** The problems of a configuration that is valid otherwise, one line each. */
function faultsOf(configuration: unknown): readonly string[] {
  try {
    resolve(configuration as Partial<ZookeeperConfiguration>);
    return [];
  } catch (error) {
    return (error as InvalidConfigurationError).faults;
  }
}

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

test.each(['a:1/shared', 'a:1/shared '])('%j roots the namespace in /shared', (serverLists) => {
  expect(resolve({ serverLists }).root).toBe('/shared/orders');
});

test('a slash alone behind the servers means nothing', () => {
  expect(resolve({ serverLists: 'a:1/' }).root).toBe('/orders');
});

const SERVERS = "must be servers like 'host1:2181,host2:2181'";
const CHROOT = "must end with a path such as '/team', without empty or odd names in it, if with any";
const CHROOT_TWICE = "must have the path once, after the last server, for all of them: 'host1:2181,host2:2181/team'";
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
  ['a:1/b,c:1/b', CHROOT_TWICE],
  ['a:1/b,c:1', CHROOT_TWICE],
  ['a:1/b/', 'must not have a slash at its end'],
  ['a:1/zookeeper', CHROOT],
  ['a:1/b//c', CHROOT],
  ['a:1//b', CHROOT],
  ['a:1/../c', CHROOT],
  ['a:1/\u0000', CHROOT],
])('the servers %j are refused', (serverLists, problem) => {
  expect(english(serverListsProblem(serverLists))).toBe(problem);
});

test.each<unknown>(['', '/orders', 'orders/', 'a//b', 'a/../b', '.', ' a', 'a /b', 'a\u0007', 'a🎉', undefined, 5])(
  'the namespace %j is refused',
  (namespace) => {
    expect(english(namespaceProblem(namespace))).toBe(NAMESPACE);
  },
);

test.each(['zookeeper', 'zookeeper/orders'])('the namespace %j is refused, as it is ZooKeeper’s own', (namespace) => {
  expect(faultsOf({ namespace })).toEqual([
    `ZookeeperRegistryCenter.namespace: must not be below 'zookeeper', where ZooKeeper keeps nodes of its own, got "${namespace}"`,
  ]);
  expect(english(namespaceProblem('zookeepers/zookeeper'))).toBeUndefined();
});

test.each<unknown>(['secret', ':secret', 'user:', 5])('the credentials %j are refused, and not shown', (digest) => {
  const kind = typeof digest;
  expect(faultsOf({ digest })).toEqual([
    `ZookeeperRegistryCenter.digest: must be of the form user:password, got a ${kind} that is not shown`,
  ]);
});

const SESSION = 'must be 0 (the default) or an integer of at least 1000';

test.each<[Partial<Record<keyof ZookeeperConfiguration, unknown>>, string | undefined]>([
  [{ sessionTimeoutMilliseconds: -1 }, `${SESSION}, got -1`],
  [{ sessionTimeoutMilliseconds: 1 }, `${SESSION}, got 1`],
  [{ sessionTimeoutMilliseconds: 999 }, `${SESSION}, got 999`],
  [{ sessionTimeoutMilliseconds: 1000.5 }, `${SESSION}, got 1000.5`],
  [{ sessionTimeoutMilliseconds: NaN }, `${SESSION}, got NaN`],
  [{ sessionTimeoutMilliseconds: '10000' }, `${SESSION}, got "10000"`],
  [
    { sessionTimeoutMilliseconds: 2 ** 31 },
    'must be 0 (the default) or an integer of at most 2147483647, got 2147483648',
  ],
  [{ sessionTimeoutMilliseconds: 0 }, undefined],
  [{ sessionTimeoutMilliseconds: 1_000 }, undefined],
  [{ sessionTimeoutMilliseconds: 2 ** 31 - 1 }, undefined],
  [{ connectionTimeoutMilliseconds: 99 }, 'must be 0 (the default) or an integer of at least 100, got 99'],
  [{ connectionTimeoutMilliseconds: 100 }, undefined],
  [{ maxRetries: 30 }, 'must be an integer of at most 29, got 30'],
  [{ maxRetries: 29 }, undefined],
  [{ maxSleepTimeMilliseconds: 5 }, 'must be at least baseSleepTimeMilliseconds, whose default is 1000, got 5'],
  [
    { maxSleepTimeMilliseconds: 5, baseSleepTimeMilliseconds: 6 },
    'must be at least baseSleepTimeMilliseconds, which is 6, got 5',
  ],
  [{ maxSleepTimeMilliseconds: 5, baseSleepTimeMilliseconds: 5 }, undefined],
  [{ baseSleepTimeMilliseconds: 3_001 }, 'must be at most maxSleepTimeMilliseconds, whose default is 3000, got 3001'],
  [{ baseSleepTimeMilliseconds: 3_000 }, undefined],
])('of the numbers %j, what could not work is refused', (numbers, problem) => {
  const [key] = Object.keys(numbers);

  expect(faultsOf(numbers)).toEqual(problem === undefined ? [] : [`ZookeeperRegistryCenter.${key}: ${problem}`]);
});

test('every fault is named by its key, with what would be right, and no secret', () => {
  const configuration = {
    serverLists: 'a:0',
    namespace: '',
    baseSleepTimeMilliseconds: -1,
    digest: 'secret',
    sesionTimeoutMilliseconds: 5,
  };

  expect(faultsOf(configuration)).toEqual([
    "ZookeeperRegistryCenter.sesionTimeoutMilliseconds: unknown key; did you mean 'sessionTimeoutMilliseconds'?",
    `ZookeeperRegistryCenter.serverLists: ${SERVERS}, which 'a:0' is not, got "a:0"`,
    `ZookeeperRegistryCenter.namespace: ${NAMESPACE}, got ""`,
    'ZookeeperRegistryCenter.baseSleepTimeMilliseconds: must be an integer of at least 0, got -1',
    'ZookeeperRegistryCenter.digest: must be of the form user:password, got a string that is not shown',
  ]);
});

test('a key that resembles no setting is refused with the settings that there are', () => {
  expect(faultsOf({ serverLists: 'a:1', namespace: 'orders', foo: 1 })).toEqual([
    'ZookeeperRegistryCenter.foo: unknown key; known are: serverLists, namespace, baseSleepTimeMilliseconds, ' +
      'maxSleepTimeMilliseconds, maxRetries, sessionTimeoutMilliseconds, connectionTimeoutMilliseconds, digest, tls, sasl',
  ]);
});

test('servers and namespace are required', () => {
  const missing = [
    `ZookeeperRegistryCenter.serverLists: is required and ${SERVERS}`,
    `ZookeeperRegistryCenter.namespace: is required and ${NAMESPACE}`,
  ];

  expect(faultsOf({ serverLists: undefined, namespace: undefined })).toEqual(missing);
  expect(() => resolveZookeeperConfiguration(undefined as never)).toThrow(
    'ZookeeperRegistryCenter: needs a plain object of settings, got undefined',
  );
});

test('an empty digest is none', () => {
  expect(resolve({ digest: '' }).digest).toBeUndefined();
});
