/** Somebody who may log in: sessions and tokens are of accounts. */
export interface Account {
  readonly username: string;
  /** `local`, or the name of the OIDC provider. */
  readonly provider: string;
  /**
   * Of the account at the provider, which issuer and `sub` identify: names there may change, and pass on to others.
   * Absent for local users, and for what earlier releases have stored.
   */
  readonly subject?: string | undefined;
}

/** The provider of users with a password. */
export const LOCAL = 'local';

/** Whether two accounts are the same one. */
export function isSameAccount(one: Account, other: Account): boolean {
  if (one.provider !== other.provider) return false;
  if (one.provider === LOCAL) return one.username.toLowerCase() === other.username.toLowerCase();
  // Earlier releases knew an account of a provider by its name alone.
  if (one.subject === undefined || other.subject === undefined) return one.username === other.username;
  return one.subject === other.subject;
}

/**
 * The account in one text, for records: `anna` is a local user, `anna@company` an account of the provider `company`.
 */
export function actorOf({ username, provider = LOCAL }: Pick<Account, 'username'> & Partial<Account>): string {
  return provider === LOCAL ? username : `${username}@${provider}`;
}

/**
 * The provider of whose accounts `actorOf` would make a name of that form, `anna@company`; `undefined` if there is
 * none.
 */
export function providerIn(username: string, providers: readonly string[]): string | undefined {
  return providers.find((name) => username.toLowerCase().endsWith(`@${name}`));
}
