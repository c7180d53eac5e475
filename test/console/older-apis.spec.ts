import { describe, expect, test } from '@jest/globals';
import { DataSource } from 'typeorm';
import { RdbTraceStorage } from '../../lib/tracing/rdb/rdb-trace-storage.js';
import { completed, started, status } from '../support/trace-events.js';
import { Browser, send } from './support/browser.js';
import { type ConsoleApp as App, ConsoleApp, PASSWORDS, SERVERS, USERS } from './support/console-app.js';
import { JobStage } from './support/job-stage.js';

const A = '10.0.0.1@-@11';

/** A script for ElasticJob 2: HTTP Basic, no wrapper. */
async function basic(app: App, path: string, method = 'GET', body?: unknown) {
  const authorization = `Basic ${Buffer.from(`otto:${PASSWORDS.otto}`).toString('base64')}`;
  return send(`${app.origin}/elasticjob${path}`, { method, body, headers: { authorization } });
}

async function open(options: object = {}, server: (typeof SERVERS)[number] = 'express') {
  const stage = await JobStage.open();
  const paths = await stage.add('orders', { owners: { [A]: [0, 1] }, description: 'Syncs orders' });
  const registries = [{ name: 'main', registryCenter: stage.console }];
  const app = await ConsoleApp.start({ server, console: { users: USERS, registries, ...options } });
  const close = async (): Promise<void> => {
    await app[Symbol.asyncDispose]();
    await stage[Symbol.asyncDispose]();
  };
  return { stage, paths, app, browser: await Browser.loggedIn(app, 'anna'), [Symbol.asyncDispose]: close };
}

describe.each(SERVERS)('the API of ElasticJob 3 on %s', (server) => {
  test('lists jobs, items and servers in its wrapper, and counts without it', async () => {
    await using opened = await open({}, server);
    const { browser } = opened;
    const wrapped = (model: unknown) => ({ success: true, errorCode: 0, errorMsg: null, model });

    expect((await browser.get('/api/jobs/count')).text).toBe('1');
    expect((await browser.get('/api/servers/count')).text).toBe('1');
    expect((await browser.get('/api/jobs/getAllJobsBriefInfo')).json).toEqual(
      wrapped([
        {
          jobName: 'orders',
          status: 'OK',
          description: 'Syncs orders',
          cron: '0 0/5 * * * ?',
          instanceCount: 1,
          shardingTotalCount: 2,
        },
      ]),
    );
    expect((await browser.get('/api/jobs/orders/sharding')).json).toEqual(
      wrapped(
        [0, 1].map((item) => ({ item, serverIp: '10.0.0.1', instanceId: A, status: 'PENDING', failover: false })),
      ),
    );
    expect((await browser.get('/api/servers/getAllServersBriefInfo')).json).toEqual(
      wrapped([
        { serverIp: '10.0.0.1', instances: [A], jobNames: ['orders'], instancesNum: 1, jobsNum: 1, disabledJobsNum: 0 },
      ]),
    );
    expect((await browser.get('/api/servers/10.0.0.1/jobs')).json).toMatchObject(
      wrapped([{ jobName: 'orders', status: 'OK', instanceCount: 1 }]),
    );
    expect((await browser.get('/api/registry-center/load')).json).toMatchObject(
      wrapped([{ name: 'main', activated: true, digest: null }]),
    );
  });

  test('steers jobs, items and servers', async () => {
    await using opened = await open({}, server);
    const { stage, paths, browser } = opened;

    expect((await browser.post('/api/jobs/orders/disable')).json).toMatchObject({ success: true, model: true });
    expect(await stage.instances.get(paths.server('10.0.0.1'))).toBe('DISABLED');
    await browser.post('/api/servers/10.0.0.1/jobs/orders/enable');
    expect(await stage.instances.get(paths.server('10.0.0.1'))).toBe('ENABLED');
    await browser.post('/api/jobs/orders/sharding/1/disable');
    expect(await stage.instances.get(paths.item(1, 'disabled'))).toBe('');
    await browser.post('/api/jobs/orders/sharding/1/enable');
    expect(await stage.instances.get(paths.item(1, 'disabled'))).toBeUndefined();
    await browser.post('/api/jobs/orders/shutdown');
    expect(await stage.instances.children(paths.instances)).toEqual([]);
  });
});

