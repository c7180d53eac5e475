/**
 * The older APIs as tables: each route has a permission, the methods and paths of scripts, a sentence for the OpenAPI
 * document, and a function that answers. `olderController` makes a controller from a table, with a method for each
 * path, so that Nest and the console's guard see routes as usual.
 */
import {
  applyDecorators,
  Controller,
  createParamDecorator,
  type ExecutionContext,
  HttpCode,
  RequestMapping,
  RequestMethod,
  SetMetadata,
  type Type,
  UseFilters,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { Permit, type RequiredPermission } from '../../security/callers/permit.decorator.js';
import { AcceptsBasic } from '../../security/callers/route-metadata.js';
import { OlderAnswers, OlderProblemFilter } from './older-answers.js';
import { type OlderCall, type OlderRequest, OlderServices } from './older-calls.js';
import { UnsafeGetGuard } from './unsafe-get.guard.js';

type Verb = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** The method and the path of a route: `POST :job/enable`. */
type Asked = `${Verb} ${string}`;

/** Answers a request. A function with a second parameter takes a body. */
type Answering = (call: OlderCall, body: unknown) => unknown;

type AnswerType = 'number' | 'boolean' | 'object';

/** A route of the older APIs. */
export interface OlderRoute {
  readonly permission: RequiredPermission;
  readonly asked: readonly Asked[];
  readonly summary: string;
  readonly answer: Answering;
  /**
   * The type of answers that are never in the envelope of ElasticJob 3; absent if callers that expect the envelope get
   * it.
   */
  readonly unwrapped?: AnswerType;
}

/** The metadata key for the entry of a controller's method in the OpenAPI document. */
export const OLDER_ROUTE_METADATA = 'elasticjob:older-route';

/** A route of the older APIs: it answers 200 after every success, in the form that the caller expects. */
export function route(
  permission: RequiredPermission,
  asked: Asked | readonly Asked[],
  summary: string,
  answer: Answering,
): OlderRoute {
  return { permission, asked: typeof asked === 'string' ? [asked] : asked, summary, answer };
}

/** A route of the older APIs that never wraps its answers. */
export function unwrappedRoute(unwrapped: AnswerType, ...parts: Parameters<typeof route>): OlderRoute {
  return { ...route(...parts), unwrapped };
}

/** A controller of the older APIs. */
export function olderController(name: string, path: string, routes: readonly OlderRoute[]): Type {
  const controller = { [name]: class {} }[name] as Type;
  for (const each of routes) for (const asked of each.asked) addMethod(controller, each, asked);
  applyDecorators(Controller(path), UseFilters(OlderProblemFilter), AcceptsBasic())(controller);
  return controller;
}

const callOf = createParamDecorator((_: unknown, context: ExecutionContext) =>
  context.switchToHttp().getRequest<OlderRequest>(),
);

/** Adds `postJobEnable` for `POST :job/enable`. */
function addMethod(controller: Type, { permission, summary, answer, unwrapped }: OlderRoute, asked: Asked): void {
  const [verb, path = ''] = asked.split(' ') as [Verb, string];
  const words = path.split(/\W+/).map((word) => word.slice(0, 1).toUpperCase() + word.slice(1));
  const name = [verb.toLowerCase(), ...words].join('');
  const method = { [name]: (call: OlderCall): unknown => answer(call, call.request.body) }[name];
  const prototype = controller.prototype as object;
  Object.defineProperty(prototype, name, { value: method, configurable: true, writable: true });
  const documented = {
    summary,
    ...(answer.length > 1 && { body: {} }),
    ...(unwrapped && { answer: { type: unwrapped } }),
  };
  const decorators = [
    RequestMapping({ path, method: RequestMethod[verb] }),
    HttpCode(200),
    Permit(permission),
    SetMetadata(OLDER_ROUTE_METADATA, documented),
    ...(unwrapped === undefined ? [UseInterceptors(OlderAnswers)] : []),
    ...(verb === 'GET' && permission !== 'read' ? [UseGuards(UnsafeGetGuard)] : []),
  ];
  applyDecorators(...decorators)(prototype, name, Object.getOwnPropertyDescriptor(prototype, name) ?? {});
  callOf(OlderServices)(prototype, name, 0);
}
