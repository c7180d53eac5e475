import { createHash, randomBytes } from 'node:crypto';
import { isMap } from '../../../api/text/describe-value.js';
import { DeadlineExceededError } from '../../../api/errors/errors.js';
import { Abort } from '../../../async/abort.js';
import { withDeadline } from '../../../async/wait.js';
import { type Clock } from '../../../time/clock.js';
import { type ApiToken } from '../../contract/session.js';
import { ConsoleProblem } from '../../answers/console-problem.js';
import { type StoreDocument } from '../../store/store-document.js';
import { type Account, isSameAccount } from '../callers/account.js';
import { isRole } from '../callers/roles.js';

/** The prefix of all tokens, by which scanners for secrets find them. */
export const TOKEN_PREFIX = 'ejc_';

/** A stored token: only the SHA-256 of its secret is stored. The secret is random, so a slow hash would add nothing. */
export interface StoredToken extends ApiToken {
  readonly hash: string;
  /** The subject of its owner, an account of a provider. */
  readonly subject?: string | undefined;
}

/** The properties of a new token. */
export interface TokenRequest extends Pick<StoredToken, 'name' | 'role'> {
  readonly account: Account;
  readonly lifetimeMs: number;
  /** A `short` token is forgotten when the process ends, unless replicas share the state. */
  readonly keep: 'stored' | 'short';
}

/** The least milliseconds between two times of the last use that are stored. */
const LAST_USE_EVERY_MS = 60_000;
/** The most milliseconds between two checks for expired tokens, as the machine's clock may be set. */
const LOOK_EVERY_MS = 60_000;
/** The most milliseconds that the end of the process waits until changes are stored. */
const STORE_MS = 10_000;
/** The most stored tokens of one user. */
const MOST_OF_USER = 200;
/** The most short tokens of one user; another login removes only the user's own oldest one. */
const MOST_SHORT_OF_USER = 100;
const MOST_SHORT = 10_000;
/** The most short tokens in a shared store, so that they fit into one node. */
const MOST_SHORT_SHARED = 2_000;

/** The state of a token in this process, besides the stored one. */
interface UsedToken {
  readonly end: Abort;
  readonly expiresAt: number;
  /** The time of the last attempt to store the last use. */
  notedAt: number;
}

/** Short tokens by their hash, the oldest first. */
export type ShortTokens = Readonly<Record<string, StoredToken>>;

/** The tokens with which scripts use the console. */
export class ApiTokens {
  readonly #document: StoreDocument<readonly StoredToken[]>;
  readonly #short: StoreDocument<ShortTokens>;
  readonly #clock: Clock;
  /** The valid tokens that were used here, by their id. */
  readonly #used = new Map<string, UsedToken>();
  #cancelLook: (() => void) | undefined;
  #isStopped = false;

