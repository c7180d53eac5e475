/** Guessing of passwords is slowed down, and other users are not. */
import { describe, expect, test } from '@jest/globals';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { type Answer, Browser, send } from './support/browser.js';
import { ConsoleApp, PASSWORDS, SERVERS, USERS } from './support/console-app.js';

const WRONG = 'wrong wrong wrong';
const MINUTE = 60_000;

function guess(app: ConsoleApp, username: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  return new Browser(app).post('/api/v1/auth/login', { username, password: WRONG }, headers);
}

function basic(app: ConsoleApp, username: string, password: string): Promise<Answer> {
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  return send(`${app.origin}/elasticjob/api/data-source`, { headers: { authorization } });
}

async function recordsOf(app: ConsoleApp, query: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { json } = await (await Browser.loggedIn(app, 'anna')).get(`/api/v1/audit?${query}`);
  return json['items'] as readonly Readonly<Record<string, unknown>>[];
}

/** Quick hashes: users of low costs, and names that there are, so that no check takes long. */
async function lockOut(app: ConsoleApp, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  const names = Object.keys(PASSWORDS);
  for (let attempt = 0; attempt < 15; attempt++) await guess(app, names[attempt % 3] ?? '', headers);
}

describe.each(SERVERS)('a browser in which a user has logged in before, on %s,', (server) => {
  test('is known by a signed cookie, and strangers at the same address do not keep the user out', async () => {
    await using app = await ConsoleApp.start({ server });
    const [known, stranger] = [await Browser.loggedIn(app, 'anna'), new Browser(app)];
    await known.post('/api/v1/auth/logout');
    await lockOut(app);

    expect((await stranger.login('anna', PASSWORDS.anna)).json).toMatchObject({ code: 'too-many-attempts' });
    expect((await known.login('anna', PASSWORDS.anna)).status).toBe(204);
  });
});

describe('the cookie of a known browser', () => {
  test('outlives the session, and scripts of pages cannot read it', async () => {
    await using app = await ConsoleApp.start();

    const cookies = (await new Browser(app).login('anna', PASSWORDS.anna)).headers.getSetCookie();

    expect(cookies).toEqual([
      expect.stringMatching(/^ejc=/),
      expect.stringMatching(/^ejc-device=[\w-]+\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=15552000$/),
    ]);
  });

  test('is of the user who has logged in alone, who has five attempts there', async () => {
    await using app = await ConsoleApp.start();
    const browser = await Browser.loggedIn(app, 'gina');
    const device = browser.cookies.get('ejc-device') ?? '';
    await lockOut(app);
    const withCookie = (username: string, password: string): Promise<Answer> =>
      new Browser(app).post('/api/v1/auth/login', { username, password }, { cookie: `ejc-device=${device}` });

    expect((await withCookie('anna', PASSWORDS.anna)).status).toBe(429);
    for (let attempt = 0; attempt < 5; attempt++) expect((await withCookie('gina', WRONG)).status).toBe(401);
    expect((await withCookie('gina', WRONG)).status).toBe(429);
  });

  test('that nobody has signed helps nobody', async () => {
    await using app = await ConsoleApp.start();
    const device = (await Browser.loggedIn(app, 'anna')).cookies.get('ejc-device') ?? '';
    await lockOut(app);
    const made = Buffer.from(JSON.stringify({ id: 'x', users: ['anna'] })).toString('base64url');

    for (const cookie of [`${made}.${device.split('.')[1]}`, made, `${made}.`, 'x'])
      expect(
        (
          await new Browser(app).post(
            '/api/v1/auth/login',
            { username: 'anna', password: PASSWORDS.anna },
            { cookie: `ejc-device=${cookie}` },
          )
        ).status,
      ).toBe(429);
  });
});

test('who is logged in proves the old password, whoever guesses it at the same address', async () => {
  await using app = await ConsoleApp.start();
  const browser = await Browser.loggedIn(app, 'gina');
  browser.cookies.delete('ejc-device');
  await lockOut(app);

  const answer = await browser.post('/api/v1/auth/password', { old: PASSWORDS.gina, new: 'another long word' });

  // It was right: what refuses the change is that the settings have this user.
  expect(answer.json).toMatchObject({ status: 409, code: 'user-of-settings' });
});

describe('clients of a proxy that nobody has named', () => {
  test('are told apart by what it says, and the log says once that it should be named', async () => {
    await using app = await ConsoleApp.start();
    const stranger = { 'x-forwarded-for': '203.0.113.9' };
    await lockOut(app, stranger);

    const body = { username: 'anna', password: PASSWORDS.anna };
    const same = await new Browser(app).post('/api/v1/auth/login', body, stranger);
    const other = await new Browser(app).post('/api/v1/auth/login', body, { 'x-forwarded-for': '198.51.100.7' });

    expect([same.status, other.status]).toEqual([429, 204]);
    expect(app.log.filter((line) => line.includes('trustedProxies'))).toEqual([
      expect.stringMatching(/^WARN A request came from 127\.0\.0\.1 with a header of proxies/),
    ]);
  });

  test('cannot guess without end by inventing what it says: a user has fifty attempts from all networks', async () => {
    const clock = new ManualClock();
    await using app = await ConsoleApp.start({ console: { users: USERS, clock } });
    const known = await Browser.loggedIn(app, 'anna');
    await clock.advance(MINUTE);
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 51; attempt++)
      statuses.push((await guess(app, 'anna', { 'x-forwarded-for': `2001:db8:${attempt}::1` })).status);

    expect(statuses).toEqual([...Array<number>(50).fill(401), 429]);
    expect((await known.login('anna', PASSWORDS.anna)).status).toBe(204);
    expect((await new Browser(app).login('otto', PASSWORDS.otto)).status).toBe(204);
  });
});

