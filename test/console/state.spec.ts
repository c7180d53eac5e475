import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type ElasticJobConsoleOptions } from '../../lib/console/options/console-options.js';
import { auditKey, verifyAudit } from '../../lib/console/security/audit/audit-folder.js';
import { MemoryConsoleStore } from '../../lib/console/store/memory-store.js';
import { until } from '../support/until.js';
import { Browser, send } from './support/browser.js';
import { ConsoleApp, PASSWORDS, USERS } from './support/console-app.js';

const SESSION = '/api/v1/auth/session';
const LONG = 'a long enough word';
const KEYS = ['the first key that signs, 32 characters', 'the second key that signs, 32 characters'];

/** A store whose writes of one document are slow. */
class HeldStore extends MemoryConsoleStore {
  isHeld = false;
  #name: string | undefined;
  #released: Promise<void> = Promise.resolve();

  /** Returns a function that lets the writes go on. */
  hold(name: string): () => void {
    let release = (): void => undefined;
    this.#name = name;
    this.#released = new Promise((resolve) => (release = resolve));
    return () => release();
  }

  override async write(name: string, value: unknown): Promise<void> {
    if (name === this.#name) {
      this.isHeld = true;
      await this.#released;
    }
    await super.write(name, value);
  }
}

let folder: string;
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'console-')), 'state');
});
afterEach(() => rm(join(folder, '..'), { recursive: true, force: true }));

const optionsWith = (more: ElasticJobConsoleOptions = {}): ElasticJobConsoleOptions => ({
  users: USERS,
  stateFolder: folder,
  ...more,
});

