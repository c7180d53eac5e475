/** Which instant of its schedule an item has missed, when the schedule has changed, or was to be changed. */
import { describe, expect, test } from '@jest/globals';
import { InvalidCronError } from '../../../lib/time/invalid-cron-error.js';
import { ClockTimers, CronTimer } from '../../../lib/kernel/lanes/cron-timer.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';

const EVERY_FIVE = '0/5 * * * * ?';
const at = (second: number): number => Date.parse('2030-01-01T00:00:00Z') + second * 1_000;

/** A job that fires every five seconds, at second 13; an item was last begun at second 5. */
async function atSecond13() {
  const clock = new ManualClock('2030-01-01T00:00:00Z');
  const fired: number[] = [];
  const timer = new CronTimer({
    ...{ jobName: 'bill', clock, timers: new ClockTimers(clock) },
    onFire: (instant) => fired.push((instant.getTime() - at(0)) / 1_000),
  });
  timer.enable({ cron: EVERY_FIVE });
  await clock.advance(13_000);
  return { clock, timer, fired, missed: () => timer.missedInstant(at(5), 60_000) };
}

describe('an instant that an item has missed', () => {
  test('is made up for', async () => {
    const { missed } = await atSecond13();
    expect(missed()).toBe(at(10));
  });

  test('is not made up for once another schedule holds: the job was not due then by that one', async () => {
    const { timer, missed } = await atSecond13();

    timer.arm({ cron: '0/10 * * * * ?' });

    expect(missed()).toBeUndefined();
  });

  test('is made up for although a schedule that cannot be used was written and taken back meanwhile', async () => {
    const { clock, timer, fired, missed } = await atSecond13();

    expect(() => timer.arm({ cron: 'never' })).toThrow(InvalidCronError);
    expect(missed()).toBe(at(10));
    await clock.advance(500);
    timer.arm({ cron: EVERY_FIVE });

    expect(missed()).toBe(at(10));
    await clock.advance(2_000);
    expect(fired).toEqual([5, 10, 15]);
  });

  test('is not made up for if the schedule was away for a while, even if the same one has come back', async () => {
    const { clock, timer, missed } = await atSecond13();

    timer.arm({});
    await clock.advance(500);
    timer.arm({ cron: EVERY_FIVE });

    expect(missed()).toBeUndefined();
  });
});
