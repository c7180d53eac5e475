import { type Wording, wording, type WordingValue } from '../../wording/wording.js';
import { withoutSecrets } from './secrets.js';

/** `shown`: a value may appear in messages. `hidden`: it must not. */
export type Secrecy = 'shown' | 'hidden';

const LONGEST_TEXT = 80;

/**
 * A value as error messages quote it: `"three"`, `null`, `NaN`, `[1,2]`, `keys with values`. Never throws, is never
 * long, hides secrets in texts, and shows only the kind of a value that is hidden: `a string that is not shown`.
 */
export function describeValue(value: unknown, secrecy: Secrecy = 'shown'): string {
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'symbol') return 'a symbol';
  if (Array.isArray(value)) return secrecy === 'hidden' ? 'a list' : describeList(value);
  if (typeof value === 'object' && value !== null) return isMap(value) ? 'keys with values' : describeInstance(value);
  if (value !== undefined && secrecy === 'hidden')
    return value === null ? 'null' : `a ${typeof value} that is not shown`;
  return typeof value === 'string' ? shortened(JSON.stringify(withoutSecrets(value))) : String(value);
}

/** As `describeValue`, for sentences that are worded in other languages too. */
export function describedValue(value: unknown, secrecy: Secrecy = 'shown'): WordingValue {
  const isHidden = secrecy === 'hidden' && value !== undefined && value !== null;
  if (isMap(value)) return wording('map');
  if (Array.isArray(value)) return isHidden ? wording('list') : describeValue(value);
  const isPlain = typeof value !== 'function' && typeof value !== 'symbol' && typeof value !== 'object';
  return isHidden && isPlain ? wording('not-shown', { type: typeof value }) : describeValue(value, secrecy);
}

/** A problem with the value that it is about. */
export function withValue(problem: Wording, value: unknown, secrecy: Secrecy = 'shown'): Wording {
  return wording('got', { problem, got: describedValue(value, secrecy) });
}

/** A text as part of a sentence on one line: control characters become `\\u0007`, words are cut after 80 characters. */
export function legible(text: string): string {
  const escaped = text.replace(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return escaped.replace(/(\S{80})\S+/g, '$1…');
}

/**
 * True if `value` is a map of settings: an object literal, the result of a parser, or an object without a prototype.
 */
export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // An object literal of another realm (a worker, a test runner's sandbox) has another Object.prototype.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function describeInstance(value: object): string {
  try {
    const { name } = value.constructor as { readonly name?: unknown };
    return typeof name === 'string' && /^[\w$]{1,80}$/.test(name) ? `an instance of ${name}` : 'an object';
  } catch {
    // The value is a proxy or has a getter that throws.
    return 'an object';
  }
}

function describeList(list: readonly unknown[]): string {
  return shortened(`[${list.slice(0, 10).map(describeEntry).join(',')}${list.length > 10 ? ',…' : ''}]`);
}

function describeEntry(entry: unknown): string {
  return Array.isArray(entry) ? 'a list' : describeValue(entry);
}

function shortened(text: string): string {
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}…`;
}
