import { type Deliver } from '../registry/embedded/delivery.js';
import { type Clock } from '../time/clock.js';

/** Most messages at one instant. A cluster needs a few hundred, a large one a few thousand. */
const MOST_MESSAGES = 20_000;

/** Most readings of the clock at one instant. A loop that sends no message reads the clock, too. */
const MOST_READINGS = 50_000;

/**
 * Stops instances that would go on for ever while no time passes, and would keep the test's process busy: instances
 * that send message after message, or that run in circles.
 */
export class LivelockGuard {
  readonly #clock: Clock;
  #messages = 0;
  #readings = 0;
  #countedAtMs = 0;
  #error: Error | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The same delivery, with its messages counted. Beyond the limit no message arrives. */
  delivery(deliver: Deliver): Deliver {
    return (delivery) => {
      this.#noteTime();
      if (++this.#messages > MOST_MESSAGES)
        this.#error ??= livelock(`${MOST_MESSAGES} messages, the last one ${delivery.channel}: ${delivery.what}`);
      if (this.#error === undefined) deliver(delivery);
    };
  }

  /** The same clock, with its readings counted. Beyond the limit each reading throws. */
  get clock(): Clock {
    const read = (): Clock => {
      this.#noteTime();
      if (++this.#readings > MOST_READINGS) this.#error ??= livelock(`${MOST_READINGS} readings of the clock`);
      if (this.#error !== undefined) throw this.#error;
      return this.#clock;
    };
    return {
      now: () => read().now(),
      monotonic: () => read().monotonic(),
      after: (delayMs, task) => this.#clock.after(delayMs, task),
    };
  }

  /** Starts counting from zero again. @throws Error if a limit was exceeded, now and in each later call */
  throwIfLivelocked(): void {
    if (this.#error !== undefined) throw this.#error;
    this.#messages = 0;
    this.#readings = 0;
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
