/** Every route of the console refuses senseless requests, and never answers with a fault of its own. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DataSource } from 'typeorm';
import { RdbTraceStorage } from '../../lib/tracing/rdb/index.js';
import { Browser } from './support/browser.js';
import { ConsoleApp, SERVERS, USERS } from './support/console-app.js';
import { JobStage } from './support/job-stage.js';
import { allRoutes, type Route } from './support/routes.js';

const HUGE = 'x'.repeat(9_000);

/** Values of parameters of paths and queries. */
const TEXTS = [
  '1e300',
  '-1',
  '9'.repeat(15),
  '9'.repeat(400),
  '2026-99-99 99:99:99',
  '\0',
  '\ud800',
  '../..\'"<%',
  HUGE,
];

/** Values of the fields of bodies. */
const VALUES: readonly unknown[] = [
  1e300,
  -0.5,
  null,
  true,
  '\0',
  '1e300',
  HUGE.repeat(2),
  [null],
  { a: { b: 1 } },
  [[['x']]],
];

/** The fields of queries and bodies that routes read. */
const FIELDS = [
  ...[
    'from',
    'to',
    'at',
    'limit',
    'cursor',
    'count',
    'item',
    'bucket',
    'windowMs',
    'lang',
    'job',
    'ds',
    'ip',
    'source',
    'result',
  ],
  ...[
    'field',
    'prefix',
    'taskId',
    'state',
    'status',
    'q',
    'sort',
    'order',
    'masked',
    'action',
    'outcome',
    'username',
    'role',
  ],
  ...[
    'cron',
    'timeZone',
    'reason',
    'parameter',
    'items',
    'name',
    'days',
    'port',
    'serverIp',
    'namespace',
    'serverLists',
    'digest',
  ],
  ...['password', 'currentPassword', 'newPassword', 'driver', 'host', 'database', 'url', 'jobs', 'servers', 'dryRun'],
  ...[
    'page',
    'size',
    'per_page',
    'pageNumber',
    'pageSize',
    'startTime',
    'endTime',
    'jobName',
    'shardingTotalCount',
    'props',
  ],
  ...[
    'addressName',
    'zkAddressList',
    'olderThanDays',
    'instances',
    'enabled',
    'disabled',
    'model',
    'shardingItemParameters',
  ],
];

/** Fields that are asked for alone, and the texts. */
const HARDEST = ['from', 'to', 'at', 'count', 'item', 'bucket', 'startTime'];
const ALONE = ['1e300', '9'.repeat(15), '2026-99-99 99:99:99'];

const SENSIBLE = { jobName: 'orders', shardingTotalCount: 3, cron: '* * * * * ?', name: 'a' };

/** Routes that would end the session or the job of the other requests. */
const ENDS = /logout|\/sessions|\/remove|\/shutdown/;

describe('every route', () => {
  let app: ConsoleApp;
  let stage: JobStage;
  let database: DataSource;
  let token: string;

  beforeAll(async () => {
    stage = await JobStage.open();
    await stage.add('orders');
    database = await new DataSource({ type: 'sqljs' }).initialize();
    await new RdbTraceStorage(database).write([], new AbortController().signal);
    app = await ConsoleApp.start({
      console: {
        users: USERS,
        registries: [{ name: 'main', registryCenter: stage.console }],
        dataSources: [{ name: 'runs', dataSource: database }],
        compat: { unsafeGet: true },
      },
    });
    const browser = await Browser.loggedIn(app, 'anna');
    token = String(
      (await browser.post('/api/v1/auth/tokens', { name: 'script', role: 'admin', days: 1 })).json['token'],
    );
  });
  afterAll(async () => {
    await app[Symbol.asyncDispose]();
    await stage[Symbol.asyncDispose]();
    await database.destroy();
  });

  /** @returns what is wrong with the answer */
  async function call({ method, path }: Route, query: string, body?: unknown): Promise<string[]> {
    const controller = new AbortController();
    const response = await fetch(`${app.origin}/elasticjob${path}${query}`, {
      method,
      redirect: 'manual',
      signal: controller.signal,
      headers: { 'access-token': token, 'content-type': 'application/json', 'if-match': '"0"' },
      ...(method !== 'GET' && { body: typeof body === 'string' ? body : JSON.stringify(body ?? {}) }),
    });
    controller.abort();
    // 502 to 504 are faults of others: a registry centre that is named and not there.
    return response.status === 500 || response.status === 501
      ? [`${method} ${path}${query} ${JSON.stringify(body)?.slice(0, 200)}`]
      : [];
  }

  const withNames = (path: string, other: string): string =>
    path
      .replace(':registry', 'main')
      .replace(':job', 'orders')
      .replaceAll(/:\w+/g, encodeURIComponent(toWellFormed(other)));

  const routes = allRoutes().filter(({ path }) => !ENDS.test(path));

  test('answers hostile queries and paths', async () => {
    const wrong: string[] = [];
    for (const route of routes.filter(({ method }) => method === 'GET'))
      for (const text of TEXTS) {
        const query = new URLSearchParams(FIELDS.map((field): [string, string] => [field, toWellFormed(text)]));
        const ask = async (path: string, query: string): Promise<void> =>
          void wrong.push(...(await call({ ...route, path }, query)));
        await ask(withNames(route.path, text), '');
        // One field at a time too, as the first wrong one is the answer.
        for (const field of HARDEST)
          if (ALONE.includes(text))
            await ask(withNames(route.path, 'nothing'), `?${field}=${encodeURIComponent(text)}`);
        await ask(withNames(route.path, 'nothing'), `?${query.toString()}`);
      }

    expect(wrong).toEqual([]);
    expect(app.log.filter((line) => /^error/i.test(line))).toEqual([]);
  });

  test('answers hostile bodies', async () => {
    const wrong: string[] = [];
    for (const route of routes.filter(({ method }) => method !== 'GET')) {
      const path = withNames(route.path, 'nothing');
      const ask = async (body: unknown): Promise<void> =>
        void wrong.push(...(await call({ ...route, path }, '', body)));
      for (const value of VALUES) {
        const all = Object.fromEntries(FIELDS.map((field) => [field, value]));
        await ask(all);
        for (const field of ['cron', 'items', 'props', 'name'])
          if (value === 1e300 || Array.isArray(value)) await ask({ ...SENSIBLE, [field]: value });
      }
      for (const body of [[], '"text"', 7, nested(5_000)]) await ask(body);
    }

    expect(wrong).toEqual([]);
    expect(app.log.filter((line) => /^error/i.test(line))).toEqual([]);
  });
});

