import { type DataSourceChange, type DataSourceDriver } from '../../contract/trace.js';
import { ConsoleProblem } from '../../answers/console-problem.js';

const DRIVERS: Readonly<
  Record<string, { readonly driver: DataSourceDriver; readonly port: number; readonly className: string }>
> = {
  postgresql: { driver: 'postgres', port: 5432, className: 'org.postgresql.Driver' },
  mysql: { driver: 'mysql', port: 3306, className: 'com.mysql.cj.jdbc.Driver' },
  mariadb: { driver: 'mariadb', port: 3306, className: 'org.mariadb.jdbc.Driver' },
};

/** The names of the JDBC drivers that the older APIs take. */
export const DRIVER_CLASSES: readonly string[] = Object.values(DRIVERS).map(({ className }) => className);

/** The class of the JDBC driver for one of our drivers. */
export function driverClassOf(driver: DataSourceDriver): string {
  return Object.values(DRIVERS).find((each) => each.driver === driver)?.className ?? driver;
}

/** The JDBC URL of a database, for the older APIs. */
export function jdbcUrlOf({
  driver,
  host = '',
  port,
  database,
}: {
  driver: DataSourceDriver;
  host?: string;
  port?: number;
  database: string;
}): string {
  const [scheme] = Object.entries(DRIVERS).find(([, each]) => each.driver === driver) ?? [driver];
  return `jdbc:${scheme}://${host}${port === undefined ? '' : `:${port}`}/${database}`;
}

/**
 * Parses a JDBC URL. It is never passed to a driver, and must not contain options: options of drivers read files and
 * run code.
 * @throws ConsoleProblem 400 if the URL has any other part
 */
export function targetOfJdbcUrl(url: unknown): Pick<DataSourceChange, 'driver' | 'host' | 'port' | 'database'> {
  const match =
    typeof url === 'string' ? /^jdbc:([a-z]+):\/\/([\w.-]+|\[[\da-f:]+\])(?::(\d{1,5}))?\/([\w$-]+)$/i.exec(url) : null;
  const [, scheme = '', host = '', port, database = ''] = match ?? [];
  const known = Object.hasOwn(DRIVERS, scheme.toLowerCase()) ? DRIVERS[scheme.toLowerCase()] : undefined;
  if (known === undefined)
    throw new ConsoleProblem(
      400,
      'bad-url',
      "url must be like 'jdbc:mysql://host:3306/database' (mysql, mariadb or postgresql), without options.",
    );
  return { driver: known.driver, host: host.replace(/^\[|\]$/g, ''), port: Number(port ?? known.port), database };
}
