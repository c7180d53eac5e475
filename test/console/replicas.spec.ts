/**
 * Several replicas of the console that share their state, on an embedded registry centre; test/zookeeper/console has
 * them on a real one.
 */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type ElasticJobConsoleOptions } from '../../lib/console/options/console-options.js';
import { ApiTokens } from '../../lib/console/security/users/api-tokens.js';
import { EmbeddedRegistryCenter } from '../../lib/registry/embedded/embedded-registry-center.js';
import { EmbeddedRegistryServer } from '../../lib/registry/embedded/embedded-registry-server.js';
import { whenConnected } from '../../lib/registry/session-state.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { until } from '../support/until.js';
import { Browser, send } from './support/browser.js';
import { ConsoleApp, PASSWORDS, USERS } from './support/console-app.js';
import { EventReader } from './support/event-reader.js';
import { SHARED_KEYS, startReplica } from './support/replicas.js';

const MINUTE = 60_000;
const NAMESPACE = 'orders-console';
const SESSION = '/api/v1/auth/session';
const USERS_ROUTE = '/api/v1/users';
const LONG = 'a long enough word';

let server: EmbeddedRegistryServer;
let jobs: EmbeddedRegistryCenter;
let looking: EmbeddedRegistryCenter;
let open: (EmbeddedRegistryCenter | ConsoleApp)[];

beforeEach(() => {
  server = new EmbeddedRegistryServer();
  open = [];
  looking = aCentre();
  jobs = aCentre('orders');
});

afterEach(async () => {
  for (const each of open.toReversed()) await (each instanceof ConsoleApp ? each[Symbol.asyncDispose]() : each.close());
});

function aCentre(namespace = NAMESPACE): EmbeddedRegistryCenter {
  const centre = new EmbeddedRegistryCenter({ namespace, server });
  centre.connect();
  open.push(centre);
  return centre;
}

interface Replica {
  readonly app: ConsoleApp;
  /** Through which it reaches its state. */
  readonly centre: EmbeddedRegistryCenter;
}

async function aReplica(more: ElasticJobConsoleOptions = {}): Promise<Replica> {
  const centre = aCentre();
  const app = await startReplica(
    { registryCenter: centre },
    { registries: [{ name: 'main', registryCenter: jobs }], ...more },
  );
  open.push(app);
  return { app, centre };
}

/** The same browser, whose next request the load balancer sends there. */
function movedTo({ app }: Replica, browser: Browser): Browser {
  const moved = new Browser(app);
  for (const [name, value] of browser.cookies) moved.cookies.set(name, value);
  return moved;
}

async function stream({ app }: Replica, browser: Browser): Promise<EventReader> {
  const reader = new EventReader(app, browser, '/api/v1/registries/main/events');
  await reader.next('registry');
  return reader;
}

const sessionAt = async (replica: Replica, browser: Browser): Promise<number> =>
  (await movedTo(replica, browser).get(SESSION)).status;

