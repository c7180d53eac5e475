/**
 * Weaknesses of ElasticJob's own console (S1 to S14), each with a test that ours does not have it. Those that take more
 * have files of their own: shipped passwords (S1) and what is stored (S2) in `state.spec.ts`, roles (S6) in
 * `permissions.spec.ts`, sessions (S7, S8) in `sessions.spec.ts` and `logins.spec.ts`, single sign-on (S10) in
 * `openid-connect.spec.ts`.
 */
import { describe, expect, test } from '@jest/globals';
import { ConsoleStore } from '../../lib/console/store/console-store.js';
import { Browser, send } from './support/browser.js';
import { ConsoleApp, PASSWORDS, SERVERS, USERS } from './support/console-app.js';
import { allRoutes } from './support/routes.js';

/** A database that has gone away. */
class BrokenStore extends ConsoleStore {
  override readonly description = 'a database';
  override readonly isPersistent = true;

  override read(): Promise<unknown> {
    return Promise.resolve(undefined);
  }

  override write(): Promise<void> {
    return Promise.reject(new Error('connect ECONNREFUSED db.internal:5432 as user console'));
  }
}

describe.each(SERVERS)('on %s', (server) => {
  test('S9: no other origin may read answers', async () => {
    await using app = await ConsoleApp.start({ server });

    const asked = { origin: 'http://evil.example', 'access-control-request-method': 'POST' };
    const preflight = await send(`${app.origin}/elasticjob/api/v1/users`, { method: 'OPTIONS', headers: asked });
    const simple = await send(`${app.origin}/elasticjob/api/v1/auth/providers`, { headers: asked });

    for (const { headers } of [preflight, simple]) {
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });

  test('S12: an error that nobody has foreseen is told to the log, and to the client by an id alone', async () => {
    await using app = await ConsoleApp.start({ server, console: { users: USERS, store: new BrokenStore() } });
    const browser = await Browser.loggedIn(app, 'anna');

    const { json, text } = await browser.post('/api/v1/users', {
      username: 'nora',
      role: 'guest',
      password: 'a long enough word',
    });

    expect(json).toMatchObject({ status: 500, code: 'internal' });
    expect(text).not.toMatch(/ECONNREFUSED|db\.internal/);
    expect(app.log.join('\n')).toContain(
      `A request to the console has failed (request ${String(json['requestId'])}): `,
    );
    expect(app.log.join('\n')).toContain('connect ECONNREFUSED db.internal:5432');
  });

  test('S13: answers of the API are kept by no cache, and the page can be framed by nobody', async () => {
    await using app = await ConsoleApp.start({ server });
    const browser = await Browser.loggedIn(app, 'gina');

    const { headers } = await browser.get('/api/v1/auth/session');

    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });
});

test('S6: a guest who calls what the page hides is refused, and that is recorded', async () => {
  await using app = await ConsoleApp.start();
  const guest = await Browser.loggedIn(app, 'gina');

  const answer = await guest.post('/api/v1/users', { username: 'nora', role: 'admin', password: 'a long enough word' });

  expect(answer.json).toMatchObject({ status: 403, code: 'not-permitted' });
  const admin = await Browser.loggedIn(app, 'anna');
  const { json } = await admin.get('/api/v1/audit?outcome=refused');
  expect(json['items']).toEqual([
    expect.objectContaining({
      action: 'request',
      target: 'POST /elasticjob/api/v1/users',
      username: 'gina',
      error: 'not-permitted',
    }),
  ]);
});

test('S7: the ids of sessions have nothing in common', async () => {
  await using app = await ConsoleApp.start();
  const cookies = new Set<string>();

  for (let login = 0; login < 20; login++) cookies.add((await Browser.loggedIn(app, 'gina')).cookies.get('ejc') ?? '');

  expect(cookies.size).toBe(20);
  expect(new Set([...cookies].map((cookie) => cookie.slice(0, 4))).size).toBeGreaterThan(18);
});

test('S8: a user has at most twenty sessions: with one more, the oldest ends', async () => {
  await using app = await ConsoleApp.start();
  const first = await Browser.loggedIn(app, 'gina');
  for (let login = 1; login < 20; login++) await Browser.loggedIn(app, 'gina');
  expect((await first.get('/api/v1/auth/session')).status).toBe(200);

  await Browser.loggedIn(app, 'gina');

  expect((await first.get('/api/v1/auth/session')).status).toBe(401);
});

test('S11: what a GET asks for is never a permission to change something, but in the oldest API', () => {
  const changing = allRoutes().filter(
    ({ method, path, permission }) =>
      method === 'GET' && path.startsWith('/api/v1/') && ['operate', 'write'].includes(permission),
  );

  expect(changing).toEqual([]);
});

test('a password stands in no header, no answer and no line of the log', async () => {
  await using app = await ConsoleApp.start();
  const browser = new Browser(app);

  const answers = [
    await browser.login('anna', PASSWORDS.anna),
    await browser.get('/api/v1/auth/session'),
    await browser.get('/api/v1/users'),
  ];

  const all = answers.flatMap(({ headers, text }) => [text, ...[...headers].flat()]);
  expect([...all, ...app.log].filter((text) => text.includes(PASSWORDS.anna))).toEqual([]);
});
