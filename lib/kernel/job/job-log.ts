import { writeEntry } from '../../api/log-entry.js';
import { type JobLogger, type LogLevel } from '../../api/logger.js';

/** What a log is about. */
export interface LogSubject {
  /** `undefined`: the whole process. */
  readonly jobName: string | undefined;
  /** Id of this instance. */
  readonly instance: string;
}

/**
 * The log of one job on this instance, or of the whole process: names the job in each message, and cannot throw, whatever the
 * user's logger does, because the job must go on.
 */
export class JobLog implements JobLogger {
  readonly #logger: JobLogger;
  readonly #subject: LogSubject;

  constructor(logger: JobLogger, subject: LogSubject) {
    this.#logger = logger;
    this.#subject = subject;
  }

  /** Only of interest to those who look for a fault. */
  debug(message: string): void {
    this.#write('debug', message);
  }

  /** A normal event. */
  log(message: string): void {
    this.#write('log', message);
  }

  /** Something is wrong, or may be; the job goes on. */
  warn(message: string): void {
    this.#write('warn', message);
  }

  /** Something failed. */
  error(message: string, stack?: string): void {
    this.#write('error', message, stack);
  }

  #write(level: LogLevel, text: string, stack?: string): void {
    const { jobName } = this.#subject;
    const message = jobName === undefined ? text : `Job '${jobName}': ${text}`;
    writeEntry(this.#logger, { ...this.#subject, level, message, ...(stack !== undefined && { stack }) });
  }
}
