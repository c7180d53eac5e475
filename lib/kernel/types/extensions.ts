/**
 * The table of the extensions that a job's settings name, and of the executors: strategies, executors, error handlers,
 * pool sizes, listeners. Java finds these by its service loader; here they are lists given at start. An unknown name is
 * refused with the names that are known.
 */
import { availableParallelism } from 'node:os';
import { describeValue } from '../../api/text/describe-value.js';
import { type JobErrorHandler } from '../../api/extensions/error-handler.js';
import { DeadlineExceededError, InvalidConfigurationError } from '../../api/errors/errors.js';
import { type JobConfiguration } from '../../api/job/job-configuration.js';
import {
  type ClassedJobItemExecutor,
  type PropertyProblem,
  type TypedJobItemExecutor,
} from '../../api/extensions/job-executor.js';
import { isAccepted, textsOf, UnusableAnswerError } from '../../api/extensions/answers.js';
import { type ItemInterceptor, type RunObserver } from '../../api/events/run-events.js';
import { requireDependencies } from '../../api/settings/dependencies.js';
import { runLimitsOf } from '../../api/settings/run-limits.js';
import { builtInExecutors } from '../../executors/built-in-executors.js';
import { type AnyJobListener, LOWEST_ORDER } from '../../api/extensions/job-listener.js';
import { jobPath, keyPath, propertyPath } from '../../api/job/job-name.js';
import { type JobLogger } from '../../api/text/logger.js';
import { type JobShardingStrategy } from '../../api/extensions/sharding-strategy.js';
import { type JobExecutorThreadPoolSizeProvider } from '../../api/extensions/thread-pool-size.js';
import { withDeadline } from '../../async/wait.js';
import { type Clock } from '../../time/clock.js';
import { type JobLog } from '../job/job-log.js';
import { readItemParameters } from '../../layout/sharding-item-parameters.js';
import { builtInErrorHandlers } from './error-handlers.js';
import { ClassedExecutor, type ItemExecutor, TypedExecutor } from './item-executor.js';
import { listenerOrder, type NamedListener, namedListeners } from './named-listeners.js';
import { averageAllocation } from './strategies/average-allocation.js';
import { odevity } from './strategies/odevity.js';
import { roundRobin } from './strategies/round-robin.js';
import { singleShardingBalance } from './strategies/single-sharding-balance.js';
import { sticky } from './strategies/sticky.js';
import { describeCause, stackOf } from '../../api/text/describe-cause.js';
import { RUN_WORKER, RUN_WORKER_MEMORY, WORKER_TYPE } from '../../api/settings/run-properties.js';
import { isWorkerThreadJob } from '../../api/job/worker-job.js';

/** How long an error handler may take to close, in milliseconds. */
const CLOSING_TIMEOUT_MS = 5_000;

/** How long an error handler may take to prepare, in milliseconds. */
const PREPARATION_TIMEOUT_MS = 10_000;

/** How long an executor may take to prepare for a job, in milliseconds: the job's own code may be part of it. */
const LOADING_TIMEOUT_MS = 30_000;

/** How long an executor may take to free the resources of a job, in milliseconds. */
const RELEASE_TIMEOUT_MS = 5_000;

/** Extensions of users beside the built-in ones; if two have the same name, the user's is chosen. */
export interface ExtensionOptions {
  readonly strategies?: readonly JobShardingStrategy[];
  /** For jobs that have a type instead of a class, besides SCRIPT, HTTP and WORKER. */
  readonly executors?: readonly TypedJobItemExecutor[];
  /** For job objects of other kinds than `SimpleJob`, `DataflowJob` and `WorkerThreadJob`. */
  readonly classedExecutors?: readonly ClassedJobItemExecutor[];
  readonly errorHandlers?: readonly JobErrorHandler[];
  readonly threadPoolSizeProviders?: readonly JobExecutorThreadPoolSizeProvider[];
  readonly listeners?: readonly AnyJobListener[];
  /** Observe the runs of all jobs. */
  readonly observers?: readonly RunObserver[];
  /** Wrap the call of the job's code for each item, the first one outermost. */
  readonly interceptors?: readonly ItemInterceptor[];
}

