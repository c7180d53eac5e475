import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { SchedulerRegistry } from '@nestjs/schedule';
import { CronJob, CronTime } from 'cron';
import { SchedulerRegistryTimers } from '../../../lib/nest/jobs/scheduler-registry-timers.js';
import { until } from '../../support/until.js';
import { RecordingLogger } from './application.js';

const inMs = (delayMs: number): Date => new Date(Date.now() + delayMs);

/** Lets the test alone move the time. The turns of the event loop, among which firings are spread, go on. */
const stopTime = (now: number): void => void jest.useFakeTimers({ now, doNotFake: ['setImmediate', 'clearImmediate'] });

const given = () => {
  const registry = new SchedulerRegistry();
  const logger = new RecordingLogger();
  return { registry, logger, timers: new SchedulerRegistryTimers(registry, logger) };
};

afterEach(() => {
  jest.useRealTimers();
});

describe('a timer', () => {
  test('calls once, not before its instant, and shows the instant under the job’s name', () => {
    stopTime(1_000_000);
    const { registry, timers } = given();
    const fired: number[] = [];
    const instant = inMs(50);

    timers.arm('job', instant, () => fired.push(Date.now()));

    expect(registry.getCronJob('job').nextDate().toMillis()).toBe(instant.getTime());
    jest.advanceTimersByTime(49);
    expect(fired).toEqual([]);
    jest.advanceTimersByTime(1_000);
    expect(fired).toEqual([instant.getTime()]);
    expect(registry.getCronJob('job').lastDate()).toEqual(instant);
    expect(registry.getCronJob('job').isActive).toBe(false);
    timers.disarm('job');
  });

  test('replaces the one before it, in the same CronJob', async () => {
    const { registry, timers } = given();
    const fired: string[] = [];
    timers.arm('job', inMs(10), () => fired.push('first'));
    const cronJob = registry.getCronJob('job');

    const second = inMs(30);
    timers.arm('job', second, () => fired.push('second'));
    expect(cronJob.nextDate().toMillis()).toBe(second.getTime());
    expect(cronJob.nextDates(2).map((date) => date.toMillis())).toEqual([second.getTime()]);

    await until(() => fired.length > 0);
    expect(fired).toEqual(['second']);
    expect(registry.getCronJob('job')).toBe(cronJob);
    timers.disarm('job');
  });

  test.each<[when: string, firstMs: number, secondMs: number]>([
    ['an earlier', 1_000, 10],
    ['a later', 10, 1_000],
  ])('that is armed again for %s instant calls at that one only', (_, firstMs, secondMs) => {
    stopTime(0);
    const { timers } = given();
    const fired: string[] = [];

    timers.arm('job', inMs(firstMs), () => fired.push(`first at ${Date.now()}`));
    timers.arm('job', inMs(secondMs), () => fired.push(`second at ${Date.now()}`));
    jest.advanceTimersByTime(2_000);

    expect(fired).toEqual([`second at ${secondMs}`]);
    timers.disarm('job');
  });

  test('that is late because the event loop was blocked for two seconds still calls', () => {
    stopTime(0);
    const { timers } = given();
    const fired: number[] = [];
    timers.arm('job', inMs(20), () => fired.push(Date.now()));

    jest.setSystemTime(2_000);
    jest.advanceTimersByTime(20);

    expect(fired).toEqual([2_020]);
    timers.disarm('job');
  });

  test.each([0, -1, -200, -300, -86_400_000])('armed for an instant %d ms from now calls at once', (delayMs) => {
    stopTime(100_000_000);
    const { registry, timers } = given();
    const fired: string[] = [];

    timers.arm('job', inMs(delayMs), () => fired.push('late'));

    expect(registry.getCronJob('job').nextDate().toMillis()).toBe(100_000_000 + delayMs);
    jest.advanceTimersByTime(0);
    expect(fired).toEqual(['late']);
    timers.disarm('job');
  });

  test('is re-armed from within its call, again and again', async () => {
    const { timers } = given();
    let calls = 0;
    const arm = (): void => timers.arm('job', inMs(5), () => ++calls < 5 && arm());

    arm();

    await until(() => calls === 5);
    timers.disarm('job');
  });

  test('for an instant in 60 days waits that long', () => {
    stopTime(0);
    const { timers } = given();
    const fired: number[] = [];
    const instant = new Date(60 * 86_400_000);

    timers.arm('job', instant, () => fired.push(Date.now()));
    jest.advanceTimersByTime(instant.getTime() - 1);
    expect(fired).toEqual([]);
    jest.advanceTimersByTime(1);

    expect(fired).toEqual([instant.getTime()]);
    timers.disarm('job');
  });

  test('does not call early when the machine’s clock is set back', () => {
    stopTime(1_000_000);
    const { timers } = given();
    const fired: number[] = [];
    timers.arm('job', new Date(1_010_000), () => fired.push(Date.now()));

    jest.setSystemTime(400_000);
    jest.advanceTimersByTime(10_000);
    expect(fired).toEqual([]);
    jest.advanceTimersByTime(600_000);

    expect(fired).toEqual([1_010_000]);
    timers.disarm('job');
  });

  test('whose callback throws is logged by Nest and stays usable', async () => {
    const { timers } = given();
    const fired: string[] = [];
    timers.arm('job', inMs(1), () => {
      fired.push('thrown');
      throw new Error('a fault of the test');
    });
    await until(() => fired.length === 1);

    timers.arm('job', inMs(1), () => fired.push('again'));

    await until(() => fired.length === 2);
    timers.disarm('job');
  });

  test('that is disarmed leaves the registry and does not call', () => {
    stopTime(0);
    const { registry, timers } = given();
    const fired: string[] = [];
    timers.arm('job', inMs(10), () => fired.push('wrong'));

    timers.disarm('job');
    timers.disarm('job');
    jest.advanceTimersByTime(1_000);

    expect(fired).toEqual([]);
    expect(registry.doesExist('cron', 'job')).toBe(false);
  });
});

