import { describe, expect, test } from '@jest/globals';
import { type ConfigurationCheck } from '../../lib/console/contract/jobs.js';
import { SnapshotService } from '../../lib/dump/snapshot-service.js';
import { Browser } from './support/browser.js';
import { ConsoleApp, USERS } from './support/console-app.js';
import { JobStage } from './support/job-stage.js';

const CONFIG = '/api/v1/registries/main/jobs/orders/config';

async function open(): Promise<{ stage: JobStage; app: ConsoleApp; browser: Browser } & AsyncDisposable> {
  const stage = await JobStage.open();
  await stage.add('orders', {
    props: {
      'dingtalk.webhook': 'https://oapi/robot?access_token=abc',
      'dingtalk.secret': 'hush',
      'http.uri': 'http://x',
    },
  });
  const app = await ConsoleApp.start({
    console: { users: USERS, registries: [{ name: 'main', registryCenter: stage.console }] },
  });
  const close = async (): Promise<void> => {
    await app[Symbol.asyncDispose]();
    await stage[Symbol.asyncDispose]();
  };
  return { stage, app, browser: await Browser.loggedIn(app, 'anna'), [Symbol.asyncDispose]: close };
}

test('settings are shown without secrets, and what comes back as asterisks stays as it is', async () => {
  await using opened = await open();
  const { stage, browser } = opened;

  const read = await browser.get(CONFIG);
  const { configuration } = read.json as { configuration: Record<string, unknown> };
  const written = await browser.request(CONFIG, {
    method: 'PUT',
    body: { ...configuration, description: 'new' },
    headers: { 'if-match': read.headers.get('etag')! },
  });

  expect(read.text).not.toMatch(/hush|abc/);
  expect(configuration['props']).toEqual({
    'dingtalk.webhook': '******',
    'dingtalk.secret': '******',
    'http.uri': 'http://x',
  });
  expect(written.json).toMatchObject({ version: 1, configuration: { description: 'new' } });
  expect(written.headers.get('etag')).toBe('"1"');
  const stored = (await stage.instances.get('/orders/config'))!;
  expect(stored).toContain('dingtalk.secret: hush');
  expect(stored).toContain('access_token=abc');
});

/** A secret in each place where jobs have them. */
const HIDDEN_EVERYWHERE = {
  jobParameter: 'user=a,password=hunter2',
  shardingItemParameters: '0=token:hunter2',
  props: {
    'script.command.line': 'mysqldump --password=hunter2 -u root',
    'http.uri': 'https://hooks.example.com/services/T0/B0/hunter2',
    'http.data': '{"user":"a","password":"hunter2"}',
    'aws.accessKeyId': 'hunter2',
    'db.pwd': 'hunter2',
    'vault.passphrase': 'hunter2',
    'db.dsn': 'Server=db;User=sa;Password=hunter2',
    'monkey.name': 'Bobo',
  },
};

async function answersTo(browser: Browser): Promise<readonly string[]> {
  const older = await browser.get('/api/jobs/config/secretive');
  const paths = ['config', 'tree', 'dump'].map((path) => `/api/v1/registries/main/jobs/secretive/${path}`);
  return [older.text, ...(await Promise.all(paths.map(async (path) => (await browser.get(path)).text)))];
}

test('guests see no secret of a job, wherever it stands, and what is none', async () => {
  await using opened = await open();
  const { stage, app } = opened;
  await stage.add('secretive', { shardingTotalCount: 1, ...HIDDEN_EVERYWHERE });

  const answers = await answersTo(await Browser.loggedIn(app, 'gina'));

  for (const answer of answers) {
    expect(answer).toContain('mysqldump --password=******');
    expect(answer).toContain('user=a,password=******');
    expect(answer).not.toContain('hunter2');
    expect(answer).toContain('Bobo');
  }
});

test('a setting that shows its secret in part can be stored as it was shown, and not with a change beside it', async () => {
  await using opened = await open();
  const { stage, browser } = opened;
  await stage.add('secretive', { shardingTotalCount: 1, ...HIDDEN_EVERYWHERE });
  const path = '/api/v1/registries/main/jobs/secretive/config';
  const { configuration } = (await browser.get(path)).json as { configuration: { jobParameter: string } };
  const put = (body: object) => browser.request(path, { method: 'PUT', body, headers: { 'if-match': '"0"' } });

  const refused = await put({ ...configuration, jobParameter: configuration.jobParameter.replace('user=a', 'user=b') });
  const stored = await put({ ...configuration, description: 'new' });

  expect(refused.json).toMatchObject({
    status: 422,
    problems: [{ setting: 'jobParameter', message: expect.stringContaining('changed beside it') as unknown }],
  });
  expect(stored.status).toBe(200);
  expect((await stage.instances.get('/secretive/config'))!.match(/hunter2/g)).toHaveLength(9);
});

