/**
 * The guard of every request to the console:
 *
 * ```
 *   id, security headers ─▶ requirement of the route ─▶ authentication ─▶ from our own page? ─▶ permitted? ─▶ controller
 *                            none: refused               cookie, token, Basic
 * ```
 */
import { randomUUID } from 'node:crypto';
import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ConsoleProblem } from '../answers/console-problem.js';
import { type ProblemCode } from '../answers/problem-codes.js';
import { refuseLongTexts } from './requests/text-limits.js';
import { Authentication } from './authentication.js';
import { type Caller, type ConsoleRequest } from './callers/caller.js';
import { ConsoleAudit } from './audit/console-audit.js';
import { refuseCrossSite } from './requests/cross-site.js';
import { FirstSetup } from './sessions/first-setup.js';
import { PERMISSION_METADATA, type RequiredPermission } from './callers/permit.decorator.js';
import { BASIC_METADATA, SETS_SESSION_METADATA } from './callers/route-metadata.js';
import { securityHeaders } from './requests/security-headers.js';
import { TrustedProxies } from './callers/trusted-proxies.js';

/** Lets permitted requests pass. A route without `@Permit` refuses all requests. */
@Injectable()
export class ConsoleGuard implements CanActivate {
  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(TrustedProxies) private readonly proxies: TrustedProxies,
    @Inject(Authentication) private readonly authentication: Authentication,
    @Inject(FirstSetup) private readonly setup: FirstSetup,
    @Inject(ConsoleAudit) private readonly audit: ConsoleAudit,
  ) {}

  /** @throws ConsoleProblem 401, 403, 415, 422, 429 or 503, if the request is refused */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<ConsoleRequest>();
    request.elasticJobRequestId = randomUUID();
    request.elasticJobOrigin = this.proxies.originOf(request);
    const headers = { ...securityHeaders(request.elasticJobOrigin), 'x-request-id': request.elasticJobRequestId };
    const response: unknown = context.switchToHttp().getResponse();
    for (const [name, value] of Object.entries(headers)) this.host.httpAdapter.setHeader(response, name, value);
    try {
      await this.#check(request, routeOf(context));
    } catch (error) {
      await this.#recordRefusal(request, error);
      throw error;
    }
    return true;
  }

  async #check(request: ConsoleRequest, { permission, acceptsBasic, setsSession }: Route): Promise<void> {
    if (permission === undefined)
      throw forbidden('no-permission-declared', 'Nobody may do this: the route does not say who may.');
    const origin = request.elasticJobOrigin ?? this.proxies.originOf(request);
    const { credentials, caller } = await this.authentication.authenticate(request, { acceptsBasic });
    if (caller !== undefined) request.elasticJobCaller = caller;
    refuseCrossSite(request, origin, setsSession ? 'cookie' : credentials);
    if (permission !== 'public') this.#requirePermission(caller, permission);
    refuseLongTexts(request);
  }

  #requirePermission(caller: Caller | undefined, permission: Exclude<RequiredPermission, 'public'>): void {
    if (this.setup.isNeeded)
      throw forbidden(
        'setup-needed',
        'The console has no administrator yet: open its page, and make one with the code from its log.',
      );
    if (caller === undefined) throw new ConsoleProblem(401, 'not-logged-in', 'Log in first, or send a token.');
    if (!caller.permissions.includes(permission))
      throw forbidden(
        'not-permitted',
        `This needs the permission '${permission}', which the role '${caller.role}' does not have.`,
      );
  }

  /**
   * A request without a login is not recorded, as each visit of the page would be. A refused password is recorded
   * already.
   */
  async #recordRefusal(request: ConsoleRequest, error: unknown): Promise<void> {
    if (!(error instanceof ConsoleProblem) || UNRECORDED.includes(error.code)) return;
    const { elasticJobCaller, elasticJobOrigin, elasticJobRequestId = '' } = request;
    const caller = elasticJobCaller ?? { ip: elasticJobOrigin?.ip ?? '', requestId: elasticJobRequestId };
    const path = (request.originalUrl ?? request.url).split('?')[0] ?? '';
    await this.audit.refused({ action: 'request', target: `${request.method} ${path}`, caller }, error.code);
  }
}

const UNRECORDED = ['not-logged-in', 'setup-needed', 'login-failed', 'too-many-attempts', 'busy'];

interface Route {
  readonly permission: RequiredPermission | undefined;
  readonly acceptsBasic: boolean;
  readonly setsSession: boolean;
}

function routeOf(context: ExecutionContext): Route {
  const [handler, type] = [context.getHandler(), context.getClass()];
  const ofEither = (name: string): boolean => [handler, type].some((each) => Reflect.getMetadata(name, each) === true);
  return {
    // Only the method's own metadata counts: metadata of the class would also apply to a method that is added later.
    permission: Reflect.getMetadata(PERMISSION_METADATA, handler) as RequiredPermission | undefined,
    acceptsBasic: ofEither(BASIC_METADATA),
    setsSession: ofEither(SETS_SESSION_METADATA),
  };
}

function forbidden(code: ProblemCode, detail: string): ConsoleProblem {
  return new ConsoleProblem(403, code, detail);
}
