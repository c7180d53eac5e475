/** The refusals of the page's forms, in Chinese. */
import { beforeAll, afterAll, describe, expect, test } from '@jest/globals';
import { type Problem, type SettingProblem, type Wording } from '../../lib/console/contract/common.js';
import { zh } from '../../lib/console/ui/i18n/zh.js';
import { inEnglish, type Wording as OwnWording } from '../../lib/wording/wording.js';
import { Browser } from './support/browser.js';
import { ConsoleApp, USERS } from './support/console-app.js';
import { JobStage } from './support/job-stage.js';

const TEXTS = zh as Readonly<Record<string, string>>;
const ORDERS = '/api/v1/registries/main/jobs/orders';
const JOB = { shardingTotalCount: 3, cron: '0/5 * * * * ?' };
const PEM = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';

/** Refused settings of a job, each with the setting that is wrong. */
const SETTINGS: readonly (readonly [setting: string, value: unknown])[] = [
  ['shardingTotalCount', 0],
  ['shardingTotalCount', 100_001],
  ['shardingTotalCount', 'three'],
  ['maxTimeDiffSeconds', 0],
  ['maxTimeDiffSeconds', 2 ** 40],
  ['reconcileIntervalMinutes', -2],
  ['timeoutMilliseconds', 0],
  ['maxRetries', 101],
  ['failover', 'yes'],
  ['description', 5],
  ['description', ['a']],
  ['description', { a: 1 }],
  ['description', 'a\0b'],
  ['description', 'a\u2028b'],
  ['jobParameter', 'half \ud800'],
  ['jobParameter', 'a'.repeat(250_001)],
  ['label', true],
  ['jobListenerTypes', 'a'],
  ['jobListenerTypes', ['a', ' ']],
  ['jobListenerTypes', ['a\u0007']],
  ['shardingItemParameters', '0'],
  ['shardingItemParameters', 'a=b'],
  ['shardingItemParameters', '0=a,0=b'],
  ['shardingItemParameters', '3=a'],
  ['shardingItemParameters', '{"0":'],
  ['shardingItemParameters', '{"a":"b"}'],
  ['shardingItemParameters', '{"0":1}'],
  ['shardingItemParameters', 5],
  ['shardingItemParameters', { a: 'b' }],
  ['shardingItemParameters', { 0: ['a'] }],
  ['shardingItemParameters', { 0: 'a\0' }],
  ['props', 'a=b'],
  ['props', { a: ['b'] }],
  ['props', { a: null }],
  ['props', { '': 'a' }],
  ['props', { a: { b: '1' }, 'a.b': '2' }],
  ['props', { a: 'b\u0007' }],
  ['props', { 'run.maxRetrys': '1' }],
  ['props', { 'run.maxRetries.more': '1' }],
  ['props.password', '******'],
  ['cron', 5],
  ['cron', ' '],
  ['cron', '${CRON}'],
  ['cron', '$(CRON)'],
  ['cron', '0 0 0 31 2 ?'],
  ['timeZone', 5],
  ['timeZone', 'Asia/Shanghia'],
  ['timeZone', 'UTC+8'],
  ['timeZone', 'nowhere'],
  ['cronn', 'a'],
  ['somethingElse', 'a'],
];

/** Expressions that cannot be used. */
const CRONS: readonly string[] = [
  ...['60 * * * * ?', '* 60 * * * ?', '* * 24 * * ?', '* * * 32 * ?', '* * * * 13 ?', '* * * ? * 8'],
  ...['0 0 0 1 1 ? 99', '0 0 0 1 1 ? 2030-2029', '1,,2 * * * * ?', '5X * * * * ?', '0/70 * * * * ?', '0 0 0 ? * FOO'],
  ...['0 0 0 L,1 * ?', '0 0 0 L-31 * ?', '0 0 0 L-28W * ?', '0 0 0 ? * L,2', '0 0 0 ? * 2#1#2', '0 0 0 ? * 2#6'],
  ...[
    '0 0 0 ? * ?',
    '0 0 0 1 * MON ?',
    '0 ?',
    '?',
    '0\u00a00 0 ? * MON',
    '0 0 1 * MON',
    '0 0 L,1 * *',
    '0 0 * * 1#1,2',
  ],
  ...['* *', '*', '* * * * * * *', 'TZ=UTC * * * * *', '@reboot', '@often', 'H * * * *', '99 * * * *'],
  ...['*/90 * * * *', '*/120 * * * *', '0 */48 * * *', '0-59/90 * * * *', '0 0 */40 * *', '*/90 * * * * *'],
];

