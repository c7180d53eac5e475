import { expect, test } from '@jest/globals';
import { isSimpleJob } from '../../../lib/api/job.js';

test.each<[string, unknown, boolean]>([
  ['an object with execute()', { execute: () => undefined }, true],
  [
    'an instance of a class with execute()',
    new (class {
      execute(): void {}
    })(),
    true,
  ],
  ['an object without execute()', {}, false],
  ['an object whose execute is no function', { execute: true }, false],
  ['null', null, false],
  ['nothing', undefined, false],
])('%s is a simple job: %p', (_, candidate, expected) => {
  expect(isSimpleJob(candidate)).toBe(expected);
});
