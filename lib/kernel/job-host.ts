import { InvalidConfigurationError, JobConflictError } from '../api/errors/errors.js';
import {
  aClock,
  aList,
  aLogger,
  aRegistryCenter,
  checkOptions,
  milliseconds,
  nonEmptyText,
  type OptionRules,
  withMethods,
} from '../api/settings/call-options.js';
import { isMap } from '../api/text/describe-value.js';
import { type JobLogger } from '../api/text/logger.js';
import { type ObservedHost } from '../api/events/observed-host.js';
import { type JobInstance } from '../api/extensions/sharding-strategy.js';
import { createJobInstance } from '../layout/job-instance.js';
import { type RegistryCenter, type SessionState } from '../registry/registry-center.js';
import { type Clock, systemClock } from '../time/clock.js';
import { watchClock } from '../time/clock-watch.js';
import { ClockTimers, type FiringTimers } from './lanes/cron-timer.js';
import { type JobDefinition } from './job/job-definition.js';
import { JobRuntime, type JobRuntimeDeps } from './job-runtime.js';
import { clockProblem } from './run/clock-check.js';
import { RunObservers } from './run/run-observers.js';
import { Extensions, type ExtensionOptions } from './types/extensions.js';
import { JobLog } from './job/job-log.js';

/** Options of a host. */
export interface JobHostOptions extends ExtensionOptions {
  readonly registryCenter: RegistryCenter;
  /** The name of the registry centre, for observers. Default: `default`. */
  readonly registryCenterName?: string;
  readonly logger: JobLogger;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
  /** Identity of this process to its peers. Default: its ip and a unique id. */
  readonly instance?: JobInstance;
  /** Default: timers on `clock`. */
  readonly timers?: FiringTimers;
  /** How long stopping waits for running items, in milliseconds. Default: 20,000. */
  readonly shutdownGracePeriodMilliseconds?: number;
}

const HOST_RULES: OptionRules<JobHostOptions> = {
  registryCenter: aRegistryCenter,
  registryCenterName: nonEmptyText,
  logger: aLogger,
  clock: aClock,
  instance: (value) =>
    isMap(value) && typeof value['jobInstanceId'] === 'string' ? undefined : 'must be a JobInstance',
  timers: withMethods('arm', 'disarm'),
  shutdownGracePeriodMilliseconds: milliseconds,
  ...{ strategies: aList, executors: aList, classedExecutors: aList, errorHandlers: aList },
  ...{ threadPoolSizeProviders: aList, listeners: aList, observers: aList, interceptors: aList },
};

/** The jobs of this process on one registry centre. They share its session and one instance id. */
export class JobHost {
  readonly registryCenter: RegistryCenter;
  readonly instance: JobInstance;
  /** The extensions that the type names in configurations stand for. */
  readonly types: Extensions;
  readonly #name: string;
  readonly #deps: JobRuntimeDeps;
  /** Log of what concerns all jobs. */
  readonly #logger: JobLog;
  readonly #jobs = new Map<string, JobRuntime>();
  /** Jobs that were removed and could not withdraw then; the last one of each name. */
  readonly #leaving = new Map<string, JobRuntime>();
  #isStopping = false;
  /** Set by the first call of `stop()`. */
  #stopped: Promise<void> | undefined;
  #unsubscribe: (() => void) | undefined;
  #unwatch: (() => void) | undefined;

