import { type AbortSource } from './abort.js';

/** A task that waits, between its neighbours: any of very many can give up its place at once. */
interface Waiting {
  readonly start: () => void;
  before: Waiting;
  after: Waiting;
}

/** Lets at most `limit` tasks run at the same time. The others wait, and start in the order in which they came. */
export class Limiter {
  #limit: number;
  #running = 0;
  /** Sentinel before the first and after the last waiting task. */
  readonly #ends = newEnds();

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
        leave(waiting);
        reject(signal?.reason as Error);
      };
      const start = (): void => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      const last = this.#ends.before;
      const waiting: Waiting = { start, before: last, after: this.#ends };
      last.after = this.#ends.before = waiting;
    });
  }

  /** A waiting task counts as running from here on, not from its first step, so that no newcomer can take its place. */
  #startWaiting(): void {
    while (this.#running < this.#limit) {
      const first = this.#ends.after;
      if (first === this.#ends) return;
      leave(first);
      this.#running++;
      first.start();
    }
  }
}

function newEnds(): Waiting {
  const ends = { start: () => undefined } as unknown as Waiting;
  return (ends.before = ends.after = ends);
}

function leave({ before, after }: Waiting): void {
  before.after = after;
  after.before = before;
}

function requireLimit(limit: number): number {
  if (Number.isInteger(limit) && limit >= 1) return limit;
  throw new RangeError(`The limit must be an integer of at least 1, got ${String(limit)}`);
}
