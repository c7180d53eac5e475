/** Checks descriptions of data sources that users enter in the page. */
import { isIP } from 'node:net';
import { type Wording, wording } from '../../../wording/wording.js';
import { type SettingProblem } from '../../contract/common.js';
import { settingProblem } from '../../answers/setting-problem.js';
import { type DataSourceChange, type DataSourceDriver } from '../../contract/trace.js';
import { connectionNameProblem, requireUsable } from '../connections/registry-changes.js';
import { isWeaker, tlsChangeProblems, tlsProblems } from '../connections/stored-tls.js';
import { servernameProblem } from '../connections/database-tls.js';
import { type DataSourceTarget } from './open-data-source.js';
import { type StoredDataSource } from './stored-data-sources.js';

/** The drivers of data sources. `sqljs` is allowed only in the settings, as it reads files. */
export const DRIVERS: readonly DataSourceDriver[] = ['postgres', 'mysql', 'mariadb', 'sqljs'];

/** The problem with the host of a database, or undefined. */
export function hostProblem(host: unknown): Wording | undefined {
  const isHost = typeof host === 'string' && (isIP(host) !== 0 || /^[\w.-]{1,255}$/.test(host));
  return isHost ? undefined : wording('host');
}

/** True if both have the same database and user, so that the password of the one may be sent to the other. */
export function isSameTarget(before: StoredDataSource, after: StoredDataSource): boolean {
  const isSameDatabase = (['driver', 'host', 'port', 'database', 'username'] as const).every(
    (key) => before[key] === after[key],
  );
  return isSameDatabase && !isWeaker(before.tls, after.tls);
}

/** @throws ConsoleProblem 422 naming all problems */
export function checkDataSourceChange({
  name,
  driver,
  host,
  port,
  database,
  username,
  password,
  tls,
}: DataSourceChange): void {
  const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
  const isOptional = (value: unknown): boolean => value === undefined || typeof value === 'string';
  const checks: readonly (readonly [setting: string, problem: Wording | undefined])[] = [
    ['name', connectionNameProblem(name)],
    ['driver', DRIVERS.includes(driver) && driver !== 'sqljs' ? undefined : wording('driver')],
    ['host', hostProblem(host)],
    [
      'port',
      Number.isInteger(port) && port >= 1 && port <= 65_535
        ? undefined
        : wording('integer-from-to', { min: 1, max: 65_535 }),
    ],
    ['database', isText(database) && /^[\p{L}\p{N}_$.-]{1,128}$/u.test(database) ? undefined : wording('database')],
    ['username', isOptional(username) ? undefined : wording('text')],
    ['password', isOptional(password) ? undefined : wording('text')],
  ];
  const problems = checks.flatMap(([setting, problem]): SettingProblem[] =>
    problem === undefined ? [] : [settingProblem(setting, problem)],
  );
  requireUsable([...problems, ...tlsChangeProblems(tls)], THING);
}

/**
 * @throws ConsoleProblem 422 if TLS cannot be used with the driver and the host, or its key and certificates do not
 *   match
 */
export function checkDataSourceTls({ driver, host, tls }: Pick<DataSourceTarget, 'driver' | 'host' | 'tls'>): void {
  if (tls === undefined) return;
  const name = servernameProblem({ driver, host, tls });
  const problems = name === undefined ? [] : [settingProblem('tls.servername', name)];
  requireUsable([...tlsProblems(tls), ...problems], THING);
}

const THING = 'The data source';
