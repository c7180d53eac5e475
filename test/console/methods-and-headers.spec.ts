import { describe, expect, test } from '@jest/globals';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { ConsoleStore } from '../../lib/console/store/console-store.js';
import { send } from './support/browser.js';
import { ConsoleApp, SERVERS, USERS } from './support/console-app.js';

/** A store that counts how often it is read. */
class CountedStore extends ConsoleStore {
  override readonly description = 'a store';
  override readonly isPersistent = true;
  reads = 0;
  isBroken = false;

  override read(): Promise<unknown> {
    this.reads++;
    return this.isBroken ? Promise.reject(new Error('no disk')) : Promise.resolve(undefined);
  }

  override write(): Promise<void> {
    return Promise.resolve();
  }
}

describe.each(SERVERS)('on %s', (server) => {
  test.each([
    ['OPTIONS', '/api/v1/auth/login', 'POST'],
    ['PATCH', '/api/v1/users/anna', 'DELETE, PUT'],
    ['PATCH', '/api/v1/users', 'GET, HEAD, POST'],
    ['OPTIONS', '/api/v1/users', 'GET, HEAD, POST'],
    ['DELETE', '/healthz', 'GET, HEAD'],
  ])('%s of %s says which methods there are', async (method, path, allow) => {
    await using app = await ConsoleApp.start({ server });

    const answer = await send(`${app.origin}/elasticjob${path}`, { method });

    expect(answer.json).toMatchObject({ status: 405, code: 'method-not-allowed' });
    expect(answer.headers.get('allow')).toBe(allow);
  });

  test('a path that there is not is unknown, by whatever method', async () => {
    await using app = await ConsoleApp.start({ server });

    for (const method of ['OPTIONS', 'PATCH', 'GET'])
      expect((await send(`${app.origin}/elasticjob/api/v1/nothing`, { method })).json).toMatchObject({ status: 404 });
  });

  test('every answer by TLS tells browsers to come by TLS only, and no other', async () => {
    await using app = await ConsoleApp.start({ server, console: { users: USERS, trustedProxies: ['loopback'] } });
    const paths = ['/api/v1/auth/providers', '/api/v1/users', '/api/v1/nothing', '/jobs', '/healthz'];
    const headersOf = async (headers: Readonly<Record<string, string>>): Promise<readonly unknown[]> =>
      Promise.all(
        paths.map(async (path) =>
          (await send(`${app.origin}/elasticjob${path}`, { headers })).headers.get('strict-transport-security'),
        ),
      );

    expect(await headersOf({ 'x-forwarded-proto': 'https' })).toEqual(Array(5).fill('max-age=31536000'));
    expect(await headersOf({})).toEqual(Array(5).fill(null));
  });
});

test('readyz reads the store once for all who ask within five seconds', async () => {
  const clock = new ManualClock();
  const store = new CountedStore();
  await using app = await ConsoleApp.start({ console: { users: USERS, clock, store } });
  const ready = async (): Promise<number> => (await send(`${app.origin}/elasticjob/readyz`)).status;
  const before = store.reads;

  const statuses = await Promise.all(Array.from({ length: 20 }, ready));
  store.isBroken = true;
  await clock.advance(4_999);
  statuses.push(await ready());
  expect([new Set(statuses), store.reads - before]).toEqual([new Set([200]), 1]);
  await clock.advance(1);
  expect([await ready(), await ready(), store.reads - before]).toEqual([503, 503, 2]);
});
