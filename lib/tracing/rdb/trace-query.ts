/**
 * Reading the tables back, latest rows first, a page at a time. A page begins behind a key (the time and the id of a
 * row) rather than at a number, so that the last page takes no longer than the first.
 */
import { isMap } from '../../api/text/describe-value.js';
import { InvalidConfigurationError } from '../../api/errors/errors.js';
import {
  aDate,
  anything,
  either,
  integerFrom,
  oneOf,
  type OptionRules,
  text,
} from '../../api/settings/call-options.js';
import { namesIn } from '../../api/settings/dependencies.js';
import { type FiringCause } from '../../api/events/run-events.js';
import { type OperationName, type OperationRecord } from '../../api/events/operation-record.js';
import {
  type ExecutionSource,
  type JobExecutionEvent,
  type JobState,
  type JobStatusTraceEvent,
} from '../../api/events/trace-events.js';
import { parseTaskId } from '../../layout/task-id.js';
import { type Bind, type Dialect, type Value } from './dialect.js';
import { type Run } from './rdb-connection.js';
import { statement } from './statement.js';
import { type TraceRows } from './trace-rows.js';
import { fromWallClock } from './wall-clock.js';

/** A filter of rows: all given conditions must hold. */
export interface TraceFilter {
  readonly jobName?: string | undefined;
  readonly taskId?: string | undefined;
  /** The earliest start of an execution, or creation of a status. */
  readonly from?: Date | undefined;
  /** Rows of that time and later ones are left out. */
  readonly to?: Date | undefined;
  /** The most rows, 1 to 1,000. Default: 50. */
  readonly pageSize?: number | undefined;
  /** `next` of the page before. */
  readonly after?: string | undefined;
}

/** A filter of executions. */
export interface ExecutionFilter extends TraceFilter {
  /** An execution whose process has died without a trace counts as `running`. */
  readonly outcome?: 'running' | 'succeeded' | 'failed' | undefined;
  /** Only executions of this item. */
  readonly shardingItem?: number | undefined;
  /** Only the execution with this id. */
  readonly id?: string | undefined;
  /** Only executions on this server. */
  readonly ip?: string | undefined;
  readonly source?: ExecutionSource | undefined;
  /** Only executions for this scheduled instant. Only in tables that this library has made. */
  readonly scheduledAt?: Date | undefined;
}

/** A filter of names of jobs. */
export interface JobNameFilter {
  /** The beginning of the names. */
  readonly prefix: string;
  /** The most names, 1 to 100. */
  readonly limit: number;
}

/** A filter of statuses. */
export interface StatusFilter extends TraceFilter {
  readonly state?: JobState | undefined;
}

/** A filter of records of operations. */
export interface OperationFilter extends Omit<TraceFilter, 'jobName' | 'taskId'> {
  /** `null`: only operations that name no job, such as the disabling of a server for all jobs. */
  readonly jobName?: string | null | undefined;
}

/** Some rows, latest first. */
export interface TracePage<Event> {
  readonly rows: readonly Event[];
  /** The value of `after` for the next page; `undefined` if this is the last one. */
  readonly next: string | undefined;
}

const FILTER_RULES: OptionRules<TraceFilter> = {
  ...{ jobName: text, taskId: text, from: aDate, to: aDate },
  // With the page.
  ...{ pageSize: anything, after: anything },
};

/** The rules of each filter. */
export const FILTERS = {
  executions: {
    ...FILTER_RULES,
    ...{ outcome: oneOf('running', 'succeeded', 'failed'), shardingItem: integerFrom(0) },
    ...{ id: text, ip: text, source: text, scheduledAt: aDate },
  } satisfies OptionRules<ExecutionFilter>,
  statuses: { ...FILTER_RULES, state: text } satisfies OptionRules<StatusFilter>,
  jobNames: { prefix: text, limit: integerFrom(1) } satisfies OptionRules<JobNameFilter>,
  operations: {
    ...{ from: aDate, to: aDate, pageSize: anything, after: anything },
    jobName: either('must be a text or null', text, (value) => (value === null ? undefined : 'must be null')),
  } satisfies OptionRules<OperationFilter>,
};

const DEFAULT_PAGE_SIZE = 50;
const LARGEST_PAGE_SIZE = 1_000;

/** The parts that are needed to read a table. */
export interface TraceReader {
  readonly dialect: Dialect;
  readonly run: Run;
  readonly rows: TraceRows;
}