test('parameters of jobs and items are shown to nobody if the settings say so, and stay as they are', async () => {
  await using stage = await JobStage.open();
  await stage.add('plain', { shardingTotalCount: 1, jobParameter: 'Mr Smith', shardingItemParameters: '0=Mrs Jones' });
  await using app = await ConsoleApp.start({
    console: {
      users: USERS,
      registries: [{ name: 'main', registryCenter: stage.console }],
      hideParameters: true,
    },
  });
  const browser = await Browser.loggedIn(app, 'anna');
  const job = '/api/v1/registries/main/jobs/plain';

  const read = await browser.get(`${job}/config`);
  const { configuration } = read.json as { configuration: object };
  const written = await browser.request(`${job}/config`, {
    method: 'PUT',
    body: { ...configuration, description: 'new' },
    headers: { 'if-match': '"0"' },
  });

  const texts = [read, written, await browser.get(`${job}/tree`), await browser.get(`${job}/dump`)];
  for (const { text } of texts) expect(text).not.toMatch(/Smith|Jones/);
  expect(await stage.instances.get('/plain/config')).toContain('Mr Smith');
});

test('keys that only later versions know are kept', async () => {
  await using opened = await open();
  const { stage, browser } = opened;
  await stage.instances.put('/orders/config', `${(await stage.instances.get('/orders/config'))!}futureKey: 7\n`);

  const read = await browser.get(CONFIG);
  const { configuration } = read.json as { configuration: Record<string, unknown> };
  const written = await browser.request(CONFIG, {
    method: 'PUT',
    body: { ...configuration, misfire: false },
    headers: { 'if-match': '"1"' },
  });

  expect(written.status).toBe(200);
  expect(await stage.instances.get('/orders/config')).toContain('futureKey: 7\n');
});

test('settings that were changed meanwhile are not overwritten', async () => {
  await using opened = await open();
  const { browser } = opened;
  const { configuration } = (await browser.get(CONFIG)).json as { configuration: object };
  const put = (headers: Record<string, string>) =>
    browser.request(CONFIG, { method: 'PUT', body: configuration, headers });

  expect((await put({})).json).toMatchObject({ status: 428, code: 'version-needed' });
  expect((await put({ 'if-match': '"0"' })).status).toBe(200);
  const late = await put({ 'if-match': '"0"' });
  expect(late.json).toMatchObject({
    status: 412,
    code: 'stale-version',
    detail: expect.stringContaining('version 1') as unknown,
  });
});

test('wrong settings are named, each by itself, and nothing is stored', async () => {
  await using opened = await open();
  const { stage, browser } = opened;
  const wrong = {
    jobName: 'orders',
    shardingTotalCount: 0,
    cron: '0 0 25 * * ?',
    timeZone: 'Mars/Base',
    props: { 'email.password': '******' },
  };

  const check = await browser.post(`${CONFIG}/validate`, wrong);
  const written = await browser.request(CONFIG, { method: 'PUT', body: wrong, headers: { 'if-match': '"0"' } });

  const { problems } = check.json as { problems: { setting: string }[] };
  expect(problems.map(({ setting }) => setting).sort()).toEqual([
    'cron',
    'props.email.password',
    'shardingTotalCount',
    'timeZone',
  ]);
  expect(written.json).toMatchObject({ status: 422, code: 'invalid-settings', problems });
  expect(await stage.instances.get('/orders/config')).toContain('hush');
});

test('a check says what would change, what is doubtful and when the job would fire', async () => {
  await using opened = await open();
  const { browser } = opened;
  const { configuration } = (await browser.get(CONFIG)).json as { configuration: { props: object } };

  const check = await browser.post(`${CONFIG}/validate`, {
    ...configuration,
    cron: '0 0 2 * * ?',
    overwrite: true,
    props: { ...configuration.props, 'dingtalk.secret': 'other' },
  });

  expect(check.json).toMatchObject({
    problems: [],
    warnings: [{ setting: 'overwrite' }],
    changes: [
      { setting: 'cron', before: '0 0/5 * * * ?', after: '0 0 2 * * ?' },
      { setting: 'overwrite', before: 'false', after: 'true' },
      { setting: 'props.dingtalk.secret', before: '******', after: '******' },
    ],
  });
  expect((check.json as { nextFires: number[] }).nextFires).toHaveLength(10);
});

test('a cron expression is previewed as the scheduler reads it, in both languages', async () => {
  await using opened = await open();
  const { browser } = opened;
  const preview = async (body: object) => (await browser.post('/api/v1/cron/preview', body)).json;
  const from = Date.UTC(2030, 0, 1);

  expect(await preview({ cron: '0 0 2 * * ?', timeZone: 'GMT+08:00', count: 2, from })).toEqual({
    fires: [from + 18 * 3_600_000, from + 42 * 3_600_000],
    timeZone: 'GMT+08:00',
    words: 'every day at 02:00',
  });
  expect(await preview({ cron: '0/5 * * * * ?', lang: 'zh-CN' })).toMatchObject({ words: '每 5 秒' });
  expect(await preview({ cron: '0 0 25 * * ?' })).toMatchObject({
    fires: [],
    problem: expect.stringContaining('hours') as unknown,
  });
});

