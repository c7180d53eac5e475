import { expect, test } from '@jest/globals';
import { runInNewContext } from 'node:vm';
import { onRejection } from '../../../lib/async/rejection.js';

const thenable = { then: (_: unknown, reject: (reason: unknown) => void) => reject(new Error('no paper')) };

test.each<[kind: string, promise: () => unknown]>([
  ['a promise', async () => Promise.reject(new Error('no paper'))],
  ['a promise of another realm', (): unknown => runInNewContext("Promise.reject(new Error('no paper'))")],
  ['a promise of a library', () => thenable],
])('the rejection of %s is handled', async (_, promise) => {
  const reason = await new Promise((resolve) => onRejection(promise(), resolve));

  expect(String(reason)).toBe('Error: no paper');
});

test.each([undefined, null, 5, 'then', {}, { then: 5 }])('%p is no promise', (result) => {
  expect(() => onRejection(result, () => undefined)).not.toThrow();
});
