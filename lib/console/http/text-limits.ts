import { ConsoleProblem } from './console-problem.js';

/** Longest texts of requests, in characters: of paths and queries, of bodies, of certificates in them, and of the settings of a job. */
const LONGEST_IN_URL = 8_000;
const LONGEST_IN_BODY = 10_000;
const LONGEST_CERTIFICATES = 200_000;
const LONGEST_SETTING = 1_000_000;

/** Fields that may have certificates. */
const CERTIFICATES = /(?:^|\.)(?:ca|cert|key)(?:\[\d+\])?$/;

/** Routes whose bodies are settings of jobs, with parameters of many items: those of the three APIs. */
const SETTINGS_ROUTE = /\/(?:jobs\/[^/]+\/config(?:\/validate)?|api\/jobs?\/config)$/;

/** Most fields of a body, in all of its lists and maps. A job of very many items is one text. */
const MOST_FIELDS = 100_000;

/** The parts of a request that may have long texts. */
export interface LimitedRequest {
  readonly url: string;
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
}

/** Whether the body of a request is the settings of a job. */
export function hasSettings({ url }: Pick<LimitedRequest, 'url'>): boolean {
  return SETTINGS_ROUTE.test(url.split('?')[0] ?? '');
}

/**
 * Refuses texts that nobody has a use for, wherever they stand in a request.
 * @throws ConsoleProblem 422 `too-long`, with the name of the field, its length and the limit
 */
export function refuseLongTexts(request: LimitedRequest): void {
  refuseIn(request.params, () => LONGEST_IN_URL);
  refuseIn(request.query, () => LONGEST_IN_URL);
  const longest = hasSettings(request) ? LONGEST_SETTING : LONGEST_IN_BODY;
  refuseIn(request.body, (name) => (CERTIFICATES.test(name) ? Math.max(longest, LONGEST_CERTIFICATES) : longest));
}

function refuseIn(given: unknown, longestOf: (name: string) => number): void {
  // No recursion: a body may be nested as deep as it is long.
  const open: (readonly [name: string, value: unknown])[] = [['', given]];
  let fields = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [name, value] = next;
    if (++fields > MOST_FIELDS) throw tooLong('The request', `has more than ${MOST_FIELDS} fields`);
    if (typeof value === 'string') refuseLong(name, value, longestOf(name));
    else if (Array.isArray(value)) for (const [index, each] of value.entries()) open.push([`${name}[${index}]`, each]);
    else if (typeof value === 'object' && value !== null)
      for (const [key, each] of Object.entries(value)) {
        refuseLong('The name of a field', key, LONGEST_IN_URL);
        // Names of deeply nested fields would grow as the square of their depth.
        open.push([name === '' || name.length > LONGEST_IN_URL ? key : `${name}.${key}`, each]);
      }
  }
}

function refuseLong(name: string, text: string, longest: number): void {
  if (text.length > longest)
    throw tooLong(name === '' ? 'The body' : name, `has ${text.length} characters, and may have ${longest}`);
}

/** A refusal of a text. */
export function tooLong(setting: string, problem: string): ConsoleProblem {
  const message = `${setting} ${problem}.`;
  return new ConsoleProblem(422, 'too-long', message, { problems: [{ setting, message }] });
}
