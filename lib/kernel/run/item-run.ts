import { setMaxListeners } from 'node:events';
import { type ItemInterceptor, type ItemOutcome } from '../../api/run-events.js';
import { type RunningJob } from '../../api/job-executor.js';
import { type JobConfiguration } from '../../api/job-configuration.js';
import { type JobLogger } from '../../api/logger.js';
import { type ShardingContext } from '../../api/sharding-context.js';
import { type Limiter } from '../../async/limiter.js';
import { type Clock } from '../../time/clock.js';
import { type JobLog } from '../job/job-log.js';
import { type ItemExecutor } from '../types/extensions.js';
import { type BegunItem } from '../view/firing.js';

/** What the items of a run share. */
export interface ItemRunOptions {
  readonly configuration: JobConfiguration;
  /** What the job is given, but for what differs from item to item. */
  readonly shared: Pick<ShardingContext, 'jobName' | 'taskId' | 'shardingTotalCount' | 'jobParameter'>;
  readonly parameters: ReadonlyMap<number, string>;
  readonly executor: ItemExecutor;
  /** The configuration that holds now. */
  readonly present: () => JobConfiguration;
  readonly logger: JobLog;
  readonly interceptors: readonly ItemInterceptor[];
  /** The pool of the job on this instance. */
  readonly pool: Limiter;
  readonly clock: Clock;
  /** Resolves as soon as the session is connected; rejects with the signal's reason when it is aborted. */
  readonly whenConnected: (signal: AbortSignal) => Promise<void>;
  /** The job's code is about to be called. */
  readonly onStart: (context: ShardingContext) => void;
  /** The item has failed, and still has its place in the pool. */
  readonly onFailed: (cause: unknown) => void;
}

/** One item of a run: it waits for a place in the pool, runs the job's code, and has an outcome. */
export class ItemRun {
  readonly #options: ItemRunOptions;
  readonly #begun: BegunItem;
  readonly #stop = new AbortController();
  readonly #softStop = new AbortController();
  #startedAt: number | undefined;

  constructor(options: ItemRunOptions, begun: BegunItem) {
    this.#options = options;
    this.#begun = begun;
    // The job's code may listen as often as it likes; Node warns of more than ten listeners.
    setMaxListeners(Infinity, this.#stop.signal, this.#softStop.signal);
  }

  /** The item's entry of `shardingItemParameters`. */
  get parameter(): string | undefined {
    return this.#options.parameters.get(this.#begun.item);
  }

  /** How long the job's code has run, in milliseconds; `undefined` if it was not called. */
  get durationMs(): number | undefined {
    return this.#startedAt === undefined ? undefined : this.#options.clock.monotonic() - this.#startedAt;
  }

  /** Whether the item was aborted. */
  get isAborted(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Aborts the item's signal. An item that still waits for a place in the pool does not start. */
  abort(reason: Error): void {
    this.#stop.abort(reason);
    this.#softStop.abort(reason);
  }

  /** Asks the item to end at its next good moment. */
  softStop(reason: Error): void {
    this.#softStop.abort(reason);
  }

  /** Keeps the item from starting; if it runs already, asks it to end at its next good moment. */
  interrupt(reason: Error): void {
    if (this.#startedAt === undefined) this.abort(reason);
    else this.softStop(reason);
  }

  /** Runs the item to its end. Never rejects. */
  async outcome(): Promise<ItemOutcome> {
    const { signal } = this.#stop;
    try {
      return await this.#options.pool.run(() => this.#outcomeOfCall(), signal);
    } catch (cause) {
      return { type: 'aborted', cause };
    }
  }

  async #outcomeOfCall(): Promise<ItemOutcome> {
    const { signal } = this.#stop;
    try {
      await this.#execute();
      return { type: 'succeeded' };
    } catch (cause) {
      // An item that was aborted has not failed: the instance that aborted it has logged why.
      if (signal.aborted && cause === signal.reason) return { type: 'aborted', cause };
      this.#options.onFailed(cause);
      return { type: 'failed', cause };
    }
  }

  async #execute(): Promise<void> {
    const { configuration, executor, interceptors, clock, whenConnected, onStart } = this.#options;
    const context = this.#context();
    // Not while suspended: a peer may come to own the item before it has started here.
    await whenConnected(context.signal);
    this.#startedAt = clock.monotonic();
    onStart(context);
    const execute = async (): Promise<void> => executor.process(configuration, context, this.#running);
    const wrapped = interceptors.reduceRight<() => Promise<void>>(
      (next, interceptor) => async () => interceptor.around(context, next),
      execute,
    );
    await wrapped();
  }

  get #running(): RunningJob {
    const { present, logger } = this.#options;
    return {
      logger: itemLog(logger, this.#begun.item),
      get configuration() {
        return present();
      },
    };
  }

  #context(): ShardingContext {
    const { shared, parameters } = this.#options;
    const { item, instant, fencingToken } = this.#begun;
    return {
      ...shared,
      shardingItem: item,
      shardingParameter: parameters.get(item),
      scheduledAt: instant === undefined ? undefined : new Date(instant),
      signal: this.#stop.signal,
      softStop: this.#softStop.signal,
      fencingToken,
    };
  }
}

/** The log of one item of a job. */
function itemLog(log: JobLog, item: number): JobLogger {
  const about = (message: string): string => `item ${item}: ${message}`;
  return {
    debug: (message) => log.debug(about(message), { item }),
    log: (message) => log.log(about(message), { item }),
    warn: (message) => log.warn(about(message), { item }),
    error: (message, stack) => log.error(about(message), stack, { item }),
  };
}
