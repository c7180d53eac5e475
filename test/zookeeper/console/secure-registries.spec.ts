import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Browser } from '../../console/support/browser.js';
import { ConsoleApp, USERS } from '../../console/support/console-app.js';
import { SecureZooKeeper } from '../../support/secure-zookeeper.js';
import { until } from '../../support/until.js';

let server: SecureZooKeeper;
beforeAll(async () => {
  server = await SecureZooKeeper.start();
});
afterAll(() => server[Symbol.asyncDispose]());

const pem = (name: string): string => readFileSync(server.file(name), 'utf8');
const sasl = { username: 'jobs', password: 's3cret' };
const REGISTRIES = '/api/v1/registries';

/** The input of an administrator in the page. */
const described = () => ({
  ...{ name: 'secured', serverLists: server.address, namespace: 'orders', sasl },
  tls: { ca: pem('server.pem'), cert: pem('client.pem'), key: pem('client.key'), passphrase: 'changeit' },
});

const phaseOf = async (browser: Browser): Promise<unknown> =>
  ((await browser.get(`${REGISTRIES}/secured`)).json['status'] as { phase: string }).phase;

test('a registry centre that asks for certificates and a SASL user is added in the page, and used', async () => {
  const console = { users: USERS, secretKey: 'k'.repeat(32), connections: { allow: ['127.0.0.0/8', '::1'] } };
  await using app = await ConsoleApp.start({ console });
  const browser = await Browser.loggedIn(app, 'anna');
  const { tls, ...plain } = described();

  const tested = await browser.post(`${REGISTRIES}/test`, described());
  const unencrypted = await browser.post(`${REGISTRIES}/test`, { ...plain, tls: null });
  const strange = await browser.post(`${REGISTRIES}/test`, { ...plain, tls: { ...tls, ca: pem('client.pem') } });
  const misnamed = await browser.post(`${REGISTRIES}/test`, { ...plain, tls: { ...tls, servername: 'zk.internal' } });
  const added = await browser.post(REGISTRIES, described());
  await until(async () => (await phaseOf(browser)) === 'connected', 'the console is connected');
  const kept = await browser.post(`${REGISTRIES}/test`, { ...plain, sasl: { username: 'jobs' } });

  expect(tested.json).toMatchObject({ isOk: true });
  expect(unencrypted.json).toMatchObject({ isOk: false });
  expect(strange.json).toMatchObject({ isOk: false, reason: 'tls' });
  expect(misnamed.json).toMatchObject({ isOk: false, reason: 'tls' });
  expect(added.status).toBe(201);
  expect((await browser.get(`${REGISTRIES}/secured/jobs`)).json).toMatchObject({ total: 0 });
  expect(kept.json).toMatchObject({ isOk: true });
});

test('a registry centre of the settings is connected to by TLS and SASL', async () => {
  const files = { ca: 'server.pem', cert: 'client.pem', key: 'client.key' };
  const paths = Object.fromEntries(Object.entries(files).map(([name, file]) => [name, server.file(file)]));
  const registry = { ...described(), tls: { ...paths, passphrase: 'changeit' } };
  await using app = await ConsoleApp.start({ console: { users: USERS, registries: [registry] } });
  const browser = await Browser.loggedIn(app, 'anna');

  await until(async () => (await phaseOf(browser)) === 'connected', 'the console is connected');

  expect((await browser.get(`${REGISTRIES}/secured`)).json).toMatchObject({
    tls: { hasCa: true, hasCertificate: true, rejectUnauthorized: true },
    saslUsername: 'jobs',
  });
});
