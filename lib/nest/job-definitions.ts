import { faultsInJob, type JobConfiguration, withDefaults } from '../api/job-configuration.js';
import { describeValue } from '../api/describe-value.js';
import { type ElasticJob, isSimpleJob } from '../api/job.js';
import { jobPath } from '../api/job-name.js';
import { suggestion } from '../api/nearest.js';
import { type BoundTree } from './binding.js';
import { type FoundProvider } from './elastic-job.explorer.js';
import { demandOnClass, JobSettings } from './module-settings.js';

/** A job of the application, ready to be started. */
export interface DefinedJob {
  readonly configuration: JobConfiguration;
  /** The job object, or the type of a job without class. */
  readonly job: ElasticJob | string;
  /** Text of the job's root node. */
  readonly jobClassName: string;
  /** Name under which its bootstrap is injected besides the job's name; empty: none. */
  readonly jobBootstrapBeanName: string;
  /** Whether it is started with the application; `undefined`: as the module says. */
  readonly autoStart: boolean | undefined;
  readonly owner: string;
  /** Which Java peers are to be able to read what is stored of it. */
  readonly compatibility: '3.0.4' | '3.0.5';
}

/** What jobs are defined from. */
export interface DefinitionSources {
  readonly providers: readonly FoundProvider[];
  /** The merged settings of all sources. */
  readonly jobs: BoundTree['jobs'];
  /** What to say of where a job's setting came from. */
  readonly originOf: (jobName: string) => (setting: string) => string;
}

/** What does a job's work, and who says so. */
interface Work {
  readonly job: ElasticJob | string;
  readonly name: string;
  readonly owner: string;
}

/** The jobs that decorators and settings define together, and everything that is wrong with them. */
export function defineJobs(sources: DefinitionSources): {
  readonly jobs: readonly DefinedJob[];
  readonly faults: readonly string[];
} {
  const faults = [...faultsInDecorators(sources.providers)];
  const jobs = [...sources.jobs].flatMap(([jobName, section]) => {
    const settings = Object.assign(new JobSettings(), Object.fromEntries(section));
    const own = [
      ...faultsInJob(jobName, settings, sources.originOf(jobName)),
      ...faultsInThreadPool(jobName, settings),
    ];
    const work = workOf(jobName, settings, sources);
    if ('faults' in work) own.push(...work.faults);
    faults.push(...own);
    return 'faults' in work || own.length > 0 ? [] : [defined(jobName, settings, work)];
  });
  return { jobs, faults: [...faults, ...faultsInNames(jobs)] };
}

function defined(jobName: string, settings: JobSettings, { job, name, owner }: Work): DefinedJob {
  const jobClassName = settings.jobClassName ?? '';
  const former = settings.jobExecutorServiceHandlerType ?? '';
  const named = former === '' ? settings : { ...settings, jobExecutorThreadPoolSizeProviderType: former };
  return {
    configuration: withDefaults(jobName, named),
    job,
    jobClassName: jobClassName === '' ? name : jobClassName,
    jobBootstrapBeanName: settings.jobBootstrapBeanName ?? '',
    autoStart: settings.autoStart,
    owner,
    compatibility: former === '' ? '3.0.5' : '3.0.4',
  };
}

function faultsInThreadPool(
  jobName: string,
  { jobExecutorServiceHandlerType: former = '', jobExecutorThreadPoolSizeProviderType: later = '' }: JobSettings,
): readonly string[] {
  if (former === '' || later === '') return [];
  return [
    `${jobPath(jobName)}: jobExecutorServiceHandlerType and jobExecutorThreadPoolSizeProviderType are two names of one setting, ` +
      `got ${describeValue(former)} and ${describeValue(later)}`,
  ];
}

/** What is wrong whatever the settings say: names that are none, and one job in several places. */
function faultsInDecorators(providers: readonly FoundProvider[]): readonly string[] {
  const owners = new Map<string, string[]>();
  const faults: string[] = [];
  for (const { jobs, label, className } of providers) {
    for (const { jobName } of jobs) {
      if (typeof jobName === 'string') owners.set(jobName, [...(owners.get(jobName) ?? []), label]);
      else
        faults.push(
          `@ElasticJob on ${className}: the job's name must be a text that is not empty, got ${describeValue(jobName)}`,
        );
    }
  }
  for (const [jobName, labels] of owners) {
    if (labels.length < 2) continue;
    faults.push(`${jobPath(jobName)}: is defined ${labels.length} times: by ${labels.join(' and by ')}`);
  }
  return faults;
}

