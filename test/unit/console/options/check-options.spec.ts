import { describe, expect, test } from '@jest/globals';
import { optionProblems } from '../../../../lib/console/start/check-options.js';
import { environmentProblems, withEnvironment, withVariable } from '../../../../lib/console/start/environment.js';
import { CASDOOR_DEMO_CERTIFICATE } from './casdoor-demo-certificate.js';

const KEY = 'a random text of at least 32 characters';
const HASH = '$scrypt$ln=10,r=8,p=1$EYZuLZTPHAa1DTlI32lr8A$6GwffGpPp1JpDEfuHbclfFxQ+pCUjegMhy43sR88a80';
const OIDC = { name: 'company', issuer: 'https://login.example.com', clientId: 'console' };
const CASDOOR = {
  ...{ endpoint: 'https://casdoor.example.com', clientId: 'id', clientSecret: 'secret' },
  ...{ organizationName: 'acme', applicationName: 'jobs' },
};
const SHARED = {
  stateRegistry: { serverLists: 'zk1:2181', namespace: 'orders-console' },
  sessionKeys: [KEY],
  secretKey: KEY,
};
const ZOOKEEPER = { serverLists: 'zk1:2181', namespace: 'orders' };
const DATABASE = { name: 'runs', driver: 'postgres', database: 'jobs' };
const HERE = import.meta.filename;
const PUBLIC = { publicUrl: 'https://ops.example.com/elasticjob' };

describe('options of the console that are right', () => {
  test.each([
    [{}],
    [
      {
        path: '/',
        environment: 'production',
        stateFolder: '/var/lib/elasticjob',
        sessionIdleMinutes: 5,
        sessionHours: 1,
      },
    ],
    [{ path: '/ops/jobs', publicUrl: 'http://localhost:3000/jobs', trustedProxies: ['10.0.0.0/8', 'loopback'] }],
    [
      {
        users: [
          { username: 'anna', role: 'admin', passwordHash: HASH },
          { username: 'root', role: 'admin', password: 'root' },
        ],
      },
    ],
    [{ sessionKeys: [KEY, KEY], secretKey: KEY, decorators: [() => undefined], onAudit: () => undefined }],
    [
      {
        ...SHARED,
        stateFolder: '/var/lib/elasticjob',
        registries: [{ name: 'main', serverLists: 'zk1:2181', namespace: 'orders' }],
      },
    ],
    [{ ...SHARED, registries: [{ name: 'main', serverLists: 'other:2181', namespace: 'orders-console' }] }],
    [{ ...SHARED, stateRegistry: { registryCenter: { commit: () => undefined } } }],
    [{ ...PUBLIC, oidc: [OIDC], casdoor: CASDOOR }],
    [
      {
        ...PUBLIC,
        oidc: [{ ...OIDC, issuer: 'http://localhost:9000', roles: [{ claim: 'a', value: 'b', role: 'admin' }] }],
      },
    ],
    [
      {
        connections: { allow: ['10.0.0.0/8'] },
        dump: { ports: [9888, 9899] },
        compat: { always200: true },
        events: { total: 5 },
      },
    ],
    [{ store: { read: () => undefined, write: () => undefined }, users: undefined }],
    [
      {
        registries: [
          {
            name: 'main',
            ...ZOOKEEPER,
            digest: 'me:hush',
            tls: { ca: HERE },
            sasl: { username: 'jobs', password: 'x' },
          },
          { name: 'Aufträge 2', ...ZOOKEEPER, tls: {}, maxRetries: 5, sessionTimeoutMilliseconds: 0 },
          { name: 'given', registryCenter: { commit: () => undefined } },
        ],
      },
    ],
    [
      {
        dataSources: [
          {
            name: 'a',
            driver: 'postgres',
            database: 'jobs',
            host: 'db.internal',
            port: 5433,
            username: 'u',
            password: '',
          },
          { name: 'b', driver: 'mysql', database: 'jobs', tls: { servername: 'db', rejectUnauthorized: true } },
          { name: 'c', driver: 'mariadb', host: '10.0.0.7', database: 'jobs', tls: { rejectUnauthorized: false } },
          { name: 'd', driver: 'sqljs', database: '/var/lib/jobs.sqlite' },
          { name: 'e', dataSource: { initialize: () => undefined } },
        ],
      },
    ],
  ])('are %j', (options) => {
    expect(optionProblems(options)).toEqual([]);
  });
});

