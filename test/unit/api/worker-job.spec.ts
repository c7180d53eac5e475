/** Values that name a worker module, and objects that are jobs whose items run in worker threads. */
import { describe, expect, test } from '@jest/globals';
import { runInNewContext } from 'node:vm';
import { ineffectiveWorkerOf, isWorkerThreadJob, workerProblem, workerText } from '../../../lib/api/job/worker-job.js';

const url = new URL('file:///app/crunch.js');

/** A URL whose class is another one, as in a test runner. */
const foreign = runInNewContext('new URL(href)', { URL: class URL extends globalThis.URL {}, href: url.href }) as URL;

test.each([['./crunch.js'], [url], [foreign]])('%p names a module', (worker) => {
  expect(workerProblem(worker)).toBeUndefined();
  expect(isWorkerThreadJob({ worker })).toBe(true);
});

test.each([[''], [' '], [5], [undefined], [null], [{ href: url.href }]])('%p names none', (worker) => {
  expect(workerProblem(worker)).toBe(
    "must be a file: URL, such as new URL('./crunch.js', import.meta.url), or a path, such as './dist/crunch.js'",
  );
  expect(isWorkerThreadJob({ worker })).toBe(false);
});

test.each([
  ['nothing', undefined],
  ['null', null],
  ['a text', 'crunch.js'],
  ['an object that runs its items itself', { worker: url, execute: () => undefined }],
  ['an object that fetches the data of its items itself', { worker: url, fetchData: () => [] }],
])('%s is no job of worker threads', (_, candidate) => {
  expect(isWorkerThreadJob(candidate)).toBe(false);
});

test('an object that has methods of a job by name only is one', () => {
  expect(isWorkerThreadJob({ worker: './crunch.js', execute: undefined, fetchData: 'all' })).toBe(true);
});

test('a module is shown as a text', () => {
  expect([workerText('./crunch.js'), workerText(url)]).toEqual(['./crunch.js', 'file:///app/crunch.js']);
});

describe('a job that runs its items itself and names a module', () => {
  test.each([
    ['./dist/crunch.js'],
    ['crunch.mjs'],
    ['crunch.cjs'],
    ['crunch.ts'],
    ['file:///app/crunch'],
    ['FILE:///app/crunch'],
  ])('names one that would never run: %s', (worker) => {
    expect(ineffectiveWorkerOf({ worker })).toBe(worker);
  });

  test('names it as a URL', () => {
    expect(ineffectiveWorkerOf({ worker: url })).toBe('file:///app/crunch.js');
  });

  // Its field `worker` is its own affair.
  test.each([['crunch.json'], ['crunch.jsx'], ['Alice'], ['the profile:// of Alice'], [''], [7], [undefined]])(
    'names none by %p',
    (worker) => {
      expect(ineffectiveWorkerOf({ worker })).toBeUndefined();
    },
  );
});