describe('a console with a state folder', () => {
  test('keeps users, tokens and the audit beyond its end, in files that others cannot read', async () => {
    let token: string;
    {
      await using app = await ConsoleApp.start({ console: optionsWith() });
      const browser = await Browser.loggedIn(app, 'anna');
      await browser.post('/api/v1/users', { username: 'nora', role: 'operator', password: LONG });
      token = String((await browser.post('/api/v1/auth/tokens', { name: 'ci', role: 'guest', days: 1 })).json['token']);
    }

    await using app = await ConsoleApp.start({ console: optionsWith() });
    const headers = { 'access-token': token };

    expect((await new Browser(app).login('nora', LONG)).status).toBe(204);
    expect((await send(`${app.origin}/elasticjob${SESSION}`, { headers })).status).toBe(200);
    const browser = await Browser.loggedIn(app, 'anna');
    expect((await browser.get('/api/v1/audit?action=user.create')).json['items']).toHaveLength(1);
    let names: string[] = [];
    // That a token was used is written down in the background.
    await until(async () => (names = await readdir(folder)).every((name) => !name.endsWith('.new')));
    const modes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).mode & 0o777));
    expect(names.sort()).toEqual(['audit.jsonl', 'audit.key', 'settings-users.json', 'tokens.json', 'users.json']);
    expect(new Set(modes)).toEqual(new Set([0o600]));
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    const contents = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
    expect(contents.join('\n')).not.toMatch(new RegExp(`${LONG}|${token}|${PASSWORDS.anna}`));
  });

  test('takes others’ rights away from a folder that it finds', async () => {
    await mkdir(folder, { recursive: true });
    await chmod(folder, 0o755);

    await using app = await ConsoleApp.start({ console: optionsWith() });

    expect(app.log.filter((line) => line.startsWith('ERROR'))).toEqual([]);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  test('keeps logins beyond its end if it has keys for the cookies, also after a change of keys', async () => {
    let cookie: string;
    {
      await using app = await ConsoleApp.start({ console: optionsWith({ sessionKeys: KEYS.slice(0, 1) }) });
      cookie = `ejc=${(await Browser.loggedIn(app, 'gina')).cookies.get('ejc')}`;
    }
    {
      await using app = await ConsoleApp.start({ console: optionsWith({ sessionKeys: KEYS.toReversed() }) });
      expect((await send(`${app.origin}/elasticjob${SESSION}`, { headers: { cookie } })).json).toMatchObject({
        username: 'gina',
      });
    }
    await using app = await ConsoleApp.start({ console: optionsWith({ sessionKeys: KEYS.slice(1) }) });
    expect((await send(`${app.origin}/elasticjob${SESSION}`, { headers: { cookie } })).status).toBe(401);
    expect(await readFile(join(folder, 'sessions.json'), 'utf8')).not.toContain(cookie.slice(4, 47));
  });

  test('ends the logins of users whom the settings no longer have, or give another role', async () => {
    const keep = { sessionKeys: KEYS.slice(0, 1) };
    let cookies: readonly string[];
    {
      await using app = await ConsoleApp.start({ console: optionsWith(keep) });
      const browsers = [await Browser.loggedIn(app, 'otto'), await Browser.loggedIn(app, 'anna')];
      cookies = browsers.map((browser) => `ejc=${browser.cookies.get('ejc')}`);
    }
    const users = USERS.filter(({ username }) => username !== 'otto').map((user) => ({
      ...user,
      role: 'guest' as const,
    }));
    await using app = await ConsoleApp.start({
      console: optionsWith({ ...keep, users: [...users, { ...USERS[0]!, username: 'olga' }] }),
    });

    const answers = await Promise.all(
      cookies.map((cookie) => send(`${app.origin}/elasticjob${SESSION}`, { headers: { cookie } })),
    );

    expect(answers.map(({ status }) => status)).toEqual([401, 401]);
  });

  test('ends what a user of the settings has opened once the settings have another password or role, or had none', async () => {
    const [anna, otto, gina] = [USERS[0]!, USERS[1]!, USERS[2]!];
    const tokenAt = async (app: ConsoleApp, username: 'otto' | 'gina'): Promise<string> => {
      const browser = await Browser.loggedIn(app, username);
      return String((await browser.post('/api/v1/auth/tokens', { name: 'ci', role: 'guest', days: 9 })).json['token']);
    };
    const use = async (app: ConsoleApp, token: string): Promise<number> =>
      (await send(`${app.origin}/elasticjob${SESSION}`, { headers: { 'access-token': token } })).status;
    let tokens: readonly string[];
    {
      await using app = await ConsoleApp.start({ console: optionsWith() });
      tokens = [await tokenAt(app, 'otto'), await tokenAt(app, 'gina')];
    }
    {
      await using app = await ConsoleApp.start({ console: optionsWith() });
      expect([await use(app, tokens[0]!), await use(app, tokens[1]!)]).toEqual([200, 200]);
    }
    {
      const changed = { ...otto, passwordHash: anna.passwordHash! };
      await using app = await ConsoleApp.start({ console: optionsWith({ users: [anna, changed] }) });
      expect([await use(app, tokens[0]!), await use(app, tokens[1]!)]).toEqual([401, 401]);
    }
    await using app = await ConsoleApp.start({ console: optionsWith({ users: [anna, otto, gina] }) });
    expect([await use(app, tokens[0]!), await use(app, tokens[1]!)]).toEqual([401, 401]);
  });

  test('does not end before it has stored the last use of a token, so that no older list overwrites what comes after', async () => {
    const store = new HeldStore();
    const app = await ConsoleApp.start({ console: { users: USERS, store } });
    const browser = await Browser.loggedIn(app, 'otto');
    const asked = await browser.post('/api/v1/auth/tokens', { name: 'ci', role: 'guest', days: 9 });
    const release = store.hold('tokens');
    await send(`${app.origin}/elasticjob${SESSION}`, { headers: { 'access-token': String(asked.json['token']) } });
    let isOver = false;

    const over = app.nest.close().then(() => (isOver = true));
    await until(() => store.isHeld && !(app.nest.getHttpServer() as Server).listening);
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
    expect(isOver).toBe(false);
    release();
    await over;

    expect(JSON.stringify(await store.read('tokens'))).toContain('lastUsedAt');
  });

  test('knows the last login of a user of the settings beyond its end', async () => {
    {
      await using app = await ConsoleApp.start({ console: optionsWith() });
      await Browser.loggedIn(app, 'gina');
    }

    await using app = await ConsoleApp.start({ console: optionsWith() });
    const { json } = await (await Browser.loggedIn(app, 'anna')).get('/api/v1/users');

    expect(json).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ username: 'gina', lastLoginAt: expect.any(Number) }),
        expect.not.objectContaining({ username: 'otto', lastLoginAt: expect.any(Number) }),
      ]),
    );
  });

  test.each([
    ['users.json', '{ "version": 1, "value": [', 'is damaged'],
    ['users.json', '{ "version": 2, "value": [] }', 'is of version 2, and this console reads version 1'],
    ['users.json', '{ "version": 1, "value": [{ "username": "nora" }] }', 'it must be a list of users'],
    ['tokens.json', '{ "version": 1, "value": {} }', 'it must be a list of tokens'],
    ['audit.jsonl', 'nonsense\n', 'is damaged: it has no record of the audit'],
  ])(
    'does not start over a file %s that cannot be read (%s), and leaves it as it is',
    async (name, content, complaint) => {
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, name), content);

      const start = ConsoleApp.start({ console: optionsWith() });

      await expect(start).rejects.toThrow(complaint);
      await expect(start).rejects.toThrow('Nothing is overwritten');
      expect(await readFile(join(folder, name), 'utf8')).toBe(content);
    },
  );

  test('says which folder it cannot make', async () => {
    await writeFile(join(folder, '..', 'file'), '');

    const start = ConsoleApp.start({ console: optionsWith({ stateFolder: join(folder, '..', 'file', 'state') }) });

    await expect(start).rejects.toThrow(
      /^console\.stateFolder: '.+' must be a folder that this process may make and write/,
    );
  });

  test('chains the lines of the audit, also across its end, so that a change of one shows', async () => {
    for (let start = 0; start < 2; start++) {
      await using app = await ConsoleApp.start({ console: optionsWith() });
      await Browser.loggedIn(app, 'gina');
      await new Browser(app).login('gina', 'wrong wrong wrong');
    }

    const path = join(folder, 'audit.jsonl');
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
    const key = (await auditKey(folder))!;
    const before = [await verifyAudit(folder, 'audit', key), await verifyAudit(folder, 'refusals', key)];
    await writeFile(path, `${lines.with(1, (lines[1] ?? '').replace('gina', 'anna')).join('\n')}\n`);

    expect(before).toEqual([
      expect.objectContaining({ name: 'audit', records: 2 }),
      expect.objectContaining({ name: 'refusals', records: 2 }),
    ]);
    expect(before.filter(({ broken }) => broken !== undefined)).toEqual([]);
    expect((await verifyAudit(folder, 'audit', key)).broken).toMatchObject({ line: 2 });
  });

  test('takes the key of the audit from the settings, and then keeps none beside the records', async () => {
    const key = 'a key of the audit with many characters';
    {
      await using app = await ConsoleApp.start({ console: optionsWith({ audit: { key } }) });
      await Browser.loggedIn(app, 'gina');
    }

    expect((await readdir(folder)).sort()).toEqual(['audit.jsonl', 'settings-users.json']);
    expect(await verifyAudit(folder, 'audit', Buffer.from(key))).not.toHaveProperty('broken');
  });
});

