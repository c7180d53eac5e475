import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Page } from '../../lib/console/contract/common.js';
import { type InstanceRow, type JobRow, type ProblemRow, type TreeNode } from '../../lib/console/contract/jobs.js';
import { until } from '../support/until.js';
import { Browser } from './support/browser.js';
import { ConsoleApp, type ConsoleAppOptions, SERVERS, USERS } from './support/console-app.js';
import { JobStage } from './support/job-stage.js';
import { sharedConsole } from './support/shared-console.js';

const A = '10.0.0.1@-@11';
const B = '10.0.0.2@-@22';
const JOBS = '/api/v1/registries/main/jobs';

function optionsOf(stage: JobStage): ConsoleAppOptions {
  return { console: { users: USERS, registries: [{ name: 'main', registryCenter: stage.console }] } };
}

async function consoleOf(stage: JobStage, server: (typeof SERVERS)[number] = 'express'): Promise<ConsoleApp> {
  return ConsoleApp.start({ server, ...optionsOf(stage) });
}

test('a job names the jobs before it, and those after it', async () => {
  await using stage = await JobStage.open();
  await stage.add('import');
  await stage.add('report', { cron: '', after: 'import' });
  await stage.add('index', { cron: '', after: ['import', 'report'] });
  await using app = await consoleOf(stage);
  const browser = await Browser.loggedIn(app, 'gina');

  expect((await browser.get(`${JOBS}/import`)).json).toMatchObject({ type: 'cron', successors: ['index', 'report'] });
  expect((await browser.get(`${JOBS}/index`)).json).toMatchObject({ after: ['import', 'report'], successors: [] });
});

