import { type PostgresClient } from '../connection/driver.js';
import { IncompatibleDatabaseError } from '../connection/faults.js';
import { functions } from './functions.js';
import { MIGRATIONS, SCHEMA_VERSION, TABLES, tables } from './tables.js';

/** The lock that those take who create or migrate the tables: `elasti` in bytes, and the schema's own hash. */
const LOCK = 0x656c6173;

/**
 * How long a migration waits for a table, in milliseconds: shorter than the server's `deadlock_timeout` of a second, so
 * that the migration gives way, and no commit or heartbeat fails.
 */
const LOCK_WAIT_MS = 500;

/** How often a migration tries to lock the tables. */
const LOCK_ATTEMPTS = 10;

/** Deadlock detected, lock not available. */
const LOCK_FAULTS: ReadonlySet<unknown> = new Set(['40P01', '55P03']);

/** The part of a link that creates the tables: statements of one transaction must not be spread over connections. */
type Statements = Pick<PostgresClient, 'query'>;

/** The first version with numbers of transactions of 64 bits as a type (`xid8`). */
const OLDEST_SERVER = 13;

/** A name as SQL quotes it. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** All that is created in an empty database, as SQL. */
export function creation(schema: string): string {
  const s = quoted(schema);
  return `${tables(s)}${functions(s)}INSERT INTO ${s}.ej_schema (version) VALUES (${SCHEMA_VERSION});`;
}

/**
 * Creates the schema and the tables if they are not there, and migrates those of an older version. Instances that start
 * together wait for each other; all or nothing is done.
 * @throws IncompatibleDatabaseError if the server is too old; if the tables are of a newer version, or of an older one
 * and of another owner; or if some of them are missing
 * @throws the server's error if somebody else holds locks of tables that are to be migrated for more than five seconds
 */
export async function provideTables(client: Statements, schema: string): Promise<void> {
  await requireServerVersion(client);
  const stored = await storedVersion(client, schema);
  if (stored === SCHEMA_VERSION) return;
  if (stored !== undefined) await requireOwnership(client, schema, stored);
  // Before it is created: who may not create schemas may still use one that is there.
  const found = await client.query({ text: 'SELECT 1 FROM pg_namespace WHERE nspname = $1', values: [schema] });
  const isThere = found.rows.length > 0;
  for (let attempt = 1; ; attempt++) {
    try {
      return await createOrMigrate(client, schema, isThere);
    } catch (error) {
      // Those who waited behind the migration have their turn in between.
      if (attempt === LOCK_ATTEMPTS || !LOCK_FAULTS.has((error as { readonly code?: unknown }).code)) throw error;
    }
  }
}

async function createOrMigrate(client: Statements, schema: string, isThere: boolean): Promise<void> {
  await client.query({ text: 'BEGIN' });
  try {
    await client.query({
      text: 'SELECT pg_advisory_xact_lock($1, hashtext($2))',
      values: [LOCK, schema],
    });
    const version = await storedVersion(client, schema);
    if (version === undefined) {
      if (!isThere) await client.query({ text: `CREATE SCHEMA IF NOT EXISTS ${quoted(schema)}` });
      await client.query({ text: creation(schema) });
    } else if (version < SCHEMA_VERSION) await client.query({ text: migration(schema, version) });
    await client.query({ text: 'COMMIT' });
  } catch (error) {
    // On a connection that is gone it fails as well; the error before it says why.
    await client.query({ text: 'ROLLBACK' }).catch(() => undefined);
    throw error;
  }
}

async function requireServerVersion(client: Statements): Promise<void> {
  const { rows } = await client.query({
    text: `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number`,
  });
  const { version, number } = rows[0] ?? {};
  if (Number(number) >= OLDEST_SERVER * 10_000) return;
  throw new IncompatibleDatabaseError(
    `PostgreSQL is of version ${String(version)}, and version ${OLDEST_SERVER} or later is needed: upgrade the server, or ` +
      'name another one in regCenter.url',
  );
}

/**
 * The statements that bring the tables to this version. They replace all functions, and some of those have the same
 * parameters in both versions. So each session gets another epoch, and its next heartbeat or commit finds it gone: its
 * process connects again, and then learns the version.
 */
