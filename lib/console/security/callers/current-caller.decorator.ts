import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type Caller, type ConsoleRequest } from './caller.js';

/** Gives a method of a controller its caller. On a public route there may be none: `undefined`. */
export const CurrentCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext): Caller | undefined =>
    context.switchToHttp().getRequest<ConsoleRequest>().elasticJobCaller,
);