describe.each(SERVERS)('jobs on %s', (server) => {
  test('are listed with their state, filtered, sorted and paged', async () => {
    await using stage = await JobStage.open();
    const atNewYear = { cron: '0 0 0 1 1 ? 2099', timeZone: 'GMT' };
    await stage.add('orders', { owners: { [A]: [0], [B]: [1] }, description: 'Syncs orders', ...atNewYear });
    await stage.add('bills', { label: 'money' });
    await stage.add('mails', { owners: { [A]: [0, 1] } });
    await using app = await consoleOf(stage, server);
    const browser = await Browser.loggedIn(app, 'gina');

    const all = await browser.get(`${JOBS}?limit=2`);
    const rest = await browser.get(`${JOBS}?limit=2&cursor=${String(all.json['nextCursor'])}`);
    const crashed = await browser.get(`${JOBS}?status=CRASHED`);
    const found = await browser.get(`${JOBS}?q=SYNCS`);
    const sorted = await browser.get(`${JOBS}?sort=-instances`);

    expect(all.json).toMatchObject({ total: 3 });
    expect(names(all.json)).toEqual(['bills', 'mails']);
    expect(names(rest.json)).toEqual(['orders']);
    expect(rest.json).not.toHaveProperty('nextCursor');
    expect(names(crashed.json)).toEqual(['bills']);
    expect(names(found.json)).toEqual(['orders']);
    expect(names(sorted.json)).toEqual(['orders', 'mails', 'bills']);
    expect(rows(found.json)[0]).toMatchObject({
      status: 'OK',
      type: 'cron',
      shardingTotalCount: 2,
      instanceCount: 2,
      servers: ['10.0.0.1', '10.0.0.2'],
      nextFireAt: Date.UTC(2099, 0, 1),
    });
  });

  test('are steered on servers with an IPv6 address as on others', async () => {
    const [ip, path] = ['2001:db8::7', `/api/v1/registries/main/servers/${encodeURIComponent('2001:db8::7')}`];
    await using stage = await JobStage.open();
    const paths = await stage.add('orders', { owners: { [`${ip}@-@11`]: [0], [B]: [1] } });
    await using app = await consoleOf(stage, server);
    const browser = await Browser.loggedIn(app, 'otto');

    expect((await browser.get(path)).json).toMatchObject({ serverIp: ip });
    expect((await browser.post(`${path}/disable`)).status).toBeLessThan(300);

    expect(await stage.instances.get(paths.server(ip))).toBe('DISABLED');
    expect(await stage.instances.get(paths.server('10.0.0.2'))).toBe('ENABLED');
  });

  test('are steered by operators: disabled, enabled, triggered, and their items switched', async () => {
    await using stage = await JobStage.open();
    const paths = await stage.add('orders', { owners: { [A]: [0], [B]: [1] } });
    await using app = await consoleOf(stage, server);
    const browser = await Browser.loggedIn(app, 'otto');

    expect((await browser.post(`${JOBS}/orders/disable`, { server: '10.0.0.1', reason: 'maintenance' })).status).toBe(
      204,
    );
    expect(await stage.instances.get(paths.server('10.0.0.1'))).toBe('DISABLED');
    expect((await browser.post(`${JOBS}/orders/enable`)).status).toBe(204);
    expect(await stage.instances.get(paths.server('10.0.0.1'))).toBe('ENABLED');
    expect((await browser.post(`${JOBS}/orders/shards/1/disable`)).status).toBe(204);
    expect(await stage.instances.get(paths.item(1, 'disabled'))).toBe('');
    expect((await browser.post(`${JOBS}/orders/shards/7/disable`)).json).toMatchObject({
      status: 409,
      code: 'job-state',
    });
    const batch = await browser.post(`${JOBS}/batch`, { action: 'disable', names: ['orders', 'unknown'] });
    expect(batch.json).toMatchObject({
      results: [
        { name: 'orders', isOk: true },
        { name: 'unknown', isOk: false },
      ],
    });
    expect((await browser.post(`${JOBS}/orders/instances/${encodeURIComponent(B)}/shutdown`)).status).toBe(204);
    expect(await stage.instances.children(paths.instances)).toEqual([A]);
  });

  test('run single items again, at their owners alone', async () => {
    await using stage = await JobStage.open();
    const paths = await stage.add('orders', { owners: { [A]: [0], [B]: [1] } });
    await using app = await consoleOf(stage, server);
    const browser = await Browser.loggedIn(app, 'otto');
    const triggers = async () =>
      Promise.all([A, B].map((id) => stage.instances.get(paths.trigger(id)).then((text) => text ?? 'none')));

    const rerun = await browser.post(`${JOBS}/orders/shards/1/rerun`, { parameter: 'again', reason: 'repaired' });
    expect(rerun).toMatchObject({ status: 200, json: { instances: [{ instanceId: B, willRun: true }] } });
    expect(await triggers()).toEqual(['none', '{"jobParameter":"again","items":"1"}']);
    await stage.instances.remove(paths.trigger(B));
    expect((await browser.post(`${JOBS}/orders/trigger`, { items: [0, 1] })).status).toBe(200);
    expect(await triggers()).toEqual(['{"items":"0"}', '{"items":"1"}']);

    for (const items of [[], [-1], 'all', { 0: 1 }])
      expect((await browser.post(`${JOBS}/orders/trigger`, { items })).json).toMatchObject({
        status: 422,
        detail: expect.stringContaining('items must be a list of at least one item, such as [0, 3], got ') as unknown,
      });
    expect((await browser.post(`${JOBS}/orders/shards/7/rerun`)).json).toMatchObject({
      status: 409,
      code: 'job-state',
      detail: expect.stringContaining('it has no item 7') as unknown,
    });
  });
});

test('the instances of a job say what their nodes say of them', async () => {
  await using stage = await JobStage.open();
  const paths = await stage.add('orders', { owners: { [A]: [0, 1], [B]: [2] } });
  const [ip] = B.split('@-@');
  await stage.instances.put(paths.instance(B), `jobInstanceId: '${B}'\nserverIp: ${ip}\nlabels: zone=a\n`);
  await using app = await consoleOf(stage);
  const browser = await Browser.loggedIn(app, 'gina');

  const { json } = await browser.get(`${JOBS}/orders/instances`);

  expect(json['items']).toEqual([
    expect.not.objectContaining({ labels: expect.anything() }),
    expect.objectContaining({ instanceId: B, kind: 'node', items: 1, labels: 'zone=a' }),
  ]);
});

