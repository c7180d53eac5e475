import { detached } from '../time/detached.js';

/**
 * Runs tasks one at a time, in the order in which they were posted: the control lane of a job.
 * A task that fails rejects its own promise and does not hold up the next one.
 */
export class Mailbox {
  /** Resolves when the last task has ended. Never rejects. */
  #tail: Promise<unknown> = Promise.resolve();

  /**
   * Runs `task` after all tasks posted before it, never within this call, outside any `AsyncLocalStorage` of the
   * caller. Settles as the task does.
   */
  post<T>(task: () => T | Promise<T>): Promise<T> {
    const result = detached(() => this.#tail.then(task));
    this.#tail = result.catch(() => undefined);
    return result;
  }
}
