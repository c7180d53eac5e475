import { InvalidConfigurationError, JobExecutionError } from '../../api/errors/errors.js';
import { type ItemInterceptor, type ItemOutcome } from '../../api/events/run-events.js';
import { type RunLimits } from '../../api/settings/run-limits.js';
import { type RunningJob } from '../../api/extensions/job-executor.js';
import { type JobConfiguration } from '../../api/job/job-configuration.js';
import { type JobLogger } from '../../api/text/logger.js';
import { runCode } from '../../api/job/running-code.js';
import { type ShardingContext } from '../../api/job/sharding-context.js';
import { Abort, type AbortSource } from '../../async/abort.js';
import { backoffMs } from '../../async/backoff.js';
import { type Limiter } from '../../async/limiter.js';
import { onRejection } from '../../async/rejection.js';
import { sleep } from '../../async/wait.js';
import { type Clock } from '../../time/clock.js';
import { type JobLog } from '../job/job-log.js';
import { type ItemExecutor } from '../types/item-executor.js';
import { type BegunItem } from '../view/firing.js';
import { ItemContext } from './item-context.js';
import { type CodeEnd, ItemDeadline } from './item-deadline.js';

/** No pause before a retry is longer, unless the first one is. */
const LONGEST_PAUSE_MS = 300_000;

const NOT_CALLED =
  'an interceptor has returned without calling next(), so that the job did not run: call and await next(), or throw what keeps the item from running';

/** Options that all items of a run share. */
export interface ItemRunOptions {
  readonly configuration: JobConfiguration;
  readonly limits: RunLimits;
  /** The part of the context that is the same for all items. */
  readonly shared: Pick<ShardingContext, 'jobName' | 'taskId' | 'shardingTotalCount' | 'jobParameter'>;
  readonly parameters: ReadonlyMap<number, string>;
  /** The `scheduledAt` of a run for that instant. */
  readonly dateOf: (instant: number | undefined) => Date | undefined;
  readonly executor: ItemExecutor;
  /** Id of this instance. */
  readonly instanceId: string;
  /** Reads the configuration in force. */
  readonly present: () => JobConfiguration;
  readonly logger: JobLog;
  readonly interceptors: readonly ItemInterceptor[];
  /** The pool of the job on this instance. */
  readonly pool: Limiter;
  readonly clock: Clock;
  /**
   * Resolves as soon as the session is connected; rejects with the signal's reason when it is aborted. `undefined`: it
   * is connected.
   */
  readonly whenConnected: (signal: AbortSource) => Promise<void> | undefined;
  /** To be called before the job's code is called for the first time. */
  readonly onStart: (context: ShardingContext) => void;
  /** To be called when an attempt at the item has failed, and another one follows. */
  readonly onRetry: (item: BegunItem, retry: Retry) => void;
  /** To be called when an item that runs does not run as it should. */
  readonly onImpaired: (item: number, reason: string) => void;
  /** To be called when the item has failed. If its code has just ended, it still has its place in the pool. */
  readonly onFailed: (cause: unknown) => void;
}

/** An attempt that has failed, and the pause before the next one. */
export interface Retry {
  /** Number of the attempt that has failed, from 1. */
  readonly attempt: number;
  readonly cause: unknown;
  readonly pauseMs: number;
}

/** Outcome of one attempt: the item's outcome, or a failure after which the item is tried again. */
type AttemptOutcome = ItemOutcome | ({ readonly type: 'retry' } & Retry);

/**
 * One item of a run: it waits for a place in the pool, runs the job's code, and has an outcome. An item that has failed
 * may be tried again: it leaves the pool for the pause, and stays marked as running. When its time is up, its signal
 * aborts; code that does not end soon after that is given up, which frees the item and its place in the pool.
 */
export class ItemRun {
  readonly #options: ItemRunOptions;
  readonly #begun: BegunItem;
  readonly #stop = new Abort();
  readonly #softStop = new Abort();
  #attempts = 0;
  #startedAt: number | undefined;
  #isOver = false;
  /** Set if the item has a time limit. */
  readonly #deadline: ItemDeadline | undefined;

  constructor(options: ItemRunOptions, begun: BegunItem) {
    this.#options = options;
    this.#begun = begun;
    const { timeoutMs } = options.limits;
    if (timeoutMs !== undefined) this.#deadline = this.#deadlineAfter(timeoutMs);
  }

