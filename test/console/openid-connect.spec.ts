import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type ElasticJobConsoleOptions } from '../../lib/console/options/console-options.js';
import { type OidcSettings } from '../../lib/console/options/oidc-settings.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { type OidcAccount } from '../../lib/console/contract/session.js';
import { ApiTokens } from '../../lib/console/security/users/api-tokens.js';
import { type Answer, Browser, send } from './support/browser.js';
import { ConsoleApp, USERS } from './support/console-app.js';
import { IdentityProvider } from './support/identity-provider.js';
import { sharedConsole } from './support/shared-console.js';

const START = '/api/v1/auth/oidc/company/start';
const SESSION = '/api/v1/auth/session';
const PUBLIC_URL = 'http://ops.example.com/elasticjob';

let provider: IdentityProvider;
beforeAll(async () => {
  provider = await IdentityProvider.start();
});
afterAll(() => provider[Symbol.asyncDispose]());
beforeEach(() => {
  provider.next = {};
});

function optionsWith(more: Partial<OidcSettings> = {}): ElasticJobConsoleOptions {
  const company: OidcSettings = {
    ...{ name: 'company', title: 'The company', issuer: provider.issuer },
    ...{ clientId: 'console', clientSecret: 'the secret of the console' },
    roles: [
      { claim: 'groups', value: 'operators', role: 'operator' },
      { claim: 'realm.roles', value: 'root', role: 'admin' },
    ],
    ...more,
  };
  return { users: USERS, publicUrl: PUBLIC_URL, oidc: [company] };
}

/** Begins a login in a browser, confirms it at the provider, and comes back. */
async function logIn(
  browser: Browser,
  change: (back: URL) => void = () => undefined,
  returnTo = '/jobs',
): Promise<Answer> {
  const started = await browser.get(`${START}?returnTo=${encodeURIComponent(returnTo)}`);
  expect(started.status).toBe(302);
  const back = provider.confirm(started.headers.get('location') ?? '');
  change(back);
  return browser.get(back.pathname.replace('/elasticjob', '') + back.search, { 'sec-fetch-site': 'cross-site' });
}

