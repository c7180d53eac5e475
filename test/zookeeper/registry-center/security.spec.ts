import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ZookeeperRegistryCenter } from '../../../lib/registry/zookeeper/zookeeper-registry-center.js';
import { createRegistryCenter } from '../../../lib/settings/create-registry-center.js';
import { mergeSettings } from '../../../lib/settings/merge-settings.js';
import { freePort } from '../../support/free-port.js';
import { until } from '../../support/until.js';
import { ZooKeeperServer } from '../../support/zookeeper-server.js';

const JAAS = `Server {
  org.apache.zookeeper.server.auth.DigestLoginModule required
  user_jobs="s3cret";
};`;
const silent = { debug: () => undefined, log: () => undefined, warn: () => undefined, error: () => undefined };

let directory: string;
let server: ZooKeeperServer;
let securePort: number;

const file = (name: string): string => join(directory, name);

/** A self-signed certificate for localhost in `<name>.pem`, its encrypted key in `<name>.key`, both in `<name>.p12`. */
function makeCertificate(name: string): void {
  const run = (...args: readonly string[]): void => void execFileSync('openssl', args, { stdio: 'ignore' });
  const [key, pem] = [file(`${name}.key`), file(`${name}.pem`)];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  run(
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-passout',
    'pass:changeit',
    '-days',
    '2',
    ...subject,
    '-keyout',
    key,
    '-out',
    pem,
  );
  const store = ['-inkey', key, '-passin', 'pass:changeit', '-passout', 'pass:changeit', '-out', file(`${name}.p12`)];
  run('pkcs12', '-export', '-in', pem, ...store);
}

/** A server that asks clients for a certificate and knows one SASL user. */
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'zookeeper-security-'));
  makeCertificate('server');
  makeCertificate('client');
  const trust = ['-keystore', file('trust.p12'), '-storepass', 'changeit', '-storetype', 'PKCS12', '-noprompt'];
  for (const name of ['server', 'client'])
    execFileSync('keytool', ['-importcert', '-alias', name, '-file', file(`${name}.pem`), ...trust], {
      stdio: 'ignore',
    });
  securePort = await freePort();
  server = await ZooKeeperServer.start({
    configuration: [
      'serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory',
      `secureClientPort=${securePort}`,
      `ssl.keyStore.location=${file('server.p12')}`,
      'ssl.keyStore.password=changeit',
      `ssl.trustStore.location=${file('trust.p12')}`,
      'ssl.trustStore.password=changeit',
      'ssl.clientAuth=need',
      'authProvider.1=org.apache.zookeeper.server.auth.SASLAuthenticationProvider',
    ],
    systemProperties: { 'java.security.auth.login.config': '{dir}/jaas.conf' },
    files: { 'jaas.conf': JAAS },
  });
});

afterAll(async () => {
  await server.dispose();
  rmSync(directory, { recursive: true });
});

/** The registry centre of an application with these variables, besides those that say where the server is. */
function registryCenter(variables: Readonly<Record<string, string>>) {
  const environment = {
    ELASTICJOB_REGCENTER_SERVERLISTS: `localhost:${securePort}`,
    ELASTICJOB_REGCENTER_NAMESPACE: 'secured',
    ...variables,
  };
  const { regCenter, problems } = mergeSettings({ code: [], file: undefined, environment })!;
  expect(problems).toEqual([]);
  return Object.assign(createRegistryCenter(regCenter, silent), {
    async [Symbol.asyncDispose](this: { close(): Promise<void> }) {
      await this.close();
    },
  });
}

const tls = () => ({
  ELASTICJOB_REGCENTER_TLS_CA: file('server.pem'),
  ELASTICJOB_REG_CENTER_TLS_CERT: file('client.pem'),
  ELASTICJOB_REGCENTER_TLS_KEY: file('client.key'),
  ELASTICJOB_REGCENTER_TLS_PASSPHRASE: 'changeit',
});

test('an application with certificates and a SASL user, both from settings, uses a server that asks for them', async () => {
  const sasl = { ELASTICJOB_REGCENTER_SASL_USERNAME: 'jobs', ELASTICJOB_REGCENTER_SASL_PASSWORD: 's3cret' };
  await using registry = registryCenter({ ...tls(), ...sasl });

  registry.connect();
  await until(() => registry.session.state.phase === 'connected', 'the session');
  await registry.put('/seen', 'encrypted');

  expect(await registry.get('/seen')).toBe('encrypted');
});

test('a wrong SASL password closes the registry centre', async () => {
  const sasl = { ELASTICJOB_REGCENTER_SASL_USERNAME: 'jobs', ELASTICJOB_REGCENTER_SASL_PASSWORD: 'wrong' };
  await using registry = registryCenter({ ...tls(), ...sasl });

  registry.connect();

  await until(() => registry.session.state.phase === 'closed', 'the refusal');
});

test('a server whose certificate is not known is not connected to, and the reason is that', async () => {
  // The client's own certificate has not signed the server's.
  await using registry = registryCenter({ ...tls(), ELASTICJOB_REGCENTER_TLS_CA: file('client.pem') });

  registry.connect();

  await until(() => registry.session.reason !== undefined, 'the reason');
  expect(registry.session.reason).toMatch(/self[- ]signed certificate/);
});

test('files that are no certificates, and a wrong passphrase, are refused when the registry centre is created', () => {
  writeFileSync(file('garbage.pem'), 'garbage');
  const options = { serverLists: `localhost:${securePort}`, namespace: 'secured' };
  const create = (settings: object) => () => new ZookeeperRegistryCenter({ ...options, tls: settings });
  const pair = { cert: file('client.pem'), key: file('client.key') };

  expect(create({ cert: file('garbage.pem'), key: file('client.key') })).toThrow(
    'ZookeeperRegistryCenter.tls: the files cannot be used for TLS: ',
  );
  expect(create({ ...pair, passphrase: 'wrong' })).toThrow('ZookeeperRegistryCenter.tls: the files cannot be used');
  expect(create(pair)).toThrow('ZookeeperRegistryCenter.tls: the files cannot be used');
});
