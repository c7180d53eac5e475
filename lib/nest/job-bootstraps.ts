import { Injectable } from '@nestjs/common';
import { describeValue } from '../api/describe-value.js';
import { InvalidConfigurationError, JobConflictError, JobStateError } from '../api/errors.js';
import { jobConfiguration, type JobConfiguration } from '../api/job-configuration.js';
import { type ElasticJob } from '../api/job.js';
import { suggestion } from '../api/nearest.js';
import { OneOffJobBootstrap, ScheduleJobBootstrap } from '../kernel/job-bootstrap.js';
import { type JobHost } from '../kernel/job-host.js';
import { JobHandle } from './job-handle.js';

/** Either kind of bootstrap; which it is, its job's configuration decides. */
export type JobBootstrap = ScheduleJobBootstrap | OneOffJobBootstrap;

/** Options of a job that is added at run time. */
export interface AddJobOptions {
  /** Name by which `get` finds it besides the job's name. */
  readonly jobBootstrapBeanName?: string;
  /** Text of the job's root node. Default: the class's name, or the job's type. */
  readonly jobClassName?: string;
  /** Which Java peers are to be able to read a thread pool setting that is stored: up to 3.0.4, or since 3.0.5 (default). */
  readonly compatibility?: '3.0.4' | '3.0.5';
  /** Who defined the job, for messages. Default: `JobBootstraps.add()`. */
  readonly owner?: string;
}

/**
 * The bootstraps of all jobs of the application, by job name; injectable. Jobs are added and removed here at run time.
 * It is filled when the application has booted, after all `onApplicationBootstrap` hooks.
 */
@Injectable()
export class JobBootstraps {
  readonly #byJob = new Map<string, JobBootstrap>();
  /** Job names by the bootstraps' own names. */
  readonly #jobNames = new Map<string, string>();
  #host: JobHost | undefined;
  #whyNot = 'the application has not booted yet; jobs exist after all onApplicationBootstrap hooks have run';

  /** Names of the jobs. */
  get names(): readonly string[] {
    this.#forgetEnded();
    return [...this.#byJob.keys()];
  }

  /** Whether there is a job, by its name or its bootstrap's name. */
  has(name: string): boolean {
    return this.#find(name) !== undefined;
  }

  /** The bootstrap of a job, by the job's name or the bootstrap's own. @throws JobStateError if there is none, saying which there are */
  get(name: string): JobBootstrap {
    const bootstrap = this.#find(name);
    if (bootstrap !== undefined) return bootstrap;
    if (this.#host === undefined) throw new JobStateError(`Job '${String(name)}' cannot be used: ${this.#whyNot}.`);
    if (typeof name !== 'string') throw new JobStateError(`A job is found by its name, got ${describeValue(name)}.`);
    const names = [...new Set([...this.names, ...this.#jobNames.keys()])];
    const known = names.length === 0 ? 'none' : names.map((one) => `'${one}'`).join(', ');
    throw new JobStateError(
      `There is no job '${name}' in this application (known: ${known})${suggestion(name, names) || '.'}`,
    );
  }

  /** The bootstrap of a one-off job. @throws JobStateError as `get`, and if the job is scheduled by cron */
  oneOff(name: string): OneOffJobBootstrap {
    const bootstrap = this.get(name);
    if (bootstrap instanceof OneOffJobBootstrap) return bootstrap;
    throw new JobStateError(`Job '${bootstrap.jobName}' has a cron expression: it is scheduled, and no one-off job.`);
  }

  /** The bootstrap of a job that is scheduled by cron. @throws JobStateError as `get`, and if it is a one-off job */
  scheduled(name: string): ScheduleJobBootstrap {
    const bootstrap = this.get(name);
    if (bootstrap instanceof ScheduleJobBootstrap) return bootstrap;
    throw new JobStateError(
      `Job '${bootstrap.jobName}' has no cron expression: it is a one-off job and cannot be scheduled.`,
    );
  }

  /**
   * Adds a job at run time, without starting it: call `schedule()`, `start()` or `execute()` of what is returned.
   * @param job the job object, or the type of a job that has an executor
   * @throws InvalidConfigurationError if the configuration cannot be used
   * @throws JobConflictError if there is a job of that name, or the bootstrap's name is taken
   * @throws JobStateError before the application has booted and once it shuts down
   */
  add(job: ElasticJob | string, configuration: JobConfiguration, options: AddJobOptions = {}): JobBootstrap {
    if (this.#host === undefined)
      throw new JobStateError(`Job '${nameIn(configuration)}' cannot be added: ${this.#whyNot}.`);
    // Whoever spreads a configuration to change it skips the builder's checks.
    const checked = jobConfiguration(configuration);
    const { jobName } = checked;
    const { jobBootstrapBeanName: bean = '', owner = 'JobBootstraps.add()', ...rest } = options;
    this.#forgetEnded();
    this.#refuseTaken(jobName, bean);
    const Bootstrap = checked.cron === undefined ? OneOffJobBootstrap : ScheduleJobBootstrap;
    const bootstrap = new Bootstrap(this.#host.registryCenter, job, checked, { host: this.#host, owner, ...rest });
    this.#byJob.set(jobName, bootstrap);
    if (bean !== '') this.#jobNames.set(bean, jobName);
    return bootstrap;
  }

  /** Ends a job on this instance, waiting for its running items up to the grace period, and forgets it. Does nothing if there is none. */
  async remove(name: string): Promise<void> {
    const bootstrap = this.#find(name);
    if (bootstrap === undefined) return;
    await bootstrap.shutdown();
    if (this.#byJob.get(bootstrap.jobName) === bootstrap) this.#forget(bootstrap.jobName);
  }

  /** What to inject under a token; usable once the application has booted. */
  handle(token: string): JobHandle {
    if (typeof token === 'string' && token !== '') return new JobHandle(token, this);
    throw new InvalidConfigurationError([`A job's bootstrap must be injected by a name, got ${describeValue(token)}`]);
  }

  /** @internal Called by the module when the jobs' host exists. */
  open(host: JobHost): void {
    this.#host = host;
  }

  /** @internal Called by the module when the application shuts down, or does not start jobs at all. */
  close(why: string): void {
    this.#host = undefined;
    this.#whyNot = why;
    this.#byJob.clear();
    this.#jobNames.clear();
  }

  #forget(jobName: string): void {
    this.#byJob.delete(jobName);
    for (const [bean, job] of this.#jobNames) if (job === jobName) this.#jobNames.delete(bean);
  }

  /** A job may also have been ended by its bootstrap's own `shutdown()`. */
  #forgetEnded(): void {
    for (const jobName of this.#byJob.keys()) if (this.#host?.jobs.has(jobName) === false) this.#forget(jobName);
  }

  #find(name: string): JobBootstrap | undefined {
    this.#forgetEnded();
    // The job's name comes first, so that a bootstrap named like another job hides nothing.
    return this.#byJob.get(name) ?? this.#byJob.get(this.#jobNames.get(name) ?? name);
  }

  /** Every name under which a bootstrap is found means one job. */
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
