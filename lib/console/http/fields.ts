import { type Wording, wording } from '../../wording/wording.js';
import { isMap } from '../../api/text/describe-value.js';
import { type SettingProblem } from '../contract/common.js';
import { ConsoleProblem } from '../answers/console-problem.js';
import { settingProblem } from '../answers/setting-problem.js';

/** Reads a value of a request. @returns the value, or its problem */
export type FieldReader<T> = (value: unknown) => { readonly value: T } | { readonly problem: Wording };

type FieldsOf<Own> = { readonly [Name in keyof Own]: Own[Name] extends FieldReader<infer T> ? T : never };

type Readers = Readonly<Record<string, FieldReader<unknown>>>;

/**
 * Reads the fields of a request's body. Other fields are ignored.
 * @throws ConsoleProblem 422 `invalid-request`, with a problem for each invalid field
 */
export function readFields<Own extends Readers>(body: unknown, readers: Own): FieldsOf<Own> {
  return read(body, readers, (detail, problems) => new ConsoleProblem(422, 'invalid-request', detail, { problems }));
}

/**
 * Reads the parameters of a request's query. Other parameters are ignored.
 * @throws ConsoleProblem 400 `bad-request`, with a problem for each invalid one
 */
export function readQuery<Own extends Readers>(query: unknown, readers: Own): FieldsOf<Own> {
  return read(query, readers, (detail, problems) => new ConsoleProblem(400, 'bad-request', detail, { problems }));
}

function read<Own extends Readers>(
  given: unknown,
  readers: Own,
  refusal: (detail: string, problems: readonly SettingProblem[]) => ConsoleProblem,
): FieldsOf<Own> {
  const map = isMap(given) ? given : {};
  const problems: SettingProblem[] = [];
  const values = Object.entries(readers).map(([name, readOne]) => {
    const answer = readOne(Object.hasOwn(map, name) ? map[name] : undefined);
    if ('problem' in answer) problems.push(settingProblem(name, answer.problem));
    return [name, 'value' in answer ? answer.value : undefined];
  });
  if (problems.length === 0) return Object.fromEntries(values) as FieldsOf<Own>;
  throw refusal(problems.map(({ message }) => message).join(' '), problems);
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
    const number = typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
    return Number.isInteger(number) && (number as number) >= least && (number as number) <= most
      ? { value: number as number }
      : { problem: wording('integer-from-to', { min: least, max: most }) };
  };
}

/** `true` or `false`. */
export const flag: FieldReader<boolean> = (value) =>
  typeof value === 'boolean' ? { value } : { problem: wording('boolean') };

/** One of some words. */
export function oneOf<Word extends string>(...words: readonly Word[]): FieldReader<Word> {
  return (value) =>
    words.includes(value as Word)
      ? { value: value as Word }
      : { problem: wording('one-of', { words: words.join(', ') }) };
}

/** A text without a problem, which a function finds. */
export function checked(problemOf: (value: unknown) => Wording | undefined): FieldReader<string> {
  return (value) => {
    const problem = problemOf(value);
    return problem === undefined ? { value: value as string } : { problem };
  };
}

/** A value of another reader, or absent. An empty text of a query counts as absent. */
export function optional<T>(read: FieldReader<T>): FieldReader<T | undefined> {
  return (value) => (value === undefined || value === '' ? { value: undefined } : read(value));
}
