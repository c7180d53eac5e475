import { type Clock } from '../time/clock.js';

/** The clock of one instance of a test's cluster: follows the cluster's, may be wrong, and ends with its instance. */
export class MemberClock implements Clock {
  readonly #cluster: Clock;
  readonly #cancels = new Set<() => void>();
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
    const cancel = this.#cluster.after(delayMs, () => {
      this.#cancels.delete(cancel);
      task();
    });
    this.#cancels.add(cancel);
    return () => {
      this.#cancels.delete(cancel);
      cancel();
    };
  }

  /** From now on its wall clock is ahead of the cluster's by so much, behind it if negative. */
  skew(ms: number): void {
    this.#skewMs = ms;
  }

  /** Nothing that waits for it is woken any more. */
  end(): void {
    this.#hasEnded = true;
    for (const cancel of this.#cancels) cancel();
    this.#cancels.clear();
  }
}
