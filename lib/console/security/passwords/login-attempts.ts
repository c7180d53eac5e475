/**
 * Slows down who guesses passwords. Failed attempts are counted in several places at once, and each makes the next
 * attempt wait once too many have failed there, at first 15 seconds, then twice as long each time, at most 15 minutes:
 *
 * ```
 *   a browser in which the user has logged in before    5 for the user in that browser, and nothing else counts
 *   everybody else                                      5 for the user from that network
 *                                                      30 from that network, whoever the user
 *                                                      50 for the user, wherever from
 * ```
 * So nobody else's guesses keep a user out who comes by a browser that is known. An attempt counts once it has failed;
 * while it is being checked, it keeps others out only where too many have failed before.
 */
import { type Clock } from '../../../time/clock.js';

const FREE_OF_USER_HERE = 5;
const FREE_OF_NETWORK = 30;
const FREE_OF_USER = 50;
const FIRST_WAIT_MS = 15_000;
const LONGEST_WAIT_MS = 15 * 60_000;
/** One at a time where too many have failed: the next one can come when that is checked. */
const WHILE_CHECKED_MS = 1_000;
/** After so long without an attempt, all is forgotten. */
const FORGOTTEN_AFTER_MS = 60 * 60_000;
const MOST_PLACES = 10_000;

/** Where an attempt comes from. */
export interface AttemptOrigin {
  /** What has an address: an IPv4 address, the /64 of an IPv6 one. */
  readonly network: string;
  /** The browser, if the user has logged in with it before. */
  readonly device?: string | undefined;
}

/** An attempt that may be made, or not yet. */
export type Attempt =
  | { readonly isAdmitted: false; readonly waitMs: number }
  | {
      readonly isAdmitted: true;
      /** Must be called once, with what has become of it; `unchecked` if nobody has looked at the password. */
      readonly end: (outcome: 'right' | 'wrong' | 'unchecked') => void;
    };

interface Place {
  readonly free: number;
  failed: number;
  /** Attempts that are being checked. */
  pending: number;
  lastAt: number;
}

/** Counts failed attempts. */
export class LoginAttempts {
  readonly #clock: Clock;
  readonly #places = new Map<string, Place>();

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
    const places = keys.map(([key, free]) => this.#place(key, free));
    for (const place of places) place.pending++;
    return {
      isAdmitted: true,
      end: (outcome) => {
        for (const place of places) place.pending--;
        if (outcome === 'wrong') for (const place of places) this.#fail(place);
        // The first place is of this user and this origin alone; what others have done elsewhere stays.
        const [own] = places;
        if (outcome === 'right' && own !== undefined) own.failed = 0;
      },
    };
  }

  #fail(place: Place): void {
    place.failed++;
    place.lastAt = this.#clock.monotonic();
  }

  #waitMs(key: string): number {
    const place = this.#places.get(key);
    if (place === undefined || place.failed < place.free) return 0;
    const sinceMs = this.#clock.monotonic() - place.lastAt;
    if (sinceMs >= FORGOTTEN_AFTER_MS) {
      place.failed = 0;
      return 0;
    }
    const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (place.failed - place.free));
    return Math.max(0, waitMs - sinceMs, place.pending > 0 ? WHILE_CHECKED_MS : 0);
  }

  /** The place of a key, which is the last in the map then: the first ones have not been used for the longest time. */
  #place(key: string, free: number): Place {
    const place = this.#places.get(key) ?? { free, failed: 0, pending: 0, lastAt: this.#clock.monotonic() };
    this.#places.delete(key);
    if (this.#places.size >= MOST_PLACES) this.#makeRoom();
    this.#places.set(key, place);
    return place;
  }

  /** Nobody pushes out a place where attempts must wait by attempts elsewhere, but by as many such places. */
  #makeRoom(): void {
    const now = this.#clock.monotonic();
    let leaving: string | undefined;
    for (const [key, { failed, free, pending, lastAt }] of this.#places) {
      leaving ??= key;
      if (pending > 0 || (failed >= free && now - lastAt < FORGOTTEN_AFTER_MS)) continue;
      leaving = key;
      break;
    }
    if (leaving !== undefined) this.#places.delete(leaving);
  }
}

function keyOf(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}
