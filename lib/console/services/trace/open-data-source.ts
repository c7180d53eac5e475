import { type DataSource, type DataSourceOptions } from 'typeorm';
import { wording } from '../../../wording/wording.js';
import { type DataSourceDriver } from '../../contract/trace.js';
import { type TlsSettings } from '../../../registry/zookeeper/zookeeper-security.js';
import { ConsoleProblem } from '../../answers/console-problem.js';
import { mysqlTls, postgresTls } from '../connections/database-tls.js';

/** The target of a connection to a database, with its credentials. */
export interface DataSourceTarget {
  readonly driver: DataSourceDriver;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly database: string;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** Default: connections are not encrypted. */
  readonly tls?: TlsSettings | undefined;
  /** The checked address to connect to. Default: the address of the host's name at that time. */
  readonly address?: string | undefined;
}

/** The package that each driver needs. */
const PACKAGES: Readonly<Record<DataSourceDriver, string>> = {
  postgres: 'pg',
  mysql: 'mysql2',
  mariadb: 'mysql2',
  sqljs: 'sql.js',
};

/** The usual ports of databases. */
export const PORTS: Readonly<Record<DataSourceDriver, number | undefined>> = {
  postgres: 5432,
  mysql: 3306,
  mariadb: 3306,
  sqljs: undefined,
};

const CONNECT_MS = 5_000;
const STATEMENT_MS = 10_000;

/** The size of the pool; few connections are enough, as pages read one after the other. */
const POOL = 4;

/**
 * Connects to a database. No caller can set options of the driver.
 * @throws ConsoleProblem 501 if TypeORM or the driver is not installed; the errors of the driver
 */
export async function openDataSource(target: DataSourceTarget): Promise<DataSource> {
  const typeOrm = await import('typeorm').catch((cause: unknown) => {
    throw new ConsoleProblem(501, 'driver-missing', wording('typeorm-missing', { packages: PACKAGES[target.driver] }), {
      cause,
    });
  });
  const source = construct(typeOrm.DataSource, target);
  try {
    return await source.initialize();
  } catch (error) {
    if (source.isInitialized) await source.destroy();
    throw isMissing(error) ? missing(target, error) : error;
  }
}

function construct(Source: typeof DataSource, target: DataSourceTarget): DataSource {
  try {
    return new Source(optionsOf(target));
  } catch (error) {
    throw isMissing(error) ? missing(target, error) : error;
  }
}

function optionsOf({ driver, database, username, password, ...target }: DataSourceTarget): DataSourceOptions {
  const { host = 'localhost', address = host, port = PORTS[driver] ?? 0, tls } = target;
  const common = {
    ...{ database, poolSize: POOL, synchronize: false, logging: false, entities: [], host: address, port },
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
  };
  switch (driver) {
    case 'postgres':
      return {
        ...{ ...common, type: driver, connectTimeoutMS: CONNECT_MS, extra: { statement_timeout: STATEMENT_MS } },
        ...(tls !== undefined && { ssl: postgresTls({ host, address, port, tls }) }),
      };
    case 'mysql':
    case 'mariadb':
      // The server must not read files of this machine, and gets one statement at a time.
      return {
        ...common,
        type: driver,
        connectTimeout: CONNECT_MS,
        multipleStatements: false,
        flags: ['-LOCAL_FILES'],
        ...(tls !== undefined && mysqlTls({ host, address, port, tls })),
      };
    case 'sqljs':
      return { type: driver, location: database, autoSave: false, synchronize: false, logging: false, entities: [] };
    default:
      return driver satisfies never;
  }
}

function isMissing(error: unknown): boolean {
  return (
    error instanceof Error &&
    (error.name === 'DriverPackageNotInstalledError' ||
      /has not been found installed|Cannot find (?:module|package)/.test(error.message))
  );
}

function missing({ driver }: DataSourceTarget, cause: unknown): ConsoleProblem {
  return new ConsoleProblem(501, 'driver-missing', wording('driver-missing', { driver, packages: PACKAGES[driver] }), {
    cause,
  });
}