/** A page of executions. @throws InvalidConfigurationError if `after` or `pageSize` cannot be used */
export async function readExecutions(
  reader: TraceReader,
  { outcome, shardingItem, id, ip, source, scheduledAt, ...filter }: ExecutionFilter,
): Promise<TracePage<JobExecutionEvent>> {
  if (scheduledAt !== undefined && !reader.rows.has('scheduled_at'))
    throw new InvalidConfigurationError([
      'scheduledAt: the table JOB_EXECUTION_LOG has no column scheduled_at, because this library has not made it. Add it as docs/tracing.md shows, or leave out the filter.',
    ]);
  const text = (name: string, value: string): string => reader.rows.text(name, value);
  const equal = {
    ...(id !== undefined && { id: text('id', id) }),
    ...(ip !== undefined && { ip: text('ip', ip) }),
    ...(source !== undefined && { execution_source: text('execution_source', source) }),
    ...(outcome !== undefined && { is_success: outcome === 'succeeded' }),
    ...(shardingItem !== undefined && { sharding_item: shardingItem }),
    ...(scheduledAt !== undefined && { scheduled_at: scheduledAt }),
  };
  return page(reader, filter, toExecution, {
    equal,
    conditions: (column) => {
      const [complete, cause] = [column('complete_time'), column('failure_cause')];
      // Java inserts some failures without the time of their end.
      if (outcome === 'failed') return [`(${complete} IS NOT NULL OR ${cause} IS NOT NULL)`];
      return outcome === 'running' ? [`${complete} IS NULL`, `${cause} IS NULL`] : [];
    },
  });
}

/** A page of statuses. @throws InvalidConfigurationError if `after` or `pageSize` cannot be used */
export async function readStatuses(
  reader: TraceReader,
  { state, ...filter }: StatusFilter,
): Promise<TracePage<JobStatusTraceEvent>> {
  const equal = state === undefined ? {} : { state };
  return page(reader, filter, toStatus, { equal, conditions: () => [] });
}

/**
 * The names of jobs that have run, in the order of the database. An index that begins with the job finds each name, so
 * the number of steps is the number of names; the number of rows does not matter.
 */
export async function readJobNames(
  { dialect, run, rows }: TraceReader,
  { prefix, limit }: JobNameFilter,
): Promise<readonly string[]> {
  const found: string[] = [];
  const column = rows.reference('job_name');
  for (let last: string | undefined; found.length < Math.min(limit, MOST_NAMES); found.push(last)) {
    const [from, comparison]: readonly [string, string] = last === undefined ? [prefix, '>='] : [last, '>'];
    const query = statement(
      dialect,
      (bind) => `SELECT MIN(${column}) AS name_ FROM ${rows.target.table} WHERE ${column} ${comparison} ${bind(from)}`,
    );
    // One after the other: each begins behind the one before.
    const [row] = (await run(query)).rows;
    const name = row?.['name_'];
    if (typeof name !== 'string' || name === last || !name.toLowerCase().startsWith(prefix.toLowerCase())) break;
    last = name;
  }
  return found.map((name) => name.trimEnd());
}

const MOST_NAMES = 100;

/** A page of records of operations. @throws InvalidConfigurationError if `after` or `pageSize` cannot be used */
export async function readOperations(
  reader: TraceReader,
  { jobName, ...filter }: OperationFilter,
): Promise<TracePage<OperationRecord>> {
  const named = typeof jobName === 'string' ? { ...filter, jobName } : filter;
  return page(reader, named, toOperation, {
    equal: {},
    conditions: (column) => (jobName === null ? [`${column('job_name')} IS NULL`] : []),
  });
}

type Row = Readonly<Record<string, unknown>>;

/** The conditions of one table's filter, besides those that all filters have. */
interface Special {
  /** Values by the names of columns. */
  readonly equal: Readonly<Record<string, Value>>;
  conditions(column: (name: string) => string): readonly string[];
}

