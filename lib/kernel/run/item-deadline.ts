import { describeCause } from '../../api/text/describe-cause.js';
import { ItemTimeoutError } from '../../api/errors/errors.js';
import { Deferred } from '../../async/deferred.js';
import { onRejection } from '../../async/rejection.js';
import { type Clock } from '../../time/clock.js';
import { type JobLog } from '../job/job-log.js';

/** How long the code of an item may go on after its time is up and its signal has aborted, before it is given up. */
export const GIVE_UP_AFTER_MS = 5_000;

/** Dependencies of an item's deadline. */
export interface ItemDeadlineDeps {
  readonly jobName: string;
  readonly item: number;
  /** How long the item may run, in milliseconds. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly logger: JobLog;
  /** To be called when the time is up: the item is to be aborted for this reason. */
  readonly onPassed: (reason: ItemTimeoutError) => void;
}

/** `ended`: the item's code has ended. `given-up`: it no longer counts, and may go on. */
export type CodeEnd = 'ended' | 'given-up';

/**
 * The time limit of one item, from the first call of the job's code. When the time is up, the item is aborted, unless
 * it was before; `GIVE_UP_AFTER_MS` later, code that has not ended is given up. Nothing can end such code, so its end
 * is logged when it comes.
 */
export class ItemDeadline {
  readonly #deps: ItemDeadlineDeps;
  readonly #givenUp = new Deferred();
  /** `undefined`: the job's code was not called yet. */
  #startedAt: number | undefined;
  #passed: ItemTimeoutError | undefined;
  #isAborted = false;
  #cancelTimer = (): void => undefined;

  constructor(deps: ItemDeadlineDeps) {
    this.#deps = deps;
  }

  /** Set once the time is up, if the item was not aborted before. */
  get passed(): ItemTimeoutError | undefined {
    return this.#passed;
  }

  /** Starts the time: the job's code is about to be called for the first time. */
  start(): void {
    const { timeoutMs, clock } = this.#deps;
    this.#startedAt = clock.monotonic();
    this.#cancelTimer = clock.after(timeoutMs, () => this.#pass());
  }

  /**
   * Notes that the item was aborted for another reason, which then counts. Code that hangs is given up all the same
   * when its time is up.
   */
  noteAborted(): void {
    this.#isAborted = true;
  }

  /** Ends the time: the item has ended. */
  cancel(): void {
    this.#cancelTimer();
  }

  /**
   * Waits for the job's code as long as the limit allows.
   * @throws the error of the code
   */
  async codeEnd(code: Promise<void>): Promise<CodeEnd> {
    const ended = code.then((): CodeEnd => 'ended');
    try {
      const end = await Promise.race([ended, this.#givenUp.promise.then((): CodeEnd => 'given-up')]);
      if (end === 'given-up') this.#reportLateEnd(code);
      return end;
    } finally {
      // Code that blocks the event loop keeps the timer from firing in time.
      if (this.#passed === undefined && this.#isOver) this.#pass();
    }
  }

  get #ranForMs(): number {
    return this.#startedAt === undefined ? 0 : this.#deps.clock.monotonic() - this.#startedAt;
  }

  get #isOver(): boolean {
    return this.#ranForMs > this.#deps.timeoutMs;
  }

  #pass(): void {
    const { jobName, item, timeoutMs, clock, onPassed } = this.#deps;
    this.#cancelTimer();
    this.#cancelTimer = clock.after(GIVE_UP_AFTER_MS, () => this.#givenUp.resolve());
    if (this.#isAborted) return;
    this.#passed = new ItemTimeoutError(jobName, item, timeoutMs);
    onPassed(this.#passed);
  }

  #reportLateEnd(code: Promise<void>): void {
    const { logger, item, timeoutMs } = this.#deps;
    logger.warn(
      `item ${item} was given up: its code has not ended ${GIVE_UP_AFTER_MS} ms after its time of ${timeoutMs} ms was up and ` +
        'its signal aborted. The code may go on beside the next run of the item: make it react to context.signal, and, with ' +
        'monitorExecution, reject writes with older fencing tokens.',
      { event: 'given-up', item },
    );
    const report = (how: string): void => {
      logger.warn(`the code of item ${item} that was given up has ${how}, after ${this.#ranForMs} ms.`, {
        event: 'given-up-ended',
        item,
      });
    };
    code.then(
      () => report('ended'),
      (cause: unknown) => {
        // If the code has thrown a rejected promise, its rejection would end the process.
        onRejection(cause, () => undefined);
        report(`failed: ${describeCause(cause)}`);
      },
    );
  }
}
