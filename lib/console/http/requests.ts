/** Reads parameters and bodies of requests; the errors name the invalid field. */
import { type Wording, wording } from '../../wording/wording.js';
import { isMap, withValue } from '../../api/text/describe-value.js';
import { ConsoleProblem } from '../answers/console-problem.js';
import { settingProblem } from '../answers/setting-problem.js';
import { tooLong, tooLongText } from '../security/requests/text-limits.js';
import { type ProblemCode } from '../answers/problem-codes.js';

/** The most rows of a page. */
const LARGEST_PAGE = 200;

const LONGEST_REASON = 1_000;

/** The requested number of rows. @throws ConsoleProblem 400 */
export function limitOf(text: string | undefined, { byDefault = 50, most = LARGEST_PAGE } = {}): number {
  return integerOf('limit', text, { least: 1, most }) ?? byDefault;
}

/** An integer of the query; `undefined` if it is not given. @throws ConsoleProblem 400 */
export function integerOf(
  name: string,
  text: string | undefined,
  { least = 0, most = Number.MAX_SAFE_INTEGER } = {},
): number | undefined {
  const given = textOf(name, text);
  if (given === undefined) return undefined;
  const value = /^\d{1,16}$/.test(given) ? Number(given) : NaN;
  if (value >= least && value <= most) return value;
  throw badRequest(name, withValue(wording('integer-from-to', { min: least, max: most }), given));
}

/** The last millisecond of the year 9999: databases know no later one. */
export const LAST_MS = 253_402_300_799_999;

/** A time of the query: milliseconds since 1970, or ISO 8601. @throws ConsoleProblem 400 */
export function timeOf(name: string, text: string | undefined): number | undefined {
  const given = textOf(name, text);
  if (given === undefined) return undefined;
  const time = /^\d{1,15}$/.test(given) ? Number(given) : /^\d{4}-\d\d-\d\d/.test(given) ? Date.parse(given) : NaN;
  if (time <= LAST_MS) return time;
  throw badRequest(name, withValue(wording('time'), given));
}

/** One of some words of the query. @throws ConsoleProblem 400 */
export function oneOf<Word extends string>(
  name: string,
  text: string | undefined,
  words: readonly Word[],
): Word | undefined {
  const given = textOf(name, text);
  if (given === undefined) return undefined;
  const word = words.find((each) => each === given);
  if (word !== undefined) return word;
  throw badRequest(name, withValue(wording('one-of', { words: words.join(', ') }), given));
}

/** A text of the query; `undefined` if it is absent or empty. @throws ConsoleProblem 400 if it is given twice */
export function textOf(name: string, text: unknown): string | undefined {
  if (text === undefined || text === '') return undefined;
  if (typeof text === 'string') return text;
  throw badRequest(name, wording('given-once'));
}

/** Some texts of the query by their names. @throws ConsoleProblem 400 if one is given twice */
export function textsOf<Name extends string>(
  query: Readonly<Partial<Record<Name, string>>>,
  names: readonly Name[],
): Readonly<Record<Name, string | undefined>> {
  return Object.fromEntries(names.map((name) => [name, textOf(name, query[name])])) as Record<Name, string | undefined>;
}

/** The body of a request; a missing one is an empty object. @throws ConsoleProblem 400 if it is no object */
export function bodyOf<Body>(body: unknown): Partial<Body> {
  if (body === undefined || body === null || body === '') return {};
  if (isMap(body)) return body as Partial<Body>;
  throw new ConsoleProblem(400, 'bad-body', wording('body-object'));
}

/** The reason of an action. @throws ConsoleProblem 422 if it is no text, or too long */
export function reasonOf(body: { readonly reason?: unknown }): string | undefined {
  const { reason } = body;
  if (reason === undefined || reason === null || reason === '') return undefined;
  if (typeof reason !== 'string') throw badField('reason', wording('text'));
  if (reason.length <= LONGEST_REASON) return reason;
  throw tooLong('reason', tooLongText(reason, LONGEST_REASON));
}

/** An optional text of the body. @throws ConsoleProblem 422 if it is no text */
export function optionalText(name: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  throw badField(name, withValue(wording('text'), value));
}

/** A refusal of a parameter of the path or the query. */
export function badRequest(name: string, problem: Wording): ConsoleProblem {
  return refusal(400, 'bad-request', name, problem);
}

/** A refusal of a field of the body. */
export function badField(name: string, problem: Wording): ConsoleProblem {
  return refusal(422, 'invalid-request', name, problem);
}

function refusal(status: number, code: ProblemCode, name: string, problem: Wording): ConsoleProblem {
  return new ConsoleProblem(status, code, wording('setting', { setting: name, problem }), {
    problems: [settingProblem(name, problem)],
  });
}
