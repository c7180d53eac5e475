import { once } from 'node:events';
import { get } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { Deferred } from '../../lib/async/deferred.js';
import { EmbeddedRegistryCenter } from '../../lib/registry/embedded/embedded-registry-center.js';
import { EmbeddedRegistryServer } from '../../lib/registry/embedded/embedded-registry-server.js';
import { type Mirror, type MirrorOptions } from '../../lib/registry/registry-center.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { until } from '../support/until.js';
import { type Answer, Browser } from './support/browser.js';
import { ConsoleApp, SERVERS, USERS } from './support/console-app.js';
import { storeJob } from './support/job-stage.js';

const EXPLAIN = '/api/v1/registries/main/jobs/orders/explain';
const DUMP = '/api/v1/registries/main/jobs/orders/dump';

/** An embedded registry centre that keeps who reads a job's nodes waiting, once it is held. */
class HeldRegistryCenter extends EmbeddedRegistryCenter {
  waiting = 0;
  #held: Deferred | undefined;

  hold(): void {
    this.#held = new Deferred();
  }

  release(): void {
    this.#held?.resolve();
    this.#held = undefined;
  }

  override async mirror(path: string, options?: MirrorOptions): Promise<Mirror> {
    if (this.#held !== undefined && path === '/orders') {
      this.waiting++;
      await this.#held.promise;
      this.waiting--;
    }
    return super.mirror(path, options);
  }
}

async function stage(server: (typeof SERVERS)[number] = 'express') {
  const clock = new ManualClock();
  const registryCenter = new HeldRegistryCenter({ server: new EmbeddedRegistryServer({ clock }) });
  const app = await ConsoleApp.start({
    server,
    console: { users: USERS, clock, registries: [{ name: 'main', registryCenter }] },
  });
  await until(() => registryCenter.session.state.phase === 'connected');
  await storeJob(registryCenter, 'orders', {});
  const guest = await Browser.loggedIn(app, 'gina');
  registryCenter.hold();
  const close = async (): Promise<void> => {
    registryCenter.release();
    await app[Symbol.asyncDispose]();
    await registryCenter.close();
  };
  return { clock, registryCenter, app, guest, [Symbol.asyncDispose]: close };
}

const ask = (browser: Browser, count: number, path = DUMP): Promise<Answer>[] =>
  Array.from({ length: count }, () => browser.get(path));

describe.each(SERVERS)('costly requests of one user on %s', (server) => {
  test('are answered two at a time, in turn, while those of others are answered as well', async () => {
    await using at = await stage(server);
    const asked = ask(at.guest, 6);
    await until(() => at.registryCenter.waiting === 2, 'two requests of the guest to be carried out');
    const operator = await Browser.loggedIn(at.app, 'otto');
    asked.push(...ask(operator, 1));

    await until(() => at.registryCenter.waiting === 3, 'the request of the operator to be carried out');

    expect((await at.guest.get('/api/v1/auth/session')).status).toBe(200);
    at.registryCenter.release();
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(asked.map(() => 200));
  });

  test('are refused beyond what may wait, and say when to come again', async () => {
    await using at = await stage(server);
    const asked = ask(at.guest, 22);
    const refused = await Promise.race(ask(at.guest, 1).concat(asked));

    expect(refused.json).toMatchObject({ status: 429, code: 'too-many-requests' });
    expect(refused.headers.get('retry-after')).toBe('5');
    at.registryCenter.release();
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(21);
  });

  test('that have waited for fifteen seconds are refused', async () => {
    await using at = await stage(server);
    const first = ask(at.guest, 2);
    await until(() => at.registryCenter.waiting === 2, 'two requests to be carried out');
    const timers = at.clock.timers;
    const waiting = at.guest.get(EXPLAIN);
    await until(() => at.clock.timers > timers, 'the third one to wait');

    await at.clock.advance(15_000);

    expect((await waiting).json).toMatchObject({ status: 429, code: 'too-many-requests' });
    at.registryCenter.release();
    expect((await Promise.all(first)).map(({ status }) => status)).toEqual([200, 200]);
  });

  test('that nobody waits for any more give up their turn', async () => {
    await using at = await stage(server);
    const first = ask(at.guest, 2);
    await until(() => at.registryCenter.waiting === 2, 'two requests to be carried out');
    const timers = at.clock.timers;
    const cookie = [...at.guest.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const leaving = get(`${at.app.origin}/elasticjob${DUMP}`, { headers: { cookie }, agent: false });
    const left = once(leaving, 'error');
    await until(() => at.clock.timers > timers, 'the third one to wait');

    leaving.destroy(new Error('left'));

    await left;
    await until(() => at.clock.timers === timers, 'the third one to have given up');
    at.registryCenter.release();
    await Promise.all(first);
  });
});
