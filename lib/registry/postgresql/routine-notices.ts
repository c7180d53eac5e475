import { type Clock } from '../../time/clock.js';

/**
 * The shortest time between two notifications about routine commits, in milliseconds. PostgreSQL commits transactions
 * that notify one after the other, over the whole database, and each notification wakes every process.
 */
const PACE_MS = 100;

/** The longest time from a routine commit to its notification, in milliseconds. */
const LATEST_MS = 150;

/**
 * Decides which routine commits notify the mirrors of others. The first one does so itself. Those that follow within a
 * tenth of a second are announced by the next commit of their jobs that does, or else by one notification of all.
 */
export class RoutineNotices {
  readonly #clock: Clock;
  readonly #announce: (revisions: ReadonlyMap<string, number>) => void;
  #last = -Infinity;
  #pending = new Map<string, number>();
  #isWaiting = false;

  /** @param announce sends notifications; what becomes of them does not matter, as heartbeats bring the same news */
  constructor(clock: Clock, announce: (revisions: ReadonlyMap<string, number>) => void) {
    this.#clock = clock;
    this.#announce = announce;
  }

  /** True if a routine commit that is sent now is to notify by itself. */
  admit(): boolean {
    const now = this.#clock.monotonic();
    if (now - this.#last < PACE_MS) return false;
    this.#last = now;
    return true;
  }

  /** A commit has notified, of these jobs and its revision: who reads them sees earlier commits, too. */
  notified(revision: number, jobs: readonly string[]): void {
    for (const job of jobs) if ((this.#pending.get(job) ?? 0) <= revision) this.#pending.delete(job);
  }

  /** A commit has not notified: the jobs that it has changed, and its revision. */
  add(revision: number, jobs: readonly string[]): void {
    for (const job of jobs) this.#pending.set(job, Math.max(revision, this.#pending.get(job) ?? 0));
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#clock.after(LATEST_MS, () => this.#flush());
  }

  #flush(): void {
    this.#isWaiting = false;
    const pending = this.#pending;
    if (pending.size === 0) return;
    this.#last = this.#clock.monotonic();
    this.#pending = new Map();
    this.#announce(pending);
  }
}