describe.each(SERVERS)('metrics on %s', (server) => {
  test('count the jobs of each connected registry centre by their state', async () => {
    await using stage = await JobStage.open();
    const paths = await stage.add('orders', { owners: { [A]: [0, 1] } });
    await stage.add('bills');
    await stage.instances.create(paths.item(1, 'running'), A, 'session');
    await using app = await consoleOf(stage, server);
    const browser = await Browser.loggedIn(app, 'gina');
    const scrape = async (): Promise<readonly string[]> => (await browser.get('/metrics')).text.split('\n');

    await until(async () => (await scrape()).includes('elasticjob_console_running_items{registry="main"} 1'));
    const { headers } = await browser.get('/metrics');
    const lines = await scrape();

    expect(headers.get('content-type')).toMatch(/^text\/plain;.* version=0\.0\.4/);
    expect(lines).toEqual(
      expect.arrayContaining([
        'elasticjob_console_registry_connected{registry="main"} 1',
        'elasticjob_console_jobs{registry="main",status="CRASHED"} 1',
        'elasticjob_console_jobs{registry="main",status="OK"} 1',
        'elasticjob_console_jobs{registry="main",status="CONFIG_ERROR"} 0',
        'elasticjob_console_event_streams 0',
      ]),
    );
  });

  test('say that a registry centre is out of reach', async () => {
    await using stage = await JobStage.open();
    await using app = await consoleOf(stage, server);
    const browser = await Browser.loggedIn(app, 'gina');

    stage.console.faults.disconnect();

    const scrape = async (): Promise<string> => (await browser.get('/metrics')).text;
    await until(async () => (await scrape()).includes('elasticjob_console_registry_connected{registry="main"} 0'));
  });
});

test('guests steer nothing, and operators do not change settings', async () => {
  await using stage = await JobStage.open();
  await stage.add('orders', { owners: { [A]: [0, 1] } });
  await using app = await consoleOf(stage);
  const [guest, operator] = [await Browser.loggedIn(app, 'gina'), await Browser.loggedIn(app, 'otto')];

  const trigger = await guest.post(`${JOBS}/orders/trigger`);
  const write = await operator.request(`${JOBS}/orders/config`, {
    method: 'PUT',
    body: {},
    headers: { 'if-match': '"0"' },
  });

  expect(trigger.json).toMatchObject({ status: 403 });
  expect(write.json).toMatchObject({ status: 403 });
});

test('the items of a job are sent in pages', async () => {
  await using stage = await JobStage.open();
  await stage.add('orders', { shardingTotalCount: 450 });
  await using app = await consoleOf(stage);
  const browser = await Browser.loggedIn(app, 'gina');
  const page = async (query: string) =>
    (await browser.get(`${JOBS}/orders/shards${query}`)).json as unknown as Page<{ readonly item: number }>;

  const first = await page('');
  const second = await page(`?cursor=${first.nextCursor}`);
  const third = await page(`?cursor=${second.nextCursor}`);

  expect([first, second, third].map(({ items }) => [items[0]?.item, items.at(-1)?.item])).toEqual([
    [0, 199],
    [200, 399],
    [400, 449],
  ]);
  expect(third).toMatchObject({ total: 450 });
  expect(third).not.toHaveProperty('nextCursor');
  expect(await page('?cursor=x')).toMatchObject({ status: 400, code: 'bad-cursor' });
});

test('the instances of a job are sent in pages', async () => {
  await using stage = await JobStage.open();
  const ids = ['10.0.0.1@-@1', '10.0.0.2@-@2', '10.0.0.3@-@3'];
  await stage.add('orders', { shardingTotalCount: 3, owners: Object.fromEntries(ids.map((id, item) => [id, [item]])) });
  await using app = await consoleOf(stage);
  const browser = await Browser.loggedIn(app, 'gina');
  const page = async (query: string) =>
    (await browser.get(`${JOBS}/orders/instances${query}`)).json as unknown as Page<InstanceRow>;

  const first = await page('?limit=2');
  const second = await page(`?limit=2&cursor=${first.nextCursor}`);

  expect([first, second].map(({ items }) => items.map(({ instanceId, items: own }) => [instanceId, own]))).toEqual([
    [
      [ids[0], 1],
      [ids[1], 1],
    ],
    [[ids[2], 1]],
  ]);
  expect(first).toMatchObject({ total: 3 });
  expect(second).not.toHaveProperty('nextCursor');
  expect(await page('?limit=1001')).toMatchObject({ status: 400, code: 'bad-request' });
});

