/** Rules about the trace: one row for each item that was begun, with its end, unless its process died. */
import { type Evidence, grouped } from './evidence.js';
import { type ProcessTrace, type Run, type TraceRow } from './recording.js';
import { nameOf, seconds } from './run-book.js';

const MAX_RETRIES = 'run.maxRetries';

/** Each item that a process has begun has one row. */
export function tracedItems({ recording }: Evidence): readonly string[] {
  return recording.traces.flatMap(({ instance, begun, rows, diedMs }) => {
    const byItem = grouped([...rows.values()], ({ item }) => item);
    return [...new Set([...begun.keys(), ...byItem.keys()])].flatMap((item) => {
      const times = begun.get(item) ?? 0;
      const count = byItem.get(item)?.length ?? 0;
      // An item that waits for a place in the pool has no row yet when its process dies.
      const isRight = diedMs === undefined ? count === times : count <= times;
      return isRight ? [] : [`${instance} has begun item ${item} ${times} times, and traced it ${count} times`];
    });
  });
}

/** Each call of the job's code has the row that began with it; the row ends with it, and says how it ended. */
export function tracedRuns({ recording, history }: Evidence): readonly string[] {
  const traced = new Map<string, { readonly row: TraceRow; readonly trace: ProcessTrace }[]>();
  for (const trace of recording.traces)
    for (const row of trace.rows.values()) {
      if (isUnstarted(row)) continue;
      const key = keyOf(trace.instance, row.item, row.startMs);
      traced.set(key, [...(traced.get(key) ?? []), { row, trace }]);
    }
  return recording.runs.flatMap((run) => {
    const found = traced.get(keyOf(run.instance, run.item, run.begunMs))?.shift();
    if (found === undefined) return [`${nameOf(run)} has no row`];
    // An item that has failed may end in the pause before it is tried again.
    const isRetried = run.end === 'failed' && history.job.props?.[MAX_RETRIES] !== undefined;
    return isRetried ? [] : wrongEnd(run, found.row, found.trace);
  });
}

/** True if the item was aborted before it could start. */
function isUnstarted({ startMs, endMs, deliveries, success }: TraceRow): boolean {
  return deliveries === 1 && endMs === startMs && !success;
}

function keyOf(instance: string, item: number, startMs: number): string {
  return `${instance} ${item} ${startMs}`;
}

function wrongEnd(run: Run, row: TraceRow, { diedMs = Infinity }: ProcessTrace): readonly string[] {
  const { abortedMs, end, endedMs = Infinity } = run;
  // An aborted item may be given up before its code ends.
  if (abortedMs !== undefined || end === 'lost' || endedMs >= diedMs) return [];
  if (row.endMs !== endedMs) return [`the row of ${nameOf(run)} ends at ${row.endMs}, the run at ${seconds(endedMs)}`];
  return row.success === (end === 'completed') ? [] : [`the row of ${nameOf(run)} says ${row.success}; it has ${end}`];
}

/** Each row is delivered when it begins and when it ends, or once if its item did not start. */
export function tracedEnds({ recording }: Evidence): readonly string[] {
  return recording.traces.flatMap(({ instance, rows, diedMs }) =>
    [...rows.values()].flatMap((each) => {
      const { item, startMs, endMs, deliveries } = each;
      const row = `the row of item ${item} on ${instance} from ${seconds(startMs)}`;
      if (endMs === undefined) return diedMs === undefined ? [`${row} has no end`] : [];
      if (deliveries > 2) return [`${row} was delivered ${deliveries} times`];
      return deliveries === 2 || isUnstarted(each) ? [] : [`${row} was delivered only at its end`];
    }),
  );
}

/** Each run that was staged has come to one end. */
export function tracedStates({ recording }: Evidence): readonly string[] {
  return recording.traces.flatMap(({ instance, staged, ended, diedMs }) => {
    const isRight = diedMs === undefined ? staged === ended : ended <= staged;
    return isRight ? [] : [`${instance} has staged ${staged} runs, and ended ${ended}`];
  });
}
