import {
  type ArgumentsHost,
  type CallHandler,
  Catch,
  type ExceptionFilter,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type Observable } from 'rxjs';
import { map } from 'rxjs/operators';
import { CONSOLE_LOGGER } from '../../options/console-tokens.js';
import { describeFailure } from '../../../api/text/describe-cause.js';
import { type JobLogger } from '../../../api/text/logger.js';
import { type ConsoleRequest } from '../../security/callers/caller.js';
import { CONSOLE_SERVICE_OPTIONS, type ConsoleServiceOptions } from '../../options/console-service-options.js';
import { problemOf } from '../problems.js';

/** The envelope of answers of ElasticJob 3's console. */
interface JavaEnvelope {
  readonly success: boolean;
  /** 0, or 400, 403 or 500. */
  readonly errorCode: number;
  readonly errorMsg: string | null;
  readonly model: unknown;
}

/** True if the caller is a script for ElasticJob 2, which logs in by HTTP Basic and knows no envelope. */
export function isElasticJob2({ headers }: ConsoleRequest): boolean {
  const { authorization } = headers;
  return typeof authorization === 'string' && /^basic /i.test(authorization);
}

/** Gives answers the form that the caller expects. `undefined` is the answer of a command. */
@Injectable()
export class OlderAnswers implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (isElasticJob2(context.switchToHttp().getRequest<ConsoleRequest>())) return next.handle();
    return next.handle().pipe(map(wrapped));
  }
}

function wrapped(model: unknown): JavaEnvelope {
  return { success: true, errorCode: 0, errorMsg: null, model: model === undefined ? true : model };
}

/** Answers errors in the form of the older APIs: in an envelope, or as plain text. */
@Catch()
export class OlderProblemFilter implements ExceptionFilter {
  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(CONSOLE_SERVICE_OPTIONS) private readonly options: ConsoleServiceOptions,
    @Inject(CONSOLE_LOGGER) private readonly logger: JobLogger,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<ConsoleRequest>();
    const response: unknown = host.switchToHttp().getResponse();
    const { problem, headers, isUnforeseen } = problemOf(error, request.elasticJobRequestId ?? '');
    if (isUnforeseen)
      this.logger.error(
        `A request to the console has failed (request ${problem.requestId}): ${describeFailure(error)}`,
      );
    const { httpAdapter } = this.host;
    const all = { ...headers, 'content-type': 'application/json; charset=utf-8' };
    for (const [name, value] of Object.entries(all)) httpAdapter.setHeader(response, name, value);
    const failure: JavaEnvelope = {
      success: false,
      errorCode: codeOf(problem.status),
      errorMsg: problem.detail,
      model: null,
    };
    const status = this.options.compat?.always200 === true ? 200 : problem.status;
    httpAdapter.reply(response, JSON.stringify(isElasticJob2(request) ? { error: problem.detail } : failure), status);
  }
}

/** The error code for scripts for ElasticJob 3. */
function codeOf(status: number): number {
  if (status === 401 || status === 403) return 403;
  return status === 400 || status === 422 ? 400 : 500;
}
