import { createHash } from 'node:crypto';
import { wording } from '../../../wording/wording.js';
import { isMap } from '../../../api/text/describe-value.js';
import { type Clock } from '../../../time/clock.js';
import { type Role } from '../../contract/common.js';
import { type OidcAccount } from '../../contract/session.js';
import { ConsoleProblem } from '../../answers/console-problem.js';
import { type StoreDocument } from '../../store/store-document.js';
import { type Account } from '../callers/account.js';
import { isRole, weaker } from '../callers/roles.js';
import { type OidcUser } from './oidc-provider.js';

/**
 * The most accounts in a shared store, so that they fit into one node. Beyond that, the accounts with the oldest logins
 * are forgotten.
 */
const MOST_ACCOUNTS = 2_000;

/** The account of a login, and its change since the last login. */
export interface OidcLogin {
  readonly account: OidcAccount;
  /** True if the account has another role than at its last login. */
  readonly isRoleChanged: boolean;
}

/**
 * The accounts of providers that have logged in. Issuer and `sub` identify an account; its name and role are those of
 * its last login. Sessions and tokens of an account are limited to that role, and are invalid once the account is
 * blocked or forgotten.
 */
export class OidcAccounts {
  readonly #document: StoreDocument<readonly OidcAccount[]>;
  readonly #providers: readonly string[];
  readonly #clock: Clock;

  /** @param providers the names of the providers in the settings */
  constructor(document: StoreDocument<readonly OidcAccount[]>, providers: readonly string[], clock: Clock) {
    this.#document = document;
    this.#providers = providers;
    this.#clock = clock;
  }

  /** All accounts, the latest login first. */
  list(): readonly OidcAccount[] {
    return this.#document.value.toSorted((one, other) => other.lastLoginAt - one.lastLoginAt);
  }

  /** @throws ConsoleProblem 404 `unknown-user` */
  find(id: string): OidcAccount {
    const found = this.#document.value.find((each) => each.id === id);
    if (found === undefined) throw new ConsoleProblem(404, 'unknown-user', `There is no user '${id}' of a provider.`);
    return found;
  }

  /** Remembers a login. @throws ConsoleProblem 401 `login-refused` if the account is blocked */
  async login(user: OidcUser, provider: string): Promise<OidcLogin> {
    const { username, role, issuer, sub } = user;
    const id = idOf(issuer, sub);
    const now = this.#clock.now();
    let former: OidcAccount | undefined;
    const accounts = await this.#document.update((all) => {
      former = all.find((each) => each.id === id);
      const seen = { id, username, provider, issuer, sub, role, lastLoginAt: now };
      const account = { isBlocked: false, firstLoginAt: now, ...former, ...seen };
      if (account.isBlocked) throw new ConsoleProblem(401, 'login-refused', wording('login-blocked'));
      return withRoom([...all.filter((each) => each.id !== id), account]);
    });
    const account = accounts.find((each) => each.id === id) as OidcAccount;
    return { account, isRoleChanged: former !== undefined && former.role !== role };
  }

  /** Blocks or unblocks an account. @throws ConsoleProblem 404 `unknown-user` */
  async setBlocked(id: string, isBlocked: boolean): Promise<OidcAccount> {
    const blockedAs = (account: OidcAccount): OidcAccount => (account.id === id ? { ...account, isBlocked } : account);
    this.find(id);
    await this.#document.update((all) => all.map(blockedAs));
    return this.find(id);
  }

  /**
   * The present permissions of an account.
   * @param given the role of the session or token
   * @returns its present name and role; `undefined` if it has no access
   */
  permitted({ username, provider, subject }: Account, given: Role): { username: string; role: Role } | undefined {
    if (!this.#providers.includes(provider)) return undefined;
    if (subject === undefined) {
      // Earlier releases stored only the name, so a blocked user may still have such a token.
      const isBlocked = this.#document.value.some(
        (each) => each.provider === provider && each.username === username && each.isBlocked,
      );
      return isBlocked ? undefined : { username, role: given };
    }
    const account = this.#document.value.find((each) => each.id === subject && each.provider === provider);
    if (account === undefined || account.isBlocked) return undefined;
    return { username: account.username, role: weaker(account.role, given) };
  }
}

/** The account of sessions and tokens for an account of a provider. */
export function accountOfOidc({ username, provider, id }: OidcAccount): Account {
  return { username, provider, subject: id };
}

function idOf(issuer: string, sub: string): string {
  return createHash('sha256')
    .update(JSON.stringify([issuer, sub]))
    .digest('base64url')
    .slice(0, 22);
}

/** The accounts that fit into the store. Blocked accounts are never forgotten. */
function withRoom(accounts: readonly OidcAccount[]): readonly OidcAccount[] {
  if (accounts.length <= MOST_ACCOUNTS) return accounts;
  const [oldest] = accounts
    .filter(({ isBlocked }) => !isBlocked)
    .sort((one, other) => one.lastLoginAt - other.lastLoginAt);
  return accounts.filter((each) => each !== oldest);
}

/** Checks accounts that were stored. @throws Error if they are invalid */
export function parseOidcAccounts(stored: unknown): readonly OidcAccount[] {
  const isAccount = (value: unknown): boolean =>
    isMap(value) &&
    ['id', 'username', 'provider', 'issuer', 'sub'].every((name) => typeof value[name] === 'string') &&
    ['firstLoginAt', 'lastLoginAt'].every((name) => typeof value[name] === 'number') &&
    typeof value['isBlocked'] === 'boolean' &&
    isRole(value['role']);
  if (Array.isArray(stored) && stored.every(isAccount)) return stored as readonly OidcAccount[];
  throw new Error('it must be a list of accounts of providers');
}
