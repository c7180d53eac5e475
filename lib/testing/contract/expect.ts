import assert from 'node:assert/strict';

/** Claims about a value. Each throws an `AssertionError` that shows both values if the claim does not hold. */
export interface Expectation {
  /** The same value, by `Object.is`. */
  toBe(expected: unknown): void;
  /** Any other value, by `Object.is`. */
  notToBe(other: unknown): void;
  toBeUndefined(): void;
  /**
   * Records, arrays, texts and numbers that are equal in all parts. A property that is `undefined` counts as one that is
   * not there; classes do not count.
   */
  toEqual(expected: unknown): void;
  /** Equal in all parts that `expected` has; arrays have the same length. */
  toMatchObject(expected: object): void;
  /** An array that contains the value, by `===`, or a text that contains the text. */
  toContain(part: unknown): void;
  toMatch(pattern: RegExp): void;
  toBeGreaterThan(limit: number | undefined): void;
}

/**
 * The contract's own assertions, so that it needs none of a test runner's: they work alike with Jest, Vitest and
 * `node:test`.
 */
export function expect(actual: unknown): Expectation {
  return {
    toBe: (expected) => assert.equal(actual, expected),
    notToBe: (other) => assert.notEqual(actual, other),
    toBeUndefined: () => assert.equal(actual, undefined),
    toEqual: (expected) => assert.deepEqual(plain(actual), plain(expected)),
    toMatchObject: (expected) => assert.deepEqual(partLike(expected, actual), expected),
    toContain: (part) => assert.ok(contains(actual, part), `${show(actual)} does not contain ${show(part)}`),
    toMatch: (pattern) => assert.match(String(actual), pattern),
    toBeGreaterThan(limit) {
      const holds = typeof actual === 'number' && limit !== undefined && actual > limit;
      assert.ok(holds, `${show(actual)} is not greater than ${show(limit)}`);
    },
  };
}

/**
 * The error with which the promise rejects.
 * @throws AssertionError if the promise resolves
 */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  const [outcome] = await Promise.allSettled([promise]);
  if (outcome.status === 'fulfilled') assert.fail(`The promise resolves with ${show(outcome.value)}`);
  return outcome.reason;
}

const show = (value: unknown): string => JSON.stringify(plain(value)) ?? String(value);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Without classes, and without properties that are `undefined`. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value)) return value;
  const defined = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(defined.map(([name, each]) => [name, plain(each)]));
}

/** The part of a value that `pattern` names. */
function partLike(pattern: unknown, value: unknown): unknown {
  if (Array.isArray(pattern) && Array.isArray(value))
    return Array.from({ length: value.length }, (_, index) => partLike(pattern[index], value[index]));
  if (!isObject(pattern) || !isObject(value)) return value;
  return Object.fromEntries(Object.keys(pattern).map((name) => [name, partLike(pattern[name], value[name])]));
}

function contains(whole: unknown, part: unknown): boolean {
  if (typeof whole === 'string') return whole.includes(String(part));
  return Array.isArray(whole) && whole.includes(part);
}
