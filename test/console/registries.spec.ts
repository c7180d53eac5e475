import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { MemoryConsoleStore } from '../../lib/console/store/memory-store.js';
import { Browser } from './support/browser.js';
import { ConsoleApp, USERS } from './support/console-app.js';
import { JobStage } from './support/job-stage.js';
import { sharedConsole } from './support/shared-console.js';

/** A port on loopback that must never be reached. */
class Trap implements AsyncDisposable {
  reached = 0;
  readonly #server = createServer((socket) => {
    this.reached++;
    socket.destroy();
  });

  static async open(): Promise<Trap> {
    const trap = new Trap();
    trap.#server.listen(0, '127.0.0.1');
    await once(trap.#server, 'listening');
    return trap;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    await once(this.#server, 'close');
  }
}

const REGISTRIES = '/api/v1/registries';

describe('a registry centre that the settings do not allow,', () => {
  const app = sharedConsole(() => ({ console: { users: USERS, connections: { allow: ['10.0.0.0/8'] } } }));

  test.each([
    ['an address', (port: number) => `127.0.0.1:${port}`],
    ['a name', (port: number) => `localhost:${port}`],
    ['an IPv4 address within IPv6', (port: number) => `[::ffff:127.0.0.1]:${port}`],
    ['one server of several', (port: number) => `10.1.1.1:2181,127.0.0.1:${port}`],
  ])('at %s, is refused before anything is sent', async (_, servers) => {
    await using trap = await Trap.open();
    const browser = await Browser.loggedIn(app(), 'anna');
    const body = { name: 'mine', serverLists: servers(trap.port), namespace: 'orders' };

    const added = await browser.post(REGISTRIES, body);
    const tested = await browser.post(`${REGISTRIES}/test`, body);

    expect(added.json).toMatchObject({ status: 403, code: 'target-not-allowed' });
    expect(tested.json).toMatchObject({ isOk: false, reason: 'not-allowed' });
    expect((await browser.get(REGISTRIES)).json).toEqual([]);
    expect(trap.reached).toBe(0);
  });
});

describe('not even a rule for everything', () => {
  const app = sharedConsole(() => ({
    console: { users: USERS, connections: { allow: ['*', '0.0.0.0/0', '::/0'] } },
  }));

  test.each([
    '169.254.169.254',
    '0.0.0.0',
    '224.0.0.1',
    '[fe80::1]',
    '[::]',
    '[::ffff:169.254.169.254]',
    '[64:ff9b::a9fe:a9fe]',
  ])('does not allow %s', async (host) => {
    const browser = await Browser.loggedIn(app(), 'anna');

    const added = await browser.post(REGISTRIES, { name: 'mine', serverLists: `${host}:2181`, namespace: 'orders' });

    expect(added.json).toMatchObject({ status: 403, code: 'target-not-allowed' });
  });
});

test('without an allow-list nothing can be added, and operators add nothing anyway', async () => {
  await using app = await ConsoleApp.start();
  const body = { name: 'mine', serverLists: 'zk:2181', namespace: 'orders' };

  expect((await (await Browser.loggedIn(app, 'anna')).post(REGISTRIES, body)).json).toMatchObject({
    status: 403,
    code: 'connections-closed',
  });
  expect((await (await Browser.loggedIn(app, 'otto')).post(REGISTRIES, body)).json).toMatchObject({
    status: 403,
    code: 'not-permitted',
  });
});

test('a registry centre is added, edited, tested and forgotten; its digest is sealed and never shown', async () => {
  await using trap = await Trap.open();
  const allow = ['127.0.0.0/8'];
  await using app = await ConsoleApp.start({
    console: { users: USERS, secretKey: 'k'.repeat(32), connections: { allow } },
  });
  const browser = await Browser.loggedIn(app, 'anna');
  const change = { name: 'mine', serverLists: `127.0.0.1:${trap.port}`, namespace: 'orders', digest: 'me:hush' };

  const added = await browser.post(REGISTRIES, change);
  const again = await browser.post(REGISTRIES, change);
  const moved = await browser.request(`${REGISTRIES}/mine`, {
    method: 'PUT',
    body: { ...change, digest: undefined, namespace: 'other' },
  });
  const edited = await browser.request(`${REGISTRIES}/mine`, {
    method: 'PUT',
    body: { ...change, namespace: 'other' },
  });
  const tested = await browser.post(`${REGISTRIES}/test`, { ...change, serverLists: '127.0.0.1:1' });
  const list = await browser.get(REGISTRIES);
  const removed = await browser.request(`${REGISTRIES}/mine`, { method: 'DELETE' });

  expect(added.status).toBe(201);
  expect(added.json).toMatchObject({ name: 'mine', hasDigest: true, origin: 'console' });
  expect(again.json).toMatchObject({ status: 409, code: 'name-taken' });
  expect(moved.json).toMatchObject({ status: 422, code: 'digest-needed' });
  expect(edited.json).toMatchObject({ namespace: 'other', hasDigest: true });
  expect(tested.json).toMatchObject({ isOk: false, reason: expect.stringMatching('refused|time-out') as unknown });
  expect(list.text + added.text + edited.text).not.toContain('hush');
  expect(removed.status).toBe(204);
  expect((await browser.get(REGISTRIES)).json).toEqual([]);
});

const CERTIFICATE = certificateOf('zk.internal');

/** A self-signed certificate and its key. */
function certificateOf(name: string): { readonly cert: string; readonly key: string } {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'));
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')];
  const options = [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '2',
    '-subj',
    `/CN=${name}`,
  ];
  try {
    execFileSync('openssl', ['req', '-x509', ...options, ...files], { stdio: 'ignore' });
    return {
      cert: readFileSync(join(folder, 'cert.pem'), 'utf8'),
      key: readFileSync(join(folder, 'key.pem'), 'utf8'),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const OPEN = { users: USERS, secretKey: 'k'.repeat(32), connections: { allow: ['127.0.0.0/8'] } };

test('TLS and SASL are added and changed; keys and passwords are kept, sealed and never shown', async () => {
  const written: string[] = [];
  class RecordingStore extends MemoryConsoleStore {
    override write(name: string, value: unknown): Promise<void> {
      written.push(JSON.stringify(value));
      return super.write(name, value);
    }
  }
  await using app = await ConsoleApp.start({ console: { ...OPEN, store: new RecordingStore() } });
  const browser = await Browser.loggedIn(app, 'anna');
  const place = { name: 'mine', serverLists: '127.0.0.1:1', namespace: 'orders' };
  const put = (body: object) => browser.request(`${REGISTRIES}/mine`, { method: 'PUT', body });
  const tls = { ca: CERTIFICATE.cert, ...CERTIFICATE, servername: 'zk.internal' };

  const added = await browser.post(REGISTRIES, { ...place, tls, sasl: { username: 'jobs', password: 'hush' } });
  const same = await put(place);
  const weaker = await put({ ...place, tls: { rejectUnauthorized: false } });
  const otherUser = await put({ ...place, sasl: { username: 'root' } });
  const without = await put({ ...place, tls: null, sasl: null });
  const audit = await browser.get('/api/v1/audit');

  const info = { hasCa: true, hasCertificate: true, servername: 'zk.internal', rejectUnauthorized: true };
  expect(added.json).toMatchObject({ tls: info, saslUsername: 'jobs' });
  expect(same.json).toMatchObject({ tls: info, saslUsername: 'jobs' });
  expect(weaker.json).toMatchObject({ status: 422, code: 'password-needed' });
  expect(otherUser.json).toMatchObject({ status: 422, code: 'password-needed' });
  expect(without.json).not.toHaveProperty('tls');
  expect(without.json).not.toHaveProperty('saslUsername');
  const keyLine = CERTIFICATE.key.split('\n')[1] ?? '';
  for (const text of [added.text, same.text, audit.text, written.join('\n')]) {
    expect(text).not.toContain('hush');
    expect(text).not.toContain(keyLine);
  }
  expect(audit.text).toContain('"tls":"on"');
});

describe('TLS', () => {
  const app = sharedConsole(() => ({ console: OPEN }));

  test.each([
    [
      'a path of a file',
      { ca: '/etc/passwd' },
      'tls.ca must be the text of a file in PEM format, which begins with -----BEGIN.',
    ],
    ['an unknown field', { certs: 'x' }, "tls.certs is unknown; did you mean 'cert'?"],
    ['a name with a port', { servername: 'zk:2181' }, 'tls.servername must be the name of a host.'],
    ['a word for a truth value', { rejectUnauthorized: 'no' }, 'tls.rejectUnauthorized must be true or false.'],
    ['a certificate without its key', { cert: CERTIFICATE.cert }, 'tls.key must be given together with cert.'],
    [
      'a key that does not fit',
      { cert: CERTIFICATE.cert, key: certificateOf('other').key },
      'tls cannot be used: the certificates, the key and the passphrase do not fit together.',
    ],
    ['no object', 'on', 'tls must be an object with ca, cert, key and the like.'],
  ])('with %s is refused before anything is connected to', async (_, tls, message) => {
    const browser = await Browser.loggedIn(app(), 'anna');
    const body = { name: 'mine', serverLists: '127.0.0.1:1', namespace: 'orders', tls };

    const added = await browser.post(REGISTRIES, body);
    const tested = await browser.post(`${REGISTRIES}/test`, body);

    for (const { status, json } of [added, tested]) {
      expect(status).toBe(422);
      expect((json['problems'] as { message: string }[]).map((each) => each.message)).toEqual([message]);
    }
  });
});

test('a digest is refused if the console has no key to encrypt it with', async () => {
  await using app = await ConsoleApp.start({ console: { users: USERS, connections: { allow: ['127.0.0.1'] } } });
  const browser = await Browser.loggedIn(app, 'anna');

  const added = await browser.post(REGISTRIES, {
    name: 'mine',
    serverLists: '127.0.0.1:1',
    namespace: 'orders',
    digest: 'me:hush',
  });

  expect(added.json).toMatchObject({ status: 409, code: 'no-secret-key' });
});

test('settings that cannot be used are named', async () => {
  await using app = await ConsoleApp.start({ console: { users: USERS, connections: { allow: ['127.0.0.1'] } } });
  const browser = await Browser.loggedIn(app, 'anna');

  const added = await browser.post(REGISTRIES, { name: 'a/b', serverLists: 'zk:99999', namespace: '', digest: 'hush' });

  const { problems } = added.json as { problems: { setting: string }[] };
  expect(added.status).toBe(422);
  expect(problems.map(({ setting }) => setting)).toEqual(['name', 'serverLists', 'namespace', 'digest']);
  expect(added.text).not.toContain('hush');
});

test('a registry centre of the settings can be left and connected again, but not changed', async () => {
  await using stage = await JobStage.open();
  await stage.add('orders');
  await using app = await ConsoleApp.start({
    console: { users: USERS, registries: [{ name: 'main', registryCenter: stage.console }] },
  });
  const browser = await Browser.loggedIn(app, 'anna');

  const left = await browser.post(`${REGISTRIES}/main/disconnect`);
  const offline = await browser.get(`${REGISTRIES}/main/jobs`);
  const back = await browser.post(`${REGISTRIES}/main/connect`);
  const removed = await browser.request(`${REGISTRIES}/main`, { method: 'DELETE' });

  expect(left.json).toMatchObject({ status: { phase: 'disconnected' } });
  expect(offline.json).toMatchObject({ status: 503, code: 'registry-offline' });
  expect(back.json).toMatchObject({ name: 'main', origin: 'settings' });
  expect((await browser.get(`${REGISTRIES}/main/jobs`)).json).toMatchObject({ total: 1 });
  expect(removed.json).toMatchObject({ status: 409, code: 'not-changeable' });
});
