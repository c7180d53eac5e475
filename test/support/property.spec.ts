import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { expectAsyncProperty, expectProperty } from './property.js';

/** The message of the error that a function throws. */
async function failureOf(action: () => void | Promise<void>): Promise<string> {
  try {
    await action();
    return 'none';
  } catch (error) {
    return (error as Error).message;
  }
}

describe('a property', () => {
  test('that does not hold fails with the simplest value, the reason, and the command that plays it again', async () => {
    const isSmall = (value: number): void => expect(value).toBeLessThan(5);

    const failures = [
      await failureOf(() => expectProperty(fc.property(fc.nat(), isSmall))),
      await failureOf(() => expectAsyncProperty(fc.asyncProperty(fc.nat(), async (n) => Promise.resolve(isSmall(n))))),
    ];

    for (const failure of failures) {
      expect(failure).toContain('Counterexample: [5]');
      expect(failure).toContain('toBeLessThan');
      expect(failure).toMatch(/PROPERTY_SEED=\d+ PROPERTY_RUNS=\d+ npm test -- test\/support\/property.spec.ts/);
    }
  });

  test('is tried with the same values each time', () => {
    const seen: number[][] = [];
    for (let time = 0; time < 2; time++) {
      const values: number[] = [];
      expectProperty(fc.property(fc.nat(), (value) => void values.push(value)));
      seen.push(values);
    }

    expect(seen[0]).toEqual(seen[1]);
    expect(new Set(seen[0]).size).toBeGreaterThan(20);
  });

  test('is tried with as many values as it asks for', () => {
    const count = (numRuns?: number): number => {
      let tried = 0;
      expectProperty(
        fc.property(fc.nat(), () => void tried++),
        numRuns === undefined ? {} : { numRuns },
      );
      return tried;
    };

    expect(count(7) * 100).toBe(count() * 7);
  });
});
