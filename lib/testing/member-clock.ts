import { type Clock } from '../time/clock.js';

/** The clock of one instance of a test's cluster: follows the cluster's, may be wrong or stand still, and ends with its instance. */
export class MemberClock implements Clock {
  readonly #cluster: Clock;
  readonly #cancels = new Set<() => void>();
  /** What has become due while frozen; `undefined` while it is not. */
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

  /** What becomes due from now on waits until the clock is thawed. */
  freeze(): void {
    this.#overdue ??= [];
  }

  /** Wakes what has become due while frozen, in the order in which it did. */
  thaw(): void {
    const overdue = this.#overdue ?? [];
    this.#overdue = undefined;
    for (const task of overdue) task();
  }

  /** From now on its wall clock is ahead of the cluster's by so much, behind it if negative. */
  skew(ms: number): void {
    this.#skewMs = ms;
  }

  /** Nothing that waits for it is woken any more. */
  end(): void {
    this.#hasEnded = true;
    this.#overdue = undefined;
    for (const cancel of this.#cancels) cancel();
    this.#cancels.clear();
  }
}
