/** Two replicas of the console that share their state on a real ZooKeeper. */
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { runCommandLine } from '../../../lib/cli/run.js';
import { whenConnected } from '../../../lib/registry/session-state.js';
import { ZookeeperRegistryCenter } from '../../../lib/registry/zookeeper/zookeeper-registry-center.js';
import { systemClock } from '../../../lib/time/clock.js';
import { Browser } from '../../console/support/browser.js';
import { type ConsoleApp } from '../../console/support/console-app.js';
import { EventReader } from '../../console/support/event-reader.js';
import { startReplica } from '../../console/support/replicas.js';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { until } from '../../support/until.js';
import { ZooKeeperServer } from '../../support/zookeeper-server.js';
import { TestTerminal } from '../../unit/cli/stage.js';

const zooKeeper = sharedZooKeeper();
const SESSION = '/api/v1/auth/session';
const USERS_ROUTE = '/api/v1/users';
const LONG = 'a long enough word';

let namespace: string;
let open: AsyncDisposable[];
beforeEach(() => {
  namespace = zooKeeper.namespace();
  open = [];
});
afterEach(async () => {
  for (const each of open.toReversed()) await each[Symbol.asyncDispose]();
});

async function aReplica(serverLists = zooKeeper.servers, digest?: string): Promise<ConsoleApp> {
  const app = await startReplica(
    { serverLists, namespace: `${namespace}-console`, ...(digest && { digest }) },
    { registries: [{ name: 'main', serverLists: zooKeeper.servers, namespace }] },
  );
  open.push(app);
  return app;
}

/** The same browser, whose next request the load balancer sends there. */
function movedTo(app: ConsoleApp, browser: Browser): Browser {
  const moved = new Browser(app);
  for (const [name, value] of browser.cookies) moved.cookies.set(name, value);
  return moved;
}

const addUser = (browser: Browser, username: string) =>
  browser.post(USERS_ROUTE, { username, role: 'guest', password: LONG });

test('a login, a new user and a logout at one replica hold at another, and end its open stream', async () => {
  const [a, b] = [await aReplica(), await aReplica()];
  const browser = await Browser.loggedIn(a, 'otto');
  const admin = await Browser.loggedIn(a, 'anna');
  expect((await addUser(admin, 'nora')).status).toBe(201);
  await until(async () => (await new Browser(b).login('nora', LONG)).status === 204, 'nora can log in');
  const atB = movedTo(b, browser);
  await until(async () => (await atB.get(SESSION)).status === 200, 'B knows the session');
  using reader = new EventReader(b, atB, '/api/v1/registries/main/events');
  await reader.next('registry');

  await browser.post('/api/v1/auth/logout');
  const bye = await reader.next('bye');

  expect(bye.data).toEqual({ reason: 'logged-out' });
  expect((await atB.get(SESSION)).status).toBe(401);
});

test('users that are made at two replicas at the same time are all there', async () => {
  const [a, b] = [await aReplica(), await aReplica()];
  const admins = [await Browser.loggedIn(a, 'anna'), await Browser.loggedIn(b, 'anna')];
  const names = Array.from({ length: 10 }, (_, index) => `user${index}`);

  const made = await Promise.all(names.map((name, index) => addUser(admins[index % 2]!, name)));

  expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201]));
  for (const admin of admins)
    await until(async () => {
      const { text } = await admin.get(USERS_ROUTE);
      return names.every((name) => text.includes(`"${name}"`));
    }, 'both show all of them');
});

test('while ZooKeeper is down, reading goes on and writing is refused with 503; then all goes on', async () => {
  const server = await ZooKeeperServer.start();
  open.push(server);
  const [a, b] = [await aReplica(server.address), await aReplica(server.address)];
  const admin = await Browser.loggedIn(a, 'anna');
  const atB = movedTo(b, admin);
  await server.stop();

  await until(async () => (await addUser(admin, 'nora')).json['code'] === 'state-unavailable', 'A notices');
  const refused = await addUser(admin, 'nora');
  const read = await Promise.all([admin.get(USERS_ROUTE), atB.get(USERS_ROUTE), atB.get('/readyz')]);
  await server.restart();

  expect(refused.status).toBe(503);
  expect(read.map(({ status }) => status)).toEqual([200, 200, 200]);
  await until(async () => (await addUser(admin, 'nora')).status === 201, 'writing is possible again');
  await until(async () => (await new Browser(b).login('nora', LONG)).status === 204, 'nora can log in');
});

test('while ZooKeeper accepts connections and answers nothing, every request is answered', async () => {
  const server = await ZooKeeperServer.start();
  open.push(server);
  const app = await aReplica(server.address);
  const admin = await Browser.loggedIn(app, 'anna');
  server.pause();

  const [refused, read] = await Promise.all([addUser(admin, 'nora'), admin.get(USERS_ROUTE)]);
  server.resume();

  expect(read.status).toBe(200);
  expect(refused.json).toMatchObject({ status: 503, code: expect.stringMatching(/^state-/) as unknown });
});

