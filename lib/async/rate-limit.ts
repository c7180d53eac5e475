import { type Clock } from '../time/clock.js';

/** Lets something happen at most once in a while, and counts how often it was held back. */
export class RateLimit {
  readonly #clock: Clock;
  readonly #everyMs: number;
  #lastAt: number | undefined;
  #held = 0;

  constructor(clock: Clock, everyMs: number) {
    this.#clock = clock;
    this.#everyMs = everyMs;
  }

  /** @returns how often it was held back since it last happened, if it may happen now; otherwise `undefined` */
  admit(): number | undefined {
    const now = this.#clock.monotonic();
    if (this.#lastAt !== undefined && now - this.#lastAt < this.#everyMs) {
      this.#held++;
      return undefined;
    }
    const held = this.#held;
    this.#lastAt = now;
    this.#held = 0;
    return held;
  }
}
