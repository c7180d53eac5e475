import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type DataSource } from 'typeorm';
import { TraceRefusedError } from '../../lib/api/errors/errors.js';
import { type TraceEvent } from '../../lib/api/events/trace-events.js';
import { RdbTraceStorage } from '../../lib/tracing/rdb/rdb-trace-storage.js';
import { Program } from '../support/program.js';
import { Random } from '../support/random.js';
import { completed, started, status } from '../support/trace-events.js';
import { JAVA, javaTables, type JavaVersion, placed } from './support/java.js';
import { dataSource, KINDS, newDatabase, serverOf } from './support/servers.js';

const { signal } = new AbortController();

describe.each(KINDS)('%s', (kind) => {
  let database: DataSource;
  let storage: RdbTraceStorage;

  beforeEach(async () => {
    database = dataSource(serverOf(kind), { database: await newDatabase(serverOf(kind)) });
    await database.initialize();
    storage = new RdbTraceStorage(database);
  });

  afterEach(() => database.destroy());

  const write = (...events: TraceEvent[]): Promise<void> => storage.write(events, signal);
  const run = (sql: string, parameters: unknown[] = []) =>
    database.query<Record<string, unknown>[]>(placed(kind, sql), parameters);
  const asText = (column: string): string =>
    kind === 'postgres' ? `CAST(${column} AS TEXT) AS ${column}` : `CAST(${column} AS CHAR) AS ${column}`;
  const executions = () =>
    run(
      `SELECT id, job_name, task_id, hostname, ip, sharding_item, execution_source, failure_cause, is_success, ${asText('start_time')}, ${asText('complete_time')} FROM JOB_EXECUTION_LOG ORDER BY id`,
    );
  const statuses = () => run('SELECT * FROM JOB_STATUS_TRACE_LOG ORDER BY id');
  const truth = (value: boolean) => (kind === 'postgres' ? value : Number(value));
  /** MySQL's TIMESTAMP has whole seconds. */
  const second = (text: string, ms: string) => (kind === 'postgres' ? text + ms : text);
  const taskId = 'orders@-@0,1@-@READY@-@10.0.0.1@-@7';
  const row = (id: string) => ({
    id,
    job_name: 'orders',
    task_id: taskId,
    hostname: 'host-1',
    ip: '10.0.0.1',
    sharding_item: 0,
    execution_source: 'NORMAL_TRIGGER',
    failure_cause: null as string | null,
    is_success: truth(true),
    start_time: second('2030-01-31 23:59:58', '.12'),
    complete_time: second('2030-01-31 23:59:59', '.34') as string | null,
  });

  test('creates the tables as ElasticJob has them, in columns, types and keys, with three of its own at the end', async () => {
    const columnsOf = async (name: string) =>
      (
        await run(
          'SELECT column_name AS c, data_type AS t, character_maximum_length AS w, is_nullable AS n FROM information_schema.columns WHERE lower(table_name) = ? AND table_schema = ? ORDER BY ordinal_position',
          [name, kind === 'postgres' ? 'public' : database.options.database],
        )
      ).map(({ c, t, w, n }) => [c, t, w === null ? null : Number(w), n].join(' '));

    await storage.prepare(signal);
    const ours = [await columnsOf('job_execution_log'), await columnsOf('job_status_trace_log')];
    await run('DROP TABLE JOB_EXECUTION_LOG');
    await run('DROP TABLE JOB_STATUS_TRACE_LOG');
    for (const sql of javaTables(kind, '3.0.4')) await run(sql);

    const time = kind === 'postgres' ? 'timestamp without time zone' : 'timestamp';
    const text = kind === 'postgres' ? 'character varying' : 'varchar';
    const own = [`run_cause ${text} 20 YES`, `scheduled_at ${time}  YES`, `upstream_jobs ${text} 4000 YES`];
    const java = [await columnsOf('job_execution_log'), await columnsOf('job_status_trace_log')];
    expect(ours).toEqual([[...(java[0] ?? []), ...own], java[1]]);
  });

  test('creates the tables once if several instances start at the same time', async () => {
    const TRACE_DATABASE = JSON.stringify({ ...serverOf(kind), database: database.options.database });
    const processes = [1, 2, 3].map(
      () =>
        new Program('test/databases/support/create-tables.ts', {
          args: ['--import', './.config/typescript.mjs'],
          env: { TRACE_DATABASE },
        }),
    );
    for (const each of processes) {
      await each.end();
      expect(each.output).toBe('prepared\n');
    }

    await write(completed('e1'), status('s1'));
    expect(await executions()).toHaveLength(1);
  });

  test.each<JavaVersion>(['3.0.0', '3.0.4', '3.0.5'])('uses the tables of ElasticJob %s', async (version) => {
    for (const sql of javaTables(kind, version)) await run(sql);

    await write(started('e1'), status('s1', { message: 'x'.repeat(5_000) }));
    await write(status('s1'), completed('e1'), completed('e2', { failureCause: 'Error: no stock' }));
    await write(started('e2'), status('s1'), status('s2'));

    expect(await executions()).toEqual([
      row('e1'),
      { ...row('e2'), is_success: truth(false), failure_cause: 'Error: no stock' },
    ]);
    expect((await statuses()).map(({ id }) => id)).toEqual(['s1', 's2']);
  });

  test('lets Java of all versions write its tables, and completes rows that Java has begun', async () => {
    await storage.prepare(signal);
    const item = (id: string) => [
      id,
      'orders',
      taskId,
      'host-1',
      '10.0.0.1',
      0,
      'NORMAL_TRIGGER',
      truth(false),
      new Date(2030, 0, 31, 23, 59, 58, 120),
    ];
    await run(JAVA.start, item('e1'));
    await run(JAVA.success, [truth(true), new Date(2030, 0, 31, 23, 59, 59, 340), 'e1']);
    await run(JAVA.start, item('e2'));
    await write(started('e3'));
    await run(JAVA.failure, [truth(false), new Date(2030, 0, 31, 23, 59, 59, 340), 'java.lang.Error', 'e3']);
    const state = (id: string, ...source: string[]) => [
      id,
      'orders',
      '',
      taskId,
      '10.0.0.1',
      ...source,
      'READY',
      '[0, 1]',
      'TASK_STAGING',
      '',
      new Date(),
    ];
    await run(JAVA.status304, state('s1', 'LITE_EXECUTOR'));
    await run(JAVA.status305, state('s2'));
    await write(completed('e2'), started('e1'), started('e3'), status('s1'), status('s3', { state: 'TASK_STAGING' }));

    expect(await executions()).toEqual([
      row('e1'),
      row('e2'),
      { ...row('e3'), is_success: truth(false), failure_cause: 'java.lang.Error' },
    ]);
    expect((await statuses()).map(({ id, source }) => `${String(id)} ${String(source)}`)).toEqual([
      's1 LITE_EXECUTOR',
      's2 LITE_EXECUTOR',
      's3 LITE_EXECUTOR',
    ]);
    expect(await run(JAVA.originalTaskId, [taskId, 'TASK_STAGING'])).toEqual([{ original_task_id: '' }]);
  });

  test('ends in the same rows however deliveries are cut, repeated and shuffled', async () => {
    const ids = Array.from({ length: 40 }, (_, at) => `e${String(at).padStart(2, '0')}`);
    const events = ids.flatMap((id) => [started(id), completed(id), status(`s${id}`)]);
    const random = new Random(7);
    for (let round = 0; round < 30; round++) {
      const some = shuffled([...events, ...events], random).slice(0, random.integer(1, 60));
      await write(...some);
    }
    await write(...shuffled(events, random));

    expect(await executions()).toEqual(ids.map(row));
    expect(await statuses()).toHaveLength(40);
  });

  test('writes failures whole up to the width of the column, in all planes of Unicode', async () => {
    if (kind === 'mariadb') await run(`ALTER DATABASE ${String(database.options.database)} CHARACTER SET utf8mb4`);
    await write(completed('e1', { failureCause: '😀é漢\\\'"'.repeat(1_000) }));

    const cut = [...'😀é漢\\\'"'.repeat(1_000)].slice(0, 3_999).join('');
    expect((await executions())[0]!['failure_cause']).toBe(`${cut}…`);
  });

  test('writes a row without the characters that a database cannot hold, rather than not at all', async () => {
    const latin1 = {
      postgres: `ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'`,
      mariadb: 'CHARACTER SET latin1',
    };
    await database.destroy();
    database = dataSource(serverOf(kind), { database: await newDatabase(serverOf(kind), latin1[kind]) });
    await database.initialize();
    storage = new RdbTraceStorage(database);
    const failed = completed('e1', { failureCause: 'Error: 漢字 in a column of é' });

    await expect(write(failed, completed('e2'))).rejects.toThrow(TraceRefusedError);
    await write(failed);

    expect((await executions()).map((each) => each['failure_cause'])).toEqual(['Error: ?? in a column of ?']);
  });

  test('refuses what the database will never take, and looks at the widths again before it does', async () => {
    await storage.prepare(signal);
    await run(
      kind === 'postgres'
        ? 'ALTER TABLE JOB_EXECUTION_LOG ALTER failure_cause TYPE VARCHAR(100)'
        : 'ALTER TABLE JOB_EXECUTION_LOG MODIFY failure_cause VARCHAR(100)',
    );

    await write(completed('e1', { failureCause: 'x'.repeat(101) }));
    expect((await executions())[0]!['failure_cause']).toHaveLength(100);

    const item = 2 ** 40;
    await expect(write(completed('e2', { shardingItem: item }))).rejects.toThrow(TraceRefusedError);
    await expect(write(completed('e3'), completed('e2', { shardingItem: item }))).rejects.toThrow(TraceRefusedError);
    await write(completed('e3'));
    expect((await executions()).map(({ id }) => id)).toEqual(['e1', 'e3']);
  });
});

function shuffled<T>(values: readonly T[], random: Random): T[] {
  return values
    .map((value) => ({ value, place: random.next() }))
    .sort((one, other) => one.place - other.place)
    .map(({ value }) => value);
}
