import { describeCause } from '../../api/text/describe-cause.js';
import { JobExecutionError } from '../../api/errors/errors.js';
import { type JobConfiguration } from '../../api/job/job-configuration.js';
import { type RunningJob, type TypedJobItemExecutor } from '../../api/extensions/job-executor.js';
import { type ShardingContext } from '../../api/job/sharding-context.js';
import { type Clock } from '../../time/clock.js';
import { asciiContextJson } from '../context-json.js';
import { type HttpAnswer, type HttpRequest } from './http-exchange.js';
import { followed, isRedirect } from './http-redirects.js';
import { httpDoubts, httpSettings, type HttpSettings } from './http-settings.js';
import { idleStreamingDoubts } from '../dataflow-executor.js';
import { onOneLine } from '../output-lines.js';
import { throwProblems } from '../properties.js';

/**
 * Runs jobs of the type HTTP: for each item a request, with the sharding context as JSON in a header. As in Java, every
 * complete answer is a success, unless `http.failOnErrorStatus` is set; an answer with an error status is logged as a
 * warning.
 */
export function httpExecutor(clock: Clock): TypedJobItemExecutor {
  return {
    type: 'HTTP',
    validate: (configuration) => httpSettings(configuration).problems,
    doubts: (configuration) => [...httpDoubts(configuration), ...idleStreamingDoubts(configuration)],
    process: (configuration, context, job) => callUrl({ configuration, context, job, clock }),
  };
}

interface HttpCall {
  readonly configuration: JobConfiguration;
  readonly context: ShardingContext;
  readonly job: RunningJob;
  readonly clock: Clock;
}

async function callUrl({ configuration, context, job: { logger }, clock }: HttpCall): Promise<void> {
  const { settings, problems } = httpSettings(configuration);
  throwProblems(configuration.jobName, problems);
  const { signal } = context;
  const { connectTimeoutMs, readTimeoutMs, failsOnErrorStatus, redirectsKeepRequest: keepsRequest } = settings;
  const request = requestOf(settings, context);
  const options = { clock, signal, connectTimeoutMs, readTimeoutMs, keepsRequest };
  const answer = await followed(request, options).catch((cause: unknown) => {
    if (signal.aborted && cause === signal.reason) throw cause;
    throw new JobExecutionError(`The request ${nameOf(request)} has failed: ${describeCause(cause)}`, { cause });
  });
  if (answer.status < 400 && !isRedirect(answer)) {
    logger.debug(`HTTP job execute result: ${bodyOf(answer)}`);
    return;
  }
  const problem = `HTTP job executed with response code ${answer.status} by ${nameOf(request)}${ending(answer)}`;
  if (failsOnErrorStatus) throw new JobExecutionError(problem);
  logger.warn(problem);
}

function requestOf({ url, method, data, contentType }: HttpSettings, context: ShardingContext): HttpRequest {
  const type =
    contentType === '' && data !== '' && method !== 'PUT' ? 'application/x-www-form-urlencoded' : contentType;
  return {
    url,
    method,
    headers: {
      Accept: '*/*',
      'User-Agent': 'nestjs-elasticjob',
      shardingContext: asciiContextJson(context),
      ...(type !== '' && { 'Content-Type': type }),
      ...(data !== '' && { 'Content-Length': String(Buffer.byteLength(data)) }),
    },
    body: data,
  };
}

/** The request for messages, without the parts that may be secret: user, password and query. */
function nameOf({ method, url }: HttpRequest): string {
  return `${method} ${url.origin}${url.pathname}`;
}

function ending(answer: HttpAnswer): string {
  if (isRedirect(answer))
    return ', a redirect that is not followed: it leads from https to http, to no address of the web, or to another host, which http.redirect.keepsRequest does not allow to receive the body';
  const body = bodyOf(answer);
  return body === '' ? '' : `; response body: ${body}`;
}

/** The body on one line. */
function bodyOf({ body, dropped }: HttpAnswer): string {
  const more = dropped > 0 ? `… (${dropped} more bytes)` : '';
  return onOneLine(body.replace(/[\r\n]+/g, '')) + more;
}
