import { Body, Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { OIDC_PROVIDERS } from '../../options/console-tokens.js';
import { LOCAL } from '../../security/callers/account.js';
import { type ConsoleRequest } from '../../security/callers/caller.js';
import { ConsoleAudit } from '../../security/audit/console-audit.js';
import { FirstSetup, type SetupRefusal } from '../../security/sessions/first-setup.js';
import { HASH_QUEUES } from '../../security/passwords/hash-queue.js';
import { LoginAttempts } from '../../security/passwords/login-attempts.js';
import { Logins } from '../../security/sessions/logins.js';
import { hashPassword, passwordProblem } from '../../security/passwords/password-hash.js';
import { tooManyAttempts } from '../../security/password-login.js';
import { type OidcProvider } from '../../security/oidc/oidc-provider.js';
import { Permit } from '../../security/callers/permit.decorator.js';
import { SetsSession } from '../../security/callers/route-metadata.js';
import { refuseForeignName, Users, usernameProblem } from '../../security/users/users.js';
import { ConsoleProblem } from '../../answers/console-problem.js';
import { checked, readFields, text } from '../requests.js';
import { ResponseHeaders } from '../response-headers.js';

const REFUSALS = {
  'setup-done': 'The console has an administrator already: log in.',
  'wrong-code': 'This is not the code that stands in the log of the console.',
  'expired-code': 'This code is no longer valid. A new one stands in the log of the console.',
} as const;

const refusal = (code: SetupRefusal): ConsoleProblem =>
  new ConsoleProblem(code === 'setup-done' ? 409 : 403, code, REFUSALS[code]);

/** The first set-up, while there is no administrator. */
@Controller('api/v1/setup')
export class SetupController {
  constructor(
    @Inject(FirstSetup) private readonly setup: FirstSetup,
    @Inject(Users) private readonly users: Users,
    @Inject(Logins) private readonly logins: Logins,
    @Inject(LoginAttempts) private readonly attempts: LoginAttempts,
    @Inject(ConsoleAudit) private readonly audit: ConsoleAudit,
    @Inject(OIDC_PROVIDERS) private readonly providers: readonly OidcProvider[],
    @Inject(ResponseHeaders) private readonly headers: ResponseHeaders,
  ) {}

  @Post()
  @HttpCode(204)
  @Permit('public')
  @SetsSession()
  async create(
    @Body() body: unknown,
    @Req() request: ConsoleRequest,
    @Res({ passthrough: true }) response: unknown,
  ): Promise<void> {
    if (!this.setup.isNeeded) throw refusal('setup-done');
    const { code, username } = readFields(body, { code: text(100), username: checked(usernameProblem) });
    refuseForeignName(username, this.providers);
    const { password } = readFields(body, { password: checked((value) => passwordProblem(username, value)) });
    const caller = { ip: request.elasticJobOrigin?.ip ?? '', requestId: request.elasticJobRequestId ?? '' };
    const attempt = this.attempts.beginSetup({ network: request.elasticJobOrigin?.network ?? '' });
    if (!attempt.isAdmitted) throw tooManyAttempts(attempt.waitMs);
    await this.audit.record({ action: 'auth.setup', target: username, caller }, async (notes) => {
      let isWrong = false;
      try {
        const made = await this.setup.claim(code, async () =>
          this.users.addFirst({ username, passwordHash: await hashPassword(password, HASH_QUEUES.known) }),
        );
        isWrong = made === 'wrong-code' || made === 'expired-code';
        if (typeof made === 'string') throw refusal(made);
        notes.identify({ username, role: 'admin', provider: LOCAL });
      } finally {
        attempt.end(isWrong ? 'wrong' : 'right');
      }
    });
    const cookies = await this.logins.open({ username, role: 'admin', provider: LOCAL }, request);
    this.headers.set(response, { 'set-cookie': cookies });
  }
}
