/** Lets at most `limit` tasks run at once; the others wait in order. */
export class Limiter {
  #running = 0;
  readonly #queue: (() => void)[] = [];

  constructor(
    /** Greatest number of tasks that run at once; at least 1. */
    readonly limit: number,
  ) {
    if (!Number.isInteger(limit) || limit < 1) {
      throw new RangeError(`The limit must be an integer of at least 1, got ${String(limit)}`);
    }
  }

  /** Runs `task` as soon as there is room; settles as the task does. */
  async run<T>(task: () => T | Promise<T>): Promise<T> {
    if (this.#running >= this.limit) await new Promise<void>((resolve) => this.#queue.push(resolve));
    else this.#running++;
    try {
      return await task();
    } finally {
      // The place is handed on rather than freed, so nobody can slip in between.
      const next = this.#queue.shift();
      if (next) next();
      else this.#running--;
    }
  }
}
