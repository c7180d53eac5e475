import { type PostgresClient } from '../connection/driver.js';
import { SchemaVersionError } from '../connection/faults.js';
import { functions } from './functions.js';
import { SCHEMA_VERSION, tables } from './tables.js';

/** The lock that those take who create the tables: `elasti` in bytes, and the schema's own hash. */
const LOCK = 0x656c6173;

/** The part of a link that creates the tables: statements of one transaction must not be spread over connections. */
type Statements = Pick<PostgresClient, 'query'>;

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
 * Creates the schema and the tables if they are not there. Instances that start together wait for each other; all or
 * nothing is created.
 * @throws SchemaVersionError if the tables are of another version
 */
export async function provideTables(client: Statements, schema: string): Promise<void> {
  if (await hasTables(client, schema)) return;
  // Before it is created: who may not create schemas may still use one that is there.
  const isThere = await client.query({ text: 'SELECT 1 FROM pg_namespace WHERE nspname = $1', values: [schema] });
  await client.query({ text: 'BEGIN' });
  try {
    await client.query({
      text: 'SELECT pg_advisory_xact_lock($1, hashtext($2))',
      values: [LOCK, schema],
    });
    if (!(await hasTables(client, schema))) {
      if (isThere.rows.length === 0) await client.query({ text: `CREATE SCHEMA IF NOT EXISTS ${quoted(schema)}` });
      await client.query({ text: creation(schema) });
    }
    await client.query({ text: 'COMMIT' });
  } catch (error) {
    await client.query({ text: 'ROLLBACK' });
    throw error;
  }
}

async function hasTables(client: Statements, schema: string): Promise<boolean> {
  const table = `${quoted(schema)}.ej_schema`;
  const { rows } = await client.query({ text: 'SELECT to_regclass($1) IS NOT NULL AS found', values: [table] });
  if (rows[0]?.['found'] !== true) return false;
  const version = (await client.query({ text: `SELECT max(version) AS version FROM ${table}` })).rows[0]?.['version'];
  if (version === SCHEMA_VERSION) return true;
  throw new SchemaVersionError(
    `the tables in schema ${schema} are of version ${String(version)}, and this version of nestjs-elasticjob works with ` +
      `version ${SCHEMA_VERSION}: use the same version of the library everywhere, or another schema`,
  );
}
