import { describe, expect, test } from '@jest/globals';
import { type DataSource } from 'typeorm';
import { type Dialect, type RowValues } from '../../../lib/tracing/rdb/dialect.js';
import { dialectOf } from '../../../lib/tracing/rdb/dialect-of.js';
import { statement } from '../../../lib/tracing/rdb/statement.js';
import { type ExecutionFilter, readExecutions } from '../../../lib/tracing/rdb/trace-query.js';
import { statusFields, TraceRows } from '../../../lib/tracing/rdb/trace-rows.js';
import { EXECUTIONS, STATUSES } from '../../../lib/tracing/rdb/trace-tables.js';
import { status } from '../../support/trace-events.js';

const of = (type: string): Dialect => dialectOf({ options: { type } } as DataSource);

const target = { table: 'T', columns: ['id', 'ok', 'at'], id: 'id', completion: ['ok', 'at'] };
const rows: readonly RowValues[] = [
  ['a', true, new Date(2030, 0, 31, 23, 59, 58, 7)],
  ['b', false, null],
];

function written(dialect: Dialect, how: 'keep' | 'complete') {
  const { writing } = dialect;
  if (writing.type === 'upsert') return statement(dialect, (bind) => writing.upsert(target, rows, bind, how));
  return statement(dialect, (bind) => writing.insert(target, rows, bind, how));
}

describe('the dialect', () => {
  test.each([
    ['mysql', 'MySQL'],
    ['mariadb', 'MySQL'],
    ['aurora-mysql', 'MySQL'],
    ['postgres', 'PostgreSQL'],
    ['aurora-postgres', 'PostgreSQL'],
    ['cockroachdb', 'CockroachDB'],
    ['oracle', 'Oracle'],
    ['mssql', 'SQL Server'],
    ['better-sqlite3', 'SQLite'],
    ['sqljs', 'SQLite'],
    ['expo', 'SQLite'],
    ['sap', 'SQL92'],
    ['one that comes later', 'SQL92'],
  ])('of %s is %s', (type, name) => {
    expect(of(type).name).toBe(name);
  });

  test.each(['mongodb', 'spanner'])('of %s does not exist', (type) => {
    expect(() => of(type)).toThrow(`a DataSource of type '${type}' is not one.`);
  });
});

describe('Oracle', () => {
  const oracle = of('oracle');

  test('creates tables with its types, and its indexes', () => {
    const [table, ...indexes] = oracle.create(STATUSES, 'JOB_STATUS_TRACE_LOG');

    expect(table).toBe(`CREATE TABLE JOB_STATUS_TRACE_LOG (
  id VARCHAR(40) NOT NULL,
  job_name VARCHAR(100) NOT NULL,
  original_task_id VARCHAR(255) NOT NULL,
  task_id VARCHAR(255) NOT NULL,
  slave_id VARCHAR(50) NOT NULL,
  source VARCHAR(50) DEFAULT 'LITE_EXECUTOR' NOT NULL,
  execution_type VARCHAR(20) NOT NULL,
  sharding_item VARCHAR(100) NOT NULL,
  state VARCHAR(20) NOT NULL,
  message VARCHAR(4000) NULL,
  creation_time TIMESTAMP NULL,
  PRIMARY KEY (id)
)`);
    expect(indexes[0]).toBe('CREATE INDEX TASK_ID_STATE_INDEX ON JOB_STATUS_TRACE_LOG (task_id, state)');
    expect(oracle.create(EXECUTIONS, 'JOB_EXECUTION_LOG')[0]).toMatch(
      /sharding_item NUMBER NOT NULL,[^]*is_success NUMBER NOT NULL/,
    );
  });

  test('merges rows, with timestamps that do not depend on the settings of a session', () => {
    expect(written(oracle, 'complete')).toEqual({
      sql: `MERGE INTO T t USING (
SELECT :1 AS id, :2 AS ok, TO_TIMESTAMP(:3, 'YYYY-MM-DD HH24:MI:SS.FF3') AS at FROM DUAL
UNION ALL SELECT :4 AS id, :5 AS ok, TO_TIMESTAMP(:6, 'YYYY-MM-DD HH24:MI:SS.FF3') AS at FROM DUAL
) v ON (t.id = v.id)
WHEN MATCHED THEN UPDATE SET t.ok = v.ok, t.at = v.at
WHEN NOT MATCHED THEN INSERT (id, ok, at) VALUES (v.id, v.ok, v.at)`,
      parameters: ['a', 1, '2030-01-31 23:59:58.007', 'b', 0, null],
    });
    expect(written(oracle, 'keep').sql).not.toContain('WHEN MATCHED');
  });

  test('has a blank for an empty text that is required, since it takes empty texts for NULL', () => {
    const columns = new Map(STATUSES.columns.map(({ name, width }) => [name, { reference: name, width }]));
    const made = new TraceRows(oracle, { table: STATUSES, reference: 'T', columns });
    const [, , originalTaskId] = made.row(statusFields(status('s1')), 'full');

    expect(originalTaskId).toBe(' ');
    expect(oracle.deleteSome({ table: 'T', id: 'id' }, 'at < :1', 10)).toBe(
      'DELETE FROM T WHERE at < :1 AND ROWNUM <= 10',
    );
    expect(oracle.catalog('JOBS')?.parameters).toEqual(['JOBS']);
    expect(oracle.catalog('JOBS')?.sql).toContain('owner = :1');
  });
});