test('settings are stored as the console of ElasticJob 3 sends them', async () => {
  await using opened = await open();
  const { stage, paths, browser } = opened;

  const { model } = (await browser.get('/api/jobs/config/orders')).json as { model: object };
  const stored = await browser.request('/api/jobs/config', { method: 'PUT', body: { ...model, cron: '0 0 3 * * ?' } });
  const wrong = await browser.request('/api/jobs/config', { method: 'PUT', body: { ...model, cron: 'x' } });

  expect(model).toMatchObject({ jobName: 'orders', jobExecutorServiceHandlerType: null, jobExtraConfigurations: null });
  expect(stored.json).toMatchObject({ success: true, model: true });
  expect(await stage.instances.get(paths.config)).toContain('cron: 0 0 3 * * ?');
  expect(wrong.json).toMatchObject({ success: false, errorCode: 400, model: null });
});

test('errors have their own status, or 200 if the settings say so', async () => {
  await using honest = await open();
  await using like = await open({ compat: { always200: true } });

  const one = await honest.browser.get('/api/jobs/nothing/sharding');
  const other = await like.browser.get('/api/jobs/nothing/sharding');
  const nobody = await send(`${honest.app.origin}/elasticjob/api/jobs`);

  expect([one.status, other.status, nobody.status]).toEqual([404, 200, 401]);
  expect(one.json).toMatchObject({ success: false, errorCode: 500, model: null });
  expect(other.json).toEqual(one.json);
  expect(nobody.json).toMatchObject({ success: false, errorCode: 403 });
});

test('scripts for ElasticJob 2 log in by HTTP Basic and get no wrapper', async () => {
  await using opened = await open();
  const { stage, paths, app } = opened;

  expect((await basic(app, '/api/jobs')).json).toMatchObject([{ jobName: 'orders', status: 'OK' }]);
  expect((await basic(app, '/api/jobs/orders/disable', 'POST')).status).toBe(200);
  expect(await stage.instances.get(paths.server('10.0.0.1'))).toBe('DISABLED');
  expect((await basic(app, '/api/jobs/orders/disable', 'DELETE')).status).toBe(200);
  expect(await stage.instances.get(paths.server('10.0.0.1'))).toBe('ENABLED');
  expect((await basic(app, '/api/jobs/nothing/sharding')).json).toMatchObject({
    error: expect.stringContaining("'nothing'") as unknown,
  });
  expect((await basic(app, '/api/registry-center/activated')).text).toBe('true');
});

test('a GET changes nothing unless the settings allow it and the caller has a token', async () => {
  await using opened = await open({ compat: { unsafeGet: true } });
  const { stage, paths, app, browser } = opened;
  const token = (await browser.post('/api/v1/auth/tokens', { name: 'script', role: 'operator', days: 1 })).json[
    'token'
  ] as string;

  const byCookie = await browser.get('/api/jobs/orders/disable');
  const byPassword = await basic(app, '/api/jobs/orders/disable');
  const before = await stage.instances.get(paths.server('10.0.0.1'));
  const byToken = await send(`${app.origin}/elasticjob/api/jobs/orders/disable`, {
    headers: { 'access-token': token },
  });

  expect([byCookie.status, byPassword.status, before, byToken.status]).toEqual([405, 405, 'ENABLED', 200]);
  expect(await stage.instances.get(paths.server('10.0.0.1'))).toBe('DISABLED');
});

