import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import { type JobLogger } from '../../api/text/logger.js';
import { type Clock } from '../../time/clock.js';

const VALID_MS = 15 * 60_000;
/** Without letters and digits that are easily mistaken for others. */
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
/** So many wrong codes, and there is a new one: nobody can try all of them. */
const MOST_WRONG = 10;

/** The first set-up: who can read the log of the process makes the first administrator. */
export class FirstSetup {
  readonly #isNeeded: () => boolean;
  readonly #logger: Pick<JobLogger, 'warn'>;
  readonly #clock: Clock;
  #code: { readonly text: string; readonly until: number; wrong: number } | undefined;
  /** One set-up at a time: the second one must find the first one's administrator. */
  #isClaimed = false;

  /** @param isNeeded whether there is no administrator */
  constructor(isNeeded: () => boolean, logger: Pick<JobLogger, 'warn'>, clock: Clock) {
    this.#isNeeded = isNeeded;
    this.#logger = logger;
    this.#clock = clock;
  }

  get isNeeded(): boolean {
    return this.#isNeeded();
  }

  /** Writes a code to the log, if there is no administrator. */
  announce(): void {
    if (!this.isNeeded) return;
    const text = [0, 1, 2].map(() => letters(4)).join('-');
    this.#code = { text, until: this.#clock.now() + VALID_MS, wrong: 0 };
    this.#logger.warn(
      `The console has no administrator yet. Open it in a browser and make one with this code, which is valid for 15 minutes: ${text}`,
    );
  }

  /**
   * Carries out the set-up if the code is right.
   * @returns what `task` does; `wrong-code` or `expired-code` if it was not called. After an expired code there is a new one in the log
   * @throws what `task` throws; the code stays valid then
   */
  async claim<T>(code: string, task: () => Promise<T>): Promise<T | 'wrong-code' | 'expired-code'> {
    const valid = this.#code;
    if (!this.isNeeded || this.#isClaimed || valid === undefined) return 'wrong-code';
    if (this.#clock.now() >= valid.until) {
      this.announce();
      return 'expired-code';
    }
    if (!isEqual(normalized(code), normalized(valid.text))) {
      if (++valid.wrong >= MOST_WRONG) this.announce();
      return 'wrong-code';
    }
    this.#isClaimed = true;
    try {
      const result = await task();
      this.#code = undefined;
      return result;
    } finally {
      this.#isClaimed = false;
    }
  }
}

function letters(count: number): string {
  return Array.from({ length: count }, () => LETTERS[randomInt(LETTERS.length)]).join('');
}

function normalized(code: string): string {
  return code.toUpperCase().replaceAll(/[^A-Z\d]/g, '');
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(a as Buffer, b as Buffer);
}
