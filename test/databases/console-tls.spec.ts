import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Browser } from '../console/support/browser.js';
import { ConsoleApp, USERS } from '../console/support/console-app.js';
import { until } from '../support/until.js';
import { DatabaseServer, dataSource, type Kind, newDatabase } from './support/servers.js';

const SOURCES = '/api/v1/data-sources';
const console = { users: USERS, secretKey: 'k'.repeat(32), connections: { allow: ['127.0.0.0/8', '::1'] } };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'database-certificates-'));
  // The server of another user must be able to read these files.
  execFileSync('chmod', ['755', folder]);
  certificate('cert');
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Makes a certificate that has signed itself, with its key in `key.pem` if it is the server's. */
function certificate(file: string): string {
  const files = [
    '-keyout',
    join(folder, file === 'cert' ? 'key.pem' : `${file}.key`),
    '-out',
    join(folder, `${file}.pem`),
  ];
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,DNS:db.internal'];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...name, ...files], {
    stdio: 'ignore',
  });
  return readFileSync(join(folder, `${file}.pem`), 'utf8');
}

const ca = (): string => readFileSync(join(folder, 'cert.pem'), 'utf8');

/** A server with a certificate. */
async function secureServer(kind: Kind): Promise<DatabaseServer> {
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  if (kind === 'mariadb')
    return DatabaseServer.start(kind, [`--ssl-cert=${cert}`, `--ssl-key=${readableKey(kind, key)}`]);
  const server = await DatabaseServer.start(kind, [
    'ssl=on',
    `ssl_cert_file=${cert}`,
    `ssl_key_file=${readableKey(kind, key)}`,
  ]);
  return server;
}

/** A copy of the key that only the user of the server can read. */
function readableKey(kind: Kind, key: string): string {
  const copy = join(folder, `${kind}.key`);
  writeFileSync(copy, readFileSync(key), { mode: 0o600 });
  if (process.getuid?.() !== 0) return copy;
  const id = (flag: string): number =>
    Number(execFileSync('id', [flag, kind === 'postgres' ? 'postgres' : 'mysql'], { encoding: 'utf8' }));
  chownSync(copy, id('-u'), id('-g'));
  return copy;
}

/** From now on, PostgreSQL refuses connections that are not encrypted. */
async function refusePlain(server: DatabaseServer): Promise<void> {
  if (server.kind !== 'postgres') return;
  const admin = await dataSource(server.address).initialize();
  const file = join(server.folder, 'data/pg_hba.conf');
  writeFileSync(file, 'hostssl all all 127.0.0.1/32 trust\nhostssl all all ::1/128 trust\n');
  await admin.query('SELECT pg_reload_conf()').finally(() => admin.destroy());
}

