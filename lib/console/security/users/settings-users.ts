import { InvalidConfigurationError } from '../../../api/errors/errors.js';
import { type JobLogger } from '../../../api/text/logger.js';
import { type ConsoleUserSettings } from '../../options/console-options.js';
import { hashPassword, isShippedDefault, needsRehash, verifyPassword } from '../passwords/password-hash.js';
import { recordOfUser, type SettingsUser, type SettingsUserRecords } from './settings-user-records.js';

/**
 * The users of the settings, with hashes instead of passwords: a user keeps the former hash if the password is
 * unchanged.
 * @throws InvalidConfigurationError if, in production, a user has a name and password that ElasticJob's consoles were
 *   shipped with
 */
export async function settingsUsers(
  users: readonly ConsoleUserSettings[],
  logger: Pick<JobLogger, 'warn'>,
  records: SettingsUserRecords,
): Promise<readonly SettingsUser[]> {
  const defaults = users.filter(({ username, password = '' }) => isShippedDefault(username, password));
  if (defaults.length > 0 && process.env['NODE_ENV'] === 'production')
    throw new InvalidConfigurationError(defaults.map(({ username }) => refusal(username)));
  for (const { username } of defaults)
    logger.warn(
      `The console lets user '${username}' log in with the password that ElasticJob's consoles were shipped with, on this machine only. Use it for development, never for more.`,
    );
  return Promise.all(
    users.map(async ({ username, role, password, passwordHash }) => ({
      ...{ username, role, isShippedDefault: isShippedDefault(username, password ?? '') },
      passwordHash: passwordHash ?? (await hashOf(password ?? '', recordOfUser(records, username)?.passwordHash)),
    })),
  );
}

async function hashOf(password: string, before: string | undefined): Promise<string> {
  const isSame = before !== undefined && !needsRehash(before) && (await verifyPassword(password, before));
  return isSame ? before : hashPassword(password);
}

function refusal(username: string): string {
  return `console.users: '${username}' has the password that ElasticJob's consoles were shipped with, which everybody knows. Give another one; for development on this machine, do not set NODE_ENV to production.`;
}
