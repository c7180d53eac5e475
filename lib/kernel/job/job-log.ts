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
    if (written instanceof Promise) written.catch(warnRarely);
  } catch (failure) {
    warnRarely(failure);
  }
}

/** Entries that loggers of this process have failed to write. */
let lostEntries = 0;

/** How many lost entries one warning stands for: a logger whose disk is full fails at each entry. */
const WARNING_EVERY = 1_000;

function warnRarely(failure: unknown): void {
  if (lostEntries++ % WARNING_EVERY !== 0) return;
  const lost = lostEntries === 1 ? 'its entries are lost' : `${lostEntries} entries are lost so far`;
  process.emitWarning(`A logger failed; ${lost}: ${describeCause(failure)}`, 'ElasticJobWarning');
}
