/** What is said of a data source in the page: whether it can be used like that, and whether it still means the same database. */
import { type SettingProblem } from '../../contract/common.js';
import { type DataSourceChange, type DataSourceDriver } from '../../contract/trace.js';
import { connectionNameProblem, invalid } from '../registries/registry-connections.js';
import { type StoredDataSource } from './stored-data-sources.js';

/** The drivers that can be chosen. `sqljs` only in the settings, as it reads files. */
export const DRIVERS: readonly DataSourceDriver[] = ['postgres', 'mysql', 'mariadb', 'sqljs'];

/** Whether both mean the same database and user, so that a password of one may be sent to the other. */
export function isSamePlace(one: Omit<StoredDataSource, 'password'>, other: DataSourceChange): boolean {
  return (['driver', 'host', 'port', 'database', 'username'] as const).every((key) => one[key] === other[key]);
}

/** @throws ConsoleProblem 422 naming everything that is wrong */
export function checkDataSourceChange({
  name,
  driver,
  host,
  port,
  database,
  username,
  password,
}: DataSourceChange): void {
  const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
  const isOptional = (value: unknown): boolean => value === undefined || typeof value === 'string';
  const checks: readonly (readonly [setting: string, problem: string | undefined])[] = [
    ['name', connectionNameProblem(name)],
    [
      'driver',
      DRIVERS.includes(driver) && driver !== 'sqljs'
        ? undefined
        : 'must be postgres, mysql or mariadb (sqljs reads a file, and stands in the settings only)',
    ],
    [
      'host',
      isText(host) && /^[\w.:-]{1,255}$/.test(host) ? undefined : 'must be a name or an address, without a port',
    ],
    ['port', Number.isInteger(port) && port >= 1 && port <= 65_535 ? undefined : 'must be an integer from 1 to 65535'],
    [
      'database',
      isText(database) && /^[\p{L}\p{N}_$.-]{1,128}$/u.test(database) ? undefined : 'must be the name of a database',
    ],
    ['username', isOptional(username) ? undefined : 'must be a text'],
    ['password', isOptional(password) ? undefined : 'must be a text'],
  ];
  const problems = checks.flatMap(([setting, problem]): SettingProblem[] =>
    problem === undefined ? [] : [{ setting, message: `${setting} ${problem}.` }],
  );
  if (problems.length > 0) throw invalid('The data source cannot be used as it is described', problems);
}
