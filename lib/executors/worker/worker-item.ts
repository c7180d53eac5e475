import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { type JobLogger } from '../../api/text/logger.js';
import { type ShardingContext } from '../../api/job/sharding-context.js';
import { type Clock } from '../../time/clock.js';
import { type ThreadPool } from './piscina.js';
import { decode, encode, type EncodedError } from './worker-thread.cjs';

/**
 * The milliseconds that the function has to end after its signal has aborted, before its thread is ended. An instance
 * that is stopped waits a second for its aborted items; then peers run them.
 */
export const WORKER_GRACE_MS = 800;

/** The most milliseconds that a thread may take to start. */
const START_TIMEOUT_MS = 30_000;

/** The messages of a thread about an item; `worker-thread.cjs` has the other side. */
type Message =
  | { readonly type: 'started' }
  | { readonly type: 'log'; readonly level: Level; readonly message: string; readonly stack?: string }
  | { readonly type: 'ended'; readonly failure?: EncodedError; readonly isReason: boolean };
type Level = 'debug' | 'log' | 'warn' | 'error';

/** The parts with which one item runs. */
export interface WorkerItemOptions {
  readonly pool: ThreadPool;
  /** URL of the module. */
  readonly url: string;
  readonly context: ShardingContext;
  /** The item's log. */
  readonly logger: JobLogger;
  readonly clock: Clock;
}

/** The thread has ended before the function. The cause is the error that piscina reports. */
export class ThreadEndedError extends Error {
  override readonly name = 'ThreadEndedError';
  constructor(
    /**
     * `begun` if the thread had taken the item. An item that is `not begun` can run in another thread; after `given
     * up`, no thread can be started.
     */
    readonly state: 'begun' | 'not begun' | 'given up',
    cause: unknown,
  ) {
    super('the thread has ended', { cause });
  }
}

/**
 * One item in a thread: passes on its log and its signals, and ends the thread if it does not obey them. It must be run
 * at once, as its port keeps the process alive.
 */
export class WorkerItem {
  readonly #options: WorkerItemOptions;
  readonly #port: MessagePort;
  readonly #remotePort: MessagePort;
  /** Ends the thread, or takes the item from the queue of those that wait for a thread. */
  readonly #end = new AbortController();
  readonly #closed: Promise<void>;
  #hasStarted = false;
  #outcome: Extract<Message, { readonly type: 'ended' }> | undefined;

  constructor(options: WorkerItemOptions) {
    this.#options = options;
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.#remotePort = port2;
    this.#closed = new Promise((resolve) => port1.once('close', resolve));
    port1.on('message', (message: Message) => this.#onMessage(message));
  }

  /** Fails the item if it still waits for a thread, as no thread can be started. */
  giveUpStart(cause: unknown): void {
    if (!this.#hasStarted) this.#end.abort(cause);
  }

  /**
   * Runs the item. If its signal aborts, waits 800 ms for the function, and then until the thread has ended.
   * @throws what the function throws; the signal's reason, if the function throws it or had to be ended
   * @throws ThreadEndedError if the thread ends otherwise
   */
  async run(): Promise<void> {
    const { context, clock } = this.#options;
    const { signal, softStop } = context;
    let cancelGrace = (): void => undefined;
    const onAbort = (): void => {
      this.#sendSignal('abort', signal.reason);
      cancelGrace = clock.after(this.#hasStarted ? WORKER_GRACE_MS : 0, () => this.#end.abort(signal.reason));
    };
    const onSoftStop = (): void => this.#sendSignal('softStop', softStop.reason);
    const cancelStart = clock.after(START_TIMEOUT_MS, () =>
      this.giveUpStart(new Error(`no thread has started within ${START_TIMEOUT_MS} ms`)),
    );
    signal.addEventListener('abort', onAbort, { once: true });
    softStop.addEventListener('abort', onSoftStop, { once: true });
    try {
      const crash = await this.#inThread();
      this.#throwFailure(crash);
    } finally {
      cancelGrace();
      cancelStart();
      signal.removeEventListener('abort', onAbort);
      softStop.removeEventListener('abort', onSoftStop);
    }
  }

  /** Resolves when the thread is free again or has ended. @returns the cause of its end, or undefined */
  async #inThread(): Promise<{ readonly cause: unknown } | undefined> {
    const { pool, url, context } = this.#options;
    const { softStop } = context;
    const task = {
      url,
      context: withoutCode(context),
      port: this.#remotePort,
      ...(softStop.aborted && { softStop: encode(softStop.reason) }),
    };
    try {
      await pool.run(task, { signal: this.#end.signal, transferList: [this.#remotePort] });
      return undefined;
    } catch (cause) {
      // An item that has not reached a thread leaves the port open. In a thread that is being ended it closes with the
      // thread.
      if (!this.#hasStarted) this.#port.close();
      return { cause };
    } finally {
      await this.#closed;
    }
  }

  #throwFailure(crash: { readonly cause: unknown } | undefined): void {
    const { signal } = this.#options.context;
    if (this.#outcome !== undefined) {
      const { failure, isReason } = this.#outcome;
      if (isReason) throw signal.reason;
      if (failure !== undefined) throw decode(failure);
      return;
    }
    signal.throwIfAborted();
    if (this.#end.signal.aborted) throw new ThreadEndedError('given up', this.#end.signal.reason);
    throw new ThreadEndedError(this.#hasStarted ? 'begun' : 'not begun', crash?.cause);
  }

  #onMessage(message: Message): void {
    switch (message.type) {
      case 'started':
        this.#hasStarted = true;
        return;
      case 'log': {
        const { logger } = this.#options;
        if (message.level === 'error') logger.error(message.message, message.stack);
        else logger[message.level](message.message);
        return;
      }
      case 'ended':
        this.#outcome = message;
        return;
      default:
        return message satisfies never;
    }
  }

  #sendSignal(type: 'abort' | 'softStop', reason: unknown): void {
    this.#port.postMessage({ type, reason: encode(reason) });
  }
}

/** The context without its signals, which messages cannot carry: the thread makes signals of its own. */
function withoutCode({ signal: _signal, softStop: _softStop, ...rest }: ShardingContext): object {
  return Object.fromEntries(Object.entries(rest).filter(([, value]) => typeof value !== 'function'));
}
