import { type Clock } from '../time/clock.js';

/**
 * The clock of one instance of a test's cluster. It follows the cluster's clock, may be wrong or frozen, and ends with
 * its instance.
 */
export class MemberClock implements Clock {
  readonly #cluster: Clock;
  readonly #cancels = new Set<() => void>();
  /** The tasks that became due while the clock is frozen. `undefined` if it is not frozen. */
  #overdue: (() => void)[] | undefined;
  #skewMs = 0;
  #hasEnded = false;

  constructor(cluster: Clock) {
    this.#cluster = cluster;
  }

  now(): number {
    return this.#cluster.now() + this.#skewMs;
  }

  monotonic(): number {
    return this.#cluster.monotonic();
  }

  after(delayMs: number, task: () => void): () => void {
    if (this.#hasEnded) return () => undefined;
    let isCancelled = false;
    const cancel = this.#cluster.after(delayMs, () => {
      this.#cancels.delete(cancel);
      if (this.#overdue === undefined) task();
      else this.#overdue.push(() => isCancelled || task());
    });
    this.#cancels.add(cancel);
    return () => {
      isCancelled = true;
      this.#cancels.delete(cancel);
      cancel();
    };
  }

  /** From now on, tasks that become due wait until the clock is thawed. */
  freeze(): void {
    this.#overdue ??= [];
  }

  /** Runs the tasks that became due while the clock was frozen, in the order in which they became due. */
  thaw(): void {
    const overdue = this.#overdue ?? [];
    this.#overdue = undefined;
    for (const task of overdue) task();
  }

  /** Sets its wall clock ahead of the cluster's by `ms` milliseconds, or behind it if `ms` is negative. */
  skew(ms: number): void {
    this.#skewMs = ms;
  }

  /** Cancels all tasks, and runs none from now on. */
  end(): void {
    this.#hasEnded = true;
    this.#overdue = undefined;
    for (const cancel of this.#cancels) cancel();
    this.#cancels.clear();
  }
}
