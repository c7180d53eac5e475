import { describe, expect, test } from '@jest/globals';
import { watchClock } from '../../../lib/time/clock-watch.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';

const PERIOD_MS = 30_000;

/** A watched clock, and the times, in milliseconds since the start of the watch, at which a jump was reported. */
function watched() {
  const clock = new ManualClock();
  const reports: number[] = [];
  const end = watchClock(clock, () => reports.push(clock.monotonic()));
  const set = (byMs: number): void => clock.setWallClock(clock.now() + byMs);
  return { clock, reports, end, set };
}

describe('the watch of a clock', () => {
  test('reports nothing while the clock only runs', async () => {
    const { clock, reports } = watched();

    await clock.advance(20 * PERIOD_MS);

    expect(reports).toEqual([]);
  });

  test.each([3_600_000, -3_600_000, 1_001, -1_001])(
    'reports a jump by %d ms within half a minute, and only once',
    async (byMs) => {
      const { clock, reports, set } = watched();
      await clock.advance(70_000);

      set(byMs);
      await clock.advance(10 * PERIOD_MS);

      expect(reports).toEqual([3 * PERIOD_MS]);
    },
  );

  test.each([1_000, -1_000])('takes a difference of %d ms for slewing', async (byMs) => {
    const { clock, reports, set } = watched();

    set(byMs);
    await clock.advance(10 * PERIOD_MS);

    expect(reports).toEqual([]);
  });

  test('does not add up small differences of different periods', async () => {
    const { clock, reports, set } = watched();

    for (let period = 0; period < 10; period++) {
      set(900);
      await clock.advance(PERIOD_MS);
    }

    expect(reports).toEqual([]);
  });

  test('reports each of several jumps, also the one back to the right time', async () => {
    const { clock, reports, set } = watched();

    set(60_000);
    await clock.advance(2 * PERIOD_MS);
    set(-60_000);
    await clock.advance(2 * PERIOD_MS);

    expect(reports).toEqual([PERIOD_MS, 3 * PERIOD_MS]);
  });

  test('goes on when a report throws', async () => {
    const clock = new ManualClock();
    let reports = 0;
    watchClock(clock, () => {
      reports++;
      throw new Error('the report failed');
    });

    clock.setWallClock(0);
    await expect(clock.advance(PERIOD_MS)).rejects.toThrow('the report failed');
    clock.setWallClock('2030-01-01T00:00:00Z');
    await expect(clock.advance(PERIOD_MS)).rejects.toThrow('the report failed');

    expect(reports).toBe(2);
  });

  test('ends with its timer, and reports nothing afterwards', async () => {
    const { clock, reports, end, set } = watched();
    await clock.advance(PERIOD_MS);

    end();
    set(60_000);
    await clock.advance(2 * PERIOD_MS);

    expect(reports).toEqual([]);
    expect(clock.timers).toBe(0);
  });
});
