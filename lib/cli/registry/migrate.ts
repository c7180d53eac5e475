/** `registry migrate`: the tables of a PostgreSQL, created by somebody else than the application. */
import { faultOf, IncompatibleDatabaseError, isServerAnswer } from '../../registry/postgresql/connection/faults.js';
import { resolvePostgresqlConfiguration } from '../../registry/postgresql/postgresql-configuration.js';
import {
  type ProvidedTables,
  type ProvidedTablesOptions,
  provideTablesAt,
  tablesScript,
} from '../../registry/postgresql/schema/provided-tables.js';
import { registrySettings } from '../connection/registry-settings.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';
import { type Invocation } from '../invocation.js';

/** Options of `registry migrate`. */
export interface MigrateOptions extends ProvidedTablesOptions {
  /** True only prints the SQL. */
  readonly dryRun?: boolean;
}

/** `registry migrate`: creates the tables of a PostgreSQL, or prints the SQL that does. */
export async function migrate(invocation: Invocation, options: MigrateOptions): Promise<ExitCode> {
  const { output } = invocation;
  if (options.dryRun === true) {
    const schema = options.schema ?? schemaOf(invocation);
    const sql = tablesScript({ ...options, ...(schema !== undefined && { schema }) });
    if (output.isJson) output.json({ sql });
    else output.text(sql);
    return EXIT.done;
  }
  const { url, schema: usual } = settingsOf(invocation);
  const schema = options.schema ?? usual;
  const provided = await provide(url, invocation.options.timeout, {
    ...options,
    ...(schema !== undefined && { schema }),
  });
  if (output.isJson) output.json({ ...provided, created: provided.before === undefined });
  else output.text(`${sentence(provided)}\n`);
  return EXIT.done;
}

/** Stands for the database of a dry run, in which nothing is connected to it. */
const ANY_DATABASE = 'postgres://any/any';

/** The schema of the settings, also if they do not say yet where PostgreSQL is; `undefined` if they name none. */
function schemaOf({ options, settings, surroundings }: Invocation): string | undefined {
  const place = options.servers === undefined && { registry: ANY_DATABASE };
  return registrySettings({ ...place, namespace: 'all', ...options }, settings, surroundings).schema;
}

/** @throws CommandError if the settings name no PostgreSQL */
function settingsOf({ options, settings, surroundings }: Invocation): {
  readonly url: string;
  readonly schema?: string;
} {
  // The tables serve all namespaces.
  const { url, schema } = registrySettings(
    { ...options, namespace: options.namespace ?? 'all' },
    settings,
    surroundings,
  );
  if (url !== undefined) return { url, ...(schema !== undefined && { schema }) };
  throw new CommandError(
    EXIT.usage,
    'Only a PostgreSQL has tables to create: name it by --registry postgres://user@host/database. ZooKeeper and etcd need nothing.',
  );
}

async function provide(url: string, timeoutMs: number, options: ProvidedTablesOptions): Promise<ProvidedTables> {
  const { place, hosts } = resolvePostgresqlConfiguration({
    url,
    namespace: 'all',
    ...(options.schema !== undefined && { schema: options.schema }),
  });
  if (hosts.length > 1)
    throw new CommandError(EXIT.usage, `Only one of ${place} takes writes: name that host alone in --registry.`);
  try {
    return await provideTablesAt(url, timeoutMs, options);
  } catch (error) {
    if (error instanceof IncompatibleDatabaseError)
      throw new CommandError(EXIT.state, `Nothing was changed: ${error.message}.`, { cause: error });
    const { reason, isRefusal } = faultOf(error, place);
    if (isRefusal || isServerAnswer(error))
      throw new CommandError(EXIT.refused, `PostgreSQL refuses to create the tables: ${reason}. ${CURE}`, {
        cause: error,
      });
    throw new CommandError(EXIT.unreachable, `The tables were not created: ${reason}.`, { cause: error });
  }
}

const CURE =
  'Use a role that may CREATE in the database or own the schema, or give the script of --dry-run to somebody who has such a role.';

function sentence({ schema, version, before }: ProvidedTables): string {
  if (before === undefined) return `Created the tables of version ${version} in schema ${schema}.`;
  return before === version
    ? `Schema ${schema} has the tables of version ${version} already.`
    : `Migrated the tables in schema ${schema} from version ${before} to version ${version}.`;
}
