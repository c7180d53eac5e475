import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { registrySettings } from '../../../lib/cli/connection/registry-settings.js';
import { settingsFound } from '../../../lib/cli/connection/settings-sources.js';
import { type CommonOptions } from '../../../lib/cli/surroundings.js';
import { createRegistryCenter } from '../../../lib/settings/create-registry-center.js';
import { CommandStage } from './stage.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cli-connection-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const file = (name: string, text: string): string => {
  writeFileSync(join(directory, name), text);
  return name;
};

function settings(options: Partial<CommonOptions> = {}, environment: Readonly<Record<string, string>> = {}) {
  const all = { color: true, timeout: 1_000, ...options };
  return registrySettings(all, settingsFound(all, { directory, environment }), { directory });
}

const YAML = `
elasticjob:
  unknownKey: of another version
  reg-center: { server-lists: 'file:2181', namespace: orders, digest: 'app:file', tls: { servername: zoo } }
  jobs: { bill: { cron: nonsense } }
`;

describe('the registry centre is that of', () => {
  test('elasticjob.yaml in the working directory, whatever else stands there', () => {
    file('elasticjob.yaml', YAML);

    expect(settings()).toMatchObject({ serverLists: 'file:2181', namespace: 'orders', digest: 'app:file' });
  });

  test('another file, if it is named', () => {
    file('elasticjob.yaml', YAML);
    file('other.yaml', YAML.replace('file:2181', 'other:2181'));

    expect(settings({ config: 'other.yaml' })).toMatchObject({ serverLists: 'other:2181' });
  });

  test('elasticjob.regCenters that --registry names, from the file and the environment; other options override it', () => {
    file('elasticjob.yaml', `${YAML}  reg-centers: { reports: { url: 'postgres://file/a', namespace: r }, bad: 5 }`);
    const environment = { ELASTICJOB_REGCENTERS_REPORTS_NAMESPACE: 'env', ELASTICJOB_REGCENTER_NAMESPACE: 'default' };

    expect({ ...settings({ registry: 'reports' }, environment) }).toEqual({
      url: 'postgres://file/a',
      namespace: 'env',
    });
    expect(settings({ registry: 'reports', namespace: 'given' }, environment)).toMatchObject({ namespace: 'given' });
    expect(settings({}, environment)).toMatchObject({ serverLists: 'file:2181', namespace: 'default' });
    expect(settings({ registry: 'other:2181' }, environment)).toMatchObject({ serverLists: 'other:2181' });
    expect(settings({ registry: 'default' })).toMatchObject({ serverLists: 'file:2181' });
  });

  test('elasticjob.regCenters that variables alone describe', () => {
    const environment = {
      ELASTICJOB_REGCENTERS_REPORTS_ENDPOINTS: 'http://etcd:2379',
      ELASTICJOB_REGCENTERS_REPORTS_NAMESPACE: 'r',
      ELASTICJOB_REGCENTERS_OTHER_MAX_RETRIES: 'wrong',
    };

    expect({ ...settings({ registry: 'reports' }, environment) }).toEqual({
      endpoints: 'http://etcd:2379',
      namespace: 'r',
    });
  });

  test('the environment, which wins over the file', () => {
    file('elasticjob.yaml', YAML);

    expect(settings({}, { ELASTICJOB_REG_CENTER_SERVER_LISTS: 'env:2181', ELASTICJOB_JOBS_X_CRON: '?' })).toMatchObject(
      {
        serverLists: 'env:2181',
        namespace: 'orders',
      },
    );
  });

  test('a file of variables, over which those of the process win', () => {
    file('.env', "ELASTICJOB_REGCENTER_SERVERLISTS=dotenv:2181\nELASTICJOB_REGCENTER_NAMESPACE='from dotenv'\n");

    expect(settings({ settingsEnv: '.env' }, { ELASTICJOB_REGCENTER_NAMESPACE: 'orders' })).toMatchObject({
      serverLists: 'dotenv:2181',
      namespace: 'orders',
    });
  });

  test('the command line, which wins over all', () => {
    file('elasticjob.yaml', YAML);
    file('secret', 'app:flag\n');
    file('password', 'sasl\r\n');
    const flags = {
      ...{ servers: 'flag:2181', namespace: 'flagged', digestFile: 'secret', tlsServername: 'flag.example' },
      ...{ saslUsername: 'anna', saslPasswordFile: 'password' },
    };
    const environment = {
      ELASTICJOB_REGCENTER_SERVERLISTS: 'env:2181',
      ELASTICJOB_REG_CENTER_TLS_SERVERNAME: 'env.example',
      ELASTICJOB_REGCENTER_SESSIONTIMEOUTMILLISECONDS: '5000',
    };

    expect(settings(flags, environment)).toMatchObject({
      serverLists: 'flag:2181',
      namespace: 'flagged',
      digest: 'app:flag',
      tls: { servername: 'flag.example' },
      sasl: { username: 'anna', password: 'sasl' },
      sessionTimeoutMilliseconds: 5_000,
    });
  });
});

