import { describeCause } from '../../api/text/describe-cause.js';
import { describeValue } from '../../api/text/describe-value.js';
import { JobExecutionError } from '../../api/errors/errors.js';
import { type JobLogger } from '../../api/text/logger.js';
import { type ShardingContext } from '../../api/job/sharding-context.js';
import { type Clock } from '../../time/clock.js';
import { openThreadPool, type ThreadPool, watchStrayFailures } from './piscina.js';
import { ThreadEndedError, WorkerItem } from './worker-item.js';
import { decode, encode } from './worker-thread.cjs';

/**
 * The most milliseconds that a module may take to load at the start of a job. The job's start waits for one second
 * longer.
 */
const LOADING_TIMEOUT_MS = 29_000;

/**
 * The most threads that are tried for an item, if they end before they have taken it: any thread may be about to fail.
 */
const MOST_THREADS = 5;

/** The module of a job's threads, and their limits. */
export interface WorkerSettings {
  /** The module as users have written it, for messages. */
  readonly worker: string;
  /** URL of the module. */
  readonly url: string;
  /** Greatest size of a thread's heap, in megabytes. Default: Node's own. */
  readonly memoryMb: number | undefined;
}

/** The worker threads of one job in this process. A thread runs one item at a time, and is used again. */
export class WorkerPool {
  readonly #pool: ThreadPool;
  readonly #settings: WorkerSettings;
  readonly #clock: Clock;
  /** Listeners of the items that wait for a thread, called when no thread can be started. */
  readonly #waiting = new Set<(cause: unknown) => void>();
  /** The items that run or wait. */
  #itemCount = 0;
  #isRetired = false;
  /** The log of the latest item, for failures of threads between items. */
  #logger: JobLogger | undefined;

  private constructor(pool: ThreadPool, settings: WorkerSettings, clock: Clock) {
    this.#pool = pool;
    this.#settings = settings;
    this.#clock = clock;
    watchStrayFailures(pool, {
      onStart: (cause) => this.#onFailedStart(cause),
      onIdle: (cause) => this.#warnOfIdleThread(cause),
    });
  }

  /** Opens a pool, without threads. @throws if piscina is not installed, or our own file for threads is not found */
  static async open(settings: WorkerSettings, clock: Clock): Promise<WorkerPool> {
    return new WorkerPool(await openThreadPool(settings.memoryMb), settings, clock);
  }

  /** Loads the module in a thread, which the first item finds ready. @returns the problem with it, or undefined */
  async moduleProblem(): Promise<string | undefined> {
    const start = new AbortController();
    const giveUp = (cause: unknown): void => start.abort(cause);
    let isLate = false;
    const cancelDeadline = this.#clock.after(LOADING_TIMEOUT_MS, () => {
      isLate = true;
      start.abort();
    });
    this.#waiting.add(giveUp);
    try {
      return (await this.#pool.run({ url: this.#settings.url }, { signal: start.signal })) as string | undefined;
    } catch (cause) {
      if (isLate) return `cannot be loaded: it has not loaded within ${LOADING_TIMEOUT_MS} ms`;
      const problem = start.signal.aborted ? this.#describeStart(start.signal.reason) : this.#describe(cause);
      return `cannot be loaded: it ${problem}`;
    } finally {
      cancelDeadline();
      this.#waiting.delete(giveUp);
    }
  }

  /**
   * Runs an item in a thread.
   * @throws the error of the function; the signal's reason, if the function throws that or had to be ended
   * @throws JobExecutionError if the thread could not be started, or has ended itself
   */
  async run(context: ShardingContext, logger: JobLogger): Promise<void> {
    context.signal.throwIfAborted();
    this.#logger = logger;
    this.#itemCount++;
    try {
      await this.#runInSomeThread(context, logger);
    } catch (error) {
      if (!(error instanceof ThreadEndedError)) throw error;
      const name = describeValue(this.#settings.worker);
      const problem = error.state === 'given up' ? this.#describeStart(error.cause) : this.#describe(error.cause);
      throw new JobExecutionError(`The worker ${name} ${problem}.`, { cause: error.cause });
    } finally {
      this.#itemCount--;
      if (this.#isRetired && this.#itemCount === 0) await this.close();
    }
  }

  async #runInSomeThread(context: ShardingContext, logger: JobLogger): Promise<void> {
    for (let threads = 1; ; threads++) {
      try {
        return await this.#runInThread(context, logger);
      } catch (error) {
        const isAgain = error instanceof ThreadEndedError && error.state === 'not begun' && threads < MOST_THREADS;
        if (!isAgain) throw error;
        // The thread had failed already when it was given the item, but its error had not arrived yet.
        this.#warnOfIdleThread(error.cause);
        context.signal.throwIfAborted();
      }
    }
  }

  async #runInThread(context: ShardingContext, logger: JobLogger): Promise<void> {
    const { url } = this.#settings;
    const item = new WorkerItem({ pool: this.#pool, clock: this.#clock, url, context, logger });
    const giveUp = (cause: unknown): void => item.giveUpStart(cause);
    this.#waiting.add(giveUp);
    try {
      await item.run();
    } finally {
      this.#waiting.delete(giveUp);
    }
  }

  /** Takes no more items, and ends the threads when the running items have ended. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    if (this.#itemCount === 0) await this.close();
  }

  /** Ends all threads. */
  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  /** Fails the items that wait for a thread at once, instead of after 30 seconds, as no thread can be started. */
  #onFailedStart(cause: unknown): void {
    for (const giveUp of this.#waiting) giveUp(cause);
  }

  #warnOfIdleThread(cause: unknown): void {
    const name = describeValue(this.#settings.worker);
    this.#logger?.warn(`a thread of the worker ${name}, which ran no item at the time, ${this.#describe(cause)}.`);
  }

  #describeStart(cause: unknown): string {
    const error = ownError(cause);
    return `could not start a thread: ${isOutOfMemory(error) ? this.#memoryAdvice : describeCause(error)}`;
  }

  #describe(cause: unknown): string {
    const error = ownError(cause);
    if (isOutOfMemory(error)) return `has run out of memory: ${this.#memoryAdvice}`;
    const { message } = (error ?? {}) as { readonly message?: unknown };
    const exit = /^worker exited with code: (-?\d+)$/.exec(String(message))?.[1];
    if (exit !== undefined) return `has ended its thread, by process.exit(${exit}) for instance, before it returned`;
    return `has ended its thread by an error outside of its function: ${describeCause(error)}`;
  }

  get #memoryAdvice(): string {
    const { memoryMb } = this.#settings;
    const limit = memoryMb === undefined ? "Node's default limit" : `the limit of ${memoryMb} MB`;
    return `it has reached ${limit}; let it hold less at once, or raise props['run.workerMemoryMegabytes']`;
  }
}

/** The error with a class of this realm: an error that Node has carried from a thread may be of another one. */
function ownError(cause: unknown): unknown {
  return decode(encode(cause));
}

function isOutOfMemory(error: unknown): boolean {
  return (error as { readonly code?: unknown } | undefined | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