describe('what a user does to the CronJob', () => {
  test.each<[method: string, call: (cronJob: CronJob, registry: SchedulerRegistry) => unknown]>([
    ['stop()', (cronJob) => cronJob.stop()],
    ['stop()', (_, registry) => registry.deleteCronJob('job')],
    ['start()', (cronJob) => cronJob.start()],
    ['setTime()', (cronJob) => cronJob.setTime(new CronTime(inMs(500)))],
  ])('%s changes no firing, and a warning says how to pause the job (case %#)', (method, call) => {
    stopTime(0);
    const { registry, timers, logger } = given();
    const fired: number[] = [];
    const note = (): void => void fired.push(Date.now());
    timers.arm('job', inMs(10), note);
    const cronJob = registry.getCronJob('job');

    void call(cronJob, registry);
    expect(cronJob.isActive).toBe(true);
    expect(cronJob.nextDate().toMillis()).toBe(10);
    jest.advanceTimersByTime(20);
    timers.arm('job', inMs(10), note);
    jest.advanceTimersByTime(20);

    expect(fired).toEqual([10, 30]);
    expect(logger.lines).toEqual([
      expect.stringMatching(
        /^warn Job 'job': (\w+\(\)) of its CronJob .*To pause the job, call JobOperateAPI\.disable\(\)/,
      ) as unknown,
    ]);
    expect(logger.lines[0]).toContain(method);
    timers.disarm('job');
  });

  test('deleteCronJob() hides the CronJob until its job is armed for the next instant', () => {
    const { registry, timers } = given();
    timers.arm('job', inMs(1_000_000), () => undefined);
    const cronJob = registry.getCronJob('job');

    registry.deleteCronJob('job');
    timers.arm('job', inMs(2_000_000), () => undefined);

    expect(registry.getCronJob('job')).toBe(cronJob);
    timers.disarm('job');
  });

  test('a CronJob of a job that has ended warns of nothing', () => {
    const { registry, timers, logger } = given();
    timers.arm('job', inMs(1_000_000), () => undefined);
    const cronJob = registry.getCronJob('job');

    timers.disarm('job');
    void cronJob.stop();

    expect(logger.lines).toEqual([]);
  });

  test('fireOnTick() runs nothing and logs a warning', () => {
    stopTime(0);
    const { registry, timers, logger } = given();
    const fired: string[] = [];
    timers.arm('job', inMs(1_000), () => fired.push('fired'));

    void registry.getCronJob('job').fireOnTick();
    jest.advanceTimersByTime(1);

    expect(fired).toEqual([]);
    expect(logger.lines).toEqual([
      "warn Job 'job': fireOnTick() does nothing, as it would run the job on this instance alone.",
    ]);
    timers.disarm('job');
  });
});

describe('a cron job of the application', () => {
  test('that has replaced ours under the job’s name stays when our timer is disarmed', () => {
    const { registry, timers } = given();
    timers.arm('job', inMs(1_000_000), () => undefined);
    registry.deleteCronJob('job');
    const theirs = CronJob.from({ cronTime: inMs(1_000_000), onTick: () => undefined });
    registry.addCronJob('job', theirs);

    timers.disarm('job');

    expect(registry.getCronJob('job')).toBe(theirs);
  });

  test('whose name a job wants, too, is a conflict', () => {
    const { registry, timers } = given();
    const others = new SchedulerRegistryTimers(registry, new RecordingLogger());
    others.arm('job', inMs(1_000_000), () => undefined);

    expect(() => timers.arm('job', inMs(1), () => undefined)).toThrow(
      "Job 'job' cannot be scheduled: the SchedulerRegistry has a cron job of that name, which is not an ElasticJob. Rename one of them.",
    );
    others.disarm('job');
  });
});
