import { type Account } from '../callers/account.js';
import { type ApiTokens } from './api-tokens.js';
import { type Sessions } from '../sessions/sessions.js';

/** Ends the sessions and tokens of an account: its cookies and tokens become invalid, and its open streams end. */
export class AccountAccess {
  constructor(
    private readonly sessions: Sessions,
    private readonly tokens: ApiTokens,
  ) {}

  /**
   * Ends all sessions and revokes all tokens of an account.
   * @param exceptSession the id of a session that does not end
   * @returns the number of revoked tokens
   * @throws the error of the store; the sessions have still ended at this replica
   */
  async end(account: Account, exceptSession?: string): Promise<number> {
    const [sessions, tokens] = await Promise.allSettled([
      this.sessions.endOf(account, exceptSession),
      this.tokens.revokeOf(account),
    ]);
    if (sessions.status === 'rejected') throw sessions.reason;
    if (tokens.status === 'rejected') throw tokens.reason;
    return tokens.value;
  }
}
