/**
 * Stands between jobs, which never wait for their trace, and a storage, which may be slow, hang or be away:
 *
 * ```
 *  offer(event) ──▶ pending events ──▶ one batch at a time ──▶ TraceStorage
 *   (never waits)    (bounded: what      (a deadline each)      │
 *                     has no place is       ▲                   │ outage: the same events again, after a growing pause
 *                     dropped and counted)  └───────────────────┤
 *                                                               └ refusal: halves, until the one event is found and dropped
 * ```
 * Events are written in the order in which they were offered, so those of a task are too; only the completion of an
 * item takes the place of its start if that still waits. An event is pending until the storage has confirmed it, so it
 * may be delivered twice.
 */
import { describeFailure } from '../api/text/describe-cause.js';
import { DeadlineExceededError } from '../api/errors/errors.js';
import {
  aClock,
  aLogger,
  checkOptions,
  integerFrom,
  milliseconds,
  type OptionRules,
  text,
  withMethods,
} from '../api/settings/call-options.js';
import { type JobLogger } from '../api/text/logger.js';
import { type TraceEvent, type TraceStorage } from '../api/events/trace-events.js';
import { backoffMs } from '../async/backoff.js';
import { type Clock, systemClock } from '../time/clock.js';
import { PendingEvents } from './pending-events.js';
import { TraceDelivery } from './trace-delivery.js';
import { TraceLog } from './trace-log.js';

/** Options of a queue of trace events. */
export interface TraceQueueOptions {
  readonly storage: TraceStorage;
  readonly logger: JobLogger;
  /** Name of the storage in log entries, if there are several. Default: none. */
  readonly name?: string;
  /** Default: the clock of this machine. */
  readonly clock?: Clock;
  /** The most events that may wait; further events are dropped. Default: 100,000. */
  readonly maxPending?: number;
  /**
   * The most UTF-16 code units that the texts of waiting events may have together. Default: 32 million, which take up
   * to 64 MB.
   */
  readonly maxPendingCharacters?: number;
  /** The most events that are written at once. Default: 500. */
  readonly batchSize?: number;
  /**
   * The time that an event waits for others, and the start of an item for its completion, in milliseconds. Default:
   * 200.
   */
  readonly lingerMs?: number;
  /** The longest time that one write may take, in milliseconds. Default: 10,000. */
  readonly writeTimeoutMs?: number;
}

/** The state of a queue of trace events. */
export interface TraceQueueStatus {
  /** The number of events that wait to be stored. */
  readonly pending: number;
  /** The most events that may wait. */
  readonly maxPending: number;
  /** The number of events that were stored. */
  readonly stored: number;
  /**
   * The number of events that were lost: there was no place for them, the storage refused them, or the queue was
   * stopped.
   */
  readonly dropped: number;
  /** The reason why the last attempt to write has failed; `undefined` if it has succeeded. */
  readonly lastError: string | undefined;
  /** The time since which no attempt has succeeded; `undefined` if the last one has. */
  readonly failingSince: Date | undefined;
}

const QUEUE_RULES: OptionRules<TraceQueueOptions> = {
  storage: withMethods('write'),
  logger: aLogger,
  name: text,
  clock: aClock,
  maxPending: integerFrom(0),
  maxPendingCharacters: integerFrom(0),
  batchSize: integerFrom(1),
  lingerMs: milliseconds,
  writeTimeoutMs: milliseconds,
};

const DEFAULTS = {
  name: '',
  clock: systemClock,
  maxPending: 100_000,
  maxPendingCharacters: 32_000_000,
  batchSize: 500,
  lingerMs: 200,
  writeTimeoutMs: 10_000,
};

/** The pauses between attempts during an outage: short enough that little waits when the storage is back. */
const RETRY = { baseMs: 100, maxMs: 10_000 };

/** The longest pause while a flush waits. */
const FLUSH_PAUSE_MS = 500;

/** A bounded queue of trace events. It works from the first event on, until `stop`. */
export class TraceQueue {
  readonly #options: Required<TraceQueueOptions>;
  readonly #pending: PendingEvents;
  readonly #delivery: TraceDelivery;
  readonly #log: TraceLog;
  readonly #end = new AbortController();
  #isWriting = false;
  /** Cancels the wait for more events; `undefined` if none waits. */
  #cancelLinger: (() => void) | undefined;
  /** Ends the pause after a failure; `undefined` if there is none. */
  #endPause: (() => void) | undefined;
  /** Called when nothing is pending any more. */
  readonly #flushes = new Set<() => void>();
  #stored = 0;

