import { createHash, randomBytes } from 'node:crypto';
import { isMap } from '../../api/text/describe-value.js';
import { Abort } from '../../async/abort.js';
import { type Clock } from '../../time/clock.js';
import { type ApiToken } from '../contract/session.js';
import { type StoreDocument } from '../store/store-document.js';
import { isRole } from './roles.js';

/** What all tokens begin with. Scanners for secrets find them by it. */
export const TOKEN_PREFIX = 'ejc_';

/** A token as it is stored: only its SHA-256 is. A token is random, so that a slow hash would add nothing. */
export interface StoredToken extends ApiToken {
  readonly hash: string;
  /** Of its owner: `local`, or the name of the OIDC provider. */
  readonly provider: string;
}

/** What a token is made of. */
export interface TokenRequest extends Pick<StoredToken, 'name' | 'owner' | 'provider' | 'role'> {
  readonly lifetimeMs: number;
  /** `short`: it is forgotten when the process ends, unless replicas share the state, and is not listed. */
  readonly keep: 'stored' | 'short';
}

/** How often the time of the last use is stored. */
const LAST_USE_EVERY_MS = 60_000;
const MOST_SHORT = 10_000;
/** Of a shared store, so that they fit into one node. */
const MOST_SHORT_SHARED = 2_000;

/** Tokens that are valid for a short time, by their hash, the oldest first. */
export type ShortTokens = Readonly<Record<string, StoredToken>>;

/** The tokens by which scripts use the console. */
export class ApiTokens {
  readonly #document: StoreDocument<readonly StoredToken[]>;
  readonly #short: StoreDocument<ShortTokens>;
  readonly #clock: Clock;
  readonly #ends = new Map<string, Abort>();
  /** When it was last tried to store the last use of a token, by its id. */
  readonly #notedAt = new Map<string, number>();

  constructor(document: StoreDocument<readonly StoredToken[]>, short: StoreDocument<ShortTokens>, clock: Clock) {
    this.#document = document;
    this.#short = short;
    this.#clock = clock;
    // Tokens are revoked by other replicas too.
    document.onChange(() => this.#endRevoked());
    short.onChange(() => this.#endRevoked());
  }

  /** Makes a token. @returns it, and its secret, which is not kept anywhere */
  async issue({
    lifetimeMs,
    keep,
    ...rest
  }: TokenRequest): Promise<{ readonly token: StoredToken; readonly secret: string }> {
    const secret = TOKEN_PREFIX + randomBytes(32).toString('base64url');
    const createdAt = this.#clock.now();
    const expiresAt = createdAt + lifetimeMs;
    const token: StoredToken = {
      ...rest,
      id: randomBytes(9).toString('base64url'),
      hash: hashOf(secret),
      createdAt,
      expiresAt,
    };
    if (keep === 'stored') await this.#document.update((tokens) => [...this.#living(tokens), token]);
    else await this.#short.update((tokens) => this.#withShort(tokens, token));
    return { token, secret };
  }

  /** The token of a secret; `undefined` if there is none, or its time is up. */
  use(secret: string): { readonly token: StoredToken; readonly ended: AbortSignal } | undefined {
    const hash = hashOf(secret);
    const token = this.#short.value[hash] ?? this.#document.value.find((each) => each.hash === hash);
    if (token === undefined || !this.#isAlive(token)) return undefined;
    const end = this.#ends.get(token.id) ?? new Abort();
    this.#ends.set(token.id, end);
    return { token, ended: end.signal };
  }

  /** Remembers that a token was used, at most once a minute. @throws Error if it could not be stored */
  async noteUse({ id, lastUsedAt = 0 }: StoredToken): Promise<void> {
    const now = this.#clock.now();
    if (now - Math.max(lastUsedAt, this.#notedAt.get(id) ?? 0) < LAST_USE_EVERY_MS) return;
    this.#notedAt.set(id, now);
    await this.#document.update((tokens) =>
      tokens.some((each) => each.id === id)
        ? tokens.map((each) => (each.id === id ? { ...each, lastUsedAt: now } : each))
        : tokens,
    );
  }

  /** The stored tokens whose time is not up, of one user or of all, the newest first. */
  list(owner?: Pick<StoredToken, 'owner' | 'provider'>): readonly StoredToken[] {
    return this.#living(this.#document.value)
      .filter((each) => owner === undefined || isOf(each, owner))
      .toReversed();
  }

  /** Revokes a token at once. @returns whether there was one of that id */
  async revoke(id: string): Promise<boolean> {
    const isThere = this.#document.value.some((each) => each.id === id);
    await this.#revokeAll((token) => token.id === id);
    return isThere;
  }

  /** Revokes all tokens of a user at once. */
  async revokeOf(owner: Pick<StoredToken, 'owner' | 'provider'>): Promise<void> {
    await this.#revokeAll((token) => isOf(token, owner));
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

  #endRevoked(): void {
    const all = [...this.#document.value, ...Object.values(this.#short.value)];
    const ids = new Set(all.map(({ id }) => id));
    for (const [id, end] of this.#ends) {
      if (ids.has(id)) continue;
      end.abort(new Error('The token has been revoked.'));
      this.#ends.delete(id);
      this.#notedAt.delete(id);
    }
  }

  #withShort(tokens: ShortTokens, added: StoredToken): ShortTokens {
    const living = this.#living(Object.values(tokens));
    return byHash([...living.slice(1 - (this.#short.isShared ? MOST_SHORT_SHARED : MOST_SHORT)), added]);
  }

  #living(tokens: readonly StoredToken[]): readonly StoredToken[] {
    return tokens.filter((each) => this.#isAlive(each));
  }

  #isAlive({ expiresAt }: StoredToken): boolean {
    return this.#clock.now() < expiresAt;
  }
}

function isOf(token: StoredToken, { owner, provider }: Pick<StoredToken, 'owner' | 'provider'>): boolean {
  return token.owner === owner && token.provider === provider;
}

function byHash(tokens: readonly StoredToken[]): ShortTokens {
  return Object.fromEntries(tokens.map((each) => [each.hash, each]));
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** A token as users see it. */
export function shownToken({ hash: _hash, provider: _provider, ...shown }: StoredToken): ApiToken {
  return shown;
}

/** Checks tokens that were stored. @throws Error if they are none */
export function parseTokens(stored: unknown): readonly StoredToken[] {
  if (Array.isArray(stored) && stored.every(isToken)) return stored as readonly StoredToken[];
  throw new Error('it must be a list of tokens');
}

/** Checks short tokens that were stored. @throws Error if they are none */
export function parseShortTokens(stored: unknown): ShortTokens {
  if (isMap(stored) && Object.values(stored).every(isToken)) return stored as ShortTokens;
  throw new Error('it must be keys with tokens (key: token)');
}

function isToken(value: unknown): boolean {
  return (
    isMap(value) &&
    ['id', 'name', 'owner', 'provider', 'hash'].every((name) => typeof value[name] === 'string') &&
    ['createdAt', 'expiresAt'].every((name) => typeof value[name] === 'number') &&
    isRole(value['role'])
  );
}
