import { type Wording, wording } from '../../../wording/wording.js';
import { isMap } from '../../../api/text/describe-value.js';
import { type Clock } from '../../../time/clock.js';
import { type Role } from '../../contract/common.js';
import { type ConsoleUser } from '../../contract/session.js';
import { ConsoleProblem } from '../../answers/console-problem.js';
import { settingProblem } from '../../answers/setting-problem.js';
import { StoreDocument } from '../../store/store-document.js';
import { isPasswordHash } from '../passwords/password-hash.js';
import { providerIn } from '../callers/account.js';
import { isRole } from '../callers/roles.js';
import { recordOfUser, type SettingsUser, type SettingsUserRecords } from './settings-user-records.js';

/** A stored user that was created in the console. */
export interface StoredUser {
  readonly username: string;
  readonly role: Role;
  readonly isEnabled: boolean;
  readonly passwordHash: string;
  readonly createdAt: number;
  readonly lastLoginAt?: number;
}

/** A user to create. */
export type NewUser = Pick<StoredUser, 'username' | 'role' | 'passwordHash' | 'isEnabled'>;

/** A user with a password. */
export type KnownUser =
  (StoredUser & { readonly origin: 'console' }) | (SettingsUser & { readonly origin: 'settings' });

/** The users with a password: those of the settings, and those that were created in the console. */
export class Users {
  readonly #ofSettings: readonly SettingsUser[];
  readonly #document: StoreDocument<readonly StoredUser[]>;
  readonly #clock: Clock;
  readonly #records: StoreDocument<SettingsUserRecords>;
  /** Times of logins that may not be stored yet. */
  readonly #lastLogins = new Map<string, number>();

  /** @param records the document with the last logins of users of the settings */
  constructor(
    ofSettings: readonly SettingsUser[],
    document: StoreDocument<readonly StoredUser[]>,
    clock: Clock,
    ...[records = StoreDocument.unsaved<SettingsUserRecords>(null)]: readonly StoreDocument<SettingsUserRecords>[]
  ) {
    this.#ofSettings = ofSettings;
    this.#records = records;
    this.#document = document;
    this.#clock = clock;
  }

  /** True if there is an administrator who may log in. */
  get hasAdmin(): boolean {
    return this.#all().some((user) => user.role === 'admin' && isEnabled(user));
  }

  /** The user of that name, enabled or not, ignoring case. A user of the settings comes before one of the console. */
  find(username: string): KnownUser | undefined {
    return this.#all().find((each) => isNamed(each, username));
  }

