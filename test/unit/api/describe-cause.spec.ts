import { describe, expect, test } from '@jest/globals';
import { describeCause, describeFailure, stackOf, stackWithCauses } from '../../../lib/api/text/describe-cause.js';

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

describe('a failure is described', () => {
  const because = (message: string, cause: unknown): Error => new Error(message, { cause });
  const circle = new Error('a');
  circle.cause = because('b', circle);

  test.each<[string, unknown, string]>([
    ['alone', new TypeError('no'), 'TypeError: no'],
    ['with its cause', because('a', new TypeError('b')), 'Error: a (caused by TypeError: b)'],
    ['with a cause that is no error', because('a', 'b'), "Error: a (caused by 'b')"],
    ['with the cause of its cause', because('a', because('b', 'c')), "Error: a (caused by Error: b (caused by 'c'))"],
    [
      'with the errors that it stands for, and its cause',
      new AggregateError([new Error('b'), 'c'], 'a', { cause: 'd' }),
      "AggregateError: a (2 errors: Error: b; 'c') (caused by 'd')",
    ],
    ['with no errors if it stands for none', new AggregateError([], 'a'), 'AggregateError: a'],
    [
      'with five of many errors',
      new AggregateError([1, 2, 3, 4, 5, 6, 7], 'a'),
      'AggregateError: a (7 errors: 1; 2; 3; 4; 5; and 2 more)',
    ],
    [
      'with all of five errors',
      new AggregateError([1, 2, 3, 4, 5], 'a'),
      'AggregateError: a (5 errors: 1; 2; 3; 4; 5)',
    ],
    ['once, if it is its own cause', circle, 'Error: a (caused by Error: b (caused by …))'],
    [
      'with five causes of causes',
      because('1', because('2', because('3', because('4', because('5', 'six'))))),
      'Error: 1 (caused by Error: 2 (caused by Error: 3 (caused by Error: 4 (caused by Error: 5 (caused by …)))))',
    ],
    [
      'though its cause cannot be read',
      Object.defineProperty(new Error('a'), 'cause', {
        get: () => {
          throw new Error('no');
        },
      }),
      'Error: a',
    ],
    ['though its errors are none', Object.assign(new AggregateError([], 'a'), { errors: 5 }), 'AggregateError: a'],
  ])('%s', (_, failure, text) => {
    expect(describeFailure(failure)).toBe(text);
  });
});

describe('the stack of a failure', () => {
  const withStack = (stack: string, cause?: unknown): Error => Object.assign(new Error('no', { cause }), { stack });

  test('is followed by those of its causes, or what is thrown instead of an error', () => {
    expect(stackWithCauses(withStack('at a'))).toBe('at a');
    expect(stackWithCauses(withStack('at a', withStack('at b', 'c')))).toBe("at a\nCaused by: at b\nCaused by: 'c'");
    expect(stackWithCauses('no')).toBeUndefined();
  });

  test('ends where a cause comes again, and after five', () => {
    const circle = withStack('at a');
    circle.cause = withStack('at b', circle);
    expect(stackWithCauses(circle)).toBe('at a\nCaused by: at b');

    const six = [6, 5, 4, 3, 2, 1].reduce<Error | undefined>(
      (cause, number) => withStack(`at ${number}`, cause),
      undefined,
    );
    expect(stackWithCauses(six)?.split('\nCaused by: ')).toEqual(['at 1', 'at 2', 'at 3', 'at 4', 'at 5']);
  });
});

test('an error of errors counts them', () => {
  expect(describeFailure(new AggregateError([new Error('one')], 'all'))).toBe(
    'AggregateError: all (1 error: Error: one)',
  );
  expect(describeFailure(new AggregateError([new Error('one'), 2], 'all'))).toBe(
    'AggregateError: all (2 errors: Error: one; 2)',
  );
});
