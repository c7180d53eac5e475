import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Put } from '@nestjs/common';
import { type OidcAccount } from '../../contract/session.js';
import { actorOf } from '../../security/callers/account.js';
import { AccountAccess } from '../../security/users/account-access.js';
import { ApiTokens } from '../../security/users/api-tokens.js';
import { type Caller } from '../../security/callers/caller.js';
import { ConsoleAudit } from '../../security/audit/console-audit.js';
import { CurrentCaller } from '../../security/callers/current-caller.decorator.js';
import { accountOfOidc, OidcAccounts } from '../../security/oidc/oidc-accounts.js';
import { Permit } from '../../security/callers/permit.decorator.js';
import { ConsoleProblem } from '../../answers/console-problem.js';
import { flag, readFields } from '../requests.js';

/** The users of providers who have logged in, for administrators. */
@Controller('api/v1/oidc-users')
export class OidcUsersController {
  constructor(
    @Inject(OidcAccounts) private readonly accounts: OidcAccounts,
    @Inject(AccountAccess) private readonly access: AccountAccess,
    @Inject(ApiTokens) private readonly tokens: ApiTokens,
    @Inject(ConsoleAudit) private readonly audit: ConsoleAudit,
  ) {}

  /** All users who have logged in, the latest first. */
  @Get()
  @Permit('admin')
  list(): readonly OidcAccount[] {
    return this.accounts.list();
  }

  /** Blocks a user, which ends the user's sessions and tokens, or unblocks the user. */
  @Put(':id')
  @Permit('admin')
  async change(@Param('id') id: string, @Body() body: unknown, @CurrentCaller() caller: Caller): Promise<OidcAccount> {
    const { isBlocked } = readFields(body, { isBlocked: flag });
    const before = this.accounts.find(id);
    if (isBlocked && caller.subject === id)
      throw new ConsoleProblem(409, 'own-account', 'You cannot block yourself. Ask another administrator.');
    return this.audit.record({ action: 'user.update', target: actorOf(before), caller }, async (notes) => {
      const after = await this.accounts.setBlocked(id, isBlocked);
      notes.note('isBlocked', String(before.isBlocked), String(isBlocked));
      if (isBlocked) notes.note('revoked', undefined, `${await this.access.end(accountOfOidc(after))} tokens`);
      return after;
    });
  }

  /** Revokes all tokens of a user. */
  @Delete(':id/tokens')
  @HttpCode(204)
  @Permit('admin')
  async revokeTokens(@Param('id') id: string, @CurrentCaller() caller: Caller): Promise<void> {
    const account = this.accounts.find(id);
    await this.audit.record({ action: 'token.revoke', target: actorOf(account), caller }, async (notes) => {
      notes.note('revoked', undefined, `${await this.tokens.revokeOf(accountOfOidc(account))} tokens`);
    });
  }
}
