import { Controller, Get, Inject, Param, Query, Req, Res } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { wording } from '../../../wording/wording.js';
import { isMap } from '../../../api/text/describe-value.js';
import { type Clock } from '../../../time/clock.js';
import { type ElasticJobConsoleOptions } from '../../options/console-options.js';
import { CONSOLE_CLOCK, CONSOLE_OPTIONS, OIDC_PROVIDERS } from '../../options/console-tokens.js';
import { AccountAccess } from '../../security/users/account-access.js';
import { ApiTokens } from '../../security/users/api-tokens.js';
import { type ConsoleRequest } from '../../security/callers/caller.js';
import { ConsoleAudit } from '../../security/audit/console-audit.js';
import { KeyRing } from '../../security/sessions/key-ring.js';
import { Logins } from '../../security/sessions/logins.js';
import { accountOfOidc, OidcAccounts } from '../../security/oidc/oidc-accounts.js';
import { type OidcChecks, type OidcProvider } from '../../security/oidc/oidc-provider.js';
import { Permit } from '../../security/callers/permit.decorator.js';
import { localPath } from '../../security/sessions/return-to.js';
import { clearCookie, readCookie, setCookie } from '../../security/sessions/session-cookie.js';
import { ConsoleProblem } from '../../answers/console-problem.js';
import { ResponseHeaders } from '../response-headers.js';

const PURPOSE = 'oidc';
const VALID_MS = 10 * 60_000;

/** The content of the browser's cookie while the user is at the provider. */
interface WaitingLogin extends OidcChecks {
  readonly provider: string;
  readonly returnTo: string;
  readonly until: number;
}

/** Logins by OpenID Connect. */
@Controller('api/v1/auth/oidc/:provider')
export class OidcController {
  constructor(
    @Inject(OIDC_PROVIDERS) private readonly providers: readonly OidcProvider[],
    @Inject(KeyRing) private readonly keys: KeyRing,
    @Inject(Logins) private readonly logins: Logins,
    @Inject(OidcAccounts) private readonly accounts: OidcAccounts,
    @Inject(AccountAccess) private readonly access: AccountAccess,
    @Inject(ApiTokens) private readonly tokens: ApiTokens,
    @Inject(ConsoleAudit) private readonly audit: ConsoleAudit,
    @Inject(ResponseHeaders) private readonly headers: ResponseHeaders,
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(CONSOLE_OPTIONS) private readonly options: ElasticJobConsoleOptions,
    @Inject(CONSOLE_CLOCK) private readonly clock: Clock,
  ) {}

  @Get('start')
  @Permit('public')
  async start(
    @Param('provider') name: string,
    @Query('returnTo') returnTo: unknown,
    @Req() request: ConsoleRequest,
    @Res() response: unknown,
  ): Promise<void> {
    const { url, checks } = await this.#provider(name).begin();
    const until = this.clock.now() + VALID_MS;
    const waiting: WaitingLogin = { ...checks, provider: name, returnTo: localPath(returnTo), until };
    const signed = this.keys.sign(PURPOSE, Buffer.from(JSON.stringify(waiting)).toString('base64url'));
    this.#redirect(response, { url, cookies: [setCookie(signed, cookieOf(request))] });
  }

  /** Ends a login by a GET: the signed cookie with `state` proves that this browser has begun the login. */
  @Get('callback')
  @Permit('public')
  async callback(
    @Param('provider') name: string,
    @Req() request: ConsoleRequest,
    @Res() response: unknown,
  ): Promise<void> {
    const provider = this.#provider(name);
    const caller = {
      ip: request.elasticJobOrigin?.ip ?? '',
      requestId: request.elasticJobRequestId ?? '',
      provider: name,
    };
    const cleared = clearCookie(cookieOf(request));
    // The cookie is for one use, even if the login fails.
    this.headers.set(response, { 'set-cookie': cleared });
    const { session, returnTo } = await this.audit.record({ action: 'auth.login', caller }, async (notes) => {
      const waiting = this.#waiting(request, name);
      const url = request.originalUrl ?? request.url;
      const user = await provider.finish(url.slice(url.indexOf('?')), waiting);
      notes.note('username', undefined, user.username);
      notes.note('role', undefined, user.role);
      const { account, isRoleChanged } = await this.accounts.login(user, name);
      notes.identify(account);
      // As for local users, sessions and tokens with the former role end.
      if (isRoleChanged) await this.access.end(accountOfOidc(account));
      else await this.tokens.adopt(accountOfOidc(account));
      const { returnTo: wanted } = waiting;
      const proven = { ...accountOfOidc(account), role: account.role };
      return { session: await this.logins.open(proven, request), returnTo: wanted };
    });
    this.#redirect(response, { url: this.#publicPath + returnTo, cookies: [cleared, ...session] });
  }

  #waiting(request: ConsoleRequest, name: string): WaitingLogin {
    const cookie = readCookie(request, cookieOf(request));
    const signed = cookie === undefined ? undefined : this.keys.verify(PURPOSE, cookie);
    const waiting =
      signed === undefined ? undefined : (JSON.parse(Buffer.from(signed, 'base64url').toString()) as unknown);
    const isValid = isMap(waiting) && waiting['provider'] === name && Number(waiting['until']) > this.clock.now();
    if (isValid) return waiting as unknown as WaitingLogin;
    throw new ConsoleProblem(401, 'login-refused', wording('login-not-begun'));
  }

  #provider(name: string): OidcProvider {
    const found = this.providers.find((each) => each.name === name);
    if (found === undefined) throw new ConsoleProblem(404, 'unknown-provider', `Logins by '${name}' are not set up.`);
    return found;
  }

  get #publicPath(): string {
    const { publicUrl } = this.options;
    return publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/$/, '');
  }

  #redirect(response: unknown, { url, cookies }: { readonly url: string; readonly cookies: readonly string[] }): void {
    this.headers.set(response, { 'set-cookie': cookies, location: url });
    this.host.httpAdapter.reply(response, '', 302);
  }
}

function cookieOf({ elasticJobOrigin }: ConsoleRequest): { readonly isSecure: boolean; readonly suffix: string } {
  return { isSecure: elasticJobOrigin?.isSecure === true, suffix: '-oidc' };
}