test('each caller chooses its own registry centre', async () => {
  await using one = await JobStage.open();
  await using two = await JobStage.open();
  await one.add('orders');
  await two.add('bills');
  const registries = [
    { name: 'one', registryCenter: one.console },
    { name: 'two', registryCenter: two.console },
  ];
  await using app = await ConsoleApp.start({ console: { users: USERS, registries } });
  const [anna, gina] = [await Browser.loggedIn(app, 'anna'), await Browser.loggedIn(app, 'gina')];
  const jobs = async (browser: Browser, headers = {}) =>
    (
      (await browser.get('/api/jobs/getAllJobsBriefInfo', headers)).json as { model: { jobName: string }[] | null }
    ).model?.map(({ jobName }) => jobName);

  expect((await anna.get('/api/jobs')).json).toMatchObject({
    success: false,
    errorCode: 400,
    errorMsg: expect.stringContaining('X-Registry-Center') as unknown,
  });
  expect((await anna.post('/api/registry-center/connect', { name: 'one' })).json).toMatchObject({ model: true });
  await gina.post('/api/registry-center/connect', { name: 'two' });

  expect([await jobs(anna), await jobs(gina)]).toEqual([['orders'], ['bills']]);
  expect(await jobs(anna, { 'x-registry-center': 'two' })).toEqual(['bills']);
});

test('the trace is a table with pages, as ElasticJob 2 and 3 ask for it', async () => {
  const database = await new DataSource({ type: 'sqljs' }).initialize();
  const at = (second: number): Date => new Date(2030, 0, 31, 12, 0, second);
  const { signal } = new AbortController();
  await new RdbTraceStorage(database).write(
    [
      completed('a', { startTime: at(0), completeTime: at(1), shardingItem: 0 }),
      completed('b', { startTime: at(10), completeTime: at(11), shardingItem: 1, failureCause: 'no stock' }),
      started('c', { startTime: at(20), shardingItem: 2 }),
      status('s', { creationTime: at(5) }),
    ],
    signal,
  );
  await using app = await ConsoleApp.start({
    console: { users: USERS, dataSources: [{ name: 'runs', dataSource: database }] },
  });
  const browser = await Browser.loggedIn(app, 'gina');
  const ids = async (body: object) => {
    const { model } = (await browser.post('/api/event-trace/execution', body)).json as {
      model: { total: number; rows: { id: string }[] };
    };
    return [model.total, model.rows.map(({ id }) => id)];
  };

  expect(await ids({})).toEqual([3, ['c', 'b', 'a']]);
  expect(await ids({ pageSize: 2, pageNumber: 2 })).toEqual([3, ['a']]);
  expect(await ids({ pageSize: 0, pageNumber: 2 })).toEqual([3, ['c', 'b', 'a']]);
  expect(await ids({ sort: 'shardingItem' })).toEqual([3, ['a', 'b', 'c']]);
  expect(await ids({ sort: 'nonsense', order: 'DESC' })).toEqual([3, ['c', 'b', 'a']]);
  expect(await ids({ isSuccess: false })).toEqual([2, ['c', 'b']]);
  expect(await ids({ isSuccess: true })).toEqual([1, ['a']]);
  expect(await ids({ startTimeFrom: at(0).getTime(), startTimeTo: at(20).toISOString() })).toEqual([1, ['b']]);
  expect((await browser.post('/api/event-trace/status', { state: 'TASK_RUNNING' })).json).toMatchObject({
    model: { total: 1, rows: [{ id: 's', source: 'LITE_EXECUTOR' }] },
  });
  expect((await browser.get('/api/event-trace/execution/jobNames/or')).json).toMatchObject({ model: ['orders'] });
  expect(
    (await browser.get('/api/event-trace/execution?per_page=1&page=2&startTime=2030-01-31 11:00:00')).json,
  ).toMatchObject({
    total: 3,
    rows: [{ id: 'b', startTime: '2030-01-31 12:00:10' }],
  });
});

test.each([
  'jdbc:h2:mem:x;INIT=RUNSCRIPT',
  'jdbc:mysql://db:3306/x?allowLoadLocalInfile=true',
  'jdbc:postgresql://db/x?socketFactory=evil',
])('the URL %s is refused, as more than a place stands in it', async (url) => {
  await using app = await ConsoleApp.start({ console: { users: USERS, connections: { allow: ['*'] } } });
  const browser = await Browser.loggedIn(app, 'anna');

  expect((await browser.post('/api/data-source/connectTest', { name: 'x', url })).json).toMatchObject({
    success: false,
    errorCode: 400,
  });
});
