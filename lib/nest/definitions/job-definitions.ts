import { isAccepted } from '../../api/extensions/answers.js';
import { type JobConfiguration, withDefaults } from '../../api/job/job-configuration.js';
import { describeValue, isMap } from '../../api/text/describe-value.js';
import { type ClassedJobItemExecutor } from '../../api/extensions/job-executor.js';
import { type ElasticJob, isDataflowJob, isSimpleJob } from '../../api/job/job.js';
import { jobPath } from '../../api/job/job-name.js';
import { suggestion } from '../../api/text/nearest.js';
import { elasticJobClassProblem, type JobSettings } from '../../settings/job-settings.js';
import { DEFAULT_REG_CENTER } from '../../settings/reg-center-names.js';
import { type MergedSettings } from '../../settings/merge-settings.js';
import { type FoundProvider } from '../elastic-job.explorer.js';
import { type Kind, kindNamed, nameOf, providersNamed, withoutPackage } from './job-classes.js';
import { type DecoratedClass, workerOf } from './worker-definitions.js';

/** A job of the application, ready to be started. */
export interface DefinedJob {
  readonly configuration: JobConfiguration;
  /** The job object, or the type of a job without class. */
  readonly job: ElasticJob | string;
  /** Text of the job's root node in the registry centre. Default: the job's name. */
  readonly jobClassName?: string;
  /** Second name under which the job's bootstrap is injected, besides the job's name; empty if there is none. */
  readonly jobBootstrapBeanName: string;
  /** True if the job is started with the application; `undefined` if the module's `autoStart` decides. */
  readonly autoStart: boolean | undefined;
  /** The name of its registry centre. */
  readonly registryCenter: string;
  /** The `DataSource` that records its runs, as the setting has it; missing: that of `elasticjob.tracing`. */
  readonly tracingDataSource?: string | symbol | object;
  /** The definer of the job, as messages name it: `provider SyncOrdersJob of AppModule`. */
  readonly owner: string;
  /** The Java peers that can read the stored thread pool setting: those up to 3.0.4, or those since 3.0.5. */
  readonly compatibility: '3.0.4' | '3.0.5';
}

/** The parts of the application besides its settings. */
interface Application {
  readonly providers: readonly FoundProvider[];
  /** Executors of job objects of other kinds than `SimpleJob` and `DataflowJob`. */
  readonly executors: readonly ClassedJobItemExecutor[];
}

/** The object or type that does a job's work, with its definer. */
interface Work {
  readonly job: ElasticJob | string;
  /** The type, or the Java class that settings name; `undefined` if the work has only the name of a Node class. */
  readonly javaName?: string;
  readonly owner: string;
}

/**
 * The jobs that decorators and settings define together, and all problems with them, one line each.
 * @param merged the merged settings of all sources, by job name
 * @param executors of job objects of other kinds than `SimpleJob` and `DataflowJob`
 */
export function defineJobs(
  providers: readonly FoundProvider[],
  merged: MergedSettings['jobs'],
  executors: readonly ClassedJobItemExecutor[],
): { readonly jobs: readonly DefinedJob[]; readonly problems: readonly string[] } {
  const problems = [...decoratorProblems(providers)];
  const jobs = [...merged].flatMap(([jobName, job]) => {
    problems.push(...job.problems);
    const decorated = decoratedAs(jobName, { providers, executors });
    const work = workerOf(jobName, job.settings, decorated) ?? workOf(jobName, job.settings, { providers, executors });
    if ('problems' in work) problems.push(...work.problems);
    return 'problems' in work || job.problems.length > 0 ? [] : [defined(jobName, job.settings, work)];
  });
  return { jobs, problems: [...problems, ...beanNameProblems(jobs)] };
}

function defined(jobName: string, settings: JobSettings, { job, javaName, owner }: Work): DefinedJob {
  const jobClassName = settings.jobClassName || javaName;
  const former = settings.jobExecutorServiceHandlerType ?? '';
  const named = former === '' ? settings : { ...settings, jobExecutorThreadPoolSizeProviderType: former };
  return {
    configuration: withDefaults(jobName, named),
    job,
    ...(jobClassName !== undefined && { jobClassName }),
    jobBootstrapBeanName: settings.jobBootstrapBeanName ?? '',
    autoStart: settings.autoStart,
    registryCenter: settings.registryCenter || DEFAULT_REG_CENTER,
    ...(settings.tracingDataSource !== undefined && { tracingDataSource: settings.tracingDataSource }),
    owner,
    compatibility: former === '' ? '3.0.5' : '3.0.4',
  };
}

