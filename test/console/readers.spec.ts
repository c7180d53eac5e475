import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { EmbeddedRegistryCenter } from '../../lib/registry/embedded/embedded-registry-center.js';
import { EmbeddedRegistryServer } from '../../lib/registry/embedded/embedded-registry-server.js';
import { type Mirror, type MirrorOptions } from '../../lib/registry/registry-center.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { until } from '../support/until.js';
import { Browser } from './support/browser.js';
import { ConsoleApp, SERVERS, USERS } from './support/console-app.js';
import { EventReader } from './support/event-reader.js';
import { JobStage, storeJob } from './support/job-stage.js';

const JOBS = '/api/v1/registries/main/jobs';
const MINUTE = 60_000;

/** An embedded registry centre that says how many mirrors of it are open. */
class CountedRegistryCenter extends EmbeddedRegistryCenter {
  open = 0;

  override async mirror(path: string, options?: MirrorOptions): Promise<Mirror> {
    const mirror = await super.mirror(path, options);
    this.open++;
    const close = mirror.close.bind(mirror);
    mirror.close = () => {
      this.open--;
      close();
    };
    return mirror;
  }
}

describe('a console in an application', () => {
  async function stage() {
    const clock = new ManualClock();
    const registryCenter = new CountedRegistryCenter({ server: new EmbeddedRegistryServer({ clock }) });
    const app = await ConsoleApp.start({
      console: { users: USERS, clock, registries: [{ name: 'main', registryCenter }] },
    });
    await until(() => registryCenter.session.state.phase === 'connected');
    await storeJob(registryCenter, 'orders', {});
    const close = async (): Promise<void> => {
      await app[Symbol.asyncDispose]();
      await registryCenter.close();
    };
    const browser = await Browser.loggedIn(app, 'gina');
    return { clock, registryCenter, app, browser, [Symbol.asyncDispose]: close };
  }

  test('follows no job until somebody reads, and again not five minutes after the last reader', async () => {
    await using at = await stage();
    expect(at.registryCenter.open).toBe(0);

    expect((await at.browser.get(JOBS)).json).toMatchObject({ total: 1 });
    expect(at.registryCenter.open).toBe(1);
    await at.clock.advance(4 * MINUTE);
    await at.browser.get(JOBS);
    await at.clock.advance(4 * MINUTE);
    expect(at.registryCenter.open).toBe(1);
    await at.clock.advance(2 * MINUTE);

    expect(at.registryCenter.open).toBe(0);
    await storeJob(at.registryCenter, 'bills', {});
    expect((await at.browser.get(JOBS)).json).toMatchObject({ total: 2 });
  });

  test('follows the jobs as long as a stream of events is open', async () => {
    await using at = await stage();
    const reader = new EventReader(at.app, at.browser, '/api/v1/registries/main/events');
    await reader.next('registry');
    await until(() => at.registryCenter.open === 1);

    await at.clock.advance(20 * MINUTE);
    expect(at.registryCenter.open).toBe(1);
    reader[Symbol.dispose]();
    await until(async () => {
      await at.clock.advance(MINUTE);
      return at.registryCenter.open === 0;
    });
  });

  test('follows them for a scrape of its metrics', async () => {
    await using at = await stage();

    const metrics = await at.browser.get('/metrics');

    expect(metrics.text).toContain('elasticjob_console_jobs{registry="main",status="CRASHED"} 1');
    expect(at.registryCenter.open).toBe(1);
  });
});

/** An answer as it came, with the encodings that the client takes. */
async function answerOf(app: ConsoleApp, browser: Browser, { path, accept }: { path: string; accept: string }) {
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const request = get(`${app.origin}/elasticjob${path}`, { headers: { cookie, 'accept-encoding': accept } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { headers: response.headers, status: response.statusCode, body: Buffer.concat(chunks) };
}

describe.each(SERVERS)('answers on %s', (server) => {
  test('are compressed where the client takes that, and are the same', async () => {
    await using jobs = await JobStage.open();
    await jobs.add('orders', { shardingTotalCount: 200 });
    const registries = [{ name: 'main', registryCenter: jobs.console }];
    await using app = await ConsoleApp.start({ server, console: { users: USERS, registries } });
    const browser = await Browser.loggedIn(app, 'gina');
    const path = `${JOBS}/orders/shards`;

    const plain = await answerOf(app, browser, { path, accept: 'identity' });
    const packed = await answerOf(app, browser, { path, accept: 'br;q=1.0, gzip;q=0.8' });
    const refused = await answerOf(app, browser, { path, accept: 'gzip;q=0' });
    const short = await answerOf(app, browser, { path: '/healthz', accept: 'gzip' });

    expect(packed.headers).toMatchObject({
      'content-encoding': 'gzip',
      vary: expect.stringContaining('accept-encoding'),
    });
    expect(gunzipSync(packed.body)).toEqual(plain.body);
    expect(packed.body.length * 5).toBeLessThan(plain.body.length);
    expect(plain.headers).not.toHaveProperty('content-encoding');
    expect(refused.headers).not.toHaveProperty('content-encoding');
    expect(short.headers).not.toHaveProperty('content-encoding');
    expect(short.status).toBe(200);
  });
});