describe('on the Chinese page', () => {
  let stage: JobStage;
  let app: ConsoleApp;
  let browser: Browser;

  beforeAll(async () => {
    stage = await JobStage.open();
    await stage.add('orders', { ...JOB, props: { token: 'hush' } });
    app = await ConsoleApp.start({
      console: {
        users: USERS,
        registries: [{ name: 'main', registryCenter: stage.console }],
        connections: { allow: ['10.0.0.0/8'] },
        secretKey: 'k'.repeat(40),
      },
    });
    browser = await Browser.loggedIn(app, 'anna');
  });

  afterAll(async () => {
    await app[Symbol.asyncDispose]();
    await stage[Symbol.asyncDispose]();
  });

  const check = async (
    settings: object,
  ): Promise<Readonly<Record<'problems' | 'warnings', readonly SettingProblem[]>>> =>
    (await browser.post(`${ORDERS}/config/validate`, settings)).json as never;

  test.each(SETTINGS)('the setting %s is refused in Chinese: %j', async (setting, value) => {
    const [name = '', property] = setting.split('.');
    const given = { ...JOB, [name]: property === undefined ? value : { [property]: value } };

    const { problems } = await check(given);
    const stored = await browser.request(`${ORDERS}/config`, {
      method: 'PUT',
      body: given,
      headers: { 'if-match': '"0"' },
    });

    expect(problems.length).toBeGreaterThan(0);
    for (const problem of problems) expectChinese(problem);
    expect(stored.status).toBe(422);
    expectWorded(stored.json as unknown as Problem);
  });

  test('a contradiction between a setting and a property is refused in Chinese', async () => {
    const { problems } = await check({ ...JOB, maxRetries: 2, props: { 'run.maxRetries': '3' } });

    expect(problems.map(expectChinese)).toEqual([
      'maxRetries 不能与该作业的属性“run.maxRetries”不同，后者为 "3"，实际为 2。',
    ]);
  });

  test.each<object>([
    { cron: '0 0 0 1 1 ? 2000' },
    { cron: '0/0 * * * * ?' },
    { cron: '0 0 0 1 1 ? 2090 x' },
    { cron: '', timeZone: 'GMT+8' },
    { failover: true, monitorExecution: false },
    { retryBackoffMilliseconds: 5 },
    ...['CST', 'IST', 'BST', 'AST', 'ECT', 'SST', 'EST', 'MST'].map((timeZone) => ({ timeZone })),
    { jobListenerTypes: ['a', 'A'] },
    { shardingItemParameters: '0=a,,' },
    { shardingItemParameters: '00=a' },
    { overwrite: true },
  ])('a doubt about %j is Chinese', async (settings) => {
    const { problems, warnings } = await check({ ...JOB, ...settings });

    expect(problems).toEqual([]);
    expect(warnings.length).toBeGreaterThan(0);
    for (const warning of warnings) expectChinese(warning);
  });

  test.each(CRONS)('the expression %j is refused in Chinese', async (cron) => {
    const { json } = await browser.post('/api/v1/cron/preview', { cron });
    const { problems } = await check({ ...JOB, cron });

    expect(json).toMatchObject({ fires: [], problem: expect.any(String) });
    expectChinese({ message: json['problem'] as string, wording: json['wording'] as Wording });
    for (const problem of problems) expectChinese(problem);
    expect(problems).toHaveLength(1);
  });

  test.each<readonly [method: string, path: string, body: unknown]>([
    ['POST', '/api/v1/cron/preview', {}],
    ['POST', '/api/v1/cron/preview', { cron: 'a'.repeat(1_001) }],
    ['POST', '/api/v1/cron/preview', { cron: 'a', count: 0 }],
    ['POST', '/api/v1/cron/preview', ['a']],
    ['PUT', `${ORDERS}/config`, ['a']],
    ['POST', `${ORDERS}/config/validate`, 'a'],
    ['POST', '/api/v1/registries', {}],
    ['POST', '/api/v1/registries', { name: 'a', serverLists: 'a:1,,', namespace: 'a', digest: 'a' }],
    ['POST', '/api/v1/registries', { name: '!', serverLists: 'a:b:c', namespace: 'zookeeper', sasl: {} }],
    [
      'POST',
      '/api/v1/registries',
      { name: 'a', serverLists: 'a b', namespace: 'a//b', sasl: { username: 'a', password: 1 } },
    ],
    ...['a/b,c/b', 'a/b/', 'a/zookeeper', ''].map(
      (serverLists) => ['POST', '/api/v1/registries', { name: 'a', serverLists, namespace: 'a' }] as const,
    ),
    ...[5, { crt: 'a' }, { other: 'a' }, { ca: 'a' }, { ca: 5 }, { rejectUnauthorized: 1 }, { servername: '!' }].map(
      (tls) => ['POST', '/api/v1/registries', { name: 'a', serverLists: '10.0.0.1', namespace: 'a', tls }] as const,
    ),
    ...[{ cert: PEM }, { key: PEM }, { cert: PEM, key: PEM }].map(
      (tls) => ['POST', '/api/v1/registries', { name: 'a', serverLists: '10.0.0.1', namespace: 'a', tls }] as const,
    ),
    ['POST', '/api/v1/registries', { name: 'a', serverLists: '127.0.0.1:2181', namespace: 'a' }],
    ['POST', '/api/v1/registries', { name: 'main', serverLists: '10.0.0.1', namespace: 'a' }],
    ['POST', '/api/v1/registries', { name: 'b', serverLists: '10.0.0.1', namespace: 'a', sasl: { username: 'a' } }],
    ['POST', '/api/v1/data-sources', {}],
    [
      'POST',
      '/api/v1/data-sources',
      { name: '!', driver: 'sqljs', host: 'a b', port: 0, database: '', username: 1, password: 1 },
    ],
    [
      'POST',
      '/api/v1/data-sources',
      { name: 'a', driver: 'mysql', host: '10.0.0.1', port: 1, database: 'a', tls: { ca: PEM } },
    ],
    ['POST', '/api/v1/data-sources', { name: 'a', driver: 'mysql', host: '127.0.0.1', port: 1, database: 'a' }],
    ['POST', '/api/v1/users', {}],
    ['POST', '/api/v1/users', { username: '!', role: 'king', isEnabled: 'yes' }],
    ...[5, 'short', 'a'.repeat(5_000), 'maximilian1'].map(
      (password) => ['POST', '/api/v1/users', { username: 'maximilian', role: 'guest', password }] as const,
    ),
    ['POST', '/api/v1/users', { username: 'anna', role: 'guest', password: 'correct horse staple' }],
    ['PUT', '/api/v1/users/nobody', { role: 'guest' }],
    ['PUT', '/api/v1/users/anna', { role: 'guest' }],
    ['DELETE', '/api/v1/users/anna', undefined],
    ['POST', '/api/v1/auth/password', { old: '', new: 'short' }],
    ['POST', '/api/v1/auth/password', { old: 'wrong', new: 'correct horse staple' }],
    ['POST', '/api/v1/auth/tokens', {}],
    ['POST', '/api/v1/auth/tokens', { name: 'a'.repeat(101), role: 'king', days: 366 }],
    ['POST', `${ORDERS}/trigger`, { items: [] }],
    ['POST', `${ORDERS}/trigger`, { items: [7] }],
    ['POST', `${ORDERS}/trigger`, { parameter: 5 }],
    ['POST', `${ORDERS}/trigger`, { parameter: 'a'.repeat(10_001) }],
    ['POST', `${ORDERS}/trigger`, { parameter: 'a\0' }],
    ['POST', `${ORDERS}/trigger`, { reason: 5 }],
    ['POST', `${ORDERS}/trigger`, { reason: 'a'.repeat(1_001) }],
    ['POST', '/api/v1/registries/main/jobs/nobody/trigger', {}],
    ['POST', '/api/v1/registries/main/jobs/batch', { action: 'end', names: ['orders'] }],
    ['POST', '/api/v1/registries/main/jobs/batch', { action: 'trigger', names: 'orders' }],
    ['POST', '/api/v1/registries/main/servers/prune', { dryRun: 'yes' }],
    ['DELETE', ORDERS, { confirm: 'other' }],
    ['DELETE', ORDERS, { confirm: 'orders', living: 'yes' }],
    ['GET', '/api/v1/registries/main/jobs?limit=0', undefined],
    ['GET', '/api/v1/registries/main/schedule?from=2&to=1', undefined],
    ['GET', '/api/v1/registries/main/schedule?from=never', undefined],
    ['GET', '/api/v1/registries/main/schedule?from=1&from=2', undefined],
    ['GET', '/api/v1/audit?outcome=perhaps', undefined],
  ])('%s %s with %j is refused in Chinese', async (method, path, body) => {
    const answer = await browser.request(path, { method, ...(body !== undefined && { body }) });

    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expectWorded(answer.json as unknown as Problem);
  });

  test('a tested connection that is not allowed says so in Chinese', async () => {
    const body = { name: 'a', serverLists: '127.0.0.1:2181', namespace: 'a' };

    const { json } = await browser.post('/api/v1/registries/test', body);

    expectChinese({ message: json['detail'] as string, wording: json['wording'] as Wording });
  });
});

