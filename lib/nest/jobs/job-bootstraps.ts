import { Injectable } from '@nestjs/common';
import { describeValue } from '../../api/text/describe-value.js';
import { InvalidConfigurationError, JobConflictError, JobStateError } from '../../api/errors/errors.js';
import { jobConfiguration, type JobConfiguration } from '../../api/job/job-configuration.js';
import { isScheduled } from '../../api/settings/dependencies.js';
import { checkOptions, oneOf, type OptionRules, text } from '../../api/settings/call-options.js';
import { type ElasticJob } from '../../api/job/job.js';
import { suggestion } from '../../api/text/nearest.js';
import { OneOffJobBootstrap, ScheduleJobBootstrap } from '../../kernel/job-bootstrap.js';
import { type JobHost } from '../../kernel/job-host.js';
import { jobRegistryCenterProblems } from '../../settings/reg-centers.js';
import { DEFAULT_REG_CENTER } from '../../settings/reg-center-names.js';
import { dataSourceProblem } from '../../settings/tracing-settings.js';
import { type JobHosts } from '../centers/job-hosts.js';
import { JobHandle } from './job-handle.js';

/**
 * A bootstrap of either kind: of a scheduled job if its configuration has a cron expression, otherwise of a one-off
 * job.
 */
export type JobBootstrap = ScheduleJobBootstrap | OneOffJobBootstrap;

/** Options of a job that is added at run time. */
export interface AddJobOptions {
  /** A second name by which `get` finds the bootstrap, besides the job's name. Default: none. */
  readonly jobBootstrapBeanName?: string;
  /**
   * Text of the job's root node; to join a Java job, that job's class name. Default: the job's type, or the job's name.
   */
  readonly jobClassName?: string;
  /**
   * The Java peers that can read a stored thread pool setting: those up to 3.0.4, or those since 3.0.5. Default:
   * `3.0.5`.
   */
  readonly compatibility?: '3.0.4' | '3.0.5';
  /**
   * The name of the job's registry centre among `elasticjob.regCenters`; it need not be the one of other jobs. Default:
   * `default`, that of `elasticjob.regCenter`.
   */
  readonly registryCenter?: string;
  /**
   * The TypeORM `DataSource` of the application that records the job's runs: its name or the token of its provider, or
   * the object. No effect without `elasticjob.tracing.type: RDB`. Default: that of `elasticjob.tracing.dataSource`.
   */
  readonly tracingDataSource?: string | symbol | object;
  /** The definer of the job, as messages name it: `tenant 5`. Default: `JobBootstraps.add()`. */
  readonly owner?: string;
}

/** The databases that record runs, if runs are traced. */
export interface TraceDatabases {
  /**
   * Chooses the database of a job, before its first run.
   * @param wanted the option `tracingDataSource`
   * @throws InvalidConfigurationError if the application has no such `DataSource`, or it cannot hold the tables
   */
  assign(jobName: string, wanted: unknown): void;
}

const ADD_RULES: OptionRules<AddJobOptions> = {
  jobBootstrapBeanName: text,
  jobClassName: text,
  compatibility: oneOf('3.0.4', '3.0.5'),
  registryCenter: text,
  tracingDataSource: dataSourceProblem,
  owner: text,
};

/**
 * The bootstraps of all jobs of the application, by job name; injectable. Jobs are added and removed here at run time.
 * The jobs of the application are there once it has booted, after all `onApplicationBootstrap` hooks.
 */
@Injectable()
export class JobBootstraps {
  readonly #byJob = new Map<string, JobBootstrap>();
  /** Job names by the bootstraps' own names. */
  readonly #jobNames = new Map<string, string>();
  #hosts: JobHosts | undefined;
  #traces: TraceDatabases | undefined;
  #whyNot = 'the application has not booted yet; jobs exist after all onApplicationBootstrap hooks have run';

