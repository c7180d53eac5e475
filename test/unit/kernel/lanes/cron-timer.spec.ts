import { describe, expect, test } from '@jest/globals';
import { ClockTimers, CronTimer } from '../../../../lib/kernel/lanes/cron-timer.js';
import { InvalidCronError } from '../../../../lib/time/invalid-cron-error.js';
import { ManualClock } from '../../../../lib/testing/manual-clock.js';

const EVERY_10_S = { cron: '0/10 * * * * ?', timeZone: 'GMT' };

function newTimer(): { readonly clock: ManualClock; readonly timer: CronTimer } {
  const clock = new ManualClock(Date.UTC(2030, 0, 1));
  const timers = new ClockTimers(clock);
  return { clock, timer: new CronTimer({ jobName: 'job', clock, timers }) };
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

  test('that was due is that of the former schedule until the one that took its place has fired', async () => {
    const { clock, timer } = newTimer();
    timer.enable(EVERY_10_S);
    await clock.advance(28_000);

    const everySeven = { cron: '0/7 * * * * ?' };
    timer.arm(everySeven);
    const twice = { cron: '0/9 * * * * ?' };
    timer.arm(twice);

    expect(iso(timer.latestDue(twice))).toBe('00:00:20');
    expect(iso(timer.latest(twice))).toBe('00:00:27');
    await clock.advance(8_000);
    expect(iso(timer.latestDue(twice))).toBe('00:00:36');
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

test('the next instant is near from half a second before it on, and while none is armed none is', async () => {
  const { clock, timer } = newTimer();
  expect(timer.isNextNear).toBe(false);
  timer.enable(EVERY_10_S);
  await clock.advance(19_499);
  expect(timer.isNextNear).toBe(false);

  await clock.advance(1);
  expect(timer.isNextNear).toBe(true);
  await clock.advance(500);
  expect(timer.isNextNear).toBe(false);
  timer.disable();
  await clock.advance(9_900);
  expect(timer.isNextNear).toBe(false);
});

const EVERY_FIVE = '0/5 * * * * ?';
const at = (second: number): number => Date.parse('2030-01-01T00:00:00Z') + second * 1_000;

/** A job that fires every five seconds, at second 13; an item was last begun at second 5. */
async function atSecond13() {
  const clock = new ManualClock('2030-01-01T00:00:00Z');
  const fired: number[] = [];
  const timer = new CronTimer({ jobName: 'bill', clock, timers: new ClockTimers(clock) });
  timer.onFire = (instant) => fired.push((instant.getTime() - at(0)) / 1_000);
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

describe('an instant that an item has missed, as a peer whose clock differs by half a second sees it,', () => {
  /** At second 13; `now` is the second at which it is asked. */
  const mayPeerHaveMissed = async (
    now: number,
    { instant = 10, lastBegun = 5, windowMs = 60_000 } = {},
  ): Promise<boolean> => {
    const { clock, timer } = await atSecond13();
    await clock.advance(now * 1_000 - 13_000);
    return timer.mayPeerHaveMissed(at(instant), at(lastBegun), windowMs);
  };

  test('is the first one after that of its last run, and no other', async () => {
    expect(await mayPeerHaveMissed(13)).toBe(true);
    expect(await mayPeerHaveMissed(13, { lastBegun: 0 })).toBe(false);
    expect(await mayPeerHaveMissed(13, { instant: 5 })).toBe(false);
  });

  test('is the only one until the next one has come there, too', async () => {
    expect(await mayPeerHaveMissed(15.499)).toBe(true);
    expect(await mayPeerHaveMissed(15.5)).toBe(false);
  });

  test('may have come there before it comes here', async () => {
    expect(await mayPeerHaveMissed(14.9, { instant: 15, lastBegun: 10 })).toBe(true);
  });

  test('is recent until it is old there, too', async () => {
    expect(await mayPeerHaveMissed(13, { windowMs: 2_500 })).toBe(true);
    expect(await mayPeerHaveMissed(13, { windowMs: 2_499 })).toBe(false);
  });

  test('is one of the present schedule, if that may have held there', async () => {
    const { clock, timer } = await atSecond13();
    await clock.advance(2_400);

    timer.arm({ cron: '0/15 * * * * ?' });
    expect(timer.mayPeerHaveMissed(at(15), at(10), 60_000)).toBe(true);
    await clock.advance(100);
    timer.arm({ cron: EVERY_FIVE });

    expect(timer.mayPeerHaveMissed(at(15), at(10), 60_000)).toBe(false);
  });

  test('is the only one as long as the next one has not been fired here, however late', async () => {
    const { clock, timer } = await atSecond13();

    clock.setWallClock(at(17));

    expect(timer.mayPeerHaveMissed(at(10), at(5), 60_000)).toBe(true);
  });

  test('is none when the schedule is over', async () => {
    const { timer } = await atSecond13();
    timer.disable();
    timer.enable({ cron: '5-10/5 0 0 1 1 ? 2030' });

    expect(timer.nextInstant).toBeUndefined();
    expect(timer.mayPeerHaveMissed(at(10), at(5), 60_000)).toBe(false);
  });
});
