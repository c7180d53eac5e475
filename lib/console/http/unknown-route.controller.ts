import { All, Controller, Req } from '@nestjs/common';
import { type ConsoleRequest } from '../security/caller.js';
import { Permit } from '../security/permit.decorator.js';
import { ConsoleProblem } from './console-problem.js';

/** Express and Fastify write "everything below" in different ways, and a parameter in the same. */
const DEPTHS = Array.from({ length: 12 }, (_, depth) =>
  ['api', ...Array.from({ length: depth }, (__, i) => `:rest${i}`)].join('/'),
);

/** Answers what no other controller does as the console answers all errors. */
@Controller()
export class UnknownRouteController {
  @All(DEPTHS)
  @Permit('public')
  refuse(@Req() request: ConsoleRequest): never {
    const [path = ''] = (request.originalUrl ?? request.url).split('?');
    throw new ConsoleProblem(404, 'unknown-route', `There is no route ${request.method} ${path}.`);
  }
}
