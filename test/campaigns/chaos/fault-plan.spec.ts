import { describe, expect, test } from '@jest/globals';
import { planFaults } from './fault-plan.js';
import { FAULT_KINDS } from './history.js';

const plan = (seed: number, count = 200): ReturnType<typeof planFaults> =>
  planFaults(seed, { count, meanGapMs: 1_800, sessionMs: 3_000 });

describe('the plan of faults', () => {
  test('is the same for the same seed, and another one for another seed', () => {
    expect(plan(7)).toEqual(plan(7));
    expect(plan(8)).not.toEqual(plan(7));
  });

  test('begins alike however long it is', () => {
    expect(plan(7, 400).slice(0, 200)).toEqual(plan(7));
  });

  test('has every kind of fault, in the order of time, for 200 of them within six and a half minutes', () => {
    for (let seed = 0; seed < 200; seed++) {
      const faults = plan(seed);
      expect(new Set(faults.map(({ kind }) => kind))).toEqual(new Set(FAULT_KINDS));
      expect(faults.every(({ atMs }, index) => atMs >= (faults[index - 1]?.atMs ?? 0))).toBe(true);
      expect(faults.at(-1)!.atMs).toBeLessThan(390_000);
    }
  });

  test('freezes processes for longer than a session, or for less', () => {
    const lasting = (kind: string): readonly number[] =>
      plan(7)
        .filter((fault) => fault.kind === kind)
        .map(({ durationMs }) => durationMs);
    expect(Math.min(...lasting('freeze past the session'))).toBeGreaterThan(3_600);
    expect(Math.max(...lasting('freeze within the session'))).toBeLessThan(2_000);
  });
});
