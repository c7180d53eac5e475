import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { DataSource } from 'typeorm';
import { type TraceEvent } from '../../lib/api/events/trace-events.js';
import { type JobRow, type ScheduleLane } from '../../lib/console/contract/jobs.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { RdbTraceStorage } from '../../lib/tracing/rdb/rdb-trace-storage.js';
import { until } from '../support/until.js';
import { completed, started, status } from '../support/trace-events.js';
import { Browser } from './support/browser.js';
import { ConsoleApp, USERS } from './support/console-app.js';
import { EventReader } from './support/event-reader.js';
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
async function open(options: { readonly isEmpty?: boolean; readonly clock?: ManualClock } = {}): Promise<Stage> {
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
    console: {
      users: USERS,
      dataSources: [{ name: 'runs', dataSource: database }],
      ...(options.clock && { clock: options.clock }),
    },
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

test('the connection of a client that takes nothing of an export for a minute is broken', async () => {
  const clock = new ManualClock();
  await using stage = await open({ clock });
  const cause = 'x'.repeat(4_000);
  const rows = Array.from({ length: 4_000 }, (_, index) =>
    completed(`long${index}`, { startTime: at(index), completeTime: at(index), failureCause: cause }),
  );
  await new RdbTraceStorage(stage.database).write(rows, signal);
  const cookie = [...stage.browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const timers = clock.timers;
  const request = get(`${stage.app.origin}/elasticjob${TRACE}/executions.csv`, { headers: { cookie }, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.pause();
  await until(() => clock.timers === timers + 1, 'the export to wait for its client');

  await clock.advance(60_000);

  response.resume();
  await expect(once(response, 'end')).rejects.toThrow('aborted');
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

describe('the last run of a job', () => {
  const JOBS = '/api/v1/registries/main/jobs';

  async function openJobs(): Promise<{
    readonly database: DataSource;
    readonly jobs: JobStage;
    readonly app: ConsoleApp;
    readonly browser: Browser;
    readonly record: (...events: TraceEvent[]) => Promise<void>;
    readonly [Symbol.asyncDispose]: () => Promise<void>;
  }> {
    const database = await new DataSource({ type: 'sqljs' }).initialize();
    const storage = new RdbTraceStorage(database);
    await storage.prepare(signal);
    const jobs = await JobStage.open();
    const app = await ConsoleApp.start({
      console: {
        users: USERS,
        registries: [{ name: 'main', registryCenter: jobs.console }],
        dataSources: [{ name: 'runs', dataSource: database }],
      },
    });
    return {
      ...{ database, jobs, app, browser: await Browser.loggedIn(app, 'gina') },
      record: (...events) => storage.write(events, signal),
      [Symbol.asyncDispose]: async () => {
        await app[Symbol.asyncDispose]();
        await jobs[Symbol.asyncDispose]();
        if (database.isInitialized) await database.destroy();
      },
    };
  }
  const three = (name: string, start: number, failed: readonly number[]): readonly TraceEvent[] =>
    [0, 1, 2].map((shardingItem) =>
      completed(`${name}${shardingItem}`, {
        jobName: name.slice(0, -1),
        startTime: at(start),
        completeTime: at(start + 1),
        shardingItem,
        ...(failed.includes(shardingItem) && { failureCause: 'Error' }),
      }),
    );

  test('is its last firing, of which the worst item decides, in lists and on its page', async () => {
    await using stage = await openJobs();
    await stage.jobs.add('orders', { shardingTotalCount: 3 });
    await stage.record(...three('orders1', 0, []), ...three('orders2', 300, [1]));
    const lastRun = { at: at(300).getTime(), result: 'failed', durationMs: 1_000, items: 3, failed: 1, running: 0 };

    const list = await stage.browser.get(JOBS);
    const detail = await stage.browser.get(`${JOBS}/orders`);
    const shards = await stage.browser.get(`${JOBS}/orders/shards`);

    expect(list.json['items']).toMatchObject([{ lastRun, failedFirings: 1 }]);
    expect(detail.json).toMatchObject({ lastRun, failedFirings: 1 });
    expect(shards.json['items']).toMatchObject([
      { item: 0, lastRun: { at: at(300).getTime(), result: 'ok' } },
      { item: 1, lastRun: { result: 'failed' } },
      { item: 2, lastRun: { result: 'ok' } },
    ]);
  });

  test('is known for a job that runs rarely beside one that runs always, and for one that never ran', async () => {
    await using stage = await openJobs();
    for (const name of ['rare', 'busy', 'idle']) await stage.jobs.add(name, { shardingTotalCount: 1 });
    await stage.record(completed('r', { jobName: 'rare', startTime: at(0), completeTime: at(1) }));
    const busy = Array.from({ length: 1_500 }, (_, n) =>
      completed(`b${n}`, { jobName: 'busy', startTime: at(100 + n), completeTime: at(101 + n) }),
    );
    await stage.record(...busy);

    const { items } = (await stage.browser.get(`${JOBS}?sort=-last`)).json as { items: JobRow[] };

    expect(items).toMatchObject([
      { jobName: 'busy', lastRun: { at: at(1_599).getTime() } },
      { jobName: 'rare', lastRun: { at: at(0).getTime(), result: 'ok' } },
      { jobName: 'idle', lastRun: { result: 'none' } },
    ]);
  });

  test('is unknown, and not absent, while the trace cannot be read', async () => {
    await using stage = await openJobs();
    await stage.jobs.add('orders', { owners: { '10.0.0.1@-@11': [0, 1] } });
    await stage.database.destroy();

    const { items } = (await stage.browser.get(JOBS)).json as { items: JobRow[] };

    expect(items).toMatchObject([{ jobName: 'orders', status: 'OK' }]);
    expect(items[0]).not.toHaveProperty('lastRun');
    expect(items[0]).not.toHaveProperty('failedFirings');
  });

  test('makes a job FAILING as long as its last firings failed, also while the next one runs', async () => {
    await using stage = await openJobs();
    const owners = { '10.0.0.1@-@11': [0, 1, 2] };
    await stage.jobs.add('orders', { shardingTotalCount: 3, owners });
    await stage.jobs.add('well', { shardingTotalCount: 3, owners });
    await stage.record(
      ...three('orders1', 0, []),
      ...three('orders2', 300, [2]),
      ...three('orders3', 600, [0, 1, 2]),
      started('orders4', { startTime: at(900), shardingItem: 0 }),
      ...three('well1', 0, [1]),
      ...three('well2', 300, []),
    );

    const failing = await stage.browser.get(`${JOBS}?status=FAILING`);
    const all = await stage.browser.get(JOBS);
    const overview = await stage.browser.get('/api/v1/registries/main/overview');

    expect(failing.json).toMatchObject({
      total: 1,
      items: [{ jobName: 'orders', status: 'FAILING', failedFirings: 2, lastRun: { result: 'running' } }],
    });
    expect((all.json['items'] as JobRow[])[1]).toMatchObject({ jobName: 'well', status: 'OK' });
    expect(overview.json).toMatchObject({ jobsByStatus: { FAILING: 1, OK: 1 } });
  });

  test('is told of a job that leaves no mark when it runs', async () => {
    await using stage = await openJobs();
    const options = { cron: '* * * * * ?', shardingTotalCount: 1, monitorExecution: false };
    await stage.jobs.add('orders', { ...options, owners: { '10.0.0.1@-@11': [0] } });
    using reader = new EventReader(stage.app, stage.browser, '/api/v1/registries/main/events');
    await reader.next('registry');

    await stage.record(completed('a', { startTime: at(0), completeTime: at(1) }));
    const told = await reader.next('job', ({ job }) => (job as JobRow).lastRun?.at === START);

    expect(told.data).toMatchObject({ job: { jobName: 'orders', lastRun: { result: 'ok' } } });
  });

  test('stays with live events, and follows them', async () => {
    await using stage = await openJobs();
    const owner = '10.0.0.1@-@11';
    const paths = await stage.jobs.add('orders', { shardingTotalCount: 1, owners: { [owner]: [0] } });
    await stage.record(completed('a', { startTime: at(0), completeTime: at(1) }));
    await stage.browser.get(JOBS);
    using reader = new EventReader(stage.app, stage.browser, '/api/v1/registries/main/events');
    await reader.next('registry');

    await stage.jobs.instances.create(paths.item(0, 'running'), owner, 'session');
    const begun = await reader.next('job', ({ job }) => (job as JobRow).runningItems === 1);
    await stage.record(completed('b', { startTime: at(9), completeTime: at(10), failureCause: 'Error' }));
    await stage.jobs.instances.remove(paths.item(0, 'running'));
    const ended = await reader.next('job', ({ job }) => (job as JobRow).lastRun?.at === at(9).getTime());

    expect(begun.data).toMatchObject({ job: { lastRun: { at: START, result: 'ok' } } });
    expect(ended.data).toMatchObject({ job: { status: 'FAILING', lastRun: { result: 'failed' } } });
  });
});

test('figures of a window count every run of it, however many, and say since when there are any', async () => {
  await using stage = await open({ isEmpty: true });
  const storage = new RdbTraceStorage(stage.database);
  const events = Array.from({ length: 20_500 }, (_, n) =>
    completed(`e${n}`, { startTime: at(n), completeTime: at(n + 1) }),
  );
  await storage.write(events, signal);

  const stats = await stage.browser.get(`${TRACE}/stats?from=${at(-3_600).getTime()}&to=${at(86_400).getTime()}`);

  expect(stats.json).toMatchObject({ succeeded: 20_500, failed: 0, runsFrom: at(0).getTime() });
  expect(stats.json['durationsOf']).toEqual({ runs: 1_000, from: at(19_500).getTime() });
});

test('the past of a schedule says from when on it is shown', async () => {
  await using stage = await open({ isEmpty: true });
  await using jobs = await JobStage.open();
  await jobs.add('orders', { shardingTotalCount: 1 });
  const now = Date.now();
  const events = Array.from({ length: 400 }, (_, n) =>
    completed(`e${n}`, { startTime: new Date(now - (n + 1) * 60_000), completeTime: new Date(now - n * 60_000) }),
  );
  await new RdbTraceStorage(stage.database).write(events, signal);
  await using app = await ConsoleApp.start({
    console: {
      users: USERS,
      registries: [{ name: 'main', registryCenter: jobs.console }],
      dataSources: [{ name: 'runs', dataSource: stage.database }],
    },
  });
  const browser = await Browser.loggedIn(app, 'gina');
  const query = `from=${now - 43_200_000}&to=${now + 3_600_000}`;

  const schedule = await browser.get(`/api/v1/registries/main/schedule?${query}`);

  const { items, runsFrom } = schedule.json as { items: ScheduleLane[]; runsFrom: number };
  expect(items[0]?.runs).toHaveLength(300);
  expect(runsFrom).toBe(items[0]?.runs.at(-1)?.from);
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
    wording: { code: 'failed-refused', values: {} },
  });
});
