/**
 * Stores trace events in the tables of ElasticJob, on a TypeORM `DataSource`:
 *
 * ```
 *  events ──▶ one row for each id ──▶ rows as the tables stand there ──▶ INSERT … ON CONFLICT, MERGE, … by the dialect
 *             (start + completion      (columns, widths: read,
 *              are one row)             tables created if absent)
 * ```
 * There is no transaction: each statement may be repeated, and the repetition of a statement that was carried out, but
 * not answered, has no effect. After any failure the tables are read again, since they may have been changed.
 */
import { type DataSource } from 'typeorm';
import { describeCause } from '../../api/text/describe-cause.js';
import { TraceRefusedError } from '../../api/errors/errors.js';
import {
  type JobExecutionEvent,
  type JobStatusTraceEvent,
  type TraceEvent,
  type TraceStorage,
} from '../../api/events/trace-events.js';
import {
  aClock,
  aDate,
  checkOptions,
  integerFrom,
  listOf,
  milliseconds,
  oneOf,
  type OptionRules,
  text,
} from '../../api/settings/call-options.js';
import { sleep } from '../../async/wait.js';
import { type Clock, systemClock } from '../../time/clock.js';
import { type Dialect } from './dialect.js';
import { dialectOf } from './dialect-of.js';
import { type TraceSchema, TraceTables } from './found-tables.js';
import { type ExecutionFigures, FIGURES_RULES, readFigures } from './figures/execution-figures.js';
import { type LatestExecution, type LatestFilter, LATEST_RULES, readLatest } from './figures/latest-rows.js';
import { type CountFilter } from './figures/outcome-counts.js';
import { completeOrphans, type Orphans } from './orphans.js';
import { RdbConnection, type Run } from './rdb-connection.js';
import { isDataError } from './sql-errors.js';
import { statement } from './statement.js';
import {
  type ExecutionFilter,
  FILTERS,
  type JobNameFilter,
  readExecutions,
  readJobNames,
  readStatuses,
  type StatusFilter,
  type TracePage,
} from './trace-query.js';
import { executionFields, statusFields, type TextForm, TraceRows } from './trace-rows.js';
import { OPERATIONS } from './trace-tables.js';
import { writeRows } from './trace-writer.js';

/** Options of the storage of trace events in a database. */
export interface RdbTraceStorageOptions {
  /** Default: the clock of this machine. */
  readonly clock?: Clock;
  /** The handling of tables that are absent: `create` makes them, `refuse` fails. Default: `create`. */
  readonly missingTables?: 'create' | 'refuse';
}

/** The rows that are deleted, and the speed. */
export interface Retention {
  /**
   * Executions that have started, statuses that were created, and operations that began before this time are deleted.
   */
  readonly before: Date;
  /** The most rows that one statement deletes. Default: 1,000. */
  readonly batchRows?: number;
  /** The pause between two statements, in milliseconds. Default: 100. */
  readonly pauseMs?: number;
}

/** The numbers of rows that were deleted. */
export interface DeletedRows {
  readonly executions: number;
  readonly statuses: number;
  /** Records of operations; 0 if there is no table of them. */
  readonly operations: number;
}

const STORAGE_RULES: OptionRules<RdbTraceStorageOptions> = {
  clock: aClock,
  missingTables: oneOf('create', 'refuse'),
};

const RETENTION_RULES: OptionRules<Retention> = {
  before: aDate,
  batchRows: integerFrom(1),
  pauseMs: milliseconds,
};

const ORPHAN_RULES: OptionRules<Orphans> = {
  ...{ jobName: text, jobInstanceId: text, failureCause: text },
  items: listOf(integerFrom(0), 'items'),
  ...{ startedBefore: aDate, startedAfter: aDate, completeTime: aDate },
};

const RETENTION = { batchRows: 1_000, pauseMs: 100 };

interface Tables {
  readonly executions: TraceRows;
  readonly statuses: TraceRows;
  /** Of the records of operations; `undefined` if there is no such table. */
  readonly operations: TraceRows | undefined;
}

/** Stores trace events in the tables `JOB_EXECUTION_LOG` and `JOB_STATUS_TRACE_LOG`. */
export class RdbTraceStorage implements TraceStorage {
  readonly #dialect: Dialect;
  readonly #connection: RdbConnection;
  readonly #finder: TraceTables;
  readonly #clock: Clock;
  readonly #missingTables: NonNullable<RdbTraceStorageOptions['missingTables']>;
  /** The tables as they were found; `undefined` if they must be read again. */
  #tables: Tables | undefined;

