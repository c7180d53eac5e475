import { jobPath, keyPath } from '../../api/job/job-name.js';
import { suggestion } from '../../api/text/nearest.js';
import { type TracingListener } from '../../api/events/trace-events.js';
import { type TracingSettings } from '../../settings/tracing-settings.js';
import { type FoundDataSource, type FoundProvider } from '../elastic-job.explorer.js';
import { isIncluded } from '../../tracing/tracing.js';
import { type DefinedJob } from './job-definitions.js';
import { dataSourceNamed, dataSourceNames } from './named-data-source.js';

/** The jobs that are traced, the database that records their runs, and the listeners of trace events. */
export interface TracingDefinition {
  readonly settings: TracingSettings;
  /** The TypeORM `DataSource` into which runs are recorded; `undefined`: they are not. */
  readonly dataSource: object | undefined;
  readonly listeners: readonly TracingListener[];
}

/** The parts from which a tracing definition is made. */
export interface TracingSources {
  readonly settings: TracingSettings;
  readonly providers: readonly FoundProvider[];
  readonly dataSources: readonly FoundDataSource[];
  /** Names of the jobs that are known at the start. */
  readonly jobNames: readonly string[];
  /** The jobs that have no problem. */
  readonly jobs: readonly Pick<DefinedJob, 'configuration' | 'tracingDataSource'>[];
}

/**
 * The tracing that settings and decorators define.
 * @returns `definition`: `undefined` if nothing is traced; `problems` and `warnings`: one line each
 */
export function defineTracing(sources: TracingSources): {
  readonly definition: TracingDefinition | undefined;
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
} {
  const { settings, providers } = sources;
  const listeners = providers.filter(({ isTracingListener }) => isTracingListener);
  const problems = listeners.flatMap((provider) => listenerProblem(provider) ?? []);
  const isStored = isRdb(settings);
  const dataSource = isStored ? dataSourceOf(sources) : undefined;
  if (typeof dataSource === 'string') problems.push(dataSource);
  if (isStored) problems.push(...jobDataSourceProblems(sources));
  const instances = listeners.map(({ instance }) => instance as TracingListener);
  const isTraced = problems.length === 0 && typeof dataSource !== 'string' && (isStored || instances.length > 0);
  return {
    definition: isTraced ? { settings, dataSource, listeners: instances } : undefined,
    problems,
    warnings: [...idleSettings(settings), ...unknownJobs(sources), ...idleDataSources(sources)],
  };
}

const isRdb = ({ type = '' }: TracingSettings): boolean => typeof type === 'string' && type.toUpperCase() === 'RDB';

function listenerProblem({ className, label, instance, scopeProblem }: FoundProvider): string | undefined {
  const path = `@TracingListener() on ${className}`;
  if (scopeProblem !== undefined)
    return `${path}: ${label} cannot be a tracing listener: it ${scopeProblem}, and a job runs outside of any request`;
  return typeof (instance as Partial<TracingListener> | undefined)?.onTraceEvent === 'function'
    ? undefined
    : `${path}: ${label} cannot be a tracing listener: it has no method onTraceEvent()`;
}

/** @returns the `DataSource`, or the problem, a complete line */
function dataSourceOf({ settings, dataSources }: TracingSources): object | string {
  const { dataSource: wanted } = settings;
  if (wanted !== undefined) return dataSourceNamed('elasticjob.tracing.dataSource', wanted, dataSources);
  const [first, ...others] = dataSources;
  if (first === undefined)
    return (
      'elasticjob.tracing.type: is RDB, but the application has no TypeORM DataSource; import TypeOrmModule.forRoot({ … }) ' +
      'of @nestjs/typeorm, provide a DataSource, or give one to forRoot({ tracing: { dataSource } })'
    );
  const byDefault = dataSources.find(({ isDefault }) => isDefault);
  if (byDefault === undefined && others.length > 0)
    return `elasticjob.tracing.dataSource: is required, as the application has several DataSources: ${dataSourceNames(dataSources)}`;
  return (byDefault ?? first).dataSource;
}

function idleSettings(settings: TracingSettings): readonly string[] {
  if (isRdb(settings)) return [];
  return (['dataSource', 'retentionDays', 'maxPendingEvents'] as const)
    .filter((name) => settings[name] !== undefined)
    .map((name) => `elasticjob.tracing.${name} has no effect without elasticjob.tracing.type: RDB.`);
}

/** The jobs that name a `DataSource`, with the key path of the setting. */
function namingJobs({ jobs }: TracingSources): readonly (readonly [jobName: string, path: string, wanted: unknown])[] {
  return jobs.flatMap(({ configuration: { jobName }, tracingDataSource: wanted }) =>
    wanted === undefined ? [] : [[jobName, keyPath(jobPath(jobName), 'tracingDataSource'), wanted] as const],
  );
}

function jobDataSourceProblems(sources: TracingSources): readonly string[] {
  const found = namingJobs(sources).map(([, path, wanted]) => dataSourceNamed(path, wanted, sources.dataSources));
  return found.filter((each) => typeof each === 'string');
}

/** Warnings of DataSources of jobs whose runs are not recorded. */
function idleDataSources(sources: TracingSources): readonly string[] {
  const { settings } = sources;
  return namingJobs(sources).flatMap(([jobName, path]) => {
    if (!isRdb(settings)) return [`${path} has no effect without elasticjob.tracing.type: RDB.`];
    const { includeJobNames, excludeJobNames } = settings;
    // A value that is not a list is a problem that the check of the settings reports.
    const areLists = [includeJobNames ?? [], excludeJobNames ?? []].every((names: unknown) => Array.isArray(names));
    if (!areLists || isIncluded(jobName, settings)) return [];
    const list =
      excludeJobNames?.includes(jobName) === true ? 'excludeJobNames names' : 'includeJobNames does not name';
    return [`${path} has no effect, as elasticjob.tracing.${list} the job: its runs are not recorded.`];
  });
}

function unknownJobs({ settings, jobNames }: TracingSources): readonly string[] {
  return (['includeJobNames', 'excludeJobNames'] as const).flatMap((setting) => {
    const named: unknown = settings[setting];
    // A value that is not a list is a problem that the check of the settings reports.
    const unknown = Array.isArray(named) ? (named as string[]).filter((name) => !jobNames.includes(name)) : [];
    if (unknown.length === 0) return [];
    const list = unknown.map((name) => `'${name}'${suggestion(name, jobNames)}`).join(', ');
    return [`elasticjob.tracing.${setting} names jobs that this application does not define: ${list}.`];
  });
}
