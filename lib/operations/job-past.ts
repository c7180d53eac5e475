/** Reads the records of the past: a port that `RdbTraceStorage` and `RdbOperationLog` implement. */
import { describeCause } from '../api/text/describe-cause.js';
import { DeadlineExceededError } from '../api/errors/errors.js';
import { type OperationRecord } from '../api/events/operation-record.js';
import { timedCall } from '../async/timed-call.js';
import { type Clock } from '../time/clock.js';
import { type Past, type PastExecution, type PastState } from './explain/explanation.js';

/** A filter of rows: all given conditions must hold. The latest rows come first. */
export interface PastFilter {
  readonly jobName: string;
  /** The earliest start of an execution, or creation of a state. */
  readonly from?: Date;
  /** The end of the period, exclusive. */
  readonly to?: Date;
  /** The most rows to read. */
  readonly pageSize: number;
}

/** Reads the trace. `RdbTraceStorage` of `nestjs-elasticjob/tracing-rdb` is one. */
export interface TraceReader {
  executions(
    filter: PastFilter & { readonly shardingItem?: number; readonly outcome?: 'running' },
    signal: AbortSignal,
  ): Promise<{ readonly rows: readonly PastExecution[] }>;
  statuses(filter: PastFilter, signal: AbortSignal): Promise<{ readonly rows: readonly PastState[] }>;
}

/** Reads the records of operations. `RdbOperationLog` of `nestjs-elasticjob/tracing-rdb` is one. */
export interface OperationReader {
  operations(
    filter: { /** `null`: those that name no job. */ readonly jobName: string | null; readonly pageSize: number },
    signal: AbortSignal,
  ): Promise<{ readonly rows: readonly OperationRecord[] }>;
}

/** The sources of the past. */
export interface JobPast {
  readonly trace?: TraceReader | undefined;
  readonly operations?: OperationReader | undefined;
}

/** A question about the past. */
export interface PastQuestion {
  readonly jobName: string;
  readonly item: number | undefined;
  /** `undefined` for the present. */
  readonly instant: Date | undefined;
}

/** The most milliseconds that one query may take. */
const TIMEOUT_MS = 10_000;

const MOST_ROWS = 1_000;
/**
 * The most rows of runs before the instant that are read for one item: the latest of them may have gone on at the
 * instant.
 */
const FEW_ROWS = 5;

/** Runs for an instant, or that make up for it, are looked for up to this many milliseconds after it. */
const HORIZON_MS = 3_600_000;

/**
 * Reads the records around an instant. Records that cannot be read are left out, and `faults` says why, in sentences.
 */
export async function readPast(
  past: JobPast,
  question: PastQuestion,
  clock: Clock,
): Promise<{ readonly past: Past; readonly faults: readonly string[] }> {
  const faults: string[] = [];
  const read = <T>(what: string, work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> => {
    const error = (): Error => new DeadlineExceededError(what, TIMEOUT_MS);
    const { signal } = new AbortController();
    return timedCall(work, { clock, signal, limitMs: TIMEOUT_MS, error }).catch((failure: unknown) => {
      faults.push(`${what} could not be read: ${describeCause(failure)}`);
      return undefined;
    });
  };
  const { trace, operations } = past;
  const [executions, states, records] = await Promise.all([
    trace && read('The trace', (signal) => executionsAround(trace, question, signal)),
    trace && read('The states in the trace', (signal) => statesAfter(trace, question, signal)),
    operations && read('The records of operations', (signal) => operationsOn(operations, question, signal)),
  ]);
  return { past: { executions, states, operations: records }, faults };
}

async function executionsAround(
  trace: TraceReader,
  { jobName, item, instant }: PastQuestion,
  signal: AbortSignal,
): Promise<readonly PastExecution[]> {
  const filter = { jobName, pageSize: MOST_ROWS, ...(item !== undefined && { shardingItem: item }) };
  if (instant === undefined) return (await trace.executions({ ...filter, outcome: 'running' }, signal)).rows;
  const to = new Date(instant.getTime() + HORIZON_MS);
  // One after the other, as each query occupies a connection.
  const later = await trace.executions({ ...filter, from: instant, to }, signal);
  const pageSize = item === undefined ? MOST_ROWS : FEW_ROWS;
  const earlier = await trace.executions({ ...filter, to: instant, pageSize }, signal);
  return [...later.rows, ...earlier.rows];
}

async function statesAfter(
  trace: TraceReader,
  { jobName, instant }: PastQuestion,
  signal: AbortSignal,
): Promise<readonly PastState[]> {
  if (instant === undefined) return [];
  const to = new Date(instant.getTime() + HORIZON_MS);
  return (await trace.statuses({ jobName, from: instant, to, pageSize: MOST_ROWS }, signal)).rows;
}

async function operationsOn(
  reader: OperationReader,
  { jobName }: PastQuestion,
  signal: AbortSignal,
): Promise<readonly OperationRecord[]> {
  const ofJob = await reader.operations({ jobName, pageSize: MOST_ROWS }, signal);
  // An operation on a server may concern all jobs.
  const ofServers = await reader.operations({ jobName: null, pageSize: MOST_ROWS }, signal);
  return [...ofJob.rows, ...ofServers.rows].sort((one, other) => other.startedAt.getTime() - one.startedAt.getTime());
}
