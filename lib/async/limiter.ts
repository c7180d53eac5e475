/** Lets at most `limit` tasks run at the same time. The others wait, and start in the order in which they came. */
export class Limiter {
  #limit: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /**
   * @param limit the greatest number of tasks that run at the same time, an integer of at least 1
   * @throws RangeError if it is anything else
   */
  constructor(limit: number) {
    this.#limit = requireLimit(limit);
  }

  /** The greatest number of tasks that run at the same time. */
  get limit(): number {
    return this.#limit;
  }

  /**
   * Changes the limit. A higher limit lets waiting tasks start at once. A lower limit lets running tasks end, and lets
   * none start while as many as it allows are still running.
   * @throws RangeError if it is no integer of at least 1; the limit then stays as it was
   */
  resize(limit: number): void {
    this.#limit = requireLimit(limit);
    this.#startWaiting();
  }

  /** Runs `task` as soon as the limit allows. Settles as the task does. */
  async run<T>(task: () => T | Promise<T>): Promise<T> {
    if (this.#running < this.#limit) this.#running++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      this.#running--;
      this.#startWaiting();
    }
  }

  /** A waiting task counts as running from here on, not from its first step, so that no newcomer can take its place. */
  #startWaiting(): void {
    while (this.#running < this.#limit) {
      const start = this.#waiting.shift();
      if (start === undefined) return;
      this.#running++;
      start();
    }
  }
}

function requireLimit(limit: number): number {
  if (Number.isInteger(limit) && limit >= 1) return limit;
  throw new RangeError(`The limit must be an integer of at least 1, got ${String(limit)}`);
}
