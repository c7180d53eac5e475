import { expect, test } from '@jest/globals';
import { describeCause, describeFailure, stackOf } from '../../../lib/api/describe-cause.js';

class Sulking {
  [Symbol.for('nodejs.util.inspect.custom')](): never {
    throw new Error('no');
  }
}

class SilentError extends Error {
  override toString(): never {
    throw new Error('no');
  }
}

test.each<[string, unknown, string]>([
  ['an error', new TypeError('no'), 'TypeError: no'],
  ['a text', 'no', "'no'"],
  ['nothing', undefined, 'undefined'],
  [
    'an object, on one line',
    { code: 'E', at: { file: 'a', lines: [1, 2] } },
    "{ code: 'E', at: { file: 'a', lines: [ 1, 2 ] } }",
  ],
  ['an object, two levels deep', { a: { b: { c: { d: 1 } } } }, '{ a: { b: { c: [Object] } } }'],
  ['an object that throws', new Sulking(), 'an error that throws when it is described'],
  ['an error that throws', new SilentError('no'), 'an error that throws when it is described'],
])('%s is described', (_, thrown, text) => {
  expect(describeCause(thrown)).toBe(text);
});

test('the stack of an error is found', () => {
  const error = new Error('no');

  expect(stackOf(error)).toBe(error.stack);
  expect(stackOf(error)).toContain('describe-cause.spec');
});

test.each<[string, unknown]>([
  ['a text', 'no'],
  ['an object with a stack that is no error', { stack: 'at a' }],
  ['an error without a stack', Object.assign(new Error('no'), { stack: undefined })],
  ['an error whose stack is no text', Object.assign(new Error('no'), { stack: 5 })],
  [
    'an error whose stack throws',
    Object.defineProperty(new Error('no'), 'stack', {
      get: () => {
        throw new Error('no');
      },
    }),
  ],
])('%s has no stack', (_, thrown) => {
  expect(stackOf(thrown)).toBeUndefined();
});

test('an error of errors counts them', () => {
  expect(describeFailure(new AggregateError([new Error('one')], 'all'))).toBe(
    'AggregateError: all (1 error: Error: one)',
  );
  expect(describeFailure(new AggregateError([new Error('one'), 2], 'all'))).toBe(
    'AggregateError: all (2 errors: Error: one; 2)',
  );
});
