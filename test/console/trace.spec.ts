import { expect, test } from '@jest/globals';
import { DataSource } from 'typeorm';
import { RdbTraceStorage } from '../../lib/tracing/rdb/rdb-trace-storage.js';
import { completed, started, status } from '../support/trace-events.js';
import { Browser } from './support/browser.js';
import { ConsoleApp, USERS } from './support/console-app.js';
import { JobStage } from './support/job-stage.js';

const TRACE = '/api/v1/trace';
const { signal } = new AbortController();
const START = new Date(2030, 0, 31, 12).getTime();
const at = (seconds: number): Date => new Date(START + seconds * 1_000);

interface Stage extends AsyncDisposable {
  readonly database: DataSource;
  readonly app: ConsoleApp;
  readonly browser: Browser;
}

/** Two firings of two items, the second one with a failure and a running item, and one of another job. */
async function open(options: { readonly isEmpty?: boolean } = {}): Promise<Stage> {
  const database = await new DataSource({ type: 'sqljs' }).initialize();
  if (options.isEmpty !== true) {
    await new RdbTraceStorage(database).write(
      [
        completed('a0', { startTime: at(0), completeTime: at(1), shardingItem: 0 }),
        completed('a1', { startTime: at(1), completeTime: at(4), shardingItem: 1 }),
        completed('b0', {
          startTime: at(300),
          completeTime: at(302),
          shardingItem: 0,
          failureCause: '=cmd("x"),\nat line 2',
          ip: '10.0.0.2',
        }),
        started('b1', { startTime: at(300), shardingItem: 1 }),
        completed('c0', { jobName: 'bills', startTime: at(10), completeTime: at(11) }),
        status('s1', { creationTime: at(0) }),
      ],
      signal,
    );
  }
  const app = await ConsoleApp.start({
    console: { users: USERS, dataSources: [{ name: 'runs', dataSource: database }] },
  });
  const close = async (): Promise<void> => {
    await app[Symbol.asyncDispose]();
    await database.destroy();
  };
  return { database, app, browser: await Browser.loggedIn(app, 'anna'), [Symbol.asyncDispose]: close };
}

test('executions are filtered and paged, the latest first, and what runs is no failure', async () => {
  await using stage = await open();
  const ids = async (query: string) =>
    ((await stage.browser.get(`${TRACE}/executions?${query}`)).json['items'] as { id: string }[]).map(({ id }) => id);

  expect((await ids('job=orders')).sort()).toEqual(['a0', 'a1', 'b0', 'b1']);
  expect(await ids('job=orders&result=running')).toEqual(['b1']);
  expect(await ids('result=failed')).toEqual(['b0']);
  expect(await ids('ip=10.0.0.2')).toEqual(['b0']);
  expect((await ids(`item=1&to=${at(200).getTime()}`)).sort()).toEqual(['a1']);
  const first = await stage.browser.get(`${TRACE}/executions?job=orders&limit=3`);
  const rest = await ids(`job=orders&limit=3&cursor=${first.json['nextCursor'] as string}`);
  expect(rest).toEqual(['a0']);
  expect((await stage.browser.get(`${TRACE}/executions/b0`)).json).toMatchObject({
    result: 'failed',
    durationMs: 2_000,
    failure: '=cmd("x"),',
    failureCause: '=cmd("x"),\nat line 2',
  });
  expect((await stage.browser.get(`${TRACE}/executions/none`)).json).toMatchObject({
    status: 404,
    code: 'unknown-execution',
  });
  expect((await stage.browser.get(`${TRACE}/statuses?job=orders`)).json['items']).toMatchObject([
    { id: 's1', state: 'TASK_RUNNING', shardingItems: '[0, 1]' },
  ]);
});

test('executions of one firing stand together', async () => {
  await using stage = await open();

  const { items } = (await stage.browser.get(`${TRACE}/firings?job=orders`)).json as {
    items: { items: { id: string }[] }[];
  };
  const page = await stage.browser.get(`${TRACE}/firings?job=orders&limit=1`);
  const next = await stage.browser.get(
    `${TRACE}/firings?job=orders&limit=1&cursor=${page.json['nextCursor'] as string}`,
  );

  expect(items).toMatchObject([
    { startedAt: at(300).getTime(), succeeded: 0, failed: 1, running: 1 },
    { startedAt: at(0).getTime(), completedAt: at(4).getTime(), succeeded: 2, failed: 0, running: 0 },
  ]);
  expect(items.map((firing) => firing.items.map(({ id }) => id))).toEqual([
    ['b0', 'b1'],
    ['a0', 'a1'],
  ]);
  expect(next.json['items']).toMatchObject([{ startedAt: at(0).getTime() }]);
  expect((await stage.browser.get(`${TRACE}/firings`)).status).toBe(400);
});

test('statistics count what succeeded and failed, and how long it took', async () => {
  await using stage = await open();

  const stats = await stage.browser.get(
    `${TRACE}/stats?job=orders&from=${at(0).getTime()}&to=${at(600).getTime()}&bucket=300000`,
  );

  expect(stats.json).toMatchObject({ succeeded: 2, failed: 1, running: 1, p50Ms: 2_000, p95Ms: 3_000 });
  expect(
    (stats.json['buckets'] as { succeeded: number; failed: number }[]).map(({ succeeded, failed }) => [
      succeeded,
      failed,
    ]),
  ).toEqual([
    [2, 0],
    [0, 1],
  ]);
  expect((await stage.browser.get(`${TRACE}/stats?from=0&to=${at(0).getTime()}`)).json).toMatchObject({
    status: 400,
    code: 'bad-range',
  });
});

