import { describe, expect, test } from '@jest/globals';
import { SchedulerRegistry } from '@nestjs/schedule';
import { ClockTimers, type FiringTimers } from '../../../lib/kernel/lanes/cron-timer.js';
import { SchedulerRegistryTimers } from '../../../lib/nest/jobs/scheduler-registry-timers.js';
import { systemClock } from '../../../lib/time/clock.js';
import { until } from '../../support/until.js';
import { RecordingLogger } from './application.js';

const JOBS = 100;
const all = Array.from({ length: JOBS }, (_, job) => `job-${job}`);

describe.each<[where: string, open: () => FiringTimers]>([
  ['in a Nest application', () => new SchedulerRegistryTimers(new SchedulerRegistry(), new RecordingLogger())],
  ['without Nest', () => new ClockTimers(systemClock)],
])('Many firings at one instant, %s,', (_, open) => {
  /**
   * Arms a timer for each job; returns the jobs that have fired, and how many had when the event loop had its turns.
   */
  function armAll(timers: FiringTimers, onFirst: () => void = () => undefined) {
    const fired: string[] = [];
    const atTurns: number[] = [];
    const instant = new Date(Date.now() + 50);
    for (let job = 0; job < JOBS; job++) {
      timers.arm(`job-${job}`, instant, () => {
        if (fired.length === 0) {
          setImmediate(() => atTurns.push(fired.length));
          fired.push(`job-${job}`);
          onFirst();
        } else fired.push(`job-${job}`);
      });
    }
    return { fired, atTurns };
  }

  test('come all, and leave the event loop its turns in between', async () => {
    const timers = open();
    const { fired, atTurns } = armAll(timers);

    await until(() => fired.length === JOBS, 'all jobs to fire');

    expect(new Set(fired).size).toBe(JOBS);
    expect(atTurns[0]).toBeLessThan(JOBS / 2);
    for (const name of fired) timers.disarm(name);
  });

  test('do not come for jobs that are disarmed, or armed for later, while they wait for their turn', async () => {
    const timers = open();
    const later = new Date(Date.now() + 3_600_000);
    let left: readonly string[] = [];
    const { fired } = armAll(timers, () => {
      left = all.filter((name) => !fired.includes(name)).slice(-2);
      timers.disarm(left[0]!);
      timers.arm(left[1]!, later, () => fired.push('too early'));
    });

    await until(() => fired.length === JOBS - 2, 'the others to fire');
    await new Promise((resolve) => setImmediate(resolve));

    expect(new Set(fired)).toEqual(new Set(all.filter((name) => !left.includes(name))));
    for (let job = 0; job < JOBS; job++) timers.disarm(`job-${job}`);
  });
});
