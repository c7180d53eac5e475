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

/** The JDBC driver of one of ours. */
export function driverClassOf(driver: DataSourceDriver): string {
  return Object.values(DRIVERS).find((each) => each.driver === driver)?.className ?? driver;
}

/** A place as the older APIs write it. */
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
 * Takes a JDBC URL apart. It is never handed to a driver, and nothing but a place may stand in it: options of drivers
 * read files and run code.
 * @throws ConsoleProblem 400 if anything is left over
 */
export function placeOfJdbcUrl(url: unknown): Pick<DataSourceChange, 'driver' | 'host' | 'port' | 'database'> {
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
