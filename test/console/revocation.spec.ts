/** Events that end the sessions and tokens of a user for good, and their open streams. */
import { describe, expect, test } from '@jest/globals';
import { ApiTokens } from '../../lib/console/security/users/api-tokens.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { type Answer, Browser, send } from './support/browser.js';
import { ConsoleApp, PASSWORDS, USERS } from './support/console-app.js';

const SESSION = '/api/v1/auth/session';
const OLD = 'a long enough word';
const HOUR = 60 * 60_000;

interface ListedToken {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  readonly lastUsedAt?: number;
}

const use = (app: ConsoleApp, token: string): Promise<Answer> =>
  send(`${app.origin}/elasticjob${SESSION}`, { headers: { 'access-token': token } });

/** A token of `/api/login`, as scripts for the console of ElasticJob 3 make it. */
async function loginToken(app: ConsoleApp, username: string, password: string): Promise<string> {
  const { json } = await send(`${app.origin}/elasticjob/api/login`, {
    method: 'POST',
    body: { username, password },
    headers: { 'content-type': 'application/json' },
  });
  return (json as { readonly model: { readonly accessToken: string } }).model.accessToken;
}

/** Nora, an operator who is logged in, with a stored token and one of `/api/login`. */
async function nora(app: ConsoleApp): Promise<{
  readonly admin: Browser;
  readonly browser: Browser;
  readonly tokens: readonly [stored: string, login: string];
}> {
  const admin = await Browser.loggedIn(app, 'anna');
  await admin.post('/api/v1/users', { username: 'nora', role: 'operator', password: OLD });
  const browser = new Browser(app);
  await browser.login('nora', OLD);
  const { json } = await browser.post('/api/v1/auth/tokens', { name: 'cron', role: 'operator', days: 365 });
  const tokens = [String(json['token']), await loginToken(app, 'nora', OLD)] as const;
  for (const token of tokens) expect((await use(app, token)).status).toBe(200);
  return { admin, browser, tokens };
}

describe('the sessions and tokens of a user end, those of the older login too,', () => {
  test.each([
    ['when an administrator sets another password', { password: 'another long word' }],
    ['when the role is lowered', { role: 'guest' }],
    ['when the role is raised', { role: 'admin' }],
    ['when the user is disabled', { isEnabled: false }],
  ])('%s', async (_, change) => {
    await using app = await ConsoleApp.start();
    const { admin, browser, tokens } = await nora(app);

    const { status } = await admin.request('/api/v1/users/NORA', { method: 'PUT', body: change });

    expect(status).toBe(200);
    expect((await browser.get(SESSION)).status).toBe(401);
    for (const token of tokens) expect((await use(app, token)).json).toMatchObject({ code: 'wrong-token' });
    expect((await admin.get('/api/v1/tokens')).json).toEqual([]);
  });

  test('when the user is removed, also once there is another user of that name', async () => {
    await using app = await ConsoleApp.start();
    const { admin, browser, tokens } = await nora(app);

    await admin.request('/api/v1/users/nora', { method: 'DELETE', body: {} });
    await admin.post('/api/v1/users', { username: 'nora', role: 'operator', password: OLD });

    expect((await browser.get(SESSION)).status).toBe(401);
    for (const token of tokens) expect((await use(app, token)).status).toBe(401);
  });

  test('when the user sets another password, but for the session in which that was done', async () => {
    await using app = await ConsoleApp.start();
    const { admin, browser, tokens } = await nora(app);

    const { status } = await browser.post('/api/v1/auth/password', { old: OLD, new: 'another long word' });

    expect(status).toBe(204);
    expect((await browser.get(SESSION)).status).toBe(200);
    for (const token of tokens) expect((await use(app, token)).status).toBe(401);
    expect((await admin.get('/api/v1/audit?action=auth.password')).json['items']).toEqual([
      expect.objectContaining({ username: 'nora', after: { revoked: '2 tokens' } }),
    ]);
  });
});

