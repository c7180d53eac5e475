import { describe, expect, test } from '@jest/globals';
import { ClockTimers, CronTimer } from '../../../lib/kernel/lanes/cron-timer.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';

const EVERY_10_S = { cron: '0/10 * * * * ?', timeZone: 'GMT' };

function newTimer(): { readonly clock: ManualClock; readonly timer: CronTimer } {
  const clock = new ManualClock(Date.UTC(2030, 0, 1));
  const timers = new ClockTimers(clock);
  return { clock, timer: new CronTimer({ jobName: 'job', clock, timers, onFire: () => undefined }) };
}

const iso = (instant: number | undefined): string | undefined =>
  instant === undefined ? undefined : new Date(instant).toISOString().slice(11, 19);

describe('the last instant of a job', () => {
  test('that fires here is the one before the instant that it is going to fire for', async () => {
    const { clock, timer } = newTimer();
    timer.enable(EVERY_10_S);
    await clock.advance(25_000);

    expect(iso(timer.latest({ cron: '0 0 0 * * ?' }))).toBe('00:00:20');
  });

  test('that fires here no more, as while it stops, is the last one that has passed of the stored schedule', async () => {
    const { clock, timer } = newTimer();
    timer.enable({ cron: '0 0 0 * * ?' });
    timer.disable();

    await clock.advance(20_000);
    expect(iso(timer.latest(EVERY_10_S))).toBe('00:00:20');
    await clock.advance(9_000);
    expect(iso(timer.latest(EVERY_10_S))).toBe('00:00:20');
  });

  test.each([{}, { cron: 'soon' }])('is unknown if it fires here no more and the stored schedule is %j', (schedule) => {
    expect(newTimer().timer.latest(schedule)).toBeUndefined();
  });
});