describe('replicas of the console that share their state', () => {
  test('know a login at one of them at all', async () => {
    const [a, b] = [await aReplica(), await aReplica()];

    const browser = await Browser.loggedIn(a.app, 'otto');

    expect((await movedTo(b, browser).get(SESSION)).json).toMatchObject({ username: 'otto', role: 'operator' });
  });

  test('end the open stream at one when the user logs out at another', async () => {
    const [a, b] = [await aReplica(), await aReplica()];
    const browser = await Browser.loggedIn(a.app, 'otto');
    using reader = await stream(b, browser);
    const copy = movedTo(b, browser);

    const answer = await browser.post('/api/v1/auth/logout');

    expect(answer.status).toBe(204);
    expect((await reader.next('bye')).data).toEqual({ reason: 'logged-out' });
    await until(() => reader.isEnded, 'the stream has ended');
    expect((await copy.get(SESSION)).status).toBe(401);
  });

  test('end the stream of a token at one when it is revoked at another, and refuse it', async () => {
    const [a, b] = [await aReplica(), await aReplica()];
    const browser = await Browser.loggedIn(a.app, 'otto');
    const made = await browser.post('/api/v1/auth/tokens', { name: 'ci', role: 'guest', days: 1 });
    const { id, token } = made.json as { readonly id: string; readonly token: string };
    const useAtB = () => send(`${b.app.origin}/elasticjob${SESSION}`, { headers: { 'access-token': token } });
    expect((await useAtB()).status).toBe(200);
    const ended = b.app.nest.get(ApiTokens, { strict: false }).use(token)?.ended;

    await browser.request(`/api/v1/auth/tokens/${id}`, { method: 'DELETE' });

    await until(async () => (await useAtB()).json['code'] === 'wrong-token', 'B refuses the token');
    expect(ended?.aborted).toBe(true);
  });

  test('know the token of a login by the older API', async () => {
    const [a, b] = [await aReplica(), await aReplica()];
    const body = { username: 'otto', password: PASSWORDS.otto };
    const login = await send(`${a.app.origin}/elasticjob/api/login`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    const { accessToken } = (login.json as { readonly model: { readonly accessToken: string } }).model;

    const used = await send(`${b.app.origin}/elasticjob${SESSION}`, { headers: { 'access-token': accessToken } });

    expect(used.json).toMatchObject({ username: 'otto' });
  });

  test('let a user who was made at one log in at another, and lose the session when the role changes or the account is disabled', async () => {
    const [a, b] = [await aReplica(), await aReplica()];
    const admin = await Browser.loggedIn(a.app, 'anna');
    await admin.post(USERS_ROUTE, { username: 'nora', role: 'operator', password: LONG });
    const nora = new Browser(b.app);
    expect((await nora.login('nora', LONG)).status).toBe(204);
    using reader = await stream(b, nora);

    await admin.request(`${USERS_ROUTE}/nora`, { method: 'PUT', body: { role: 'guest' } });
    await until(() => reader.isEnded, 'the stream has ended');
    const afterChange = await sessionAt(b, nora);
    expect((await nora.login('nora', LONG)).status).toBe(204);
    const role = (await nora.get(SESSION)).json['role'];
    await admin.request(`${USERS_ROUTE}/nora`, { method: 'PUT', body: { isEnabled: false } });
    await until(async () => (await sessionAt(b, nora)) === 401, 'B refuses the session');

    expect(afterChange).toBe(401);
    expect(role).toBe('guest');
    expect((await new Browser(b.app).login('nora', LONG)).json).toMatchObject({ status: 401, code: 'login-failed' });
  });

  test('lose no change of many that they make at the same time', async () => {
    const replicas = [await aReplica(), await aReplica(), await aReplica()];
    const admins = await Promise.all(replicas.map(({ app }) => Browser.loggedIn(app, 'anna')));
    const names = Array.from({ length: 12 }, (_, index) => `user${String(index).padStart(2, '0')}`);

    const answers = await Promise.all(
      names.map((username, index) => admins[index % 3]!.post(USERS_ROUTE, { username, role: 'guest', password: LONG })),
    );

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    for (const admin of admins) {
      const listed = (await admin.get(USERS_ROUTE)).json as unknown as readonly { readonly username: string }[];
      expect(listed.map(({ username }) => username).filter((name) => name.startsWith('user'))).toEqual(names);
    }
  });

  test('make only one user of a name that two of them are asked for', async () => {
    const [a, b] = [await aReplica(), await aReplica()];
    const [one, other] = [await Browser.loggedIn(a.app, 'anna'), await Browser.loggedIn(b.app, 'anna')];
    const body = { username: 'nora', role: 'guest', password: LONG };

    const answers = await Promise.all([one.post(USERS_ROUTE, body), other.post(USERS_ROUTE, body)]);

    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
  });

  test('show a registry centre that was added, changed and removed at one of them', async () => {
    const connections = { allow: ['127.0.0.1'] };
    const [a, b] = [await aReplica({ connections }), await aReplica({ connections })];
    const admin = await Browser.loggedIn(a.app, 'anna');
    const atB = movedTo(b, admin);
    const mine = async (): Promise<unknown> =>
      ((await atB.get('/api/v1/registries')).json as unknown as readonly { readonly name: string }[]).find(
        ({ name }) => name === 'mine',
      );
    const change = { name: 'mine', serverLists: '127.0.0.1:1', namespace: 'one', digest: 'me:hush' };

    expect((await admin.post('/api/v1/registries', change)).status).toBe(201);
    await until(async () => (await mine()) !== undefined, 'B shows it');
    expect(await mine()).toMatchObject({ namespace: 'one', hasDigest: true, status: { phase: 'connecting' } });
    await admin.request('/api/v1/registries/mine', { method: 'PUT', body: { ...change, namespace: 'two' } });
    await until(async () => ((await mine()) as { namespace: string }).namespace === 'two', 'B shows the change');
    await admin.post('/api/v1/registries/mine/disconnect');
    const phase = async (): Promise<string> => ((await mine()) as { status: { phase: string } }).status.phase;
    await until(async () => (await phase()) === 'disconnected', 'B has left it');
    await admin.request('/api/v1/registries/mine', { method: 'DELETE' });
    await until(async () => (await mine()) === undefined, 'B has forgotten it');
  });

  test('show a data source that was added, changed and removed at one of them', async () => {
    const connections = { allow: ['127.0.0.1'] };
    const [a, b] = [await aReplica({ connections }), await aReplica({ connections })];
    const admin = await Browser.loggedIn(a.app, 'anna');
    const atB = movedTo(b, admin);
    const names = async (): Promise<unknown> =>
      ((await atB.get('/api/v1/data-sources')).json as unknown as readonly Record<string, unknown>[]).map(
        ({ name, database }) => `${String(name)} ${String(database)}`,
      );
    const change = { name: 'runs', driver: 'postgres', host: '127.0.0.1', port: 1, database: 'one', password: 'hush' };

    expect((await admin.post('/api/v1/data-sources', change)).status).toBe(201);
    await until(async () => String(await names()) === 'runs one', 'B shows it');
    await admin.request('/api/v1/data-sources/runs', { method: 'PUT', body: { ...change, database: 'two' } });
    await until(async () => String(await names()) === 'runs two', 'B shows the change');
    await admin.request('/api/v1/data-sources/runs', { method: 'DELETE' });
    await until(async () => String(await names()) === '', 'B has forgotten it');
  });

  test('keep neither passwords nor tokens nor cookies nor keys in the registry centre', async () => {
    const a = await aReplica({ connections: { allow: ['127.0.0.1'] } });
    const admin = await Browser.loggedIn(a.app, 'anna');
    await admin.post(USERS_ROUTE, { username: 'nora', role: 'operator', password: LONG });
    const made = await admin.post('/api/v1/auth/tokens', { name: 'ci', role: 'guest', days: 1 });
    const change = { name: 'mine', serverLists: '127.0.0.1:1', namespace: 'one', digest: 'me:hush' };
    await admin.post('/api/v1/registries', change);

    const names = await looking.children('/state');
    const texts = await Promise.all(names.map((name) => looking.get(`/state/${name}`)));
    const all = texts.join('\n');

    expect(await looking.children('/')).toEqual(['state']);
    expect([...names].sort()).toEqual(['registries', 'sessions', 'settings-users', 'tokens', 'users']);
    const [secret = ''] = (admin.cookies.get('ejc') ?? '').split('.');
    const secrets = [LONG, PASSWORDS.anna, String(made.json['token']), secret, 'hush', ...Object.values(SHARED_KEYS)];
    for (const hidden of secrets.flat()) expect(all).not.toContain(hidden);
  });
});

describe('a session at several replicas', () => {
  const at = (clock: ManualClock): ElasticJobConsoleOptions => ({ clock, sessionIdleMinutes: 30 });

  test('lives as long as one of them has seen a request, and costs no write for each', async () => {
    const clock = new ManualClock();
    const [a, b] = [await aReplica(at(clock)), await aReplica(at(clock))];
    const browser = await Browser.loggedIn(a.app, 'otto');
    const written = (await looking.getAll(['/state/sessions']))[0]!.version;

    for (let requests = 0; requests < 20; requests++) await browser.get(SESSION);
    expect((await looking.getAll(['/state/sessions']))[0]!.version).toBe(written);
    await clock.advance(29 * MINUTE);
    await browser.get(SESSION);
    await clock.advance(MINUTE);
    await until(async () => (await looking.getAll(['/state/sessions']))[0]!.version === written + 1, 'it is written');
    await clock.advance(28 * MINUTE);

    expect(await sessionAt(b, browser)).toBe(200);
  });

  test('ends at each of them, a minute later than without replicas at most', async () => {
    const clock = new ManualClock();
    const [a, b] = [await aReplica(at(clock)), await aReplica(at(clock))];
    const browser = await Browser.loggedIn(a.app, 'otto');
    const other = await Browser.loggedIn(a.app, 'gina');

    await clock.advance(30 * MINUTE);
    expect(await sessionAt(b, browser)).toBe(200);
    await clock.advance(MINUTE);

    expect(await sessionAt(a, other)).toBe(401);
    expect(await sessionAt(b, other)).toBe(401);
  });
});

describe('without the registry centre of the state', () => {
  test('reading goes on, writing is refused with 503, and comes back', async () => {
    const [a, b] = [await aReplica(), await aReplica()];
    const admin = await Browser.loggedIn(a.app, 'anna');
    const atB = movedTo(b, admin);
    b.centre.faults.disconnect();

    const read = await atB.get(USERS_ROUTE);
    const made = await atB.post(USERS_ROUTE, { username: 'nora', role: 'guest', password: LONG });
    const login = await new Browser(b.app).login('otto', PASSWORDS.otto);
    b.centre.faults.resume();
    await whenConnected(b.centre.session, new AbortController().signal);
    const again = await atB.post(USERS_ROUTE, { username: 'nora', role: 'guest', password: LONG });

    expect(read.status).toBe(200);
    for (const refused of [made, login]) {
      expect(refused.headers.get('content-type')).toContain('application/problem+json');
      expect(refused.headers.get('retry-after')).toBe('5');
      expect(refused.json).toMatchObject({
        status: 503,
        code: 'state-unavailable',
        detail: expect.stringContaining('the registry centre that holds it does not answer') as unknown,
      });
    }
    expect(again.status).toBe(201);
  });

  test('a session that is ended elsewhere goes on, and ends as soon as its replica hears of it', async () => {
    const [a, b] = [await aReplica(), await aReplica()];
    const browser = await Browser.loggedIn(a.app, 'otto');
    using reader = await stream(b, browser);
    const copy = movedTo(b, browser);
    b.centre.faults.disconnect();
    await browser.post('/api/v1/auth/logout');
    expect((await copy.get(SESSION)).status).toBe(200);
    expect(reader.isEnded).toBe(false);

    b.centre.faults.resume();

    expect((await reader.next('bye')).data).toEqual({ reason: 'logged-out' });
    expect((await copy.get(SESSION)).status).toBe(401);
  });

  test('a session that is ended there is over there at once, and everywhere once the registry centre answers', async () => {
    const clock = new ManualClock();
    const [a, b] = [await aReplica({ clock }), await aReplica({ clock })];
    const browser = await Browser.loggedIn(a.app, 'otto');
    using reader = await stream(b, browser);
    b.centre.faults.disconnect();

    const answer = await movedTo(b, browser).post('/api/v1/auth/logout');
    await until(() => reader.isEnded, 'the stream has ended');
    expect(answer.json).toMatchObject({ status: 503, code: 'state-unavailable' });
    expect([await sessionAt(b, browser), await sessionAt(a, browser)]).toEqual([401, 200]);
    b.centre.faults.resume();
    await whenConnected(b.centre.session, new AbortController().signal);
    await clock.advance(MINUTE);

    await until(async () => (await sessionAt(a, browser)) === 401, 'A knows');
  });

  test('a write whose answer is lost is a 503 that says so', async () => {
    const a = await aReplica();
    const admin = await Browser.loggedIn(a.app, 'anna');
    await admin.post(USERS_ROUTE, { username: 'nora', role: 'guest', password: LONG });

    a.centre.faults.loseNextWrite('applied');
    const answer = await admin.post(USERS_ROUTE, { username: 'nina', role: 'guest', password: LONG });

    expect(answer.json).toMatchObject({ status: 503, code: 'state-outcome-unknown' });
    await until(async () => (await admin.get(USERS_ROUTE)).text.includes('nina'), 'the write is seen');
  });
});

describe('the first set-up of several replicas', () => {
  const code = ({ app }: Replica): string => /\S+$/.exec(app.log.findLast((line) => line.includes('this code'))!)![0];
  const body = (username: string, given: string) => ({ username, password: LONG, code: given });

  test('has one code in the logs of all, and makes an administrator whom all know', async () => {
    const [a, b] = [await aReplica({ users: [] }), await aReplica({ users: [] })];
    expect(code(a)).toBe(code(b));
    expect(JSON.stringify(await looking.get('/state/setup'))).not.toContain(code(a).slice(0, 4));

    const made = await new Browser(b.app).post('/api/v1/setup', body('olga', code(a)));
    await until(
      async () => (await new Browser(a.app).get('/api/v1/auth/providers')).json['isSetupNeeded'] === false,
      'A knows',
    );

    expect(made.status).toBe(204);
    expect((await new Browser(a.app).login('olga', LONG)).status).toBe(204);
  });

  test('makes only one administrator of two who set up at the same time', async () => {
    const [a, b] = [await aReplica({ users: [] }), await aReplica({ users: [] })];

    const made = await Promise.all([
      new Browser(a.app).post('/api/v1/setup', body('olga', code(a))),
      new Browser(b.app).post('/api/v1/setup', body('nora', code(b))),
    ]);

    expect(made.filter(({ status }) => status === 204)).toHaveLength(1);
    expect((await looking.get('/state/users'))?.match(/"username"/g)).toHaveLength(1);
  });

  test('has a new code in the logs of all after one has expired', async () => {
    const clock = new ManualClock();
    const [a, b] = [await aReplica({ users: [], clock }), await aReplica({ users: [], clock })];
    const first = code(a);
    await clock.advance(15 * MINUTE);

    const expired = await new Browser(a.app).post('/api/v1/setup', body('olga', first));
    // Nest's logger is that of the process: what both of them log stands in the log of the last one.
    const codes = (): readonly string[] => b.app.log.filter((line) => line.includes('this code')).slice(1);
    await until(() => codes().length === 2, 'both have logged the new code');

    expect(expired.json).toMatchObject({ status: 403, code: 'expired-code' });
    expect(new Set(codes()).size).toBe(1);
    expect(code(b)).not.toBe(first);
    expect((await new Browser(b.app).post('/api/v1/setup', body('olga', code(b)))).status).toBe(204);
  });
});

describe('a console that is to share its state does not start', () => {
  const start = (stateRegistry: object, more: ElasticJobConsoleOptions = {}): Promise<unknown> =>
    aReplica({ stateRegistry: stateRegistry as never, ...more });

  test('without keys that all replicas have, and names the options', async () => {
    const given = { users: USERS, stateRegistry: { registryCenter: aCentre() } };

    const started = ConsoleApp.start({ console: given });

    await expect(started).rejects.toThrow('console.sessionKeys: is required with stateRegistry');
    await expect(started).rejects.toThrow(/console\.secretKey: is required with stateRegistry.*EJC_SECRET_KEY/);
  });

  test('in a namespace of jobs', async () => {
    await jobs.create('/syncOrders/config', '');

    await expect(start({ registryCenter: jobs })).rejects.toThrow(
      "console.stateRegistry.namespace: must be a namespace in which nothing else is, such as 'orders-console'; in 'orders' there is 'syncOrders'",
    );
  });

  test.each([
    ['{ "version": 1, "value": [', "Node '/orders-console/state/users' is damaged"],
    ['{ "version": 2, "value": [] }', 'is of version 2, and this console reads version 1'],
    ['{ "version": 1, "value": {} }', 'it must be a list of users'],
  ])('over a document that it cannot read (%s), and leaves it as it is', async (text, complaint) => {
    await looking.create('/state/users', text);

    const started = aReplica();

    await expect(started).rejects.toThrow(complaint);
    await expect(started).rejects.toThrow('Nothing is overwritten');
    expect(await looking.get('/state/users')).toBe(text);
  });
});

describe('a document that another writer has damaged', () => {
  test('is logged, changes nothing at running replicas, and is not overwritten', async () => {
    const a = await aReplica();
    const admin = await Browser.loggedIn(a.app, 'anna');
    await admin.post(USERS_ROUTE, { username: 'nora', role: 'guest', password: LONG });

    await looking.put('/state/users', 'nonsense');
    await until(() => a.app.log.some((line) => line.includes('could not follow a change of its shared state')));
    const listed = await admin.get(USERS_ROUTE);
    const made = await admin.post(USERS_ROUTE, { username: 'nina', role: 'guest', password: LONG });

    expect(listed.text).toContain('nora');
    expect(made.json).toMatchObject({ status: 422, code: 'invalid-settings' });
    expect(await looking.get('/state/users')).toBe('nonsense');
  });

  test('is followed again once it is repaired', async () => {
    const a = await aReplica();
    const admin = await Browser.loggedIn(a.app, 'anna');
    await admin.post(USERS_ROUTE, { username: 'nora', role: 'guest', password: LONG });
    const right = (await looking.get('/state/users')) ?? '';
    await looking.put('/state/users', 'nonsense');

    await looking.put('/state/users', right.replace('"guest"', '"operator"'));

    await until(async () => (await admin.get(USERS_ROUTE)).text.includes('"role":"operator","origin":"console"'));
  });
});

test('a state that is too large for a node is refused with how large it may be', async () => {
  const a = await aReplica({ connections: { allow: ['127.0.0.1'] } });
  const admin = await Browser.loggedIn(a.app, 'anna');
  const big = Array.from({ length: 4_400 }, (_, index) => ({
    ...{ name: `registry${index}`, serverLists: '127.0.0.1:1', namespace: 'n'.repeat(150), isConnected: false },
  }));
  await looking.create('/state/registries', JSON.stringify({ version: 1, value: big }));
  await until(async () => (await admin.get('/api/v1/registries')).text.includes('registry4399'));

  const many = { name: 'last', serverLists: '127.0.0.1:1', namespace: 'n'.repeat(9_900) };
  const added = await admin.post('/api/v1/registries', many);

  expect(added.json).toMatchObject({ status: 409, code: 'state-too-large' });
});