async function page<Event extends { readonly id: string }>(
  reader: TraceReader,
  filter: TraceFilter,
  toEvent: (row: Row) => Event,
  special: Special,
): Promise<TracePage<Event>> {
  const { dialect, run, rows } = reader;
  const pageSize = checkedPageSize(filter.pageSize);
  const column = (name: string): string => rows.reference(name);
  const { timeColumn } = rows;
  const isNarrowed = Object.keys(special.equal).length > 0;
  const equal = { ...equalityOf(rows, isNarrowed ? withJobName(filter) : filter), ...special.equal };
  const listed = listedColumns(dialect, equal, filter);
  const query = statement(dialect, (bind) => {
    const equalities = Object.entries(equal).map(([name, value]) =>
      listed.includes(name)
        ? `${column(name)} IN (${bind(value)}, ${bind(absent(value))})`
        : `${column(name)} = ${bind(value)}`,
    );
    const all = [
      ...equalities,
      ...bounds(rows, filter, bind),
      ...behind(reader, filter.after, bind),
      ...special.conditions(column),
    ];
    const where = all.length === 0 ? '' : ` WHERE ${all.join(' AND ')}`;
    const order = [...listed, timeColumn, 'id'].map((name) => `${column(name)} DESC`);
    const selected = rows.selection((timestamp) => dialect.timestampText(timestamp));
    const select = `SELECT ${selected} FROM ${rows.target.table}${where} ORDER BY ${order.join(', ')}`;
    return dialect.firstRows(select, pageSize + 1);
  });
  const { rows: found } = await run(query);
  const shown = found.slice(0, pageSize);
  const last = found.length > pageSize ? shown.at(-1) : undefined;
  return { rows: shown.map(toEvent), next: last && keyOf(textIn(last, timeColumn), textIn(last, 'id')) };
}

/**
 * The columns that are compared with a list. Rows are ordered by them first, which changes nothing: all have the same
 * value.
 */
function listedColumns(dialect: Dialect, equal: object, { from, to, after }: TraceFilter): readonly string[] {
  const names = Object.keys(equal);
  switch (dialect.comparison) {
    case 'equal':
      return [];
    case 'lists-if-bounded':
      return from === undefined && to === undefined && after === undefined ? [] : names;
    case 'first-as-list': {
      // The indexes by outcome and by state begin with the job, if it is known; otherwise tasks have an index of their
      // own.
      const isNarrowed = names.includes('is_success') || names.includes('state');
      const candidates = isNarrowed ? ['job_name', 'task_id', 'state'] : ['task_id', 'job_name'];
      return candidates.filter((name) => names.includes(name)).slice(0, 1);
    }
    default:
      return dialect.comparison satisfies never;
  }
}

/** A value that no row has in such a column: with it, a list is not taken for a single value. */
export function absent(value: Value): Value {
  return typeof value === 'string' ? '' : -1;
}

/** The indexes by outcome and by state begin with the job. */
function withJobName(filter: TraceFilter): TraceFilter {
  if (filter.taskId === undefined || filter.jobName !== undefined) return filter;
  return { ...filter, jobName: parseTaskId(filter.taskId)?.jobName };
}

function equalityOf(rows: TraceRows, { jobName, taskId }: TraceFilter): Readonly<Record<string, Value>> {
  return {
    ...(jobName !== undefined && { job_name: rows.text('job_name', jobName) }),
    ...(taskId !== undefined && { task_id: rows.text('task_id', taskId) }),
  };
}

function bounds(rows: TraceRows, filter: TraceFilter, bind: Bind): readonly string[] {
  const time = rows.reference(rows.timeColumn);
  const conditions: string[] = [];
  if (filter.from !== undefined) conditions.push(`${time} >= ${bind(filter.from)}`);
  if (filter.to !== undefined) conditions.push(`${time} < ${bind(filter.to)}`);
  return conditions;
}

/** The condition of the rows that follow the row with this key. */
function behind({ rows, dialect }: TraceReader, after: string | undefined, bind: Bind): readonly string[] {
  if (after === undefined) return [];
  const { at, id } = readKey(after);
  const time = rows.reference(rows.timeColumn);
  // The database's own text, since other writers may give more digits than a `Date` has.
  const timestamp = (): string => dialect.toTimestamp(bind(at));
  // Databases can search an index by the first condition.
  return [`${time} <= ${timestamp()} AND (${time} < ${timestamp()} OR ${rows.reference('id')} < ${bind(id)})`];
}

function checkedPageSize(pageSize = DEFAULT_PAGE_SIZE): number {
  if (Number.isInteger(pageSize) && pageSize >= 1 && pageSize <= LARGEST_PAGE_SIZE) return pageSize;
  throw new InvalidConfigurationError([
    `pageSize: must be an integer from 1 to ${LARGEST_PAGE_SIZE}, got ${pageSize}.`,
  ]);
}

