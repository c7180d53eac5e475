import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Put } from '@nestjs/common';
import { type ConsoleUser } from '../../contract/session.js';
import { OIDC_PROVIDERS } from '../../options/console-tokens.js';
import { LOCAL } from '../../security/callers/account.js';
import { AccountAccess } from '../../security/users/account-access.js';
import { ApiTokens } from '../../security/users/api-tokens.js';
import { type Caller } from '../../security/callers/caller.js';
import { ConsoleAudit } from '../../security/audit/console-audit.js';
import { CurrentCaller } from '../../security/callers/current-caller.decorator.js';
import { HASH_QUEUES } from '../../security/passwords/hash-queue.js';
import { hashPassword, passwordProblem } from '../../security/passwords/password-hash.js';
import { type OidcProvider } from '../../security/oidc/oidc-provider.js';
import { Permit } from '../../security/callers/permit.decorator.js';
import { ROLES } from '../../security/callers/roles.js';
import { isEnabled, refuseForeignName, Users, usernameProblem } from '../../security/users/users.js';
import { ConsoleProblem } from '../../answers/console-problem.js';
import { checked, flag, oneOf, optional, readFields } from '../requests.js';

/** The users, for administrators. */
@Controller('api/v1/users')
export class UsersController {
  constructor(
    @Inject(Users) private readonly users: Users,
    @Inject(AccountAccess) private readonly access: AccountAccess,
    @Inject(ApiTokens) private readonly tokens: ApiTokens,
    @Inject(ConsoleAudit) private readonly audit: ConsoleAudit,
    @Inject(OIDC_PROVIDERS) private readonly providers: readonly OidcProvider[],
  ) {}

  @Get()
  @Permit('admin')
  list(): readonly ConsoleUser[] {
    return this.users.list();
  }

  @Post()
  @Permit('admin')
  async create(@Body() body: unknown, @CurrentCaller() caller: Caller): Promise<ConsoleUser> {
    const {
      username,
      role,
      isEnabled: may = true,
    } = readFields(body, {
      username: checked(usernameProblem),
      role: oneOf(...ROLES),
      isEnabled: optional(flag),
    });
    refuseForeignName(username, this.providers);
    const { password } = readFields(body, { password: checked((value) => passwordProblem(username, value)) });
    return this.audit.record({ action: 'user.create', target: username, caller }, async (notes) => {
      const user = await this.users.add({
        username,
        role,
        isEnabled: may,
        passwordHash: await hashPassword(password, HASH_QUEUES.known),
      });
      notes.note('role', undefined, role);
      notes.note('isEnabled', undefined, String(may));
      return user;
    });
  }

  /**
   * Changes a user. Every change ends the user's sessions and tokens, which were made with the old role or password.
   */
  @Put(':username')
  @Permit('admin')
  async change(
    @Param('username') name: string,
    @Body() body: unknown,
    @CurrentCaller() caller: Caller,
  ): Promise<ConsoleUser> {
    const {
      role,
      isEnabled: may,
      password,
    } = readFields(body, {
      role: optional(oneOf(...ROLES)),
      isEnabled: optional(flag),
      password: optional(checked((value) => passwordProblem(name, value))),
    });
    return this.audit.record({ action: 'user.update', target: name, caller }, async (notes) => {
      const before = this.users.find(name);
      const passwordHash = password === undefined ? undefined : await hashPassword(password, HASH_QUEUES.known);
      const user = await this.users.change(name, {
        ...(role !== undefined && { role }),
        ...(may !== undefined && { isEnabled: may }),
        ...(passwordHash !== undefined && { passwordHash }),
      });
      if (role !== undefined) notes.note('role', before?.role, role);
      if (may !== undefined) notes.note('isEnabled', before && String(isEnabled(before)), String(may));
      if (passwordHash !== undefined) notes.note('password', 'set', 'set again');
      await this.access.end({ username: user.username, provider: LOCAL });
      return user;
    });
  }

  @Delete(':username')
  @HttpCode(204)
  @Permit('admin')
  async remove(@Param('username') name: string, @CurrentCaller() caller: Caller): Promise<void> {
    await this.audit.record({ action: 'user.delete', target: name, caller }, async (notes) => {
      const username = this.users.find(name)?.username ?? name;
      if (username === caller.username && caller.provider === LOCAL)
        throw new ConsoleProblem(409, 'own-account', 'You cannot remove yourself. Ask another administrator.');
      const role = this.users.find(name)?.role;
      await this.users.remove(username);
      notes.note('role', role, undefined);
      await this.access.end({ username, provider: LOCAL });
    });
  }

  /** Revokes all tokens of a user, those of the older login included. The user's sessions in browsers stay. */
  @Delete(':username/tokens')
  @HttpCode(204)
  @Permit('admin')
  async revokeTokens(@Param('username') name: string, @CurrentCaller() caller: Caller): Promise<void> {
    const user = this.users.find(name);
    if (user === undefined) throw new ConsoleProblem(404, 'unknown-user', `There is no user '${name}'.`);
    const { username } = user;
    await this.audit.record({ action: 'token.revoke', target: username, caller }, async (notes) => {
      const revoked = await this.tokens.revokeOf({ username, provider: LOCAL });
      notes.note('revoked', undefined, `${revoked} tokens`);
    });
  }
}
