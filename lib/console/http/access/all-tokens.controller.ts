import { Controller, Get, Inject } from '@nestjs/common';
import { type ApiToken } from '../../contract/session.js';
import { ApiTokens, shownToken } from '../../security/users/api-tokens.js';
import { Permit } from '../../security/callers/permit.decorator.js';

/** The tokens of all users, for administrators, who revoke them at the same route as their owners. */
@Controller('api/v1/tokens')
export class AllTokensController {
  constructor(@Inject(ApiTokens) private readonly tokens: ApiTokens) {}

  @Get()
  @Permit('admin')
  list(): readonly ApiToken[] {
    return this.tokens.list().map(shownToken);
  }
}
