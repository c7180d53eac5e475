import { Body, Inject, Req, RequestMethod } from '@nestjs/common';
import { LOCAL } from '../../security/callers/account.js';
import { ApiTokens } from '../../security/users/api-tokens.js';
import { type ConsoleRequest } from '../../security/callers/caller.js';
import { FirstSetup } from '../../security/sessions/first-setup.js';
import { LONGEST_PASSWORD } from '../../security/passwords/password-hash.js';
import { PasswordLogin } from '../../security/password-login.js';
import { ConsoleProblem } from '../../answers/console-problem.js';
import { readFields, text } from '../fields.js';
import { OlderController, OlderRoute } from './older-route.decorator.js';

/** As long as a token of ElasticJob's console is valid. */
const LIFETIME_MS = 60 * 60_000;

/** Logging in as scripts for the console of ElasticJob 3 do: for a token that they send as `Access-Token`. */
@OlderController('api/login')
export class OlderLoginController {
  constructor(
    @Inject(PasswordLogin) private readonly passwords: PasswordLogin,
    @Inject(ApiTokens) private readonly tokens: ApiTokens,
    @Inject(FirstSetup) private readonly setup: FirstSetup,
  ) {}

  /** A token for an hour. */
  @OlderRoute(RequestMethod.POST, '', 'public')
  async login(@Body() body: unknown, @Req() request: ConsoleRequest): Promise<unknown> {
    if (this.setup.isNeeded)
      throw new ConsoleProblem(403, 'setup-needed', 'The console has no administrator yet: make one on its page.');
    const given = readFields(body, { username: text(200), password: text(LONGEST_PASSWORD) });
    const { username, role } = await this.passwords.check({ ...given, request });
    const { secret } = await this.tokens.issue({
      ...{ name: 'login', account: { username, provider: LOCAL }, role },
      ...{ lifetimeMs: LIFETIME_MS, keep: 'short' },
    });
    return { username, accessToken: secret, isGuest: role === 'guest' };
  }
}