test('the nodes of a job are sent in pages, on which an address keeps its number', async () => {
  await using stage = await JobStage.open();
  await stage.add('orders', { owners: { '10.0.0.1@-@1': [0], '10.0.0.2@-@2': [1] } });
  await using app = await consoleOf(stage);
  const browser = await Browser.loggedIn(app, 'gina');
  const page = async (query: string) =>
    (await browser.get(`${JOBS}/orders/tree?masked=true${query}`)).json as unknown as Page<TreeNode>;
  const whole = await page('');

  const pages: Page<TreeNode>[] = [];
  do pages.push(await page(`&limit=2${pages.length === 0 ? '' : `&cursor=${pages.at(-1)?.nextCursor}`}`));
  while (pages.at(-1)?.nextCursor !== undefined);

  expect(pages.flatMap(({ items }) => items)).toEqual(whole.items);
  expect(pages.map(({ total }) => total)).toEqual(pages.map(() => whole.items.length));
  expect(whole.items.map(({ path }) => path)).toContain('/orders/servers/ip2');
});

test('a reason that is no text is refused like any other wrong field, and a wrong parameter of a query as one', async () => {
  await using stage = await JobStage.open();
  await stage.add('orders');
  await using app = await consoleOf(stage);
  const browser = await Browser.loggedIn(app, 'anna');

  const field = await browser.post(`${JOBS}/orders/disable`, { server: '10.0.0.1', reason: 7 });
  const query = await browser.get('/api/v1/audit?limit=many');

  expect(field.json).toMatchObject({ status: 422, code: 'invalid-request', problems: [{ setting: 'reason' }] });
  expect(query.json).toMatchObject({ status: 400, code: 'bad-request', problems: [{ setting: 'limit' }] });
});

test('a filter that stands twice in the address is refused, and the answer names it', async () => {
  await using stage = await JobStage.open();
  await using app = await consoleOf(stage);
  const browser = await Browser.loggedIn(app, 'gina');

  const answer = await browser.get(`${JOBS}?label=a&label=b`);

  expect(answer.json).toMatchObject({ status: 400, code: 'bad-request', problems: [{ setting: 'label' }] });
});

test.each([
  ['cron', { cron: '61 * * * * ?' }],
  ['timeZone', { timeZone: 'Mars/Olympus' }],
  ['shardingItemParameters', { shardingItemParameters: '0=a=b' }],
])('a job whose stored %s no instance can use is not OK, and its problem says what to do', async (setting, stored) => {
  await using stage = await JobStage.open();
  const paths = await stage.add('orders', { owners: { [A]: [0, 1] } });
  const text = await stage.instances.get(paths.config);
  const [[name = '', value = ''] = []] = Object.entries(stored);
  const others = (text ?? '').split('\n').filter((line) => !line.startsWith(`${name}:`));
  await stage.instances.put(paths.config, [...others, `${name}: '${value}'`, ''].join('\n'));
  await using app = await consoleOf(stage);
  const browser = await Browser.loggedIn(app, 'gina');

  const list = await browser.get(`${JOBS}?status=CONFIG_ERROR`);
  const { problems } = (await browser.get('/api/v1/registries/main/overview')).json as { problems: ProblemRow[] };

  expect(list.json['items']).toMatchObject([{ status: 'CONFIG_ERROR', problem: expect.stringContaining(setting) }]);
  expect(problems).toMatchObject([
    { type: 'unusable-settings', severity: 'error', jobName: 'orders', cure: expect.stringContaining(setting) },
  ]);
});

test('problems are unknown, and not none, as long as the registry centre could not be examined', async () => {
  await using stage = await JobStage.open();
  await stage.add('orders');
  await using app = await consoleOf(stage);
  const browser = await Browser.loggedIn(app, 'gina');
  await browser.get(JOBS);
  stage.console.faults.disconnect();

  const overview = await browser.get('/api/v1/registries/main/overview');

  expect(overview.json).toMatchObject({ jobsByStatus: { CRASHED: 1 } });
  expect(overview.json).not.toHaveProperty('problems');
});

test('a server that is offline is one problem, however many jobs list it', async () => {
  await using stage = await JobStage.open();
  for (const name of ['bills', 'orders', 'stock']) {
    const paths = await stage.add(name, { owners: { [A]: [0, 1] } });
    await stage.instances.put(paths.server('10.9.9.9'), 'ENABLED');
    // A leader, so that nothing else is to be found.
    await stage.instances.create(paths.leader, A, 'session');
  }
  await using app = await consoleOf(stage);
  const browser = await Browser.loggedIn(app, 'gina');

  const { problems } = (await browser.get('/api/v1/registries/main/overview')).json as { problems: ProblemRow[] };

  expect(problems.filter(({ type }) => type === 'offline-server')).toMatchObject([
    { subject: expect.stringContaining('3 jobs that list it: bills, orders, stock') },
  ]);
});

