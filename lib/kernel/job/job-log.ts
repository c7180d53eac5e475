import { writeEntry } from '../../api/text/log-entry.js';
import { type JobLogger, type LogEntry, type LogFields } from '../../api/text/logger.js';
import { type JobEvent, wordsOf } from './job-events.js';

/** What a log is about. */
export interface LogSubject {
  /** `undefined`: the whole process. */
  readonly jobName: string | undefined;
  /** Id of this instance. */
  readonly instance: string;
}

/** Summarises events that many jobs of the process have at the same time. */
export interface EventCollector {
  /** Takes the event in if it is to be summarised. @returns whether it was taken in */
  collect(jobName: string, event: JobEvent): boolean;
}

/**
 * The log of one job on this instance, or of the whole process: names the job in each message, and cannot throw, whatever the
 * user's logger does, because the job must go on.
 */
export class JobLog implements JobLogger {
  readonly #logger: JobLogger;
  readonly #jobName: string | undefined;
  readonly #instance: string;
  readonly #collector: EventCollector | undefined;

  /** Without `collector`, each event is an entry of its own. */
  constructor(logger: JobLogger, { jobName, instance }: LogSubject, collector?: EventCollector) {
    this.#logger = logger;
    this.#jobName = jobName;
    this.#instance = instance;
    this.#collector = collector;
  }

  /** Only of interest to those who look for a fault. */
  debug(message: string, fields?: LogFields): void {
    this.#write({ level: 'debug', message, ...fields });
  }

  /** A normal event. */
  log(message: string, fields?: LogFields): void {
    this.#write({ level: 'log', message, ...fields });
  }

  /** Something is wrong, or may be; the job goes on. */
  warn(message: string, fields?: LogFields): void {
    this.#write({ level: 'warn', message, ...fields });
  }

  /** Something failed. */
  error(message: string, stack?: string, fields?: LogFields): void {
    this.#write({ level: 'error', message, ...fields, ...(stack !== undefined && { stack }) });
  }

  /** An event of the job. If it is summarised with those of other jobs, its own entry is for debugging only. */
  event(event: JobEvent): void {
    const jobName = this.#jobName;
    const { level, text: message, fields } = wordsOf(event, this.#instance);
    const isSummarised = jobName !== undefined && this.#collector?.collect(jobName, event) === true;
    this.#write({ ...fields, event: event.type, message, level: isSummarised ? 'debug' : level });
  }

  #write({ message: text, ...entry }: LogFields & Pick<LogEntry, 'level' | 'message' | 'stack'>): void {
    const jobName = this.#jobName;
    const message = jobName === undefined ? text : `Job '${jobName}': ${text}`;
    writeEntry(this.#logger, { jobName, instance: this.#instance, ...entry, message });
  }
}
