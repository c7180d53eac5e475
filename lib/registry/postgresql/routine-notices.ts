import { type Clock } from '../../time/clock.js';

/**
 * The shortest time between two notifications about routine commits, in milliseconds. PostgreSQL commits transactions
 * that notify one after the other, over the whole database, and each notification wakes every process.
 */
const PACE_MS = 100;

/**
 * Decides which routine commits notify the mirrors of others. The first one does so itself; those that follow within a
 * tenth of a second share a notification that is sent afterwards.
 */
export class RoutineNotices {
  readonly #clock: Clock;
  readonly #send: (payloads: readonly string[]) => void;
  #last = -Infinity;
  #pending = new Map<string, number>();
  #isWaiting = false;

  /** @param send sends notifications; what becomes of them does not matter, as heartbeats bring the same news */
  constructor(clock: Clock, send: (payloads: readonly string[]) => void) {
    this.#clock = clock;
    this.#send = send;
  }

  /** True if a routine commit that is sent now is to notify by itself. */
  admit(): boolean {
    const now = this.#clock.monotonic();
    if (now - this.#last < PACE_MS) return false;
    this.#last = now;
    return true;
  }

  /** A commit has not notified: the jobs that it has changed, and its revision. */
  add(revision: number, jobs: readonly string[]): void {
    for (const job of jobs) this.#pending.set(job, Math.max(revision, this.#pending.get(job) ?? 0));
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#clock.after(Math.max(0, this.#last + PACE_MS - this.#clock.monotonic()), () => this.#flush());
  }

  #flush(): void {
    this.#isWaiting = false;
    this.#last = this.#clock.monotonic();
    const pending = this.#pending;
    this.#pending = new Map();
    this.#send([...pending].map(([job, revision]) => `${revision} ${job}`));
  }
}
