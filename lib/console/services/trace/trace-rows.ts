import { type JobExecutionEvent, type JobStatusTraceEvent } from '../../../api/events/trace-events.js';
import { withoutSecrets } from '../../../api/text/secrets.js';
import { type LastRun, type TraceResult } from '../../contract/jobs.js';
import { type ExecutionDetail, type ExecutionRow, type FiringRow, type StatusRow } from '../../contract/trace.js';

/** The result of an execution, `running` if it has not ended. */
export function resultOf({ success, completeTime, failureCause }: JobExecutionEvent): TraceResult {
  if (success) return 'ok';
  // Java stores some failures without the time of their end.
  return completeTime === undefined && failureCause === undefined ? 'running' : 'failed';
}

/** An execution as lists show it. */
export function executionRow(event: JobExecutionEvent): ExecutionRow {
  const { id, jobName, taskId, hostname, ip, shardingItem, source, startTime, completeTime, failureCause } = event;
  // Java, or a release that hid less, may have written the row.
  const failure = failureCause === undefined ? undefined : withoutSecrets(failureCause.trim().split('\n', 1)[0] ?? '');
  return {
    ...{ id, jobName, taskId, hostname, ip, item: shardingItem, source, result: resultOf(event) },
    startedAt: startTime.getTime(),
    ...(completeTime && { completedAt: completeTime.getTime(), durationMs: durationOf(event) ?? 0 }),
    ...(event.cause !== undefined && { cause: event.cause }),
    ...(event.scheduledAt !== undefined && { scheduledAt: event.scheduledAt.getTime() }),
    ...(event.upstreams !== undefined && { upstreams: event.upstreams }),
    ...(failure !== undefined && { failure }),
  };
}

/** An execution with its whole failure. */
export function executionDetail(event: JobExecutionEvent): ExecutionDetail {
  return {
    ...executionRow(event),
    ...(event.failureCause !== undefined && { failureCause: withoutSecrets(event.failureCause) }),
  };
}

/** A change of state. */
export function statusRow(event: JobStatusTraceEvent): StatusRow {
  const { id, jobName, taskId, originalTaskId, executionType, shardingItems, state, message, creationTime } = event;
  return {
    ...{ id, jobName, taskId, source: 'LITE_EXECUTOR', executionType, state },
    ...(originalTaskId !== '' && { originalTaskId }),
    shardingItems: `[${shardingItems.join(', ')}]`,
    ...(message !== '' && { message: withoutSecrets(message) }),
    createdAt: creationTime.getTime(),
  };
}

/** The run of an execution, for lists of jobs and items. */
export function lastRunOf(event: JobExecutionEvent): LastRun {
  const durationMs = durationOf(event);
  return { at: event.startTime.getTime(), result: resultOf(event), ...(durationMs !== undefined && { durationMs }) };
}

/** The duration of an execution; `undefined` if it has not ended. At least 0, as clocks may be set back. */
export function durationOf({
  startTime,
  completeTime,
}: Pick<JobExecutionEvent, 'startTime' | 'completeTime'>): number | undefined {
  return completeTime && Math.max(0, completeTime.getTime() - startTime.getTime());
}

/** Items of one firing begin within this many milliseconds of each other, even if they wait for a thread. */
const GAP_MS = 10_000;

/** The fields of executions by which firings are grouped. */
export type FiringItem = Pick<ExecutionRow, 'item' | 'source' | 'result' | 'startedAt' | 'completedAt'>;

/** A firing with its executions. */
export interface Firing<Row extends FiringItem> extends Omit<FiringRow, 'items'> {
  readonly items: readonly Row[];
}

interface OpenFiring<Row> {
  readonly rows: Row[];
  readonly items: Set<number>;
}

/**
 * Groups executions of one job by firing: the same cause, no item twice, begun soon after each other.
 * @param rows the latest first
 * @returns the latest firing first
 */
export function groupFirings<Row extends FiringItem>(rows: readonly Row[]): readonly Firing<Row>[] {
  const firings: OpenFiring<Row>[] = [];
  for (const row of rows) {
    // Items of a takeover begin while other firings go on.
    const open = firings
      .slice(-MOST_OPEN)
      .reverse()
      .find((firing) => belongs(row, firing));
    if (open === undefined) firings.push({ rows: [row], items: new Set([row.item]) });
    else {
      open.rows.push(row);
      open.items.add(row.item);
    }
  }
  return firings.map(firingOf).sort((one, other) => other.startedAt - one.startedAt);
}

const MOST_OPEN = 4;

function belongs(row: FiringItem, { rows, items }: OpenFiring<FiringItem>): boolean {
  const earliest = rows.at(-1);
  return (
    earliest !== undefined &&
    earliest.source === row.source &&
    earliest.startedAt - row.startedAt <= GAP_MS &&
    !items.has(row.item)
  );
}

function firingOf<Row extends FiringItem>({ rows }: OpenFiring<Row>): Firing<Row> {
  const count = (result: TraceResult): number => rows.filter((row) => row.result === result).length;
  const running = count('running');
  const completedAt = rows.reduce((latest, row) => Math.max(latest, row.completedAt ?? -Infinity), -Infinity);
  return {
    startedAt: rows.reduce((earliest, row) => Math.min(earliest, row.startedAt), Infinity),
    ...(running === 0 && completedAt > -Infinity && { completedAt }),
    source: rows[0]?.source ?? 'NORMAL_TRIGGER',
    ...{ succeeded: count('ok'), failed: count('failed'), running },
    items: [...rows].sort((one, other) => one.item - other.item),
  };
}
