import { type Clock } from '../../time/clock.js';

/** How many attempts are free, and how long the first wait is. */
const FREE_ATTEMPTS = 5;
const FIRST_WAIT_MS = 15_000;
const LONGEST_WAIT_MS = 15 * 60_000;
/** After so long without an attempt, all is forgotten. */
const FORGOTTEN_AFTER_MS = 60 * 60_000;
/** One address may try so many names, so that it cannot try one password with each. */
const FREE_ATTEMPTS_OF_ADDRESS = 30;
const MOST_ENTRIES = 10_000;

interface Attempts {
  count: number;
  lastAt: number;
}

/**
 * Slows down who guesses passwords: after five failed attempts for one user from one address, each further one must wait, at
 * first 15 seconds, then twice as long each time, at most 15 minutes. An address that tries many users waits too.
 */
export class LoginAttempts {
  readonly #clock: Clock;
  readonly #attempts = new Map<string, Attempts>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Counts an attempt, as failed until `succeeded` is called.
   * @returns how long the caller must wait before the next attempt, in milliseconds, if this one is refused; 0 if it may be made
   */
  begin(username: string, ip: string): number {
    const limits = [
      [`user\0${username.toLowerCase()}\0${ip}`, FREE_ATTEMPTS],
      [`address\0${ip}`, FREE_ATTEMPTS_OF_ADDRESS],
    ] as const;
    const waitMs = Math.max(...limits.map(([key, free]) => this.#waitMs(key, free)));
    if (waitMs === 0) for (const [key] of limits) this.#count(key);
    return waitMs;
  }

  /** Forgets the failed attempts of this user from this address. */
  succeeded(username: string, ip: string): void {
    this.#attempts.delete(`user\0${username.toLowerCase()}\0${ip}`);
    const ofAddress = this.#attempts.get(`address\0${ip}`);
    if (ofAddress !== undefined) ofAddress.count--;
  }

  #waitMs(key: string, free: number): number {
    const attempts = this.#attempts.get(key);
    if (attempts === undefined || attempts.count < free) return 0;
    const sinceMs = this.#clock.monotonic() - attempts.lastAt;
    if (sinceMs >= FORGOTTEN_AFTER_MS) {
      this.#attempts.delete(key);
      return 0;
    }
    const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempts.count - free));
    return Math.max(0, waitMs - sinceMs);
  }

  #count(key: string): void {
    const before = this.#attempts.get(key);
    // Put at the end: the first ones are those that have not been used for the longest time.
    this.#attempts.delete(key);
    this.#attempts.set(key, { count: (before?.count ?? 0) + 1, lastAt: this.#clock.monotonic() });
    if (this.#attempts.size <= MOST_ENTRIES) return;
    const [oldest] = this.#attempts.keys();
    if (oldest !== undefined) this.#attempts.delete(oldest);
  }
}