  #deadlineAfter(timeoutMs: number): ItemDeadline {
    const { shared, clock, logger } = this.#options;
    return new ItemDeadline({
      ...{ jobName: shared.jobName, item: this.#begun.item, timeoutMs, clock, logger },
      onPassed: (reason) => this.#abort(reason),
    });
  }

  /** The item's entry of `shardingItemParameters`. */
  get parameter(): string | undefined {
    return this.#options.parameters.get(this.#begun.item);
  }

  /** Number of attempts made. */
  get attempts(): number {
    return this.#attempts;
  }

  /** How long the item has run, pauses included, in milliseconds; `undefined` if the job's code was not called. */
  get durationMs(): number | undefined {
    return this.#startedAt === undefined ? undefined : this.#options.clock.monotonic() - this.#startedAt;
  }

  /**
   * True if the item was aborted for another reason than that its time is up: another run may have to finish its work.
   */
  get isCutShort(): boolean {
    return this.#stop.aborted && this.#deadline?.passed === undefined;
  }

  /** Aborts the item's signal. An item that still waits for a place in the pool does not start. */
  abort(reason: Error): void {
    this.#deadline?.noteAborted();
    this.#abort(reason);
  }

  #abort(reason: Error): void {
    this.#stop.abort(reason);
    this.#softStop.abort(reason);
  }

  /** Asks the item to end at its next good moment. It is not tried again. */
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
    try {
      for (let last: Retry | undefined; ;) {
        const outcome = await this.#attempt(last);
        if (outcome.type !== 'retry') return outcome;
        last = outcome;
        this.#options.onRetry(this.#begun, outcome);
        const ended = await this.#pause(outcome);
        if (ended !== undefined) return ended;
      }
    } finally {
      this.#isOver = true;
      this.#deadline?.cancel();
    }
  }

  /** @param last the attempt before, if there was one: then a soft stop, too, prevents another start */
  async #attempt(last: Retry | undefined): Promise<AttemptOutcome> {
    const abort = last === undefined ? this.#stop : this.#softStop;
    try {
      return await this.#options.pool.run(() => this.#outcomeOfCall(), abort);
    } catch (cause) {
      return last === undefined ? { type: 'aborted', cause } : this.#endedBetweenAttempts(last);
    }
  }

  async #outcomeOfCall(): Promise<AttemptOutcome> {
    try {
      const code = this.#execute();
      if (this.#deadline === undefined) {
        await code;
        return this.#returned();
      }
      const end = await this.#deadline.codeEnd(code);
      const outcome = this.#timedOut(end);
      if (outcome !== undefined) return outcome;
      return this.#returned();
    } catch (cause) {
      // If the code has thrown a rejected promise, that is reported as the failure; otherwise its rejection would end
      // the process.
      onRejection(cause, () => undefined);
      const timedOut = this.#timedOut('ended');
      if (timedOut !== undefined) return timedOut;
      // An aborted item has not failed: the reason was logged when it was aborted.
      if (this.#stop.aborted && cause === this.#stop.reason) return { type: 'aborted', cause };
      if (this.#mayRetry(cause)) return { type: 'retry', attempt: this.#attempts, cause, pauseMs: this.#pauseMs() };
      return this.#failed(cause);
    }
  }

  /** Code that returns because its signal has aborted may have left its work half done, and a peer runs it again. */
  #returned(): ItemOutcome {
    const { aborted, reason } = this.#stop;
    return aborted ? { type: 'aborted', cause: reason } : { type: 'succeeded' };
  }

  /** Settings that cannot be used will be just as wrong at the next attempt. */
  #mayRetry(cause: unknown): boolean {
    const { limits } = this.#options;
    const isOver = this.#stop.aborted || this.#softStop.aborted;
    return !isOver && this.#attempts <= limits.maxRetries && !(cause instanceof InvalidConfigurationError);
  }

  #pauseMs(): number {
    const { retryBackoffMs } = this.#options.limits;
    return backoffMs(this.#attempts, { baseMs: retryBackoffMs, maxMs: Math.max(retryBackoffMs, LONGEST_PAUSE_MS) });
  }

  /** @returns the item's outcome, if it ended during the pause */
  async #pause(retry: Retry): Promise<ItemOutcome | undefined> {
    try {
      await sleep(this.#options.clock, retry.pauseMs, this.#softStop);
      return undefined;
    } catch {
      return this.#endedBetweenAttempts(retry);
    }
  }

  /** If the item was only asked to end, no attempt follows, so the last failure is the item's. */
  #endedBetweenAttempts({ cause }: Retry): ItemOutcome {
    const { aborted, reason } = this.#stop;
    return this.#timedOut('ended') ?? (aborted ? { type: 'aborted', cause: reason } : this.#failed(cause));
  }

  #failed(cause: unknown): ItemOutcome {
    this.#options.onFailed(cause);
    return { type: 'failed', cause };
  }

  /** @returns `undefined` if its time is not up */
  #timedOut(end: CodeEnd): ItemOutcome | undefined {
    const cause = this.#deadline?.passed;
    if (cause === undefined) return undefined;
    this.#options.onFailed(cause);
    return { type: 'timed-out', cause, isGivenUp: end === 'given-up' };
  }

  async #execute(): Promise<void> {
    const { configuration, executor, interceptors, instanceId, whenConnected } = this.#options;
    // While the session is suspended, a peer may come to own the item, so it must not start here.
    const connected = whenConnected(this.#stop);
    if (connected !== undefined) await connected;
    this.#attempts++;
    const context = this.#context();
    if (this.#startedAt === undefined) this.#start(context);
    const { item } = this.#begun;
    const onImpaired = (reason: string): void => {
      // Code that was given up may go on beside a later run of its item.
      if (!this.#isOver) this.#options.onImpaired(item, reason);
    };
    const running = new RunningItem(this.#options, item, onImpaired);
    const code: { last?: Promise<void>; isRunning: boolean } = { isRunning: false };
    const execute = async (): Promise<void> => {
      code.isRunning = true;
      try {
        await executor.process(configuration, context, running);
      } finally {
        code.isRunning = false;
      }
    };
    const wrapped = interceptors.reduceRight<() => Promise<void>>(
      (next, interceptor) => () => watched(async () => interceptor.around(context, next)),
      () => (code.last = watched(execute)),
    );
    const { jobName } = this.#options.shared;
    await runCode({ jobName, instanceId, part: 'item', item, what: `item ${item}` }, async () => {
      await wrapped();
      if (code.last === undefined) throw new JobExecutionError(NOT_CALLED);
      // If an interceptor does not await next(), the item still ends only with its code.
      if (code.isRunning) await code.last;
    });
  }

  #start(context: ShardingContext): void {
    const { clock, onStart } = this.#options;
    this.#startedAt = clock.monotonic();
    this.#deadline?.start();
    onStart(context);
  }

  #context(): ShardingContext {
    const { shared, parameters, dateOf } = this.#options;
    const { item, instant, jobParameter = shared.jobParameter, fencingToken } = this.#begun;
    const facts = {
      jobName: shared.jobName,
      taskId: shared.taskId,
      shardingTotalCount: shared.shardingTotalCount,
      jobParameter,
      shardingItem: item,
      shardingParameter: parameters.get(item),
      scheduledAt: dateOf(instant),
      attempt: this.#attempts,
      fencingToken,
    };
    return new ItemContext(facts, { stop: this.#stop, softStop: this.#softStop });
  }
}

/** The promise of a call. If an interceptor does not await it, its rejection does not end the process. */
function watched(call: () => Promise<void>): Promise<void> {
  const promise = call();
  onRejection(promise, () => undefined);
  return promise;
}

/** The job of an item that runs. */
class RunningItem implements RunningJob {
  readonly #options: ItemRunOptions;
  readonly #item: number;
  readonly #onImpaired: (reason: string) => void;
  #log: JobLogger | undefined;

  constructor(options: ItemRunOptions, item: number, onImpaired: (reason: string) => void) {
    this.#options = options;
    this.#item = item;
    this.#onImpaired = onImpaired;
  }

  get configuration(): JobConfiguration {
    return this.#options.present();
  }

  get logger(): JobLogger {
    return (this.#log ??= itemLog(this.#options.logger, this.#item));
  }

  noteImpairment(reason: string): void {
    this.#onImpaired(reason);
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