/** Problems that do not depend on settings: names that are not texts, and jobs that are defined several times. */
function decoratorProblems(providers: readonly FoundProvider[]): readonly string[] {
  const owners = new Map<string, string[]>();
  const problems: string[] = [];
  for (const { jobs, label, className } of providers) {
    for (const { jobName, options } of jobs) {
      if (!isMap(options)) {
        problems.push(
          `@ElasticJob(${describeValue(jobName)}) on ${className}: its options must be a plain object such as ` +
            `{ cron: '0/5 * * * * ?', shardingTotalCount: 1 }, got ${describeValue(options)}`,
        );
        continue;
      }
      for (const key of ['elasticJobClass', 'elasticJobType'])
        if (key in options)
          problems.push(
            `@ElasticJob(${describeValue(jobName)}).${key}: unknown key; the decorated class ${className} does the work`,
          );
      if (typeof jobName === 'string') owners.set(jobName, [...(owners.get(jobName) ?? []), label]);
      else
        problems.push(
          `@ElasticJob on ${className}: the job's name must be a text that is not empty, got ${describeValue(jobName)}`,
        );
    }
  }
  for (const [jobName, labels] of owners) {
    if (labels.length < 2) continue;
    const by =
      new Set(labels).size === 1
        ? `, each time by ${String(labels[0])}: provide the class once, or give the second provider's job another name`
        : `: by ${labels.join(' and by ')}`;
    problems.push(`${jobPath(jobName)}: is defined ${labels.length} times${by}`);
  }
  return problems;
}

function decoratedAs(jobName: string, { providers, executors }: Application): DecoratedClass | undefined {
  const provider = providers.find(({ jobs }) => jobs.some((job) => job.jobName === jobName));
  if (provider === undefined) return undefined;
  const { label, instance } = provider;
  return { label, isJob: instance !== undefined && isJob(instance, executors) };
}

function workOf(
  jobName: string,
  settings: JobSettings,
  { providers, executors }: Application,
): Work | { readonly problems: readonly string[] } {
  const path = jobPath(jobName);
  const decorated = providers.find(({ jobs }) => jobs.some((job) => job.jobName === jobName));
  const { elasticJobClass: named, elasticJobType: type } = settings;
  if (type !== undefined && (named !== undefined || decorated !== undefined)) {
    const theClass = named === undefined ? `the class of ${decorated?.label}` : `elasticJobClass ${nameOf(named)}`;
    return {
      problems: [
        `${path}: elasticJobClass and elasticJobType are mutually exclusive, got ${theClass} and elasticJobType ${describeValue(type)}`,
      ],
    };
  }
  // A problem of the type or the class itself is among the job's problems already.
  if (type !== undefined && typeof type !== 'string') return { problems: [] };
  if (type !== undefined) return { job: type, javaName: type, owner: `job type ${type}` };
  if (named !== undefined && elasticJobClassProblem(named) !== undefined) return { problems: [] };
  if (named !== undefined) return workNamed(path, named, { decorated, providers, executors });
  if (decorated !== undefined) return workOfProvider(path, decorated, executors);
  const names = providers.flatMap(({ jobs }) =>
    jobs.map(({ jobName: name }) => name).filter((name) => typeof name === 'string'),
  );
  return {
    problems: [
      `${path}: no provider is decorated with @ElasticJob('${jobName}'), and neither elasticJobClass nor elasticJobType is set${suggestion(jobName, names)}`,
    ],
  };
}

