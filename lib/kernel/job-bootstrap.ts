import { describeValue } from '../api/text/describe-value.js';
import { InvalidConfigurationError, JobStateError } from '../api/errors/errors.js';
import { type JobConfiguration, jobConfiguration } from '../api/job/job-configuration.js';
import { type ElasticJob } from '../api/job/job.js';
import { checkOptions, oneOf, type OptionRules, text, withMethods } from '../api/settings/call-options.js';
import { dependenciesOf, isScheduled } from '../api/settings/dependencies.js';
import { type JobLogger } from '../api/text/logger.js';
import { type RegistryCenter } from '../registry/registry-center.js';
import { JobHost } from './job-host.js';
import { type JobRuntime } from './job-runtime.js';
import { type TriggerOptions } from './life/job-trigger.js';

/** Options of a bootstrap. */
export interface JobBootstrapOptions {
  /**
   * The jobs of this process. Default: one host for each registry centre, made at the first use, which logs to the
   * console's error stream.
   */
  readonly host?: JobHost;
  /**
   * Text of the job's root node; to join a Java job, that job's class name. Default: the job's type, or the job's name.
   */
  readonly jobClassName?: string;
  /** Java versions that can read a stored thread pool setting: up to 3.0.4, or since 3.0.5 (default). */
  readonly compatibility?: '3.0.4' | '3.0.5';
  /** Name of the code that defines the job, for messages. Default: the class or type. */
  readonly owner?: string;
}

const BOOTSTRAP_RULES: OptionRules<JobBootstrapOptions> = {
  host: withMethods('add', 'remove'),
  jobClassName: text,
  compatibility: oneOf('3.0.4', '3.0.5'),
  owner: text,
};

/** Hosts of bootstraps that were not given one. Bound to the registry centre's life, so it keeps nothing alive. */
const hosts = new WeakMap<RegistryCenter, JobHost>();

abstract class JobBootstrap {
  /** The job on this instance. */
  protected readonly runtime: JobRuntime;
  readonly #host: JobHost;

  constructor(
    registryCenter: RegistryCenter,
    job: ElasticJob | string,
    configuration: JobConfiguration,
    options: JobBootstrapOptions,
  ) {
    const checked = jobConfiguration(configuration);
    refuseEmptyType(job, checked.jobName);
    const jobClassName = options.jobClassName ?? (typeof job === 'string' ? job : undefined);
    this.#host = options.host ?? hostOf(registryCenter);
    this.runtime = this.#host.add({
      configuration: checked,
      job,
      ...(jobClassName !== undefined && { jobClassName }),
      ...(options.compatibility && { compatibility: options.compatibility }),
      owner: options.owner ?? ownerOf(job),
    });
  }

  get jobName(): string {
    return this.runtime.jobName;
  }

  /** Ends the job on this instance: waits for its running items, withdraws, and frees the job's name. */
  async shutdown(): Promise<void> {
    await this.#host.remove(this.jobName, this.runtime);
  }
}

/**
 * Starts a job that fires by its cron expression: `new ScheduleJobBootstrap(registryCenter, job,
 * configuration).schedule()`.
 */
export class ScheduleJobBootstrap extends JobBootstrap {
  /**
   * @param job the job object, or the type of a job without class
   * @throws JobStateError if the configuration has no cron expression
   * @throws InvalidConfigurationError, JobConflictError as `JobHost.add`
   */
  constructor(
    registryCenter: RegistryCenter,
    job: ElasticJob | string,
    configuration: JobConfiguration,
    options: JobBootstrapOptions = {},
  ) {
    checkOptions('new ScheduleJobBootstrap()', options, BOOTSTRAP_RULES);
    if (!isScheduled(jobConfiguration(configuration))) {
      throw new JobStateError(
        `Cron can not be empty: job '${configuration.jobName}' has none but is started as a scheduled job. Set cron or after, or make it ` +
          'a one-off job by OneOffJobBootstrap.',
      );
    }
    super(registryCenter, job, configuration, options);
  }

  /**
   * Registers the job and lets it fire. While the registry centre cannot be reached, waits; further calls do nothing.
   * If it rejects, the job has ended; make another bootstrap to try again.
   *
   * In a Nest application, a job with a fault does not end: it waits until its fault is mended, and this method rejects
   * with the fault until then.
   * @throws JobConflictError if the name is taken by another job
   * @throws JobStateError if the stored configuration has no cron expression, or the job has been shut down
   * @throws InvalidConfigurationError if the stored configuration cannot be used, its cron expression or time zone
   *   included, or the executor or the error handler cannot prepare for the job
   * @throws RegistryRefusedError if the registry centre refuses the job's nodes
   * @throws RegistryCredentialsError if it refuses this client
   * @throws RegistryIncompatibleError if its data are of another version
   * @throws JobStoppedError if the job, or the registry centre, is shut down meanwhile
   */
  schedule(): Promise<void> {
    return this.runtime.schedule();
  }

