import { Body, Controller, Get, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { type AuthProviders, type SessionInfo } from '../../contract/session.js';
import { OIDC_PROVIDERS } from '../../options/console-tokens.js';
import { LOCAL } from '../../security/callers/account.js';
import { type Caller, type ConsoleRequest } from '../../security/callers/caller.js';
import { ConsoleAudit } from '../../security/audit/console-audit.js';
import { CurrentCaller } from '../../security/callers/current-caller.decorator.js';
import { FirstSetup } from '../../security/sessions/first-setup.js';
import { Logins } from '../../security/sessions/logins.js';
import { type OidcProvider } from '../../security/oidc/oidc-provider.js';
import { LONGEST_PASSWORD } from '../../security/passwords/password-hash.js';
import { PasswordLogin } from '../../security/password-login.js';
import { Permit } from '../../security/callers/permit.decorator.js';
import { SetsSession } from '../../security/callers/route-metadata.js';
import { ConsoleProblem } from '../../answers/console-problem.js';
import { readFields, text } from '../requests.js';
import { ResponseHeaders } from '../response-headers.js';

const LOGIN = { username: text(200), password: text(LONGEST_PASSWORD) };

/** Logins and logouts with a name and a password. */
@Controller('api/v1/auth')
export class AuthController {
  constructor(
    @Inject(PasswordLogin) private readonly passwords: PasswordLogin,
    @Inject(Logins) private readonly logins: Logins,
    @Inject(FirstSetup) private readonly setup: FirstSetup,
    @Inject(ConsoleAudit) private readonly audit: ConsoleAudit,
    @Inject(ResponseHeaders) private readonly headers: ResponseHeaders,
    @Inject(OIDC_PROVIDERS) private readonly oidc: readonly OidcProvider[],
  ) {}

  @Get('providers')
  @Permit('public')
  providers(): AuthProviders {
    return {
      isSetupNeeded: this.setup.isNeeded,
      local: true,
      oidc: this.oidc.map(({ name, title }) => ({ name, title })),
    };
  }

  @Get('session')
  @Permit('read')
  session(@CurrentCaller() caller: Caller): SessionInfo {
    const { username, role, permissions, provider, expiresAt } = caller;
    return { username, role, permissions, provider, expiresAt };
  }

  @Post('login')
  @HttpCode(204)
  @Permit('public')
  @SetsSession()
  async login(
    @Body() body: unknown,
    @Req() request: ConsoleRequest,
    @Res({ passthrough: true }) response: unknown,
  ): Promise<void> {
    if (this.setup.isNeeded)
      throw new ConsoleProblem(403, 'setup-needed', 'The console has no administrator yet: make one first.');
    const { username, role } = await this.passwords.check({ ...readFields(body, LOGIN), request });
    const cookies = await this.logins.open({ username, role, provider: LOCAL }, request);
    this.headers.set(response, { 'set-cookie': cookies });
  }

  @Post('logout')
  @HttpCode(204)
  @Permit('public')
  @SetsSession()
  async logout(@Req() request: ConsoleRequest, @Res({ passthrough: true }) response: unknown): Promise<void> {
    const caller = request.elasticJobCaller;
    const close = (): Promise<string> => this.logins.close(request);
    const cookie =
      caller === undefined ? await close() : await this.audit.record({ action: 'auth.logout', caller }, close);
    this.headers.set(response, { 'set-cookie': cookie });
  }
}
