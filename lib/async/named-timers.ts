import { backoffMs } from './backoff.js';
import { type Clock } from '../time/clock.js';

const RETRY = { baseMs: 100, maxMs: 5_000 };

/** Timers by name: one of each name, which is replaced when it is set again. */
export class NamedTimers<Name extends string> {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #cancels = new Map<Name, () => void>();
  readonly #failures = new Map<Name, number>();

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  /** True if the timer runs. */
  isSet(name: Name): boolean {
    return this.#cancels.has(name);
  }

  /** Calls `task` once after `delayMs` milliseconds, unless the timer is set again or cancelled before. */
  set(name: Name, delayMs: number, task: () => void): void {
    this.cancel(name);
    const cancel = this.#clock.after(delayMs, () => {
      this.#cancels.delete(name);
      task();
    });
    this.#cancels.set(name, cancel);
  }

  /** Calls `task` after a delay that grows with each call (100 ms to 5 s, with jitter) until `succeeded(name)`. */
  setRetry(name: Name, task: () => void): void {
    const failures = (this.#failures.get(name) ?? 0) + 1;
    this.#failures.set(name, failures);
    this.set(name, backoffMs(failures, RETRY), task);
  }

  /** The next `setRetry` of that name starts with a short delay again. */
  succeeded(name: Name): void {
    this.#failures.delete(name);
  }

  /** Stops the timer, if it runs. */
  cancel(name: Name): void {
    this.#cancels.get(name)?.();
    this.#cancels.delete(name);
  }

  /** Stops all timers, as when a job ends. */
  cancelAll(): void {
    for (const name of [...this.#cancels.keys()]) this.cancel(name);
  }
}
