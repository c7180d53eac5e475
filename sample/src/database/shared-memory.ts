import initSqlJs, { type Database } from 'sql.js';

/**
 * A driver for TypeORM's `sqljs` with one database in memory for the whole process, so that several instances of the
 * application in one process work on the same orders, as processes do on a database server.
 */
export async function sharedMemory(): Promise<{ readonly Database: new () => Database }> {
  const { Database } = await initSqlJs();
  database ??= new Database();
  return { Database: databaseThatStaysOpen(database) };
}

let database: Database | undefined;

/** An instance that stops closes its connection; the others go on working. */
function databaseThatStaysOpen(shared: Database): new () => Database {
  return function open() {
    return Object.assign(Object.create(shared) as Database, { close: () => undefined });
  } as unknown as new () => Database;
}
