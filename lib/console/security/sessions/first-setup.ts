import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { isMap } from '../../../api/text/describe-value.js';
import { type JobLogger } from '../../../api/text/logger.js';
import { type Clock } from '../../../time/clock.js';
import { type StoreDocument } from '../../store/store-document.js';
import { type KeyRing } from './key-ring.js';

/** The purpose of the derived bytes, for the key ring. */
const PURPOSE = 'setup';
const VALID_MS = 15 * 60_000;
/** The characters of codes, without those that look alike. */
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
/** The number of wrong codes after which a new code is made, so that codes cannot be guessed. */
const MOST_WRONG = 10;

/**
 * The stored part of the code, which is made of it and the first session key: a reader of the store cannot make the
 * code.
 */
export interface SetupSeed {
  readonly seed: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** Why a set-up is not carried out. */
export type SetupRefusal = 'setup-done' | 'wrong-code' | 'expired-code';

/** The parts of the first set-up. */
export interface FirstSetupParts {
  /** True if there is no administrator. */
  readonly isNeeded: () => boolean;
  readonly logger: Pick<JobLogger, 'warn'>;
  readonly clock: Clock;
  readonly keys: KeyRing;
  /** The seed that replicas share, so that all of them have the same code. */
  readonly document: StoreDocument<SetupSeed | null>;
}

/** The first set-up: a user who can read the log of the process creates the first administrator. */
export class FirstSetup {
  readonly #parts: FirstSetupParts;
  /** The seed of the code in the log. */
  #announced: string | undefined;
  #wrong = 0;
  /** The set-up under way, which ends without an error: a second one must find the administrator of the first one. */
  #underWay: Promise<void> | undefined;

  constructor(parts: FirstSetupParts) {
    this.#parts = parts;
    // A new code of another replica is shown in the logs of all replicas.
    parts.document.onChange(() => this.#log());
  }

  get isNeeded(): boolean {
    return this.#parts.isNeeded();
  }

  /** Writes the code to the log, if there is no administrator. */
  async announce(): Promise<void> {
    if (!this.isNeeded) return;
    await this.#parts.document.update((now) => (this.#isValid(now) ? now : this.#newSeed()));
    this.#log();
  }

  /**
   * Carries out the set-up if the code is right, after one that is under way.
   * @returns the result of `task`; why it was not called: `setup-done` if there is an administrator (by now),
   *   `wrong-code`, or `expired-code`, after which the log shows a new one
   * @throws the error of `task`; the code then stays valid
   */
  async claim<T>(code: string, task: () => Promise<T>): Promise<T | SetupRefusal> {
    while (this.#underWay !== undefined) await this.#underWay;
    if (!this.isNeeded) return 'setup-done';
    const now = this.#parts.document.value;
    if (now === null) return 'wrong-code';
    if (!this.#isValid(now)) {
      await this.announce();
      return 'expired-code';
    }
    if (!isEqual(normalized(code), normalized(this.#codeOf(now)))) {
      if (++this.#wrong >= MOST_WRONG) await this.#exchange(now);
      return 'wrong-code';
    }
    const carriedOut = this.#carryOut(task);
    const end = (): void => (this.#underWay = undefined);
    this.#underWay = carriedOut.then(end, end);
    return carriedOut;
  }

  async #carryOut<T>(task: () => Promise<T>): Promise<T> {
    const result = await task();
    // The administrator exists, so the code is useless even if this cannot be stored.
    await this.#parts.document.update(() => null).catch(() => undefined);
    return result;
  }

  async #exchange({ seed }: SetupSeed): Promise<void> {
    await this.#parts.document.update((now) => (now?.seed === seed ? this.#newSeed() : now));
  }

  #log(): void {
    const now = this.#parts.document.value;
    if (now === null || now.seed === this.#announced || !this.isNeeded) return;
    this.#announced = now.seed;
    this.#wrong = 0;
    const minutes = Math.max(1, Math.round((now.until - this.#parts.clock.now()) / 60_000));
    this.#parts.logger.warn(
      `The console has no administrator yet. Open it in a browser and make one with this code, which is valid for ${minutes} minutes: ${this.#codeOf(now)}`,
    );
  }

  #newSeed(): SetupSeed {
    return { seed: randomBytes(16).toString('base64url'), until: this.#parts.clock.now() + VALID_MS };
  }

  #isValid(seed: SetupSeed | null): seed is SetupSeed {
    return seed !== null && this.#parts.clock.now() < seed.until;
  }

  /** Twelve letters and digits. */
  #codeOf({ seed }: SetupSeed): string {
    const bytes = [...this.#parts.keys.derive(PURPOSE, seed).subarray(0, 12)];
    const letters = bytes.map((byte) => LETTERS[byte % LETTERS.length]).join('');
    return letters.replace(/^(....)(....)/, '$1-$2-');
  }
}

/** Checks a seed that was stored. @throws Error if it is invalid */
export function parseSetupSeed(stored: unknown): SetupSeed | null {
  if (stored === null) return null;
  if (isMap(stored) && typeof stored['seed'] === 'string' && typeof stored['until'] === 'number')
    return stored as unknown as SetupSeed;
  throw new Error('it must have a seed and an end');
}

function normalized(code: string): string {
  return code.toUpperCase().replaceAll(/[^A-Z\d]/g, '');
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(a as Buffer, b as Buffer);
}
