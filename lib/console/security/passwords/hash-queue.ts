import { Limiter } from '../../../async/limiter.js';
import { ConsoleProblem } from '../../answers/console-problem.js';

/** The most hashes that wait for their turn; each takes a fraction of a second. */
const MOST_WAITING = 20;
const RETRY_SECONDS = 2;

/** Hashes passwords, only few at a time, as each hash takes 128 MiB while it is made. */
export class HashQueue {
  readonly #limiter: Limiter;
  readonly #most: number;
  #size = 0;

  /**
   * @param mostWaiting the most waiting hashes; further ones are refused at once
   * @param atOnce the most hashes that are made at the same time
   */
  constructor(mostWaiting: number, atOnce: number) {
    this.#limiter = new Limiter(atOnce);
    this.#most = mostWaiting + atOnce;
  }

  /** Makes a hash when its turn has come. @throws ConsoleProblem 503 `busy` if too many wait already */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#size >= this.#most) throw busy();
    this.#size++;
    try {
      return await this.#limiter.run(task);
    } finally {
      this.#size--;
    }
  }
}

/** The queues of a process. Known users do not wait for strangers who guess passwords. */
export const HASH_QUEUES = {
  strangers: new HashQueue(MOST_WAITING, 1),
  /** For browsers in which the user has logged in before, and for users who are logged in. */
  known: new HashQueue(MOST_WAITING, 2),
  /** For the users of the settings, when the process starts. */
  settings: new HashQueue(Infinity, 2),
} as const;

function busy(): ConsoleProblem {
  const detail = `Too many passwords are being checked at this moment. Try again in ${RETRY_SECONDS} seconds.`;
  return new ConsoleProblem(503, 'busy', detail, { headers: { 'retry-after': String(RETRY_SECONDS) } });
}
