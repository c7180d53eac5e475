import { describe, expect, test } from '@jest/globals';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { Browser, send } from './support/browser.js';
import { ConsoleApp, PASSWORDS, SERVERS, USERS } from './support/console-app.js';
import { sharedConsole } from './support/shared-console.js';

const SESSION = '/api/v1/auth/session';
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const LONG = 'a long enough word';

/** The code that stands in the log of an application without an administrator; the latest one. */
function codeIn({ log }: ConsoleApp): string {
  return log.map((line) => /valid for 15 minutes: (\S+)$/.exec(line)?.[1]).findLast((code) => code !== undefined) ?? '';
}

describe('a login', () => {
  test('says the same of an unknown user and of a wrong password', async () => {
    await using app = await ConsoleApp.start();
    const browser = new Browser(app);

    const unknown = await browser.login('nobody', 'wrong wrong wrong');
    const wrong = await browser.login('anna', 'wrong wrong wrong');

    const [first, second] = [unknown, wrong].map(({ json }) => ({ ...json, requestId: 'that of the request' }));
    expect(first).toEqual(second);
    expect(first).toMatchObject({ status: 401, code: 'login-failed', detail: 'The name or the password is wrong.' });
  });

  test('must wait longer and longer once five have failed for a user from an address', async () => {
    const clock = new ManualClock();
    await using app = await ConsoleApp.start({ console: { users: USERS, clock } });
    const browser = new Browser(app);
    for (let attempt = 0; attempt < 5; attempt++)
      expect((await browser.login('anna', 'wrong wrong wrong')).status).toBe(401);

    const early = await browser.login('anna', PASSWORDS.anna);
    await clock.advance(14 * SECOND);
    const stillEarly = await browser.login('Anna', PASSWORDS.anna);
    await clock.advance(SECOND);
    const wrong = await browser.login('anna', 'wrong wrong wrong');
    await clock.advance(29 * SECOND);
    const tooEarly = await browser.login('anna', PASSWORDS.anna);
    await clock.advance(SECOND);
    const right = await browser.login('anna', PASSWORDS.anna);

    expect(early.json).toMatchObject({ status: 429, code: 'too-many-attempts' });
    expect(early.headers.get('retry-after')).toBe('15');
    expect(stillEarly.headers.get('retry-after')).toBe('1');
    expect(wrong.status).toBe(401);
    expect(tooEarly.headers.get('retry-after')).toBe('1');
    expect(right.status).toBe(204);
    expect((await browser.login('anna', 'wrong wrong wrong')).status).toBe(401);
  });

  test('is counted by the address that a trusted proxy names', async () => {
    await using app = await ConsoleApp.start({ console: { users: USERS, trustedProxies: ['loopback'] } });
    const browser = new Browser(app);
    const from = (ip: string): ReturnType<Browser['post']> =>
      browser.post(
        '/api/v1/auth/login',
        { username: 'anna', password: 'wrong wrong wrong' },
        { 'x-forwarded-for': ip },
      );
    for (let attempt = 0; attempt < 5; attempt++) await from('10.0.0.1');

    expect((await from('10.0.0.1')).status).toBe(429);
    // Entries of the client itself come before the one that the proxy adds.
    expect((await from('10.0.0.9, 10.0.0.1')).status).toBe(429);
    expect((await from('10.0.0.2')).status).toBe(401);
  });

  test('is recorded, and so is its refusal, without the password', async () => {
    await using app = await ConsoleApp.start();
    await new Browser(app).login('anna', 'wrong wrong wrong');
    const browser = await Browser.loggedIn(app, 'anna');

    const { json, text } = await browser.get('/api/v1/audit?action=auth.login');

    expect(json['items']).toEqual([
      expect.objectContaining({ action: 'auth.login', target: 'anna', outcome: 'done', ip: '127.0.0.1' }),
      expect.objectContaining({ action: 'auth.login', target: 'anna', outcome: 'refused', ip: '127.0.0.1' }),
    ]);
    expect(text + app.log.join('\n')).not.toMatch(/wrong wrong|correct horse/);
  });

  test('names every field that is wrong', async () => {
    await using app = await ConsoleApp.start();

    const { json } = await new Browser(app).post('/api/v1/auth/login', { username: 7 });

    expect(json).toMatchObject({
      status: 422,
      code: 'invalid-request',
      problems: [
        { setting: 'username', message: 'username must be a text of 1 to 200 characters.' },
        { setting: 'password', message: 'password must be a text of 1 to 1024 characters.' },
      ],
    });
  });
});

