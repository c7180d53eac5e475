import { type AbortSource } from './abort.js';

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

  /**
   * Runs `task` as soon as the limit allows. Settles as the task does.
   * @throws the reason of `signal` if it is aborted before the task starts; the task does not start then
   */
  async run<T>(task: () => T | Promise<T>, signal?: AbortSource): Promise<T> {
    if (signal?.aborted === true) throw signal.reason;
    if (this.#running < this.#limit) this.#running++;
    else await this.#turn(signal);
    try {
      return await task();
    } finally {
      this.#running--;
      this.#startWaiting();
    }
  }

  #turn(signal: AbortSource | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(start), 1);
        reject(signal?.reason as Error);
      };
      const start = (): void => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiting.push(start);
    });
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
