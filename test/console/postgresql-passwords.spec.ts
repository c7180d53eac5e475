/** A PostgreSQL that is added in the page gets what was entered there, and no password of the console's machine. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test } from '@jest/globals';
import { Browser } from './support/browser.js';
import { ConsoleApp, USERS } from './support/console-app.js';

const OPEN = { users: USERS, secretKey: 'k'.repeat(32), connections: { allow: ['127.0.0.0/8'] } };
const VARIABLES = ['PGUSER', 'PGPASSWORD', 'PGPASSFILE'] as const;
const TARGETS = ['registries', 'data-sources'] as const;

const former = VARIABLES.map((name) => [name, process.env[name]] as const);
const folder = mkdtempSync(join(tmpdir(), 'elasticjob-pgpass-'));

beforeEach(() => {
  for (const name of VARIABLES) delete process.env[name];
});
afterEach(() => {
  for (const [name, value] of former)
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(TARGETS)('the variables of the process are not sent to one of the %s', async (target) => {
  await using server = await CuriousServer.start();
  Object.assign(process.env, { PGUSER: 'machine', PGPASSWORD: 'hush' });

  await server.isTriedAs(target, {});
  await server.isTriedAs(target, { username: 'jobs', password: '' });

  expect(server.received).toEqual([
    { user: 'none', password: 'none' },
    { user: 'jobs', password: 'none' },
  ]);
});

test.each(TARGETS)('the passwords of the file of libpq are not sent to one of the %s', async (target) => {
  await using server = await CuriousServer.start();
  const file = join(folder, 'passwords');
  writeFileSync(file, '*:*:*:*:hush\n', { mode: 0o600 });
  process.env['PGPASSFILE'] = file;

  await server.isTriedAs(target, {});

  expect(server.received).toEqual([{ user: 'none', password: 'none' }]);
});

test.each(TARGETS)('user and password that were entered are sent to one of the %s', async (target) => {
  await using server = await CuriousServer.start();

  await server.isTriedAs(target, { username: 'jobs', password: 'entered' });

  expect(server.received).toEqual([{ user: 'jobs', password: 'entered' }]);
});

interface Credentials {
  readonly username?: string;
  readonly password?: string;
}

/** Asks whoever connects for a password in clear text, notes it, and refuses it. */
class CuriousServer implements AsyncDisposable {
  readonly received: { readonly user: string | undefined; readonly password: string }[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((socket) => {
      let user: string | undefined;
      socket.on('error', () => undefined);
      socket.on('data', (data) => {
        // Messages are small, and the driver sends each alone.
        if (data.toString('latin1', 0, 1) !== 'p') {
          const words = data.toString('utf8', 8).split('\0');
          user = words[words.indexOf('user') + 1];
          socket.write(message('R', Buffer.from([0, 0, 0, 3])));
        } else {
          this.received.push({ user, password: data.toString('utf8', 5, data.length - 1) });
          socket.end(message('E', Buffer.from('SFATAL\0C28P01\0Mpassword authentication failed\0\0')));
        }
      });
    });
  }

  static async start(): Promise<CuriousServer> {
    const server = new CuriousServer();
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  /** Has an administrator of a console try this server. */
  async isTriedAs(target: (typeof TARGETS)[number], credentials: Credentials): Promise<void> {
    await using app = await ConsoleApp.start({ console: OPEN });
    const browser = await Browser.loggedIn(app, 'anna');
    const { port } = this.#server.address() as AddressInfo;
    const place =
      target === 'registries'
        ? { serverLists: `postgres://127.0.0.1:${port}/jobs`, namespace: 'orders' }
        : { driver: 'postgres', host: '127.0.0.1', port, database: 'jobs', ...credentials };
    const isUser = target === 'registries' && credentials.username !== undefined;
    const body = { name: 'mine', ...place, ...(isUser && { credentials }) };

    await browser.post(`/api/v1/${target}/test`, body);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** A message of PostgreSQL's protocol. */
function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}
