import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type DataSource } from 'typeorm';
import { RdbTraceStorage } from '../../lib/tracing/rdb/rdb-trace-storage.js';
import { completed, started, status } from '../support/trace-events.js';
import { traceReadingContract } from '../support/trace-reading.contract.js';
import { javaTables } from './support/java.js';
import { dataSource, newDatabase, serverOf } from './support/servers.js';

const { signal } = new AbortController();
const server = serverOf('postgres');

describe('a schema of PostgreSQL', () => {
  let admin: DataSource;
  let name: string;
  let database: DataSource | undefined;

  beforeEach(async () => {
    name = await newDatabase(server);
    admin = await dataSource(server, { database: name }).initialize();
  });

  afterEach(async () => {
    await database?.destroy();
    database = undefined;
    await admin.destroy();
  });

  const storageWith = async (options: object): Promise<RdbTraceStorage> => {
    database = await dataSource(server, { database: name, ...options }).initialize();
    return new RdbTraceStorage(database);
  };
  const tables = async (): Promise<readonly string[]> => {
    const rows = await admin.query<{ path: string }[]>(
      `SELECT table_schema || '.' || table_name AS path FROM information_schema.tables
WHERE lower(table_name) LIKE 'job_%' ORDER BY path`,
    );
    return rows.map(({ path }) => path);
  };
  const idsIn = async (schema: string): Promise<readonly string[]> => {
    const rows = await admin.query<{ id: string }[]>(`SELECT id FROM "${schema}".job_execution_log ORDER BY id`);
    return rows.map(({ id }) => id);
  };
  /** Tables of another application, where an unqualified name is found. */
  const tablesInPublic = async (): Promise<void> => {
    for (const sql of javaTables('postgres', '3.0.4')) await admin.query(sql);
  };
  const IN_PUBLIC = ['public.job_execution_log', 'public.job_status_trace_log'];

  test.each(['jobs', 'Audit Log'])('named %j has the tables, whatever other schemas have', async (schema) => {
    await tablesInPublic();
    await admin.query(`CREATE SCHEMA "${schema}"`);
    const storage = await storageWith({ schema });

    await storage.write([started('e1'), completed('e2'), status('s1')], signal);
    await storage.write([completed('e1')], signal);

    expect(await tables()).toEqual(
      [`${schema}.job_execution_log`, `${schema}.job_status_trace_log`, ...IN_PUBLIC].sort(),
    );
    expect(await idsIn(schema)).toEqual(['e1', 'e2']);
    expect(await idsIn('public')).toEqual([]);
  });

  describe('is read, completed and cleaned where it is written:', () => {
    beforeEach(async () => {
      await tablesInPublic();
      await admin.query('CREATE SCHEMA jobs');
      database = await dataSource(server, { database: name, schema: 'jobs' }).initialize();
    });

    traceReadingContract(() => database!);
  });

  test('whose tables Java has made is used as it is', async () => {
    await admin.query('CREATE SCHEMA jobs');
    const java = await dataSource(server, { database: name, extra: { options: '-c search_path=jobs' } }).initialize();
    for (const sql of javaTables('postgres', '3.0.5')) await java.query(sql);
    await java.destroy();

    await (await storageWith({ schema: 'jobs' })).write([completed('e1'), status('s1')], signal);

    expect(await idsIn('jobs')).toEqual(['e1']);
    expect(await tables()).toEqual(['jobs.job_execution_log', 'jobs.job_status_trace_log']);
  });

  test('may come first in the search path of the connection instead', async () => {
    await admin.query('CREATE SCHEMA jobs');
    const storage = await storageWith({ extra: { options: '-c search_path=jobs,public' } });

    await storage.write([completed('e1')], signal);

    expect(await idsIn('jobs')).toEqual(['e1']);
    expect(await tables()).toEqual(['jobs.job_execution_log', 'jobs.job_status_trace_log']);
  });

  test('that does not exist is named by the error', async () => {
    const storage = await storageWith({ schema: 'jobs' });

    await expect(storage.write([completed('e1')], signal)).rejects.toThrow('schema "jobs" does not exist');
  });
});
