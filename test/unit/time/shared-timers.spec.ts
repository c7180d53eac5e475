import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { type Clock, systemClock } from '../../../lib/time/clock.js';
import { SharedTimers, type Timers, timersForIdleJobs } from '../../../lib/time/shared-timers.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';
import { Random } from '../../support/random.js';

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A clock whose timers fire at other times than they should. */
function inexact(clock: Clock, delayOf: (delayMs: number) => number): Clock {
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    after: (delayMs, task) => clock.after(delayOf(delayMs), task),
  };
}

describe('shared timers', () => {
  test('are one timer of the clock while there are any, and none when all have fired or are cancelled', async () => {
    const clock = new ManualClock();
    const timers = new SharedTimers(clock);
    const counts: number[] = [];

    const cancels = Array.from({ length: 100 }, (_, each) => timers.after(1_000 + (each % 7) * 100, () => undefined));
    counts.push(clock.timers);
    await clock.advance(1_300);
    counts.push(clock.timers);
    for (const cancel of cancels) cancel();
    counts.push(clock.timers);

    expect(counts).toEqual([1, 1, 0]);
  });

  test('set the clock’s timer once for all that are due at the same time, also when their tasks set them again', async () => {
    const clock = new ManualClock();
    let timersSet = 0;
    const counted = inexact(clock, (delayMs) => {
      timersSet++;
      return delayMs;
    });
    const timers = new SharedTimers(counted);
    let fired = 0;
    const again = (): void => {
      fired++;
      timers.after(1_000, again);
    };

    for (let each = 0; each < 100; each++) timers.after(1_000, again);
    await clock.advance(2_000);

    expect({ fired, timersSet }).toEqual({ fired: 200, timersSet: 3 });
  });

  test('set the clock’s timer again if an earlier one comes, or the earliest is cancelled', async () => {
    const clock = new ManualClock();
    const timers = new SharedTimers(clock);
    const next: (number | undefined)[] = [];

    timers.after(500, () => undefined);
    const cancel = timers.after(200, () => undefined);
    next.push(clock.nextTimerInMs);
    cancel();
    next.push(clock.nextTimerInMs);
    await clock.advance(500);
    next.push(clock.nextTimerInMs);

    expect(next).toEqual([200, 500, undefined]);
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'fire when, and in the order in which, timers of the clock would (%d)',
    async (seed) => {
      const ofTheClock = new ManualClock();
      const clock = new ManualClock();

      const expected = await history(ofTheClock, ofTheClock, seed);
      const actual = await history(clock, new SharedTimers(clock), seed);

      expect(expected.length).toBeGreaterThan(100);
      expect(actual).toEqual(expected);
    },
  );

  test('fire in the order in which they are due if the event loop was busy for longer', async () => {
    const clock = new ManualClock();
    const timers = new SharedTimers(inexact(clock, (delayMs) => delayMs + 100));
    const fired: string[] = [];
    timers.after(30, () => fired.push(`third at ${clock.monotonic()}`));
    timers.after(10, () => fired.push(`first at ${clock.monotonic()}`));
    timers.after(20, () => fired.push(`second at ${clock.monotonic()}`));

    await clock.advance(1_000);

    expect(fired).toEqual(['first at 110', 'second at 110', 'third at 110']);
  });

  test('do not fire early if the clock’s timer does', async () => {
    const clock = new ManualClock();
    const timers = new SharedTimers(inexact(clock, (delayMs) => Math.max(1, delayMs - 4)));
    const fired: number[] = [];
    timers.after(10, () => fired.push(clock.monotonic()));

    await clock.advance(9);
    expect(fired).toEqual([]);
    await clock.advance(100);

    expect(fired).toEqual([10]);
  });

  test('whose task throws keep no others from firing, and the error goes where one of the clock’s timers would', async () => {
    const clock = new ManualClock();
    const timers = new SharedTimers(clock);
    const fired: string[] = [];
    const fail = (what: string) => (): void => {
      fired.push(what);
      throw new Error(`a fault of the ${what}`);
    };
    timers.after(10, fail('first'));
    timers.after(10, fail('second'));
    timers.after(10, () => fired.push('third'));

    await expect(clock.advance(10)).rejects.toThrow('a fault of the first');
    await expect(clock.advance(0)).rejects.toThrow('a fault of the second');
    await clock.advance(0);

    expect(fired).toEqual(['first', 'second', 'third']);
    expect(clock.timers).toBe(0);
  });

  test('that are set without a delay by a task wait for another timer of the clock', async () => {
    const clock = new ManualClock();
    const timers = new SharedTimers(clock);
    const fired: string[] = [];
    const again = (left: number) => (): void => {
      fired.push('again');
      if (left > 0) timers.after(0, again(left - 1));
    };
    timers.after(10, again(2));
    clock.after(10, () => fired.push('another of the clock'));

    await clock.advance(10);

    expect(fired).toEqual(['again', 'another of the clock', 'again', 'again']);
  });
});

describe('on the clock of this machine', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  test('the timers of idle jobs are one, however long they wait', () => {
    const timers = timersForIdleJobs(systemClock);
    const begin = Date.now();
    const fired: number[] = [];
    const dueMs = 3 * LONGEST_TIMER_MS + 7;

    for (let each = 0; each < 100; each++) timers.after(dueMs, () => fired.push(Date.now() - begin));
    expect(jest.getTimerCount()).toBe(1);
    jest.advanceTimersByTime(dueMs - 1);
    expect(fired).toEqual([]);
    jest.advanceTimersByTime(1);

    expect(fired).toEqual(Array.from({ length: 100 }, () => dueMs));
    expect(jest.getTimerCount()).toBe(0);
  });
});

test('on a clock that a test moves, what a timer of an idle job sets off ends before the next one fires', async () => {
  const clock = new ManualClock();
  const timers = timersForIdleJobs(clock);
  const seen: string[] = [];
  const fire = (what: string) => (): void => {
    seen.push(what);
    void Promise.resolve().then(() => seen.push(`after the ${what}`));
  };
  timers.after(10, fire('first'));
  timers.after(10, fire('second'));

  await clock.advance(10);

  expect(seen).toEqual(['first', 'after the first', 'second', 'after the second']);
});

/** Sets and cancels timers at random, from outside and from tasks; returns which fired, and when. */
async function history(clock: ManualClock, timers: Timers, seed: number): Promise<readonly string[]> {
  const random = new Random(seed);
  const fired: string[] = [];
  const cancels: (() => void)[] = [];
  const act = (): void => {
    if (random.integer(0, 2) === 0) cancels[random.integer(0, cancels.length)]?.();
    else set();
  };
  const set = (): void => {
    const name = cancels.length;
    const task = (): void => {
      fired.push(`${name} at ${clock.monotonic()}`);
      if (name < 400) act();
    };
    cancels.push(timers.after(random.integer(-2, 40), task));
  };
  for (let step = 0; step < 200; step++) {
    act();
    if (random.integer(0, 3) === 0) await clock.advance(random.integer(0, 9));
  }
  await clock.advance(1_000);
  return fired;
}
