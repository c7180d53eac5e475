import { CronJob, CronTime } from 'cron';

/** The package `cron`'s own type of a date, which it does not export. */
type CronDate = ReturnType<CronJob['nextDate']>;

/**
 * A job as the `SchedulerRegistry` shows it: for reading. It fires nothing, and its methods change no firing; otherwise
 * the items of this instance would run nowhere.
 */
export class CronJobEntry extends CronJob<null, null> {
  readonly #onRefused: (method: string) => void;
  #isArmed = false;

  /** @param onRefused called when a user calls a method that would change the firings; it does nothing else */
  constructor(instant: Date, onRefused: (method: string) => void) {
    super(instant, () => undefined);
    this.#onRefused = onRefused;
  }

  /** True if the job waits for `nextDate()`. */
  override get isActive(): boolean {
    return this.#isArmed;
  }

  /** The job fires next at `instant`, which may be past. */
  showArmed(instant: Date): void {
    this.cronTime = new CronTime(instant);
    this.#isArmed = true;
  }

  /** The job has fired and is not armed again yet. */
  showFired(at: Date): void {
    this.lastExecution = at;
    this.#isArmed = false;
  }

  /** The job fires no more. */
  showDisarmed(): void {
    this.#isArmed = false;
  }

  // `cron` itself throws when the date is past.
  override nextDate(): CronDate {
    return this.cronTime.source as CronDate;
  }

  override nextDates(): CronDate[] {
    return [this.nextDate()];
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

  override fireOnTick(): Promise<void> {
    this.#onRefused('fireOnTick()');
    return Promise.resolve();
  }
}
