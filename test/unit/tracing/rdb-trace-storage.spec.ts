import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { DataSource } from 'typeorm';
import { TraceRefusedError } from '../../../lib/api/errors/errors.js';
import { type TraceEvent } from '../../../lib/api/events/trace-events.js';
import { RdbTraceStorage } from '../../../lib/tracing/rdb/rdb-trace-storage.js';
import { completed, started, status } from '../../support/trace-events.js';

const { signal } = new AbortController();

let database: DataSource;
let storage: RdbTraceStorage;

beforeEach(async () => {
  database = await new DataSource({ type: 'sqljs' }).initialize();
  storage = new RdbTraceStorage(database);
});

afterEach(() => database.destroy());

const write = (...events: TraceEvent[]): Promise<void> => storage.write(events, signal);
const select = (sql: string) => database.query<Record<string, unknown>[]>(sql);
const executions = () => select('SELECT * FROM JOB_EXECUTION_LOG ORDER BY id');
const statuses = () => select('SELECT * FROM JOB_STATUS_TRACE_LOG ORDER BY id');

const COMPLETED = {
  id: 'e1',
  job_name: 'orders',
  task_id: 'orders@-@0,1@-@READY@-@10.0.0.1@-@7',
  hostname: 'host-1',
  ip: '10.0.0.1',
  sharding_item: 0,
  execution_source: 'NORMAL_TRIGGER',
  failure_cause: null,
  is_success: 1,
  start_time: '2030-01-31 23:59:58.120',
  complete_time: '2030-01-31 23:59:59.340',
  ...{ run_cause: null, scheduled_at: null, upstream_jobs: null },
};

