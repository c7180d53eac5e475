import { type DataSource } from 'typeorm';
import { wording, type WordingValue } from '../../../wording/wording.js';
import { describeCause } from '../../../api/text/describe-cause.js';
import { DeadlineExceededError, InvalidConfigurationError } from '../../../api/errors/errors.js';
import { timedCall } from '../../../async/timed-call.js';
import { type Clock } from '../../../time/clock.js';
import { RdbTraceStorage } from '../../../tracing/rdb/rdb-trace-storage.js';
import { type DataSourceInfo } from '../../contract/trace.js';
import { ConsoleProblem } from '../../answers/console-problem.js';
import { failedTest } from '../connections/connection-failures.js';

/** The parts of a data source. */
export interface TraceSourceParts {
  readonly info: Omit<DataSourceInfo, 'isActivated' | 'state' | 'reason'>;
  /** Connects, or returns the application's data source. */
  readonly open: () => Promise<DataSource> | DataSource;
  /** True if the console may close it. */
  readonly isOurs: boolean;
  readonly clock: Clock;
  /** Logs why a database could not be used; pages get only the category of the failure. */
  readonly onFailure: (message: string) => void;
}

/** The most milliseconds that a page waits for the database. */
const QUERY_MS = 10_000;

/** One database with the tables of event tracing. The first use connects it. */
export class TraceSource {
  readonly #parts: TraceSourceParts;
  #storage: Promise<RdbTraceStorage> | undefined;
  #state: DataSourceInfo['state'] = 'unused';
  #reason: string | undefined;

  constructor(parts: TraceSourceParts) {
    this.#parts = parts;
  }

  get name(): string {
    return this.#parts.info.name;
  }

  get origin(): DataSourceInfo['origin'] {
    return this.#parts.info.origin;
  }

  info(isActivated: boolean): DataSourceInfo {
    return {
      ...this.#parts.info,
      isActivated,
      state: this.#state,
      ...(this.#reason !== undefined && { reason: this.#reason }),
    };
  }

  /**
   * Runs a query on the database.
   * @throws ConsoleProblem 503 if it cannot be reached, 409 if the tables are missing, 504 if it takes too long, 400 if
   *   the query is invalid
   */
  async use<T>(work: (storage: RdbTraceStorage, signal: AbortSignal) => Promise<T>): Promise<T> {
    const { clock } = this.#parts;
    const error = (): Error => new DeadlineExceededError(`the database '${this.name}'`, QUERY_MS);
    const { signal } = new AbortController();
    try {
      const result = await timedCall(
        async (each) => {
          const storage = await this.#open();
          return work(storage, each);
        },
        { clock, signal, limitMs: QUERY_MS, error },
      );
      this.#state = 'connected';
      this.#reason = undefined;
      return result;
    } catch (failure) {
      throw this.#problem(failure);
    }
  }

  async close(): Promise<void> {
    const storage = this.#storage;
    this.#storage = undefined;
    this.#state = 'unused';
    if (storage === undefined || !this.#parts.isOurs) return;
    const { dataSource } = await storage.catch(() => ({ dataSource: undefined }));
    if (dataSource?.isInitialized === true) await dataSource.destroy();
  }

  #open(): Promise<RdbTraceStorage> {
    this.#storage ??= this.#connect().catch((error: unknown) => {
      this.#storage = undefined;
      throw error;
    });
    return this.#storage;
  }

  async #connect(): Promise<RdbTraceStorage> {
    const { open, clock } = this.#parts;
    return new RdbTraceStorage(await open(), { clock, missingTables: 'refuse' });
  }

  #problem(failure: unknown): unknown {
    if (failure instanceof ConsoleProblem) {
      this.#fail(failure.message);
      return failure;
    }
    if (failure instanceof InvalidConfigurationError) {
      const [missing] = failure.wordings ?? [];
      if (missing?.code === 'no-tables') return new ConsoleProblem(409, 'no-tables', missing, { cause: failure });
      return new ConsoleProblem(400, 'bad-query', failure.message, { cause: failure });
    }
    this.#parts.onFailure(`The console cannot read the trace in '${this.name}': ${describeCause(failure)}`);
    if (failure instanceof DeadlineExceededError) {
      this.#fail('There was no answer in time.');
      return new ConsoleProblem(
        504,
        'database-slow',
        `The database '${this.name}' did not answer within ${QUERY_MS / 1000} s. Ask for less.`,
        { cause: failure },
      );
    }
    const { detail = '', wording: why = '' } = failedTest(failure);
    this.#fail(detail);
    const problem = wording('database-offline', { name: this.name, detail: why as WordingValue });
    return new ConsoleProblem(503, 'database-offline', problem, { cause: failure });
  }

  #fail(reason: string): void {
    this.#state = 'failed';
    this.#reason = reason;
  }
}
