import { CronJob, CronTime } from 'cron';
import { type Clock } from '../../time/clock.js';
import { type Timers } from '../../time/shared-timers.js';

/** What an `InstantCronJob` needs. */
export interface InstantCronJobDeps {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Called at the instant; `isActive` is `false` then. Also called by `fireOnTick()`. */
  readonly onTick: () => void;
  /** Called when a user calls a method that would keep the job's items from their firings. It does nothing. */
  readonly onRefused: (method: string) => void;
}

/**
 * A `CronJob` that is armed for one instant after the other. It waits on timers that it may share with others, where `cron`
 * would have a timer of its own for each, and ticks late rather than not at all. Only `arm` and `disarm` change when it ticks: what
 * users call does not, or the items of this instance would run nowhere.
 */
export class InstantCronJob extends CronJob<null, null> {
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #time: LateCronTime;
  readonly #onRefused: (method: string) => void;
  /** Ends the wait; `undefined` while the job is not active. */
  #cancel: (() => void) | undefined;

  constructor(instant: Date, { clock, timers, onTick, onRefused }: InstantCronJobDeps) {
    super(instant, onTick);
    this.#clock = clock;
    this.#timers = timers;
    this.#onRefused = onRefused;
    this.#time = new LateCronTime(instant, clock);
    this.cronTime = this.#time;
  }

  override get isActive(): boolean {
    return this.#cancel !== undefined;
  }

  /** Ticks once at the instant, or at once if it is past; no more at the one it was armed for before. */
  arm(instant: Date): void {
    this.disarm();
    this.#time.instant = instant;
    this.#cancel = this.#timers.after(this.#time.getTimeout(), () => {
      this.#cancel = undefined;
      this.lastExecution = new Date(this.#clock.now());
      void this.fireOnTick();
    });
  }

  /** Ticks no more, until it is armed again. */
  disarm(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  override start(): void {
    this.#onRefused('start()');
  }

  /** Also called by `SchedulerRegistry.deleteCronJob()`. */
  override stop(): undefined {
    this.#onRefused('stop()');
  }

  override setTime(): void {
    this.#onRefused('setTime()');
  }
}

/** The package `cron`'s own type of a date, which it does not export. */
type CronDate = ReturnType<CronTime['getNextDateFrom']>;

/**
 * An instant for `cron` that may be past, which `cron` itself refuses. It goes on from one instant to the next, because to make
 * one of `cron`'s dates takes longer than all else that arming a timer does.
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

  override sendAt(): CronDate;
  override sendAt(i: number): CronDate[];
  override sendAt(i?: number): CronDate | CronDate[] {
    const instant = new CronTime(this.instant).source as CronDate;
    return i === undefined ? instant : [instant];
  }
}