describe('options of the console that are wrong are named with what would be right', () => {
  test.each<readonly [unknown, string]>([
    [null, 'console: must be keys with values (key: value), got null'],
    [{ pth: '/a' }, "console.pth: unknown key; did you mean 'path'?"],
    [{ path: 'a' }, 'console.path: must be a path such as \'/elasticjob\', without a slash at its end, got "a"'],
    [{ path: '/a/' }, 'console.path: must be a path such as \'/elasticjob\', without a slash at its end, got "/a/"'],
    [
      { publicUrl: 'ops' },
      'console.publicUrl: must be a URL such as \'https://ops.example.com/elasticjob\', without query, got "ops"',
    ],
    [
      { publicUrl: 'https://a/?b' },
      'console.publicUrl: must be a URL such as \'https://ops.example.com/elasticjob\', without query, got "https://a/?b"',
    ],
    [
      { stateFolder: '~/state' },
      'console.stateFolder: must be the path of a folder; \'~\' is not known here, got "~/state"',
    ],
    [{ environment: ' ' }, 'console.environment: must be a text, got " "'],
    [{ store: {} }, 'console.store: must be a ConsoleStore, with read() and write(), got keys with values'],
    [{ users: {} }, 'console.users: must be a list, got keys with values'],
    [{ users: [7] }, 'console.users[0]: must be keys with values (key: value), got a number that is not shown'],
    [
      { users: [{ username: 'anna', role: 'root', passwordHash: HASH }] },
      'console.users[0].role: must be one of guest, operator, admin, got "root"',
    ],
    [
      { users: [{ username: '', role: 'admin', passwordHash: HASH }] },
      'console.users[0].username: must be 1 to 64 letters, digits or one of . _ @ + - and begin with a letter or digit, got ""',
    ],
    [
      { users: [{ username: 'anna', role: 'admin', passwordHash: 'clear' }] },
      'console.users[0].passwordHash: must be what `npx elasticjob hash-password` prints, $scrypt$…, got a string that is not shown',
    ],
    [
      { users: [{ username: 'anna', role: 'admin', password: 'a long enough word', passwordHash: HASH }] },
      'console.users[0].password: must not be given with passwordHash: one of the two is enough, got a string that is not shown',
    ],
    [{ users: [{ username: 'anna', role: 'admin' }] }, 'console.users[0]: needs a password or a passwordHash'],
    [
      { users: ['a', 'A'].map((username) => ({ username, role: 'admin', passwordHash: HASH })) },
      "console.users: has 'a' twice",
    ],
    [
      { sessionKeys: ['short'] },
      'console.sessionKeys: must be a list of which each must be a random text of at least 32 characters, got a list',
    ],
    [
      { secretKey: 'short' },
      'console.secretKey: must be a random text of at least 32 characters, got a string that is not shown',
    ],
    [{ sessionIdleMinutes: 0 }, 'console.sessionIdleMinutes: must be a number from 1 to 1440, got 0'],
    [{ sessionHours: 721 }, 'console.sessionHours: must be a number from 1 to 720, got 721'],
    [
      { trustedProxies: ['proxy'] },
      "console.trustedProxies: must be a list of which each must be an address, a network such as '10.0.0.0/8', or 'loopback', got [\"proxy\"]",
    ],
    [
      { oidc: [OIDC] },
      'console.publicUrl: is required with logins by OpenID Connect: it is where the provider sends browsers back to',
    ],
    [
      { ...PUBLIC, oidc: [{ ...OIDC, name: 'local' }] },
      'console.oidc[0].name: must be lower-case letters, digits and hyphens, and not \'local\', got "local"',
    ],
    [{ ...PUBLIC, oidc: [OIDC, OIDC] }, "console.oidc: has 'company' twice"],
    [{ ...PUBLIC, oidc: [{ ...OIDC, name: 'casdoor' }], casdoor: CASDOOR }, "console.oidc: has 'casdoor' twice"],
    [
      { ...PUBLIC, oidc: [{ ...OIDC, issuer: 'http://login.example.com' }] },
      'console.oidc[0].issuer: must be an HTTPS URL; HTTP is allowed on this machine only, got "http://login.example.com"',
    ],
    [
      { ...PUBLIC, oidc: [{ ...OIDC, defaultRole: 'admin' }] },
      'console.oidc[0].defaultRole: must be guest, operator or none, never admin, got "admin"',
    ],
    [{ ...PUBLIC, oidc: [{ ...OIDC, clientId: undefined }] }, 'console.oidc[0].clientId: is required'],
    [
      { ...PUBLIC, oidc: [{ ...OIDC, certificate: 'none' }] },
      'console.oidc[0].certificate: must be a certificate in PEM, from -----BEGIN CERTIFICATE----- on, got a string that is not shown',
    ],
    [{ ...PUBLIC, casdoor: 'on' }, 'console.casdoor: must be keys with values (key: value), got "on"'],
    [
      { ...PUBLIC, casdoor: { ...CASDOOR, requiredClaims: {} } },
      'console.casdoor.requiredClaims: unknown key; known are: endpoint, clientId, certificate, roles, defaultRole, clientSecret, organizationName, applicationName',
    ],
    [
      { store: { read: () => undefined, write: () => undefined }, stateFolder: 'a' },
      'console.store: must not be given with stateFolder: one of the two is enough',
    ],
    [
      { dump: { ports: [0, 1] } },
      'console.dump.ports: must be the first and the last of the ports, [9888, 9899], got [0,1]',
    ],
    [
      { ...SHARED, stateRegistry: 'zk1:2181' },
      "console.stateRegistry: must be keys with values (serverLists: 'zoo1:2181', namespace: 'console'), got a string that is not shown",
    ],
    [
      { ...SHARED, stateRegistry: { namespace: 'a' } },
      "console.stateRegistry.serverLists: is required, like 'host1:2181,host2:2181'; or url for PostgreSQL, or endpoints for etcd",
    ],
    [
      { ...SHARED, stateRegistry: { serverLists: 'zk1:2181' } },
      "console.stateRegistry.namespace: is required, like 'orders'",
    ],
    [
      { ...SHARED, stateRegistry: { ...SHARED.stateRegistry, digst: 'a:b' } },
      "console.stateRegistry.digst: unknown key; did you mean 'digest'?",
    ],
    [
      { ...SHARED, stateRegistry: { ...SHARED.stateRegistry, digest: 'hush' } },
      'console.stateRegistry.digest: must be of the form user:password, got a string that is not shown',
    ],
    [
      { ...SHARED, stateRegistry: { registryCenter: {} } },
      'console.stateRegistry.registryCenter: must be a RegistryCenter, got keys with values',
    ],
    ...['orders', 'orders/console'].map(
      (namespace) =>
        [
          {
            ...SHARED,
            stateRegistry: { serverLists: 'zk1:2181', namespace },
            registries: [{ name: 'main', serverLists: 'zk1:2181', namespace: 'orders' }],
          },
          `console.stateRegistry.namespace: must not be in the namespace 'orders', which has jobs; use one of its own, such as 'orders-console', got "${namespace}"`,
        ] as const,
    ),
    [
      { ...SHARED, sessionKeys: [] },
      'console.sessionKeys: is required with stateRegistry: all replicas accept the same cookies only with the same keys; set it, or EJC_SESSION_KEYS, to a random text of at least 32 characters, the same at each replica',
    ],
    [
      { ...SHARED, secretKey: undefined },
      'console.secretKey: is required with stateRegistry: it encrypts the secrets that replicas share; set it, or EJC_SECRET_KEY, to a random text of at least 32 characters, the same at each replica',
    ],
    [
      { ...SHARED, store: { read: () => undefined, write: () => undefined } },
      'console.store: must not be given with stateRegistry: one of the two is enough',
    ],
    [{ registries: 'zk1:2181' }, 'console.registries: must be a list, got a string that is not shown'],
    [
      { registries: ['zk1:2181'] },
      'console.registries[0]: must be keys with values (key: value), got a string that is not shown',
    ],
    [
      { registries: [{ name: 'main', namespace: 'orders' }] },
      "console.registries[0].serverLists: is required, like 'host1:2181,host2:2181'; or url for PostgreSQL, or endpoints for etcd",
    ],
    [{ registries: [{ ...ZOOKEEPER }] }, 'console.registries[0].name: is required, for the page and for paths'],
    [
      { registries: [{ name: 'a/b', ...ZOOKEEPER }] },
      'console.registries[0].name: must be 1 to 64 letters, digits, spaces, dots, hyphens and underscores, with a letter or digit at both ends, got "a/b"',
    ],
    [
      { registries: [{ name: 'main', ...ZOOKEEPER, serverList: 'a:1' }] },
      "console.registries[0].serverList: unknown key; did you mean 'serverLists'?",
    ],
    [
      { registries: [{ name: 'main', ...ZOOKEEPER, required: true }] },
      expect.stringMatching(/^console\.registries\[0\]\.required: unknown key/) as unknown as string,
    ],
    [
      { registries: [{ name: 'main', url: 'postgres://jobs:hu?sh@db/app', namespace: 'orders' }] },
      'console.registries[0].url: must have no @ after the first /, ? or # behind postgres://; in a password, write these as %2F, %3F and %23, got a string that is not shown',
    ],
    [
      { registries: [{ name: 'main', ...ZOOKEEPER, digest: 'hush' }] },
      'console.registries[0].digest: must be of the form user:password, got a string that is not shown',
    ],
    [
      { registries: [{ name: 'main', ...ZOOKEEPER, tls: { ca: '/no/such.pem' } }] },
      'console.registries[0].tls.ca: must be the path of a file that can be read (ENOENT), or a text in PEM format, got "/no/such.pem"',
    ],
    [
      { registries: [{ name: 'main', ...ZOOKEEPER, tls: true }] },
      'console.registries[0].tls: must be keys with values (key: value), got a boolean that is not shown',
    ],
    [
      { registries: [{ name: 'main', ...ZOOKEEPER, sasl: { username: 'jobs' } }] },
      'console.registries[0].sasl.password: is required and must be a text',
    ],
    [
      {
        registries: [
          { name: 'main', ...ZOOKEEPER },
          { name: 'main', ...ZOOKEEPER, namespace: 'b' },
        ],
      },
      "console.registries: has 'main' twice",
    ],
    [
      { registries: [{ name: 'main', registryCenter: {} }] },
      'console.registries[0].registryCenter: must be a RegistryCenter, got keys with values',
    ],
    [
      { registries: [{ name: 'main', registryCenter: { commit: () => undefined }, namespace: 'orders' }] },
      'console.registries[0].namespace: must not be given with registryCenter, which has it already',
    ],
    [
      { ...SHARED, stateRegistry: { ...SHARED.stateRegistry, tls: { servernam: 'zk' } } },
      "console.stateRegistry.tls.servernam: unknown key; did you mean 'servername'?",
    ],
    [{ dataSources: {} }, 'console.dataSources: must be a list, got keys with values'],
    [
      { dataSources: [{ ...DATABASE, driver: 'oracle' }] },
      'console.dataSources[0].driver: must be one of postgres, mysql, mariadb, sqljs, got "oracle"',
    ],
    [
      { dataSources: [{ ...DATABASE, database: '' }] },
      'console.dataSources[0].database: is required, the name of the database',
    ],
    [
      { dataSources: [{ ...DATABASE, user: 'me' }] },
      expect.stringMatching(/^console\.dataSources\[0\]\.user: unknown key/) as unknown as string,
    ],
    [
      { dataSources: [{ ...DATABASE, port: '5432' }] },
      'console.dataSources[0].port: must be an integer of at least 1, got "5432"',
    ],
    [
      { dataSources: [{ ...DATABASE, host: 'db:5432' }] },
      'console.dataSources[0].host: must be a name or an address, without a port, got "db:5432"',
    ],
    [
      { dataSources: [{ ...DATABASE, password: 12345 }] },
      'console.dataSources[0].password: must be a text, got a number that is not shown',
    ],
    [
      { dataSources: [{ ...DATABASE, driver: 'mysql', host: '10.0.0.7', tls: {} }] },
      'console.dataSources[0].tls.servername: must be given, as the driver mysql checks certificates by a name, and the host is an address',
    ],
    [
      { dataSources: [{ name: 'a', driver: 'sqljs', database: 'a.sqlite', host: 'db' }] },
      'console.dataSources[0].host: must not be given with the driver sqljs: \'database\' is the path of its file, got "db"',
    ],
    [{ dataSources: [DATABASE, DATABASE] }, "console.dataSources: has 'runs' twice"],
    [
      { dataSources: [{ name: 'a', dataSource: 'postgres' }] },
      'console.dataSources[0].dataSource: must be a DataSource of TypeORM, got a string that is not shown',
    ],
    [{ compat: { always200: 'yes' } }, 'console.compat.always200: must be true or false, got "yes"'],
    [{ onAudit: 'log' }, 'console.onAudit: must be a function, got "log"'],
  ])('%j', (options, problem) => {
    expect(optionProblems(options)).toEqual([problem]);
  });

  test('all faults of a database at once, as one for another program would have them', () => {
    expect(optionProblems({ dataSources: [{ name: 'main', type: 'postgres', user: 'me', pass: 'hush' }] })).toEqual([
      'console.dataSources[0].driver: is required, one of postgres, mysql, mariadb, sqljs',
      'console.dataSources[0].database: is required, the name of the database',
      'console.dataSources[0].type: unknown key; known are: name, driver, host, port, database, username, password, tls',
      expect.stringMatching(/^console\.dataSources\[0\]\.user: unknown key/),
      expect.stringMatching(/^console\.dataSources\[0\]\.pass: unknown key/),
    ]);
  });

  test('the sample client of ElasticJob’s console, and the certificate whose key everybody has', () => {
    const sample = { clientId: '3ed79fa530645fbd3653', clientSecret: '54633c82b7796a4332c6976864c6c16bc3b05556' };

    const problems = optionProblems({
      ...PUBLIC,
      casdoor: { ...CASDOOR, ...sample, certificate: CASDOOR_DEMO_CERTIFICATE },
    });

    expect(problems).toEqual([
      expect.stringMatching(
        /^console\.casdoor\.clientId: must be that of your own application: this one is the sample/,
      ),
      'console.casdoor.certificate: must not be the demonstration certificate of Casdoor: its private key is public, so that anybody could log in as anybody, got a string that is not shown',
      expect.stringMatching(/^console\.casdoor\.clientSecret: must be that of your own application/),
    ]);
  });
});