describe.each(SERVERS)('requests of other sites, on %s', (server) => {
  const body = { name: 'script', role: 'guest', days: 1 };
  const app = sharedConsole(() => ({ server }));

  test.each([
    ['the browser says so', { 'sec-fetch-site': 'cross-site' }],
    ['it is a page of the same domain on another host', { 'sec-fetch-site': 'same-site' }],
    ['the address was typed or is a bookmark', { 'sec-fetch-site': 'none' }],
    ['an older browser names another origin', { 'sec-fetch-site': undefined, origin: 'http://evil.example' }],
    ['nothing says where it is from', { 'sec-fetch-site': undefined }],
    ['the header of the page is missing', { 'x-ejc': undefined }],
  ])('change nothing: %s', async (_, headers) => {
    const browser = await Browser.loggedIn(app(), 'otto');

    const answer = await browser.post('/api/v1/auth/tokens', body, headers);

    expect(answer.json).toMatchObject({ status: 403, code: 'cross-site' });
    expect((await browser.get('/api/v1/auth/tokens')).json).toEqual([]);
  });

  test('cannot log a browser in, so that nobody works under a name that is not theirs', async () => {
    const credentials = { username: 'gina', password: PASSWORDS.gina };

    const answer = await new Browser(app()).post('/api/v1/auth/login', credentials, { 'sec-fetch-site': 'cross-site' });
    const form = await new Browser(app()).request('/api/v1/auth/login', {
      method: 'POST',
      body: `{"username":"gina","password":"${PASSWORDS.gina}"}`,
      headers: { 'content-type': 'text/plain' },
    });

    expect(answer.json).toMatchObject({ code: 'cross-site' });
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(form.status).toBe(415);
  });

  test('are told from those of an older browser on the right page by their origin', async () => {
    const browser = await Browser.loggedIn(app(), 'anna');

    const answer = await browser.post('/api/v1/auth/tokens', body, {
      'sec-fetch-site': undefined,
      origin: app().origin,
    });

    expect(answer.status).toBe(201);
  });

  test('are not what scripts with a token send', async () => {
    const browser = await Browser.loggedIn(app(), 'anna');
    const { json } = await browser.post('/api/v1/auth/tokens', { ...body, role: 'admin' });
    const headers = { authorization: `Bearer ${String(json['token'])}`, 'content-type': 'application/json' };

    const answer = await send(`${app().origin}/elasticjob/api/v1/users`, {
      method: 'POST',
      body: { username: 'nora', role: 'guest', password: LONG },
      headers,
    });

    expect(answer.status).toBe(201);
  });
});

describe('a token', () => {
  test('can do no more than its owner, is shown once, and makes no other tokens', async () => {
    await using app = await ConsoleApp.start();
    const browser = await Browser.loggedIn(app, 'otto');

    const tooStrong = await browser.post('/api/v1/auth/tokens', { name: 'ci', role: 'admin', days: 1 });
    const { json: made } = await browser.post('/api/v1/auth/tokens', { name: 'ci', role: 'operator', days: 1 });
    const listed = await browser.get('/api/v1/auth/tokens');
    const headers = { 'access-token': String(made['token']), 'content-type': 'application/json' };
    const another = await send(`${app.origin}/elasticjob/api/v1/auth/tokens`, {
      method: 'POST',
      body: { name: 'more', role: 'guest', days: 1 },
      headers,
    });

    expect(tooStrong.json).toMatchObject({ status: 403, code: 'not-permitted' });
    expect(made['token']).toMatch(/^ejc_[\w-]{43}$/);
    expect(listed.text).not.toContain(String(made['token']));
    expect(listed.json).toEqual([expect.objectContaining({ name: 'ci', role: 'operator', owner: 'otto' })]);
    expect(listed.text).not.toContain('hash');
    expect(another.json).toMatchObject({ status: 403, code: 'needs-login' });
  });

  test('ends in time, and at once when it is revoked, by its owner or an administrator alone', async () => {
    const clock = new ManualClock();
    await using app = await ConsoleApp.start({ console: { users: USERS, clock } });
    const [otto, gina, anna] = [
      await Browser.loggedIn(app, 'otto'),
      await Browser.loggedIn(app, 'gina'),
      await Browser.loggedIn(app, 'anna'),
    ];
    const make = async (days: number): Promise<{ readonly id: string; readonly use: () => Promise<number> }> => {
      const { json } = await otto.post('/api/v1/auth/tokens', { name: 'ci', role: 'guest', days });
      const headers = { 'access-token': String(json['token']) };
      return {
        id: String(json['id']),
        use: async () => (await send(`${app.origin}/elasticjob${SESSION}`, { headers })).status,
      };
    };
    const [first, second, third] = [await make(1), await make(2), await make(2)];
    const revoke = async (browser: Browser, id: string): Promise<number> =>
      (await browser.request(`/api/v1/auth/tokens/${id}`, { method: 'DELETE', body: {} })).status;

    expect(await revoke(gina, second.id)).toBe(404);
    expect(await second.use()).toBe(200);
    expect(await revoke(otto, second.id)).toBe(204);
    expect(await second.use()).toBe(401);
    expect(await revoke(anna, third.id)).toBe(204);
    expect(await third.use()).toBe(401);
    expect(await first.use()).toBe(200);
    await clock.advance(24 * 60 * MINUTE);
    expect(await first.use()).toBe(401);
  });

  test('of another application, as a bearer, is none of ours', async () => {
    await using app = await ConsoleApp.start();
    const browser = await Browser.loggedIn(app, 'gina');

    const answer = await browser.get(SESSION, { authorization: 'Bearer eyJhbGciOi.of.theirs' });

    expect(answer.json).toMatchObject({ username: 'gina' });
  });
});

