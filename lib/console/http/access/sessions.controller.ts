import { Controller, Delete, Get, HttpCode, Inject, Param } from '@nestjs/common';
import { type OpenSession } from '../../contract/session.js';
import { type Caller } from '../../security/callers/caller.js';
import { ConsoleAudit } from '../../security/audit/console-audit.js';
import { CurrentCaller } from '../../security/callers/current-caller.decorator.js';
import { Permit } from '../../security/callers/permit.decorator.js';
import { Sessions } from '../../security/sessions/sessions.js';
import { ConsoleProblem } from '../../answers/console-problem.js';

/** All open sessions, for administrators. */
@Controller('api/v1/sessions')
export class SessionsController {
  constructor(
    @Inject(Sessions) private readonly sessions: Sessions,
    @Inject(ConsoleAudit) private readonly audit: ConsoleAudit,
  ) {}

  @Get()
  @Permit('admin')
  list(@CurrentCaller() caller: Caller): readonly OpenSession[] {
    return this.sessions
      .list()
      .map(({ subject: _subject, ...session }) => ({ ...session, isOwn: session.id === caller.sessionId }));
  }

  @Delete(':id')
  @HttpCode(204)
  @Permit('admin')
  async end(@Param('id') id: string, @CurrentCaller() caller: Caller): Promise<void> {
    const target = this.sessions.list().find((each) => each.id === id)?.username;
    if (target === undefined) throw new ConsoleProblem(404, 'unknown-session', `There is no open session '${id}'.`);
    await this.audit.record({ action: 'session.end', target, caller }, () => this.sessions.end(id));
  }
}
