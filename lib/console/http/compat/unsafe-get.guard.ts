import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { ConsoleProblem } from '../../answers/console-problem.js';
import { CONSOLE_SERVICE_OPTIONS, type ConsoleServiceOptions } from '../../options/console-service-options.js';
import { type ConsoleRequest } from '../../security/callers/caller.js';

/**
 * Allows a GET with an effect for callers with a token, if `compat.unsafeGet` is true. A browser follows links by
 * itself and sends cookies and passwords with them: only a token proves that a script intends the change.
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
