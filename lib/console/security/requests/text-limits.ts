import { inEnglish, type Wording, wording, type WordingValue } from '../../../wording/wording.js';
import { ConsoleProblem } from '../../answers/console-problem.js';
import { settingProblem } from '../../answers/setting-problem.js';

/**
 * The longest texts of requests, in characters: in paths and queries, in bodies, of certificates in them, and in the
 * settings of a job.
 */
const LONGEST_IN_URL = 8_000;
const LONGEST_IN_BODY = 10_000;
const LONGEST_CERTIFICATES = 200_000;
const LONGEST_SETTING = 1_000_000;

/** The fields that may contain certificates. */
const CERTIFICATES = /(?:^|\.)(?:ca|cert|key)(?:\[\d+\])?$/;

/** Routes whose bodies are settings of jobs, with parameters of many items: those of the three APIs. */
const SETTINGS_ROUTE = /\/(?:jobs\/[^/]+\/config(?:\/validate)?|api\/jobs?\/config)$/;

/** The most fields of a body, in all of its lists and maps. The parameters of very many items are one text. */
const MOST_FIELDS = 100_000;

/** The parts of a request that may have long texts. */
export interface LimitedRequest {
  readonly url: string;
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
}

/** True if the body of a request is the settings of a job. */
export function hasSettings({ url }: Pick<LimitedRequest, 'url'>): boolean {
  return SETTINGS_ROUTE.test(url.split('?')[0] ?? '');
}

/**
 * Refuses texts that are too long for any use, in all parts of a request.
 * @throws ConsoleProblem 422 `too-long`, with the name of the field, its length and the limit
 */
export function refuseLongTexts(request: LimitedRequest): void {
  refuseIn(request.params, () => LONGEST_IN_URL);
  refuseIn(request.query, () => LONGEST_IN_URL);
  const longest = hasSettings(request) ? LONGEST_SETTING : LONGEST_IN_BODY;
  refuseIn(request.body, (name) => (CERTIFICATES.test(name) ? Math.max(longest, LONGEST_CERTIFICATES) : longest));
}

function refuseIn(given: unknown, longestOf: (name: string) => number): void {
  // Without recursion, as a body may be nested as deep as it is long.
  const open: (readonly [name: string, value: unknown])[] = [['', given]];
  let fields = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [name, value] = next;
    if (++fields > MOST_FIELDS)
      throw tooLong(wording('the-request'), wording('too-many-fields', { most: MOST_FIELDS }));
    if (typeof value === 'string') refuseLong(name, value, longestOf(name));
    else if (Array.isArray(value)) for (const [index, each] of value.entries()) open.push([`${name}[${index}]`, each]);
    else if (typeof value === 'object' && value !== null)
      for (const [key, each] of Object.entries(value)) {
        refuseLong(wording('field-name'), key, LONGEST_IN_URL);
        // Without this limit, the names of deeply nested fields would grow with the square of the depth.
        open.push([name === '' || name.length > LONGEST_IN_URL ? key : `${name}.${key}`, each]);
      }
  }
}

function refuseLong(name: WordingValue, text: string, longest: number): void {
  if (text.length > longest) throw tooLong(name === '' ? wording('the-body') : name, tooLongText(text, longest));
}

/** The refusal of a text. */
export function tooLong(subject: WordingValue, problem: Wording): ConsoleProblem {
  const setting = typeof subject === 'object' ? inEnglish(subject) : String(subject);
  return new ConsoleProblem(422, 'too-long', wording('setting', { setting: subject, problem }), {
    problems: [settingProblem(setting, problem, subject)],
  });
}

/** The clause that a text is too long. */
export function tooLongText({ length }: string, most: number): Wording {
  return wording('too-long', { length, most });
}