describe('passwords that ElasticJob’s consoles were shipped with', () => {
  const shipped: ElasticJobConsoleOptions = { users: [{ username: 'root', role: 'admin', password: 'root' }] };
  const environment = process.env['NODE_ENV'];
  afterEach(() => {
    process.env['NODE_ENV'] = environment;
  });

  test('log in on this machine, loudly', async () => {
    await using app = await ConsoleApp.start({ console: shipped });

    expect((await new Browser(app).login('root', 'root')).status).toBe(204);
    expect(app.log.join('\n')).toContain("WARN The console lets user 'root' log in with the password that");
  });

  test.each(['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'])(
    'do not log in through a proxy: %s',
    async (header) => {
      await using app = await ConsoleApp.start({ console: shipped });

      const answer = await new Browser(app).post(
        '/api/v1/auth/login',
        { username: 'root', password: 'root' },
        { [header]: '10.0.0.1' },
      );

      expect(answer.json).toMatchObject({ status: 401, code: 'login-failed' });
    },
  );

  test('keep the application from starting in production', async () => {
    process.env['NODE_ENV'] = 'production';

    await expect(ConsoleApp.start({ console: shipped })).rejects.toThrow(
      "console.users: 'root' has the password that ElasticJob's consoles were shipped with, which everybody knows",
    );
  });

  test('are none for another user, whose password must have twelve characters', async () => {
    const start = ConsoleApp.start({ console: { users: [{ username: 'anna', role: 'admin', password: 'root' }] } });

    await expect(start).rejects.toThrow(
      'console.users[0].password: must have at least 12 characters, got a string that is not shown',
    );
  });
});
