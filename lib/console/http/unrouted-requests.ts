/**
 * Requests below the console's path that reach none of its routes: their body is no JSON or too large, a middleware of
 * the application refuses them, or there is no such route.
 *
 * ```
 *   request ─▶ body parser, middleware ─▶ routes ─▶ no route
 *                   └─────── error ───────────────────┴──▶ below the console's path? ─▶ problem+json
 *                                                          otherwise ─▶ Nest's own handlers, with the application's filters
 * ```
 * Express and Fastify have one handler for errors and one for missing routes. Nest sets both at the end of its start,
 * through the adapter. This class puts the console's answers in front of Nest's at that moment, which is the same on
 * both servers.
 */
import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type ElasticJobConsoleOptions } from '../options/console-options.js';
import { CONSOLE_OPTIONS } from '../options/console-tokens.js';
import { type ConsoleRequest } from '../security/callers/caller.js';
import { ConsoleProblem } from '../answers/console-problem.js';
import { KnownRoutes } from './known-routes.js';
import { mountOf } from './mount-path.js';
import { ProblemFilter } from './problem.filter.js';

type ErrorHandler = (error: unknown, request: ConsoleRequest, response: unknown, next: unknown) => unknown;
type NotFoundHandler = (request: ConsoleRequest, response: unknown, next: unknown) => unknown;

/** The part of an adapter through which Nest sets its last handlers. */
interface LastHandlers {
  setErrorHandler?(handler: ErrorHandler, prefix?: string, ...others: unknown[]): unknown;
  setNotFoundHandler?(handler: NotFoundHandler, prefix?: string, ...others: unknown[]): unknown;
}

/** Answers requests that reach no route of the console in the form of the console's other errors. */
@Injectable()
export class UnroutedRequests {
  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(CONSOLE_OPTIONS) private readonly options: ElasticJobConsoleOptions,
    @Inject(ProblemFilter) private readonly problems: ProblemFilter,
    @Inject(KnownRoutes) private readonly routes: KnownRoutes,
  ) {}

  /** Must be called before Nest sets its handlers. */
  answerAll(): void {
    const adapter = this.host.httpAdapter as LastHandlers;
    const setErrorHandler = adapter.setErrorHandler?.bind(adapter);
    const setNotFoundHandler = adapter.setNotFoundHandler?.bind(adapter);
    if (setErrorHandler !== undefined)
      adapter.setErrorHandler = (handler, prefix, ...others) =>
        setErrorHandler(this.#errorHandler(handler, prefix), prefix, ...others);
    if (setNotFoundHandler !== undefined)
      adapter.setNotFoundHandler = (handler, prefix, ...others) =>
        setNotFoundHandler(this.#notFoundHandler(handler, prefix), prefix, ...others);
  }

  // Express takes a function for an error handler only if it has four parameters.
  #errorHandler(handler: ErrorHandler, prefix: string | undefined): ErrorHandler {
    return (error, request, response, next) =>
      this.#isOwn(request, prefix)
        ? this.problems.answer(error, request, response)
        : handler(error, request, response, next);
  }

  #notFoundHandler(handler: NotFoundHandler, prefix: string | undefined): NotFoundHandler {
    return (request, response, next) =>
      this.#isOwn(request, prefix)
        ? this.problems.answer(this.#refusalOf(request), request, response)
        : handler(request, response, next);
  }

  #refusalOf(request: ConsoleRequest): ConsoleProblem {
    const path = pathOf(request);
    const { base } = mountOf(path, this.options.path ?? '/elasticjob');
    const allow = this.routes.allowAt(path.slice(base.length));
    if (allow === undefined) return notFound(request);
    const detail = `${path} takes ${allow}, and not ${request.method}.`;
    return new ConsoleProblem(405, 'method-not-allowed', detail, { headers: { allow } });
  }

  /**
   * True for a request below the console's path, with or without the application's prefix, from which the console may
   * be exempted.
   */
  #isOwn(request: ConsoleRequest, prefix = ''): boolean {
    const own = (this.options.path ?? '/elasticjob').replace(/\/$/, '');
    const path = `${pathOf(request)}/`;
    return [own, `/${prefix.replace(/^\/|\/$/g, '')}${own}`].some((base) => path.startsWith(`${base}/`));
  }
}

function pathOf({ originalUrl, url }: ConsoleRequest): string {
  return (originalUrl ?? url).split('?')[0] ?? '';
}

function notFound(request: ConsoleRequest): ConsoleProblem {
  return new ConsoleProblem(404, 'unknown-route', `There is no route ${request.method} ${pathOf(request)}.`);
}