describe('a login by OpenID Connect', () => {
  /** For logins that leave nothing behind that another one sees. */
  const shared = sharedConsole(() => ({ console: optionsWith() }));

  test('begins with state, nonce and PKCE in a cookie, and ends where the user wanted to be', async () => {
    await using app = await ConsoleApp.start({ console: optionsWith() });
    const browser = new Browser(app);

    const started = await browser.get(`${START}?returnTo=/jobs`);
    const asked = new URL(started.headers.get('location') ?? '');
    const answer = await logIn(browser, undefined, '/jobs/a%20b?tab=runs');

    expect(asked.origin).toBe(provider.issuer);
    expect(Object.fromEntries(asked.searchParams)).toMatchObject({
      client_id: 'console',
      response_type: 'code',
      redirect_uri: `${PUBLIC_URL}/api/v1/auth/oidc/company/callback`,
      code_challenge_method: 'S256',
      scope: 'openid profile email',
      state: expect.stringMatching(/^.{43}$/),
      nonce: expect.stringMatching(/^.{43}$/),
    });
    expect(started.headers.getSetCookie()).toEqual([expect.stringMatching(/^ejc-oidc=.*; HttpOnly; SameSite=Lax$/)]);
    expect(answer.status).toBe(302);
    expect(answer.headers.get('location')).toBe('/elasticjob/jobs/a%20b?tab=runs');
    expect([...browser.cookies.keys()]).toEqual(['ejc']);
    expect((await browser.get(SESSION)).json).toMatchObject({ username: 'nora', role: 'guest', provider: 'company' });
    expect((await browser.get('/api/v1/auth/providers')).json).toEqual({
      isSetupNeeded: false,
      local: true,
      oidc: [{ name: 'company', title: 'The company' }],
    });
  });

  test.each([
    ['https://evil.example/', '/'],
    ['//evil.example/', '/'],
    ['/\\evil.example', '/'],
    ['/..//evil.example', '/'],
    ['javascript:alert(1)', '/'],
    ['/jobs\r\nset-cookie: a=b', '/'],
  ])('does not send the browser to %s', async (returnTo, path) => {
    const answer = await logIn(new Browser(shared()), undefined, returnTo);

    expect(answer.headers.get('location')).toBe(`/elasticjob${path}`);
  });

  test.each([
    ['no group', {}, 'guest'],
    ['a group', { groups: ['others', 'operators'] }, 'operator'],
    ['the strongest of several', { groups: ['operators'], realm: { roles: ['root'] } }, 'admin'],
    ['a claim that is one text', { groups: 'operators' }, 'operator'],
  ])('gives the role of %s', async (_, claims, role) => {
    provider.next = { claims };
    const browser = new Browser(shared());

    await logIn(browser);

    expect((await browser.get(SESSION)).json).toMatchObject({ role });
  });

  test.each([
    ['another nonce', { nonce: 'another' }],
    ['another audience', { aud: 'somebody else' }],
    ['another issuer', { iss: 'http://127.0.0.1:1' }],
    ['an expired token', { exp: 1_000_000_000 }],
  ])('is refused for %s', async (_, claims) => {
    provider.next = { claims };
    const browser = new Browser(shared());

    const answer = await logIn(browser);

    expect(answer.json).toMatchObject({ status: 401, code: 'login-refused' });
    expect(browser.cookies.size).toBe(0);
  });

  test('is refused for a token that the provider has not signed', async () => {
    provider.next = { signsWithOther: true };

    expect((await logIn(new Browser(shared()))).json).toMatchObject({ status: 401, code: 'login-refused' });
  });

  test('is refused for another state, and cannot be tried again with the right one', async () => {
    const browser = new Browser(shared());
    let right = '';

    const wrong = await logIn(browser, (back) => {
      right = back.search;
      back.searchParams.set('state', 'sharding');
    });
    const again = await browser.get(`/api/v1/auth/oidc/company/callback${right}`);

    expect(wrong.json).toMatchObject({ status: 401, code: 'login-refused' });
    expect(again.json).toMatchObject({ status: 401, code: 'login-refused' });
  });

  test('is refused in a browser that has not begun it, so that nobody is logged in as somebody else', async () => {
    const [attacker, victim] = [new Browser(shared()), new Browser(shared())];
    const started = await attacker.get(START);
    const { search } = provider.confirm(started.headers.get('location') ?? '');

    const answer = await victim.get(`/api/v1/auth/oidc/company/callback${search}`);

    expect(answer.json).toMatchObject({ status: 401, code: 'login-refused' });
    expect(victim.cookies.size).toBe(0);
  });

  test('is refused after ten minutes at the provider', async () => {
    const clock = new ManualClock();
    await using app = await ConsoleApp.start({ console: { ...optionsWith(), clock } });
    const browser = new Browser(app);
    const started = await browser.get(START);
    const { search } = provider.confirm(started.headers.get('location') ?? '');
    await clock.advance(600_000);

    const answer = await browser.get(`/api/v1/auth/oidc/company/callback${search}`);

    expect(answer.json).toMatchObject({ status: 401, code: 'login-refused' });
  });

  test('is refused for users without a required claim, or without a role where none is the default', async () => {
    await using app = await ConsoleApp.start({
      console: optionsWith({ requiredClaims: { owner: 'acme' }, defaultRole: 'none' }),
    });

    const stranger = await logIn(new Browser(app));
    provider.next = { claims: { owner: 'acme' } };
    const without = await logIn(new Browser(app));
    provider.next = { claims: { owner: 'acme', groups: ['operators'] } };
    const right = await logIn(new Browser(app));

    expect(stranger.json).toMatchObject({
      code: 'login-refused',
      detail: expect.stringContaining("'owner' is 'acme'"),
    });
    expect(without.json).toMatchObject({ code: 'login-refused' });
    expect(right.status).toBe(302);
  });

  test('says that the provider cannot be reached, and works once it can', async () => {
    await using app = await ConsoleApp.start({ console: optionsWith({ issuer: 'http://127.0.0.1:1' }) });

    const answer = await new Browser(app).get(START);
    const unknown = await new Browser(app).get('/api/v1/auth/oidc/nobody/start');

    expect(answer.json).toMatchObject({ status: 502, code: 'login-provider' });
    expect(app.log.join('\n')).toContain('Logins by The company do not work now');
    expect(unknown.json).toMatchObject({ status: 404, code: 'unknown-provider' });
  });

  test('is recorded with who it was', async () => {
    await using app = await ConsoleApp.start({ console: optionsWith() });
    await logIn(new Browser(app));
    const admin = await Browser.loggedIn(app, 'anna');

    const { json } = await admin.get('/api/v1/audit?action=auth.login');

    expect(json['items']).toEqual([
      expect.objectContaining({ target: 'anna' }),
      expect.objectContaining({
        ...{ username: 'nora@company', provider: 'company' },
        after: { username: 'nora', role: 'guest' },
      }),
    ]);
  });
});

