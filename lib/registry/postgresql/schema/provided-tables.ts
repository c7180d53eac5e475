/** Creates the tables of the registry centre for an application whose role may not. */
import { SingleConnection } from '../connection/single-connection.js';
import { resolvePostgresqlConfiguration } from '../postgresql-configuration.js';
import { creation, provideTables, quoted, storedVersion } from './migration.js';
import { SCHEMA_VERSION } from './tables.js';

/** The schema of the tables, and the role that gets rights on them. */
export interface ProvidedTablesOptions {
  /** Schema of the tables. Default: `elasticjob`. */
  readonly schema?: string;
  /** A role that gets the rights which an application needs, and no more. Default: none. */
  readonly grantTo?: string;
}

/** The tables after they were provided, and their version before. */
export interface ProvidedTables {
  readonly schema: string;
  /** Version of the tables that this library works with. */
  readonly version: number;
  /** Version of the tables that were there before; `undefined` if there were none. */
  readonly before: number | undefined;
}

/** The default of `PostgresqlConfiguration.schema`. */
const SCHEMA = 'elasticjob';

/** The rights of an application that creates nothing: statements of SQL, each with its semicolon and a line feed. */
export function grants({ schema = SCHEMA, grantTo }: ProvidedTablesOptions): string {
  if (grantTo === undefined) return '';
  const [s, role] = [quoted(schema), quoted(grantTo)];
  return [
    `GRANT USAGE ON SCHEMA ${s} TO ${role};`,
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${s} TO ${role};`,
    `GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${s} TO ${role};`,
    '',
  ].join('\n');
}

/** All that `provideTablesAt` does in an empty database, as a script of one transaction. */
export function tablesScript(options: ProvidedTablesOptions = {}): string {
  const { schema = SCHEMA } = options;
  return `BEGIN;\nCREATE SCHEMA IF NOT EXISTS ${quoted(schema)};\n${creation(schema)}\n${grants(options)}COMMIT;\n`;
}

/**
 * Creates the schema and the tables in a database if they are not there, migrates those of an older version, and grants
 * the rights.
 * @param url `postgres://user:password@host:5432/database`
 * @param timeoutMs how long connecting, and each statement, may take, in milliseconds
 * @throws InvalidConfigurationError if the URL or the schema cannot be used
 * @throws IncompatibleDatabaseError, and leaves the tables as they are, if this library neither uses nor migrates them
 * @throws the error of `pg` or of the server if it refuses, or cannot be reached
 * @throws DeadlineExceededError if it falls silent
 */
export async function provideTablesAt(
  url: string,
  timeoutMs: number,
  options: ProvidedTablesOptions = {},
): Promise<ProvidedTables> {
  const { schema = SCHEMA } = options;
  resolvePostgresqlConfiguration({ url, schema, namespace: 'any' });
  const client = await SingleConnection.open(url, timeoutMs, 'elasticjob registry migrate');
  try {
    return { schema, version: SCHEMA_VERSION, before: await provide(client, schema, options) };
  } finally {
    await client.end();
  }
}

/**
 * True if a database has tables of the registry centre in that schema. Nothing is written.
 * @param url `postgres://user:password@host:5432/database`
 * @param timeoutMs how long connecting, and each statement, may take, in milliseconds
 * @param schema default: `elasticjob`
 * @throws IncompatibleDatabaseError if this library neither uses nor migrates the tables
 * @throws the error of `pg` or of the server if it refuses, or cannot be reached
 * @throws DeadlineExceededError if it falls silent
 */
export async function hasTables(url: string, timeoutMs: number, schema = SCHEMA): Promise<boolean> {
  const client = await SingleConnection.open(url, timeoutMs, 'elasticjob registry copy');
  try {
    return (await storedVersion(client, schema)) !== undefined;
  } finally {
    await client.end();
  }
}

async function provide(
  client: SingleConnection,
  schema: string,
  options: ProvidedTablesOptions,
): Promise<number | undefined> {
  const before = await storedVersion(client, schema);
  await provideTables(client, schema);
  const granted = grants({ ...options, schema });
  if (granted !== '') await client.query({ text: granted });
  return before;
}
