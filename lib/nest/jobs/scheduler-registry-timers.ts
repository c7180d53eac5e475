import { CronJob, CronTime } from 'cron';
import { type SchedulerRegistry } from '@nestjs/schedule';
import { JobConflictError } from '../../api/errors/errors.js';
import { type JobLogger } from '../../api/text/logger.js';
import { type FiringTimers } from '../../kernel/lanes/cron-timer.js';
import { type Clock, systemClock } from '../../time/clock.js';
import { firingTurns } from '../../time/event-loop.js';

/**
 * Timers that are cron jobs of `@nestjs/schedule`: each job appears in the `SchedulerRegistry` under its name, with its
 * next and last date. Each has one `CronJob`, which is armed for one instant after the other. This library computes the
 * instants, as the package `cron` does not understand Quartz expressions.
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

  constructor(registry: SchedulerRegistry, logger: JobLogger, clock: Clock = systemClock) {
    this.#registry = registry;
    this.#logger = logger;
    this.#clock = clock;
  }

  /**
   * Arms the timer of a job for one instant; a past instant fires at once. Replaces the instant it was armed for.
   * @throws JobConflictError if the `SchedulerRegistry` has a cron job of that name that is not the job's timer
   */
  arm(jobName: string, instant: Date, onFire: () => void): void {
    const timer = this.#timers.get(jobName) ?? this.#add(jobName, instant);
    timer.onFire = onFire;
    timer.instant = instant;
    timer.cronTime.instant = instant;
    timer.cronJob.setTime(timer.cronTime);
    timer.cronJob.start();
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
    const cronJob: OurCronJob = CronJob.from<null, null>({
      cronTime: instant,
      onTick: () => this.#onTick(jobName, timer),
      errorHandler: (error) => this.#logger.error(`Job '${jobName}': its timer failed: ${String(error)}`),
    });
    const cronTime = new LateCronTime(instant, this.#clock);
    const timer: Timer = { cronJob, cronTime, instant, onFire: () => undefined };
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

type OurCronJob = Parameters<SchedulerRegistry['addCronJob']>[1];

interface Timer {
  readonly cronJob: OurCronJob;
  readonly cronTime: LateCronTime;
  instant: Date;
  onFire: () => void;
}

/** The package `cron`'s own type of a date, which it does not export. */
type Instant = ReturnType<CronTime['getNextDateFrom']>;

/**
 * An instant for `cron` that may be past. `cron` itself refuses past instants, or skips them after 250 ms; but a firing
 * that is late because the event loop was blocked must still happen. It goes on from one instant to the next, because to
 * make one of `cron`'s dates takes longer than all else that arming a timer does.
 */
class LateCronTime extends CronTime {
  instant: Date;
  readonly #clock: Clock;

  constructor(instant: Date, clock: Clock) {
    super(instant);
    this.instant = instant;
    this.#clock = clock;
  }

  override getTimeout(): number {
    return Math.max(0, this.instant.getTime() - this.#clock.now());
  }

  override sendAt(): Instant;
  override sendAt(i: number): Instant[];
  override sendAt(i?: number): Instant | Instant[] {
    const instant = new CronTime(this.instant).source as Instant;
    return i === undefined ? instant : [instant];
  }
}