describe('tokens of the older login', () => {
  test('are listed, with their last use, and each can be revoked by its owner or an administrator', async () => {
    const clock = new ManualClock();
    await using app = await ConsoleApp.start({ console: { users: USERS, clock } });
    const [first, second] = [
      await loginToken(app, 'gina', PASSWORDS.gina),
      await loginToken(app, 'gina', PASSWORDS.gina),
    ];
    await clock.advance(1_000);
    await use(app, second);
    const gina = await Browser.loggedIn(app, 'gina');
    const anna = await Browser.loggedIn(app, 'anna');
    const listed = (await gina.get('/api/v1/auth/tokens')).json as unknown as readonly ListedToken[];

    expect(listed.map(({ name, owner }) => [name, owner])).toEqual(Array(2).fill(['login', 'gina']));
    expect(listed.map(({ lastUsedAt }) => lastUsedAt).sort()).toEqual([clock.now(), undefined]);
    const used = listed.find(({ lastUsedAt }) => lastUsedAt !== undefined)!;
    const unused = listed.find(({ lastUsedAt }) => lastUsedAt === undefined)!;
    expect((await gina.request(`/api/v1/auth/tokens/${used.id}`, { method: 'DELETE', body: {} })).status).toBe(204);
    expect([(await use(app, first)).status, (await use(app, second)).status]).toEqual([200, 401]);
    expect((await anna.request(`/api/v1/auth/tokens/${unused.id}`, { method: 'DELETE', body: {} })).status).toBe(204);
    expect((await use(app, first)).status).toBe(401);
  });

  test('of one user push out no token of another', async () => {
    await using app = await ConsoleApp.start();
    const others = await loginToken(app, 'otto', PASSWORDS.otto);
    const tokens = app.nest.get(ApiTokens, { strict: false });
    const account = { username: 'gina', provider: 'local' };

    for (let login = 0; login < 10_100; login += 100)
      await Promise.all(
        Array.from({ length: 100 }, () =>
          tokens.issue({ account, name: 'login', role: 'guest', lifetimeMs: HOUR, keep: 'short' }),
        ),
      );

    expect((await use(app, others)).status).toBe(200);
    expect(tokens.list(account)).toHaveLength(100);
  });
});

test('an administrator revokes all tokens of a user, who stays logged in', async () => {
  await using app = await ConsoleApp.start();
  const { admin, browser, tokens } = await nora(app);
  const revoke = (path: string): Promise<Answer> => admin.request(path, { method: 'DELETE', body: {} });

  expect((await revoke('/api/v1/users/nora/tokens')).status).toBe(204);

  for (const token of tokens) expect((await use(app, token)).status).toBe(401);
  expect((await browser.get(SESSION)).status).toBe(200);
  expect((await revoke('/api/v1/users/nobody/tokens')).json).toMatchObject({ status: 404, code: 'unknown-user' });
  expect((await admin.get('/api/v1/audit?action=token.revoke')).json['items']).toEqual([
    expect.objectContaining({ target: 'nora', after: { revoked: '2 tokens' } }),
  ]);
});

test('a user can have 200 stored tokens at most', async () => {
  await using app = await ConsoleApp.start();
  const tokens = app.nest.get(ApiTokens, { strict: false });
  const account = { username: 'gina', provider: 'local' };
  for (let made = 0; made < 200; made++)
    await tokens.issue({ account, name: `t${made}`, role: 'guest', lifetimeMs: HOUR, keep: 'stored' });
  const gina = await Browser.loggedIn(app, 'gina');
  const otto = await Browser.loggedIn(app, 'otto');
  const create = (browser: Browser): Promise<Answer> =>
    browser.post('/api/v1/auth/tokens', { name: 'more', role: 'guest', days: 1 });

  expect((await create(gina)).json).toMatchObject({ status: 409, code: 'too-many-tokens' });
  expect((await create(otto)).status).toBe(201);
});
