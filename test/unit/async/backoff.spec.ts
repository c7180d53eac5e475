import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { backoffMs } from '../../../lib/async/backoff.js';
import { expectProperty } from '../../support/property.js';

describe('The delay between attempts', () => {
  test.each([
    [1, 0, 100],
    [1, 0.99, 100],
    [2, 0, 100],
    [2, 0.5, 200],
    [2, 0.99, 300],
    [3, 0.99, 700],
    [4, 0.5, 800],
    [5, 0.99, 2_000],
    [1_000, 0.99, 2_000],
  ])('after %d failures and by a chance of %d is %d ms', (failures, chance, delayMs) => {
    expect(backoffMs(failures, { baseMs: 100, maxMs: 2_000, random: () => chance })).toBe(delayMs);
  });

  test('is never shorter than the first delay and never longer than the longest', () => {
    expectProperty(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.integer({ min: 1, max: 1_000 }),
        fc.integer({ min: 1_000, max: 100_000 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (failures, baseMs, maxMs, chance) => {
          const delayMs = backoffMs(failures, { baseMs, maxMs, random: () => chance });
          return delayMs >= baseMs && delayMs <= maxMs;
        },
      ),
    );
  });
});
