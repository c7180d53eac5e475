import { type DataSource } from 'typeorm';
import { DeadlineExceededError } from '../../api/errors/errors.js';
import { type OperationListener, type OperationRecord } from '../../api/events/operation-record.js';
import { aClock, checkOptions } from '../../api/settings/call-options.js';
import { timedCall } from '../../async/timed-call.js';
import { type Clock, systemClock } from '../../time/clock.js';
import { type Dialect } from './dialect.js';
import { dialectOf } from './dialect-of.js';
import { TraceTables } from './found-tables.js';
import { RdbConnection, type Run } from './rdb-connection.js';
import { isDataError } from './sql-errors.js';
import { FILTERS, type OperationFilter, readOperations, type TracePage } from './trace-query.js';
import { type TextForm, operationFields, TraceRows } from './trace-rows.js';
import { OPERATIONS } from './trace-tables.js';
import { writeRows } from './trace-writer.js';

/** The longest time to store one record, in milliseconds. */
const TIMEOUT_MS = 8_000;

/**
 * Stores the records of operations in the table `JOB_OPERATION_LOG`, which it creates if it is absent. A record that
 * cannot be stored within eight seconds is logged by the operations that it listens to, and is lost.
 */
export class RdbOperationLog implements OperationListener {
  readonly #dialect: Dialect;
  readonly #connection: RdbConnection;
  readonly #finder: TraceTables;
  readonly #clock: Clock;
  #rows: TraceRows | undefined;
  /** Records are stored one after the other, in the order of the operations. */
  #last: Promise<void> = Promise.resolve();

  /**
   * @param dataSource may be initialised later
   * @throws InvalidConfigurationError if its database cannot hold the table; if an option is unknown or of a wrong kind
   */
  constructor(dataSource: DataSource, options: { readonly clock?: Clock } = {}) {
    checkOptions('new RdbOperationLog()', options, { clock: aClock });
    const { clock = systemClock } = options;
    this.#dialect = dialectOf(dataSource);
    this.#connection = new RdbConnection(dataSource, clock);
    this.#finder = new TraceTables(dataSource, this.#dialect);
    this.#clock = clock;
  }

  onOperation(record: OperationRecord): Promise<void> {
    const stored = this.#last.then(() =>
      timedCall((signal) => this.#store(record, signal), {
        clock: this.#clock,
        signal: new AbortController().signal,
        limitMs: TIMEOUT_MS,
        error: () => new DeadlineExceededError('the database of records of operations', TIMEOUT_MS),
      }),
    );
    this.#last = stored.catch(() => undefined);
    return stored;
  }

  /**
   * Records of operations, latest first, a page at a time. Values that were cut to the width of their column are left
   * out.
   * @throws InvalidConfigurationError if the filter cannot be used
   */
  async operations(filter: OperationFilter, signal: AbortSignal): Promise<TracePage<OperationRecord>> {
    checkOptions('operations()', filter, FILTERS.operations);
    return await this.#connection.use(signal, async (run) => {
      try {
        return await readOperations({ dialect: this.#dialect, run, rows: await this.#found(run) }, filter);
      } catch (error) {
        this.#rows = undefined;
        throw error;
      }
    });
  }

  async #store(record: OperationRecord, signal: AbortSignal): Promise<void> {
    await this.#connection.use(signal, async (run) => {
      try {
        await this.#write(run, record, 'full');
      } catch (error) {
        this.#rows = undefined;
        if (signal.aborted || !isDataError(error)) throw error;
        // A row whose text does not fit into a small character set is worth more without it than not at all.
        await this.#write(run, record, 'ascii');
      }
    });
  }

  async #write(run: Run, record: OperationRecord, form: TextForm): Promise<void> {
    const rows = await this.#found(run);
    const values = [rows.row(operationFields(record), form)];
    await writeRows(this.#dialect, run, { rows, values, onDuplicate: 'keep' });
  }

  async #found(run: Run): Promise<TraceRows> {
    return (this.#rows ??= new TraceRows(this.#dialect, await this.#finder.findOrCreateOne(run, OPERATIONS)));
  }
}