describe('the tables of ElasticJob', () => {
  test('hold a row for each item, with the wall-clock time of this process', async () => {
    await write(started('e1'));
    expect(await executions()).toEqual([{ ...COMPLETED, is_success: 0, complete_time: null }]);

    await write(completed('e1'));
    expect(await executions()).toEqual([COMPLETED]);
  });

  test('hold the cause of a run, its instant and the jobs before it, by which it is found again', async () => {
    const scheduledAt = new Date('2030-01-31T22:00:00.000Z');
    const cause = { cause: 'dependency', scheduledAt, upstreams: ['a', 'b,c'] } as const;
    await write(started('e1', cause), completed('e1', cause), completed('e2', { cause: 'manual' }));

    const { rows } = await storage.executions({ scheduledAt }, signal);

    expect(rows).toEqual([expect.objectContaining({ id: 'e1', ...cause })]);
    expect((await executions())[0]).toMatchObject({ run_cause: 'dependency', upstream_jobs: '["a","b,c"]' });
    expect((await executions())[1]).toMatchObject({ run_cause: 'manual', scheduled_at: null, upstream_jobs: null });
  });

  test('hold a row for each state of a run, in the form of Java', async () => {
    await write(status('s1'));

    expect(await statuses()).toEqual([
      {
        id: 's1',
        job_name: 'orders',
        original_task_id: '',
        task_id: 'orders@-@0,1@-@READY@-@10.0.0.1@-@7',
        slave_id: '10.0.0.1',
        source: 'LITE_EXECUTOR',
        execution_type: 'READY',
        sharding_item: '[0, 1]',
        state: 'TASK_RUNNING',
        message: '',
        creation_time: '2030-01-31 23:59:58.100',
      },
    ]);
  });

  test.each([
    ['together', [[started('e1'), completed('e1'), status('s1')]]],
    ['the completion first', [[completed('e1')], [started('e1'), status('s1')]]],
    ['the completion first, in one delivery', [[status('s1'), completed('e1'), started('e1')]]],
    [
      'each twice',
      [[started('e1')], [started('e1'), status('s1')], [status('s1'), completed('e1')], [completed('e1')]],
    ],
    ['the start again after all', [[started('e1'), status('s1')], [completed('e1')], [started('e1')]]],
  ])('end in the same rows, however events are delivered: %s', async (_, deliveries) => {
    for (const events of deliveries) await write(...events);

    expect(await executions()).toEqual([COMPLETED]);
    expect(await statuses()).toHaveLength(1);
  });

  test('hold a failure cut to the column, between characters, with a mark', async () => {
    await write(
      completed('e1', { failureCause: '😀'.repeat(4_001) }),
      completed('e2', { failureCause: 'x'.repeat(4_000) }),
    );

    const [cut, whole] = await executions();
    expect(cut!['failure_cause']).toBe(`${'😀'.repeat(3_999)}…`);
    expect(whole!['failure_cause']).toBe('x'.repeat(4_000));
  });

  test('hold a task id that is too long with both its ends, which name job and instance', async () => {
    const items = Array.from({ length: 200 }, (_, item) => item);
    const taskId = `orders@-@${items.join(',')}@-@READY@-@10.0.0.1@-@7`;

    await write(status('s1', { taskId, shardingItems: items }));

    const [row] = await statuses();
    expect(row!['task_id']).toMatch(/^orders@-@0,1,2,.*…[\d,]+@-@READY@-@10\.0\.0\.1@-@7$/);
    expect([...String(row!['task_id'])]).toHaveLength(255);
    expect(row!['sharding_item']).toMatch(/^\[0, 1, 2, .*…$/);
  });

  test('hold texts with characters that no database takes', async () => {
    await write(completed('e1', { failureCause: 'a\0b\uD800c' }));

    expect((await executions())[0]!['failure_cause']).toBe('a\uFFFDb\uFFFDc');
  });

  test('are written in several statements if one would have too many parameters', async () => {
    await write(...Array.from({ length: 3_000 }, (_, at) => completed(`e${at}`)));

    expect(await select('SELECT COUNT(*) AS n FROM JOB_EXECUTION_LOG')).toEqual([{ n: 3_000 }]);
  });
});

describe('tables that are there already', () => {
  test('are used without the column source, and with the widths that they have', async () => {
    await database.query(
      'CREATE TABLE job_status_trace_log (id VARCHAR(40) PRIMARY KEY, job_name VARCHAR(100), original_task_id VARCHAR(255), task_id VARCHAR(255), slave_id VARCHAR(50), execution_type VARCHAR(20), sharding_item VARCHAR(100), state VARCHAR(20), message VARCHAR(20), creation_time TIMESTAMP)',
    );

    await write(status('s1', { message: 'x'.repeat(21) }));

    expect((await statuses())[0]!['message']).toBe(`${'x'.repeat(19)}…`);
    expect(await select("SELECT name FROM sqlite_master WHERE type = 'index' AND name LIKE 'EJ_STATUS%'")).toEqual([]);
  });

  test('of Java have no cause of a run, and are not asked for an instant', async () => {
    await database.query(
      'CREATE TABLE JOB_EXECUTION_LOG (id VARCHAR(40) PRIMARY KEY, job_name TEXT, task_id TEXT, hostname TEXT, ip TEXT, sharding_item INT, execution_source TEXT, failure_cause TEXT, is_success INT, start_time TIMESTAMP, complete_time TIMESTAMP)',
    );
    await write(completed('e1', { cause: 'dependency', scheduledAt: new Date(0), upstreams: ['a'] }));

    const { rows } = await storage.executions({}, signal);
    expect(rows).toEqual([completed('e1')]);
    await expect(storage.executions({ scheduledAt: new Date(0) }, signal)).rejects.toThrow('no column scheduled_at');
  });

  test('are created again if they were dropped meanwhile', async () => {
    await write(started('e1'));
    await database.query('DROP TABLE JOB_EXECUTION_LOG');

    await expect(write(completed('e1'))).rejects.toThrow('no such table');
    await write(completed('e1'));

    expect(await executions()).toEqual([COMPLETED]);
  });

  test('are looked up again if a new column keeps rows out', async () => {
    await database.query(
      `CREATE TABLE JOB_STATUS_TRACE_LOG (id VARCHAR(40) PRIMARY KEY, job_name TEXT, task_id TEXT, message TEXT)`,
    );
    await write(status('s1'));
    await database.query('DROP TABLE JOB_STATUS_TRACE_LOG');
    await database.query(
      `CREATE TABLE JOB_STATUS_TRACE_LOG (id VARCHAR(40) PRIMARY KEY, job_name TEXT, task_id TEXT, source TEXT NOT NULL)`,
    );

    await write(status('s2')).catch(() => write(status('s2')));

    expect(await statuses()).toEqual([expect.objectContaining({ id: 's2', source: 'LITE_EXECUTOR' })]);
  });

  test('refuse a row that breaks a constraint, which is reported as final', async () => {
    await storage.prepare(signal);
    await database.query('CREATE UNIQUE INDEX one_job ON JOB_EXECUTION_LOG (job_name)');

    await write(completed('e1'));

    await expect(write(completed('e2'))).rejects.toThrow(TraceRefusedError);
    await expect(write(completed('e2'), completed('e3', { jobName: 'other' }))).rejects.toThrow(TraceRefusedError);
  });
});

describe('the connection', () => {
  test('is not used while the application has a transaction on it', async () => {
    await storage.prepare(signal);
    const runner = database.createQueryRunner();
    await runner.startTransaction();

    await expect(write(started('e1'))).rejects.toThrow('in a transaction');

    await runner.rollbackTransaction();
    await write(started('e1'));
    expect(await executions()).toHaveLength(1);
  });

  test('is asked for when the DataSource is initialised, which may be later', async () => {
    const later = new DataSource({ type: 'sqljs' });
    const early = new RdbTraceStorage(later);
    await expect(early.prepare(signal)).rejects.toThrow('The DataSource is not initialized');

    await later.initialize();
    await early.prepare(signal);
    await later.destroy();
  });

  test('is not asked for if the database has no tables of this kind', () => {
    const mongodb = { options: { type: 'mongodb' } } as DataSource;

    expect(() => new RdbTraceStorage(mongodb)).toThrow("a DataSource of type 'mongodb' is not one");
  });
});