describe('scripts for older consoles', () => {
  test('log in for a token that is valid for an hour', async () => {
    const clock = new ManualClock();
    await using app = await ConsoleApp.start({ console: { users: USERS, clock } });
    const logIn = (username: string, password: string): ReturnType<typeof send> =>
      send(`${app.origin}/elasticjob/api/login`, {
        method: 'POST',
        body: { username, password },
        headers: { 'content-type': 'application/json' },
      });

    const wrong = await logIn('gina', 'wrong wrong wrong');
    const right = await logIn('gina', PASSWORDS.gina);

    expect(wrong.json).toMatchObject({ success: false, errorCode: 403, model: null });
    const { model } = right.json as { readonly model: Readonly<Record<string, string>> };
    expect(right.json).toMatchObject({ success: true, errorCode: 0, errorMsg: null });
    expect(model).toMatchObject({ username: 'gina', isGuest: true });
    const use = (): ReturnType<typeof send> =>
      send(`${app.origin}/elasticjob${SESSION}`, { headers: { 'access-token': model['accessToken'] } });
    expect((await use()).json).toMatchObject({ username: 'gina', role: 'guest' });
    await clock.advance(60 * MINUTE);
    expect((await use()).status).toBe(401);
  });

  test('log in by HTTP Basic there alone, and not from a page of another site', async () => {
    await using app = await ConsoleApp.start();
    const authorization = `Basic ${Buffer.from(`gina:${PASSWORDS.gina}`).toString('base64')}`;
    const wrong = `Basic ${Buffer.from('gina:wrong wrong wrong').toString('base64')}`;
    const statusOf = async (path: string, headers: Readonly<Record<string, string>>): Promise<number> =>
      (await send(`${app.origin}/elasticjob${path}`, { headers })).status;

    expect(await statusOf('/api/data-source', { authorization })).toBe(200);
    expect(await statusOf('/api/data-source', { authorization: wrong })).toBe(401);
    expect(await statusOf('/api/data-source', { authorization, 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await statusOf(SESSION, { authorization })).toBe(401);
  });
});

describe('the first set-up', () => {
  test('makes an administrator with the code from the log, once', async () => {
    await using app = await ConsoleApp.start({ console: {} });
    const browser = new Browser(app);
    const body = { code: codeIn(app), username: 'anna', password: LONG };

    expect((await browser.get('/api/v1/auth/providers')).json).toMatchObject({ isSetupNeeded: true });
    expect((await browser.get('/api/v1/users')).json).toMatchObject({ status: 403, code: 'setup-needed' });
    expect((await browser.login('anna', LONG)).json).toMatchObject({ status: 403, code: 'setup-needed' });
    const wrong = await browser.post('/api/v1/setup', { ...body, code: 'AAAA-BBBB-CCCC' });
    const weak = await browser.post('/api/v1/setup', { ...body, password: 'short' });
    const right = await browser.post('/api/v1/setup', { ...body, code: body.code.toLowerCase() });
    const again = await new Browser(app).post('/api/v1/setup', body);

    expect(wrong.json).toMatchObject({ status: 403, code: 'wrong-code' });
    expect(weak.json).toMatchObject({
      status: 422,
      problems: [{ message: 'password must have at least 12 characters.' }],
    });
    expect(right.status).toBe(204);
    expect((await browser.get(SESSION)).json).toMatchObject({ username: 'anna', role: 'admin' });
    expect(again.json).toMatchObject({ status: 409, code: 'setup-done' });
    expect((await browser.get('/api/v1/auth/providers')).json).toMatchObject({ isSetupNeeded: false });
  });

  test('takes a code for 15 minutes, and writes a new one to the log then', async () => {
    const clock = new ManualClock();
    await using app = await ConsoleApp.start({ console: { clock } });
    const browser = new Browser(app);
    const former = codeIn(app);
    await clock.advance(15 * MINUTE);

    const late = await browser.post('/api/v1/setup', { code: former, username: 'anna', password: LONG });
    const used = await browser.post('/api/v1/setup', { code: codeIn(app), username: 'anna', password: LONG });

    expect(late.json).toMatchObject({ status: 403, code: 'expired-code' });
    expect(codeIn(app)).not.toBe(former);
    expect(used.status).toBe(204);
  });

  test('makes one administrator of two that come at the same moment', async () => {
    await using app = await ConsoleApp.start({ console: {} });
    const code = codeIn(app);

    const answers = await Promise.all(
      ['anna', 'bert'].map((username) => new Browser(app).post('/api/v1/setup', { code, username, password: LONG })),
    );

    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
  });
});

describe('the users', () => {
  test('always have an administrator, and those of the settings are changed there', async () => {
    await using app = await ConsoleApp.start({ console: {} });
    const browser = new Browser(app);
    await browser.post('/api/v1/setup', { code: codeIn(app), username: 'anna', password: LONG });

    const weaker = await browser.request('/api/v1/users/anna', { method: 'PUT', body: { role: 'guest' } });
    const gone = await browser.request('/api/v1/users/ANNA', { method: 'DELETE', body: {} });
    const twice = await browser.post('/api/v1/users', { username: 'Anna', role: 'guest', password: LONG });

    expect(weaker.json).toMatchObject({ status: 409, code: 'last-admin' });
    expect(gone.json).toMatchObject({ status: 409, code: 'own-account' });
    expect(twice.json).toMatchObject({ status: 409, code: 'user-exists' });
    await using fixed = await ConsoleApp.start();
    const admin = await Browser.loggedIn(fixed, 'anna');
    const ofSettings = await admin.request('/api/v1/users/gina', { method: 'PUT', body: { role: 'admin' } });
    const nobody = await admin.request('/api/v1/users/nobody', { method: 'DELETE', body: {} });
    expect(ofSettings.json).toMatchObject({ status: 409, code: 'user-of-settings' });
    expect(nobody.json).toMatchObject({ status: 404, code: 'unknown-user' });
  });

  test('are never shown with anything of their passwords', async () => {
    await using app = await ConsoleApp.start();
    const browser = await Browser.loggedIn(app, 'anna');

    const { json, text } = await browser.get('/api/v1/users');

    expect((json as unknown as readonly { readonly username: string }[]).map(({ username }) => username)).toEqual([
      'anna',
      'gina',
      'otto',
    ]);
    expect(text).not.toMatch(/scrypt|password/i);
  });

  test('leave records of what was changed, without passwords', async () => {
    await using app = await ConsoleApp.start();
    const browser = await Browser.loggedIn(app, 'anna');
    await browser.post('/api/v1/users', { username: 'nora', role: 'guest', password: LONG });
    await browser.request('/api/v1/users/nora', { method: 'PUT', body: { role: 'operator', password: `${LONG}s` } });

    const { json, text } = await browser.get('/api/v1/audit?target=nora');
    const csv = await browser.get('/api/v1/audit.csv?target=nora');

    expect(json['items']).toEqual([
      expect.objectContaining({
        action: 'user.update',
        username: 'anna',
        role: 'admin',
        outcome: 'done',
        before: { role: 'guest', password: '******' },
        after: { role: 'operator', password: '******' },
      }),
      expect.objectContaining({ action: 'user.create', after: { role: 'guest', isEnabled: 'true' } }),
    ]);
    expect(text + csv.text).not.toContain(LONG);
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(csv.text.split('\r\n')).toHaveLength(4);
  });
});
