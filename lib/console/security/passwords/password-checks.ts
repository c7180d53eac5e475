import { createHmac, randomBytes } from 'node:crypto';
import { type Clock } from '../../../time/clock.js';
import { type HashQueue } from './hash-queue.js';
import { verifyPassword } from './password-hash.js';

/** The milliseconds for which a right password is not checked again. The hash is part of the remembered value. */
const REMEMBERED_MS = 60_000;
const MOST_REMEMBERED = 1_000;

/** A password, and the hash that it may belong to. */
export interface PasswordCheck {
  readonly username: string;
  readonly password: string;
  /** `undefined` if there is no such user. The check then takes as long, and fails. */
  readonly hash: string | undefined;
}

/**
 * Checks passwords, each of them once at a time: scripts send theirs with every request, many at once, and each hash
 * takes a fraction of a second. Passwords are remembered as an HMAC with a key that only this process has.
 */
export class PasswordChecks {
  readonly #clock: Clock;
  readonly #key = randomBytes(32);
  /** The times at which passwords were found right. */
  readonly #right = new Map<string, number>();
  readonly #running = new Map<string, Promise<boolean>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** True if the password was found right for this hash within the last minute, and `remember` was called. */
  isRemembered(check: PasswordCheck): boolean {
    const at = this.#right.get(this.#digest(check));
    return at !== undefined && this.#clock.monotonic() - at < REMEMBERED_MS;
  }

  /** Remembers for a minute that the password was found right. */
  remember(check: PasswordCheck): void {
    const digest = this.#digest(check);
    this.#right.delete(digest);
    this.#right.set(digest, this.#clock.monotonic());
    for (const [each, at] of this.#right) {
      if (this.#right.size <= MOST_REMEMBERED && this.#clock.monotonic() - at < REMEMBERED_MS) return;
      this.#right.delete(each);
    }
  }

  /** True if the same password and hash are being checked already; all requests with them are one attempt. */
  isRunning(check: PasswordCheck): boolean {
    return this.#running.has(this.#digest(check));
  }

  /** Checks a password, or waits for the running check of the same one. @throws ConsoleProblem 503 `busy` */
  isRight(check: PasswordCheck, queue: HashQueue): Promise<boolean> {
    const digest = this.#digest(check);
    const running = this.#running.get(digest) ?? this.#check(digest, check, queue);
    this.#running.set(digest, running);
    return running;
  }

  async #check(digest: string, { password, hash }: PasswordCheck, queue: HashQueue): Promise<boolean> {
    try {
      return await verifyPassword(password, hash, queue);
    } finally {
      this.#running.delete(digest);
    }
  }

  #digest({ username, password, hash = '' }: PasswordCheck): string {
    const text = JSON.stringify([username.toLowerCase(), password, hash]);
    return createHmac('sha256', this.#key).update(text).digest('base64');
  }
}