  /**
   * Runs the job once now, beside its schedule, on all registered instances, each its own items. Resolves when all have
   * been triggered, not when they have finished.
   * @param options settings of this run alone: `{ jobParameter: 'only Beijing' }`
   * @throws RegistryUnavailableError if the registry centre does not answer; some instances may have been triggered
   * @throws DeadlineExceededError if this instance does not take part, as after a lost session, and does not within 10
   *   seconds
   * @throws JobStateError if the job has been shut down; if a `jobParameter` is given and Java instances take part; if
   *   an instance has not accepted a trigger with another job parameter yet
   * @throws InvalidConfigurationError if the options cannot be used; all that `schedule()` throws if the job has not
   *   started
   */
  trigger(options?: TriggerOptions): Promise<void> {
    return this.runtime.trigger(options);
  }
}

/**
 * Starts a job that runs when it is triggered: `new OneOffJobBootstrap(registryCenter, job, configuration).execute()`.
 */
export class OneOffJobBootstrap extends JobBootstrap {
  /**
   * @param job the job object, or the type of a job without class
   * @throws JobStateError if the configuration has a cron expression
   * @throws InvalidConfigurationError, JobConflictError as `JobHost.add`
   */
  constructor(
    registryCenter: RegistryCenter,
    job: ElasticJob | string,
    configuration: JobConfiguration,
    options: JobBootstrapOptions = {},
  ) {
    checkOptions('new OneOffJobBootstrap()', options, BOOTSTRAP_RULES);
    if (jobConfiguration(configuration).cron !== undefined) {
      throw new JobStateError(
        `Cron should be empty: job '${configuration.jobName}' has '${configuration.cron}' but is started as a one-off job.`,
      );
    }
    refuseDependencies(jobConfiguration(configuration));
    super(registryCenter, job, configuration, options);
  }

  /**
   * Registers the job on this instance, so that it takes part in executions that others ask for. While the registry
   * centre cannot be reached, waits. If it rejects, the job has ended, as `ScheduleJobBootstrap.schedule()` describes.
   * @throws JobConflictError, JobStateError, InvalidConfigurationError, RegistryRefusedError, RegistryCredentialsError,
   *   JobStoppedError as `ScheduleJobBootstrap.schedule()`, which says when
   */
  start(): Promise<void> {
    return this.runtime.start();
  }

  /**
   * Runs the job once on all registered instances, each its own items. Resolves when all have been triggered, not when
   * they have finished. An instance that is just running does so afterwards.
   * @param options settings of this run alone: `{ jobParameter: 'only Beijing' }`
   * @throws RegistryUnavailableError, DeadlineExceededError, JobStateError, InvalidConfigurationError as
   *   `ScheduleJobBootstrap.trigger()`; all that `start()` throws if the job has not started
   */
  execute(options?: TriggerOptions): Promise<void> {
    return this.runtime.trigger(options);
  }
}

/** The owner of a job that was given without one, for messages. */
function ownerOf(job: ElasticJob | string): string {
  if (typeof job === 'string') return `job type ${job}`;
  // The executors of the host decide later whether it is a job.
  const name = typeof job === 'object' && (job as unknown) !== null ? job.constructor.name : '';
  // An object literal has no class of its own to be recognised by.
  return name === '' || name === 'Object' ? 'an object without a class' : `class ${name}`;
}

function refuseDependencies(configuration: JobConfiguration): void {
  const { after } = dependenciesOf(configuration) ?? {};
  if (after === undefined) return;
  const { jobName } = configuration;
  throw new JobStateError(
    `Job '${jobName}' runs after ${after.join(', ')} but is started as a one-off job. Start it by ScheduleJobBootstrap.`,
  );
}

function refuseEmptyType(job: ElasticJob | string, jobName: string): void {
  if (typeof job !== 'string' || job.trim() !== '') return;
  throw new InvalidConfigurationError([
    `elasticjob.jobs.${jobName}.elasticJobType: Elastic job type cannot be null or empty.`,
  ]);
}

function hostOf(registryCenter: RegistryCenter): JobHost {
  if (typeof (registryCenter as Partial<RegistryCenter> | null | undefined)?.connect !== 'function')
    throw new InvalidConfigurationError([`A job needs a registry centre, got ${describeValue(registryCenter)}`]);
  const known = hosts.get(registryCenter);
  if (known !== undefined) return known;
  registryCenter.connect();
  const host = new JobHost({ registryCenter, logger: errorStreamLogger });
  hosts.set(registryCenter, host);
  return host;
}

/** Writes warnings and errors to the error stream. For other entries, give a host with a logger. */
const errorStreamLogger: JobLogger = {
  debug: () => undefined,
  log: () => undefined,
  warn: (message) => void process.stderr.write(`${message}\n`),
  error: (message, stack) => void process.stderr.write(`${message}\n${stack === undefined ? '' : `${stack}\n`}`),
};