  /** All users, by name. */
  list(): readonly ConsoleUser[] {
    return this.#all()
      .map((user) => this.#shown(user))
      .sort((one, other) => one.username.localeCompare(other.username, 'en'));
  }

  /** @throws ConsoleProblem 409 `user-exists` */
  add(user: NewUser): Promise<ConsoleUser> {
    return this.#add(user);
  }

  /**
   * Creates the first administrator.
   * @throws ConsoleProblem 409 `setup-done` if another replica has created one, `user-exists`
   */
  addFirst(user: Pick<StoredUser, 'username' | 'passwordHash'>): Promise<ConsoleUser> {
    return this.#add({ ...user, role: 'admin', isEnabled: true }, () => {
      if (this.hasAdmin)
        throw new ConsoleProblem(409, 'setup-done', 'The console has an administrator already: log in.');
    });
  }

  /** @throws ConsoleProblem 404 `unknown-user`, 409 `user-of-settings` or `last-admin` */
  async change(
    username: string,
    change: Partial<Pick<StoredUser, 'role' | 'isEnabled' | 'passwordHash'>>,
  ): Promise<ConsoleUser> {
    this.#requireOwn(username);
    const users = await this.#document.update((before) => {
      const after = before.map((each) => (isNamed(each, username) ? { ...each, ...change } : each));
      this.#refuseIfNoAdmin(after);
      return after;
    });
    const changed = users.find((each) => isNamed(each, username));
    if (changed === undefined) throw unknownUser(username);
    return this.#shown({ ...changed, origin: 'console' });
  }

  /** @throws ConsoleProblem 404 `unknown-user`, 409 `user-of-settings` or `last-admin` */
  async remove(username: string): Promise<void> {
    this.#requireOwn(username);
    await this.#document.update((before) => {
      const after = before.filter((each) => !isNamed(each, username));
      this.#refuseIfNoAdmin(after);
      return after;
    });
  }

  /**
   * Stores the time of a login, and the hash of the password if it was made again.
   * @throws Error if it could not be stored
   */
  async noteLogin(username: string, passwordHash?: string): Promise<void> {
    const at = this.#clock.now();
    this.#lastLogins.set(username, at);
    const isOfSettings = this.#ofSettings.some((each) => isNamed(each, username));
    if (isOfSettings) {
      await this.#records.update(
        (records) => records?.map((each) => (isNamed(each, username) ? { ...each, lastLoginAt: at } : each)) ?? null,
      );
      return;
    }
    await this.#document.update((users) =>
      users.some((each) => isNamed(each, username))
        ? users.map((each) =>
            isNamed(each, username)
              ? { ...each, lastLoginAt: at, ...(passwordHash !== undefined && { passwordHash }) }
              : each,
          )
        : users,
    );
  }

  async #add(user: NewUser, check: () => void = () => undefined): Promise<ConsoleUser> {
    const added: StoredUser = { ...user, createdAt: this.#clock.now() };
    await this.#document.update((users) => {
      check();
      if (this.find(user.username) !== undefined)
        throw new ConsoleProblem(409, 'user-exists', `There is a user '${user.username}' already.`);
      return [...users, added];
    });
    return this.#shown({ ...added, origin: 'console' });
  }

  #all(): readonly KnownUser[] {
    const ofSettings = this.#ofSettings.map((user) => ({ ...user, origin: 'settings' as const }));
    const own = this.#document.value.filter((user) => !this.#ofSettings.some((each) => isNamed(each, user.username)));
    return [...ofSettings, ...own.map((user) => ({ ...user, origin: 'console' as const }))];
  }

  #requireOwn(username: string): void {
    const user = this.find(username);
    if (user === undefined) throw unknownUser(username);
    if (user.origin === 'console') return;
    const detail = `User '${user.username}' stands in the settings: change it there, and restart the console.`;
    throw new ConsoleProblem(409, 'user-of-settings', detail);
  }

  #refuseIfNoAdmin(own: readonly StoredUser[]): void {
    const all = [...this.#ofSettings.map((each) => ({ ...each, isEnabled: true })), ...own];
    if (!this.hasAdmin || all.some(({ role, isEnabled: may }) => role === 'admin' && may)) return;
    const detail = 'This is the last administrator who may log in. Make another one first.';
    throw new ConsoleProblem(409, 'last-admin', detail);
  }

  #shown(user: KnownUser): ConsoleUser {
    const { username, role, origin } = user;
    const stored = origin === 'console' ? user : recordOfUser(this.#records.value, username);
    const known = [this.#lastLogins.get(username), stored?.lastLoginAt];
    const lastLoginAt = known.reduce((one = 0, other = 0) => Math.max(one, other)) || undefined;
    return {
      ...{ username, role, origin, isEnabled: isEnabled(user) },
      ...(origin === 'console' && { createdAt: user.createdAt }),
      ...(lastLoginAt !== undefined && { lastLoginAt }),
    };
  }
}

/** True if a user may log in. */
export function isEnabled(user: KnownUser): boolean {
  return user.origin === 'settings' || user.isEnabled;
}

/** @returns the problem with the name of a user, as a requirement; `undefined` if there is none */
export function usernameProblem(username: unknown): Wording | undefined {
  return typeof username === 'string' && /^[\p{L}\d][\p{L}\d._@+-]{0,63}$/u.test(username)
    ? undefined
    : wording('username');
}

/**
 * Refuses names of local users that look like accounts of providers in records: `anna@company`.
 * @throws ConsoleProblem 422 `invalid-request` if the name looks like one
 */
export function refuseForeignName(username: string, providers: readonly { readonly name: string }[]): void {
  const names = providers.map(({ name }) => name);
  const provider = providerIn(username, names);
  if (provider === undefined) return;
  const problem = settingProblem('username', wording('username-foreign', { provider }));
  throw new ConsoleProblem(422, 'invalid-request', problem.message, { problems: [problem] });
}

/** Checks users that were stored. @throws Error if they are invalid */
export function parseUsers(stored: unknown): readonly StoredUser[] {
  const isUser = (value: unknown): boolean =>
    isMap(value) &&
    usernameProblem(value['username']) === undefined &&
    isRole(value['role']) &&
    typeof value['isEnabled'] === 'boolean' &&
    typeof value['createdAt'] === 'number' &&
    isPasswordHash(value['passwordHash']);
  if (Array.isArray(stored) && stored.every(isUser)) return stored as readonly StoredUser[];
  throw new Error('it must be a list of users');
}

function isNamed({ username }: { readonly username: string }, name: string): boolean {
  return username.toLowerCase() === name.toLowerCase();
}

function unknownUser(username: string): ConsoleProblem {
  return new ConsoleProblem(404, 'unknown-user', `There is no user '${username}'.`);
}