const keyOf = (at: string, id: string): string => Buffer.from(JSON.stringify([at, id])).toString('base64url');

/** @returns the time as the database wrote it */
function readKey(after: string): { readonly at: string; readonly id: string } {
  try {
    const [at, id] = JSON.parse(Buffer.from(after, 'base64url').toString()) as readonly unknown[];
    if (typeof at === 'string' && fromWallClock(at) !== undefined && typeof id === 'string') return { at, id };
  } catch {
    // Not even JSON: the same fault.
  }
  throw new InvalidConfigurationError([`after: must be the field next of a page, got '${after}'.`]);
}

function toExecution(row: Row): JobExecutionEvent {
  const startTime = fromWallClock(textIn(row, 'start_time')) ?? new Date(0);
  return {
    type: 'execution',
    id: textIn(row, 'id'),
    hostname: textIn(row, 'hostname'),
    ip: textIn(row, 'ip'),
    taskId: textIn(row, 'task_id'),
    jobName: textIn(row, 'job_name'),
    source: textIn(row, 'execution_source') as ExecutionSource,
    shardingItem: Number(row['sharding_item_']),
    startTime,
    completeTime: fromWallClock(textIn(row, 'complete_time'), startTime),
    success: row['is_success_'] === true || Number(row['is_success_']) === 1,
    failureCause: textIn(row, 'failure_cause') || undefined,
    ...ownFields(row),
  };
}

/** The fields that Java does not record. */
function ownFields(row: Row): Pick<JobExecutionEvent, 'cause' | 'scheduledAt' | 'upstreams'> {
  const cause = textIn(row, 'run_cause');
  const scheduledAt = fromWallClock(textIn(row, 'scheduled_at'));
  const upstreams = namesIn(textIn(row, 'upstream_jobs'));
  return {
    ...(cause !== '' && { cause: cause as FiringCause }),
    ...(scheduledAt !== undefined && { scheduledAt }),
    ...(upstreams !== undefined && { upstreams }),
  };
}

function toStatus(row: Row): JobStatusTraceEvent {
  return {
    type: 'status',
    id: textIn(row, 'id'),
    jobName: textIn(row, 'job_name'),
    originalTaskId: textIn(row, 'original_task_id'),
    taskId: textIn(row, 'task_id'),
    slaveId: textIn(row, 'slave_id'),
    executionType: textIn(row, 'execution_type') as 'READY' | 'FAILOVER',
    // A number that was cut is left out.
    shardingItems: (textIn(row, 'sharding_item').match(/(?<!\d)\d+(?=[,\]])/g) ?? []).map(Number),
    state: textIn(row, 'state') as JobState,
    message: textIn(row, 'message'),
    creationTime: fromWallClock(textIn(row, 'creation_time')) ?? new Date(0),
  };
}

function toOperation(row: Row): OperationRecord {
  const optional = (name: string): string | undefined => textIn(row, name) || undefined;
  const item = row['sharding_item_'];
  return {
    id: textIn(row, 'id'),
    operation: textIn(row, 'operation') as OperationName,
    registryCenter: optional('registry_center'),
    jobName: optional('job_name'),
    serverIp: optional('server_ip'),
    item: item === null || item === undefined ? undefined : Number(item),
    operator: textIn(row, 'operator'),
    reason: optional('reason'),
    startedAt: fromWallClock(textIn(row, 'started_at')) ?? new Date(0),
    before: valuesIn(textIn(row, 'value_before')),
    after: valuesIn(textIn(row, 'value_after')),
    outcome: textIn(row, 'outcome') as OperationRecord['outcome'],
    error: optional('failure_cause'),
  };
}

/** A text that was cut to the width of its column is not JSON: then nothing is known of the values. */
function valuesIn(text: string): Readonly<Record<string, string>> {
  try {
    const value: unknown = JSON.parse(text);
    return isMap(value) ? (value as Record<string, string>) : {};
  } catch {
    return {};
  }
}

/** A text; some databases fill it with blanks, or have one blank for an empty text. */
function textIn(row: Row, name: string): string {
  const value = row[`${name}_`];
  return typeof value === 'string' ? value.trimEnd() : '';
}