test('the nodes of a job are shown without secrets, and without addresses if asked', async () => {
  await using opened = await open();
  const { stage, browser } = opened;
  await stage.instances.put('/orders/servers/10.0.0.1', 'ENABLED');

  const shown = await browser.get('/api/v1/registries/main/jobs/orders/tree');
  const masked = await browser.get('/api/v1/registries/main/jobs/orders/tree?masked=true');
  const dump = await browser.get('/api/v1/registries/main/jobs/orders/dump');

  expect(shown.text).not.toMatch(/hush|abc/);
  expect(shown.text).toContain('/orders/servers/10.0.0.1');
  expect(masked.text).toContain('/orders/servers/ip1');
  expect(dump.text).toContain('/orders/servers/ip1 | ENABLED');
  expect(dump.headers.get('content-type')).toBe('text/plain; charset=utf-8');
});

test('an instance is asked for its dump where it lives, at the ports of the settings alone', async () => {
  await using stage = await JobStage.open();
  await stage.add('orders', { owners: { '127.0.0.1@-@1': [0] } });
  const service = new SnapshotService(stage.instances, { port: 0 });
  await service.listen();
  const port = service.port!;
  await using app = await ConsoleApp.start({
    console: {
      users: USERS,
      registries: [{ name: 'main', registryCenter: stage.console }],
      dump: { ports: [port, port] },
    },
  });
  const browser = await Browser.loggedIn(app, 'anna');
  const dump = (body: Readonly<Record<string, unknown>>) =>
    browser.post('/api/v1/registries/main/jobs/orders/dump', body);

  expect(await dump({ serverIp: '127.0.0.1', port })).toMatchObject({
    status: 200,
    json: { text: expect.stringContaining('/orders/servers/ip1 | ENABLED') as unknown },
  });
  expect(await dump({ serverIp: '127.0.0.1', port: port + 1 })).toMatchObject({ status: 403 });
  expect(await dump({ serverIp: '10.0.0.9', port })).toMatchObject({ status: 404 });
  await service.close();
  expect(await dump({ serverIp: '127.0.0.1', port })).toMatchObject({ status: 504, json: { code: 'no-dump' } });
});

describe('a job that is to run after others', () => {
  const after = (props: Readonly<Record<string, string>>, more: object = {}): object => ({
    ...{ jobName: 'orders', shardingTotalCount: 2, monitorExecution: true, props },
    ...more,
  });

  async function checkOf({ browser }: { readonly browser: Browser }, body: object) {
    const { json } = await browser.request(`${CONFIG}/validate`, { method: 'POST', body });
    return json as unknown as ConfigurationCheck;
  }

  test('is warned of a name that no job has, with the nearest one, and may be stored', async () => {
    await using opened = await open();
    const { stage, browser } = opened;
    await stage.add('imports');
    const body = after({ 'graph.after': 'importz' });

    const { problems, warnings } = await checkOf(opened, body);
    const written = await browser.request(CONFIG, { method: 'PUT', body, headers: { 'if-match': '"0"' } });

    expect(problems).toEqual([]);
    expect(warnings).toEqual([
      expect.objectContaining({
        setting: 'props.graph.after',
        message: "It runs after 'importz', which it waits for, as there is no such job; did you mean 'imports'?",
      }),
    ]);
    expect(written.status).toBe(200);
  });

  test('is refused if it would run after itself, with the path', async () => {
    await using opened = await open();
    const { stage, browser } = opened;
    await stage.add('report', { cron: '', after: 'orders' });
    const body = after({ 'graph.after': 'report' });

    const { problems } = await checkOf(opened, body);
    const written = await browser.request(CONFIG, { method: 'PUT', body, headers: { 'if-match': '"0"' } });

    expect(problems).toEqual([
      expect.objectContaining({
        setting: 'props.graph.after',
        message: expect.stringContaining('orders after report'),
      }),
    ]);
    expect(written).toMatchObject({ status: 422, json: { problems } });
  });

  test.each<[string, Record<string, string>, object, string, string]>([
    [
      'a cron expression too',
      { 'graph.after': 'a' },
      { cron: '0 0 2 * * ?' },
      'after',
      'must not be given beside cron',
    ],
    ['an unknown rule', { 'graph.after': 'a', 'graph.afterItems': 'some' }, {}, 'afterItems', 'one of all, same'],
    ['a name that is none', { 'graph.after': 'a,,b' }, {}, 'after', 'a list of texts that are not empty'],
  ])('is refused with %s, at its field', async (_, props, more, field, text) => {
    await using opened = await open();

    const { problems } = await checkOf(opened, after(props, more));

    expect(problems).toEqual([
      expect.objectContaining({ setting: `props.graph.${field}`, message: expect.stringContaining(text) }),
    ]);
  });
});
