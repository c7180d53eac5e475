import { namesText } from '../../api/settings/dependencies.js';
import { type OperationRecord } from '../../api/events/operation-record.js';
import { type JobExecutionEvent, type JobStatusTraceEvent } from '../../api/events/trace-events.js';
import { type Dialect, type RowValues, type Value, type WriteTarget } from './dialect.js';
import { type FoundTable } from './found-tables.js';
import { ascii, cutEnd, cutMiddle, storable } from './text-width.js';
import { type Column, COMPLETION_COLUMNS } from './trace-tables.js';

/** The form of texts: `full` keeps their characters, `ascii` keeps only the characters that every character set has. */
export type TextForm = 'full' | 'ascii';

type Fields = Readonly<Record<string, Value | undefined>>;

/** The values of an execution by the names of their columns. */
export function executionFields(event: JobExecutionEvent): Fields {
  return {
    id: event.id,
    job_name: event.jobName,
    task_id: event.taskId,
    hostname: event.hostname,
    ip: event.ip,
    sharding_item: event.shardingItem,
    execution_source: event.source,
    failure_cause: event.failureCause,
    is_success: event.success,
    start_time: event.startTime,
    complete_time: event.completeTime,
    run_cause: event.cause,
    scheduled_at: event.scheduledAt,
    upstream_jobs: event.upstreams && namesText(event.upstreams),
  };
}

/** The values of a status by the names of their columns. */
export function statusFields(event: JobStatusTraceEvent): Fields {
  return {
    id: event.id,
    job_name: event.jobName,
    original_task_id: event.originalTaskId,
    task_id: event.taskId,
    slave_id: event.slaveId,
    source: 'LITE_EXECUTOR',
    execution_type: event.executionType,
    // As Java prints a list.
    sharding_item: `[${event.shardingItems.join(', ')}]`,
    state: event.state,
    message: event.message,
    creation_time: event.creationTime,
  };
}

/** The values of the record of an operation by the names of their columns. */
export function operationFields(record: OperationRecord): Fields {
  return {
    id: record.id,
    job_name: record.jobName,
    server_ip: record.serverIp,
    sharding_item: record.item,
    operation: record.operation,
    registry_center: record.registryCenter,
    operator: record.operator,
    reason: record.reason,
    value_before: JSON.stringify(record.before),
    value_after: JSON.stringify(record.after),
    outcome: record.outcome,
    failure_cause: record.error,
    started_at: record.startedAt,
  };
}

/** Makes the rows of one table as it stands in the database. */
export class TraceRows {
  readonly target: WriteTarget;
  readonly #dialect: Dialect;
  readonly #found: FoundTable;
  readonly #columns: readonly Column[];

  constructor(dialect: Dialect, found: FoundTable) {
    this.#dialect = dialect;
    this.#found = found;
    this.#columns = found.table.columns.filter(({ name }) => found.columns.has(name));
    this.target = {
      table: found.reference,
      columns: this.#columns.map(({ name }) => this.reference(name)),
      id: this.reference('id'),
      completion: COMPLETION_COLUMNS.filter((name) => found.columns.has(name)).map((name) => this.reference(name)),
    };
  }

  /** True if `id` is unique, and therefore has an index, in all databases. */
  get hasUniqueId(): boolean {
    return this.#found.table.hasUniqueId;
  }

  /** True if the table has the column. */
  has(name: string): boolean {
    return this.#found.columns.has(name);
  }

  /** The column by which rows are listed and deleted. */
  get timeColumn(): string {
    return this.#found.table.timeColumn;
  }

  /** All columns, to be read by their names in this library. `asText` makes a text of a timestamp. */
  selection(asText: (column: string) => string): string {
    return this.#columns
      .map(({ name, type }) => {
        const reference = this.reference(name);
        return `${type === 'timestamp' ? asText(reference) : reference} AS ${name}_`;
      })
      .join(', ');
  }

  /** A column as it stands in SQL. */
  reference(name: string): string {
    return this.#found.columns.get(name)?.reference ?? name;
  }

  /** The row in the order of the target's columns. */
  row(fields: Fields, form: TextForm): RowValues {
    return this.#columns.map((column) => this.#value(column, fields[column.name], form));
  }

  /** A text as it stands in a column, cut to its width. */
  text(name: string, text: string, form: TextForm = 'full'): string {
    const column = this.#columns.find((each) => each.name === name);
    return column === undefined ? text : String(this.#value(column, text, form));
  }

  #value(column: Column, value: Value | undefined, form: TextForm): Value {
    if (value === undefined) return null;
    if (typeof value !== 'string') return value;
    const text = form === 'ascii' ? ascii(value) : storable(value);
    if (text === '' && this.#dialect.emptyTextIsNull && column.isRequired) return ' ';
    const width = this.#found.columns.get(column.name)?.width ?? column.width;
    // The end of a task id names the instance.
    const cut = column.name === 'task_id' ? cutMiddle : cutEnd;
    const fitting = cut(text, width, this.#dialect.textUnit);
    return form === 'ascii' ? ascii(fitting) : fitting;
  }
}
