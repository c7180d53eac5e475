/** An account with which a user can log in, and which owns sessions and tokens. */
export interface Account {
  readonly username: string;
  /** `local`, or the name of the OIDC provider. */
  readonly provider: string;
  /**
   * The account at the provider, which issuer and `sub` identify: names there may change, and other users may get them.
   * Absent for local users, and in data of earlier releases.
   */
  readonly subject?: string | undefined;
}

/** The provider of users with a password. */
export const LOCAL = 'local';

/** True if both are the same account. */
export function isSameAccount(one: Account, other: Account): boolean {
  if (one.provider !== other.provider) return false;
  if (one.provider === LOCAL) return one.username.toLowerCase() === other.username.toLowerCase();
  // Earlier releases identified an account of a provider by its name alone.
  if (one.subject === undefined || other.subject === undefined) return one.username === other.username;
  return one.subject === other.subject;
}

/**
 * The account as one text, for records: `anna` is a local user, `anna@company` an account of the provider `company`.
 */
export function actorOf({ username, provider = LOCAL }: Pick<Account, 'username'> & Partial<Account>): string {
  return provider === LOCAL ? username : `${username}@${provider}`;
}

/**
 * The provider in a name such as `anna@company`, which `actorOf` makes for its accounts; `undefined` if there is no
 * such provider.
 */
export function providerIn(username: string, providers: readonly string[]): string | undefined {
  return providers.find((name) => username.toLowerCase().endsWith(`@${name}`));
}
