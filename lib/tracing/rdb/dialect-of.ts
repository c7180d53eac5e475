import { type DataSource } from 'typeorm';
import { InvalidConfigurationError } from '../../api/errors/errors.js';
import { describeValue } from '../../api/text/describe-value.js';
import { type Dialect } from './dialect.js';
import { mysql } from './dialects/mysql.js';
import { oracle } from './dialects/oracle.js';
import { cockroach, postgres } from './dialects/postgres.js';
import { sql92 } from './dialects/sql92.js';
import { sqlServer } from './dialects/sql-server.js';
import { sqlite } from './dialects/sqlite.js';

/** The dialects, by the type of a TypeORM `DataSource`. */
const DIALECTS: Readonly<Record<string, Dialect>> = {
  mysql,
  mariadb: mysql,
  'aurora-mysql': mysql,
  postgres,
  'aurora-postgres': postgres,
  cockroachdb: cockroach,
  oracle,
  mssql: sqlServer,
  sqlite,
  sqljs: sqlite,
  'better-sqlite3': sqlite,
  capacitor: sqlite,
  cordova: sqlite,
  expo: sqlite,
  nativescript: sqlite,
  'react-native': sqlite,
};

/** Databases that have no tables of this kind. */
const UNFIT = ['mongodb', 'spanner'];

/**
 * The dialect of a data source; that of the SQL-92 standard if its database is not known.
 * @throws InvalidConfigurationError if it is no data source, or if the database cannot hold the tables
 */
export function dialectOf(dataSource: Pick<DataSource, 'options'>): Dialect {
  const { type } = (dataSource as Partial<Pick<DataSource, 'options'>> | undefined)?.options ?? {};
  if (type === undefined)
    throw new InvalidConfigurationError([
      `Event tracing needs a TypeORM DataSource, got ${describeValue(dataSource, 'hidden')}`,
    ]);
  if (UNFIT.includes(type))
    throw new InvalidConfigurationError([
      `Event tracing needs a relational database with the SQL of ElasticJob's tables; a DataSource of type '${type}' is not one.`,
    ]);
  return DIALECTS[type] ?? sql92;
}
