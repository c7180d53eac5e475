import { describe, expect, test } from '@jest/globals';
import { planFaults } from './fault-plan.js';
import { faultKinds, REGISTRY_KINDS, type RegistryKind } from './history.js';

const plan = (seed: number, count = 200, registry: RegistryKind = 'zookeeper'): ReturnType<typeof planFaults> =>
  planFaults(seed, { registry, count, meanGapMs: 1_800, sessionMs: 3_000 });

describe('the plan of faults', () => {
  test('is the same for the same seed, and another one for another seed', () => {
    expect(plan(7)).toEqual(plan(7));
    expect(plan(8)).not.toEqual(plan(7));
  });

  test('begins alike however long it is', () => {
    expect(plan(7, 400).slice(0, 200)).toEqual(plan(7));
  });

  test.each(REGISTRY_KINDS)(
    'on %s has every kind of fault, in the order of time, in six and a half minutes',
    (kind) => {
      for (let seed = 0; seed < 200; seed++) {
        const faults = plan(seed, 200, kind);
        expect(new Set(faults.map((fault) => fault.kind))).toEqual(new Set(faultKinds(kind)));
        expect(faults.every(({ atMs }, index) => atMs >= (faults[index - 1]?.atMs ?? 0))).toBe(true);
        expect(faults.at(-1)!.atMs).toBeLessThan(390_000);
      }
    },
  );

  test('freezes processes for longer than a session, or for less', () => {
    const lasting = (kind: string): readonly number[] =>
      plan(7)
        .filter((fault) => fault.kind === kind)
        .map(({ durationMs }) => durationMs);
    expect(Math.min(...lasting('freeze past the session'))).toBeGreaterThan(3_600);
    expect(Math.max(...lasting('freeze within the session'))).toBeLessThan(2_000);
  });
});
