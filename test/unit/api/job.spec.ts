import { expect, test } from '@jest/globals';
import { isDataflowJob, isSimpleJob } from '../../../lib/api/job/job.js';

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

const fetchData = () => [];
const processData = () => undefined;

test.each<[string, unknown, boolean]>([
  ['an object with fetchData() and processData()', { fetchData, processData }, true],
  [
    'an object that also has execute(), which comes first,',
    { fetchData, processData, execute: () => undefined },
    false,
  ],
  ['an object without processData()', { fetchData }, false],
  ['an object without fetchData()', { processData }, false],
  ['an object whose fetchData is no function', { fetchData: [], processData }, false],
  ['null', null, false],
  ['nothing', undefined, false],
])('%s is a dataflow job: %p', (_, candidate, expected) => {
  expect(isDataflowJob(candidate)).toBe(expected);
});
