import { type Clock } from '../time/clock.js';
import { nextTurn } from '../time/event-loop.js';

interface Timer {
  /** On the monotonic scale. */
  readonly dueMs: number;
  /** Number of the timer, by which those of one instant are ordered. */
  readonly number: number;
  readonly task: () => void;
}

/**
 * A clock that moves only when it is told to, so that hours pass in a millisecond and every run is the same.
 * Timers fire in order of their due time, those of one instant in the order in which they were set.
 */
export class ManualClock implements Clock {
  #wallMs: number;
  #monotonicMs = 0;
  #timersSet = 0;
  /** The next one last, where it is cheap to take. */
  readonly #timers: Timer[] = [];

  constructor(
    /** Wall-clock time at the start: milliseconds since 1970, or anything `Date` takes. */
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

  /** Number of timers that are set and have not fired. */
  get timers(): number {
    return this.#timers.length;
  }

  /** Milliseconds until the next timer is due; `undefined` if none is set. */
  get nextTimerInMs(): number | undefined {
    const next = this.#timers.at(-1);
    return next && next.dueMs - this.#monotonicMs;
  }

  /**
   * Lets `ms` milliseconds pass, firing all that becomes due on the way, timers set on the way included.
   * After each timer, chains of promises get time to come to rest.
   * @throws RangeError if it is negative
   */
  async advance(ms: number): Promise<void> {
    if (!(ms >= 0)) throw new RangeError(`Cannot go back ${-ms} ms; use setWallClock to set the machine's clock`);
    const end = this.#monotonicMs + ms;
    await nextTurn();
    for (let next = this.#timers.at(-1); next && next.dueMs <= end; next = this.#timers.at(-1)) {
      this.#pass(next.dueMs - this.#monotonicMs);
      this.#timers.pop();
      next.task();
      // One after the other on purpose: what a timer starts may set the next one.
      await nextTurn();
    }
    this.#pass(end - this.#monotonicMs);
  }

  /** As `advance`, up to a wall-clock time that is not in the past. @throws RangeError if it is */
  async advanceTo(when: number | string | Date): Promise<void> {
    await this.advance(instant(when) - this.#wallMs);
  }

  /** Sets the wall clock, as an operator or NTP does: `now()` jumps, durations and timers do not. */
  setWallClock(when: number | string | Date): void {
    this.#wallMs = instant(when);
  }

  #pass(ms: number): void {
    this.#wallMs += ms;
    this.#monotonicMs += ms;
  }

  /** Where the timer is, or would be, among the others. */
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

/** Turns of the event loop given to what needs more than one, as real input and output does. */
const SETTLING_TURNS = 10;

/** Lets everything come to rest that waits for no time. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < SETTLING_TURNS; turn++) await nextTurn();
}

function instant(when: number | string | Date): number {
  const ms = new Date(when).getTime();
  if (Number.isNaN(ms)) throw new RangeError(`Not an instant: ${String(when)}`);
  return ms;
}
