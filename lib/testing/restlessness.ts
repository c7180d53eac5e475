import { type Deliver } from '../registry/embedded/delivery.js';
import { type Clock } from '../time/clock.js';

/** Messages at one instant of the clock after which nobody believes in an end. A cluster needs a few hundred, a large one a few thousand. */
const MOST_MESSAGES = 20_000;

/**
 * Ends what would go on for ever, and keep its process from everything else: instances that send message after message
 * while no time passes.
 */
export class Restlessness {
  readonly #clock: Clock;
  #count = 0;
  #countedAtMs = 0;
  #error: Error | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts what is delivered. Past the limit nothing arrives any more. */
  watch(deliver: Deliver): Deliver {
    return (delivery) => {
      if (this.#error !== undefined) return;
      if (this.#clock.monotonic() !== this.#countedAtMs) this.demandRest();
      if (++this.#count <= MOST_MESSAGES) return deliver(delivery);
      this.#error = new Error(
        `The cluster does not come to rest: ${MOST_MESSAGES} messages were sent while no time passed, the last one by ` +
          `${delivery.channel}: ${delivery.what}`,
      );
    };
  }

  /** Begins to count anew. @throws Error if the limit was exceeded */
  demandRest(): void {
    if (this.#error !== undefined) throw this.#error;
    this.#count = 0;
    this.#countedAtMs = this.#clock.monotonic();
  }
}
