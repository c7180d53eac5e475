import { type Clock } from '../../../lib/time/clock.js';
import { Random } from '../../support/random.js';

interface Countdown {
  readonly delayMs: number;
  readonly task: () => void;
  cancel: () => void;
}

/**
 * The clock by which the registry ends sessions, as those do that leave it to the instances or to a leader: late, or
 * from the beginning once more.
 */
export class SessionClock implements Clock {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #latestMs: number;
  readonly #running = new Set<Countdown>();

  /** @param latestMs how much later than its time a session may end */
  constructor(clock: Clock, seed: number, latestMs: number) {
    this.#clock = clock;
    this.#random = new Random(seed ^ 0x5e55);
    this.#latestMs = latestMs;
  }

  now(): number {
    return this.#clock.now();
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  after(delayMs: number, task: () => void): () => void {
    const countdown: Countdown = { delayMs, task, cancel: () => undefined };
    this.#start(countdown);
    return () => {
      this.#running.delete(countdown);
      countdown.cancel();
    };
  }

  /** All sessions that are counted down get their whole time again, as leases do from a new leader. */
  prolong(): void {
    for (const countdown of this.#running) {
      countdown.cancel();
      this.#start(countdown);
    }
  }

  #start(countdown: Countdown): void {
    this.#running.add(countdown);
    const lateMs = this.#latestMs === 0 ? 0 : this.#random.integer(0, this.#latestMs);
    countdown.cancel = this.#clock.after(countdown.delayMs + lateMs, () => {
      this.#running.delete(countdown);
      countdown.task();
    });
  }
}
