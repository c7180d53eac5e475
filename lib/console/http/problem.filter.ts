import { type ArgumentsHost, Catch, type ExceptionFilter, Inject } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { randomUUID } from 'node:crypto';
import { describeFailure } from '../../api/text/describe-cause.js';
import { type JobLogger } from '../../api/text/logger.js';
import { CONSOLE_LOGGER } from '../options/console-tokens.js';
import { type ConsoleRequest } from '../security/callers/caller.js';
import { securityHeaders } from '../security/requests/security-headers.js';
import { TrustedProxies } from '../security/callers/trusted-proxies.js';
import { problemOf } from './problems.js';

/**
 * Answers errors as `application/problem+json`. The text of an unexpected error is only in the log, never in the
 * answer.
 */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(CONSOLE_LOGGER) private readonly logger: JobLogger,
    @Inject(TrustedProxies) private readonly proxies: TrustedProxies,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    this.answer(error, host.switchToHttp().getRequest(), host.switchToHttp().getResponse());
  }

  /** Answers an error of a request, which may not have reached the guard. */
  answer(error: unknown, request: ConsoleRequest, response: unknown): void {
    const requestId = request.elasticJobRequestId ?? randomUUID();
    const { problem, headers, isUnforeseen } = problemOf(error, requestId);
    if (isUnforeseen || problem.status === 500)
      this.logger.error(`A request to the console has failed (request ${requestId}): ${describeFailure(error)}`);
    const { httpAdapter } = this.host;
    // An answer that has begun can only be ended.
    if (httpAdapter.isHeadersSent(response)) return void httpAdapter.end(response);
    const type = { 'content-type': 'application/problem+json; charset=utf-8' };
    const origin = request.elasticJobOrigin ?? this.proxies.originOf(request);
    const all = { ...securityHeaders(origin), 'x-request-id': requestId, ...headers, ...type };
    for (const [name, value] of Object.entries(all)) httpAdapter.setHeader(response, name, value);
    httpAdapter.reply(response, JSON.stringify(problem), problem.status);
  }
}