test('a session that was ended while a replica was cut off ends there as soon as it is in contact again', async () => {
  const proxy = await TcpProxy.start(zooKeeper.servers);
  open.push({ [Symbol.asyncDispose]: () => proxy.close() });
  const [a, b] = [await aReplica(), await aReplica(proxy.address)];
  const browser = await Browser.loggedIn(a, 'otto');
  const atB = movedTo(b, browser);
  await until(async () => (await atB.get(SESSION)).status === 200, 'B knows the session');
  using reader = new EventReader(b, atB, '/api/v1/registries/main/events');
  await reader.next('registry');
  proxy.refuse();
  proxy.cut();

  await browser.post('/api/v1/auth/logout');
  expect((await atB.get(SESSION)).status).toBe(200);
  proxy.heal();

  expect((await reader.next('bye')).data).toEqual({ reason: 'logged-out' });
  expect((await atB.get(SESSION)).status).toBe(401);
});

test('what is stored can be read with the credentials of the registry centre only', async () => {
  const app = await aReplica(zooKeeper.servers, 'console:right');
  expect((await addUser(await Browser.loggedIn(app, 'anna'), 'nora')).status).toBe(201);
  const stranger = new ZookeeperRegistryCenter({
    serverLists: zooKeeper.servers,
    namespace: `${namespace}-console`,
    digest: 'other:wrong',
  });
  open.push({ [Symbol.asyncDispose]: () => stranger.close() });
  stranger.connect();
  const waiting = new AbortController();
  stranger.session.onChange(({ phase }) => phase === 'closed' && waiting.abort(new Error('refused')));

  const read = whenConnected(stranger.session, waiting.signal).then(() => stranger.get('/state/users'));

  await expect(read).rejects.toThrow();
  await expect(aReplica(zooKeeper.servers, 'other:wrong')).rejects.toThrow(
    /^console\.stateRegistry: .* cannot be read/,
  );
});

test('a console whose state cannot be reached does not start, and says why', async () => {
  await expect(aReplica('127.0.0.1:1')).rejects.toThrow(
    /^console\.stateRegistry: the console's state in ZooKeeper at 127\.0\.0\.1:1.* cannot be read: .*127\.0\.0\.1:1/,
  );
});

test('a console that cannot read what is stored leaves it as it is, and does not stay connected', async () => {
  const proxy = await TcpProxy.start(zooKeeper.servers);
  open.push({ [Symbol.asyncDispose]: () => proxy.close() });
  const writer = new ZookeeperRegistryCenter({ serverLists: zooKeeper.servers, namespace: `${namespace}-console` });
  open.push({ [Symbol.asyncDispose]: () => writer.close() });
  writer.connect();
  await whenConnected(writer.session, new AbortController().signal);
  await writer.put('/state/tokens', 'nonsense');

  await expect(aReplica(proxy.address)).rejects.toThrow(/state\/tokens' is damaged\. Nothing is overwritten/);

  expect(proxy.accepted).toBeGreaterThan(0);
  await until(() => proxy.connections === 0, 'no connection is left');
  expect(await writer.get('/state/tokens')).toBe('nonsense');
});

test('the command line shares the state of two consoles beside the jobs, with --state-namespace', async () => {
  const environment = { EJC_SESSION_KEYS: 's'.repeat(32), EJC_SECRET_KEY: 'k'.repeat(32) };
  const place = ['--servers', zooKeeper.servers, '--namespace', namespace];
  const consoles = [1, 2].map(() => {
    const terminal = new TestTerminal();
    const words = ['console', '--port', '0', ...place, '--state-namespace', `${namespace}-console`];
    const surroundings = { terminal, environment, directory: tmpdir(), clock: systemClock, version: () => '1.2.3' };
    return { terminal, ended: runCommandLine(words, surroundings) };
  });
  open.push({
    [Symbol.asyncDispose]: async () => {
      for (const { terminal } of consoles) terminal.end();
      await Promise.all(consoles.map(({ ended }) => ended));
    },
  });
  await until(() => consoles.every(({ terminal }) => terminal.out.text.includes('listens on')), 'both listen');
  const [a, b] = consoles.map(({ terminal }) => ({ origin: /listens on (http\S+)\/\n/.exec(terminal.out.text)![1]! }));
  // Nest's logger is that of the process: both may write to the terminal of one.
  const code = /code, .* (\S{14})$/m.exec(consoles.map(({ terminal }) => terminal.err.text).join(''))![1];

  const made = await new Browser(b!, '').post('/api/v1/setup', { username: 'olga', password: LONG, code });

  expect(made.status).toBe(204);
  await until(
    async () => (await new Browser(a!, '').login('olga', LONG)).status === 204,
    'olga can log in at the other',
  );
});