test('names are suggested by their beginning, in which no character is special', async () => {
  await using stage = await open();
  const suggest = async (query: string) => (await stage.browser.get(`${TRACE}/suggest?${query}`)).json['items'];

  expect(await suggest('field=job')).toEqual(['bills', 'orders']);
  expect(await suggest('field=job&prefix=or')).toEqual(['orders']);
  expect(await suggest(`field=job&prefix=${encodeURIComponent('%')}`)).toEqual([]);
  expect(await suggest('field=ip&prefix=10.0.0.2')).toEqual(['10.0.0.2']);
});

test('a CSV file holds no formula', async () => {
  await using stage = await open();

  const csv = await stage.browser.get(`${TRACE}/executions.csv?job=orders&result=failed`);

  expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(csv.text.split('\r\n')[1]).toContain(`,"'=cmd(""x""),"`);
  expect(csv.text.split('\r\n')).toHaveLength(3);
});

test('a database without tables is no empty page: it says so, and makes them when it is told to', async () => {
  await using stage = await open({ isEmpty: true });

  const executions = await stage.browser.get(`${TRACE}/executions`);
  const before = await stage.browser.get('/api/v1/data-sources/runs/schema');
  const created = await stage.browser.post('/api/v1/data-sources/runs/schema');

  expect(executions.json).toMatchObject({ status: 409, code: 'no-tables' });
  expect(before.json).toMatchObject({
    tables: [
      { name: 'JOB_EXECUTION_LOG', exists: false },
      { name: 'JOB_STATUS_TRACE_LOG', exists: false },
    ],
  });
  expect((before.json['sql'] as string[])[0]).toContain('CREATE TABLE');
  expect(created.json).toMatchObject({ tables: [{ exists: true }, { exists: true }], sql: [] });
  expect((await stage.browser.get(`${TRACE}/executions`)).json).toEqual({ items: [] });
  expect((await stage.browser.get('/api/v1/data-sources')).json).toMatchObject([
    { name: 'runs', isActivated: true, state: 'connected', origin: 'settings' },
  ]);
});

test('lists of jobs and of items show the last run', async () => {
  const database = await new DataSource({ type: 'sqljs' }).initialize();
  await new RdbTraceStorage(database).write(
    [completed('a0', { startTime: at(0), completeTime: at(1), shardingItem: 1 })],
    signal,
  );
  await using jobs = await JobStage.open();
  await jobs.add('orders');
  const options = {
    registries: [{ name: 'main', registryCenter: jobs.console }],
    dataSources: [{ name: 'runs', dataSource: database }],
  };
  await using app = await ConsoleApp.start({ console: { users: USERS, ...options } });
  const browser = await Browser.loggedIn(app, 'gina');
  const lastRun = { at: START, result: 'ok', durationMs: 1_000 };

  expect((await browser.get('/api/v1/registries/main/jobs')).json['items']).toMatchObject([{ lastRun }]);
  expect((await browser.get('/api/v1/registries/main/jobs/orders')).json).toMatchObject({ lastRun });
  expect(
    ((await browser.get('/api/v1/registries/main/jobs/orders/shards')).json['items'] as unknown[])[1],
  ).toMatchObject({ item: 1, lastRun });
});

test('without a data source, the trace says what to do', async () => {
  await using app = await ConsoleApp.start();
  const browser = await Browser.loggedIn(app, 'gina');

  expect((await browser.get(`${TRACE}/executions`)).json).toMatchObject({ status: 404, code: 'no-data-source' });
});

test.each([
  { driver: 'sqljs', host: 'db', port: 1, database: 'x' },
  { driver: 'h2', host: 'db', port: 1, database: 'x' },
  { driver: 'mysql', host: 'db/x?allowLoadLocalInfile=true', port: 3306, database: 'x' },
  { driver: 'mysql', host: 'db', port: 3306, database: 'x?init=SELECT' },
])('no data source can be added with options in its fields: %j', async (fields) => {
  await using app = await ConsoleApp.start({ console: { users: USERS, connections: { allow: ['*'] } } });
  const browser = await Browser.loggedIn(app, 'anna');

  expect((await browser.post('/api/v1/data-sources', { name: 'runs', ...fields })).json).toMatchObject({
    status: 422,
    code: 'invalid-settings',
  });
});

test('a database that the settings do not allow is refused, and one that refuses is told apart without its words', async () => {
  await using app = await ConsoleApp.start({ console: { users: USERS, connections: { allow: ['127.0.0.1:1'] } } });
  const browser = await Browser.loggedIn(app, 'anna');
  const fields = { name: 'runs', driver: 'postgres', host: '127.0.0.1', database: 'x' };

  const added = await browser.post('/api/v1/data-sources', { ...fields, port: 5432 });
  const tested = await browser.post('/api/v1/data-sources/test', { ...fields, port: 1 });

  expect(added.json).toMatchObject({ status: 403, code: 'target-not-allowed' });
  expect(tested.json).toEqual({
    isOk: false,
    reason: 'refused',
    detail: 'Nothing listens there, or a firewall refuses the connection.',
  });
});
