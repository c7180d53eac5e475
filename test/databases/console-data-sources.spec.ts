import { describe, expect, test } from '@jest/globals';
import { type DataSourceChange } from '../../lib/console/contract/trace.js';
import { RdbTraceStorage } from '../../lib/tracing/rdb/rdb-trace-storage.js';
import { Browser } from '../console/support/browser.js';
import { ConsoleApp, USERS } from '../console/support/console-app.js';
import { completed, started } from '../support/trace-events.js';
import { dataSource, type Kind, newDatabase, serverOf } from './support/servers.js';

const { signal } = new AbortController();
const at = (second: number): Date => new Date(2030, 0, 31, 12, 0, second);

const console = { users: USERS, secretKey: 'k'.repeat(32), connections: { allow: ['127.0.0.0/8'] } };

/** A database for texts of any language, by name. */
const emptyDatabase = (kind: Kind): Promise<string> =>
  newDatabase(serverOf(kind), kind === 'mariadb' ? 'CHARACTER SET utf8mb4' : '');

/** Records a run, as an application with tracing does. */
async function record(kind: Kind, name: string, id: string): Promise<void> {
  const database = await dataSource(serverOf(kind), { database: name }).initialize();
  const storage = new RdbTraceStorage(database);
  await storage
    .prepare(signal)
    .then(() =>
      storage.write(
        [
          completed(`${id}0`, { startTime: at(0), completeTime: at(2), failureCause: 'Error: 缺货\n    at Orders' }),
          started(`${id}1`, { startTime: at(1), shardingItem: 1 }),
        ],
        signal,
      ),
    )
    .finally(() => database.destroy());
}

/** The input of an administrator in the form of the page. */
function described(kind: Kind, driver: DataSourceChange['driver'], database: string): DataSourceChange {
  const username = kind === 'postgres' ? 'postgres' : 'root';
  const { port } = serverOf(kind);
  return { name: 'runs', driver, host: '127.0.0.1', port, database, username, password: 'a secret' };
}

describe.each([
  ['postgres', 'postgres'],
  ['mariadb', 'mariadb'],
  ['mysql', 'mariadb'],
] as const)('a data source that is added to the console with the driver %s', (driver, kind) => {
  test('is tested, gets its tables, and shows the runs that are recorded in it', async () => {
    const database = await emptyDatabase(kind);
    await using app = await ConsoleApp.start({ console });
    const browser = await Browser.loggedIn(app, 'anna');
    const fields = described(kind, driver, database);

    const tested = await browser.post('/api/v1/data-sources/test', fields);
    const added = await browser.post('/api/v1/data-sources', fields);
    const before = await browser.get('/api/v1/data-sources/runs/schema');
    const created = await browser.post('/api/v1/data-sources/runs/schema');
    await record(kind, database, 'a');
    const { json } = await browser.get('/api/v1/trace/executions?ds=runs&job=orders');
    const failed = await browser.get('/api/v1/trace/executions?result=failed');
    const whole = await browser.get('/api/v1/trace/executions/a0');

    expect(tested.json).toEqual({ isOk: true, latencyMs: expect.any(Number) });
    expect(added.json).toMatchObject({ name: 'runs', driver, database, hasPassword: true, isActivated: true });
    expect(added.text).not.toContain('a secret');
    const exist = (exists: boolean) => ['JOB_EXECUTION_LOG', 'JOB_STATUS_TRACE_LOG'].map((name) => ({ name, exists }));
    expect(before.json['tables']).toEqual(exist(false));
    expect(created.json).toEqual({ tables: exist(true), sql: [] });
    expect(json['items']).toMatchObject([
      { id: 'a1', jobName: 'orders', item: 1, result: 'running' },
      { id: 'a0', jobName: 'orders', item: 0, result: 'failed', durationMs: 2_000 },
    ]);
    expect((failed.json['items'] as { id: string }[]).map(({ id }) => id)).toEqual(['a0']);
    expect(whole.json).toMatchObject({ startedAt: at(0).getTime(), failureCause: 'Error: 缺货\n    at Orders' });
  });

  test('shows the runs of another database as soon as it is changed to that', async () => {
    const [first, second] = [await emptyDatabase(kind), await emptyDatabase(kind)];
    await record(kind, first, 'a');
    await record(kind, second, 'b');
    await using app = await ConsoleApp.start({ console });
    const browser = await Browser.loggedIn(app, 'anna');
    await browser.post('/api/v1/data-sources', described(kind, driver, first));
    const before = await browser.get('/api/v1/trace/executions');

    const body = described(kind, driver, second);
    const edited = await browser.request('/api/v1/data-sources/runs', { method: 'PUT', body });
    const after = await browser.get('/api/v1/trace/executions');

    expect(edited.json).toMatchObject({ database: second, isActivated: true });
    const ids = ({ json }: typeof after) => (json['items'] as { id: string }[]).map(({ id }) => id);
    expect(ids(before)).toEqual(['a1', 'a0']);
    expect(ids(after)).toEqual(['b1', 'b0']);
  });

  test('is refused by its test if the server has no such database', async () => {
    await using app = await ConsoleApp.start({ console });
    const browser = await Browser.loggedIn(app, 'anna');

    const tested = await browser.post('/api/v1/data-sources/test', described(kind, driver, 'nowhere'));

    expect(tested.status).toBe(200);
    expect(tested.json).toMatchObject({ isOk: false });
    expect(tested.text).not.toContain('nowhere');
  });
});
