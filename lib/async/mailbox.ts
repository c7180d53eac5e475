/**
 * Runs tasks one at a time, in the order in which they were posted: the control lane of a job.
 * A task that fails rejects its own promise and does not hold up the next one.
 */
export class Mailbox {
  #tail: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** True while no task is running or waiting. */
  get isIdle(): boolean {
    return this.#waiting === 0;
  }

  /** Runs `task` after all tasks posted before it; settles as the task does. */
  post<T>(task: () => T | Promise<T>): Promise<T> {
    this.#waiting++;
    const result = this.#tail.then(task);
    this.#tail = result.then(
      () => this.#waiting--,
      () => this.#waiting--,
    );
    return result;
  }

  /** Resolves when all tasks posted so far have ended. */
  async drained(): Promise<void> {
    await this.#tail;
  }
}
