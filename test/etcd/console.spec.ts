/** Registry centres on etcd that are added in the page of the console. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { MemoryConsoleStore } from '../../lib/console/store/memory-store.js';
import { toYaml } from '../../lib/layout/job-configuration-yaml.js';
import { EtcdRegistryCenter } from '../../lib/registry/etcd/etcd-registry-center.js';
import { Browser } from '../console/support/browser.js';
import { ConsoleApp, USERS } from '../console/support/console-app.js';
import { EventReader } from '../console/support/event-reader.js';
import { untilConnected } from '../support/etcd-centres.js';
import { EtcdServer } from '../support/etcd-server.js';
import { freePort } from '../support/free-port.js';
import { until } from '../support/until.js';
import { aConfiguration } from '../support/views.js';

const REGISTRIES = '/api/v1/registries';
const OPEN = { users: USERS, secretKey: 'k'.repeat(32), connections: { allow: ['127.0.0.0/8'] } };

/** Keeps what the console stores. */
class RecordingStore extends MemoryConsoleStore {
  readonly written: string[] = [];
  override write(name: string, value: unknown): Promise<void> {
    this.written.push(JSON.stringify(value));
    return super.write(name, value);
  }
}

describe('a registry centre on etcd with users', () => {
  let server: EtcdServer;
  const secured = { username: 'jobs', password: 's3cret' };
  const at = (key: string): string => Buffer.from(key).toString('base64');

  beforeAll(async () => {
    server = await EtcdServer.start();
    await server.call('auth/role/add', { name: 'jobs' });
    const perm = { permType: 'READWRITE', key: at('/orders:'), range_end: at('/orders;') };
    await server.call('auth/role/grant', { name: 'jobs', perm });
    for (const [name, role] of [
      ['root', 'root'],
      ['jobs', 'jobs'],
    ]) {
      await server.call('auth/user/add', { name, password: 's3cret' });
      await server.call('auth/user/grant', { user: name, role });
    }
    await server.call('auth/enable', {});
  });
  afterAll(() => server.dispose());

  const described = (changes: object = {}) => ({
    ...{ name: 'mine', serverLists: `http://${server.address}`, namespace: 'orders', credentials: secured },
    ...changes,
  });

  test('is added, shows its jobs as they change, is edited, disconnected and connected; its password is sealed', async () => {
    const store = new RecordingStore();
    await using app = await ConsoleApp.start({ console: { ...OPEN, store } });
    const browser = await Browser.loggedIn(app, 'anna');
    const centre = new EtcdRegistryCenter({ endpoints: `http://${server.address}`, namespace: 'orders', ...secured });
    centre.connect();
    await untilConnected(centre);

    const added = await browser.post(REGISTRIES, described());
    using reader = new EventReader(app, browser, `${REGISTRIES}/mine/events`);
    await until(async () => (await browser.get(`${REGISTRIES}/mine/jobs`)).status === 200, 'the jobs are known');
    await centre.create('/bill', 'bill');
    await centre.create('/bill/config', toYaml(aConfiguration({ jobName: 'bill' })));
    await reader.next('job', (data) => JSON.stringify(data).includes('bill'));
    const kept = await browser.request(`${REGISTRIES}/mine`, {
      method: 'PUT',
      body: described({ credentials: undefined }),
    });
    const elsewhere = await browser.request(`${REGISTRIES}/mine`, {
      method: 'PUT',
      body: described({ credentials: { username: 'root' } }),
    });
    await browser.post(`${REGISTRIES}/mine/disconnect`);
    const off = await browser.get(`${REGISTRIES}/mine`);
    await browser.post(`${REGISTRIES}/mine/connect`);
    await until(async () => statusOf(await browser.get(`${REGISTRIES}/mine`)) === 'connected', 'it is connected again');
    const audit = await browser.get('/api/v1/audit');
    await centre.close();

    expect(added.json).toMatchObject({
      ...{ type: 'ETCD', serverLists: `http://${server.address}`, namespace: 'orders', username: 'jobs' },
      origin: 'console',
    });
    expect(kept.json).toMatchObject({ type: 'ETCD', username: 'jobs' });
    expect(elsewhere.json).toMatchObject({ status: 422, code: 'password-needed' });
    expect(off.json).toMatchObject({ status: { phase: 'disconnected' } });
    for (const text of [added.text, kept.text, audit.text, store.written.join()]) expect(text).not.toContain('s3cret');
    expect(audit.text).toContain('"type":"ETCD"');
    expect(audit.text).toContain('"user":"jobs"');
  });

  test.each<[string, () => object, object]>([
    ['as it is described', () => ({}), { isOk: true }],
    ['with a wrong password', () => ({ credentials: { ...secured, password: 'no' } }), { reason: 'credentials' }],
    ['without a user', () => ({ credentials: undefined }), { reason: 'credentials' }],
    ['in a namespace of others', () => ({ namespace: 'bills' }), { reason: 'rights' }],
    ['at an address that is not allowed', () => ({ serverLists: 'http://10.1.1.1:2379' }), { reason: 'not-allowed' }],
  ])('is tried %s', async (_, changes, result) => {
    await using app = await ConsoleApp.start({ console: OPEN });
    const browser = await Browser.loggedIn(app, 'anna');

    const tested = await browser.post(`${REGISTRIES}/test`, described(changes()));

    expect(tested.json).toMatchObject(result);
    expect(tested.text).not.toContain('s3cret');
  });

  test('that is out of reach shows its address and the reason', async () => {
    await using app = await ConsoleApp.start({ console: OPEN });
    const browser = await Browser.loggedIn(app, 'anna');
    const address = `127.0.0.1:${await freePort()}`;

    const tested = await browser.post(`${REGISTRIES}/test`, described({ serverLists: `http://${address}` }));
    await browser.post(REGISTRIES, described({ serverLists: `http://${address}` }));

    expect(tested.json).toMatchObject({ isOk: false, reason: 'refused' });
    await until(
      async () => (await browser.get(`${REGISTRIES}/mine`)).text.includes(`ECONNREFUSED ${address}`),
      'the reason is shown',
    );
  });

  test('is refused with fields that it does not have', async () => {
    await using app = await ConsoleApp.start({ console: OPEN });
    const browser = await Browser.loggedIn(app, 'anna');
    const settingsOf = async (changes: object): Promise<readonly string[]> => {
      const { json } = await browser.post(REGISTRIES, described(changes));
      return (json as { problems: { setting: string }[] }).problems.map(({ setting }) => setting);
    };

    expect(await settingsOf({ digest: 'a:b', schema: 'jobs' })).toEqual(['schema', 'digest']);
    expect(await settingsOf({ type: 'ZOOKEEPER' })).toEqual(['serverLists', 'credentials']);
    expect(await settingsOf({ type: 'REDIS' })).toEqual(['type']);
    expect(await settingsOf({ namespace: 'a:b', credentials: { username: '', password: 1 } })).toEqual([
      ...['namespace', 'credentials.username', 'credentials.password'],
    ]);
    expect(await settingsOf({ serverLists: 'http://a,https://b' })).toEqual(['serverLists']);
    expect(await settingsOf({ tls: {} })).toEqual(['serverLists']);
  });
});

