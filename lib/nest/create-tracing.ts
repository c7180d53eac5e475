import { type JobLogger } from '../api/text/logger.js';
import { type OperationListener } from '../api/events/operation-record.js';
import { type TraceStorage } from '../api/events/trace-events.js';
import { type JobRuntime } from '../kernel/job-runtime.js';
import { type JobPast } from '../operations/job-past.js';
import { Tracing } from '../tracing/tracing.js';
import { type MaintainedStorage } from '../tracing/trace-upkeep.js';
import { type TracingDefinition } from './definitions/tracing-definition.js';

/** The parts of an application that its tracing needs. */
export interface TracingParts {
  readonly logger: JobLogger;
  /** The jobs by name, of all registry centres; empty while there is none. */
  readonly jobs: () => ReadonlyMap<string, Pick<JobRuntime, 'isLeader'>>;
}

/**
 * The tracing of an application.
 * @throws InvalidConfigurationError if the database of the `DataSource` cannot hold the tables
 */
export async function createTracing(definition: TracingDefinition, { logger, jobs }: TracingParts): Promise<Tracing> {
  const { listeners, dataSource, settings } = definition;
  const { includeJobNames, excludeJobNames, retentionDays, maxPendingEvents } = settings;
  const storage = dataSource === undefined ? undefined : await storageIn(dataSource);
  return new Tracing({
    ...{ logger, listeners, isCleaner: () => leadsFirstJob(jobs()) },
    ...(storage && { storage }),
    ...(includeJobNames && { includeJobNames }),
    ...(excludeJobNames && { excludeJobNames }),
    ...(retentionDays !== undefined && { retentionDays }),
    ...(maxPendingEvents !== undefined && { maxPending: maxPendingEvents }),
  });
}

/**
 * The past of an application's jobs: the listeners that record operations, and the readers of the records and the
 * trace.
 */
export interface RecordedPast extends JobPast {
  readonly listeners: readonly OperationListener[];
}

/**
 * The parts that store and read the past; empty if runs are not recorded in a database.
 * @throws InvalidConfigurationError if the database of the `DataSource` cannot hold the tables
 */
export async function createPast(definition: TracingDefinition | undefined): Promise<RecordedPast> {
  if (definition?.dataSource === undefined) return { listeners: [] };
  const { RdbOperationLog, RdbTraceStorage } = await import('../tracing/rdb/index.js');
  const dataSource = definition.dataSource as ConstructorParameters<typeof RdbOperationLog>[0];
  const operations = new RdbOperationLog(dataSource);
  return { listeners: [operations], operations, trace: new RdbTraceStorage(dataSource) };
}

/** Loaded only where it is needed. */
async function storageIn(dataSource: object): Promise<TraceStorage & MaintainedStorage> {
  const { RdbTraceStorage } = await import('../tracing/rdb/index.js');
  return new RdbTraceStorage(dataSource as ConstructorParameters<typeof RdbTraceStorage>[0]);
}

/** Instances with the same jobs agree on which of them cleans up. */
function leadsFirstJob(jobs: ReturnType<TracingParts['jobs']>): boolean {
  const [first] = [...jobs].sort(([one], [other]) => (one < other ? -1 : 1));
  return first?.[1].isLeader === true;
}
