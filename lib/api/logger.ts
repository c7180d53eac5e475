/**
 * Where the library says what happens. Nest's `Logger` is one. A logger that throws, or whose promise rejects, hurts no
 * job; the process is warned of it once.
 */
export interface JobLogger {
  debug(message: string): void;
  log(message: string): void;
  warn(message: string): void;
  error(message: string, stack?: string): void;
  /** If there is this method, it receives each entry with its fields, instead of the four methods above. */
  write?(entry: LogEntry): void;
}

/** How much an entry matters. */
export type LogLevel = 'debug' | 'log' | 'warn' | 'error';

/** One entry of the log, for loggers that keep fields. */
export interface LogEntry {
  readonly level: LogLevel;
  /** A complete sentence that names the job. */
  readonly message: string;
  /** The job it is about; `undefined` if it is about the whole process. */
  readonly jobName: string | undefined;
  /** Id of this instance. */
  readonly instance: string;
  /** Stack of the error the entry is about. */
  readonly stack?: string;
}