  constructor(document: StoreDocument<readonly StoredToken[]>, short: StoreDocument<ShortTokens>, clock: Clock) {
    this.#document = document;
    this.#short = short;
    this.#clock = clock;
    // Other replicas revoke tokens too.
    document.onChange(() => this.#endRevoked());
    short.onChange(() => this.#endRevoked());
  }

  /** Ends the checks for expired tokens. */
  stop(): void {
    this.#isStopped = true;
    this.#cancelLook?.();
  }

  /**
   * Resolves when all changes so far are stored or have failed. A process that ended earlier could overwrite changes of
   * the next one, so that a token revoked there would be valid again.
   * @throws DeadlineExceededError if the store takes longer than ten seconds
   */
  async settled(): Promise<void> {
    const stored = Promise.all([this.#document.settled(), this.#short.settled()]);
    const late = (): Error => new DeadlineExceededError('storing the last use of tokens', STORE_MS);
    await withDeadline(this.#clock, stored, STORE_MS, late);
  }

  /**
   * Makes a token. @returns the token, and its secret, which is not stored
   * @throws ConsoleProblem 409 `too-many-tokens`
   */
  async issue({
    account,
    lifetimeMs,
    keep,
    ...rest
  }: TokenRequest): Promise<{ readonly token: StoredToken; readonly secret: string }> {
    const secret = TOKEN_PREFIX + randomBytes(32).toString('base64url');
    const createdAt = this.#clock.now();
    const expiresAt = createdAt + lifetimeMs;
    const { username: owner, provider, subject } = account;
    const token: StoredToken = {
      ...{ ...rest, owner, provider },
      ...(subject !== undefined && { subject }),
      id: randomBytes(9).toString('base64url'),
      hash: hashOf(secret),
      createdAt,
      expiresAt,
    };
    if (keep === 'stored')
      await this.#document.update((tokens) => [...this.#withRoom(this.#living(tokens), account), token]);
    else await this.#short.update((tokens) => this.#withShort(tokens, token));
    return { token, secret };
  }

  /** The token of a secret; `undefined` if there is none, or it has expired. */
  use(secret: string): { readonly token: StoredToken; readonly ended: AbortSignal } | undefined {
    const hash = hashOf(secret);
    const token = this.#short.value[hash] ?? this.#document.value.find((each) => each.hash === hash);
    if (token === undefined || !this.#isAlive(token)) return undefined;
    return { token, ended: (this.#used.get(token.id) ?? this.#begin(token)).end.signal };
  }

  /** Remembers that a token was used, at most once a minute. @throws Error if it could not be stored */
  async noteUse({ id, lastUsedAt = 0 }: StoredToken): Promise<void> {
    const now = this.#clock.now();
    const used = this.#used.get(id);
    if (used === undefined || now - Math.max(lastUsedAt, used.notedAt) < LAST_USE_EVERY_MS) return;
    used.notedAt = now;
    const noted = (token: StoredToken): StoredToken => (token.id === id ? { ...token, lastUsedAt: now } : token);
    const isThere = (tokens: readonly StoredToken[]): boolean => tokens.some((each) => each.id === id);
    if (isThere(this.#document.value))
      await this.#document.update((tokens) => (isThere(tokens) ? tokens.map(noted) : tokens));
    else
      await this.#short.update((tokens) => {
        const all = Object.values(tokens);
        return isThere(all) ? byHash(all.map(noted)) : tokens;
      });
  }

  /** The tokens that have not expired, of one account or of all, the newest first. */
  list(account?: Account): readonly StoredToken[] {
    return this.#living(this.#all())
      .filter((each) => account === undefined || isOf(each, account))
      .sort((one, other) => other.createdAt - one.createdAt);
  }

  /** Revokes a token at once. @returns true if there was one of that id */
  async revoke(id: string): Promise<boolean> {
    const isThere = this.#all().some((each) => each.id === id);
    await this.#revokeAll((token) => token.id === id);
    return isThere;
  }

  /** Revokes all tokens of an account at once. @returns their number */
  async revokeOf(account: Account): Promise<number> {
    const count = this.list(account).length;
    await this.#revokeAll((token) => isOf(token, account));
    return count;
  }

  /** Gives an account of a provider the tokens that earlier releases have stored for its name alone. */
  async adopt({ username, provider, subject }: Account): Promise<void> {
    const isMeant = (each: StoredToken): boolean =>
      each.subject === undefined && each.provider === provider && each.owner === username;
    await this.#document.update((tokens) =>
      tokens.some(isMeant) ? tokens.map((each) => (isMeant(each) ? { ...each, subject } : each)) : tokens,
    );
  }

  async #revokeAll(isMeant: (token: StoredToken) => boolean): Promise<void> {
    const without = (tokens: readonly StoredToken[]): readonly StoredToken[] =>
      tokens.some(isMeant) ? tokens.filter((each) => !isMeant(each)) : tokens;
    await this.#short.update((tokens) => {
      const kept = without(Object.values(tokens));
      return kept.length === Object.keys(tokens).length ? tokens : byHash(kept);
    });
    await this.#document.update(without);
  }

  #all(): readonly StoredToken[] {
    return [...Object.values(this.#short.value), ...this.#document.value].toReversed();
  }

  #endRevoked(): void {
    const ids = new Set(this.#all().map(({ id }) => id));
    for (const id of this.#used.keys()) if (!ids.has(id)) this.#end(id, 'The token has been revoked.');
  }

  #begin({ id, expiresAt }: StoredToken): UsedToken {
    const used = { end: new Abort(), expiresAt, notedAt: 0 };
    this.#used.set(id, used);
    this.#look();
    return used;
  }

  #end(id: string, reason: string): void {
    const used = this.#used.get(id);
    this.#used.delete(id);
    used?.end.abort(new Error(reason));
  }

  /**
   * Ends expired tokens, and sets a timer for the next one: an open stream makes no request that would check its token.
   */
  #look(): void {
    this.#cancelLook?.();
    let nextMs = LOOK_EVERY_MS;
    for (const [id, { expiresAt }] of this.#used) {
      const leftMs = expiresAt - this.#clock.now();
      if (leftMs <= 0) this.#end(id, "The token's time is up.");
      else nextMs = Math.min(nextMs, leftMs);
    }
    this.#cancelLook =
      this.#isStopped || this.#used.size === 0 ? undefined : this.#clock.after(nextMs, () => this.#look());
  }

  #withRoom(tokens: readonly StoredToken[], account: Account): readonly StoredToken[] {
    if (tokens.filter((each) => isOf(each, account)).length < MOST_OF_USER) return tokens;
    const detail = `You have ${MOST_OF_USER} tokens, which is the limit: revoke some.`;
    throw new ConsoleProblem(409, 'too-many-tokens', detail);
  }

  #withShort(tokens: ShortTokens, added: StoredToken): ShortTokens {
    const living = this.#living(Object.values(tokens));
    const own = living.filter((each) => isOf(each, accountOf(added)));
    const tooMany = new Set(own.slice(0, Math.max(0, own.length + 1 - MOST_SHORT_OF_USER)));
    const left = living.filter((each) => !tooMany.has(each));
    return byHash([...left.slice(1 - (this.#short.isShared ? MOST_SHORT_SHARED : MOST_SHORT)), added]);
  }

  #living(tokens: readonly StoredToken[]): readonly StoredToken[] {
    return tokens.filter((each) => this.#isAlive(each));
  }

  #isAlive({ expiresAt }: StoredToken): boolean {
    return this.#clock.now() < expiresAt;
  }
}

function isOf(token: StoredToken, account: Account): boolean {
  return isSameAccount(accountOf(token), account);
}

/** The account that a token belongs to. */
export function accountOf({ owner: username, provider, subject }: StoredToken): Account {
  return { username, provider, subject };
}

function byHash(tokens: readonly StoredToken[]): ShortTokens {
  return Object.fromEntries(tokens.map((each) => [each.hash, each]));
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** The part of a token that users see. */
export function shownToken({ hash: _hash, subject: _subject, ...shown }: StoredToken): ApiToken {
  return shown;
}

/** Checks tokens that were stored. @throws Error if they are invalid */
export function parseTokens(stored: unknown): readonly StoredToken[] {
  if (Array.isArray(stored) && stored.every(isToken)) return stored as readonly StoredToken[];
  throw new Error('it must be a list of tokens');
}

/** Checks short tokens that were stored. @throws Error if they are invalid */
export function parseShortTokens(stored: unknown): ShortTokens {
  if (isMap(stored) && Object.values(stored).every(isToken)) return stored as ShortTokens;
  throw new Error('it must be keys with tokens (key: token)');
}

function isToken(value: unknown): boolean {
  return (
    isMap(value) &&
    ['id', 'name', 'owner', 'provider', 'hash'].every((name) => typeof value[name] === 'string') &&
    ['createdAt', 'expiresAt'].every((name) => typeof value[name] === 'number') &&
    ['string', 'undefined'].includes(typeof value['subject']) &&
    isRole(value['role'])
  );
}