function workOf(
  jobName: string,
  settings: JobSettings,
  sources: DefinitionSources,
): Work | { readonly faults: readonly string[] } {
  const path = jobPath(jobName);
  const decorated = sources.providers.find(({ jobs }) => jobs.some((job) => job.jobName === jobName));
  const { elasticJobClass: named, elasticJobType: type } = settings;
  if (type !== undefined && (named !== undefined || decorated !== undefined)) {
    const theClass = named === undefined ? `the class of ${decorated?.label}` : `elasticJobClass ${nameOf(named)}`;
    return {
      faults: [
        `${path}: elasticJobClass and elasticJobType are mutually exclusive, got ${theClass} and elasticJobType ${describeValue(type)}`,
      ],
    };
  }
  // What is wrong with the type or the class itself has been found already.
  if (type !== undefined && typeof type !== 'string') return { faults: [] };
  if (type !== undefined) return { job: type, name: type, owner: `job type ${type}` };
  if (named !== undefined && demandOnClass(named) !== undefined) return { faults: [] };
  if (named !== undefined) return workNamed(path, named, { decorated, providers: sources.providers });
  if (decorated !== undefined) return workOfProvider(path, decorated);
  const names = sources.providers.flatMap(({ jobs }) =>
    jobs.map(({ jobName: name }) => name).filter((name) => typeof name === 'string'),
  );
  return {
    faults: [
      `${path}: no provider is decorated with @ElasticJob('${jobName}'), and neither elasticJobClass nor elasticJobType is set${suggestion(jobName, names)}`,
    ],
  };
}

function workNamed(
  path: string,
  named: string | object,
  {
    decorated,
    providers,
  }: { readonly decorated: FoundProvider | undefined; readonly providers: readonly FoundProvider[] },
): Work | { readonly faults: readonly string[] } {
  const key = `${path}.elasticJobClass`;
  const matching = providersNamed(named, providers);
  const [provider, ...others] = matching;
  if (provider === undefined) {
    const names = providers.map(({ className }) => className).filter((name) => name !== '');
    return {
      faults: [
        `${key}: must be the class name of a provider, got ${nameOf(named)}${suggestion(withoutPackage(typeof named === 'string' ? named : nameOf(named)), names)}`,
      ],
    };
  }
  if (others.length > 0) {
    const labels = matching.map(({ label }) => label).join(', ');
    return { faults: [`${key}: must name one provider, but ${nameOf(named)} names ${matching.length}: ${labels}`] };
  }
  if (decorated !== undefined && decorated !== provider) {
    return { faults: [`${key}: the job has a class already, that of ${decorated.label}; got ${nameOf(named)}`] };
  }
  const work = workOfProvider(path, provider);
  // With its package it is what a Java peer stores of the job.
  return typeof named === 'string' && !('faults' in work) ? { ...work, name: named } : work;
}

/** The providers that a class name means; if none has that very name, it may be a Java class with its package. */
function providersNamed(named: string | object, providers: readonly FoundProvider[]): readonly FoundProvider[] {
  if (typeof named !== 'string') return providers.filter(({ type }) => type === named);
  const exact = providers.filter(({ className }) => className === named);
  return exact.length > 0 ? exact : providers.filter(({ className }) => className === withoutPackage(named));
}

function withoutPackage(className: string): string {
  return className.slice(className.lastIndexOf('.') + 1);
}

function workOfProvider(path: string, provider: FoundProvider): Work | { readonly faults: readonly string[] } {
  const { label, scopeFault, instance, className } = provider;
  if (scopeFault !== undefined) {
    return { faults: [`${path}: ${label} cannot be a job: it ${scopeFault}, and a job runs outside of any request`] };
  }
  if (!isSimpleJob(instance)) {
    return { faults: [`${path}: ${label} cannot be a job: it has no method execute(context), as SimpleJob demands`] };
  }
  return { job: instance, name: className, owner: label };
}

/** Every name under which a bootstrap is injected means one job. */
function faultsInNames(jobs: readonly DefinedJob[]): readonly string[] {
  const owners = new Map(jobs.map(({ configuration: { jobName } }) => [jobName, jobName]));
  return jobs.flatMap(({ configuration: { jobName }, jobBootstrapBeanName: bean }) => {
    if (bean === '') return [];
    const owner = owners.get(bean) ?? jobName;
    owners.set(bean, jobName);
    if (owner === jobName) return [];
    return [
      `${jobPath(jobName)}.jobBootstrapBeanName: must be a name of its own, but "${bean}" is taken by job '${owner}'`,
    ];
  });
}

function nameOf(named: unknown): string {
  return typeof named === 'function' ? named.name : describeValue(named);
}
