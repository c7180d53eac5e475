import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Req } from '@nestjs/common';
import { wording } from '../../../wording/wording.js';
import { type ApiToken, type CreatedApiToken } from '../../contract/session.js';
import { isSameAccount } from '../../security/callers/account.js';
import { AccountAccess } from '../../security/users/account-access.js';
import { accountOf, ApiTokens, shownToken } from '../../security/users/api-tokens.js';
import { type Caller, type ConsoleRequest } from '../../security/callers/caller.js';
import { ConsoleAudit } from '../../security/audit/console-audit.js';
import { CurrentCaller } from '../../security/callers/current-caller.decorator.js';
import { HASH_QUEUES } from '../../security/passwords/hash-queue.js';
import { hashPassword, LONGEST_PASSWORD, passwordProblem } from '../../security/passwords/password-hash.js';
import { PasswordLogin } from '../../security/password-login.js';
import { Permit } from '../../security/callers/permit.decorator.js';
import { isAtMost, ROLES } from '../../security/callers/roles.js';
import { Users } from '../../security/users/users.js';
import { ConsoleProblem } from '../../answers/console-problem.js';
import { checked, integer, oneOf, readFields, text } from '../requests.js';

const DAY_MS = 24 * 60 * 60_000;

/** Actions of all users on their own account: on their password and their tokens. */
@Controller('api/v1/auth')
export class OwnAccountController {
  constructor(
    @Inject(ApiTokens) private readonly tokens: ApiTokens,
    @Inject(Users) private readonly users: Users,
    @Inject(AccountAccess) private readonly access: AccountAccess,
    @Inject(PasswordLogin) private readonly passwords: PasswordLogin,
    @Inject(ConsoleAudit) private readonly audit: ConsoleAudit,
  ) {}

  @Post('password')
  @HttpCode(204)
  @Permit('read')
  async changePassword(
    @Body() body: unknown,
    @CurrentCaller() caller: Caller,
    @Req() request: ConsoleRequest,
  ): Promise<void> {
    requireSession(caller);
    const { username } = caller;
    if (caller.provider !== 'local')
      throw new ConsoleProblem(409, 'no-password', `Your password is kept by ${caller.provider}: change it there.`);
    const given = readFields(body, {
      old: text(LONGEST_PASSWORD),
      new: checked((value) => passwordProblem(username, value)),
    });
    await this.audit.record({ action: 'auth.password', target: username, caller }, async (notes) => {
      if ((await this.passwords.verify({ username, password: given.old, request })) === undefined)
        throw new ConsoleProblem(403, 'wrong-password', 'The old password is wrong.');
      await this.users.change(username, { passwordHash: await hashPassword(given.new, HASH_QUEUES.known) });
      // Ends the sessions and tokens of others who knew the old password.
      const revoked = await this.access.end(caller, caller.sessionId);
      notes.note('revoked', undefined, `${revoked} tokens`);
    });
  }

  @Get('tokens')
  @Permit('read')
  ownTokens(@CurrentCaller() caller: Caller): readonly ApiToken[] {
    return this.tokens.list(caller).map(shownToken);
  }

  @Post('tokens')
  @Permit('read')
  async createToken(@Body() body: unknown, @CurrentCaller() caller: Caller): Promise<CreatedApiToken> {
    requireSession(caller);
    const { name, role, days } = readFields(body, { name: text(100), role: oneOf(...ROLES), days: integer(1, 365) });
    return this.audit.record({ action: 'token.create', target: name, caller }, async (notes) => {
      if (!isAtMost(role, caller.role))
        throw new ConsoleProblem(403, 'not-permitted', wording('token-role', { role: caller.role }));
      const lifetimeMs = days * DAY_MS;
      const { token, secret } = await this.tokens.issue({ account: caller, name, role, lifetimeMs, keep: 'stored' });
      // The session may have ended meanwhile, and all tokens that existed then with it.
      if (caller.ended.aborted) {
        await this.tokens.revoke(token.id);
        throw new ConsoleProblem(401, 'not-logged-in', wording('session-ended'));
      }
      notes.note('role', undefined, role);
      notes.note('expires', undefined, new Date(token.expiresAt).toISOString());
      return { ...shownToken(token), token: secret };
    });
  }

  @Delete('tokens/:id')
  @HttpCode(204)
  @Permit('read')
  async revokeToken(@Param('id') id: string, @CurrentCaller() caller: Caller): Promise<void> {
    const token = this.tokens.list().find((each) => each.id === id);
    const isOwn = token !== undefined && isSameAccount(accountOf(token), caller);
    const mayRevoke = isOwn || caller.permissions.includes('admin');
    if (token === undefined || !mayRevoke) throw new ConsoleProblem(404, 'unknown-token', `You have no token '${id}'.`);
    await this.audit.record({ action: 'token.revoke', target: token.name, caller }, () => this.tokens.revoke(id));
  }
}

/** Requires a session: a stolen token must not be able to create another one. */
function requireSession({ sessionId }: Caller): void {
  if (sessionId === undefined)
    throw new ConsoleProblem(403, 'needs-login', 'A token cannot do this: log in with a browser.');
}
