import { Logger } from '@nestjs/common';
import { type JobLogger, type LogEntry } from '../api/text/logger.js';
import { type ModuleSettings } from '../settings/module-settings.js';

/** The form in which Nest's logger is given entries: as a sentence, or as an object with fields. */
export type LogShape = 'text' | 'fields';

/**
 * Nest's logger, with a context for each job: `ElasticJob:syncOrders`, and `ElasticJob` for entries about the whole
 * process. So loggers that filter by context can filter by job.
 */
export class NestLogger implements JobLogger {
  readonly #shape: LogShape;
  readonly #whole = new Logger('ElasticJob');
  readonly #loggers = new Map<string, Logger>();

  constructor(shape: LogShape) {
    this.#shape = shape;
  }

  debug(message: string): void {
    this.#whole.debug(message);
  }

  log(message: string): void {
    this.#whole.log(message);
  }

  warn(message: string): void {
    this.#whole.warn(message);
  }

  error(message: string, stack?: string): void {
    if (stack === undefined) this.#whole.error(message);
    else this.#whole.error(message, stack);
  }

  write(entry: LogEntry): void {
    const { level, message, context, stack } = entry;
    const logger = this.#loggerOf(context);
    const content = this.#shape === 'text' ? message : fieldsOf(entry);
    if (level === 'error' && stack !== undefined) logger.error(content, stack);
    else logger[level](content);
  }

  #loggerOf(context: string): Logger {
    let logger = this.#loggers.get(context);
    if (logger === undefined) {
      // Jobs that are added and removed at run time have ever new names.
      if (this.#loggers.size >= MOST_LOGGERS) this.#loggers.clear();
      this.#loggers.set(context, (logger = new Logger(context)));
    }
    return logger;
  }
}

const MOST_LOGGERS = 1_000;

/** The entry without the fields that Nest's logger adds itself. Fields without a value are left out. */
function fieldsOf(entry: LogEntry): Readonly<Record<string, unknown>> {
  const { message, event, jobName: job, instance, ...others } = entry;
  const ofNest: ReadonlySet<string> = new Set(['level', 'context', 'stack'] satisfies (keyof LogEntry)[]);
  const rest = Object.entries(others).filter(([key]) => !ofNest.has(key));
  const fields = [...Object.entries({ message, event, job, instance }), ...rest];
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

/** The library's logger: the one of the module's options, or Nest's. */
export function loggerOf({ logger, structuredLog }: Pick<ModuleSettings, 'logger' | 'structuredLog'>): JobLogger {
  if (logger === false) return SILENT;
  return logger ?? new NestLogger(structuredLog === true ? 'fields' : 'text');
}

const SILENT: JobLogger = {
  debug: () => undefined,
  log: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
