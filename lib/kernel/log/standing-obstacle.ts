import { type JobContext } from '../job/job-context.js';
import { type Obstacle } from '../view/obstacles.js';

/** How often an obstacle that lasts is logged again, in milliseconds. */
const REMINDER_EVERY_MS = 3_600_000;

/** The present obstacle of the job: how long it has lasted, and its log. */
export class StandingObstacle {
  readonly #context: Pick<JobContext, 'clock' | 'timers' | 'logger' | 'requestReconcile'>;
  #seen: { readonly obstacle: Obstacle; readonly sinceMs: number } | undefined;
  #counting: Obstacle | undefined;
  #logged: { readonly obstacle: Obstacle; readonly atMs: number } | undefined;

  constructor(context: Pick<JobContext, 'clock' | 'timers' | 'logger' | 'requestReconcile'>) {
    this.#context = context;
  }

  /** The obstacle that has lasted for its grace; `undefined` if there is none. */
  get present(): Obstacle | undefined {
    return this.#counting;
  }

  /**
   * Notes the present obstacle. It is logged when its grace is over, then once an hour, and once more when it has
   * ended. An obstacle that an operator wishes, or whose cause logs it, is not logged.
   */
  note(obstacle: Obstacle | undefined): void {
    const { clock, timers, requestReconcile } = this.#context;
    const now = clock.monotonic();
    const { sinceMs } =
      this.#seen?.obstacle.key === obstacle?.key ? (this.#seen ?? { sinceMs: now }) : { sinceMs: now };
    this.#seen = obstacle && { obstacle, sinceMs };
    const graceMs = obstacle === undefined ? 0 : sinceMs + obstacle.graceMs - now;
    if (obstacle === undefined || graceMs <= 0) this.#count(obstacle, now);
    // If the new obstacle needs time to count, the former one may have been a step on the way to it.
    else if (this.#counting?.graceMs === 0) this.#count(undefined, now);
    if (obstacle === undefined) return timers.cancel('obstacle');
    timers.set('obstacle', graceMs > 0 ? graceMs : REMINDER_EVERY_MS, requestReconcile);
  }

  #count(obstacle: Obstacle | undefined, now: number): void {
    const { logger } = this.#context;
    this.#counting = obstacle;
    if (obstacle === undefined || obstacle.effect === 'disabled' || obstacle.isLoggedByCause) {
      if (this.#logged !== undefined) logger.log(this.#logged.obstacle.ending, { event: 'recovered' });
      this.#logged = undefined;
      return;
    }
    const isKnown = this.#logged?.obstacle.key === obstacle.key;
    if (isKnown && now - (this.#logged?.atMs ?? 0) < REMINDER_EVERY_MS) return;
    this.#logged = { obstacle, atMs: now };
    logger.error(obstacle.reason, undefined, { event: obstacle.effect });
  }
}
