import { type Clock } from '../../lib/time/clock.js';

interface Timer {
  /** On the monotonic scale. */
  readonly dueMs: number;
  readonly task: () => void;
}

/** Turns of the event loop given to promise chains after each timer. */
const SETTLING_TURNS = 3;

/**
 * A clock that moves only when it is told to, so that hours pass in a millisecond and every run is the same.
 * Timers fire in order of their due time, those of one instant in the order in which they were set.
 */
export class ManualClock implements Clock {
  #wallMs: number;
  #monotonicMs = 0;
  readonly #timers = new Set<Timer>();

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
    const timer = { dueMs: this.#monotonicMs + Math.max(0, delayMs), task };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** Number of timers that are set and have not fired. */
  get timers(): number {
    return this.#timers.size;
  }

  /** Milliseconds until the next timer is due; `undefined` if none is set. */
  get nextTimerInMs(): number | undefined {
    const next = this.#next();
    return next && next.dueMs - this.#monotonicMs;
  }

  /**
   * Lets `ms` milliseconds pass, firing all that becomes due on the way, timers set on the way included.
   * After each timer, and at the end, chains of promises get time to settle.
   */
  async advance(ms: number): Promise<void> {
    const end = this.#monotonicMs + ms;
    await settle();
    for (let timer = this.#next(); timer && timer.dueMs <= end; timer = this.#next()) {
      this.#pass(timer.dueMs - this.#monotonicMs);
      this.#timers.delete(timer);
      timer.task();
      // One after the other on purpose: what a timer starts may set the next one.
      await settle();
    }
    this.#pass(end - this.#monotonicMs);
    await settle();
  }

  /** As `advance`, up to a wall-clock time that is not in the past. */
  async advanceTo(when: number | string | Date): Promise<void> {
    const ms = instant(when) - this.#wallMs;
    if (ms < 0) throw new RangeError(`Cannot go back ${-ms} ms; use setWallClock to set the machine's clock`);
    await this.advance(ms);
  }

  /** Sets the wall clock, as an operator or NTP does: `now()` jumps, durations and timers do not. */
  setWallClock(when: number | string | Date): void {
    this.#wallMs = instant(when);
  }

  #pass(ms: number): void {
    this.#wallMs += ms;
    this.#monotonicMs += ms;
  }

  #next(): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) if (!next || timer.dueMs < next.dueMs) next = timer;
    return next;
  }
}

/** Lets promise chains that wait for nothing but each other come to rest. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < SETTLING_TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
}

function instant(when: number | string | Date): number {
  const ms = new Date(when).getTime();
  if (Number.isNaN(ms)) throw new RangeError(`Not an instant: ${String(when)}`);
  return ms;
}
