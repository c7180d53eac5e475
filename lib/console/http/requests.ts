/** Reads parameters and bodies of requests; the errors name each invalid field. */
import { type Wording, wording } from '../../wording/wording.js';
import { isMap, withValue } from '../../api/text/describe-value.js';
import { ConsoleProblem } from '../answers/console-problem.js';
import { settingProblem } from '../answers/setting-problem.js';
import { tooLong, tooLongText } from '../security/requests/text-limits.js';

/** The default number of rows on a page, and the most, unless the route allows more. */
export const PAGE_SIZE = 50;
const LARGEST_PAGE = 200;

const LONGEST_REASON = 1_000;

/** The last millisecond of the year 9999: databases know no later one. */
export const LAST_MS = 253_402_300_799_999;

/** Reads a value of a request. @returns the value, or its problem */
export type FieldReader<T> = (value: unknown) => { readonly value: T } | { readonly problem: Wording };

type FieldsOf<Own> = { readonly [Name in keyof Own]: Own[Name] extends FieldReader<infer T> ? T : never };

type Readers = Readonly<Record<string, FieldReader<unknown>>>;

/**
 * Reads the fields of a request's body. Other fields are ignored.
 * @throws ConsoleProblem 422 `invalid-request`, with a problem for each invalid field
 */
export function readFields<Own extends Readers>(body: unknown, readers: Own): FieldsOf<Own> {
  return read(body, readers, 422);
}

/**
 * Reads the parameters of a request's query or path. Other parameters are ignored.
 * @throws ConsoleProblem 400 `bad-request`, with a problem for each one that is invalid or given twice
 */
export function readQuery<Own extends Readers>(query: unknown, readers: Own): FieldsOf<Own> {
  return read(query, readers, 400);
}

function read<Own extends Readers>(given: unknown, readers: Own, status: 400 | 422): FieldsOf<Own> {
  const map = isMap(given) ? given : {};
  const problems: ReturnType<typeof settingProblem>[] = [];
  const values = Object.entries(readers).map(([name, readOne]) => {
    const value = Object.hasOwn(map, name) ? map[name] : undefined;
    const isTwice = status === 400 && Array.isArray(value);
    const answer = isTwice ? { problem: wording('given-once') } : readOne(value);
    if ('problem' in answer) problems.push(settingProblem(name, answer.problem));
    return [name, 'value' in answer ? answer.value : undefined];
  });
  if (problems.length === 0) return Object.fromEntries(values) as FieldsOf<Own>;
  throw refusal(status, problems);
}

/** A text of 1 to `longest` characters. */
export function text(longest: number): FieldReader<string> {
  return (value) =>
    typeof value === 'string' && value.length >= 1 && value.length <= longest
      ? { value }
      : { problem: lengthProblem(longest, typeof value === 'string' ? value.length : 0) };
}

function lengthProblem(most: number, length: number): Wording {
  return length > 0 ? wording('text-from-to-has', { most, length }) : wording('text-from-to', { most });
}

/** An integer, also as the text of a query. */
export function integer(least: number, most: number): FieldReader<number> {
  return (value) => {
    const number = typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value;
    return Number.isInteger(number) && (number as number) >= least && (number as number) <= most
      ? { value: number as number }
      : unfit(wording('integer-from-to', { min: least, max: most }), value);
  };
}

/** A time of a query: milliseconds since 1970, or ISO 8601. */
export const time: FieldReader<number> = (given) => {
  const text = String(given);
  const value = /^\d{1,15}$/.test(text) ? Number(text) : /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : NaN;
  return value <= LAST_MS ? { value } : unfit(wording('time'), given);
};

/** `true` or `false`. */
export const flag: FieldReader<boolean> = (value) =>
  typeof value === 'boolean' ? { value } : { problem: wording('boolean') };

/** One of some words. */
export function oneOf<Word extends string>(...words: readonly Word[]): FieldReader<Word> {
  return (value) =>
    words.includes(value as Word)
      ? { value: value as Word }
      : unfit(wording('one-of', { words: words.join(', ') }), value);
}

/** A text without a problem, which a function finds. */
export function checked(problemOf: (value: unknown) => Wording | undefined): FieldReader<string> {
  return (value) => {
    const problem = problemOf(value);
    return problem === undefined ? { value: value as string } : { problem };
  };
}

/** A value of another reader, or absent. An empty text counts as absent. */
export function optional<T>(read: FieldReader<T>): FieldReader<T | undefined> {
  return (value) => (value === undefined || value === '' ? { value: undefined } : read(value));
}

/** A text, however long, or absent. An empty text is one, unlike in a query. */
export const anyText: FieldReader<string | undefined> = (value) => {
  if (typeof value === 'string') return { value };
  return value === undefined || value === null ? { value: undefined } : unfit(wording('text'), value);
};

/** A text of a query, or absent. */
export const queryText = optional(anyText);

/** The requested number of rows, if there is one. */
export function limit(most = LARGEST_PAGE): FieldReader<number | undefined> {
  return optional(integer(1, most));
}

function unfit(problem: Wording, value: unknown): { readonly problem: Wording } {
  return { problem: value === undefined ? problem : withValue(problem, value) };
}

/** The body of a request; a missing one is an empty object. @throws ConsoleProblem 400 if it is no object */
export function bodyOf<Body>(body: unknown): Partial<Body> {
  if (body === undefined || body === null || body === '') return {};
  if (isMap(body)) return body as Partial<Body>;
  throw new ConsoleProblem(400, 'bad-body', wording('body-object'));
}

/** The reason of an action. @throws ConsoleProblem 422 if it is no text, or too long */
export function reasonOf(body: { readonly reason?: unknown }): string | undefined {
  const { reason } = readFields(body, { reason: optional(anyText) });
  if (reason === undefined || reason.length <= LONGEST_REASON) return reason;
  throw tooLong('reason', tooLongText(reason, LONGEST_REASON));
}

/** A refusal of a parameter of the path or the query. */
export function badRequest(name: string, problem: Wording): ConsoleProblem {
  return refusal(400, [settingProblem(name, problem)]);
}

/** A refusal of a field of the body. */
export function badField(name: string, problem: Wording): ConsoleProblem {
  return refusal(422, [settingProblem(name, problem)]);
}

function refusal(status: 400 | 422, problems: readonly ReturnType<typeof settingProblem>[]): ConsoleProblem {
  const [first, second] = problems;
  const isOne = first !== undefined && second === undefined;
  const detail = isOne ? first.wording : problems.map(({ message }) => message).join(' ');
  return new ConsoleProblem(status, status === 400 ? 'bad-request' : 'invalid-request', detail, { problems });
}
