import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { ConsoleProblem } from '../../answers/console-problem.js';
import { CONSOLE_SERVICE_OPTIONS, type ConsoleServiceOptions } from '../../options/console-service-options.js';
import { type ConsoleRequest } from '../../security/callers/caller.js';

/**
 * Lets a GET change something for callers with a token, if `compat.unsafeGet` allows that. A browser follows links by
 * itself, and brings cookies and passwords along: only a token shows that a script means it.
 */
@Injectable()
export class UnsafeGetGuard implements CanActivate {
  constructor(@Inject(CONSOLE_SERVICE_OPTIONS) private readonly options: ConsoleServiceOptions) {}

  /** @throws ConsoleProblem 405 `unsafe-get` for all others */
  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<ConsoleRequest>();
    const hasToken = headers['access-token'] !== undefined || /^bearer /i.test(String(headers['authorization']));
    if (this.options.compat?.unsafeGet === true && hasToken) return true;
    throw new ConsoleProblem(
      405,
      'unsafe-get',
      'A GET changes nothing here: use POST. The option compat.unsafeGet allows it for callers with a token.',
    );
  }
}
