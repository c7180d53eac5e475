import { describeCause } from '../../api/describe-cause.js';
import { type JobLogger, type LogEntry, type LogLevel } from '../../api/logger.js';

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

/** Hands an entry to the user's logger. Never throws, whatever the logger does. */
export function writeEntry(logger: JobLogger, entry: LogEntry): void {
  const { level, message, stack } = entry;
  try {
    const written: unknown =
      logger.write === undefined
        ? logger[level](message, ...(stack === undefined ? [] : [stack]))
        : logger.write(entry);
    if (written instanceof Promise) written.catch(warnOnce);
  } catch (failure) {
    warnOnce(failure);
  }
}

let hasWarned = false;

/** Once a process: a logger whose disk is full would be reported for each message. */
function warnOnce(failure: unknown): void {
  if (hasWarned) return;
  hasWarned = true;
  process.emitWarning(`A logger failed; its entries are lost: ${describeCause(failure)}`, 'ElasticJobWarning');
}
