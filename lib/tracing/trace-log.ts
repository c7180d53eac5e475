import { describeFailure } from '../api/text/describe-cause.js';
import { writeEntry } from '../api/text/log-entry.js';
import { type JobLogger, type LogLevel } from '../api/text/logger.js';
import { RateLimit } from '../async/rate-limit.js';
import { type Clock } from '../time/clock.js';

/** The shortest time between two entries about the same. */
const LOG_EVERY_MS = 60_000;

/** A failure that is over sooner is not worth an entry, such as a deadlock or a failover of the database. */
const LOG_AFTER_FAILURES = 3;
const LOG_AFTER_MS = 5_000;

/** Keeps account of the failures and losses of a queue of trace events, and logs them now and then. */
export class TraceLog {
  readonly #clock: Clock;
  readonly #logger: JobLogger;
  /** The storage, as the beginning of an entry. */
  readonly #place: string;
  readonly #outages: RateLimit;
  readonly #losses: RateLimit;
  #failures = 0;
  #isOutageLogged = false;
  #beganAt: number | undefined;
  #unlogged = 0;
  #failingSince: Date | undefined;
  #lastError: string | undefined;
  #dropped = 0;

  /** @param name of the storage; empty if there is only one */
  constructor(clock: Clock, logger: JobLogger, name: string) {
    this.#place = name === '' ? '' : `Data source '${name}': `;
    this.#clock = clock;
    this.#logger = logger;
    this.#outages = new RateLimit(clock, LOG_EVERY_MS);
    this.#losses = new RateLimit(clock, LOG_EVERY_MS);
  }

  /** The begin of the present failures; `undefined` if the last attempt has succeeded. */
  get failingSince(): Date | undefined {
    return this.#failingSince;
  }

  /** The reason why the last attempt has failed; `undefined` if it has succeeded. */
  get lastError(): string | undefined {
    return this.#lastError;
  }

  /** The number of attempts in a row that have failed. */
  get failures(): number {
    return this.#failures;
  }

  /** The number of events that were dropped. */
  get dropped(): number {
    return this.#dropped;
  }

  /** An attempt that lasted `lastedMs` has failed, and will be repeated. */
  failed(cause: unknown, lastedMs: number, pending: string): void {
    this.#failures++;
    this.#beganAt ??= this.#clock.monotonic() - lastedMs;
    this.#failingSince ??= new Date(this.#clock.now() - lastedMs);
    this.#lastError = describeFailure(cause);
    const failingMs = this.#clock.monotonic() - this.#beganAt;
    if (this.#failures < LOG_AFTER_FAILURES && failingMs < LOG_AFTER_MS) return;
    if (this.#outages.admit() === undefined) return;
    this.#isOutageLogged = true;
    this.#write(
      'warn',
      `Trace events could not be stored for ${seconds(failingMs)}: ${this.#lastError}. No job is held up, and the queue tries again. ${pending}`,
    );
  }

  /** An attempt has succeeded. */
  succeeded(pending: string): void {
    const failingMs = this.#clock.monotonic() - (this.#beganAt ?? 0);
    const isWorthAnEntry = this.#isOutageLogged;
    this.#failures = 0;
    this.#beganAt = undefined;
    this.#failingSince = undefined;
    this.#lastError = undefined;
    this.#isOutageLogged = false;
    if (isWorthAnEntry)
      this.#write(
        'log',
        `Trace events are stored again, after ${seconds(failingMs)}. ${pending}${this.#lossesSoFar()}`,
      );
  }

  /** `count` events are lost. `why` is a sentence with the reason or the cure. */
  lost(count: number, why: string): void {
    this.#dropped += count;
    this.#unlogged += count;
    if (this.#losses.admit() === undefined) return;
    this.#logLosses(why);
  }

  /** Logs losses that were not logged yet, at the end. */
  close(): void {
    if (this.#unlogged > 0) this.#logLosses('The process is being stopped.');
  }

  #logLosses(why: string): void {
    const events = this.#unlogged === 1 ? 'A trace event was' : `${this.#unlogged} trace events were`;
    this.#unlogged = 0;
    this.#write('warn', `${events} dropped and will be missing in the trace. ${why}`);
  }

  #lossesSoFar(): string {
    return this.#dropped === 0 ? '' : ` ${this.#dropped} were dropped since the start of the process.`;
  }

  #write(level: LogLevel, message: string): void {
    writeEntry(this.#logger, { level, message: `${this.#place}${message}`, jobName: undefined, instance: '' });
  }
}

const seconds = (ms: number): string => `${Math.round(ms / 1_000)} s`;
