import { CronJob, CronTime } from 'cron';
import { type SchedulerRegistry } from '@nestjs/schedule';
import { JobConflictError } from '../api/errors.js';
import { type JobLogger } from '../api/logger.js';
import { type FiringTimers } from '../kernel/lanes/cron-timer.js';
import { type Clock, systemClock } from '../time/clock.js';

/**
 * Timers that are jobs of `@nestjs/schedule`: each ElasticJob appears in the `SchedulerRegistry` under its name, with its next
 * and last date. There is one `CronJob` for each, armed for one instant after the other; the cron expression itself is
 * interpreted by this library, since `cron` does not understand Quartz.
 *
 * What a user does to such a `CronJob` concerns this instance only, and until the job's schedule changes: `stop()` and
 * `deleteCronJob()` end its firings here, `start()` resumes them (an instant missed meanwhile fires at once), and
 * `fireOnTick()` does nothing. To stop a job everywhere, disable it.
 */
export class SchedulerRegistryTimers implements FiringTimers {
  readonly #registry: SchedulerRegistry;
  readonly #logger: JobLogger;
  readonly #clock: Clock;
  readonly #timers = new Map<string, Timer>();

  constructor(registry: SchedulerRegistry, logger: JobLogger, clock: Clock = systemClock) {
    this.#registry = registry;
    this.#logger = logger;
    this.#clock = clock;
  }

  /** @throws JobConflictError if the scheduler registry has a job of that name that is not ours */
  arm(jobName: string, instant: Date, onFire: () => void): void {
    const timer = this.#timers.get(jobName) ?? this.#add(jobName, instant);
    timer.onFire = onFire;
    timer.instant = instant;
    timer.cronJob.setTime(new LateCronTime(instant, this.#clock));
    timer.cronJob.start();
  }

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
    const cronJob: OurCronJob = CronJob.from<null, null>({
      cronTime: instant,
      onTick: () => this.#onTick(jobName, timer),
      errorHandler: (error) => this.#logger.error(`Job '${jobName}': its timer failed: ${String(error)}`),
    });
    const timer: Timer = { cronJob, instant, onFire: () => undefined };
    this.#registry.addCronJob(jobName, cronJob);
    this.#timers.set(jobName, timer);
    return timer;
  }

  #onTick(jobName: string, timer: Timer): void {
    if (this.#timers.get(jobName) !== timer) return;
    // A CronJob that ticks by its timer is not active any more; one that is was told to by somebody.
    if (timer.cronJob.isActive) {
      this.#logger.warn(`Job '${jobName}': fireOnTick() does nothing, as it would run on this instance alone.`);
      return;
    }
    // The machine's clock may have been set back while the timer ran.
    if (this.#clock.now() < timer.instant.getTime()) return this.arm(jobName, timer.instant, timer.onFire);
    timer.onFire();
  }
}

type OurCronJob = Parameters<SchedulerRegistry['addCronJob']>[1];

interface Timer {
  readonly cronJob: OurCronJob;
  instant: Date;
  onFire: () => void;
}

/** `cron`'s own type of a date, which is not ours to name. */
type Instant = ReturnType<CronTime['getNextDateFrom']>;

/**
 * An instant as `cron` wants it, which may have passed: `cron` refuses such instants, or skips them if they passed longer ago than
 * 250 ms, but a firing that a busy event loop holds up is late, not off.
 */
class LateCronTime extends CronTime {
  readonly #instant: Date;
  readonly #clock: Clock;

  constructor(instant: Date, clock: Clock) {
    super(instant);
    this.#instant = instant;
    this.#clock = clock;
  }

  override getTimeout(): number {
    return Math.max(0, this.#instant.getTime() - this.#clock.now());
  }

  override sendAt(): Instant;
  override sendAt(i: number): Instant[];
  override sendAt(i?: number): Instant | Instant[] {
    const instant = this.source as Instant;
    return i === undefined ? instant : [instant];
  }
}