function nested(depth: number): string {
  return `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
}

/** Halves of characters cannot be sent in an address. */
function toWellFormed(text: string): string {
  return text.replaceAll(/[\ud800-\udfff]/g, '\ufffd');
}

test('a preview of a time that no calendar has names the field', async () => {
  await using app = await ConsoleApp.start();
  const browser = await Browser.loggedIn(app, 'gina');

  const { json } = await browser.post('/api/v1/cron/preview', { cron: '0 0 2 * * ?', from: 1e300 });

  expect(json).toMatchObject({ status: 422, problems: [{ setting: 'from' }] });
});

test('a text that is too long is refused, with the name of the field, its length and the limit', async () => {
  await using app = await ConsoleApp.start();
  const browser = await Browser.loggedIn(app, 'anna');

  const inBody = await browser.post('/api/v1/cron/preview', { cron: '*', timeZone: 'x'.repeat(10_001) });
  const inQuery = await browser.get(`/api/v1/audit?target=${HUGE}`);

  expect(inBody.json).toMatchObject({ status: 422, detail: 'timeZone has 10001 characters, and may have 10000.' });
  expect(inQuery.json).toMatchObject({ status: 422, code: 'too-long' });
});

test.each(SERVERS)('on %s, the settings of a job with thousands of item parameters are stored', async (server) => {
  await using stage = await JobStage.open();
  await stage.add('orders', { shardingTotalCount: 10_000 });
  await using app = await ConsoleApp.start({
    server,
    console: { users: USERS, registries: [{ name: 'main', registryCenter: stage.console }] },
  });
  const browser = await Browser.loggedIn(app, 'anna');
  const path = '/api/v1/registries/main/jobs/orders/config';
  const { configuration } = (await browser.get(path)).json as { configuration: object };
  const shardingItemParameters = Array.from({ length: 10_000 }, (_, item) => `${item}=region ${item}`).join(',');
  const put = (body: unknown) => browser.request(path, { method: 'PUT', body, headers: { 'if-match': '"0"' } });

  const tooMany = await put({ ...configuration, shardingItemParameters: shardingItemParameters.repeat(16) });
  const broken = await put('{"jobName": "x');
  const stored = await put({ ...configuration, shardingItemParameters });

  expect(tooMany.status).toBe(413);
  expect(broken.json).toMatchObject({ status: 400, code: 'bad-request' });
  expect(stored.json).toMatchObject({ version: 1 });
  expect(await stage.instances.get('/orders/config')).toContain('9999=region 9999');
});

test('guests cannot have settings checked', async () => {
  await using app = await ConsoleApp.start();
  const browser = await Browser.loggedIn(app, 'gina');

  const { json } = await browser.post('/api/v1/registries/main/jobs/orders/config/validate', {});

  expect(json).toMatchObject({ status: 403, code: 'not-permitted' });
});
