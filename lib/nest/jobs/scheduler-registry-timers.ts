import { type SchedulerRegistry } from '@nestjs/schedule';
import { JobConflictError } from '../../api/errors/errors.js';
import { type JobLogger } from '../../api/text/logger.js';
import { type FiringTimers } from '../../kernel/lanes/cron-timer.js';
import { type Clock, systemClock } from '../../time/clock.js';
import { firingTurns } from '../../time/event-loop.js';
import { type Timers, timersForIdleJobs } from '../../time/shared-timers.js';
import { InstantCronJob } from './instant-cron-job.js';

/**
 * Timers that are cron jobs of `@nestjs/schedule`: each job appears in the `SchedulerRegistry` under its name, with its
 * next and last date. Each has one `CronJob`, which is armed for one instant after the other. This library computes the
 * instants, as the package `cron` does not understand Quartz expressions, and waits for all of them with one timer.
 *
 * Such a `CronJob` is for reading. Its methods `stop()`, `start()`, `setTime()` and `fireOnTick()` do nothing and log a warning: this
 * instance alone would stop firing, while it goes on owning its items, which would then run nowhere. After `deleteCronJob()`, the
 * `CronJob` is back when its job is armed for the next instant. To pause a job, disable it.
 */
export class SchedulerRegistryTimers implements FiringTimers {
  readonly #registry: SchedulerRegistry;
  readonly #logger: JobLogger;
  readonly #clock: Clock;
  readonly #timers = new Map<string, Timer>();
  readonly #waits: Timers;

  constructor(registry: SchedulerRegistry, logger: JobLogger, clock: Clock = systemClock) {
    this.#registry = registry;
    this.#logger = logger;
    this.#clock = clock;
    this.#waits = timersForIdleJobs(clock);
  }

  /**
   * Arms the timer of a job for one instant; a past instant fires at once. Replaces the instant it was armed for.
   * @throws JobConflictError if the `SchedulerRegistry` has a cron job of that name that is not the job's timer
   */
  arm(jobName: string, instant: Date, onFire: () => void): void {
    const timer = this.#timers.get(jobName) ?? this.#add(jobName, instant);
    timer.onFire = onFire;
    timer.instant = instant;
    timer.cronJob.arm(instant);
    // A user may have deleted it, and sees it again: the job still fires.
    if (!this.#registry.doesExist('cron', jobName)) this.#registry.addCronJob(jobName, timer.cronJob);
  }

  /** Stops the timer of a job and removes its cron job. Does nothing if there is none. */
  disarm(jobName: string): void {
    const timer = this.#timers.get(jobName);
    if (timer === undefined) return;
    this.#timers.delete(jobName);
    timer.onFire = () => undefined;
    timer.cronJob.disarm();
    const isThere = this.#registry.doesExist('cron', jobName);
    if (isThere && this.#registry.getCronJob(jobName) === timer.cronJob) this.#registry.deleteCronJob(jobName);
  }

  #add(jobName: string, instant: Date): Timer {
    requireFreeName(this.#registry, jobName);
    const cronJob = new InstantCronJob(instant, {
      clock: this.#clock,
      timers: this.#waits,
      onTick: () => this.#onTick(jobName, timer),
      onRefused: (method) => this.#onRefused(jobName, timer, method),
    });
    cronJob.errorHandler = (error) => this.#logger.error(`Job '${jobName}': its timer failed: ${String(error)}`);
    const timer: Timer = { cronJob, instant, onFire: () => undefined };
    this.#registry.addCronJob(jobName, cronJob);
    this.#timers.set(jobName, timer);
    return timer;
  }

  #onRefused(jobName: string, timer: Timer, method: string): void {
    // This class itself deletes the CronJob of a job that has ended.
    if (this.#timers.get(jobName) !== timer) return;
    this.#logger.warn(
      `Job '${jobName}': ${method} of its CronJob in the SchedulerRegistry does nothing, as this instance would keep its items and not run ` +
        'them. To pause the job, call JobOperateAPI.disable(); to end it on this instance, JobBootstraps.remove(); to change its cron, ' +
        'JobConfigurationAPI.updateJobConfiguration().',
    );
  }

  #onTick(jobName: string, timer: Timer): void {
    if (this.#timers.get(jobName) !== timer) return;
    // A CronJob is no longer active when its timer ticks. If it is active, fireOnTick() was called.
    if (timer.cronJob.isActive) {
      this.#logger.warn(`Job '${jobName}': fireOnTick() does nothing, as it would run the job on this instance alone.`);
      return;
    }
    const { instant, onFire } = timer;
    firingTurns.run(() => {
      // It was armed anew, or disarmed, while it waited for its turn.
      if (this.#timers.get(jobName) !== timer || timer.onFire !== onFire || timer.instant !== instant) return;
      // The machine's clock was set back while the timer ran.
      if (this.#clock.now() < instant.getTime()) this.arm(jobName, instant, onFire);
      else onFire();
    });
  }
}

/** @throws JobConflictError if the `SchedulerRegistry` has a cron job of that name */
export function requireFreeName(registry: SchedulerRegistry, jobName: string): void {
  if (!registry.doesExist('cron', jobName)) return;
  throw new JobConflictError(
    `Job '${jobName}' cannot be scheduled: the SchedulerRegistry has a cron job of that name, which is not an ElasticJob. Rename one of them.`,
  );
}

interface Timer {
  readonly cronJob: InstantCronJob;
  instant: Date;
  onFire: () => void;
}
