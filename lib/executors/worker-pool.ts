import { describeCause } from '../api/describe-cause.js';
import { describeValue } from '../api/describe-value.js';
import { JobExecutionError } from '../api/errors.js';
import { type JobLogger } from '../api/logger.js';
import { type ShardingContext } from '../api/sharding-context.js';
import { type Clock } from '../time/clock.js';
import { openThreadPool, type ThreadPool } from './piscina.js';
import { ThreadEndedError, WorkerItem } from './worker-item.js';
import { decode, encode } from './worker-thread.cjs';

/** What the threads of a job run, and how. */
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
  /** What is told when no thread can be started: the items that wait for one. */
  readonly #waiting = new Set<(cause: unknown) => void>();
  /** The items that run or wait. */
  #itemCount = 0;
  #isRetired = false;
  /** The log of the latest item, for what a thread does between items. */
  #logger: JobLogger | undefined;

  private constructor(pool: ThreadPool, settings: WorkerSettings, clock: Clock) {
    this.#pool = pool;
    this.#settings = settings;
    this.#clock = clock;
    // piscina emits it for a thread that fails without an item: it did not start, or has thrown between two items.
    pool.on('error', (cause: unknown) => this.#onStrayError(cause));
  }

  /** Opens a pool, without threads. @throws if piscina is not installed, or our own file for threads is not found */
  static async open(settings: WorkerSettings, clock: Clock): Promise<WorkerPool> {
    return new WorkerPool(await openThreadPool(settings.memoryMb), settings, clock);
  }

  /** Loads the module in a thread, which the first item finds ready. @returns the problem with it, or undefined */
  async moduleProblem(): Promise<string | undefined> {
    const start = new AbortController();
    const giveUp = (cause: unknown): void => start.abort(cause);
    this.#waiting.add(giveUp);
    try {
      return (await this.#pool.run({ url: this.#settings.url }, { signal: start.signal })) as string | undefined;
    } catch (cause) {
      return `cannot be loaded: it ${this.#describe(start.signal.aborted ? start.signal.reason : cause)}`;
    } finally {
      this.#waiting.delete(giveUp);
    }
  }

  /**
   * Runs an item in a thread.
   * @throws what the function throws; the signal's reason, if it throws that or had to be ended
   * @throws JobExecutionError if the thread could not be started, or has ended itself
   */
  async run(context: ShardingContext, logger: JobLogger): Promise<void> {
    context.signal.throwIfAborted();
    const { url } = this.#settings;
    const item = new WorkerItem({ pool: this.#pool, clock: this.#clock, url, context, logger });
    const giveUp = (cause: unknown): void => item.giveUpStart(cause);
    this.#logger = logger;
    this.#waiting.add(giveUp);
    this.#itemCount++;
    try {
      await item.run();
    } catch (error) {
      if (!(error instanceof ThreadEndedError)) throw error;
      const name = describeValue(this.#settings.worker);
      throw new JobExecutionError(`The worker ${name} ${this.#describe(error.cause)}.`, { cause: error.cause });
    } finally {
      this.#waiting.delete(giveUp);
      this.#itemCount--;
      if (this.#isRetired && this.#itemCount === 0) await this.close();
    }
  }

  /** Takes no more items, and ends the threads when those that run have ended. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    if (this.#itemCount === 0) await this.close();
  }

  /** Ends all threads. */
  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  #onStrayError(cause: unknown): void {
    if (this.#waiting.size > 0) for (const giveUp of this.#waiting) giveUp(cause);
    this.#logger?.warn(
      `a thread of the worker ${describeValue(this.#settings.worker)}, which ran no item at the time, ${this.#describe(cause)}.`,
    );
  }

  #describe(cause: unknown): string {
    // Once more through the code for messages, since errors that Node makes of a thread's may be those of another realm.
    const error = decode(encode(cause));
    const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown };
    const { memoryMb } = this.#settings;
    if (code === 'ERR_WORKER_OUT_OF_MEMORY') {
      const limit = memoryMb === undefined ? "Node's default limit" : `the limit of ${memoryMb} MB`;
      return `has run out of memory: it has reached ${limit}; let it hold less at once, or raise props['run.workerMemoryMegabytes']`;
    }
    const exit = /^worker exited with code: (-?\d+)$/.exec(String(message))?.[1];
    if (exit !== undefined) return `has ended its thread, by process.exit(${exit}) for instance, before it returned`;
    return `has ended its thread by an error outside of its function: ${describeCause(error)}`;
  }
}
