import {
  applyDecorators,
  Controller,
  HttpCode,
  RequestMapping,
  type RequestMethod,
  UseFilters,
  UseInterceptors,
} from '@nestjs/common';
import { Permit, type RequiredPermission } from '../../security/callers/permit.decorator.js';
import { AcceptsBasic } from '../../security/callers/route-metadata.js';
import { OlderAnswers, OlderProblemFilter } from './older-answers.js';

/** A route of the older APIs: it answers 200 whenever it is carried out, in the form that the caller knows. */
export function OlderRoute(
  method: RequestMethod,
  path: string | string[],
  permission: RequiredPermission,
): MethodDecorator {
  return applyDecorators(UnwrappedRoute(method, path, permission), UseInterceptors(OlderAnswers));
}

/** A route of the older APIs that never wraps its answers. */
export function UnwrappedRoute(
  method: RequestMethod,
  path: string | string[],
  permission: RequiredPermission,
): MethodDecorator {
  return applyDecorators(RequestMapping({ path, method }), HttpCode(200), Permit(permission));
}

/** A controller of the older APIs. */
export function OlderController(path: string): ClassDecorator {
  return applyDecorators(Controller(path), UseFilters(OlderProblemFilter), AcceptsBasic());
}
