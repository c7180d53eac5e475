import { type Type, UseFilters, UseGuards, VERSION_NEUTRAL } from '@nestjs/common';
import { ConsoleGuard } from '../security/console.guard.js';
import { PERMISSION_METADATA } from '../security/callers/permit.decorator.js';
import { ProblemFilter } from './problem.filter.js';

/** The metadata keys of Nest's decorators. */
const PATH = 'path';
const VERSION = '__version__';
const FILTERS = '__exceptionFilters__';

const protectedAlready = new WeakSet<Type>();

/**
 * Puts the guard before all routes of the controllers, and the filter after them unless a controller has its own.
 * @param decorators of the application, for each controller
 * @throws Error if a route has no `@Permit`
 */
export function protectedControllers(controllers: readonly Type[], decorators: readonly ClassDecorator[]): Type[] {
  const open = controllers.flatMap(routesWithoutPermission);
  if (open.length > 0)
    throw new Error(`These routes of the console do not say who may use them by @Permit: ${open.join(', ')}.`);
  for (const controller of controllers) {
    if (!protectedAlready.has(controller)) protect(controller);
    for (const decorate of decorators) decorate(controller);
  }
  return [...controllers];
}

function protect(controller: Type): void {
  protectedAlready.add(controller);
  UseGuards(ConsoleGuard)(controller);
  if (!Reflect.hasMetadata(FILTERS, controller)) UseFilters(ProblemFilter)(controller);
  // Versions of the application's routes do not apply to these.
  Reflect.defineMetadata(VERSION, VERSION_NEUTRAL, controller);
}

/** The methods that answer requests and lack `@Permit`, as `JobsController.list`. */
export function routesWithoutPermission(controller: Type): readonly string[] {
  return routesOf(controller)
    .filter(({ handler }) => !Reflect.hasMetadata(PERMISSION_METADATA, handler))
    .map(({ name }) => `${controller.name}.${name}`);
}

/** The methods of a controller that answer requests, inherited ones too. */
export function routesOf(controller: Type): readonly { readonly name: string; readonly handler: object }[] {
  const own = Object.entries(Object.getOwnPropertyDescriptors(controller.prototype as object));
  const routes = own.flatMap(([name, { value }]: [string, { readonly value?: unknown }]) =>
    name !== 'constructor' && typeof value === 'function' && Reflect.hasMetadata(PATH, value)
      ? [{ name, handler: value }]
      : [],
  );
  const parent = Object.getPrototypeOf(controller) as Type;
  const inherited = parent.prototype === undefined ? [] : routesOf(parent);
  return [...routes, ...inherited.filter(({ name }) => !own.some(([overriding]) => overriding === name))];
}
