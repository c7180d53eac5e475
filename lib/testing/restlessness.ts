import { type Deliver } from '../registry/embedded/delivery.js';
import { type Clock } from '../time/clock.js';

/** Messages at one instant after which nobody believes in an end. A cluster needs a few hundred, a large one a few thousand. */
const MOST_MESSAGES = 20_000;

/** As `MOST_MESSAGES`, of readings of the clock: what goes round in circles without a message reads it, too. */
const MOST_READINGS = 50_000;

/**
 * Ends what would go on for ever while no time passes, and keep its process from everything else: instances that send message
 * after message, or think in circles.
 */
export class Restlessness {
  readonly #clock: Clock;
  #messages = 0;
  #readings = 0;
  #countedAtMs = 0;
  #error: Error | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts what is delivered. Past the limit nothing arrives any more. */
  delivery(deliver: Deliver): Deliver {
    return (delivery) => {
      this.#noteTime();
      if (++this.#messages > MOST_MESSAGES)
        this.#error ??= restless(`${MOST_MESSAGES} messages, the last one ${delivery.channel}: ${delivery.what}`);
      if (this.#error === undefined) deliver(delivery);
    };
  }

  /** The same clock; past the limit nobody can read it any more. */
  get clock(): Clock {
    const read = (): Clock => {
      this.#noteTime();
      if (++this.#readings > MOST_READINGS) this.#error ??= restless(`${MOST_READINGS} readings of the clock`);
      if (this.#error !== undefined) throw this.#error;
      return this.#clock;
    };
    return {
      now: () => read().now(),
      monotonic: () => read().monotonic(),
      after: (delayMs, task) => this.#clock.after(delayMs, task),
    };
  }

  /** Begins to count anew. @throws Error if a limit was exceeded */
  demandRest(): void {
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

function restless(what: string): Error {
  return new Error(`The cluster does not come to rest: ${what}, while no time passed.`);
}