test('an administrator of a provider makes the first set-up needless', async () => {
  await using app = await ConsoleApp.start({ console: { ...optionsWith(), users: [] } });

  expect((await new Browser(app).get('/api/v1/auth/providers')).json).toMatchObject({ isSetupNeeded: false });
  expect(app.log.join('\n')).not.toContain('administrator');
});

describe('a user of a provider', () => {
  const tokensOf = async (browser: Browser): Promise<readonly string[]> =>
    ((await browser.get('/api/v1/auth/tokens')).json as unknown as readonly { readonly name: string }[]).map(
      ({ name }) => name,
    );
  const createToken = async (browser: Browser, name: string, role = 'guest'): Promise<string> =>
    String((await browser.post('/api/v1/auth/tokens', { name, role, days: 9 })).json['token']);
  const use = (app: ConsoleApp, token: string): Promise<Answer> =>
    send(`${app.origin}/elasticjob${SESSION}`, { headers: { 'access-token': token } });
  const accountsOf = async (admin: Browser): Promise<readonly OidcAccount[]> =>
    (await admin.get('/api/v1/oidc-users')).json as unknown as readonly OidcAccount[];

  test('keeps the tokens under another name, and somebody else who takes the name has none of them', async () => {
    await using app = await ConsoleApp.start({ console: optionsWith() });
    const [nora, renamed, other] = [new Browser(app), new Browser(app), new Browser(app)];
    await logIn(nora);
    const token = await createToken(nora, "nora's");

    provider.next = { claims: { preferred_username: 'norah' } };
    await logIn(renamed);
    provider.next = { claims: { sub: '0815' } };
    await logIn(other);

    expect(await tokensOf(renamed)).toEqual(["nora's"]);
    expect(await tokensOf(other)).toEqual([]);
    expect((await use(app, token)).json).toMatchObject({ username: 'norah', provider: 'company' });
    expect((await accountsOf(await Browser.loggedIn(app, 'anna'))).map(({ username, sub }) => [username, sub])).toEqual(
      expect.arrayContaining([
        ['norah', '4711'],
        ['nora', '0815'],
      ]),
    );
  });

  test('no local user can take the name that records give to a user of a provider, the first administrator neither', async () => {
    const { oidc = [] } = optionsWith();
    const operators = oidc.map((settings) => ({ ...settings, roles: settings.roles?.slice(0, 1) ?? [] }));
    await using app = await ConsoleApp.start({ console: { publicUrl: PUBLIC_URL, oidc: operators } });
    const [, code = ''] = /this code, which is valid for \d+ minutes: (\S+)/.exec(app.log.join('\n')) ?? [];

    const made = await new Browser(app).post('/api/v1/setup', {
      code,
      username: 'nora@company',
      password: 'a long enough word',
    });

    expect(made.json).toMatchObject({ status: 422, problems: [{ setting: 'username' }] });
  });

  test('who is blocked is out with all sessions and tokens, and does not come in again until that ends', async () => {
    await using app = await ConsoleApp.start({ console: optionsWith() });
    const nora = new Browser(app);
    await logIn(nora);
    const token = await createToken(nora, 'ci');
    const admin = await Browser.loggedIn(app, 'anna');
    const [account] = await accountsOf(admin);
    const block = (isBlocked: boolean): Promise<Answer> =>
      admin.request(`/api/v1/oidc-users/${account?.id}`, { method: 'PUT', body: { isBlocked } });

    expect((await block(true)).json).toMatchObject({ username: 'nora', issuer: provider.issuer, isBlocked: true });

    expect((await nora.get(SESSION)).status).toBe(401);
    expect((await use(app, token)).status).toBe(401);
    const refused = await logIn(nora);
    expect(refused.json).toMatchObject({ status: 401, code: 'login-refused' });
    await block(false);
    expect((await use(app, token)).status).toBe(401);
    expect((await logIn(nora)).status).toBe(302);
    expect((await admin.get('/api/v1/audit?action=user.update')).json['items']).toEqual([
      expect.objectContaining({ target: 'nora@company', after: { isBlocked: 'false' } }),
      expect.objectContaining({ target: 'nora@company', after: { isBlocked: 'true', revoked: '1 tokens' } }),
    ]);
  });

  test('whose role is another one at a login loses what was opened before', async () => {
    await using app = await ConsoleApp.start({ console: optionsWith() });
    const [before, after] = [new Browser(app), new Browser(app)];
    provider.next = { claims: { groups: 'operators' } };
    await logIn(before);
    const token = await createToken(before, 'ci', 'operator');

    provider.next = {};
    await logIn(after);

    expect((await before.get(SESSION)).status).toBe(401);
    expect((await use(app, token)).status).toBe(401);
    expect((await after.get(SESSION)).json).toMatchObject({ username: 'nora', role: 'guest' });
  });

  test('keeps the tokens that an earlier release has stored for the name alone', async () => {
    await using app = await ConsoleApp.start({ console: optionsWith() });
    const nora = new Browser(app);
    const { secret } = await app.nest.get(ApiTokens, { strict: false }).issue({
      account: { username: 'nora', provider: 'company' },
      name: 'old',
      role: 'guest',
      lifetimeMs: 1e9,
      keep: 'stored',
    });
    expect((await use(app, secret)).json).toMatchObject({ username: 'nora', role: 'guest' });

    await logIn(nora);

    expect(await tokensOf(nora)).toEqual(['old']);
    provider.next = { claims: { sub: '0815' } };
    const other = new Browser(app);
    await logIn(other);
    expect(await tokensOf(other)).toEqual([]);
    expect((await use(app, secret)).status).toBe(200);
  });

  test('of a provider that the settings no longer have can do nothing', async () => {
    await using app = await ConsoleApp.start({ console: optionsWith() });
    const { secret } = await app.nest.get(ApiTokens, { strict: false }).issue({
      account: { username: 'nora', provider: 'former' },
      name: 'old',
      role: 'admin',
      lifetimeMs: 1e9,
      keep: 'stored',
    });

    expect((await use(app, secret)).json).toMatchObject({ status: 401, code: 'wrong-token' });
  });

  test('never has the name of a local user in records, and no local user has one of that form', async () => {
    await using app = await ConsoleApp.start({ console: optionsWith() });
    provider.next = { claims: { preferred_username: 'anna' } };
    const oidcAnna = new Browser(app);
    await logIn(oidcAnna);
    await createToken(oidcAnna, 'ci');
    const admin = await Browser.loggedIn(app, 'anna');

    const created = (await admin.get('/api/v1/audit?action=token.create')).json['items'];
    const body = { username: 'Bert@company', role: 'guest', password: 'a long enough word' };
    const refused = await admin.post('/api/v1/users', body);
    const users = [...USERS, { ...USERS[0]!, username: 'otto@company' }];

    expect(created).toEqual([expect.objectContaining({ username: 'anna@company', provider: 'company' })]);
    expect(refused.json).toMatchObject({ status: 422, problems: [{ setting: 'username' }] });
    await expect(ConsoleApp.start({ console: { ...optionsWith(), users } })).rejects.toThrow(
      "console.users[3].username: must not end with '@' and the name of a provider of logins",
    );
  });
});
