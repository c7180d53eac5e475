import { HttpException } from '@nestjs/common';
import { inEnglish, wording as worded } from '../../wording/wording.js';
import { isMap } from '../../api/text/describe-value.js';
import { type ElasticJobErrorCode } from '../../api/errors/errors.js';
import { type Problem, type Wording } from '../contract/common.js';
import { ConsoleProblem } from '../answers/console-problem.js';
import { type ProblemCode } from '../answers/problem-codes.js';

/** The HTTP statuses of the library's errors. Their messages are written for users; their causes are not shown. */
const BY_CODE: Readonly<Partial<Record<ElasticJobErrorCode, readonly [status: number, code: ProblemCode]>>> = {
  INVALID_CONFIGURATION: [422, 'invalid-settings'],
  INVALID_CRON: [422, 'invalid-cron'],
  UNKNOWN_JOB: [404, 'unknown-job'],
  UNKNOWN_GRAPH: [404, 'unknown-graph'],
  JOB_STATE: [409, 'job-state'],
  JOB_CONFLICT: [409, 'job-conflict'],
  JOB_STOPPED: [409, 'job-stopped'],
  REGISTRY_CONFLICT: [409, 'changed-meanwhile'],
  REGISTRY_REFUSED: [502, 'registry-refused'],
  REGISTRY_CREDENTIALS: [502, 'registry-credentials'],
  REGISTRY_INCOMPATIBLE: [502, 'registry-incompatible'],
  REGISTRY_UNAVAILABLE: [503, 'registry-unavailable'],
  SESSION_LOST: [503, 'registry-unavailable'],
  DEADLINE_EXCEEDED: [504, 'deadline-exceeded'],
  REGISTRY_OUTCOME_UNKNOWN: [504, 'outcome-unknown'],
};

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Not logged in',
  403: 'Not permitted',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'Not possible now',
  412: 'Changed meanwhile',
  413: 'Too large',
  415: 'Unsupported content',
  422: 'Not valid',
  428: 'Version required',
  429: 'Too many requests',
  500: 'Internal error',
  502: 'Refused elsewhere',
  503: 'Not available now',
  504: 'Too late',
};

/** The console's answer to an error. */
export interface ProblemAnswer {
  readonly problem: Problem;
  readonly headers: Readonly<Record<string, string>>;
  /** True for an unexpected error, which is logged completely, and not shown in the answer. */
  readonly isUnforeseen: boolean;
}

/** The console's answer to any error. */
export function problemOf(error: unknown, requestId: string): ProblemAnswer {
  const known = fromProblem(error) ?? fromLibrary(error) ?? fromNest(error);
  const { status, code, detail, wording, headers = {}, problems } = known ?? UNFORESEEN;
  const problem: Problem = {
    ...{ type: `urn:elasticjob:console:${code}`, title: TITLES[status] ?? 'Error', status, code, detail, requestId },
    ...(wording !== undefined && { wording }),
    ...(problems !== undefined && { problems }),
  };
  return { problem, headers, isUnforeseen: known === undefined };
}

interface Known extends Pick<Problem, 'status' | 'detail' | 'wording'> {
  readonly code: ProblemCode;
  readonly problems?: Problem['problems'] | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

const UNFORESEEN: Known = {
  status: 500,
  code: 'internal',
  detail: 'Something has gone wrong in the console. Its log says what, under the id of this request.',
};

function fromProblem(error: unknown): Known | undefined {
  if (!(error instanceof ConsoleProblem)) return undefined;
  const { status, code, message: detail, wording, problems, headers } = error;
  return { status, code, detail, ...(wording && { wording }), problems, headers };
}

function fromLibrary(error: unknown): Known | undefined {
  const { code: name, message, faults, wordings, because } = (error ?? {}) as Readonly<Record<string, unknown>>;
  const found = typeof name === 'string' ? BY_CODE[name as ElasticJobErrorCode] : undefined;
  if (found === undefined || typeof message !== 'string') return undefined;
  const [status, code] = found;
  const each = (wordings ?? []) as readonly Wording[];
  const problems = Array.isArray(faults)
    ? faults.map((fault, index) => ({ message: String(fault), ...(each[index] && { wording: each[index] }) }))
    : undefined;
  const [only] = each.length === 1 ? each : [];
  const wording = isMap(because) ? (because as unknown as Wording) : only;
  return { status, code, detail: message.trim(), ...(wording && { wording }), problems };
}

/** Refusals of Nest or the HTTP server: a body that is no JSON or is too large, or a missing route. */
function fromNest(error: unknown): Known | undefined {
  const status = error instanceof HttpException ? error.getStatus() : statusOf(error);
  if (status === undefined || status < 400 || status > 499) return undefined;
  const code = status === 404 ? 'not-found' : status === 413 ? 'too-large' : 'bad-request';
  if (isBrokenJson(error)) return { status, code, detail: inEnglish(BROKEN_JSON), wording: BROKEN_JSON };
  return { status, code, detail: DETAILS[status] ?? `${TITLES[status] ?? 'Bad request'}.` };
}

const BROKEN_JSON = worded('body-json');

const DETAILS: Readonly<Record<number, string>> = {
  404: 'There is nothing here.',
  413: 'The body of the request is too large.',
};

/** Express has a `SyntaxError` for it, Fastify a code. */
function isBrokenJson(error: unknown): boolean {
  const { name, code } = (error ?? {}) as { readonly name?: unknown; readonly code?: unknown };
  return name === 'SyntaxError' || code === 'FST_ERR_CTP_INVALID_JSON_BODY';
}

function statusOf(error: unknown): number | undefined {
  const { statusCode } = (error ?? {}) as { readonly statusCode?: unknown };
  return typeof statusCode === 'number' ? statusCode : undefined;
}
