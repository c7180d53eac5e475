import { type JobExecutionEvent, type JobStatusTraceEvent } from '../../../api/events/trace-events.js';
import { withoutSecrets } from '../../../api/text/secrets.js';
import {
  type ExecutionFilter,
  type StatusFilter,
  type TraceFilter,
  type TracePage,
} from '../../../tracing/rdb/index.js';
import { type DataSources } from '../trace/data-sources.js';

/** The page and the order of a request to the older APIs. */
export interface TableRequest {
  /** From 1 on. */
  readonly page: number;
  readonly size: number;
  /** The name of a field. Default: the time, latest first. */
  readonly sort?: string | undefined;
  readonly isAscending: boolean;
}

/** A page of rows, with their number up to the limit of counting. */
export interface Table<Row> {
  readonly total: number;
  readonly rows: readonly Row[];
}

/** Rows that are read at a time. */
const PAGE = 1_000;

/** Further rows are neither shown nor counted; a filter by time finds older ones. */
const MOST_ROWS = 10_000;

/** The trace as tables with numbered pages, the form of the older APIs. */
export class TraceTables {
  constructor(private readonly sources: DataSources) {}

  executions(
    filter: ExecutionFilter,
    isWanted: (event: JobExecutionEvent) => boolean,
    request: TableRequest,
  ): Promise<Table<Readonly<Record<string, unknown>>>> {
    const read = (each: ExecutionFilter): Promise<TracePage<JobExecutionEvent>> =>
      this.sources.find(undefined).use((storage, signal) => storage.executions(each, signal));
    return table(read, filter, request, (event) => (isWanted(event) ? [executionRow(event)] : []));
  }

  statuses(
    filter: StatusFilter,
    isWanted: (event: JobStatusTraceEvent) => boolean,
    request: TableRequest,
  ): Promise<Table<Readonly<Record<string, unknown>>>> {
    const read = (each: StatusFilter): Promise<TracePage<JobStatusTraceEvent>> =>
      this.sources.find(undefined).use((storage, signal) => storage.statuses(each, signal));
    return table(read, filter, request, (event) => (isWanted(event) ? [statusRow(event)] : []));
  }
}

type Row = Readonly<Record<string, unknown>>;

async function table<Event, Filter extends TraceFilter>(
  read: (filter: Filter) => Promise<TracePage<Event>>,
  filter: Filter,
  { page, size, sort, isAscending }: TableRequest,
  toRows: (event: Event) => readonly Row[],
): Promise<Table<Row>> {
  const rows: Row[] = [];
  let after: string | undefined;
  for (let count = 0; count < MOST_ROWS; count += PAGE) {
    // One after the other, as each page begins after the last one.
    const found = await read({ ...filter, pageSize: PAGE, after });
    rows.push(...found.rows.flatMap(toRows));
    if (found.next === undefined) break;
    after = found.next;
  }
  const [first] = rows;
  if (sort !== undefined && first !== undefined && Object.hasOwn(first, sort))
    rows.sort(by(sort, isAscending ? 1 : -1));
  return { total: rows.length, rows: rows.slice((page - 1) * size, page * size) };
}

function by(name: string, direction: 1 | -1): (one: Row, other: Row) => number {
  const keyOf = (row: Row): string | number => {
    const value = row[name];
    return typeof value === 'number' || typeof value === 'string' ? value : Number(value);
  };
  return (one, other) => {
    const [a, b] = [keyOf(one), keyOf(other)];
    return a === b ? 0 : (a < b ? -1 : 1) * direction;
  };
}

/** An execution with times in milliseconds since 1970, as in Java's JSON. */
function executionRow(event: JobExecutionEvent): Row {
  const { id, hostname, ip, taskId, jobName, source, shardingItem, startTime, completeTime, success, failureCause } =
    event;
  return {
    ...{ id, hostname, ip, taskId, jobName, source, shardingItem, startTime: startTime.getTime() },
    ...{
      completeTime: completeTime?.getTime() ?? null,
      success,
      failureCause: failureCause === undefined ? null : withoutSecrets(failureCause),
    },
  };
}

function statusRow(event: JobStatusTraceEvent): Row {
  const { id, jobName, originalTaskId, taskId, slaveId, executionType, shardingItems, state, message, creationTime } =
    event;
  return {
    ...{ id, jobName, originalTaskId, taskId, slaveId, source: 'LITE_EXECUTOR', executionType },
    ...{
      shardingItems: `[${shardingItems.join(', ')}]`,
      state,
      message: withoutSecrets(message),
      creationTime: creationTime.getTime(),
    },
  };
}
