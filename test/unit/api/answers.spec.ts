import { describe, expect, test } from '@jest/globals';
import { isAccepted, propertyProblemsOf, textsOf } from '../../../lib/api/extensions/answers.js';
import { JobConfiguration } from '../../../lib/api/job/job-configuration.js';
import { Extensions } from '../../../lib/kernel/types/extensions.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';
import { CompleteLog } from '../../support/failures.js';

const odd: readonly (readonly [answer: unknown, got: string])[] = [
  [Promise.resolve([]), 'a promise: it must not be async'],
  [Promise.reject(new Error('late')), 'a promise: it must not be async'],
  ['bad', '"bad"'],
  [Number.NaN, 'NaN'],
  [[5], '[5]'],
  [{ length: 0 }, 'keys with values'],
];

describe('an extension answers', () => {
  test.each(odd)('%p where a list is needed, which is refused', (answer, got) => {
    expect(() => textsOf('doubts() of X', answer)).toThrow(`doubts() of X must return a list of texts, got ${got}`);
    expect(() => propertyProblemsOf('validate() of X', answer)).toThrow(
      `validate() of X must return a list of objects { property, problem } of texts, got ${got}`,
    );
  });

  test('nothing, which is an empty list', () => {
    expect(textsOf('doubts()', undefined)).toEqual([]);
    expect(propertyProblemsOf('validate()', null)).toEqual([]);
    expect(propertyProblemsOf('validate()', [{ property: 'a', problem: 'b' }])).toHaveLength(1);
  });

  test.each([[Promise.resolve(false)], [undefined], [1]])(
    '%p where true or false is needed, which is refused',
    (answer) => {
      const executor = { requirement: 'reports', accepts: (() => answer) as never, process: () => undefined };

      expect(() => isAccepted(executor, {})).toThrow(
        'accepts() of the executor for reports must return true or false, got',
      );
    },
  );
});

test.each<[extension: object, settings: object, problem: string]>([
  [
    { errorHandlers: [{ type: 'X', handleException: () => undefined, afterFailure: 'stop' }] },
    { jobErrorHandlerType: 'X' },
    "jobErrorHandlerType: afterFailure of the error handler X must be 'continue' or 'interrupt', got \"stop\"",
  ],
  [
    { errorHandlers: [{ type: 'X', handleException: () => undefined, validate: () => Promise.resolve(['late']) }] },
    { jobErrorHandlerType: 'X' },
    'its error-handler could not be checked: validate() of the error handler X must return a list of texts, got a promise: it must not be async',
  ],
  [
    { executors: [{ type: 'X', process: () => undefined, validate: () => ['bad'] }] },
    {},
    'its executor could not be checked: validate() of the executor X must return a list of objects { property, problem } of texts, got ["bad"]',
  ],
])('a job that uses %p is refused', (extension, settings, problem) => {
  const configuration = { ...JobConfiguration.newBuilder('bill', 1).build(), ...settings };
  const extensions = new Extensions(extension, { clock: new ManualClock(), logger: new CompleteLog() });
  const job = 'executors' in extension ? 'X' : { execute: () => undefined };

  expect(() => extensions.check(configuration, job)).toThrow(problem);
});
