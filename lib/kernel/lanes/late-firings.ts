import { RateLimit } from '../../async/rate-limit.js';
import { type Clock } from '../../time/clock.js';
import { type JobLog } from '../job/job-log.js';

/** Up to this lateness, in milliseconds, a firing counts as punctual. */
const PUNCTUAL_MS = 1_000;

/** How often late firings of a job are logged, in milliseconds. */
const LOGGED_EVERY_MS = 60_000;

/** Logs firings whose timer came late, as when the event loop is blocked. A warning a minute; the others for debugging. */
export class LateFirings {
  readonly #clock: Clock;
  readonly #logger: JobLog;
  readonly #limit: RateLimit;

  constructor(clock: Clock, logger: JobLog) {
    this.#clock = clock;
    this.#logger = logger;
    this.#limit = new RateLimit(clock, LOGGED_EVERY_MS);
  }

  /** The timer for this instant has fired now. */
  note(scheduledAt: Date): void {
    const lateMs = this.#clock.now() - scheduledAt.getTime();
    if (lateMs <= PUNCTUAL_MS) return;
    const others = this.#limit.admit();
    if (others !== undefined) this.#logger.event({ type: 'fired-late', lateMs, scheduledAt, others });
    else this.#logger.debug(`the firing at ${scheduledAt.toISOString()} came ${lateMs} ms late.`);
  }
}
