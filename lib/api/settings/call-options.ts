/**
 * Checks the options that code passes to public calls: their names, and the kinds of their values. The compiler sees
 * neither in JavaScript, in the body of a request, or in a map that was spread. An option that is ignored would do
 * more, or something else, than intended.
 *
 * ```ts
 * const RULES: OptionRules<PruneOptions> = { jobName: text, dryRun: trueOrFalse, … };   // a missing option does not compile
 * checkOptions('pruneServers()', options, RULES);
 * ```
 */
import { InvalidConfigurationError } from '../errors/errors.js';
import { knownNames } from '../text/nearest.js';
import { describeValue, isMap, legible, type Secrecy } from '../text/describe-value.js';

/** @returns the problem with a value, as a requirement (`must be a text`), or undefined */
export type ValueRule = (value: unknown) => string | undefined;

/** The rules of all options that a type declares. */
export type OptionRules<T> = { readonly [Name in keyof Required<T>]: ValueRule };

/** Rules for a check of options. */
export interface OptionCheck {
  /** A sample of the options, for a message about a value that is no map: `{ jobName: 'syncOrders' }`. */
  readonly example?: string;
  /** Options that must be given. Default: none. */
  readonly required?: readonly string[];
  /** `hidden` keeps values out of messages. Default: `shown`. */
  readonly secrecy?: Secrecy;
}

/**
 * Checks the options of a call; an option that is `undefined` is not given.
 * @param call the start of each line, such as `pruneServers()`
 * @throws InvalidConfigurationError naming everything that is wrong
 */
export function checkOptions(
  call: string,
  given: unknown,
  rules: Readonly<Record<string, ValueRule>>,
  check: OptionCheck = {},
): void {
  refuseIfAny(optionProblems(call, given, rules, check));
}

/** @throws InvalidConfigurationError with these problems, if there are any */
export function refuseIfAny(problems: readonly string[]): void {
  if (problems.length > 0) throw new InvalidConfigurationError(problems);
}

/** As `checkOptions`. @returns the problems, one line each */
export function optionProblems(
  call: string,
  given: unknown,
  rules: Readonly<Record<string, ValueRule>>,
  { example, required = [], secrecy = 'shown' }: OptionCheck = {},
): readonly string[] {
  if (!isMap(given)) {
    const write = example === undefined ? '' : `; write ${example}`;
    return [`${call}: the options must be a plain object, got ${describeValue(given, secrecy)}${write}`];
  }
  const known = Object.keys(rules);
  const missing = required
    .filter((name) => given[name] === undefined)
    .map((name) => `${call}: ${name} is required and ${rules[name]?.(undefined) ?? 'must be given'}`);
  const wrong = Object.entries(given).flatMap(([name, value]) => {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) return [`${call}: unknown option '${legible(name)}'${knownNames(name, known)}`];
    const problem = value === undefined ? undefined : rule(value);
    return problem === undefined ? [] : [`${call}: ${name} ${problem}, got ${describeValue(value, secrecy)}`];
  });
  return [...wrong, ...missing];
}

/** Any value: it is checked elsewhere. */
export const anything: ValueRule = () => undefined;

export const text: ValueRule = (value) => (typeof value === 'string' ? undefined : 'must be a text');

export const nonEmptyText: ValueRule = (value) =>
  typeof value === 'string' && value.trim() !== '' ? undefined : 'must be a text that is not empty';

export const trueOrFalse: ValueRule = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');

/** A length of time in milliseconds. */
export const milliseconds: ValueRule = (value) =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0
    ? undefined
    : 'must be a number of milliseconds, 0 or more';

/** An integer of at least `min`. */
export function integerFrom(min: number): ValueRule {
  return (value) =>
    Number.isSafeInteger(value) && (value as number) >= min ? undefined : `must be an integer of at least ${min}`;
}

export const aDate: ValueRule = (value) =>
  value instanceof Date && !Number.isNaN(value.getTime()) ? undefined : 'must be a Date';

export const aFunction: ValueRule = (value) => (typeof value === 'function' ? undefined : 'must be a function');

/** One of some texts. */
export function oneOf(...texts: readonly string[]): ValueRule {
  return (value) => (typeof value === 'string' && texts.includes(value) ? undefined : `must be ${texts.join(' or ')}`);
}

/** An object with these methods. */
export function withMethods(...names: readonly string[]): ValueRule {
  const words = `must be an object with the method${names.length === 1 ? '' : 's'} ${names.join(', ')}`;
  return (value) => {
    const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
    const methods = value as Readonly<Record<string, unknown>>;
    return isObject && names.every((name) => typeof methods[name] === 'function') ? undefined : words;
  };
}

/** A list whose entries keep a rule. @param what the entries in the plural, as in `a list of texts` */
export function listOf(rule: ValueRule, what: string): ValueRule {
  return (value) =>
    Array.isArray(value) && value.every((each) => rule(each) === undefined) ? undefined : `must be a list of ${what}`;
}

/** Any of some kinds of values. @param words the requirement, as in `must be a plain object or a function` */
export function either(words: string, ...rules: readonly ValueRule[]): ValueRule {
  return (value) => (rules.some((rule) => rule(value) === undefined) ? undefined : words);
}

/** A list of any values, which are checked elsewhere. */
export const aList: ValueRule = listOf(anything, 'values');

/** A registry centre, as an option or an argument. */
export const aRegistryCenter: ValueRule = withMethods('connect', 'mirror', 'commit');

/** The clock, as an option. */
export const aClock: ValueRule = withMethods('now', 'monotonic', 'after');

/** A logger, as an option. */
export const aLogger: ValueRule = withMethods('debug', 'log', 'warn', 'error');
