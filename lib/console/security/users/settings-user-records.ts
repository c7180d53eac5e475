import { isMap } from '../../../api/text/describe-value.js';
import { describeCause } from '../../../api/text/describe-cause.js';
import { type JobLogger } from '../../../api/text/logger.js';
import { type Role } from '../../contract/common.js';
import { type StoreDocument } from '../../store/store-document.js';
import { LOCAL } from '../callers/account.js';
import { type AccountAccess } from './account-access.js';
import { isPasswordHash } from '../passwords/password-hash.js';
import { isRole } from '../callers/roles.js';

/** A user of the settings, with the hash of the password. */
export interface SettingsUser {
  readonly username: string;
  readonly role: Role;
  readonly passwordHash: string;
  /** True if name and password were shipped with ElasticJob's consoles: this user may log in only on this machine. */
  readonly isShippedDefault: boolean;
}

/** A user of the settings at the last start of the console. */
export interface SettingsUserRecord {
  readonly username: string;
  readonly role: Role;
  readonly passwordHash: string;
  readonly lastLoginAt?: number;
}

/** `null` if the console has not started with this store before. */
export type SettingsUserRecords = readonly SettingsUserRecord[] | null;

/** The record of a user, ignoring the case of the name. */
export function recordOfUser(records: SettingsUserRecords, username: string): SettingsUserRecord | undefined {
  return records?.find((each) => each.username.toLowerCase() === username.toLowerCase());
}

/**
 * Ends sessions and tokens of users of the settings whose password or role has changed since the last start, who are
 * gone, or who are new, as another user may have had the name.
 * @throws the error of the store if sessions and tokens cannot be ended
 */
export async function followSettings(
  users: readonly SettingsUser[],
  document: StoreDocument<SettingsUserRecords>,
  { access, logger }: { readonly access: AccountAccess; readonly logger: Pick<JobLogger, 'error'> },
): Promise<void> {
  const before = document.value;
  const isSame = ({ username, role, passwordHash }: SettingsUser): boolean => {
    const record = recordOfUser(before, username);
    return record?.role === role && record.passwordHash === passwordHash;
  };
  const changed = users.filter((user) => !isSame(user)).map(({ username }) => username);
  const gone = (before ?? [])
    .map(({ username }) => username)
    .filter((name) => !users.some((each) => isNamed(each, name)));
  if (before !== null) for (const username of [...changed, ...gone]) await access.end({ username, provider: LOCAL });
  if (before !== null && changed.length + gone.length === 0) return;
  try {
    await document.update((records) =>
      users.map(({ username, role, passwordHash }) => {
        const lastLoginAt = recordOfUser(records, username)?.lastLoginAt;
        return { username, role, passwordHash, ...(lastLoginAt !== undefined && { lastLoginAt }) };
      }),
    );
  } catch (error) {
    logger.error(`The console could not store which users its settings have: ${describeCause(error)}`);
  }
}

/** Checks records that were stored. @throws Error if they are invalid */
export function parseSettingsUserRecords(stored: unknown): SettingsUserRecords {
  const isRecord = (value: unknown): boolean =>
    isMap(value) &&
    typeof value['username'] === 'string' &&
    isRole(value['role']) &&
    isPasswordHash(value['passwordHash']) &&
    ['number', 'undefined'].includes(typeof value['lastLoginAt']);
  if (stored === null || (Array.isArray(stored) && stored.every(isRecord))) return stored as SettingsUserRecords;
  throw new Error('it must be a list of users of the settings');
}

function isNamed({ username }: SettingsUser, name: string): boolean {
  return username.toLowerCase() === name.toLowerCase();
}