/** That the page has a Chinese sentence for a refusal, and for each setting that is wrong. */
function expectWorded({ code, detail, wording, problems = [] }: Problem): void {
  expect(TEXTS[`problem.${code}`]).toMatch(/\p{Script=Han}/u);
  expect(TEXTS[`problem.${code}`]).not.toContain('{detail}');
  for (const problem of problems) expectChinese(problem);
  if (wording !== undefined && !(`state.${wording.code}` in TEXTS)) expectChinese({ message: detail, wording });
}

/** That a sentence of the server is worded, in both languages from the same. @returns it in Chinese */
function expectChinese({ message, wording }: SettingProblem): string {
  expect({ message, wording }).toEqual({ message, wording: expect.any(Object) });
  const chinese = inChinese(wording!);
  expect(
    inEnglish(wording as OwnWording)
      .toLowerCase()
      .replace(/\.$/, ''),
  ).toBe(message.toLowerCase().replace(/\.$/, ''));
  expect(chinese).toMatch(/\p{Script=Han}/u);
  return chinese;
}

function inChinese({ code, values }: Wording): string {
  const text = TEXTS[`clause.${code}`];
  if (text === undefined) throw new Error(`There is no Chinese text for '${code}'.`);
  return text.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`The text for '${code}' has no value '${name}'.`);
    if (typeof value !== 'object') return String(value);
    return 'code' in value ? inChinese(value) : new Date(value.instant).toISOString();
  });
}