  /** @throws InvalidConfigurationError if an option is missing, unknown or of a wrong kind */
  constructor(options: TraceQueueOptions) {
    const required = ['storage', 'logger'];
    checkOptions('new TraceQueue()', options, QUEUE_RULES, { required, example: '{ storage, logger }' });
    this.#options = { ...DEFAULTS, ...options };
    const { clock, logger, name, maxPending, maxPendingCharacters } = this.#options;
    this.#pending = new PendingEvents({ events: maxPending, characters: maxPendingCharacters });
    this.#log = new TraceLog(clock, logger, name);
    this.#delivery = new TraceDelivery({
      ...this.#options,
      pending: this.#pending,
      signal: this.#end.signal,
      onStored: (count) => (this.#stored += count),
      onRefused: (event, cause) => this.#log.lost(1, whyRefused(event, cause)),
    });
  }

  /** Takes an event, to be stored later. Never throws and never waits; drops the event if too many wait. */
  offer(event: TraceEvent): void {
    if (this.#end.signal.aborted) this.#log.lost(1, 'The process is being stopped.');
    else if (this.#pending.add(event)) this.#schedule();
    else this.#log.lost(1, this.#whyFull());
  }

  /** The present state of the queue. */
  status(): TraceQueueStatus {
    return {
      pending: this.#pending.size,
      maxPending: this.#options.maxPending,
      stored: this.#stored,
      dropped: this.#log.dropped,
      lastError: this.#log.lastError,
      failingSince: this.#log.failingSince,
    };
  }

  /**
   * Writes what is pending at once, without waiting for more. Never rejects.
   * @returns the number of events that are still pending, after `timeoutMs` milliseconds at the latest
   */
  async flush(timeoutMs: number): Promise<number> {
    if (this.#pending.size === 0) return 0;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        cancel();
        this.#flushes.delete(done);
        resolve();
      };
      const cancel = this.#options.clock.after(timeoutMs, done);
      this.#flushes.add(done);
      this.#endPause?.();
      this.#schedule();
    });
    return this.#pending.size;
  }

  /** Flushes, then ends for good: what is still pending is dropped, counted and logged. May be called twice. */
  async stop(timeoutMs: number): Promise<void> {
    const left = await this.flush(timeoutMs);
    if (this.#end.signal.aborted) return;
    this.#end.abort(new DeadlineExceededError('the last trace events to be stored', timeoutMs));
    this.#cancelLinger?.();
    this.#endPause?.();
    if (left > 0) this.#log.lost(left, `The process was stopped, and they could not be stored within ${timeoutMs} ms.`);
    this.#pending.remove(this.#pending.oldest(left));
    this.#log.close();
  }

  /** Begins to write, now if a batch is full or a flush waits, otherwise when the events have waited for others. */
  #schedule(): void {
    if (this.#isWriting || this.#end.signal.aborted || this.#pending.size === 0) return;
    const isDue = this.#flushes.size > 0 || this.#pending.size >= this.#options.batchSize;
    if (this.#cancelLinger !== undefined && !isDue) return;
    this.#cancelLinger?.();
    this.#isWriting = isDue;
    // Even a full batch is written in a later turn: making its statement is no work for the job that offers an event.
    this.#cancelLinger = this.#options.clock.after(isDue ? 0 : this.#options.lingerMs, () => {
      this.#cancelLinger = undefined;
      this.#isWriting = true;
      void this.#writeAll();
    });
  }

  /** Writes until too few events are left for a batch. Never rejects. */
  async #writeAll(): Promise<void> {
    do {
      // One batch after the other, which keeps the order.
      await this.#attempt();
      if (this.#pending.size === 0) for (const done of [...this.#flushes]) done();
    } while (this.#mustGoOn());
    this.#isWriting = false;
    this.#schedule();
  }

  #mustGoOn(): boolean {
    if (this.#end.signal.aborted || this.#pending.size === 0) return false;
    const isFailing = this.#log.failingSince !== undefined;
    return isFailing || this.#flushes.size > 0 || this.#pending.size >= this.#options.batchSize;
  }

  /** One attempt, followed by a pause if it fails. */
  async #attempt(): Promise<void> {
    const { clock } = this.#options;
    const began = clock.monotonic();
    try {
      await this.#delivery.deliver();
      this.#log.succeeded(`Waiting events: ${this.#pending.size}.`);
    } catch (error) {
      if (this.#end.signal.aborted) return;
      const waiting = `Waiting events: ${this.#pending.size} of at most ${this.#options.maxPending}.`;
      this.#log.failed(error, clock.monotonic() - began, waiting);
      await this.#pause();
    }
  }

  async #pause(): Promise<void> {
    const longestMs = this.#flushes.size > 0 ? FLUSH_PAUSE_MS : RETRY.maxMs;
    await new Promise<void>((resolve) => {
      const cancel = this.#options.clock.after(backoffMs(this.#log.failures, { ...RETRY, maxMs: longestMs }), () =>
        resolve(),
      );
      this.#endPause = () => {
        cancel();
        resolve();
      };
    });
    this.#endPause = undefined;
  }

  #whyFull(): string {
    const { lastError } = this.#log;
    const why = lastError === undefined ? 'more come than it can write' : `the last error is: ${lastError}`;
    return `As many events as may, ${this.#pending.size}, wait for the storage: ${why}. Make it reachable or faster, or trace fewer jobs.`;
  }
}

function whyRefused({ type, jobName, taskId }: TraceEvent, cause: unknown): string {
  const what = type === 'execution' ? 'an execution' : 'a status';
  return `It is ${what} of job '${jobName}', task ${taskId}, which the storage refuses: ${describeFailure(cause)}.`;
}