  /** Names of all jobs that have not been ended. */
  get names(): readonly string[] {
    this.#forgetEnded();
    return [...this.#byJob.keys()];
  }

  /** True if there is a job of that name, or one whose bootstrap has that name. */
  has(name: string): boolean {
    return this.#find(name) !== undefined;
  }

  /**
   * The bootstrap of a job, by the job's name or the bootstrap's own.
   * @throws JobStateError if there is none, naming those there are; before the application has booted, and after
   *   shutdown
   */
  get(name: string): JobBootstrap {
    const bootstrap = this.#find(name);
    if (bootstrap !== undefined) return bootstrap;
    if (this.#hosts === undefined) throw new JobStateError(`Job '${String(name)}' cannot be used: ${this.#whyNot}.`);
    if (typeof name !== 'string') throw new JobStateError(`A job is found by its name, got ${describeValue(name)}.`);
    const names = [...new Set([...this.names, ...this.#jobNames.keys()])];
    const known = names.length === 0 ? 'none' : names.map((one) => `'${one}'`).join(', ');
    throw new JobStateError(
      `There is no job '${name}' in this application (known: ${known})${suggestion(name, names) || '.'}`,
    );
  }

  /** The bootstrap of a one-off job. @throws JobStateError as `get`, and if the job has a cron expression, or runs after others */
  oneOff(name: string): OneOffJobBootstrap {
    const bootstrap = this.get(name);
    if (bootstrap instanceof OneOffJobBootstrap) return bootstrap;
    throw new JobStateError(
      `Job '${bootstrap.jobName}' has a cron expression or runs after others: it is a scheduled job, not a one-off job.`,
    );
  }

  /** The bootstrap of a scheduled job. @throws JobStateError as `get`, and if the job has no cron expression */
  scheduled(name: string): ScheduleJobBootstrap {
    const bootstrap = this.get(name);
    if (bootstrap instanceof ScheduleJobBootstrap) return bootstrap;
    throw new JobStateError(
      `Job '${bootstrap.jobName}' has no cron expression: it is a one-off job and cannot be scheduled.`,
    );
  }

  /**
   * Adds a job at run time, without starting it: call `schedule()`, `start()` or `execute()` of the returned bootstrap.
   * @param job the job object, or the type of a job that has an executor
   * @throws InvalidConfigurationError if the configuration cannot be used, or there is no such registry centre or
   *   `DataSource`
   * @throws JobConflictError if there is a job of that name, or the bootstrap's name is taken
   * @throws JobStateError before the application has booted and once it shuts down
   */
  add(job: ElasticJob | string, configuration: JobConfiguration, options: AddJobOptions = {}): JobBootstrap {
    if (this.#hosts === undefined)
      throw new JobStateError(`Job '${nameIn(configuration)}' cannot be added: ${this.#whyNot}.`);
    checkOptions('JobBootstraps.add()', options, ADD_RULES);
    // A configuration that was copied and changed has not been checked by the builder.
    const checked = jobConfiguration(configuration);
    const { jobName } = checked;
    const { jobBootstrapBeanName: bean = '', owner = 'JobBootstraps.add()', ...others } = options;
    const { registryCenter, tracingDataSource, ...rest } = others;
    this.#forgetEnded();
    this.#refuseTaken(jobName, bean);
    const host = this.#hostFor(jobName, registryCenter || DEFAULT_REG_CENTER);
    this.#traces?.assign(jobName, tracingDataSource);
    const Bootstrap = isScheduled(checked) ? ScheduleJobBootstrap : OneOffJobBootstrap;
    const bootstrap = new Bootstrap(host.registryCenter, job, checked, { host, owner, ...rest });
    this.#byJob.set(jobName, bootstrap);
    if (bean !== '') this.#jobNames.set(bean, jobName);
    return bootstrap;
  }

  /**
   * Ends a job on this instance and forgets it. Waits for its running items, up to the grace period. Other instances go
   * on.
   * @param name the job's name, or its bootstrap's
   * @throws JobStateError as `get`
   */
  async remove(name: string): Promise<void> {
    const bootstrap = this.get(name);
    await bootstrap.shutdown();
    // If the job's own code called, the job has not ended yet.
    this.#forgetEnded();
  }

  /**
   * The object to inject under a token. It can be used once the application has booted.
   * @throws InvalidConfigurationError if the token is not a text
   */
  handle(token: string): JobHandle {
    if (typeof token === 'string' && token !== '') return new JobHandle(token, this);
    throw new InvalidConfigurationError([`A job's bootstrap must be injected by a name, got ${describeValue(token)}`]);
  }

  /** @internal Called by the module when the jobs' hosts exist. */
  open(hosts: JobHosts, traces: TraceDatabases | undefined): void {
    this.#hosts = hosts;
    this.#traces = traces;
  }

  /** @internal Called by the module when the application shuts down, could not boot, or starts no jobs. */
  close(why: string): void {
    this.#hosts = undefined;
    this.#whyNot = why;
    this.#byJob.clear();
    this.#jobNames.clear();
  }

  /**
   * @throws InvalidConfigurationError if there is no registry centre of that name
   * @throws JobConflictError if another registry centre has a job of that name
   */
  #hostFor(jobName: string, registryCenter: string): JobHost {
    const host = this.#hosts?.of(registryCenter);
    const names = [...(this.#hosts?.byName.keys() ?? [])];
    if (host === undefined)
      throw new InvalidConfigurationError(jobRegistryCenterProblems(jobName, { registryCenter }, names));
    const other = this.#hosts?.hostOf(jobName);
    const isTaken = other !== undefined && other.host !== host && other.host.jobs.get(jobName)?.phase !== 'stopped';
    if (!isTaken) return host;
    throw new JobConflictError(
      `Job '${jobName}' cannot be added on the registry centre '${registryCenter}': this application has a job of that name on the ` +
        `registry centre '${other.name}'. Rename one of them.`,
    );
  }

  #forget(jobName: string): void {
    this.#byJob.delete(jobName);
    for (const [bean, job] of this.#jobNames) if (job === jobName) this.#jobNames.delete(bean);
  }

  /** Forgets jobs that were ended by their bootstraps' own `shutdown()`. */
  #forgetEnded(): void {
    for (const jobName of this.#byJob.keys()) if (this.#hosts?.hostOf(jobName) === undefined) this.#forget(jobName);
  }

  #find(name: string): JobBootstrap | undefined {
    this.#forgetEnded();
    // The job's name comes first, so that a bootstrap with the name of another job hides no job.
    return this.#byJob.get(name) ?? this.#byJob.get(this.#jobNames.get(name) ?? name);
  }

  /** @throws JobConflictError if one of the names means another job already */
  #refuseTaken(jobName: string, bean: string): void {
    const owner = this.#jobNames.get(jobName);
    if (owner !== undefined && owner !== jobName) {
      throw new JobConflictError(
        `Job '${jobName}' cannot be added: job '${owner}' has that name as its jobBootstrapBeanName.`,
      );
    }
    const taken = bean === '' ? undefined : (this.#jobNames.get(bean) ?? this.#byJob.get(bean)?.jobName);
    if (taken === undefined || taken === jobName) return;
    throw new JobConflictError(
      `Job '${jobName}' cannot be added: its jobBootstrapBeanName '${bean}' is taken by job '${taken}'.`,
    );
  }
}

function nameIn(configuration: unknown): string {
  return String((configuration as Partial<JobConfiguration> | null | undefined)?.jobName);
}
