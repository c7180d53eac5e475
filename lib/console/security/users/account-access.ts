import { type Account } from '../callers/account.js';
import { type ApiTokens } from './api-tokens.js';
import { type Sessions } from '../sessions/sessions.js';

/** Takes away what an account has opened: whoever holds a cookie or a token of it is out, and open streams end. */
export class AccountAccess {
  constructor(
    private readonly sessions: Sessions,
    private readonly tokens: ApiTokens,
  ) {}

  /**
   * Ends all sessions and revokes all tokens of an account.
   * @param exceptSession the id of a session that stays
   * @returns how many tokens there were
   * @throws what the store throws; the sessions have ended at this replica all the same
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
