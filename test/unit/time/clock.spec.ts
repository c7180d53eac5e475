import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { systemClock } from '../../../lib/time/clock.js';

const LONGEST_TIMER_MS = 2 ** 31 - 1;

test('the system clock shows the time of this machine, and its monotonic time does not change when the clock of the machine is set', () => {
  jest.useFakeTimers({ now: 1_000_000 });
  try {
    const before = systemClock.monotonic();

    jest.setSystemTime(5_000_000);
    jest.advanceTimersByTime(20);

    expect(systemClock.now()).toBe(5_000_020);
    expect(systemClock.monotonic() - before).toBe(20);
  } finally {
    jest.useRealTimers();
  }
});

describe('a delayed call', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  // Node fires a timer of 2^31 ms at once, and cuts fractions off, which would fire a timer early.
  test.each([
    [1_000, 1_000],
    [0.5, 1],
    [1_000.01, 1_001],
    [LONGEST_TIMER_MS, LONGEST_TIMER_MS],
    [LONGEST_TIMER_MS + 1, LONGEST_TIMER_MS + 1],
    [3 * LONGEST_TIMER_MS + 7, 3 * LONGEST_TIMER_MS + 7],
  ])('after %d ms comes once, when %d ms have passed and not earlier', (delayMs, dueMs) => {
    const calls: number[] = [];
    const begin = Date.now();
    systemClock.after(delayMs, () => calls.push(Date.now() - begin));

    jest.advanceTimersByTime(dueMs - 1);
    expect(calls).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(calls).toEqual([dueMs]);
    jest.advanceTimersByTime(2 * LONGEST_TIMER_MS);

    expect(calls).toEqual([dueMs]);
    expect(jest.getTimerCount()).toBe(0);
  });

  test.each([0, -0.5, -1_000, -(2 ** 31)])('after %d ms comes in a later turn, without any delay', (delayMs) => {
    let isCalled = false;

    systemClock.after(delayMs, () => (isCalled = true));
    expect(isCalled).toBe(false);
    jest.advanceTimersByTime(0);

    expect(isCalled).toBe(true);
  });

  test.each([0, LONGEST_TIMER_MS + 1])('does not come when it is cancelled after %d ms, and leaves no timer', (ms) => {
    let isCalled = false;
    const cancel = systemClock.after(3 * LONGEST_TIMER_MS, () => (isCalled = true));

    jest.advanceTimersByTime(ms);
    cancel();
    expect(jest.getTimerCount()).toBe(0);
    jest.advanceTimersByTime(4 * LONGEST_TIMER_MS);

    expect(isCalled).toBe(false);
  });

  test('may be cancelled when it has come', () => {
    let calls = 0;
    const cancel = systemClock.after(10, () => calls++);
    jest.advanceTimersByTime(10);

    expect(cancel).not.toThrow();
    expect(calls).toBe(1);
  });
});
