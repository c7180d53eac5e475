import { CronJob, CronTime } from 'cron';
import { type Clock } from '../../time/clock.js';
import { type Timers } from '../../time/shared-timers.js';

/** What an `InstantCronJob` needs. */
export interface InstantCronJobDeps {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Called at the instant; `isActive` is `false` then. Also called by `fireOnTick()`. */
  readonly onTick: () => void;
}

/**
 * A `CronJob` that is armed for one instant after the other. It waits on timers that it may share with others, where `cron`
 * would have a timer of its own for each, and ticks late rather than not at all.
 */
export class InstantCronJob extends CronJob<null, null> {
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #time: LateCronTime;
  /** Ends the wait; `undefined` while the job is not active. */
  #cancel: (() => void) | undefined;

  constructor(instant: Date, { clock, timers, onTick }: InstantCronJobDeps) {
    super(instant, onTick);
    this.#clock = clock;
    this.#timers = timers;
    this.#time = new LateCronTime(instant, clock);
    this.cronTime = this.#time;
  }

  override get isActive(): boolean {
    return this.#cancel !== undefined;
  }

  /** Ticks once at the instant, or at once if it is past; no more at the one it was armed for before. */
  arm(instant: Date): void {
    this.#cancelWait();
    this.#time.instant = instant;
    this.cronTime = this.#time;
    this.start();
  }

  override start(): void {
    this.#cancel ??= this.#timers.after(this.cronTime.getTimeout(), () => {
      this.#cancel = undefined;
      this.lastExecution = new Date(this.#clock.now());
      void this.fireOnTick();
    });
  }

  override stop(): Promise<void> | undefined {
    this.#cancelWait();
    return super.stop();
  }

  override setTime(time: CronTime): void {
    const wasActive = this.isActive;
    super.setTime(time);
    if (wasActive) this.start();
  }

  #cancelWait(): void {
    this.#cancel?.();
    this.#cancel = undefined;
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
