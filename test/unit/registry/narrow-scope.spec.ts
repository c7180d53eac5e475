import { describe, expect, test } from '@jest/globals';
import { NarrowScope } from '../../../lib/registry/narrow-scope.js';

const scope = new NarrowScope(['/job/mine', '/job/items/1'], (path) => path.endsWith('/mark'));

describe('a narrow scope', () => {
  test.each([
    ['/job/mine', true],
    ['/job/mine/deep/below', true],
    ['/job/items/1/mark', true],
    ['/job/items/10', false],
    ['/job/items', false],
    ['/job', false],
    ['/', false],
    ['/other/job/mine', false],
  ])('covers %s: %p', (path, expected) => {
    expect(scope.covers(path)).toBe(expected);
  });

  test.each<[path: string, byOthers: boolean, byUs: boolean]>([
    ['/job/mine', true, true],
    ['/job/mine/mark', false, false],
    ['/job/theirs', false, true],
    ['/job/theirs/mark', false, true],
    ['/job', false, true],
  ])('ends with a change of %s by others: %p, by us: %p', (path, byOthers, byUs) => {
    expect(scope.isEndedBy(path, false)).toBe(byOthers);
    expect(scope.isEndedBy(path, true)).toBe(byUs);
  });
});
