import { type JobLogger } from '../api/text/logger.js';
import { type Clock } from '../time/clock.js';
import {
  type LogMoment,
  type Outage,
  type OutageWords,
  reasonOf,
  recoveryOf,
  reminderOf,
  type ServerFault,
  withFault,
} from './outage.js';

/** How often an outage that lasts is logged again. */
const REMINDER_EVERY_MS = 60_000;

/** The surroundings of the log of outages. */
export interface OutageLogOptions {
  readonly clock: Clock;
  readonly logger: JobLogger;
  readonly words: OutageWords;
}

/**
 * Logs why no server of a registry centre can be reached: each reason once and at once, all of them every minute, and
 * the recovery.
 */
export class OutageLog {
  readonly #clock: Clock;
  readonly #logger: JobLogger;
  readonly #words: OutageWords;
  #outage: Outage | undefined;
  #isClosed = false;
  #cancelReminder: () => void = () => undefined;

  constructor({ clock, logger, words }: OutageLogOptions) {
    this.#clock = clock;
    this.#logger = logger;
    this.#words = words;
  }

  /** The reason why no server can be reached; `undefined` unless an attempt has failed since the last connection. */
  get reason(): string | undefined {
    return this.#outage && reasonOf(this.#outage);
  }

  /** Notes that an attempt to connect has failed, or that a connection broke. */
  failed(fault: ServerFault): void {
    if (this.#isClosed) return;
    if (this.#outage === undefined) this.#remindLater();
    const { outage, line } = withFault(this.#outage, fault, this.#moment);
    this.#outage = outage;
    if (line !== undefined) this.#logger.warn(line);
  }

  /** Notes that the session is connected, to `server` (`host:port`). */
  connected(server: string): void {
    const outage = this.#outage;
    this.#end();
    if (outage) this.#logger.log(recoveryOf(outage, server, this.#moment));
  }

  /** Ends all logging. */
  close(): void {
    this.#isClosed = true;
    this.#end();
  }

  get #moment(): LogMoment {
    return { words: this.#words, now: this.#clock.monotonic() };
  }

  #end(): void {
    this.#outage = undefined;
    this.#cancelReminder();
  }

  #remindLater(): void {
    this.#cancelReminder = this.#clock.after(REMINDER_EVERY_MS, () => {
      this.#remindLater();
      if (this.#outage) this.#logger.warn(reminderOf(this.#outage, this.#moment));
    });
  }
}
