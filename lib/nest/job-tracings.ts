import { InvalidConfigurationError } from '../api/errors/errors.js';
import { jobPath, keyPath } from '../api/job/job-name.js';
import { type ObserverBacklog } from '../api/events/observed-host.js';
import {
  type InstanceCrash,
  type InstanceRegistration,
  type JavaInstanceGone,
  type RunEvent,
  type RunObserver,
} from '../api/events/run-events.js';
import { type TraceReader } from '../operations/job-past.js';
import { type Tracing } from '../tracing/tracing.js';
import { type TraceQueueStatus } from '../tracing/trace-queue.js';
import { dataSourceNamed, nameOfDataSource } from './definitions/named-data-source.js';
import { type FoundDataSource } from './elastic-job.explorer.js';
import { type TraceDatabases } from './jobs/job-bootstraps.js';

/** The tracing into one database; `storage` and `dataSource` are `undefined` if nothing is recorded. */
export interface DatabaseTracing {
  readonly tracing: Tracing;
  readonly storage: TraceReader | undefined;
  readonly dataSource: object | undefined;
}

/** A database that a job names: the TypeORM `DataSource`, and its name in messages, health and metrics. */
export interface NamedDatabase {
  readonly name: string;
  readonly dataSource: object;
  /** True if the job of that name records its runs there. */
  readonly hasJob: (jobName: string) => boolean;
}

/** The parts of which the tracing of an application consists. */
export interface JobTracingsParts {
  /** The tracing of the jobs that name no `DataSource`. */
  readonly ofDefault: DatabaseTracing;
  /** Makes the tracing into a further database. Throws `InvalidConfigurationError` if it cannot hold the tables. */
  readonly open: (database: NamedDatabase) => DatabaseTracing;
  /** The TypeORM DataSources of the application at that moment. */
  readonly dataSources: () => readonly FoundDataSource[];
}

/**
 * The tracing of an application. Each database has a queue of its own, so that the outage of one database concerns the
 * trace of its own jobs alone:
 *
 * ```
 *  runs ──▶ JobTracings ─┬─ Tracing ──▶ DataSource of elasticjob.tracing     jobs that name none
 *                        └─ Tracing ──▶ DataSource 'reports'                 jobs with tracingDataSource: 'reports'
 * ```
 */
export class JobTracings implements RunObserver, TraceDatabases {
  readonly #parts: JobTracingsParts;
  /** The databases that jobs name, by the name that messages use. */
  readonly #named = new Map<string, DatabaseTracing>();
  /** The databases of the jobs that name one. An ended job keeps its entry: its trace can still be read. */
  readonly #byJob = new Map<string, DatabaseTracing>();

  constructor(parts: JobTracingsParts) {
    this.#parts = parts;
  }

  /**
   * Chooses the database of a job, before its first run. Without recording in a database, it has no effect.
   * @param wanted the setting `tracingDataSource`; `undefined` means the `DataSource` of `elasticjob.tracing`
   * @throws InvalidConfigurationError if the application has no such `DataSource`, or it cannot hold the tables
   */
  assign(jobName: string, wanted: unknown): void {
    const { ofDefault, dataSources } = this.#parts;
    const found = dataSources();
    const isNamed = wanted !== undefined && ofDefault.dataSource !== undefined;
    const dataSource = isNamed
      ? dataSourceNamed(keyPath(jobPath(jobName), 'tracingDataSource'), wanted, found)
      : undefined;
    if (typeof dataSource === 'string') throw new InvalidConfigurationError([dataSource]);
    if (dataSource === undefined || dataSource === ofDefault.dataSource) this.#byJob.delete(jobName);
    else this.#byJob.set(jobName, this.#opened(dataSource, found));
  }

  onRunEvent(event: RunEvent): void {
    this.#of(event.run.jobName).tracing.onRunEvent(event);
  }

  onInstanceCrash(crash: InstanceCrash): void {
    this.#of(crash.jobName).tracing.onInstanceCrash(crash);
  }

  onJavaInstanceGone(gone: JavaInstanceGone): void {
    this.#of(gone.jobName).tracing.onJavaInstanceGone(gone);
  }

  onRegistration(registration: InstanceRegistration): void {
    this.#of(registration.jobName).tracing.onRegistration(registration);
  }

  /** The state of the queue before the `DataSource` of `elasticjob.tracing`; `undefined` if nothing is recorded. */
  status(): TraceQueueStatus | undefined {
    return this.#parts.ofDefault.tracing.status();
  }

  /** The states of the queues before the databases that jobs name, by the name of the `DataSource`. */
  get named(): Readonly<Record<string, TraceQueueStatus>> {
    return Object.fromEntries(
      [...this.#named].flatMap(([name, { tracing }]) => {
        const status = tracing.status();
        return status === undefined ? [] : [[name, status]];
      }),
    );
  }

  /** The events that wait for each database; `undefined` if nothing is recorded. */
  backlog(): ObserverBacklog | undefined {
    const status = this.status();
    return status && { ...status, ...(this.#named.size > 0 && { named: this.named }) };
  }

  /** The DataSources with traces: that of `elasticjob.tracing` under the name '', and those that jobs name. */
  get dataSources(): ReadonlyMap<string, object> {
    const all = [['', this.#parts.ofDefault] as const, ...this.#named];
    return new Map(all.flatMap(([name, { dataSource }]) => (dataSource === undefined ? [] : [[name, dataSource]])));
  }

  /** Reads the trace of each job from its own database; `undefined` if nothing is recorded. */
  get reader(): TraceReader | undefined {
    const { storage } = this.#parts.ofDefault;
    if (storage === undefined) return undefined;
    const storageOf = (jobName: string): TraceReader => this.#of(jobName).storage ?? storage;
    return {
      executions: (filter, signal) => storageOf(filter.jobName).executions(filter, signal),
      statuses: (filter, signal) => storageOf(filter.jobName).statuses(filter, signal),
    };
  }

  /**
   * Stores the events that wait, in all databases at the same time, for at most `timeoutMs` milliseconds, and ends.
   * Never rejects.
   */
  async stop(timeoutMs: number): Promise<void> {
    const all = [this.#parts.ofDefault, ...this.#named.values()];
    await Promise.all(all.map(({ tracing }) => tracing.stop(timeoutMs)));
  }

  #of(jobName: string): DatabaseTracing {
    return this.#byJob.get(jobName) ?? this.#parts.ofDefault;
  }

  #opened(dataSource: object, found: readonly FoundDataSource[]): DatabaseTracing {
    const known = [...this.#named.values()].find((each) => each.dataSource === dataSource);
    if (known !== undefined) return known;
    const name = freeName(nameOfDataSource(dataSource, found), this.#named);
    const hasJob = (jobName: string): boolean => this.#byJob.get(jobName) === opened;
    const opened = this.#parts.open({ name, dataSource, hasJob });
    this.#named.set(name, opened);
    return opened;
  }
}

/** The name, or the name with a number if another database has it. */
function freeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  let free = name;
  for (let number = 2; taken.has(free); number++) free = `${name}-${number}`;
  return free;
}
