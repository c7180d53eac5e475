/**
 * The library's log. Nest's `Logger` is one. A logger that throws, or whose promise rejects, hurts no job; the process
 * emits a warning of it once.
 */
export interface JobLogger {
  debug(message: string): void;
  log(message: string): void;
  warn(message: string): void;
  error(message: string, stack?: string): void;
  /** If there is this method, it receives each entry with its fields, instead of the four methods above. */
  write?(entry: LogEntry): void;
}

/** Importance of an entry. */
export type LogLevel = 'debug' | 'log' | 'warn' | 'error';

/** Subjects of an entry, besides its message. Each field is there only if it has a meaning for the entry. */
export interface LogFields {
  /** Stable name of the event, such as `joined`; `docs/logging.md` lists them. */
  readonly event?: string;
  /** The item it is about. */
  readonly item?: number;
  /** The items it is about. */
  readonly items?: readonly number[];
  /** The item's entry of `shardingItemParameters`. */
  readonly parameter?: string;
  /** The scheduled instant of the firing it is about. */
  readonly scheduledAt?: Date;
  /** Id of the other instance it is about: the one that has joined, left, crashed, or leads. */
  readonly peer?: string;
  /** How late a firing came, in milliseconds. */
  readonly lateMs?: number;
}

/** One entry of the log, for loggers that keep fields. */
export interface LogEntry extends LogFields {
  readonly level: LogLevel;
  /** A complete sentence that names the job. */
  readonly message: string;
  /** Filter key: `ElasticJob:` and the job's name; `ElasticJob` for an entry about the whole process. */
  readonly context: string;
  /** The job it is about; `undefined` if it is about the whole process. */
  readonly jobName: string | undefined;
  /** Id of this instance. */
  readonly instance: string;
  /** Stack of the error the entry is about. */
  readonly stack?: string;
}