test('a certificate of etcd is checked against the name of the member, although the console connects to its address', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'etcd-console-'));
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const options = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  execFileSync('openssl', ['req', '-x509', ...options, ...names, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  const server = await EtcdServer.start({ tls: { cert, key, clients: cert } });
  await using app = await ConsoleApp.start({ console: { ...OPEN, connections: { allow: ['127.0.0.0/8', '::1'] } } });
  const browser = await Browser.loggedIn(app, 'anna');
  const own = { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
  const tested = async (host: string, tls?: object) => {
    const serverLists = `https://${host}:${server.port}`;
    const body = { name: 'mine', serverLists, namespace: 'orders', ...(tls && { tls: { ...own, ...tls } }) };
    return (await browser.post(`${REGISTRIES}/test`, body)).json;
  };

  try {
    expect(await tested('localhost', { ca: own.cert })).toMatchObject({ isOk: true });
    expect(await tested('127.0.0.1', { ca: own.cert })).toMatchObject({ isOk: false, reason: 'tls' });
    expect(await tested('127.0.0.1', { ca: own.cert, servername: 'localhost' })).toMatchObject({ isOk: true });
    expect(await tested('127.0.0.1', { rejectUnauthorized: false })).toMatchObject({ isOk: true });
    expect(await tested('localhost')).toMatchObject({ isOk: false, reason: 'tls' });
  } finally {
    await server.dispose();
    rmSync(folder, { recursive: true });
  }
});

function statusOf({ json }: { readonly json: unknown }): string {
  return (json as { status: { phase: string } }).status.phase;
}
