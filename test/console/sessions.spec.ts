import { describe, expect, test } from '@jest/globals';
import { Controller, Get, Inject, Module, type DynamicModule } from '@nestjs/common';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { Sessions } from '../../lib/console/security/sessions/sessions.js';
import { Browser, send } from './support/browser.js';
import { ConsoleApp, PASSWORDS, SERVERS, USERS } from './support/console-app.js';

const MINUTE = 60_000;
const SESSION = '/api/v1/auth/session';

describe.each(SERVERS)('a session on %s', (server) => {
  test('is kept in a cookie that scripts of pages cannot read, and other sites do not send along', async () => {
    await using app = await ConsoleApp.start({ server });

    const answer = await new Browser(app).login('anna', PASSWORDS.anna);

    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^ejc=[\w-]{43}\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/),
      expect.stringMatching(/^ejc-device=/),
    ]);
  });

  test('is kept in a cookie of this host alone if the browser comes by TLS', async () => {
    await using app = await ConsoleApp.start({ server, console: { users: USERS, trustedProxies: ['loopback'] } });
    const browser = new Browser(app);
    const byTls = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'ops.example.com' };

    const body = { username: 'anna', password: PASSWORDS.anna };
    const answer = await browser.post('/api/v1/auth/login', body, byTls);

    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-ejc=[\w-]{43}\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/),
      expect.stringMatching(/^__Host-ejc-device=.*; HttpOnly; SameSite=Lax; Secure; Max-Age=\d+$/),
    ]);
    expect((await browser.get(SESSION, byTls)).status).toBe(200);
    expect((await browser.get(SESSION)).status).toBe(401);
  });
});

test('headers of a proxy that is not trusted change nothing', async () => {
  await using app = await ConsoleApp.start();

  const answer = await new Browser(app).post(
    '/api/v1/auth/login',
    { username: 'anna', password: PASSWORDS.anna },
    { 'x-forwarded-proto': 'https', 'x-forwarded-for': '10.9.9.9' },
  );
  const browser = await Browser.loggedIn(app, 'anna');
  const { json } = await browser.get('/api/v1/sessions');

  expect(answer.headers.getSetCookie()[0]).toMatch(/^ejc=/);
  expect((json as unknown as readonly object[]).map((session) => session)).toEqual([
    expect.objectContaining({ ip: '127.0.0.1' }),
    expect.objectContaining({ ip: '127.0.0.1' }),
  ]);
});

test('a login gives a new session, and the former one of the browser ends', async () => {
  await using app = await ConsoleApp.start();
  const browser = await Browser.loggedIn(app, 'gina');
  const former = browser.cookies.get('ejc') ?? '';

  await browser.login('anna', PASSWORDS.anna);

  expect(browser.cookies.get('ejc')).not.toBe(former);
  const answer = await send(`${app.origin}/elasticjob${SESSION}`, { headers: { cookie: `ejc=${former}` } });
  expect(answer.status).toBe(401);
});

