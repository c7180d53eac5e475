import { describe, expect, test } from '@jest/globals';
import { sleep } from '../../../lib/async/wait.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';

describe('A manual clock', () => {
  test('fires timers in order of due time, then of setting, each at its own time', async () => {
    const clock = new ManualClock(1_000);
    const fired: string[] = [];
    for (const [name, delayMs] of Object.entries({ c: 20, a: 10, b: 10, never: 31, negative: -5 })) {
      clock.after(delayMs, () => fired.push(`${name} at ${clock.now()}`));
    }

    await clock.advance(30);

    expect(fired).toEqual(['negative at 1000', 'a at 1010', 'b at 1010', 'c at 1020']);
    expect(clock.now()).toBe(1_030);
    expect(clock.nextTimerInMs).toBe(1);
  });

  test('fires timers that are set on the way, also by what a timer has woken', async () => {
    const clock = new ManualClock(0);
    const woken: number[] = [];
    const sleeper = (async () => {
      for (let n = 0; n < 3; n++) {
        await sleep(clock, 10);
        woken.push(clock.now());
      }
    })();

    await clock.advance(25);
    expect(woken).toEqual([10, 20]);
    await clock.advanceTo(30);
    await sleeper;

    expect(woken).toEqual([10, 20, 30]);
    expect(clock.timers).toBe(0);
  });

  test('does not fire a timer that was cancelled', async () => {
    const clock = new ManualClock();
    let fired = false;
    const cancel = clock.after(10, () => (fired = true));

    cancel();
    await clock.advance(10);

    expect(fired).toBe(false);
  });

  test('lets the wall clock be set without moving durations and timers', async () => {
    const clock = new ManualClock('2030-01-01T00:00:00Z');
    let firedAt: number | undefined;
    clock.after(10, () => (firedAt = clock.now()));

    clock.setWallClock('2029-06-01T00:00:00Z');
    await clock.advance(10);

    expect(firedAt).toBe(Date.parse('2029-06-01T00:00:00.010Z'));
    expect(clock.monotonic()).toBe(10);
    await expect(clock.advanceTo('2028-01-01T00:00:00Z')).rejects.toThrow('Cannot go back');
  });
});