  /**
   * @param dataSource may be initialised later
   * @throws InvalidConfigurationError if its database cannot hold the tables; if an option is unknown or of a wrong
   * kind
   */
  constructor(
    /** The database with the tables. */
    readonly dataSource: DataSource,
    options: RdbTraceStorageOptions = {},
  ) {
    checkOptions('new RdbTraceStorage()', options, STORAGE_RULES);
    const { clock = systemClock, missingTables = 'create' } = options;
    this.#missingTables = missingTables;
    this.#dialect = dialectOf(dataSource);
    this.#connection = new RdbConnection(dataSource, clock);
    this.#clock = clock;
    this.#finder = new TraceTables(dataSource, this.#dialect);
  }

  /** Creates the tables if they are absent. Several instances may do so at once. */
  async prepare(signal: AbortSignal): Promise<void> {
    await this.#connection.use(signal, (run) => this.#find(run, 'create'));
  }

  /** The tables that exist, and the SQL that would create the others. Creates none. */
  schema(signal: AbortSignal): Promise<TraceSchema> {
    return this.#connection.use(signal, (run) => this.#finder.schema(run));
  }

  async write(events: readonly TraceEvent[], signal: AbortSignal): Promise<void> {
    await this.#connection.use(signal, async (run) => {
      try {
        await this.#writeAll(run, events, 'full');
      } catch (error) {
        this.#tables = undefined;
        if (signal.aborted || !isDataError(error)) throw error;
        if (events.length > 1) throw refused(error);
        // A row whose text does not fit into a small character set is worth more without it than not at all.
        await this.#writeAll(run, events, 'ascii').catch((again: unknown) => {
          throw isDataError(again) ? refused(again) : again;
        });
      }
    });
  }

  /**
   * Executions, latest first, a page at a time.
   * @throws InvalidConfigurationError if the filter cannot be used
   */
  async executions(filter: ExecutionFilter, signal: AbortSignal): Promise<TracePage<JobExecutionEvent>> {
    checkOptions('executions()', filter, FILTERS.executions);
    return await this.#use(signal, (run, { executions: rows }) =>
      readExecutions({ dialect: this.#dialect, run, rows }, filter),
    );
  }

  /**
   * Changes of state, latest first, a page at a time.
   * @throws InvalidConfigurationError if the filter cannot be used
   */
  async statuses(filter: StatusFilter, signal: AbortSignal): Promise<TracePage<JobStatusTraceEvent>> {
    checkOptions('statuses()', filter, FILTERS.statuses);
    return await this.#use(signal, (run, { statuses: rows }) =>
      readStatuses({ dialect: this.#dialect, run, rows }, filter),
    );
  }

  /** The names of jobs that have run. @throws InvalidConfigurationError if the filter cannot be used */
  async jobNames(filter: JobNameFilter, signal: AbortSignal): Promise<readonly string[]> {
    checkOptions('jobNames()', filter, FILTERS.jobNames, { required: ['prefix', 'limit'] });
    return await this.#use(signal, (run, { executions: rows }) =>
      readJobNames({ dialect: this.#dialect, run, rows }, filter),
    );
  }

  /**
   * The numbers of executions that began in each part of a time, with their outcomes and durations; the database counts
   * them.
   * @throws InvalidConfigurationError if the filter cannot be used
   */
  async figures(filter: CountFilter, signal: AbortSignal): Promise<ExecutionFigures> {
    checkOptions('figures()', filter, FIGURES_RULES, { required: ['bounds'] });
    return await this.#use(signal, (run, { executions: rows }) =>
      readFigures({ dialect: this.#dialect, run, rows }, filter),
    );
  }

  /**
   * The latest executions of several jobs, by the names of the jobs, the latest first.
   * @throws InvalidConfigurationError if the filter cannot be used
   */
  async latest(filter: LatestFilter, signal: AbortSignal): Promise<ReadonlyMap<string, readonly LatestExecution[]>> {
    checkOptions('latest()', filter, LATEST_RULES, { required: ['jobs'] });
    return await this.#use(signal, (run, { executions: rows }) =>
      readLatest({ dialect: this.#dialect, run, rows }, filter),
    );
  }

  /**
   * Completes the rows of executions whose instance has died. A row that is complete stays as it is; if the instance
   * lives after all, the completion that it writes later replaces this one.
   * @returns how many rows were completed
   * @throws InvalidConfigurationError if the orphans cannot be used
   */
  async completeOrphans(orphans: Orphans, signal: AbortSignal): Promise<number> {
    const required = ['jobName', 'jobInstanceId', 'startedBefore', 'failureCause', 'completeTime'];
    checkOptions('completeOrphans()', orphans, ORPHAN_RULES, { required });
    return await this.#use(signal, (run, { executions }) => completeOrphans(this.#dialect, run, executions, orphans));
  }

  /**
   * Deletes old rows, a few at a time. To be called by one instance at a time: several would be in each other's way.
   * @throws InvalidConfigurationError if the retention cannot be used
   */
  async deleteOld(retention: Retention, signal: AbortSignal): Promise<DeletedRows> {
    const required = ['before'];
    checkOptions('deleteOld()', retention, RETENTION_RULES, { required, example: '{ before: new Date(…) }' });
    // One table after the other, to be gentle.
    const executions = await this.#deleteOldOf('executions', { ...RETENTION, ...retention }, signal);
    const statuses = await this.#deleteOldOf('statuses', { ...RETENTION, ...retention }, signal);
    const operations = await this.#deleteOldOf('operations', { ...RETENTION, ...retention }, signal);
    return { executions, statuses, operations };
  }

  async #deleteOldOf(
    table: keyof Tables,
    { before, batchRows, pauseMs }: Required<Retention>,
    signal: AbortSignal,
  ): Promise<number> {
    let deleted = 0;
    for (;;) {
      // Each statement has a connection of its own, so that none is held for long.
      const affected = await this.#use(signal, async (run, { [table]: rows }) => {
        if (rows === undefined) return 0;
        const deletion = statement(this.#dialect, (bind) => {
          const condition = `${rows.reference(rows.timeColumn)} < ${bind(before)}`;
          return this.#dialect.deleteSome(rows.target, condition, batchRows);
        });
        return (await run(deletion)).affected;
      });
      deleted += affected;
      if (affected < batchRows) return deleted;
      await sleep(this.#clock, pauseMs, signal);
    }
  }

  /** Carries out work on the tables; after a failure, they are read again for the next work. */
  #use<T>(signal: AbortSignal, work: (run: Run, tables: Tables) => Promise<T>): Promise<T> {
    return this.#connection.use(signal, async (run) => {
      try {
        return await work(run, this.#tables ?? (await this.#find(run)));
      } catch (error) {
        this.#tables = undefined;
        throw error;
      }
    });
  }

  async #find(run: Run, missing = this.#missingTables): Promise<Tables> {
    const { executions, statuses } = await (missing === 'create'
      ? this.#finder.findOrCreate(run)
      : this.#finder.findBoth(run));
    const operations = await this.#finder.find(run, OPERATIONS);
    this.#tables = {
      operations: operations && new TraceRows(this.#dialect, operations),
      executions: new TraceRows(this.#dialect, executions),
      statuses: new TraceRows(this.#dialect, statuses),
    };
    return this.#tables;
  }

  async #writeAll(run: Run, events: readonly TraceEvent[], form: TextForm): Promise<void> {
    const { executions, statuses } = this.#tables ?? (await this.#find(run));
    const { started, completed, states } = sorted(events);
    const rowsOf = (some: readonly JobExecutionEvent[]) =>
      some.map((event) => executions.row(executionFields(event), form));
    const stateRows = states.map((event) => statuses.row(statusFields(event), form));
    // In a row, on one connection.
    for (const rows of [
      { rows: executions, values: rowsOf(started), onDuplicate: 'keep' },
      { rows: executions, values: rowsOf(completed), onDuplicate: 'complete' },
      { rows: statuses, values: stateRows, onDuplicate: 'keep' },
    ] as const)
      await writeRows(this.#dialect, run, rows);
  }
}

/** One event for each row: a completion has all fields of its start. */
function sorted(events: readonly TraceEvent[]) {
  const executions = new Map<string, JobExecutionEvent>();
  const states = new Map<string, JobStatusTraceEvent>();
  for (const event of events) {
    if (event.type === 'status') states.set(event.id, event);
    else if (event.completeTime !== undefined || !executions.has(event.id)) executions.set(event.id, event);
  }
  const all = [...executions.values()];
  return {
    started: all.filter(({ completeTime }) => completeTime === undefined),
    completed: all.filter(({ completeTime }) => completeTime !== undefined),
    states: [...states.values()],
  };
}

const refused = (cause: unknown): TraceRefusedError => new TraceRefusedError(describeCause(cause), { cause });