describe('a registry centre on a PostgreSQL that takes only TLS', () => {
  const REGISTRIES = '/api/v1/registries';
  let server: DatabaseServer;
  beforeAll(async () => {
    server = await secureServer('postgres');
    await refusePlain(server);
  }, 120_000);
  afterAll(() => server[Symbol.asyncDispose]());

  const described = (host: string, tls: object | undefined) => ({
    ...{ name: 'mine', serverLists: `postgres://${host}:${server.port}/postgres`, namespace: 'orders' },
    ...{ credentials: { username: 'postgres', password: '' }, ...(tls !== undefined && { tls }) },
  });

  test('is tried in the page with the authority of its certificate; another authority or name is refused with the reason', async () => {
    await using app = await ConsoleApp.start({ console });
    const browser = await Browser.loggedIn(app, 'anna');
    const stranger = certificate('stranger');
    const tested = async (host: string, tls?: object) =>
      (await browser.post(`${REGISTRIES}/test`, described(host, tls))).json;

    expect(await tested('localhost')).toMatchObject({ isOk: false });
    expect(await tested('localhost', {})).toMatchObject({ isOk: false, reason: 'tls' });
    expect(await tested('localhost', { ca: stranger })).toMatchObject({ isOk: false, reason: 'tls' });
    expect(await tested('localhost', { ca: ca(), servername: 'other.internal' })).toMatchObject({ reason: 'tls' });
    expect(await tested('localhost', { ca: ca() })).toMatchObject({ isOk: true });
    expect(await tested('127.0.0.1', { ca: ca(), servername: 'db.internal' })).toMatchObject({ isOk: true });
    expect(await tested('localhost', { rejectUnauthorized: false })).toMatchObject({ isOk: true });
  }, 60_000);

  test('shows the reason if it is added with another authority', async () => {
    await using app = await ConsoleApp.start({ console });
    const browser = await Browser.loggedIn(app, 'anna');

    await browser.post(REGISTRIES, described('localhost', { ca: certificate('other') }));

    await until(
      async () => (await browser.get(`${REGISTRIES}/mine`)).text.includes('self-signed certificate'),
      'the reason is shown',
    );
  }, 60_000);

  test('is added in the page and used', async () => {
    await using app = await ConsoleApp.start({ console });
    const browser = await Browser.loggedIn(app, 'anna');

    const added = await browser.post(REGISTRIES, described('localhost', { ca: ca() }));
    await until(async () => (await browser.get(`${REGISTRIES}/mine/jobs`)).status === 200, 'the jobs are known');

    expect(added.json).toMatchObject({ tls: { hasCa: true, hasCertificate: false, rejectUnauthorized: true } });
  }, 60_000);
});

describe.each([
  ['postgres', 'postgres'],
  ['mariadb', 'mariadb'],
  ['mysql', 'mariadb'],
] as const)('a database with TLS, with the driver %s', (driver, kind) => {
  let server: DatabaseServer;
  let database: string;
  beforeAll(async () => {
    server = await secureServer(kind);
    database = await newDatabase(server.address);
    await refusePlain(server);
  }, 120_000);
  afterAll(() => server[Symbol.asyncDispose]());

  const described = (host: string, tls: object | undefined) => ({
    ...{ name: 'runs', driver, host, port: server.port, database, password: 'a secret' },
    ...{ username: kind === 'postgres' ? 'postgres' : 'root', ...(tls !== undefined && { tls }) },
  });

  test('is added in the page, and its certificate is checked', async () => {
    await using app = await ConsoleApp.start({ console });
    const browser = await Browser.loggedIn(app, 'anna');
    const tested = async (host: string, tls?: object) =>
      (await browser.post(`${SOURCES}/test`, described(host, tls))).json;

    // The test's MariaDB asks for no accounts, and then refuses no plain connection.
    expect(await tested('localhost')).toMatchObject({ isOk: kind === 'mariadb' });
    expect(await tested('localhost', {})).toMatchObject({ isOk: false, reason: 'tls' });
    expect(await tested('localhost', { ca: ca(), servername: 'other.internal' })).toMatchObject({ isOk: false });
    expect(await tested('localhost', { ca: ca() })).toMatchObject({ isOk: true });
    expect(await tested('127.0.0.1', { ca: ca(), servername: 'db.internal' })).toMatchObject({ isOk: true });
    expect(await tested('localhost', { rejectUnauthorized: false })).toMatchObject({ isOk: true });
    const added = await browser.post(SOURCES, described('localhost', { ca: ca() }));
    const created = await browser.post(`${SOURCES}/runs/schema`);

    expect(added.json).toMatchObject({ tls: { hasCa: true, hasCertificate: false, rejectUnauthorized: true } });
    expect(created.json).toMatchObject({ sql: [] });
  }, 60_000);

  test('is used from the settings', async () => {
    const settings = described('localhost', { ca: join(folder, 'cert.pem') });
    await using app = await ConsoleApp.start({ console: { users: USERS, dataSources: [settings] } });
    const browser = await Browser.loggedIn(app, 'anna');

    await browser.post(`${SOURCES}/runs/schema`);
    const { json } = await browser.get(`${SOURCES}/runs/schema`);

    expect(json).toMatchObject({ tables: [{ exists: true }, { exists: true }] });
  });
});