test('keys of the environment are taken where the options have none', () => {
  const environment = { EJC_SESSION_KEYS: `${KEY}, ${KEY}2`, EJC_SECRET_KEY: `${KEY}3` };

  expect(withEnvironment({}, environment)).toEqual({ sessionKeys: [KEY, `${KEY}2`], secretKey: `${KEY}3` });
  expect(withEnvironment({ secretKey: KEY }, environment)).toMatchObject({ secretKey: KEY });
  expect(withEnvironment({ path: '/a' }, { EJC_SESSION_KEYS: '', EJC_SECRET_KEY: '' })).toEqual({ path: '/a' });
});

test('a variable that is nearly one of the console is refused, and a problem names the variable that it comes from', () => {
  const environment = { EJC_SECRET_KEYS: 'x', EJC_SESSION_KEYS: 'short', EJC_COLOUR: 'x', EJC_SECRETKEY: '' };

  expect(environmentProblems(environment)).toEqual([
    "EJC_SECRET_KEYS: unknown environment variable; did you mean 'EJC_SECRET_KEY'?",
  ]);
  expect(withVariable('console.sessionKeys: must be …', {}, environment)).toBe(
    'console.sessionKeys: must be … (from environment variable EJC_SESSION_KEYS)',
  );
  expect(withVariable('console.sessionKeys: must be …', { sessionKeys: [] }, environment)).toBe(
    'console.sessionKeys: must be …',
  );
});
