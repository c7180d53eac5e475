/** Registry centres on PostgreSQL that are added in the page of the console. */
import { expect, test } from '@jest/globals';
import { MemoryConsoleStore } from '../../../lib/console/store/memory-store.js';
import { toYaml } from '../../../lib/layout/job-configuration-yaml.js';
import { Browser } from '../../console/support/browser.js';
import { ConsoleApp, USERS } from '../../console/support/console-app.js';
import { EventReader } from '../../console/support/event-reader.js';
import { freePort } from '../../support/free-port.js';
import { until } from '../../support/until.js';
import { aConfiguration } from '../../support/views.js';
import { asAdministrator, newName, openPostgresql } from '../support/postgresql-centres.js';
import { serverOf } from '../support/servers.js';

const REGISTRIES = '/api/v1/registries';
const OPEN = { users: USERS, secretKey: 'k'.repeat(32), connections: { allow: ['127.0.0.0/8'] } };
const server = serverOf('postgres');
const place = `postgres://127.0.0.1:${server.port}/postgres`;

/** Keeps what the console stores. */
class RecordingStore extends MemoryConsoleStore {
  readonly written: string[] = [];
  override write(name: string, value: unknown): Promise<void> {
    this.written.push(JSON.stringify(value));
    return super.write(name, value);
  }
}

test('a PostgreSQL is added by its URL, shows its jobs as they change, and is edited; its password is sealed', async () => {
  const store = new RecordingStore();
  await using app = await ConsoleApp.start({ console: { ...OPEN, store } });
  const browser = await Browser.loggedIn(app, 'anna');
  const namespace = newName();
  await using jobs = await openPostgresql(server, { namespace });
  const url = place.replace('//', '//postgres:hush@');
  const put = async (changes: object) =>
    (await browser.request(`${REGISTRIES}/mine`, { method: 'PUT', body: { ...described(namespace), ...changes } }))
      .json;

  const added = await browser.post(REGISTRIES, { name: 'mine', serverLists: url, namespace });
  using reader = new EventReader(app, browser, `${REGISTRIES}/mine/events`);
  await until(async () => (await browser.get(`${REGISTRIES}/mine/jobs`)).status === 200, 'the jobs are known');
  await jobs.centre.create('/bill', 'bill');
  await jobs.centre.create('/bill/config', toYaml(aConfiguration({ jobName: 'bill' })));
  await reader.next('job', (data) => JSON.stringify(data).includes('bill'));

  expect(added.json).toMatchObject({
    ...{ type: 'POSTGRESQL', serverLists: place, namespace, schema: 'elasticjob', username: 'postgres' },
    origin: 'console',
  });
  expect(await put({ credentials: undefined, notify: false })).toMatchObject({ username: 'postgres', notify: false });
  expect(await put({ credentials: { username: 'other' } })).toMatchObject({ status: 422, code: 'password-needed' });
  expect(await put({ credentials: null })).not.toHaveProperty('username');
  const audit = await browser.get('/api/v1/audit');
  for (const text of [added.text, audit.text, store.written.join()]) expect(text).not.toContain('hush');
  expect(audit.text).toContain('"user":"postgres"');
  expect(audit.text).toContain('"notify":"false"');
});

const described = (namespace: string) => ({
  ...{ name: 'mine', serverLists: place, namespace },
  credentials: { username: 'postgres', password: '' },
});

test.each<[string, object, object]>([
  ['as it is described', {}, { isOk: true }],
  ['with an unknown user', { credentials: { username: 'nobody', password: 'x' } }, { reason: 'credentials' }],
  ['with an unknown database', { serverLists: `${place}2` }, { reason: 'database-unknown' }],
  ['at an address that is not allowed', { serverLists: 'postgres://10.1.1.1/a' }, { reason: 'not-allowed' }],
  ['with TLS that the server does not speak', { tls: {} }, { reason: 'tls' }],
])('a PostgreSQL is tried %s', async (_, changes, result) => {
  await using app = await ConsoleApp.start({ console: OPEN });
  const browser = await Browser.loggedIn(app, 'anna');

  const tested = await browser.post(`${REGISTRIES}/test`, { ...described(newName()), ...changes });

  expect(tested.json).toMatchObject(result);
});