test('the items of a job say who owns them, also if the owner is gone', async () => {
  await using stage = await JobStage.open();
  const paths = await stage.add('orders', {
    shardingTotalCount: 200,
    shardingItemParameters: '0=Beijing',
    owners: { [A]: [0] },
  });
  await stage.instances.put(paths.item(1, 'instance'), '10.9.9.9@-@99');
  await using app = await consoleOf(stage);
  const browser = await Browser.loggedIn(app, 'gina');

  const shards = (await browser.get(`${JOBS}/orders/shards`)).json as unknown as Page<{ readonly item: number }>;

  expect(shards.total).toBe(200);
  expect(shards.items[0]).toMatchObject({
    item: 0,
    parameter: 'Beijing',
    serverIp: '10.0.0.1',
    instanceId: A,
    status: 'PENDING',
  });
  expect(shards.items[1]).toMatchObject({ item: 1, serverIp: '10.9.9.9', status: 'SHARDING_FLAG' });
  expect(shards.items[199]).toMatchObject({ item: 199, status: 'SHARDING_FLAG' });
});

describe('a job may be called', () => {
  let stage: JobStage;
  beforeAll(async () => {
    stage = await JobStage.open();
  });
  const app = sharedConsole(() => optionsOf(stage));
  afterAll(() => stage[Symbol.asyncDispose]());

  test.each([
    '<img src=x onerror=alert(1)>'.replaceAll('/', ''),
    '50%',
    'a#b',
    'a?b=c&d',
    '订单同步',
    'ö',
    'constructor',
  ])('%s', async (jobName) => {
    await stage.add(jobName, { owners: { [A]: [0, 1] } });
    const browser = await Browser.loggedIn(app(), 'otto');
    const path = `${JOBS}/${encodeURIComponent(jobName)}`;

    expect((await browser.get(path)).json).toMatchObject({ jobName, status: 'OK', kinds: ['node'] });
    expect((await browser.get(`${path}/config`)).json).toMatchObject({ configuration: { jobName } });
    expect((await browser.post(`${path}/disable`)).status).toBe(204);
    await until(async () => (await browser.get(path)).json['status'] === 'DISABLED');
  });
});

test('a job whose settings cannot be read hides no other one', async () => {
  await using stage = await JobStage.open();
  await stage.add('orders');
  const paths = await stage.add('broken');
  await stage.instances.put(paths.config, 'jobName: [broken\n  cron: :');
  await using app = await consoleOf(stage);
  const browser = await Browser.loggedIn(app, 'gina');

  const list = rows((await browser.get(JOBS)).json);
  const config = await browser.get(`${JOBS}/broken/config`);

  expect(list.map(({ jobName, status }) => [jobName, status])).toEqual([
    ['broken', 'CONFIG_ERROR'],
    ['orders', 'CRASHED'],
  ]);
  expect(list[0]?.problem).toContain('/broken/config');
  expect(config.json).toMatchObject({ problem: expect.stringContaining('/broken/config') as unknown });
});

test('an unknown job, an unknown registry centre and an odd parameter are named', async () => {
  await using stage = await JobStage.open();
  await stage.add('orders');
  await using app = await consoleOf(stage);
  const browser = await Browser.loggedIn(app, 'gina');

  expect((await browser.get(`${JOBS}/order`)).json).toMatchObject({
    status: 404,
    code: 'unknown-job',
    detail: expect.stringContaining("'orders'") as unknown,
  });
  expect((await browser.get('/api/v1/registries/mian/jobs')).json).toMatchObject({
    status: 404,
    code: 'unknown-registry',
  });
  expect((await browser.get(`${JOBS}?sort=constructor`)).json).toMatchObject({ status: 400, code: 'unknown-sort' });
  expect((await browser.get(`${JOBS}?limit=1001`)).json).toMatchObject({ status: 400, code: 'bad-request' });
  expect((await browser.get(`${JOBS}?cursor=nonsense`)).json).toMatchObject({ status: 400, code: 'bad-cursor' });
});

