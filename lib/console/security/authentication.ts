import { type JobLogger } from '../../api/text/logger.js';
import { describeCause } from '../../api/text/describe-cause.js';
import { type Role } from '../contract/common.js';
import { ConsoleProblem } from '../answers/console-problem.js';
import { type Account, LOCAL } from './callers/account.js';
import { accountOf, type ApiTokens, TOKEN_PREFIX } from './users/api-tokens.js';
import { type Caller, type ConsoleRequest } from './callers/caller.js';
import { type Credentials } from './requests/cross-site.js';
import { type OidcAccounts } from './oidc/oidc-accounts.js';
import { type PasswordLogin } from './password-login.js';
import { permissionsOf, weaker } from './callers/roles.js';
import { readCookie } from './sessions/session-cookie.js';
import { type Sessions } from './sessions/sessions.js';
import { headerOf } from './callers/trusted-proxies.js';
import { isEnabled, type Users } from './users/users.js';

/** The result of authenticating a request. */
export interface Authenticated {
  readonly credentials: Credentials;
  /** `undefined` without a login. */
  readonly caller: Caller | undefined;
}

/** A signal that never aborts, for callers who send their password with each request. */
const NEVER = new AbortController().signal;

/** Authenticates requests: by a token, by HTTP Basic where a route accepts it, or by the cookie of a session. */
export class Authentication {
  constructor(
    private readonly sessions: Sessions,
    private readonly tokens: ApiTokens,
    private readonly users: Users,
    private readonly accounts: OidcAccounts,
    private readonly login: PasswordLogin,
    private readonly logger: Pick<JobLogger, 'error'>,
  ) {}

  /**
   * @param request the request, with its id and origin
   * @throws ConsoleProblem 401 `wrong-token` or `login-failed`, 429 `too-many-attempts`, 503 `busy`
   */
  async authenticate(
    request: ConsoleRequest,
    { acceptsBasic }: { readonly acceptsBasic: boolean },
  ): Promise<Authenticated> {
    const secret = tokenIn(request);
    if (secret !== undefined) return { credentials: 'token', caller: this.#callerOfToken(request, secret) };
    const basic = acceptsBasic ? basicIn(request) : undefined;
    if (basic !== undefined) return { credentials: 'basic', caller: await this.#callerOfBasic(request, basic) };
    const isSecure = request.elasticJobOrigin?.isSecure === true;
    const cookie = readCookie(request, { isSecure });
    if (cookie === undefined) return { credentials: 'none', caller: undefined };
    return { credentials: 'cookie', caller: this.#callerOfCookie(request, cookie) };
  }

  /** Waits until the last uses of tokens are stored, as no request is running any more. */
  async onApplicationShutdown(): Promise<void> {
    await this.tokens.settled().catch((error: unknown) => this.#tellUnstored(error));
  }

  #tellUnstored(error: unknown): void {
    this.logger.error(`The last use of a token could not be stored: ${describeCause(error)}`);
  }

  #callerOfToken(request: ConsoleRequest, secret: string): Caller {
    const used = this.tokens.use(secret);
    const owner = used && this.#permitted(accountOf(used.token), used.token.role);
    if (used === undefined || owner === undefined)
      throw new ConsoleProblem(401, 'wrong-token', 'There is no such token, or its time is up. Make another one.');
    void this.tokens.noteUse(used.token).catch((error: unknown) => this.#tellUnstored(error));
    const { expiresAt } = used.token;
    return callerFrom(request, { ...accountOf(used.token), ...owner, expiresAt, ended: used.ended });
  }

  /** The present permissions: tokens and sessions never have more than their owner has now. */
  #permitted(account: Account, given: Role): Pick<Caller, 'username' | 'role'> | undefined {
    if (account.provider !== LOCAL) return this.accounts.permitted(account, given);
    const user = this.users.find(account.username);
    if (user === undefined || !isEnabled(user)) return undefined;
    return { username: account.username, role: weaker(user.role, given) };
  }

  async #callerOfBasic(
    request: ConsoleRequest,
    basic: { readonly username: string; readonly password: string },
  ): Promise<Caller> {
    const { username, role } = await this.login.checkBasic({ ...basic, request });
    return callerFrom(request, { username, role, provider: LOCAL, expiresAt: Number.MAX_SAFE_INTEGER, ended: NEVER });
  }

  #callerOfCookie(request: ConsoleRequest, cookie: string): Caller | undefined {
    const used = this.sessions.use(cookie);
    const owner = used && this.#permitted(used.session, used.session.role);
    if (used === undefined || owner === undefined) return undefined;
    const { id: sessionId, provider, subject } = used.session;
    const expiresAt = this.sessions.expiresAt(used.session);
    return { ...callerFrom(request, { provider, subject, ...owner, expiresAt, ended: used.ended }), sessionId };
  }
}

function callerFrom(
  { elasticJobOrigin, elasticJobRequestId }: ConsoleRequest,
  who: Pick<Caller, 'username' | 'role' | 'provider' | 'subject' | 'expiresAt' | 'ended'>,
): Caller {
  return {
    ...who,
    permissions: permissionsOf(who.role),
    ip: elasticJobOrigin?.ip ?? '',
    requestId: elasticJobRequestId ?? '',
  };
}

/**
 * The token in a request. A bearer that is none of our tokens is ignored, as it is meant for the application in which
 * the console is mounted, or for a proxy.
 */
function tokenIn(request: ConsoleRequest): string | undefined {
  const own = headerOf(request, 'access-token');
  if (own !== undefined) return own;
  const [, bearer] = /^Bearer +(\S+)$/i.exec(headerOf(request, 'authorization') ?? '') ?? [];
  return bearer?.startsWith(TOKEN_PREFIX) === true ? bearer : undefined;
}

function basicIn(request: ConsoleRequest): { readonly username: string; readonly password: string } | undefined {
  const [, encoded] = /^Basic +(\S+)$/i.exec(headerOf(request, 'authorization') ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { username: text.slice(0, colon), password: text.slice(colon + 1) };
}