test('a user without rights learns so, and the page shows the reason', async () => {
  const [user, schema] = [newName(), newName()];
  await asAdministrator(server.port, `CREATE ROLE ${user} LOGIN`);
  await asAdministrator(server.port, `CREATE SCHEMA ${schema}`);
  await using app = await ConsoleApp.start({ console: OPEN });
  const browser = await Browser.loggedIn(app, 'anna');
  const body = { ...described(newName()), schema, credentials: { username: user, password: '' } };

  const tested = await browser.post(`${REGISTRIES}/test`, body);
  await browser.post(REGISTRIES, body);

  expect(tested.json).toMatchObject({ isOk: false, reason: 'rights' });
  await until(
    async () => (await browser.get(`${REGISTRIES}/mine`)).text.includes(`permission denied for schema ${schema}`),
    'the reason is shown',
  );
});

test('a PostgreSQL that is out of reach shows its address and the reason', async () => {
  await using app = await ConsoleApp.start({ console: OPEN });
  const browser = await Browser.loggedIn(app, 'anna');
  const address = `127.0.0.1:${await freePort()}`;
  const body = { ...described(newName()), serverLists: `postgres://${address}/jobs` };

  const tested = await browser.post(`${REGISTRIES}/test`, body);
  await browser.post(REGISTRIES, body);

  expect(tested.json).toMatchObject({ isOk: false, reason: 'refused' });
  await until(
    async () => (await browser.get(`${REGISTRIES}/mine`)).text.includes(`ECONNREFUSED ${address}`),
    'the reason is shown',
  );
});

test('parameters of the URL are refused, as some name files of the machine of the console', async () => {
  await using app = await ConsoleApp.start({ console: OPEN });
  const browser = await Browser.loggedIn(app, 'anna');
  const settingsOf = async (changes: object): Promise<readonly string[]> => {
    const { json, text } = await browser.post(REGISTRIES, { ...described('orders'), ...changes });
    expect(text).not.toContain('hush');
    return (json as { problems: { setting: string }[] }).problems.map(({ setting }) => setting);
  };

  expect(await settingsOf({ serverLists: `${place}?sslkey=/etc/passwd` })).toEqual(['serverLists']);
  expect(await settingsOf({ serverLists: 'postgres://a:hu/hush@b/c' })).toEqual(['serverLists']);
  expect(await settingsOf({ schema: 'No', notify: 'x', digest: 'a:b' })).toEqual(['schema', 'notify', 'digest']);
  expect((await browser.get('/api/v1/audit')).text).not.toContain('hush');
});

test('a PostgreSQL and an etcd of the settings are used, and their passwords are not shown', async () => {
  const namespace = newName();
  const url = place.replace('//', '//postgres:hush@');
  const etcd = { endpoints: 'http://127.0.0.1:1', namespace, username: 'jobs', password: 'hush' };
  const registries = [
    { name: 'db', url, namespace },
    { name: 'kv', ...etcd },
  ];
  await using app = await ConsoleApp.start({ console: { users: USERS, registries } });
  const browser = await Browser.loggedIn(app, 'anna');
  await until(async () => (await browser.get(`${REGISTRIES}/db/jobs`)).status === 200, 'the jobs are known');

  const { json, text } = await browser.get(REGISTRIES);

  expect(json).toMatchObject([
    { name: 'db', type: 'POSTGRESQL', serverLists: place, schema: 'elasticjob', username: 'postgres' },
    { name: 'kv', type: 'ETCD', serverLists: 'http://127.0.0.1:1', namespace, username: 'jobs' },
  ]);
  expect(text).not.toContain('hush');
});