function workNamed(
  path: string,
  named: string | object,
  { decorated, providers, executors }: Application & { readonly decorated: FoundProvider | undefined },
): Work | { readonly problems: readonly string[] } {
  const key = `${path}.elasticJobClass`;
  const kind = kindNamed(named, providers);
  if (kind !== undefined) return workOfKind(path, kind, { decorated, providers, executors });
  const matching = providersNamed(named, providers);
  const [provider, ...others] = matching;
  if (provider === undefined) {
    const names = providers.map(({ className }) => className).filter((name) => name !== '');
    return {
      problems: [
        `${key}: must be the class name of a provider, got ${nameOf(named)}${suggestion(withoutPackage(typeof named === 'string' ? named : nameOf(named)), names)}`,
      ],
    };
  }
  if (others.length > 0) {
    const labels = matching.map(({ label }) => label).join(', ');
    return { problems: [`${key}: must name one provider, but ${nameOf(named)} names ${matching.length}: ${labels}`] };
  }
  if (decorated !== undefined && decorated !== provider) {
    return { problems: [`${key}: must not name another class than that of ${decorated.label}, got ${nameOf(named)}`] };
  }
  const work = workOfProvider(path, provider, executors);
  // A name with a package is the class name that a Java peer stores.
  return typeof named === 'string' && named.includes('.') && !('problems' in work)
    ? { ...work, javaName: named }
    : work;
}

function workOfKind(
  path: string,
  { name, what, has }: Kind,
  { decorated, providers, executors }: Application & { readonly decorated: FoundProvider | undefined },
): Work | { readonly problems: readonly string[] } {
  const matching = decorated !== undefined && has(decorated) ? [decorated] : providers.filter(has);
  const [provider, ...others] = matching;
  if (provider !== undefined && others.length === 0) return workOfProvider(path, provider, executors);
  const found =
    matching.length === 0
      ? 'there is none'
      : `there are ${matching.length}: ${matching.map(({ label }) => label).join(', ')}`;
  return {
    problems: [
      `${path}.elasticJobClass: ${name} means the only provider ${what}, but ${found}; write the class name of the provider`,
    ],
  };
}

function workOfProvider(
  path: string,
  provider: FoundProvider,
  executors: readonly ClassedJobItemExecutor[],
): Work | { readonly problems: readonly string[] } {
  const { label, scopeProblem, instance } = provider;
  if (scopeProblem !== undefined) {
    return {
      problems: [`${path}: ${label} cannot be a job: it ${scopeProblem}, and a job runs outside of any request`],
    };
  }
  if (instance === undefined || !isJob(instance, executors)) {
    const others = executors.map(({ requirement }) => `, nor ${requirement}`).join('');
    return {
      problems: [
        `${path}: ${label} cannot be a job: it has no method execute(context), which SimpleJob requires, ` +
          `nor methods fetchData(context) and processData(context, data), which DataflowJob requires${others}`,
      ],
    };
  }
  const scheduled = scheduledMethodOf(instance);
  if (scheduled !== undefined)
    return {
      problems: [
        `${path}: ${label} has @Cron(), @Interval() or @Timeout() on its method ${scheduled}(), which would run beside the job, on each ` +
          'instance and uncoordinated: remove it, and give the job a cron',
      ],
    };
  return { job: instance, owner: label };
}

/** The metadata key by which decorators of `@nestjs/schedule` mark a method as scheduled. */
const SCHEDULED = 'SCHEDULER_TYPE';

/** The method of a job object that `@nestjs/schedule` would call, too. */
function scheduledMethodOf(job: object): string | undefined {
  return ['execute', 'fetchData', 'processData'].find((name) => {
    const method = (job as Readonly<Record<string, unknown>>)[name];
    return typeof method === 'function' && Reflect.hasMetadata(SCHEDULED, method);
  });
}

/**
 * True if an executor does the work of such objects. An executor that cannot answer is reported when the job's executor
 * is chosen.
 */
function isJob(instance: object, executors: readonly ClassedJobItemExecutor[]): instance is ElasticJob {
  return (
    isSimpleJob(instance) || isDataflowJob(instance) || executors.some((executor) => mayAccept(executor, instance))
  );
}

function mayAccept(executor: ClassedJobItemExecutor, instance: object): boolean {
  try {
    return isAccepted(executor, instance);
  } catch {
    return true;
  }
}

/** Each name under which a bootstrap is injected must mean one job. */
function beanNameProblems(jobs: readonly DefinedJob[]): readonly string[] {
  const owners = new Map(jobs.map(({ configuration: { jobName } }) => [jobName, jobName]));
  return jobs.flatMap(({ configuration: { jobName }, jobBootstrapBeanName: bean }) => {
    if (bean === '') return [];
    const owner = owners.get(bean) ?? jobName;
    owners.set(bean, jobName);
    if (owner === jobName) return [];
    return [
      `${jobPath(jobName)}.jobBootstrapBeanName: must be a name that no other job has, but "${bean}" is taken by job '${owner}'`,
    ];
  });
}
