import { type Clock } from '../time/clock.js';
import { detached } from '../time/detached.js';
import { nextTurn } from '../time/event-loop.js';

interface Timer {
  /** When the timer is due, in milliseconds of the monotonic clock. */
  readonly dueMs: number;
  /** Timers that are due at the same time fire in the order of their numbers. */
  readonly number: number;
  readonly task: () => void;
}

/**
 * A clock that only the test moves. So hours pass in a millisecond, and each run of a test is the same. Timers fire in
 * the order in which they are due; timers that are due at the same time fire in the order in which they were set.
 */
export class ManualClock implements Clock {
  #wallMs: number;
  #monotonicMs = 0;
  #timersSet = 0;
  /** The timer that is due next comes last: removing the last element is cheap. */
  readonly #timers: Timer[] = [];

  constructor(
    /** The wall-clock time at the start: milliseconds since 1970, or anything else that `Date` accepts. */
    start: number | string | Date = '2030-01-01T00:00:00Z',
  ) {
    this.#wallMs = instant(start);
  }

  now(): number {
    return this.#wallMs;
  }

  monotonic(): number {
    return this.#monotonicMs;
  }

  after(delayMs: number, task: () => void): () => void {
    const timer = { dueMs: this.#monotonicMs + Math.max(0, delayMs), number: ++this.#timersSet, task };
    this.#timers.splice(this.#placeOf(timer), 0, timer);
    return () => {
      const place = this.#placeOf(timer);
      if (this.#timers[place] === timer) this.#timers.splice(place, 1);
    };
  }

  /** The number of timers that are set and have not fired. */
  get timers(): number {
    return this.#timers.length;
  }

  /** Milliseconds until the next timer is due. `undefined` if no timer is set. */
  get nextTimerInMs(): number | undefined {
    const next = this.#timers.at(-1);
    return next && next.dueMs - this.#monotonicMs;
  }

  /**
   * Lets `ms` milliseconds pass, and fires all timers that become due on the way, including those that are set on the
   * way. After each timer, chains of promises get the time to end.
   * @throws RangeError if `ms` is negative
   */
  async advance(ms: number): Promise<void> {
    if (!(ms >= 0)) throw new RangeError(`Cannot go back ${-ms} ms; use setWallClock to set the machine's clock`);
    const end = this.#monotonicMs + ms;
    await nextTurn();
    for (let next = this.#timers.at(-1); next && next.dueMs <= end; next = this.#timers.at(-1)) {
      this.#pass(next.dueMs - this.#monotonicMs);
      this.#timers.pop();
      detached(next.task);
      // One timer after the other: the code that a timer wakes may set the next one.
      await nextTurn();
    }
    this.#pass(end - this.#monotonicMs);
  }

  /** Lets time pass as `advance` does, until a wall-clock time. @throws RangeError if that time is in the past */
  async advanceTo(when: number | string | Date): Promise<void> {
    await this.advance(instant(when) - this.#wallMs);
  }

  /** Sets the wall clock, as an operator or NTP does. `now()` jumps, durations and timers do not. */
  setWallClock(when: number | string | Date): void {
    this.#wallMs = instant(when);
  }

  #pass(ms: number): void {
    this.#wallMs += ms;
    this.#monotonicMs += ms;
  }

  /** The index of the timer among the others, or the index at which it belongs. */
  #placeOf({ dueMs, number }: Timer): number {
    let [from, to] = [0, this.#timers.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      const other = this.#timers[middle];
      if (other && (other.dueMs > dueMs || (other.dueMs === dueMs && other.number > number))) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

/** Real input and output needs more than one turn of the event loop. */
const SETTLING_TURNS = 10;

/** Lets all code run that waits for no time to pass. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < SETTLING_TURNS; turn++) await nextTurn();
}

function instant(when: number | string | Date): number {
  const ms = new Date(when).getTime();
  if (Number.isNaN(ms)) throw new RangeError(`Not an instant: ${String(when)}`);
  return ms;
}
