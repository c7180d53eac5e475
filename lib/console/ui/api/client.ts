import { type Page, type Problem } from '../../contract/common.js';

/** The problem of a request that the server refused, or that did not reach it (`code` is `unreachable`). */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** The query of an address; undefined and empty values are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Request {
  readonly query?: Query;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const DEADLINE_MS = 30_000;
const listeners: { onSessionEnd: () => void } = { onSessionEnd: () => undefined };

/** Calls `listener` when the server answers that the user is not logged in. */
export function onSessionEnd(listener: () => void): void {
  listeners.onSessionEnd = listener;
}

/** The address of a route of `/api/v1` below the path where the console is mounted. */
export function apiUrl(path: string, query: Query = {}): string {
  const url = new URL(`api/v1/${path}`, document.baseURI);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') url.searchParams.set(name, String(value));
  return url.href;
}

/** A name in a path: everything in it is encoded, slashes too. */
export const segment = (name: string): string => encodeURIComponent(name);

export const get = <T>(path: string, query?: Query): Promise<T> => send<T>('GET', path, { query });

/** The rows of a list, whether it is sent as an array or as a page. */
export async function list<T>(path: string, query?: Query): Promise<readonly T[]> {
  const answer = await get<readonly T[] | Page<T>>(path, query);
  return 'items' in answer ? answer.items : answer;
}

/** All rows of a list that is sent in pages. */
export async function all<T>(path: string, query?: Query): Promise<readonly T[]> {
  const rows: T[] = [];
  let cursor: string | undefined;
  do {
    // One page after the other, as each contains the cursor of the next one.
    const page = await get<Page<T>>(path, { ...query, cursor });
    rows.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return rows;
}

/** @throws ApiProblem if the server refuses, or cannot be reached */
export async function send<T>(method: string, path: string, request: Request = {}): Promise<T> {
  const isSafe = method === 'GET';
  const answer = await reach(apiUrl(path, request.query), {
    method,
    headers: {
      accept: 'application/json',
      ...(!isSafe && { 'content-type': 'application/json', 'x-ejc': '1' }),
      ...request.headers,
    },
    ...(!isSafe && { body: JSON.stringify(request.body ?? {}) }),
    credentials: 'same-origin',
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  if (answer.status === 401 && !path.startsWith('auth/')) listeners.onSessionEnd();
  const text = await answer.text();
  if (answer.ok) return (text === '' ? undefined : parse(text)) as T;
  throw new ApiProblem(problemOf(answer, parse(text)));
}

async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    throw new ApiProblem(ownProblem('unreachable', 0, error instanceof Error ? error.message : String(error)));
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // A proxy in between has answered with its own page.
  }
}

function problemOf(answer: Response, body: unknown): Problem {
  if (typeof body === 'object' && body !== null && 'detail' in body && 'code' in body) return body as Problem;
  return ownProblem('unexpected-answer', answer.status, `${answer.status} ${answer.statusText}`);
}

function ownProblem(code: string, status: number, detail: string): Problem {
  return { type: 'about:blank', title: detail, status, code, detail, requestId: '' };
}

/** Any thrown value as a problem. */
export function asProblem(error: unknown): Problem {
  if (error instanceof ApiProblem) return error.problem;
  return ownProblem('page', 0, error instanceof Error ? error.message : String(error));
}
