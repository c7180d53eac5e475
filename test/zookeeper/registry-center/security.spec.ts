import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ZookeeperRegistryCenter } from '../../../lib/registry/zookeeper/zookeeper-registry-center.js';
import { createRegistryCenter } from '../../../lib/settings/create-registry-center.js';
import { mergeSettings } from '../../../lib/settings/merge-settings.js';
import { SecureZooKeeper } from '../../support/secure-zookeeper.js';
import { until } from '../../support/until.js';

const silent = { debug: () => undefined, log: () => undefined, warn: () => undefined, error: () => undefined };

let server: SecureZooKeeper;
beforeAll(async () => {
  server = await SecureZooKeeper.start();
});
afterAll(() => server[Symbol.asyncDispose]());

const file = (name: string): string => server.file(name);

/** The registry centre of an application with these variables, besides those that say where the server is. */
function registryCenter(variables: Readonly<Record<string, string>>) {
  const environment = {
    ELASTICJOB_REGCENTER_SERVERLISTS: server.address,
    ELASTICJOB_REGCENTER_NAMESPACE: 'secured',
    ...variables,
  };
  const { regCenters, problems } = mergeSettings({ code: [], file: undefined, environment })!;
  expect(problems).toEqual([]);
  return Object.assign(createRegistryCenter(regCenters.get('default')!, silent), {
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
  const options = { serverLists: server.address, namespace: 'secured' };
  const create = (settings: object) => () => new ZookeeperRegistryCenter({ ...options, tls: settings });
  const pair = { cert: file('client.pem'), key: file('client.key') };

  expect(create({ cert: file('garbage.pem'), key: file('client.key') })).toThrow(
    'ZookeeperRegistryCenter.tls: the files cannot be used for TLS: ',
  );
  expect(create({ ...pair, passphrase: 'wrong' })).toThrow('ZookeeperRegistryCenter.tls: the files cannot be used');
  expect(create(pair)).toThrow('ZookeeperRegistryCenter.tls: the files cannot be used');
});
