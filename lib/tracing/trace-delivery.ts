import { DeadlineExceededError, type ElasticJobError } from '../api/errors/errors.js';
import { type TraceEvent, type TraceStorage } from '../api/events/trace-events.js';
import { withAnySignal } from '../async/any-signal.js';
import { abortable, withDeadline } from '../async/wait.js';
import { type Clock } from '../time/clock.js';
import { type PendingEvents } from './pending-events.js';

/** The parts that a delivery needs. */
export interface TraceDeliveryDeps {
  readonly storage: TraceStorage;
  readonly clock: Clock;
  readonly pending: PendingEvents;
  readonly batchSize: number;
  readonly writeTimeoutMs: number;
  /** Ends all writes when it aborts. */
  readonly signal: AbortSignal;
  readonly onStored: (count: number) => void;
  /** Called with an event that is given up, because the storage takes others but not this one. */
  readonly onRefused: (event: TraceEvent, cause: unknown) => void;
}

/**
 * After this number of failures of a single event, the event behind it is tried: its result distinguishes an outage
 * from a refusal.
 */
const SUSPECT_AFTER_FAILURES = 8;

/** An event is given up after so many trials in a row in which it could not be stored and the event behind it could. */
const MOST_SUSPICIONS = 3;

/**
 * Writes pending events, a batch at a time. After each failure the batch has half the size, so that a slow storage can
 * write it within the deadline, and after each success twice the size.
 */
export class TraceDelivery {
  readonly #deps: TraceDeliveryDeps;
  #isPrepared = false;
  #limit: number;
  #failures = 0;
  #suspect: { readonly event: TraceEvent; readonly times: number } | undefined;

  constructor(deps: TraceDeliveryDeps) {
    this.#deps = deps;
    this.#limit = deps.batchSize;
  }

  /**
   * Writes the oldest events, and takes those that are stored or refused from the pending ones.
   * @throws the error of the storage during an outage, or `DeadlineExceededError`
   */
  async deliver(): Promise<void> {
    const { pending, batchSize } = this.#deps;
    try {
      await this.#prepare();
      await this.#write(pending.oldest(this.#limit));
    } catch (error) {
      this.#failures++;
      if (this.#limit === 1) await this.#suspectOldest(error);
      this.#limit = Math.ceil(this.#limit / 2);
      throw error;
    }
    this.#failures = 0;
    this.#limit = Math.min(batchSize, this.#limit * 2);
  }

  async #prepare(): Promise<void> {
    if (this.#isPrepared) return;
    await this.#call((signal) => this.#deps.storage.prepare(signal));
    this.#isPrepared = true;
  }

  /** Writes events; if one of them is refused, finds it by halves. */
  async #write(events: readonly TraceEvent[]): Promise<void> {
    const { storage, pending, onStored, onRefused } = this.#deps;
    const [first] = events;
    if (first === undefined) return;
    try {
      await this.#call((signal) => storage.write(events, signal));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (events.length === 1) {
        pending.remove(events);
        return onRefused(first, error);
      }
      const middle = Math.ceil(events.length / 2);
      await this.#write(events.slice(0, middle));
      return this.#write(events.slice(middle));
    }
    pending.remove(events);
    onStored(events.length);
  }

  /**
   * A storage that throws any error for an event that it cannot hold must not be stopped by it for good: if the next
   * event can be stored, several times, the oldest one is given up.
   */
  async #suspectOldest(cause: unknown): Promise<void> {
    const [oldest, next] = this.#deps.pending.oldest(2);
    if (this.#failures < SUSPECT_AFTER_FAILURES || oldest === undefined || next === undefined) return;
    try {
      await this.#write([next]);
    } catch {
      // The storage cannot be reached: the error of the oldest event says why.
      this.#suspect = undefined;
      return;
    }
    const times = this.#suspect?.event === oldest ? this.#suspect.times + 1 : 1;
    this.#suspect = { event: oldest, times };
    if (times < MOST_SUSPICIONS) return;
    this.#suspect = undefined;
    this.#deps.pending.remove([oldest]);
    this.#deps.onRefused(oldest, cause);
  }

  async #call(call: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { clock, writeTimeoutMs, signal: end } = this.#deps;
    const overdue = new AbortController();
    const error = new DeadlineExceededError('the storage of trace events to answer', writeTimeoutMs);
    await withAnySignal([end, overdue.signal], (signal) => {
      const result = abortable(
        Promise.resolve().then(() => call(signal)),
        end,
      );
      return withDeadline(clock, result, writeTimeoutMs, () => {
        overdue.abort(error);
        return error;
      });
    });
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && (error as Partial<ElasticJobError>).code === 'TRACE_REFUSED';
}