describe('--registry names', () => {
  test.each([
    ['postgres://jobs:secret@db:5432/app', { url: 'postgres://jobs:secret@db:5432/app' }],
    ['postgresql://db/app', { url: 'postgresql://db/app' }],
    ['http://etcd1:2379,http://etcd2:2379', { endpoints: 'http://etcd1:2379,http://etcd2:2379' }],
    ['https://etcd1:2379', { endpoints: 'https://etcd1:2379' }],
    ['zoo1:2181,zoo2:2181', { serverLists: 'zoo1:2181,zoo2:2181' }],
  ])('%s', (registry, place) => {
    expect(settings({ registry, namespace: 'orders' })).toEqual({ ...place, namespace: 'orders' });
  });

  test('another registry centre than the file and the environment, whose own settings do not count then', () => {
    file('elasticjob.yaml', YAML);
    const environment = { ELASTICJOB_REGCENTER_TLS_CA: '/ca.pem', ELASTICJOB_REGCENTER_TYPE: 'ZOOKEEPER' };

    expect(settings({ registry: 'postgres://db/app' }, environment)).toEqual({
      url: 'postgres://db/app',
      namespace: 'orders',
    });
  });

  test('PostgreSQL in place of a DataSource of the application', () => {
    file('elasticjob.yaml', 'elasticjob: { reg-center: { data-source: main, schema: jobs, namespace: orders } }');
    const registry = 'postgres://db/app';
    const inPlace = { url: registry, schema: 'jobs', namespace: 'orders' };

    expect(settings({ registry })).toEqual(inPlace);
    expect(settings({ registry }, { ELASTICJOB_REGCENTER_DATASOURCE: 'other' })).toEqual(inPlace);
  });

  test('ZooKeeper in place of PostgreSQL', () => {
    const environment = {
      ELASTICJOB_REGCENTER_URL: 'postgres://db/app',
      ELASTICJOB_REGCENTER_SCHEMA: 'jobs',
      ELASTICJOB_REGCENTER_NAMESPACE: 'orders',
    };

    for (const flag of ['servers', 'registry'])
      expect(settings({ [flag]: 'zoo:2181' }, environment)).toEqual({ serverLists: 'zoo:2181', namespace: 'orders' });
  });
});

test('--tls alone means the authorities that Node knows', () => {
  expect(settings({ servers: 'zoo:2182', namespace: 'orders', tls: true }).tls).toEqual({});
});

test.each([
  [{}, 'Which registry centre?'],
  [{ servers: 'zoo:2181' }, 'Which namespace?'],
  [
    { servers: 'zoo:2181', registry: 'zoo:2181' },
    '--servers and --registry both name the registry centre: give one of',
  ],
  [{ registry: 'postgres://', namespace: 'orders' }, /url: .*\(from --registry\)/],
  [{ registry: 'http://etcd:port', namespace: 'orders' }, /endpoints: .*\(from --registry\)/],
  [{ servers: 'zoo:port', namespace: 'orders' }, /serverLists: .*\(from --servers\)/],
  [{ servers: 'zoo:2181', namespace: 'orders', tlsCa: '/nowhere.pem' }, /tls\.ca: .*\(from --tls-ca\)/],
  [{ servers: 'zoo:2181', namespace: 'orders', saslUsername: 'anna' }, 'sasl.password'],
  [{ servers: 'zoo:2181', namespace: 'orders', digestFile: 'absent' }, "absent' could not be read"],
  [{ config: 'absent.yaml' }, 'absent.yaml'],
])('%j is refused', (options, message) => {
  expect(() => settings(options)).toThrow(message);
});

test('a secret that is wrong is not printed', () => {
  file('secret', 'no-colon-s3cret');
  const given = () => settings({ servers: 'zoo:2181', namespace: 'orders', digestFile: 'secret' });

  expect(given).toThrow(/digest: must be of the form user:password.*\(from --digest-file\)/);
  expect(given).not.toThrow(/s3cret/);
});

test('a registry centre that does not answer is given up after the deadline, with a sentence and a code of its own', async () => {
  await using stage = await CommandStage.open();
  // Port 1 of this machine refuses connections.
  const environment = { ELASTICJOB_REGCENTER_SERVERLISTS: '127.0.0.1:1', ELASTICJOB_REGCENTER_NAMESPACE: 'orders' };
  const zookeeper = { environment, openRegistry: createRegistryCenter };

  const text = await stage.run('jobs --timeout 300ms', {}, zookeeper);
  const json = await stage.run('jobs --timeout 300ms --json', {}, zookeeper);

  expect(text).toEqual({
    out: '',
    err: expect.stringMatching(
      /^elasticjob: No connection to ZooKeeper at 127\.0\.0\.1:1, namespace 'orders' within 0\.3 s: 127\.0\.0\.1:1 refuses connections \(.*\)\. Is that the place[^\n]*\n$/,
    ) as unknown,
    exitCode: 6,
  });
  expect(JSON.parse(json.err)).toMatchObject({ error: { code: null, exitCode: 6 } });
});

describe('dump', () => {
  test('prints the nodes of a job, without addresses and secrets', async () => {
    await using stage = await CommandStage.open();
    await stage.store({ props: { 'email.password': 's3cret' } });

    const { out } = await stage.run('dump bill');

    expect(out).toContain('/bill/sharding/1/instance | ip1@-@2-a\n');
    expect(out).toContain('/bill/servers/ip1 | ENABLED\n');
    expect(out).not.toContain('s3cret');
    expect(JSON.parse((await stage.run('dump bill --json')).out)).toEqual({ jobName: 'bill', dump: out });
  });

  test('of a job that is not there is refused; a port where nobody listens too', async () => {
    await using stage = await CommandStage.open();

    expect((await stage.run('dump bil')).exitCode).toBe(3);
    expect(await stage.run('dump bill --from 127.0.0.1:1')).toMatchObject({
      exitCode: 6,
      err: expect.stringContaining('The dump port 127.0.0.1:1 cannot be asked') as unknown,
    });
    expect((await stage.run('dump bill --from nowhere')).exitCode).toBe(2);
  });
});
