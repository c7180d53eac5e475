import { type Clock, systemClock } from './clock.js';

/** What waits for time to pass, and does not ask what time it is. */
export type Timers = Pick<Clock, 'after'>;

interface Wait {
  /** When it is due, in milliseconds of the monotonic clock. */
  readonly dueMs: number;
  /** Waits that are due at the same time end in the order of their numbers. */
  readonly number: number;
  readonly task: () => void;
  /** Its index in the heap. */
  place: number;
}

/**
 * Timers that share one timer of the clock, which is set for the earliest of them. For waits that are many, long and
 * rarely cancelled, such as those of idle jobs. A deadline of a request, which is hardly ever reached, costs less on
 * the clock itself.
 *
 * Timers that are due at the same time fire in the order in which they were set. A task that throws ends up where a
 * task of the clock would, and keeps no other from its turn.
 */
export class SharedTimers implements Timers {
  readonly #clock: Clock;
  /** A binary heap: each wait comes before the two at twice its index plus 1 and plus 2. */
  readonly #waits: Wait[] = [];
  #waitsSet = 0;
  /** When the clock's timer fires; `undefined` while it is not set. */
  #armedForMs: number | undefined;
  #cancelTimer = (): void => undefined;
  #isFiring = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** As `Clock.after`. */
  after(delayMs: number, task: () => void): () => void {
    const dueMs = this.#clock.monotonic() + Math.max(0, delayMs);
    const wait = { dueMs, number: ++this.#waitsSet, task, place: this.#waits.length };
    this.#rise(wait);
    this.#arm();
    return () => {
      if (this.#waits[wait.place] !== wait) return;
      this.#remove(wait);
      this.#arm();
    };
  }

  /** Sets the clock's timer for the earliest wait, unless it is set for that already. */
  #arm(): void {
    const dueMs = this.#waits[0]?.dueMs;
    if (this.#isFiring || dueMs === this.#armedForMs) return;
    this.#cancelTimer();
    this.#armedForMs = dueMs;
    if (dueMs !== undefined)
      this.#cancelTimer = this.#clock.after(dueMs - this.#clock.monotonic(), () => this.#fireDue());
  }

  #fireDue(): void {
    this.#armedForMs = undefined;
    const now = this.#clock.monotonic();
    const latest = this.#waitsSet;
    this.#isFiring = true;
    try {
      // A timer that the tasks set comes behind all that was due before, and waits for another one, or tasks could go
      // on for ever.
      for (let first = this.#waits[0]; isDue(first, now, latest); first = this.#waits[0]) {
        this.#remove(first);
        first.task();
      }
    } finally {
      // After an error, the clock's next timer fires what is still due.
      this.#isFiring = false;
      this.#arm();
    }
  }

  #remove(wait: Wait): void {
    const last = this.#waits.pop();
    if (last === undefined || last === wait) return;
    last.place = wait.place;
    this.#rise(last);
    this.#sink(last);
  }

  /** Puts the wait at its place, or at one before it, whose wait then comes later. */
  #rise(wait: Wait): void {
    while (wait.place > 0) {
      const parent = this.#waits[(wait.place - 1) >>> 1];
      if (parent === undefined || isBefore(parent, wait)) break;
      const { place } = parent;
      this.#put(parent, wait.place);
      wait.place = place;
    }
    this.#put(wait, wait.place);
  }

  /** Moves the wait behind those that come before it. */
  #sink(wait: Wait): void {
    for (let child = this.#earlierChild(wait); child && isBefore(child, wait); child = this.#earlierChild(wait)) {
      const { place } = child;
      this.#put(child, wait.place);
      wait.place = place;
    }
    this.#put(wait, wait.place);
  }

  #earlierChild({ place }: Wait): Wait | undefined {
    const left = this.#waits[2 * place + 1];
    const right = this.#waits[2 * place + 2];
    return left && right && isBefore(right, left) ? right : left;
  }

  #put(wait: Wait, place: number): void {
    this.#waits[place] = wait;
    wait.place = place;
  }
}

function isBefore(one: Wait, other: Wait): boolean {
  return one.dueMs < other.dueMs || (one.dueMs === other.dueMs && one.number < other.number);
}

function isDue(wait: Wait | undefined, nowMs: number, latestNumber: number): wait is Wait {
  return wait !== undefined && wait.dueMs <= nowMs && wait.number <= latestNumber;
}

/**
 * Timers for the waits of many idle jobs: on the clock of this machine they share one timer. On any other clock, each
 * is a timer of that clock: a test that moves it sees all timers fire in the order in which they were set, and what
 * each of them sets off before the next one.
 */
export function timersForIdleJobs(clock: Clock): Timers {
  return clock === systemClock ? new SharedTimers(clock) : clock;
}