describe('SQL Server', () => {
  const sqlServer = of('mssql');

  test('creates tables with its types', () => {
    expect(sqlServer.create(EXECUTIONS, 'jobs.JOB_EXECUTION_LOG')[0]).toMatch(
      /^CREATE TABLE jobs\.JOB_EXECUTION_LOG \([^]*is_success INT NOT NULL,\n {2}start_time DATETIME NULL/,
    );
  });

  test('merges rows under a lock, with timestamps that are read alike in all languages', () => {
    expect(written(sqlServer, 'complete')).toEqual({
      sql: `MERGE INTO T WITH (HOLDLOCK) t USING (VALUES (@0, @1, CAST(@2 AS DATETIME)), (@3, @4, @5)) v (id, ok, at) ON (t.id = v.id)
WHEN MATCHED THEN UPDATE SET t.ok = v.ok, t.at = v.at
WHEN NOT MATCHED THEN INSERT (id, ok, at) VALUES (v.id, v.ok, v.at);`,
      parameters: ['a', 1, '2030-01-31T23:59:58.007', 'b', 0, null],
    });
  });

  test('never has more parameters in a statement than the server takes', () => {
    expect(sqlServer.rowsPerStatement * EXECUTIONS.columns.length).toBeLessThan(2_100);
  });

  test('limits rows in its own words', () => {
    expect(sqlServer.firstRows('SELECT 1', 5)).toBe('SELECT 1 OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY');
    expect(sqlServer.deleteSome({ table: 'T', id: 'id' }, 'at < @0', 10)).toBe('DELETE TOP (10) FROM T WHERE at < @0');
  });
});

describe('a database of which nothing is known', () => {
  const sql92 = of('sap');

  test('gets tables of the SQL-92 standard, and rows one by one', () => {
    expect(sql92.create(EXECUTIONS, 'JOB_EXECUTION_LOG')[0]).toMatch(
      /id CHARACTER VARYING\(40\) NOT NULL,[^]*is_success INTEGER NOT NULL,[^]*PRIMARY KEY \(id\)/,
    );
    expect(sql92.rowsPerStatement).toBe(1);
    expect(written(sql92, 'keep').sql).toBe('INSERT INTO T (id, ok, at) VALUES (?, ?, ?), (?, ?, ?)');
  });

  test('gets completions by updates whose parameters stand in the order of their marks', () => {
    const { writing } = sql92;
    if (writing.type !== 'look-first') throw new Error('unexpected');

    expect(statement(sql92, (bind) => writing.update(target, rows.slice(0, 1), bind))).toEqual({
      sql: 'UPDATE T SET ok = ?, at = ? WHERE id = ?',
      parameters: [1, '2030-01-31 23:59:58.007', 'a'],
    });
  });
});

describe('MySQL', () => {
  const mysql = of('mysql');

  test('creates a table with its keys in one statement, so that there is none without them', () => {
    const statements = mysql.create(EXECUTIONS, 'JOB_EXECUTION_LOG');

    expect(statements).toHaveLength(1);
    expect(statements[0]).toMatch(
      /^CREATE TABLE IF NOT EXISTS JOB_EXECUTION_LOG \(\n {2}auto_id INT NOT NULL AUTO_INCREMENT,[^]*PRIMARY KEY \(auto_id\),\n {2}UNIQUE KEY id \(id\),[^]*KEY EJ_EXECUTION_TASK_TIME \(task_id, start_time, id\)[^]*\) ENGINE=InnoDB ROW_FORMAT=DYNAMIC$/,
    );
    const [statuses] = mysql.create(STATUSES, 'JOB_STATUS_TRACE_LOG');
    expect(statuses).not.toContain('UNIQUE');
    expect(statuses).toContain('KEY TASK_ID_STATE_INDEX (task_id(128), state)');
  });

  test('completes rows in one statement, with constants that adapt to the collation of the table', () => {
    const { writing } = mysql;
    if (writing.type !== 'look-first') throw new Error('unexpected');

    expect(statement(mysql, (bind) => writing.update(target, rows, bind))).toEqual({
      sql: 'UPDATE T SET ok = CASE id WHEN ? THEN ? WHEN ? THEN ? END, at = CASE id WHEN ? THEN ? WHEN ? THEN ? END WHERE id IN (?, ?)',
      parameters: ['a', 1, 'b', 0, 'a', '2030-01-31 23:59:58.007', 'b', null, 'a', 'b'],
    });
  });
});

describe('PostgreSQL', () => {
  test('creates a table with its indexes in one text, which the server carries out as a whole', () => {
    expect(of('postgres').create(EXECUTIONS, 'JOB_EXECUTION_LOG')).toEqual([
      expect.stringContaining(';\nCREATE INDEX '),
    ]);
  });
});

/**
 * An index gives the order of a page only if the text of the statement lets the database use it so: see
 * `Dialect.comparison`.
 */
describe('a page of executions', () => {
  const columns = new Map(EXECUTIONS.columns.map(({ name, width }) => [name, { reference: name, width }]));
  const taskId = 'orders@-@0@-@READY@-@10.0.0.1@-@7';
  /** The conditions after WHERE. */
  const conditionsOf = async (type: string, filter: ExecutionFilter): Promise<string | undefined> => {
    const dialect = of(type);
    const rows = new TraceRows(dialect, { table: EXECUTIONS, reference: 'T', columns });
    let sql = '';
    const run = (made: { readonly sql: string }) => {
      sql = made.sql;
      return Promise.resolve({ rows: [], affected: 0 });
    };
    await readExecutions({ dialect, run, rows }, filter);
    return / WHERE (.*)/.exec(sql)?.[1];
  };

  test.each([
    ['of a task', { taskId }, 'task_id IN ($1, $2) ORDER BY task_id DESC, start_time DESC, id DESC LIMIT 51'],
    [
      'of a job',
      { jobName: 'orders' },
      'job_name IN ($1, $2) ORDER BY job_name DESC, start_time DESC, id DESC LIMIT 51',
    ],
    [
      'of the failures of a task, through those of its job',
      { taskId, outcome: 'failed' },
      'job_name IN ($1, $2) AND task_id = $3 AND is_success = $4 AND (complete_time IS NOT NULL OR failure_cause IS NOT NULL) ORDER BY job_name DESC, start_time DESC, id DESC LIMIT 51',
    ],
  ] as const)('%s is read by its index on PostgreSQL, however old its rows are', async (_, filter, sql) => {
    expect(await conditionsOf('postgres', filter)).toBe(sql);
  });

  test('is ordered by the compared columns on MySQL if time is limited, and otherwise by time alone', async () => {
    const task = { taskId, outcome: 'succeeded' } as const;

    expect(await conditionsOf('mysql', task)).toBe(
      'job_name = ? AND task_id = ? AND is_success = ? ORDER BY start_time DESC, id DESC LIMIT 51',
    );
    expect(await conditionsOf('mysql', { jobName: 'orders', to: new Date() })).toBe(
      'job_name IN (?, ?) AND start_time < ? ORDER BY job_name DESC, start_time DESC, id DESC LIMIT 51',
    );
  });

  test('compares plainly on the other databases', async () => {
    expect(await conditionsOf('mssql', { taskId, to: new Date() })).toMatch(
      /^task_id = @0 AND start_time < CAST\(@1 AS DATETIME\) ORDER BY start_time DESC, id DESC OFFSET/,
    );
  });
});
