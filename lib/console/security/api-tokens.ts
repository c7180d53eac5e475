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
  /** `short`: it is forgotten when the process ends, and is not listed. */
  readonly keep: 'stored' | 'short';
}

/** How often the time of the last use is stored. */
const LAST_USE_EVERY_MS = 60_000;
const MOST_SHORT = 10_000;

/** The tokens by which scripts use the console. */
export class ApiTokens {
  readonly #document: StoreDocument<readonly StoredToken[]>;
  readonly #clock: Clock;
  /** Tokens that are not stored, by their hash. */
  readonly #short = new Map<string, StoredToken>();
  readonly #ends = new Map<string, Abort>();

  constructor(document: StoreDocument<readonly StoredToken[]>, clock: Clock) {
    this.#document = document;
    this.#clock = clock;
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
    else this.#keepShort(token);
    return { token, secret };
  }

  /** The token of a secret; `undefined` if there is none, or its time is up. */
  use(secret: string): { readonly token: StoredToken; readonly ended: AbortSignal } | undefined {
    const hash = hashOf(secret);
    const token = this.#short.get(hash) ?? this.#document.value.find((each) => each.hash === hash);
    if (token === undefined || !this.#isAlive(token)) return undefined;
    const end = this.#ends.get(token.id) ?? new Abort();
    this.#ends.set(token.id, end);
    return { token, ended: end.signal };
  }

  /** Remembers that a token was used, at most once a minute. @throws Error if it could not be stored */
  async noteUse({ id, lastUsedAt = 0 }: StoredToken): Promise<void> {
    const now = this.#clock.now();
    if (now - lastUsedAt < LAST_USE_EVERY_MS) return;
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
    const meant = [...this.#document.value, ...this.#short.values()].filter(isMeant);
    for (const { hash } of meant) this.#short.delete(hash);
    await this.#document.update((tokens) => tokens.filter((each) => !isMeant(each)));
    for (const { id } of meant) {
      this.#ends.get(id)?.abort(new Error('The token has been revoked.'));
      this.#ends.delete(id);
    }
  }

  #keepShort(token: StoredToken): void {
    for (const [hash, each] of this.#short) if (!this.#isAlive(each)) this.#short.delete(hash);
    const [oldest] = this.#short.keys();
    if (oldest !== undefined && this.#short.size >= MOST_SHORT) this.#short.delete(oldest);
    this.#short.set(token.hash, token);
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

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** A token as users see it. */
export function shownToken({ hash: _hash, provider: _provider, ...shown }: StoredToken): ApiToken {
  return shown;
}

/** Checks tokens that were stored. @throws Error if they are none */
export function parseTokens(stored: unknown): readonly StoredToken[] {
  const isToken = (value: unknown): boolean =>
    isMap(value) &&
    ['id', 'name', 'owner', 'provider', 'hash'].every((name) => typeof value[name] === 'string') &&
    ['createdAt', 'expiresAt'].every((name) => typeof value[name] === 'number') &&
    isRole(value['role']);
  if (Array.isArray(stored) && stored.every(isToken)) return stored as readonly StoredToken[];
  throw new Error('it must be a list of tokens');
}
