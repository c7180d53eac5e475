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
 * Methods of such a `CronJob` affect this instance only, until the job's schedule changes: `stop()` and `deleteCronJob()`
 * end its firings here, `start()` resumes them (an instant that was missed meanwhile fires at once), and `fireOnTick()`
 * does nothing. To stop a job on all instances, disable it.
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
  }

  /** Stops the timer of a job and removes its cron job. Does nothing if there is none. */
  disarm(jobName: string): void {
    const timer = this.#timers.get(jobName);
    if (timer === undefined) return;
    this.#timers.delete(jobName);
    timer.onFire = () => undefined;
    void timer.cronJob.stop();
    const isThere = this.#registry.doesExist('cron', jobName);
    if (isThere && this.#registry.getCronJob(jobName) === timer.cronJob) this.#registry.deleteCronJob(jobName);
  }

  #add(jobName: string, instant: Date): Timer {
    if (this.#registry.doesExist('cron', jobName)) {
      throw new JobConflictError(
        `Job '${jobName}' cannot be scheduled: the SchedulerRegistry has a cron job of that name, which is not an ElasticJob. Rename one of them.`,
      );
    }
    const cronJob = new InstantCronJob(instant, {
      clock: this.#clock,
      timers: this.#waits,
      onTick: () => this.#onTick(jobName, timer),
    });
    cronJob.errorHandler = (error) => this.#logger.error(`Job '${jobName}': its timer failed: ${String(error)}`);
    const timer: Timer = { cronJob, instant, onFire: () => undefined };
    this.#registry.addCronJob(jobName, cronJob);
    this.#timers.set(jobName, timer);
    return timer;
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

interface Timer {
  readonly cronJob: InstantCronJob;
  instant: Date;
  onFire: () => void;
}
