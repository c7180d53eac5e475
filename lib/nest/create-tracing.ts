import { type JobLogger } from '../api/text/logger.js';
import { type OperationListener } from '../api/events/operation-record.js';
import { type JobRuntime } from '../kernel/job-runtime.js';
import { type JobPast } from '../operations/job-past.js';
import { type RdbTraceStorage } from '../tracing/rdb/index.js';
import { Tracing } from '../tracing/tracing.js';
import { type TracingDefinition } from './definitions/tracing-definition.js';
import { type FoundDataSource } from './elastic-job.explorer.js';
import { type DatabaseTracing, JobTracings, type NamedDatabase } from './job-tracings.js';

/** The jobs by name, of all registry centres. */
type Jobs = ReadonlyMap<string, Pick<JobRuntime, 'isLeader'>>;

/** The parts of an application that its tracing needs. */
export interface TracingParts {
  readonly logger: JobLogger;
  /** The jobs; empty while there is none. */
  readonly jobs: () => Jobs;
  /** The TypeORM DataSources of the application at that moment. */
  readonly dataSources: () => readonly FoundDataSource[];
}

/**
 * The tracing of an application: that of the jobs that name no `DataSource`. Further ones are made when jobs that name
 * one are added.
 * @throws InvalidConfigurationError if the database of the `DataSource` cannot hold the tables
 */
export async function createTracing(definition: TracingDefinition, parts: TracingParts): Promise<JobTracings> {
  const { dataSource } = definition;
  const storageIn = dataSource === undefined ? undefined : await storages();
  const tracingIn = (database?: object, named?: NamedDatabase): DatabaseTracing => {
    const storage = database && storageIn?.(database);
    return { tracing: tracingOf(definition, { ...parts, storage, named }), storage, dataSource: database };
  };
  const open = (named: NamedDatabase): DatabaseTracing => tracingIn(named.dataSource, named);
  return new JobTracings({ ofDefault: tracingIn(dataSource), open, dataSources: parts.dataSources });
}

function tracingOf(
  { listeners, settings }: TracingDefinition,
  { logger, jobs, storage, named }: OneTracingParts,
): Tracing {
  const { includeJobNames, excludeJobNames, retentionDays, maxPendingEvents } = settings;
  const isCleaner = (): boolean => leadsFirst([...jobs()].filter(([jobName]) => named?.hasJob(jobName) ?? true));
  return new Tracing({
    ...{ logger, listeners, isCleaner },
    ...(named && { name: named.name }),
    ...(storage && { storage }),
    ...(includeJobNames && { includeJobNames }),
    ...(excludeJobNames && { excludeJobNames }),
    ...(retentionDays !== undefined && { retentionDays }),
    ...(maxPendingEvents !== undefined && { maxPending: maxPendingEvents }),
  });
}

/** The parts of the tracing into one database. */
interface OneTracingParts extends Pick<TracingParts, 'logger' | 'jobs'> {
  readonly storage: RdbTraceStorage | undefined;
  /** `undefined`: that of `elasticjob.tracing`. */
  readonly named: NamedDatabase | undefined;
}

/**
 * The past of an application's jobs: the listeners that record operations, and the readers of the records and the
 * trace.
 */
export interface RecordedPast extends JobPast {
  readonly listeners: readonly OperationListener[];
}

/** The parts that store and read the past; empty if runs are not recorded in a database. */
export async function createPast(tracings: JobTracings | undefined): Promise<RecordedPast> {
  const dataSource = tracings?.dataSources.get('');
  if (dataSource === undefined) return { listeners: [] };
  const { RdbOperationLog } = await import('../tracing/rdb/index.js');
  const operations = new RdbOperationLog(dataSource as ConstructorParameters<typeof RdbOperationLog>[0]);
  return { listeners: [operations], operations, trace: tracings?.reader };
}

/** Loaded only where it is needed. */
async function storages(): Promise<(dataSource: object) => RdbTraceStorage> {
  const { RdbTraceStorage: Storage } = await import('../tracing/rdb/index.js');
  return (dataSource) => new Storage(dataSource as ConstructorParameters<typeof Storage>[0]);
}

/** Instances with the same jobs agree on which of them cleans up. */
function leadsFirst(jobs: readonly (readonly [jobName: string, job: Pick<JobRuntime, 'isLeader'>])[]): boolean {
  const [first] = [...jobs].sort(([one], [other]) => (one < other ? -1 : 1));
  return first?.[1].isLeader === true;
}