test('a cookie that somebody has made up, or that another key has signed, is of no session', async () => {
  await using app = await ConsoleApp.start();
  const { origin } = app;
  const browser = await Browser.loggedIn(app, 'anna');
  const [id = '', signature = ''] = (browser.cookies.get('ejc') ?? '').split('.');
  const turned = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`;

  for (const cookie of [
    'ejc=known',
    `ejc=${id}`,
    `ejc=${id}.`,
    `ejc=${id}.${turned}`,
    `ejc=${id}.${signature}; ejc=x.y`,
  ]) {
    expect((await send(`${origin}/elasticjob${SESSION}`, { headers: { cookie } })).status).toBe(401);
  }
});

test('a session ends after 30 minutes without a request, and after 12 hours in any case', async () => {
  const clock = new ManualClock();
  await using app = await ConsoleApp.start({ console: { users: USERS, clock } });
  const idle = await Browser.loggedIn(app, 'gina');
  const busy = await Browser.loggedIn(app, 'otto');

  await clock.advance(29 * MINUTE);
  expect((await busy.get(SESSION)).status).toBe(200);
  await clock.advance(MINUTE);
  expect((await idle.get(SESSION)).status).toBe(401);
  for (let minutes = 30; minutes < 12 * 60; minutes += 15) {
    expect((await busy.get(SESSION)).status).toBe(200);
    await clock.advance(15 * MINUTE);
  }
  expect((await busy.get(SESSION)).status).toBe(401);
});

test('an administrator ends the session of another at once, together with its open streams', async () => {
  await using app = await ConsoleApp.start();
  const admin = await Browser.loggedIn(app, 'anna');
  const guest = await Browser.loggedIn(app, 'gina');
  const used = app.nest.get(Sessions, { strict: false }).use(guest.cookies.get('ejc') ?? '');
  const listed = (await admin.get('/api/v1/sessions')).json as unknown as readonly {
    readonly id: string;
    readonly username: string;
    readonly isOwn: boolean;
  }[];

  expect(listed.map(({ username, isOwn }) => [username, isOwn])).toEqual(
    expect.arrayContaining([
      ['anna', true],
      ['gina', false],
    ]),
  );
  const { id = '' } = listed.find(({ username }) => username === 'gina') ?? {};
  expect(used?.ended.aborted).toBe(false);
  expect((await admin.request(`/api/v1/sessions/${id}`, { method: 'DELETE', body: {} })).status).toBe(204);

  expect(used?.ended.aborted).toBe(true);
  expect((await guest.get(SESSION)).status).toBe(401);
  expect((await admin.request(`/api/v1/sessions/${id}`, { method: 'DELETE', body: {} })).json).toMatchObject({
    status: 404,
    code: 'unknown-session',
  });
});

test('a stream whose session is over in time ends without a request', async () => {
  const clock = new ManualClock();
  await using app = await ConsoleApp.start({ console: { users: USERS, clock } });
  const guest = await Browser.loggedIn(app, 'gina');
  const used = app.nest.get(Sessions, { strict: false }).use(guest.cookies.get('ejc') ?? '');

  await clock.advance(31 * MINUTE);

  expect(used?.ended.aborted).toBe(true);
});

test('who changes the password stays logged in, everywhere else the user is logged out', async () => {
  await using app = await ConsoleApp.start();
  const admin = await Browser.loggedIn(app, 'anna');
  await admin.post('/api/v1/users', { username: 'nora', role: 'guest', password: 'a long enough word' });
  const [here, there] = [new Browser(app), new Browser(app)];
  for (const browser of [here, there]) await browser.login('nora', 'a long enough word');

  const wrong = await here.post('/api/v1/auth/password', { old: 'not the password', new: 'another long word' });
  const right = await here.post('/api/v1/auth/password', { old: 'a long enough word', new: 'another long word' });

  expect(wrong.json).toMatchObject({ status: 403, code: 'wrong-password' });
  expect(right.status).toBe(204);
  expect((await here.get(SESSION)).status).toBe(200);
  expect((await there.get(SESSION)).status).toBe(401);
  expect((await there.login('nora', 'another long word')).status).toBe(204);
});

/** A route of the application itself, beside the console. */
@Controller('elasticjob-own')
class OwnController {
  constructor(@Inject('GREETING') private readonly greeting: string) {}

  @Get()
  hello(): string {
    return this.greeting;
  }
}

@Module({})
class OwnModule {
  static create(): DynamicModule {
    return { module: OwnModule, controllers: [OwnController], providers: [{ provide: 'GREETING', useValue: 'hello' }] };
  }
}

test.each(SERVERS)('routes of the application itself stay as they are on %s', async (server) => {
  await using app = await ConsoleApp.start({ server, imports: [OwnModule.create()] });

  const answer = await send(`${app.origin}/elasticjob-own`, { headers: { accept: 'text/html' } });

  expect(answer.text).toBe('hello');
  expect(answer.headers.get('content-security-policy')).toBeNull();
});