test('while the registry centre is out of reach, the last known jobs are shown and changes are refused', async () => {
  await using stage = await JobStage.open();
  await stage.add('orders', { owners: { [A]: [0, 1] } });
  await using app = await consoleOf(stage);
  const browser = await Browser.loggedIn(app, 'otto');
  expect((await browser.get(JOBS)).json).not.toHaveProperty('staleSince');

  stage.console.faults.disconnect();

  const stale = await browser.get(JOBS);
  expect(rows(stale.json)[0]).toMatchObject({ jobName: 'orders', status: 'OK' });
  expect(stale.json['staleSince']).toBeGreaterThan(0);
  expect((await browser.post(`${JOBS}/orders/disable`)).json).toMatchObject({ status: 503, code: 'registry-offline' });
  stage.console.faults.resume();
  await until(async () => !('staleSince' in (await browser.get(JOBS)).json));
});

test('a job is removed only if its name is repeated', async () => {
  await using stage = await JobStage.open();
  await stage.add('orders');
  await using app = await consoleOf(stage);
  const browser = await Browser.loggedIn(app, 'anna');

  const refused = await browser.request(`${JOBS}/orders`, { method: 'DELETE', body: { confirm: 'order' } });
  const removed = await browser.request(`${JOBS}/orders`, { method: 'DELETE', body: { confirm: 'orders' } });

  expect(refused.json).toMatchObject({ status: 422, code: 'not-confirmed' });
  expect(removed.json).toEqual({ stillRunning: [] });
  expect(await stage.instances.children('/')).toEqual([]);
});

test('a job with living instances is removed only if that is asked for', async () => {
  await using stage = await JobStage.open();
  await stage.add('orders', { owners: { [A]: [0], [B]: [1] } });
  await using app = await consoleOf(stage);
  const browser = await Browser.loggedIn(app, 'anna');
  const remove = (body: object, query = '') =>
    browser.request(`${JOBS}/orders${query}`, { method: 'DELETE', body: { confirm: 'orders', ...body } });

  expect((await remove({})).json).toMatchObject({
    status: 409,
    code: 'job-state',
    detail: expect.stringContaining('2 instances of it live') as unknown,
    wording: { code: 'job-lives', values: { jobName: 'orders', count: 2 } },
  });
  expect((await remove({ living: 'yes' })).json).toMatchObject({ status: 422 });
  expect((await remove({}, '?living=maybe')).json).toMatchObject({ status: 400 });
  expect(await stage.instances.children('/orders/instances')).toEqual([A, B]);
  expect((await remove({ living: true })).status).toBe(200);
  expect(await stage.instances.children('/')).toEqual([]);
});

test('servers are listed, and those without an instance are pruned', async () => {
  await using stage = await JobStage.open();
  const paths = await stage.add('orders', { owners: { [A]: [0, 1] } });
  await stage.instances.put(paths.server('10.0.0.9'), 'ENABLED');
  await using app = await consoleOf(stage);
  const browser = await Browser.loggedIn(app, 'anna');
  const servers = '/api/v1/registries/main/servers';

  const list = await browser.get(servers);
  const found = await browser.post(`${servers}/prune`, { dryRun: true });
  const pruned = await browser.post(`${servers}/prune`, { dryRun: false });

  expect(list.json['items']).toEqual([
    { serverIp: '10.0.0.1', instanceCount: 1, jobCount: 1, disabledJobCount: 0, state: 'online' },
    { serverIp: '10.0.0.9', instanceCount: 0, jobCount: 1, disabledJobCount: 0, state: 'offline' },
  ]);
  expect((await browser.get(`${servers}/10.0.0.1/jobs`)).json['items']).toEqual([
    { jobName: 'orders', isDisabled: false, instanceCount: 1, items: 2 },
  ]);
  expect(found.json).toEqual({ servers: [{ jobName: 'orders', serverIp: '10.0.0.9' }] });
  expect(pruned.json).toEqual(found.json);
  expect(await stage.instances.children(paths.servers)).toEqual(['10.0.0.1']);
});

function rows(page: unknown): readonly JobRow[] {
  return (page as Page<JobRow>).items;
}

function names(page: unknown): readonly string[] {
  return rows(page).map(({ jobName }) => jobName);
}