test('a network of IPv6 is one client, whichever of its addresses it uses', async () => {
  await using app = await ConsoleApp.start({ console: { users: USERS, trustedProxies: ['loopback'] } });
  const from = (ip: string): Promise<Answer> => guess(app, 'anna', { 'x-forwarded-for': ip });
  for (let attempt = 0; attempt < 5; attempt++) expect((await from(`2001:db8:1:2:${attempt}::1`)).status).toBe(401);

  expect((await from('2001:db8:1:2:ffff::1')).status).toBe(429);
  expect((await from('2001:db8:1:3::1')).status).toBe(401);
});

describe('HTTP Basic', () => {
  test('lets all of forty right requests pass that come at the same time, at the costs of real hashes', async () => {
    const passwordHash = '$scrypt$ln=17,r=8,p=1$6yqNqD687WdHKOY8niXfuQ$dTCvRNl8TitNNGVI7mK5nn+Q2Cr1Tg0hSk76jm9wWJQ';
    const users = [{ username: 'otto', role: 'operator', passwordHash } as const];
    await using app = await ConsoleApp.start({ console: { users: [...users, USERS[0]!] } });

    const answers = await Promise.all(Array.from({ length: 40 }, () => basic(app, 'otto', PASSWORDS.otto)));

    expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(200));
  });

  test('is remembered for a minute', async () => {
    const clock = new ManualClock();
    await using app = await ConsoleApp.start({ console: { users: USERS, clock } });
    expect((await basic(app, 'otto', PASSWORDS.otto)).status).toBe(200);
    for (let attempt = 0; attempt < 5; attempt++)
      expect((await basic(app, 'otto', `${WRONG} ${attempt}`)).status).toBe(401);

    const remembered = await basic(app, 'otto', PASSWORDS.otto);
    await clock.advance(MINUTE);
    for (let attempt = 0; attempt < 3; attempt++) await basic(app, 'otto', `${WRONG} again ${attempt}`);
    const forgotten = await basic(app, 'otto', PASSWORDS.otto);

    expect(remembered.status).toBe(200);
    expect(forgotten.status).toBe(429);
  });

  test('is not remembered beyond a change of the user', async () => {
    await using app = await ConsoleApp.start();
    const admin = await Browser.loggedIn(app, 'anna');
    await admin.post('/api/v1/users', { username: 'nora', role: 'guest', password: 'a long enough word' });
    expect((await basic(app, 'nora', 'a long enough word')).status).toBe(200);

    await admin.request('/api/v1/users/nora', { method: 'PUT', body: { isEnabled: false } });

    expect((await basic(app, 'nora', 'a long enough word')).status).toBe(401);
  });

  test('leaves a record of who logs in so, once an hour, and of each refusal with the name that was tried', async () => {
    const clock = new ManualClock();
    await using app = await ConsoleApp.start({ console: { users: USERS, clock } });
    for (let request = 0; request < 3; request++) await basic(app, 'otto', PASSWORDS.otto);
    await clock.advance(60 * MINUTE);
    await basic(app, 'otto', PASSWORDS.otto);
    await basic(app, 'otto', WRONG);
    await basic(app, 'nobody', WRONG);

    const ofOtto = await recordsOf(app, 'username=otto');
    const ofNobody = await recordsOf(app, 'username=nobody');
    const users = (await (await Browser.loggedIn(app, 'anna')).get('/api/v1/users')).json;

    // At one instant, refusals, which have a log of their own, stand in any order beside the others.
    const [refused, done] = ['refused', 'done'].map((outcome) => ofOtto.filter((record) => record.outcome === outcome));
    expect(ofOtto).toHaveLength(3);
    expect(refused).toEqual([expect.objectContaining({ action: 'auth.login', target: 'otto', error: 'login-failed' })]);
    expect(done).toEqual(
      Array<unknown>(2).fill(
        expect.objectContaining({ username: 'otto', role: 'operator', after: { by: 'HTTP Basic' } }),
      ),
    );
    expect(refused![0]).not.toHaveProperty('username');
    expect(ofNobody).toEqual([expect.objectContaining({ target: 'nobody', outcome: 'refused' })]);
    expect(users).toEqual(
      expect.arrayContaining([expect.objectContaining({ username: 'otto', lastLoginAt: clock.now() })]),
    );
  });
});

test('records of logins are found by the name of the user', async () => {
  await using app = await ConsoleApp.start();
  await Browser.loggedIn(app, 'gina');
  await guess(app, 'gina');

  expect(await recordsOf(app, 'username=gina')).toEqual([
    expect.objectContaining({ action: 'auth.login', target: 'gina', outcome: 'refused' }),
    expect.objectContaining({
      action: 'auth.login',
      username: 'gina',
      role: 'guest',
      provider: 'local',
      outcome: 'done',
    }),
  ]);
});
