import { type Clock } from '../../../lib/time/clock.js';

interface Timer {
  readonly dueMs: number;
  readonly task: () => void;
}

/** More timers than any good can fire in one millisecond. */
const MOST_AT_ONCE = 20_000;

/** Somebody does something without end, and time never passes. */
export class EndlessError extends Error {
  constructor(readonly atMs: number) {
    super(`Time stands still at ${atMs} ms: there is no end of what happens there`);
  }
}

/**
 * The time of a simulated world, which passes only in `advance`. As `ManualClock`, but for what a simulation cannot
 * afford ten thousand times a second: nothing in it waits for the event loop, so chains of promises are all that has to
 * come to rest between two timers.
 */
export class TrueTime implements Clock {
  readonly #startMs: number;
  #elapsedMs = 0;
  #firedNow = 0;
  /** The next one last; of two that are due together, the one that was set first. */
  readonly #timers: Timer[] = [];

  /** @param startMs wall-clock time at the beginning, in milliseconds since 1970 */
  constructor(startMs: number) {
    this.#startMs = startMs;
  }

  now(): number {
    return this.#startMs + this.#elapsedMs;
  }

  monotonic(): number {
    return this.#elapsedMs;
  }

  after(delayMs: number, task: () => void): () => void {
    const timer = { dueMs: this.#elapsedMs + Math.max(0, delayMs), task };
    // Most timers are due soon, and so near the end.
    let place = this.#timers.length;
    while (place > 0 && (this.#timers[place - 1]?.dueMs ?? Infinity) <= timer.dueMs) place--;
    this.#timers.splice(place, 0, timer);
    return () => {
      const index = this.#timers.indexOf(timer);
      if (index >= 0) this.#timers.splice(index, 1);
    };
  }

  /** Lets time pass, and everything that becomes due happen, one after the other. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#elapsedMs + ms;
    await promisesAtRest();
    for (let next = this.#timers.at(-1); next && next.dueMs <= endMs; next = this.#timers.at(-1)) {
      if (next.dueMs > this.#elapsedMs) this.#firedNow = 0;
      if (++this.#firedNow > MOST_AT_ONCE) throw new EndlessError(this.#elapsedMs);
      this.#elapsedMs = next.dueMs;
      this.#timers.pop();
      next.task();
      await promisesAtRest();
    }
    this.#elapsedMs = endMs;
  }
}

/** Resolves when all chains of promises that wait for nothing but each other have come to rest. */
function promisesAtRest(): Promise<void> {
  // A tick that is asked for within a microtask comes after all microtasks, those included that they cause.
  return new Promise((resolve) => queueMicrotask(() => process.nextTick(resolve)));
}