/**
 * Finds the extensions that a job's configuration names. Each method throws InvalidConfigurationError on an unknown
 * name.
 */
export class Extensions {
  readonly #strategies: readonly JobShardingStrategy[];
  readonly #executors: readonly TypedJobItemExecutor[];
  readonly #classedExecutors: readonly ClassedJobItemExecutor[];
  readonly #errorHandlers: readonly JobErrorHandler[];
  readonly #threadPoolSizeProviders: readonly JobExecutorThreadPoolSizeProvider[];
  readonly #listeners: readonly NamedListener[];
  /** Observe the runs of all jobs. */
  readonly observers: readonly RunObserver[];
  /** Wrap the call of the job's code, the first one outermost. */
  readonly interceptors: readonly ItemInterceptor[];

  /** @throws InvalidConfigurationError if a listener is no listener, or has the type of another one */
  constructor(extensions: ExtensionOptions, ground: { readonly clock: Clock; readonly logger: JobLogger }) {
    this.#strategies = [
      ...(extensions.strategies ?? []),
      averageAllocation,
      odevity,
      roundRobin,
      singleShardingBalance(ground.clock),
      sticky,
    ];
    const builtIn = builtInExecutors(ground.clock);
    this.#executors = [...(extensions.executors ?? []), ...builtIn.typed];
    this.#classedExecutors = [...(extensions.classedExecutors ?? []), ...builtIn.classed];
    this.observers = extensions.observers ?? [];
    this.interceptors = extensions.interceptors ?? [];
    this.#errorHandlers = [...(extensions.errorHandlers ?? []), ...builtInErrorHandlers(ground.logger)];
    this.#threadPoolSizeProviders = [...(extensions.threadPoolSizeProviders ?? []), cpu, singleThread];
    this.#listeners = namedListeners(extensions.listeners ?? []);
  }

  /** Default: AVG_ALLOCATION. */
  strategy({ jobName, jobShardingStrategyType }: JobConfiguration): JobShardingStrategy {
    return choose(this.#strategies, jobShardingStrategyType ?? 'AVG_ALLOCATION', {
      path: keyPath(jobPath(jobName), 'jobShardingStrategyType'),
      what: 'sharding strategy',
    });
  }

  /** Default: LOG. */
  errorHandler({ jobName, jobErrorHandlerType }: JobConfiguration): JobErrorHandler {
    return choose(this.#errorHandlers, jobErrorHandlerType ?? 'LOG', {
      path: keyPath(jobPath(jobName), 'jobErrorHandlerType'),
      what: 'error handler',
    });
  }

  /** Default: CPU. */
  threadPoolSizeProvider(configuration: JobConfiguration): JobExecutorThreadPoolSizeProvider {
    return choose(this.#threadPoolSizeProviders, configuration.jobExecutorThreadPoolSizeProviderType ?? 'CPU', {
      path: keyPath(jobPath(configuration.jobName), 'jobExecutorThreadPoolSizeProviderType'),
      what: 'thread pool size provider',
    });
  }

  /**
   * Number of items of the job that may run at once on this instance, as the provider returns it now.
   * @throws InvalidConfigurationError if it throws, or returns anything but an integer of at least 1
   */
  threadPoolSize(configuration: JobConfiguration): number {
    const provider = this.threadPoolSizeProvider(configuration);
    const path = keyPath(jobPath(configuration.jobName), 'jobExecutorThreadPoolSizeProviderType');
    let size: unknown;
    try {
      size = provider.getSize();
    } catch (error) {
      const fault = `${path}: getSize() of the provider ${provider.type} has failed: ${describeCause(error)}`;
      throw new InvalidConfigurationError([fault], { cause: error });
    }
    if (typeof size === 'number' && Number.isInteger(size) && size >= 1) return size;
    throw new InvalidConfigurationError([
      `${path}: the provider ${provider.type} must return an integer of at least 1, got ${describeValue(size)}`,
    ]);
  }

  /**
   * The executor that does the work of a job's items.
   * @param job the job object, or the type of a job without class
   * @throws InvalidConfigurationError if no executor has that type, or accepts such an object
   */
  executorOf(jobName: string, job: unknown): ItemExecutor {
    if (typeof job === 'string') {
      const path = keyPath(jobPath(jobName), 'elasticJobType');
      const typed = choose(this.#executors, job, { path, what: 'job type', hint: hintFor(job) });
      return new TypedExecutor(typed);
    }
    const object = typeof job === 'object' ? job : null;
    const classed = object === null ? undefined : this.#classedExecutors.find((each) => isAccepted(each, object));
    if (object !== null && classed !== undefined) return new ClassedExecutor(classed, object);
    const requirements = this.#classedExecutors.map(({ requirement }) => requirement).join(', or ');
    throw new InvalidConfigurationError([
      `${jobPath(jobName)}: Elastic job cannot be null and must have ${requirements}, got ${job === null ? 'null' : typeof job}`,
    ]);
  }

  /**
   * The known ones of the job's listeners, in the order in which they are called: by `order()`, and as the settings
   * name them. A listener whose `order()` cannot be used is called last. `faultsIn` finds the faults.
   */
  listeners({ jobListenerTypes }: JobConfiguration): readonly NamedListener[] {
    const known = jobListenerTypes.flatMap((type) => this.#listeners.find((each) => isOfType(each, type)) ?? []);
    return [...new Set(known)]
      .map((named) => ({ named, order: listenerOrder(named).order ?? LOWEST_ORDER }))
      .sort((one, other) => one.order - other.order)
      .map(({ named }) => named);
  }

  #checkListener({ jobName }: JobConfiguration, type: string): void {
    const path = keyPath(jobPath(jobName), 'jobListenerTypes');
    const { problem } = listenerOrder(choose(this.#listeners, type, { path, what: 'job listener' }));
    if (problem !== undefined) throw new InvalidConfigurationError([`${path}: ${problem}`]);
  }

  /**
   * Lets the executor and the error handler of a job load their resources.
   * @param job the job object, or the type of a job without class
   * @throws InvalidConfigurationError if one of them cannot, or takes more than 30 seconds and 10 seconds, respectively
   */
  async prepare(configuration: JobConfiguration, job: unknown, clock: Clock): Promise<void> {
    await this.prepareExecutor(configuration, job, clock);
    await this.prepareErrorHandler(configuration, clock);
  }

  /** @throws InvalidConfigurationError if the executor cannot prepare for the job, or takes more than 30 seconds */
  async prepareExecutor(configuration: JobConfiguration, job: unknown, clock: Clock): Promise<void> {
    const { jobName } = configuration;
    const prepare = async (): Promise<void> => this.executorOf(jobName, job).prepare(configuration);
    const timeout = (): Error =>
      new DeadlineExceededError(`the executor of job '${jobName}' to load what the job needs`, LOADING_TIMEOUT_MS);
    try {
      await withDeadline(clock, prepare(), LOADING_TIMEOUT_MS, timeout);
    } catch (error) {
      if (error instanceof InvalidConfigurationError) throw error;
      const fault = `${jobPath(jobName)}: its executor cannot be used: ${describeCause(error)}`;
      throw new InvalidConfigurationError([fault], { cause: error });
    }
  }

  /** Lets the executor free the resources of a job that has ended. Never rejects, and takes 5 seconds at most. */
  async release(
    jobName: string,
    job: unknown,
    { clock, logger }: { readonly clock: Clock; readonly logger: JobLog },
  ): Promise<void> {
    const release = async (): Promise<void> => this.executorOf(jobName, job).release(jobName);
    const timeout = (): Error =>
      new DeadlineExceededError(`the executor of job '${jobName}' to free what the job needed`, RELEASE_TIMEOUT_MS);
    await withDeadline(clock, release(), RELEASE_TIMEOUT_MS, timeout).catch((error: unknown) =>
      logger.error(`its executor: ${describeCause(error)}`, stackOf(error)),
    );
  }

  /** @throws InvalidConfigurationError if the error handler cannot prepare, or takes more than 10 seconds */
  async prepareErrorHandler(configuration: JobConfiguration, clock: Clock): Promise<void> {
    const handler = this.errorHandler(configuration);
    const timeout = (): Error =>
      new DeadlineExceededError(`the error handler ${handler.type} to load what it needs`, PREPARATION_TIMEOUT_MS);
    const prepare = async (): Promise<void> => handler.prepare?.(configuration);
    try {
      await withDeadline(clock, prepare(), PREPARATION_TIMEOUT_MS, timeout);
    } catch (error) {
      if (error instanceof InvalidConfigurationError) throw error;
      const path = keyPath(jobPath(configuration.jobName), 'jobErrorHandlerType');
      const fault = `${path}: the error handler ${handler.type} cannot be used: ${describeCause(error)}`;
      throw new InvalidConfigurationError([fault], { cause: error });
    }
  }

  /** Closes the error handlers of users. Never rejects: an error or a timeout of a handler is logged. */
  async close({ clock, logger }: { readonly clock: Clock; readonly logger: JobLog }): Promise<void> {
    const closing = this.#errorHandlers.map(async (handler) => {
      const what = `the error handler ${handler.type} to close`;
      const timeout = (): Error => new DeadlineExceededError(what, CLOSING_TIMEOUT_MS);
      await withDeadline(clock, Promise.resolve(handler.close?.()), CLOSING_TIMEOUT_MS, timeout);
    });
    for (const [index, result] of (await Promise.allSettled(closing)).entries())
      if (result.status === 'rejected')
        logger.error(
          `The error handler ${this.#errorHandlers[index]?.type ?? ''} could not be closed: ${describeCause(result.reason)}`,
          stackOf(result.reason),
        );
  }

  /**
   * Checks the extensions that a job and its configuration name, and the properties that its executor and its error
   * handler need.
   * @param job the job object, or the type of a job without class
   * @throws InvalidConfigurationError with all faults
   */
  check(configuration: JobConfiguration, job: unknown): void {
    const faults = this.#faults(configuration, job).map(({ problem }) => problem);
    if (faults.length > 0) throw new InvalidConfigurationError(faults);
  }

  /**
   * Doubts of the executor and the error handler about the job's properties: values that are allowed, but probably not
   * intended.
   * @param job the job object, or the type of a job without class
   * @throws InvalidConfigurationError if the configuration names an unknown error handler
   */
  doubts(configuration: JobConfiguration, job: unknown): readonly string[] {
    const executor = this.executorOf(configuration.jobName, job);
    const handler = this.errorHandler(configuration);
    const own = textsOf(`doubts() of the error handler ${handler.type}`, handler.doubts?.(configuration));
    return [...executor.doubts(configuration), ...own];
  }

  /**
   * All faults of the extensions that a job and its configuration name, and of the properties that its executor and its
   * error handler need; each with the part of the job that cannot do its work because of it.
   * @param job the job object, or the type of a job without class
   */
  faultsIn(configuration: JobConfiguration, job: unknown): readonly SettingsFault[] {
    const path = jobPath(configuration.jobName);
    return this.#faults(configuration, job).map(({ part, problem }) => ({ part, problem: withoutPath(problem, path) }));
  }

  /** As `faultsIn`, with the whole path of each setting. */
  #faults(configuration: JobConfiguration, job: unknown): readonly SettingsFault[] {
    const { jobName, jobListenerTypes, shardingItemParameters } = configuration;
    const checks: readonly (readonly [part: SettingsPart, check: () => unknown])[] = [
      ['executor', () => this.#checkExecutor(configuration, job)],
      ['strategy', () => this.strategy(configuration)],
      ['error-handler', () => this.#checkErrorHandler(configuration)],
      ['pool', () => this.threadPoolSize(configuration)],
      ['items', () => runLimitsOf(configuration)],
      ['items', () => requireDependencies(configuration)],
      ['items', () => readItemParameters(shardingItemParameters)],
      ...jobListenerTypes.map((type) => ['listeners', () => this.#checkListener(configuration, type)] as const),
    ];
    return checks.flatMap(([part, check]) =>
      problemsOf(check, `${jobPath(jobName)}: its ${part}`).map((problem) => ({ part, problem })),
    );
  }

  #checkExecutor(configuration: JobConfiguration, job: unknown): void {
    const { jobName } = configuration;
    const problems = [
      ...this.executorOf(jobName, job).validate(configuration),
      ...ineffectiveProperties(configuration, job),
    ];
    if (problems.length === 0) return;
    throw new InvalidConfigurationError(
      problems.map(({ property, problem }) => `${propertyPath(jobName, property)}: ${problem}`),
    );
  }

  #checkErrorHandler(configuration: JobConfiguration): void {
    const handler = this.errorHandler(configuration);
    const { afterFailure = 'continue' } = handler;
    if (!['continue', 'interrupt'].includes(afterFailure))
      throw new InvalidConfigurationError([
        `${keyPath(jobPath(configuration.jobName), 'jobErrorHandlerType')}: afterFailure of the error handler ${handler.type} must be 'continue' or ` +
          `'interrupt', got ${describeValue(afterFailure)}`,
      ]);
    const problems = textsOf(`validate() of the error handler ${handler.type}`, handler.validate?.(configuration));
    if (problems.length === 0) return;
    const path = keyPath(jobPath(configuration.jobName), 'props');
    throw new InvalidConfigurationError(
      problems.map((problem) => `${path}: error handler ${handler.type}: ${problem}`),
    );
  }
}

/** The parts of a job that extensions provide. */
export const SETTINGS_PARTS = ['executor', 'strategy', 'error-handler', 'pool', 'items', 'listeners'] as const;
export type SettingsPart = (typeof SETTINGS_PARTS)[number];

/** A fault in a job's settings. */
export interface SettingsFault {
  /** The part of the job that cannot do its work as set. */
  readonly part: SettingsPart;
  /** Begins with the setting, if there is one: `jobErrorHandlerType: unknown error handler 'NOPE'; known are: LOG`. */
  readonly problem: string;
}

/** The faults found by a check that throws them. Checks of users' objects may throw anything. */
function problemsOf(check: () => unknown, what: string): readonly string[] {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof InvalidConfigurationError) return error.faults;
    const cause = error instanceof UnusableAnswerError ? error.message : describeCause(error);
    return [`${what} could not be checked: ${cause}`];
  }
}

