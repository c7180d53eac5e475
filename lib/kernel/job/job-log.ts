import { writeEntry } from '../../api/text/log-entry.js';
import { type JobLogger, type LogEntry, type LogFields } from '../../api/text/logger.js';
import { type Clock } from '../../time/clock.js';
import { type JobEvent, wordsOf } from './job-events.js';

/** The job and the instance that a log is about. */
export interface LogSubject {
  /** `undefined`: the whole process. */
  readonly jobName: string | undefined;
  /** Id of this instance. */
  readonly instance: string;
}

/** How long the entry of a start waits for the first election and assignment, in milliseconds. */
const LONGEST_START_MS = 1_000;

/**
 * The log of one job on this instance, or of the whole process. It names the job in each message. It never throws, not
 * even if the user's logger does, because the job must go on.
 *
 * A job that starts without a leader has one entry, which names the leader and the owners of the items: this instance's
 * election and its first assignment, which follow at once, are logged for debugging only then.
 */
export class JobLog implements JobLogger {
  readonly #logger: JobLogger;
  readonly #jobName: string | undefined;
  readonly #instance: string;
  readonly #clock: Pick<Clock, 'after'> | undefined;
  /** The start whose entry waits. */
  #start: { readonly event: JobEvent; readonly cancel: () => void } | undefined;

  /** Without `clock`, the entry of a start does not wait. */
  constructor(logger: JobLogger, { jobName, instance }: LogSubject, clock?: Pick<Clock, 'after'>) {
    this.#logger = logger;
    this.#jobName = jobName;
    this.#instance = instance;
    this.#clock = clock;
  }

  /** Logs a detail that helps to find a fault. */
  debug(message: string, fields?: LogFields): void {
    this.#write({ level: 'debug', message, ...fields });
  }

  /** Logs a normal event. */
  log(message: string, fields?: LogFields): void {
    this.#write({ level: 'log', message, ...fields });
  }

  /** Logs that something is wrong, or may be; the job goes on. */
  warn(message: string, fields?: LogFields): void {
    this.#write({ level: 'warn', message, ...fields });
  }

  /** Logs a failure. */
  error(message: string, stack?: string, fields?: LogFields): void {
    this.#write({ level: 'error', message, ...fields, ...(stack !== undefined && { stack }) });
  }

  /** Logs an event of the job. */
  event(event: JobEvent): void {
    if (event.type === 'registered' && event.leader === undefined && this.#clock !== undefined)
      this.#start = { event, cancel: this.#clock.after(LONGEST_START_MS, () => this.#writeStart()) };
    else if (this.#start !== undefined && event.type === 'leads') this.#writeEvent(event, 'debug');
    else if (this.#start !== undefined && event.type === 'assigned') {
      this.#writeStart();
      this.#writeEvent(event, 'debug');
    } else this.#writeEvent(event);
  }

  #writeStart(): void {
    const start = this.#start;
    this.#start = undefined;
    start?.cancel();
    if (start !== undefined) this.#writeEvent(start.event);
  }

  #writeEvent(event: JobEvent, insteadOf?: 'debug'): void {
    const { level, text: message, fields } = wordsOf(event, this.#instance);
    this.#write({ ...fields, event: event.type, message, level: insteadOf ?? level });
  }

  #write({ message: text, ...entry }: LogFields & Pick<LogEntry, 'level' | 'message' | 'stack'>): void {
    // The entry of the start comes before all others.
    if (entry.level !== 'debug') this.#writeStart();
    const jobName = this.#jobName;
    const message = jobName === undefined ? text : `Job '${jobName}': ${text}`;
    writeEntry(this.#logger, { jobName, instance: this.#instance, ...entry, message });
  }
}
