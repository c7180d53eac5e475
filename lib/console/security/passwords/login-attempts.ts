/**
 * Slows down guessing of passwords. Each failed attempt counts in several counters at once. When a counter has too
 * many, the next attempt must wait: at first 15 seconds, then twice as long each time, at most 15 minutes:
 *
 * ```
 *   a browser in which the user has logged in before    5 for the user in that browser, and no other counter
 *   any other client                                    5 for the user from that network
 *                                                      30 from that network, for all users
 *                                                      50 for the user, from all networks
 * ```
 * So guesses of others do not keep a user out in a browser that is known. An attempt counts when it has failed;
 * while it is being checked, other attempts must wait only if the counter has too many failures already.
 */
import { type Clock } from '../../../time/clock.js';

const FREE_OF_USER_HERE = 5;
const FREE_OF_NETWORK = 30;
const FREE_OF_USER = 50;
const FIRST_WAIT_MS = 15_000;
const LONGEST_WAIT_MS = 15 * 60_000;
/**
 * After too many failures, one attempt at a time is checked; this is the wait for the running check, in milliseconds.
 */
const WHILE_CHECKED_MS = 1_000;
/** Counters are forgotten after this many milliseconds without an attempt. */
const FORGOTTEN_AFTER_MS = 60 * 60_000;
const MOST_COUNTERS = 10_000;

/** The client of an attempt. */
export interface AttemptOrigin {
  /** The network of the client: an IPv4 address, or the /64 of an IPv6 one. */
  readonly network: string;
  /** The browser, if the user has logged in with it before. */
  readonly device?: string | undefined;
}

/** An attempt that is admitted, or must wait. */
export type Attempt =
  | { readonly isAdmitted: false; readonly waitMs: number }
  | {
      readonly isAdmitted: true;
      /** Must be called once, with the result; `unchecked` if the password was not checked. */
      readonly end: (outcome: 'right' | 'wrong' | 'unchecked') => void;
    };

interface Counter {
  readonly free: number;
  failed: number;
  /** Attempts that are being checked. */
  pending: number;
  lastAt: number;
}

/** Counts failed attempts. */
export class LoginAttempts {
  readonly #clock: Clock;
  readonly #counters = new Map<string, Counter>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Begins an attempt of a user to log in. */
  begin(username: string, { network, device }: AttemptOrigin): Attempt {
    const user = username.toLowerCase();
    if (device !== undefined) return this.#begin([[keyOf('device', device, user), FREE_OF_USER_HERE]]);
    return this.#begin([
      [keyOf('user', user, network), FREE_OF_USER_HERE],
      [keyOf('network', network), FREE_OF_NETWORK],
      [keyOf('user', user), FREE_OF_USER],
    ]);
  }

  /** Begins an attempt to make the first administrator, for which there is a code. */
  beginSetup({ network }: AttemptOrigin): Attempt {
    return this.#begin([[keyOf('setup', network), FREE_OF_USER_HERE]]);
  }

  #begin(keys: readonly (readonly [key: string, free: number])[]): Attempt {
    const waitMs = Math.max(...keys.map(([key]) => this.#waitMs(key)));
    if (waitMs > 0) return { isAdmitted: false, waitMs };
    const counters = keys.map(([key, free]) => this.#counter(key, free));
    for (const counter of counters) counter.pending++;
    return {
      isAdmitted: true,
      end: (outcome) => {
        for (const counter of counters) counter.pending--;
        if (outcome === 'wrong') for (const counter of counters) this.#fail(counter);
        // Only the first counter, of this user and this client alone, is reset; the others also count failures of
        // others.
        const [own] = counters;
        if (outcome === 'right' && own !== undefined) own.failed = 0;
      },
    };
  }

  #fail(counter: Counter): void {
    counter.failed++;
    counter.lastAt = this.#clock.monotonic();
  }

  #waitMs(key: string): number {
    const counter = this.#counters.get(key);
    if (counter === undefined || counter.failed < counter.free) return 0;
    const sinceMs = this.#clock.monotonic() - counter.lastAt;
    if (sinceMs >= FORGOTTEN_AFTER_MS) {
      counter.failed = 0;
      return 0;
    }
    const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (counter.failed - counter.free));
    return Math.max(0, waitMs - sinceMs, counter.pending > 0 ? WHILE_CHECKED_MS : 0);
  }

  /**
   * The counter of a key, which becomes the last in the map: the first ones have not been used for the longest time.
   */
  #counter(key: string, free: number): Counter {
    const counter = this.#counters.get(key) ?? { free, failed: 0, pending: 0, lastAt: this.#clock.monotonic() };
    this.#counters.delete(key);
    if (this.#counters.size >= MOST_COUNTERS) this.#makeRoom();
    this.#counters.set(key, counter);
    return counter;
  }

  /** Removes the oldest counter that makes no attempt wait. One that does is removed only if all counters do. */
  #makeRoom(): void {
    const now = this.#clock.monotonic();
    let leaving: string | undefined;
    for (const [key, { failed, free, pending, lastAt }] of this.#counters) {
      leaving ??= key;
      if (pending > 0 || (failed >= free && now - lastAt < FORGOTTEN_AFTER_MS)) continue;
      leaving = key;
      break;
    }
    if (leaving !== undefined) this.#counters.delete(leaving);
  }
}

function keyOf(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}
