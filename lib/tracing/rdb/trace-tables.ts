/**
 * The tables of traces and of the records of operations. The two of traces are those of ElasticJob, as all its versions
 * can read and write them. Java's own differ from version to version in the column `source`, which has a default value
 * here, so that versions with and without it may insert. Tables that this library makes have three columns more, which
 * Java leaves empty; tables that it finds are not altered.
 */

/** A column with its type in all dialects. */
export interface Column {
  readonly name: string;
  readonly type: 'text' | 'long-text' | 'integer' | 'boolean' | 'timestamp';
  /** The width of a text; 0 for other types. */
  readonly width: number;
  readonly isRequired: boolean;
  /** SQL of the default value. */
  readonly defaultValue?: string;
}

/** An index besides the key. */
export interface TableIndex {
  readonly name: string;
  readonly columns: readonly string[];
}

/** A table that this library creates if it does not exist. */
export interface TraceTable {
  readonly name: string;
  readonly columns: readonly Column[];
  /** The column by which rows are listed and deleted. */
  readonly timeColumn: string;
  /** True if `id` is unique in MySQL tables as well, where the primary key is another column. */
  readonly hasUniqueId: boolean;
  readonly indexes: readonly TableIndex[];
}

const required = (name: string, width: number): Column => ({ name, type: 'text', width, isRequired: true });
const moment = (name: string): Column => ({ name, type: 'timestamp', width: 0, isRequired: false });
const longText = (name: string): Column => ({ name, type: 'long-text', width: 4_000, isRequired: false });

/** The columns of `JOB_EXECUTION_LOG` that Java's table does not have: cause, instant and upstream jobs of a run. */
export const OWN_COLUMNS: readonly Column[] = [
  { ...required('run_cause', 20), isRequired: false },
  moment('scheduled_at'),
  longText('upstream_jobs'),
];

/** The only index that Java makes. */
export const JAVA_INDEX = 'TASK_ID_STATE_INDEX';

/** A row for each item of each run. */
export const EXECUTIONS: TraceTable = {
  name: 'JOB_EXECUTION_LOG',
  columns: [
    required('id', 40),
    required('job_name', 100),
    required('task_id', 255),
    required('hostname', 255),
    required('ip', 50),
    { name: 'sharding_item', type: 'integer', width: 0, isRequired: true },
    required('execution_source', 20),
    longText('failure_cause'),
    { name: 'is_success', type: 'boolean', width: 0, isRequired: true },
    moment('start_time'),
    moment('complete_time'),
    ...OWN_COLUMNS,
  ],
  timeColumn: 'start_time',
  hasUniqueId: true,
  indexes: [
    { name: 'EJ_EXECUTION_TIME', columns: ['start_time', 'id'] },
    { name: 'EJ_EXECUTION_JOB_TIME', columns: ['job_name', 'start_time', 'id'] },
    // All firings of an instance that lives long have one task.
    { name: 'EJ_EXECUTION_TASK_TIME', columns: ['task_id', 'start_time', 'id'] },
    { name: 'EJ_EXECUTION_RESULT_TIME', columns: ['is_success', 'start_time', 'id'] },
    // Without it, a page of failures of a large job that never fails would read all rows of the job.
    { name: 'EJ_EXECUTION_JOB_RESULT', columns: ['job_name', 'is_success', 'start_time', 'id'] },
    // For executions that run: otherwise all failures are read, as they have not succeeded either.
    { name: 'EJ_EXECUTION_COMPLETE', columns: ['complete_time', 'start_time', 'id'] },
  ],
};

/** A row for each change of the state of a run. */
export const STATUSES: TraceTable = {
  name: 'JOB_STATUS_TRACE_LOG',
  columns: [
    required('id', 40),
    required('job_name', 100),
    required('original_task_id', 255),
    required('task_id', 255),
    required('slave_id', 50),
    { ...required('source', 50), defaultValue: `'LITE_EXECUTOR'` },
    required('execution_type', 20),
    required('sharding_item', 100),
    required('state', 20),
    longText('message'),
    moment('creation_time'),
  ],
  timeColumn: 'creation_time',
  hasUniqueId: false,
  indexes: [
    { name: JAVA_INDEX, columns: ['task_id', 'state'] },
    { name: 'EJ_STATUS_TIME', columns: ['creation_time', 'id'] },
    { name: 'EJ_STATUS_JOB_TIME', columns: ['job_name', 'creation_time', 'id'] },
    { name: 'EJ_STATUS_TASK_TIME', columns: ['task_id', 'creation_time', 'id'] },
    { name: 'EJ_STATUS_STATE_TIME', columns: ['state', 'creation_time', 'id'] },
    { name: 'EJ_STATUS_JOB_STATE', columns: ['job_name', 'state', 'creation_time', 'id'] },
  ],
};

/** A row for each operation of an operator. Java has none. */
export const OPERATIONS: TraceTable = {
  name: 'JOB_OPERATION_LOG',
  columns: [
    required('id', 40),
    { ...required('job_name', 100), isRequired: false },
    { ...required('server_ip', 50), isRequired: false },
    { name: 'sharding_item', type: 'integer', width: 0, isRequired: false },
    required('operation', 40),
    required('operator', 255),
    longText('reason'),
    longText('value_before'),
    longText('value_after'),
    required('outcome', 20),
    longText('failure_cause'),
    { ...required('registry_center', 100), isRequired: false },
    moment('started_at'),
  ],
  timeColumn: 'started_at',
  hasUniqueId: true,
  indexes: [
    { name: 'EJ_OPERATION_TIME', columns: ['started_at', 'id'] },
    { name: 'EJ_OPERATION_JOB_TIME', columns: ['job_name', 'started_at', 'id'] },
  ],
};

/** All tables. */
export const TABLES: readonly TraceTable[] = [EXECUTIONS, STATUSES, OPERATIONS];

/** The columns of an item's row that its completion changes. */
export const COMPLETION_COLUMNS: readonly string[] = ['is_success', 'complete_time', 'failure_cause'];