/** Faults of a job's own settings begin with its path, `elasticjob.jobs.bill`, which stored settings do not have. */
function withoutPath(problem: string, path: string): string {
  return problem.startsWith(path) ? problem.slice(path.length).replace(/^(\.|: )/, '') : problem;
}

/**
 * Properties of worker threads that have no effect, because the job does not run in such threads: users would notice
 * that too late.
 */
function ineffectiveProperties({ props }: JobConfiguration, job: unknown): readonly PropertyProblem[] {
  const isType = typeof job === 'string';
  if (isType ? job.toUpperCase() === WORKER_TYPE : isWorkerThreadJob(job)) return [];
  const runner = isType ? `its type ${job}` : 'its class';
  return [RUN_WORKER, RUN_WORKER_MEMORY].flatMap((property) => {
    const value = props[property];
    const problem = `must be left out, since ${runner} does the job's work, not a worker; got ${describeValue(value)}`;
    return value === undefined ? [] : [{ property, problem }];
  });
}

/** Read once: it takes a system call, and each firing needs it. */
const CORES = availableParallelism();

const cpu: JobExecutorThreadPoolSizeProvider = { type: 'CPU', getSize: () => 2 * CORES };
const singleThread: JobExecutorThreadPoolSizeProvider = { type: 'SINGLE_THREAD', getSize: () => 1 };

function isOfType(candidate: { readonly type: string }, type: string): boolean {
  return candidate.type.toUpperCase() === type.toUpperCase();
}

function choose<T extends { readonly type: string }>(
  choices: readonly T[],
  type: string,
  { path, what, hint = '' }: { readonly path: string; readonly what: string; readonly hint?: string },
): T {
  const choice = choices.find((candidate) => isOfType(candidate, type));
  if (choice !== undefined) return choice;
  const known = [...new Set(choices.map((candidate) => candidate.type))].join(', ');
  throw new InvalidConfigurationError([
    `${path}: unknown ${what} ${describeValue(type)}; known are: ${known === '' ? 'none' : known}${hint}`,
  ]);
}

/** ElasticJob had these types until 2.x; since then, the class determines the kind of job. */
function hintFor(type: string): string {
  return ['SIMPLE', 'DATAFLOW'].includes(type.toUpperCase())
    ? `. A ${type.toLowerCase()} job is an object of a class, such as a provider that elasticJobClass names`
    : '';
}
