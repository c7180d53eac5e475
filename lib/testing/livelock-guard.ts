import { type Deliver } from '../registry/embedded/delivery.js';
import { type Clock } from '../time/clock.js';

/**
 * Most messages at one instant, unless the job has many items. A cluster needs a few hundred, a large one a few
 * thousand.
 */
const MOST_MESSAGES = 20_000;

/**
 * Most readings of the clock at one instant, unless the job has many items. A loop that sends no message reads the
 * clock, too.
 */
const MOST_READINGS = 50_000;

/** Most of both for each item of the job. An item that runs needs a few, and one that is taken over some more. */
const MOST_FOR_ITEM = 50;

/**
 * Stops instances that would go on for ever while no time passes, and would keep the test's process busy: instances
 * that send message after message, or that run in circles.
 */
export class LivelockGuard {
  readonly #clock: Clock;
  readonly #items: () => number;
  #messages = 0;
  #readings = 0;
  #countedAtMs = 0;
  #error: Error | undefined;
  #isOver = false;

  /** @param items how many items the job has; the most it has had if that changes. Default: few */
  constructor(clock: Clock, items: () => number = () => 0) {
    this.#clock = clock;
    this.#items = items;
  }

  /** The same delivery, with its messages counted. Beyond the limit no message arrives. */
  delivery(deliver: Deliver): Deliver {
    return (delivery) => {
      this.#noteTime();
      if (++this.#messages > MOST_MESSAGES && this.#messages > this.#mostOf(MOST_MESSAGES))
        this.#error ??= livelock(`${this.#messages - 1} messages, the last one ${delivery.channel}: ${delivery.what}`);
      if (this.#error === undefined) deliver(delivery);
    };
  }

  /** The same clock, with its readings counted. Beyond the limit each reading throws. */
  get clock(): Clock {
    const read = (): Clock => {
      this.#noteTime();
      if (++this.#readings > MOST_READINGS && this.#readings > this.#mostOf(MOST_READINGS))
        this.#error ??= livelock(`${this.#readings - 1} readings of the clock`);
      if (this.#error !== undefined && !this.#isOver) throw this.#error;
      return this.#clock;
    };
    return {
      now: () => read().now(),
      monotonic: () => read().monotonic(),
      after: (delayMs, task) => this.#clock.after(delayMs, task),
    };
  }

  /**
   * The cluster ends. After a livelock no message arrives, but the clock can be read, as it must be to end instances.
   */
  end(): void {
    this.#isOver = true;
  }

  /** Starts counting from zero again. @throws Error if a limit was exceeded, now and in each later call */
  throwIfLivelocked(): void {
    if (this.#error !== undefined) throw this.#error;
    this.#messages = 0;
    this.#readings = 0;
  }

  #mostOf(most: number): number {
    return Math.max(most, MOST_FOR_ITEM * this.#items());
  }

  #noteTime(): void {
    const now = this.#clock.monotonic();
    if (now === this.#countedAtMs) return;
    this.#countedAtMs = now;
    this.#messages = 0;
    this.#readings = 0;
  }
}

function livelock(what: string): Error {
  return new Error(`The cluster is in a livelock: ${what}, while no time passed.`);
}
