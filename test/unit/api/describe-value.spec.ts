/** Values in messages: one line of ordinary length, and no secrets. */
import { describe, expect, test } from '@jest/globals';
import { describeValue, isMap, legible } from '../../../lib/api/text/describe-value.js';

class Custom {}

test.each<[value: unknown, shown: string, hidden: string]>([
  ['text', '"text"', 'a string that is not shown'],
  ['a "quoted"\n one', '"a \\"quoted\\"\\n one"', 'a string that is not shown'],
  [5, '5', 'a number that is not shown'],
  [true, 'true', 'a boolean that is not shown'],
  [null, 'null', 'null'],
  [undefined, 'undefined', 'undefined'],
  [() => 'secret', 'a function', 'a function'],
  [Symbol('secret'), 'a symbol', 'a symbol'],
  [{ a: 1 }, 'keys with values', 'keys with values'],
  [new Custom(), 'an instance of Custom', 'an instance of Custom'],
  [new (class {})(), 'an object', 'an object'],
  [[1, 'a', [2], { b: 3 }], '[1,"a",a list,keys with values]', 'a list'],
])('%p is described as %s, and as %s if it may be a secret', (value, shown, hidden) => {
  expect(describeValue(value)).toBe(shown);
  expect(describeValue(value, 'hidden')).toBe(hidden);
});

test('an object that refuses each question is an object', () => {
  const hostile = new Proxy(new Custom(), {
    get: () => {
      throw new Error('hostile');
    },
  });

  expect(describeValue(hostile)).toBe('an object');
});

test('long values are cut', () => {
  expect(describeValue('x'.repeat(78))).toBe(`"${'x'.repeat(78)}"`);
  expect(describeValue('x'.repeat(79))).toBe(`"${'x'.repeat(79)}…`);
  expect(describeValue([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])).toBe('[1,2,3,4,5,6,7,8,9,10]');
  expect(describeValue([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])).toBe('[1,2,3,4,5,6,7,8,9,10,…]');
});

test('a text is legible on one line: control characters are written by their numbers, long words are cut', () => {
  expect(legible('a\u0007b\nc\u2028d')).toBe('a\\u0007b\\u000ac\\u2028d');
  expect(legible(`to ${'x'.repeat(80)} and ${'y'.repeat(81)}`)).toBe(`to ${'x'.repeat(80)} and ${'y'.repeat(80)}…`);
});

describe('a map of settings', () => {
  test.each<[what: string, value: unknown, expected: boolean]>([
    ['is an object literal', { a: 1 }, true],
    ['may have no prototype', Object.create(null), true],
    ['is no list', [], false],
    ['is no object of a class', new Custom(), false],
    ['is no null', null, false],
    ['is no text', 'a', false],
  ])('%s', (_, value, expected) => {
    expect(isMap(value)).toBe(expected);
  });
});
