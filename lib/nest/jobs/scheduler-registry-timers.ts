import { type SchedulerRegistry } from '@nestjs/schedule';
import { JobConflictError } from '../../api/errors/errors.js';
import { type JobLogger } from '../../api/text/logger.js';
import { ClockTimers, type FiringTimers } from '../../kernel/lanes/cron-timer.js';
import { type Clock, systemClock } from '../../time/clock.js';
import { CronJobEntry } from './cron-job-entry.js';

/**
 * Timers of jobs that appear in the `SchedulerRegistry` of `@nestjs/schedule` under the jobs' names, each as a
 * `CronJob` with its next and last date. This library computes the instants and waits for them, as the package `cron`
 * does not understand Quartz expressions.
 *
 * Such a `CronJob` is for reading. Its methods `stop()`, `start()`, `setTime()` and `fireOnTick()` do nothing and log a
 * warning: this instance alone would stop firing, while it goes on owning its items, which would then run nowhere.
 * After `deleteCronJob()`, the `CronJob` is back when its job is armed for the next instant. To pause a job, disable
 * it.
 */
export class SchedulerRegistryTimers implements FiringTimers {
  readonly #registry: SchedulerRegistry;
  readonly #logger: JobLogger;
  readonly #clock: Clock;
  readonly #timers: ClockTimers;
  readonly #entries = new Map<string, CronJobEntry>();

  constructor(registry: SchedulerRegistry, logger: JobLogger, clock: Clock = systemClock) {
    this.#registry = registry;
    this.#logger = logger;
    this.#clock = clock;
    this.#timers = new ClockTimers(clock);
  }

  /**
   * Arms the timer of a job for one instant; a past instant fires at once. Replaces the instant it was armed for.
   * @throws JobConflictError if the `SchedulerRegistry` has a cron job of that name that is not the job's
   */
  arm(jobName: string, instant: Date, onFire: () => void): void {
    const entry = this.#entries.get(jobName) ?? this.#add(jobName, instant);
    entry.showArmed(instant);
    // A user may have deleted it, and sees it again: the job still fires.
    if (!this.#registry.doesExist('cron', jobName)) this.#registry.addCronJob(jobName, entry);
    this.#timers.arm(jobName, instant, () => {
      entry.showFired(new Date(this.#clock.now()));
      try {
        onFire();
      } catch (error) {
        this.#logger.error(`Job '${jobName}': its timer failed: ${String(error)}`);
      }
    });
  }

  /** Stops the timer of a job and removes its cron job. Does nothing if there is none. */
  disarm(jobName: string): void {
    this.#timers.disarm(jobName);
    const entry = this.#entries.get(jobName);
    if (entry === undefined) return;
    this.#entries.delete(jobName);
    entry.showDisarmed();
    const isThere = this.#registry.doesExist('cron', jobName);
    if (isThere && this.#registry.getCronJob(jobName) === entry) this.#registry.deleteCronJob(jobName);
  }

  #add(jobName: string, instant: Date): CronJobEntry {
    requireFreeName(this.#registry, jobName);
    const entry: CronJobEntry = new CronJobEntry(instant, (method) => this.#onRefused(jobName, entry, method));
    this.#registry.addCronJob(jobName, entry);
    this.#entries.set(jobName, entry);
    return entry;
  }

  #onRefused(jobName: string, entry: CronJobEntry, method: string): void {
    // This class itself deletes the CronJob of a job that has ended.
    if (this.#entries.get(jobName) !== entry) return;
    this.#logger.warn(
      method === 'fireOnTick()'
        ? `Job '${jobName}': fireOnTick() does nothing, as it would run the job on this instance alone.`
        : `Job '${jobName}': ${method} of its CronJob in the SchedulerRegistry does nothing, as this instance would keep its items and not run ` +
            'them. To pause the job, call JobOperateAPI.disable(); to end it on this instance, JobBootstraps.remove(); to change its cron, ' +
            'JobConfigurationAPI.updateJobConfiguration().',
    );
  }
}

/** @throws JobConflictError if the `SchedulerRegistry` has a cron job of that name */
export function requireFreeName(registry: SchedulerRegistry, jobName: string): void {
  if (!registry.doesExist('cron', jobName)) return;
  throw new JobConflictError(
    `Job '${jobName}' cannot be scheduled: the SchedulerRegistry has a cron job of that name, which is not an ElasticJob. Rename one of them.`,
  );
}
