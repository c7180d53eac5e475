/** Logs of firings that do not run as the schedule says: their timer came late, or their items were still running. */
import { RateLimit } from '../../async/rate-limit.js';
import { type Clock } from '../../time/clock.js';
import { type JobLog } from '../job/job-log.js';
import { describeItems } from '../view/items.js';

/** Up to this lateness, in milliseconds, a firing counts as punctual. */
const PUNCTUAL_MS = 1_000;

/** How often late firings of a job are logged, in milliseconds. */
const LATE_LOGGED_EVERY_MS = 60_000;

/**
 * Logs firings whose timer came late, for example because the event loop was blocked: one warning a minute, and the
 * others for debugging.
 */
export class LateFirings {
  readonly #clock: Clock;
  readonly #logger: JobLog;
  readonly #limit: RateLimit;

  constructor(clock: Clock, logger: JobLog) {
    this.#clock = clock;
    this.#logger = logger;
    this.#limit = new RateLimit(clock, LATE_LOGGED_EVERY_MS);
  }

  /** Notes that the timer for this instant has fired now. */
  note(scheduledAt: Date): void {
    const lateMs = this.#clock.now() - scheduledAt.getTime();
    if (lateMs <= PUNCTUAL_MS) return;
    const suppressedCount = this.#limit.admit();
    if (suppressedCount !== undefined) this.#logger.event({ type: 'fired-late', lateMs, scheduledAt, suppressedCount });
    else this.#logger.debug(`the firing at ${scheduledAt.toISOString()} came ${lateMs} ms late.`);
  }
}

/** How often a job logs that its runs take longer than the time between its firings, in milliseconds. */
const PASSED_LOGGED_EVERY_MS = 600_000;

/** A firing that found items still running. */
interface PassedFiring {
  /** Milliseconds since 1970. */
  readonly instant: number;
  readonly items: readonly number[];
  /** `recover`: the items are run for it once they have ended. `drop`: they are not (setting `misfire`). */
  readonly missed: 'recover' | 'drop';
}

/**
 * Logs firings that found their items still running. Some jobs live with that all day, so there is one entry every ten
 * minutes, and the others are for debugging.
 */
export class PassedFirings {
  readonly #logger: JobLog;
  readonly #limit: RateLimit;

  constructor(clock: Clock, logger: JobLog) {
    this.#logger = logger;
    this.#limit = new RateLimit(clock, PASSED_LOGGED_EVERY_MS);
  }

  /** Notes that a firing has found these items still running. */
  note({ instant, items, missed }: PassedFiring): void {
    const suppressedCount = this.#limit.admit();
    const scheduledAt = new Date(instant);
    const fields = { event: 'firing-passed', scheduledAt, items };
    const text = `the firing at ${scheduledAt.toISOString()} found items ${describeItems(items)} still running; ${CONSEQUENCE[missed]}`;
    if (suppressedCount === undefined) return this.#logger.debug(`${text}.`, fields);
    const more =
      suppressedCount === 0
        ? ''
        : ` So did ${suppressedCount} other ${suppressedCount === 1 ? 'firing' : 'firings'} since this was last logged.`;
    this.#logger.log(`${text}.${more}`, fields);
  }
}

const CONSEQUENCE = {
  recover: 'one run makes up for it when they have ended (misfire: true)',
  drop: 'they are not run for it (misfire: false)',
} as const;