  /** @throws InvalidConfigurationError if an option is missing, unknown or of a wrong kind */
  constructor(options: JobHostOptions) {
    const required = ['registryCenter', 'logger'];
    checkOptions('new JobHost()', options, HOST_RULES, { required, example: '{ registryCenter, logger }' });
    const { state } = options.registryCenter.session;
    if (state.phase === 'closed')
      throw new InvalidConfigurationError([
        `new JobHost(): registryCenter is closed (${state.reason}). Give one that is open: a registry centre that was closed is never open again`,
      ]);
    const { registryCenter, logger, clock = systemClock, shutdownGracePeriodMilliseconds = 20_000 } = options;
    this.registryCenter = registryCenter;
    this.#name = options.registryCenterName ?? 'default';
    this.instance = options.instance ?? createJobInstance();
    this.#logger = new JobLog(logger, { jobName: undefined, instance: this.instance.jobInstanceId });
    this.types = new Extensions(options, { clock, logger });
    this.#deps = {
      registry: registryCenter,
      instance: this.instance,
      extensions: this.types,
      firingTimers: options.timers ?? new ClockTimers(clock),
      clock,
      logger,
      shutdownGracePeriodMs: shutdownGracePeriodMilliseconds,
    };
  }

  /** True if this process is ending its jobs, or has ended them. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** The jobs by name, those included that have not been started. */
  get jobs(): ReadonlyMap<string, JobRuntime> {
    return this.#jobs;
  }

  /**
   * Takes in a job, without starting it.
   * @throws JobConflictError if this process already has a job of that name, naming both owners
   * @throws InvalidConfigurationError if it names a strategy, error handler or the like that is not known
   */
  add(definition: JobDefinition): JobRuntime {
    const { configuration, job, owner } = definition;
    const { jobName } = configuration;
    const other = this.#jobs.get(jobName);
    if (other !== undefined && other.phase !== 'stopped') {
      throw new JobConflictError(
        other.definition.owner === owner
          ? `Job '${jobName}' is defined twice in this process, both times by ${owner}. Remove or rename one of them.`
          : `Job '${jobName}' is defined twice in this process: by ${other.definition.owner} and by ${owner}. Rename one of them.`,
      );
    }
    if (this.#isStopping)
      throw new JobConflictError(`Job '${jobName}' cannot be added: this process is shutting down.`);
    this.types.check(configuration, job);
    const problem = clockProblem(configuration, this.registryCenter);
    if (problem !== undefined) throw new InvalidConfigurationError([problem]);
    this.#unsubscribe ??= this.#begin();
    // Both have this instance's id: the registration that the former one has not withdrawn is the new one's from now
    // on.
    this.#leaving.get(jobName)?.keepRegistration();
    this.#leaving.delete(jobName);
    other?.keepRegistration();
    this.#unwatch ??= watchClock(this.#deps.clock, () => {
      for (const each of this.#jobs.values()) each.onClockSet();
    });
    const runtime = new JobRuntime(definition, this.#deps);
    this.#jobs.set(jobName, runtime);
    return runtime;
  }

  /** @returns a function that ends the subscription to the session */
  #begin(): () => void {
    const { types, instance, registryCenter, jobs } = this;
    const observers = new RunObservers(types.observers, this.#logger);
    const isStopping = (): boolean => this.#isStopping;
    const host: ObservedHost = {
      ...{ instance, jobs, logger: this.#logger, registryCenter: this.#name },
      get isStopping() {
        return isStopping();
      },
      get session() {
        return registryCenter.session.state.phase;
      },
      get backlogs() {
        return observers.backlogs;
      },
    };
    observers.notifyOfHost(host);
    return registryCenter.session.onChange((state) => this.#logSession(state));
  }

  /**
   * Stops the job on this instance and forgets it; what the registry centre has of it stays. Does nothing if there is
   * none, or, with `only`, if the job of that name is another one.
   * @returns when that is done; if the job's own code calls, at once, as the job ends after its code
   */
  async remove(jobName: string, only?: JobRuntime): Promise<void> {
    const runtime = this.#jobs.get(jobName);
    if (runtime === undefined || (only !== undefined && runtime !== only)) return;
    await runtime.asAwaited(this.#remove(jobName, runtime));
  }

  async #remove(jobName: string, runtime: JobRuntime): Promise<void> {
    await runtime.end('it is removed from this process');
    // Two calls may have waited for the same stop, and the name may be another job's by now.
    if (this.#jobs.get(jobName) !== runtime) return;
    this.#jobs.delete(jobName);
    if (!runtime.hasWithdrawn) this.#leaving.set(jobName, runtime);
    // A timer would keep the process from ending when all its jobs have.
    if (this.#jobs.size === 0) this.#endClockWatch();
  }

  /** From now on no new firing starts. */
  stopFirings(): void {
    this.#isStopping = true;
    for (const runtime of this.#jobs.values()) runtime.stopFirings();
  }

  /**
   * Stops all jobs: waits for running items up to the grace period, withdraws, and then closes the error handlers. The
   * registry centre stays open. Never rejects.
   *
   * If an item of one of the jobs itself awaits this call, the jobs wait for that item for a second only, and the log
   * has an error: to end the process from within a job, send it SIGTERM.
   */
  stop(): Promise<void> {
    this.stopFirings();
    for (const runtime of this.#jobs.values()) runtime.noteCaller();
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#endClockWatch();
    await Promise.all([...this.#jobs.values()].map((runtime) => runtime.end('the process is shutting down')));
    await this.types.close({ clock: this.#deps.clock, logger: this.#logger });
    this.#unsubscribe?.();
  }

  #endClockWatch(): void {
    this.#unwatch?.();
    this.#unwatch = undefined;
  }

  /** All jobs share the session, so its changes are logged once. */
  #logSession(state: SessionState): void {
    const logger = this.#logger;
    const { description } = this.registryCenter;
    switch (state.phase) {
      case 'suspended':
        return logger.warn(`Nothing is heard of the ${description}. No item is begun until it answers again.`);
      case 'lost':
        return logger.warn(
          `The session with the ${description} is lost (${state.reason}). The signals of running items abort, because peers may take over.`,
        );
      case 'connected':
        return logger.log(`Connected to the ${description}.`);
      case 'closed':
        this.#endClockWatch();
        return logger.log(`The ${description} is closed: ${state.reason}.`);
      case 'connecting':
        return;
      default:
        return state satisfies never;
    }
  }
}
