/** The driver `pg`, which is optional and loaded only when a registry centre on PostgreSQL connects. */
import { MissingPackageError } from '../../missing-package.js';
import { describeCause } from '../../../api/text/describe-cause.js';

/** As much of the package `pg` as is used. */
export interface PostgresDriver {
  readonly Client: new (options: PostgresClientOptions) => PostgresClient;
}

/** Options of a connection. */
export interface PostgresClientOptions {
  readonly connectionString: string;
  /** Options of Node's `tls.connect`; false: not encrypted. Absent: what the connection string says. */
  readonly ssl?: boolean | object;
  readonly connectionTimeoutMillis: number;
  readonly application_name: string;
  readonly keepAlive: boolean;
}

/** One connection. It carries out one statement after the other. */
export interface PostgresClient {
  connect(): Promise<unknown>;
  query(statement: PostgresStatement): Promise<PostgresResult>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
  on(event: 'notification', listener: (message: { readonly payload?: string | undefined }) => void): unknown;
  end(): Promise<void>;
  readonly host: string;
  readonly port: number;
  /** Not documented by `pg`, but the one way to leave a connection through which nothing comes any more. */
  readonly connection?: { readonly stream?: { destroy?: () => void } };
}

/** A request to a connection. A statement with a name is prepared once for each connection. */
export interface PostgresStatement {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
}

export interface PostgresResult {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

/** @throws MissingPackageError that names the package to install if `pg` is not installed */
export async function loadPostgresDriver(): Promise<PostgresDriver> {
  // In a variable: the package is optional, so neither compilers nor bundlers are to resolve it.
  const name: string = 'pg';
  try {
    const loaded = (await import(name)) as PostgresDriver & { readonly default?: PostgresDriver };
    return loaded.default ?? loaded;
  } catch (cause) {
    const [reason = ''] = describeCause(cause).split('\n');
    throw new MissingPackageError('a registry centre on PostgreSQL needs the package pg', [name], reason, { cause });
  }
}