function migration(schema: string, from: number): string {
  const s = quoted(schema);
  const steps = Array.from({ length: SCHEMA_VERSION - from }, (_, step) => MIGRATIONS[from + step]?.(s) ?? '');
  return `
-- In the order in which the functions take them, or both would wait for each other. Single statements that read have
-- another order, and so have functions of older versions.
SET LOCAL lock_timeout = ${LOCK_WAIT_MS};
LOCK TABLE ${['ej_session', 'ej_job', 'ej_node', 'ej_change', 'ej_namespace'].map((table) => `${s}.${table}`).join(', ')};
${steps.join('')}
DO $do$
DECLARE
  each regprocedure;
BEGIN
  FOR each IN SELECT oid FROM pg_proc WHERE pronamespace = '${s}'::regnamespace AND proname LIKE 'ej\\_%' LOOP
    EXECUTE 'DROP FUNCTION ' || each || ' CASCADE';
  END LOOP;
END $do$;
${functions(s)}
UPDATE ${s}.ej_session SET epoch = epoch + 1;
UPDATE ${s}.ej_schema SET version = ${SCHEMA_VERSION};`;
}

/**
 * The version of the tables in a schema; `undefined` if none of them is there.
 * @throws IncompatibleDatabaseError if some are missing, or if this library neither uses nor migrates that version
 */
export async function storedVersion(client: Statements, schema: string): Promise<number | undefined> {
  const { rows } = await client.query({
    text: `SELECT name FROM unnest($2::text[]) AS name WHERE to_regclass(format('%I.%I', $1::text, name)) IS NULL`,
    values: [schema, TABLES],
  });
  if (rows.length === TABLES.length) return undefined;
  if (rows.length > 0) throw incomplete(schema, rows);
  const table = `${quoted(schema)}.ej_schema`;
  const found = await client.query({ text: `SELECT max(version) AS version FROM ${table}` });
  const version = found.rows[0]?.['version'];
  if (version === SCHEMA_VERSION) await requireFunctions(client, schema);
  else if (typeof version !== 'number' || MIGRATIONS[version] === undefined)
    throw new IncompatibleDatabaseError(
      `the tables in schema ${schema} are of version ${String(version)}, and this version of nestjs-elasticjob works with ` +
        `version ${SCHEMA_VERSION}: use the same version of the library everywhere, or another schema`,
    );
  return version;
}

/** The server would lock the tables for this role, and then refuse to alter them. */
async function requireOwnership(client: Statements, schema: string, version: number): Promise<void> {
  const { rows } = await client.query({
    text: `SELECT current_user AS role, bool_and(pg_has_role(relowner, 'USAGE')) AS "isOwner" FROM pg_class
      WHERE relnamespace = to_regnamespace(quote_ident($1)) AND relname = ANY ($2::text[])`,
    values: [schema, TABLES],
  });
  if (rows[0]?.['isOwner'] === true) return;
  throw new IncompatibleDatabaseError(
    `the tables in schema ${schema} are of version ${version}; their owner must run ` +
      `npx elasticjob registry migrate --grant-to ${String(rows[0]?.['role'])}`,
  );
}

async function requireFunctions(client: Statements, schema: string): Promise<void> {
  const names = [...functions('s').matchAll(/CREATE OR REPLACE FUNCTION s\.(ej_\w+)/g)].map(([, name]) => name);
  const { rows } = await client.query({
    text: `SELECT name FROM unnest($2::text[]) AS name WHERE NOT EXISTS (
      SELECT FROM pg_proc WHERE proname = name AND pronamespace = to_regnamespace(quote_ident($1))
    )`,
    values: [schema, names],
  });
  if (rows.length > 0) throw incomplete(schema, rows);
}

function incomplete(schema: string, missing: readonly Readonly<Record<string, unknown>>[]): IncompatibleDatabaseError {
  const names = missing.map(({ name }) => String(name)).join(', ');
  return new IncompatibleDatabaseError(
    `schema ${schema} lacks ${names}, which somebody has dropped: restore the schema from a backup; or end all processes that ` +
      `use it, DROP SCHEMA ${schema} CASCADE, and start them again, and they register their jobs`,
  );
}
