/**
 * The life of the jobs in a Nest application.
 *
 * ```
 *  onApplicationBootstrap     after all other modules    finds jobs · reads settings · opens the registry · starts the jobs
 *  onModuleDestroy            before all other modules   begins no new firing; waits for running items, up to the grace period;
 *                                                        stores the last trace events
 *  onApplicationShutdown      after all other modules    closes the registry
 * ```
 * `LifecycleHooks` receives the first two hooks, `ElasticJobLifecycle` the last one. Nest calls hooks module by module:
 * global modules come first at start and last at shutdown; `LifecycleHooks` comes last at start and first at shutdown.
 *
 * The application boots even if a registry centre cannot be reached; its jobs register as soon as it can. A problem of
 * the settings, or a conflict that a registry centre reports at once, fails the boot and leaves nothing behind. An
 * application with several registry centres has a host of jobs for each of them (`JobHosts`).
 */
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import { SchedulerRegistry } from '@nestjs/schedule';
import { DeadlineExceededError } from '../api/errors/errors.js';
import { isScheduled } from '../api/settings/dependencies.js';
import { describeCause, stackOf } from '../api/text/describe-cause.js';
import { type JobLogger } from '../api/text/logger.js';
import { withDeadline } from '../async/wait.js';
import { SnapshotService, type SnapshotServiceOptions } from '../dump/snapshot-service.js';
import { ScheduleJobBootstrap } from '../kernel/job-bootstrap.js';
import { JobLog } from '../kernel/job/job-log.js';
import { type JobInstance } from '../api/extensions/sharding-strategy.js';
import { createJobInstance } from '../layout/job-instance.js';
import { type RegistryCenter } from '../registry/registry-center.js';
import { type ExtensionOptions } from '../kernel/types/extensions.js';
import { processTimeZoneProblem } from '../settings/process-time-zone.js';
import { ROOT_KEY } from '../settings/files/settings-file.js';
import { systemClock } from '../time/clock.js';
import { detached } from '../time/detached.js';
import { type ApplicationSettings, readApplicationSettings } from './settings/application-settings.js';
import { ignoredFileProblem } from './settings/elastic-job-config.js';
import {
  addressWarnings,
  closeAll,
  createCenters,
  describeCenters,
  longestSession,
} from './centers/created-centers.js';
import { createJobHosts } from './centers/create-job-hosts.js';
import { type JobHosts } from './centers/job-hosts.js';
import { whySlow } from './centers/slow-starts.js';
import { createPast, createTracing } from './create-tracing.js';
import { ElasticJobExplorer } from './elastic-job.explorer.js';
import { type JobTracings } from './job-tracings.js';
import { type JobBootstrap, JobBootstraps } from './jobs/job-bootstraps.js';
import { afterLazyLoads } from './jobs/lazy-loads.js';
import { type DefinedJob } from './definitions/job-definitions.js';
import { loggerOf } from './nest-logger.js';
import { requireFreeName, SchedulerRegistryTimers } from './jobs/scheduler-registry-timers.js';
import { type JobPast } from '../operations/job-past.js';
import { OperationAudit } from '../operations/operation-audit.js';
import { checkShutdownHooks } from './shutdown-hooks.js';
import { strayJobWarnings } from './definitions/stray-jobs.js';

/** Token of the module's options. */
export const ELASTIC_JOB_OPTIONS = Symbol.for('nestjs-elasticjob:options');

/** How long booting waits for the jobs to register, in milliseconds. */
const REGISTRATION_TIMEOUT_MS = 1_000;

/** The default of `shutdownGracePeriodMilliseconds`. */
const GRACE_MS = 20_000;

/**
 * The longest time for storing the last trace events, if running items have used up the grace period; in milliseconds.
 */
const LAST_FLUSH_MS = 1_000;

/** The parts of which the hosts of an application's jobs are made. */
interface HostParts {
  readonly centers: ReadonlyMap<string, RegistryCenter>;
  readonly instance: JobInstance;
  readonly logger: JobLogger;
}

/** Starts and stops the application's jobs. */
@Injectable()
export class ElasticJobLifecycle implements OnApplicationShutdown {
  readonly #options: unknown;
  readonly #explorer: ElasticJobExplorer;
  readonly #bootstraps: JobBootstraps;
  readonly #scheduler: SchedulerRegistry;
  readonly #audit: OperationAudit;
  #hosts: JobHosts | undefined;
  #tracing: JobTracings | undefined;
  #past: JobPast = {};
  #dump: SnapshotService | undefined;
  #graceMs = GRACE_MS;
  #isSwitchedOff = false;
  #cancelCheck: () => void = () => undefined;
  readonly #lazyLoader: LazyModuleLoader;
  /** Names of the jobs that were started with the application, or with a module that was loaded lazily. */
  readonly #startedJobs = new Set<string>();

  constructor(
    @Inject(ELASTIC_JOB_OPTIONS) options: unknown,
    @Inject(ElasticJobExplorer) explorer: ElasticJobExplorer,
    @Inject(JobBootstraps) bootstraps: JobBootstraps,
    @Inject(SchedulerRegistry) scheduler: SchedulerRegistry,
    @Inject(OperationAudit) audit: OperationAudit,
    @Inject(LazyModuleLoader) lazyLoader: LazyModuleLoader,
  ) {
    this.#lazyLoader = lazyLoader;
    this.#audit = audit;
    this.#options = options;
    this.#explorer = explorer;
    this.#bootstraps = bootstraps;
    this.#scheduler = scheduler;
  }

  /**
   * The hosts of the jobs, one for each registry centre. `undefined` before the application has booted, if ElasticJob
   * is switched off, and after shutdown.
   */
  get hosts(): JobHosts | undefined {
    return this.#hosts;
  }

  /** The tracing of the jobs; `undefined` if nothing is traced. */
  get tracing(): JobTracings | undefined {
    return this.#tracing;
  }

  /** The readers of the trace and of the records of operations. */
  get past(): JobPast {
    return this.#past;
  }

  /** True if the application has booted with ElasticJob switched off (`elasticjob.enabled: false`). */
  get isSwitchedOff(): boolean {
    return this.#isSwitchedOff;
  }

  /**
   * Starts the jobs, and waits up to a second for them to register.
   * A fault of one job in the registry centre or in its executor keeps that job from running, and not the application
   * from booting, unless `failOnJobError` is set.
   * @throws InvalidConfigurationError if the application's own settings cannot be used
   * @throws JobConflictError if the name of a job is taken in the `SchedulerRegistry`
   * @throws RegistryCredentialsError if the registry centre refuses the credentials
   * @throws all that `schedule()` of a job throws, with `failOnJobError`
   */
  async boot(): Promise<void> {
    const settings = this.#readSettings();
    this.#isSwitchedOff = settings === undefined;
    if (settings === undefined) return this.#bootstraps.close('elasticjob.enabled is false');
    const { module } = settings;
    const logger = loggerOf(module);
    const instance = createJobInstance(module);
    const log = new JobLog(logger, { jobName: undefined, instance: instance.jobInstanceId });
    const centers = createCenters(settings, log);
    this.#graceMs = module.shutdownGracePeriodMilliseconds ?? GRACE_MS;
    try {
      const hosts = await this.#createHosts(settings, { centers, instance, logger });
      const { listeners, ...past } = await createPast(this.#tracing);
      this.#past = past;
      this.#audit.attach([...settings.operationListeners, ...listeners], log);
      this.#logSettings(settings, { centers, instance }, log);
      this.#bootstraps.open(hosts, this.#tracing);
      hosts.connect();
      await this.#start(settings, log);
    } catch (error) {
      await this.#abandon(centers);
      throw error;
    }
    await this.#openDump(settings, log);
    // Jobs belong to no caller, not even to the one that loads their module.
    afterLazyLoads(this.#lazyLoader, () => detached(() => this.#startLoaded(log)));
    const session = longestSession(centers);
    if (session !== undefined) this.#cancelCheck = checkShutdownHooks(systemClock, session, log);
  }

  #readSettings(): ApplicationSettings | undefined {
    const { configService } = this.#explorer;
    return readApplicationSettings({
      options: this.#options,
      file: configService?.get<unknown>(ROOT_KEY),
      ignoredFile: configService && ignoredFileProblem(configService),
      environment: process.env,
      providers: this.#explorer.providers(),
      injections: this.#explorer.oneOffInjections(),
      dataSources: this.#explorer.dataSources(),
    });
  }

  /**
   * Starts the jobs of a module that was loaded lazily. A fault is logged, as the module itself is loaded. Never
   * rejects.
   */
  async #startLoaded(log: JobLogger): Promise<void> {
    if (this.#hosts?.isStopping !== false) return;
    try {
      const settings = this.#readSettings();
      const jobs = (settings?.jobs ?? []).filter(({ configuration }) => !this.#startedJobs.has(configuration.jobName));
      if (settings === undefined || jobs.length === 0) return;
      log.log(`A module was loaded lazily; its jobs start: ${namesOf(jobs)}.`);
      await this.#start({ ...settings, jobs }, log);
    } catch (error) {
      log.error(`The jobs of a module that was loaded lazily do not run: ${describeCause(error)}`, stackOf(error));
    }
  }

  async #createHosts(settings: ApplicationSettings, { centers, instance, logger }: HostParts): Promise<JobHosts> {
    const { module, extensions, tracing } = settings;
    const parts = {
      logger,
      jobs: () => this.#hosts?.jobs ?? new Map<string, never>(),
      dataSources: () => this.#explorer.dataSources(),
    };
    this.#tracing = tracing === undefined ? undefined : await createTracing(tracing, parts);
    const { shutdownGracePeriodMilliseconds } = module;
    this.#hosts = createJobHosts(centers, {
      ...{ instance, logger, timers: new SchedulerRegistryTimers(this.#scheduler, logger) },
      extensions: withObserver(extensions, this.#tracing),
      ...(shutdownGracePeriodMilliseconds !== undefined && { shutdownGracePeriodMilliseconds }),
    });
    return this.#hosts;
  }

  #logSettings(
    settings: ApplicationSettings,
    { centers, instance }: Pick<HostParts, 'centers' | 'instance'>,
    log: JobLog,
  ): void {
    const strays = strayJobWarnings({
      providers: this.#explorer.providers(),
      controllers: this.#explorer.controllers(),
    });
    const zone = processTimeZoneProblem(process.env['TZ'], systemClock.now());
    const zones = zone === undefined ? [] : [zone];
    const addresses = addressWarnings(instance, centers);
    for (const warning of [...settings.warnings, ...zones, ...strays, ...addresses]) log.warn(warning);
    for (const line of describeCenters(centers, settings)) log.log(line);
  }

  /** Stops all jobs. Waits for running items, up to the grace period. */
  async stop(): Promise<void> {
    this.#cancelCheck();
    const began = systemClock.monotonic();
    await this.#hosts?.stop();
    await this.#audit.delivered(LAST_FLUSH_MS);
    // While the application's DataSource is still there.
    await this.#tracing?.stop(Math.max(LAST_FLUSH_MS, this.#graceMs - (systemClock.monotonic() - began)));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#dump?.close();
    const hosts = this.#hosts;
    if (hosts === undefined) return;
    this.#hosts = undefined;
    this.#bootstraps.close('the application is shutting down');
    await closeAll(hosts.registryCenters);
  }

  async #openDump({ dump: { enabled = true, port, host } }: ApplicationSettings, logger: JobLogger): Promise<void> {
    const hosts = this.#hosts;
    if (!enabled || port === undefined || hosts === undefined) return;
    const localNodes = (jobName: string): ReturnType<NonNullable<SnapshotServiceOptions['localNodes']>> =>
      hosts.job(jobName)?.nodes;
    this.#dump = new SnapshotService(hosts.ofDefault.registryCenter, {
      ...{ port, localNodes, logger, registryCenterOf: (jobName) => hosts.hostOf(jobName)?.host.registryCenter },
      ...(host !== undefined && { host }),
    });
    await this.#dump.listen();
  }

  async #abandon(centers: ReadonlyMap<string, RegistryCenter>): Promise<void> {
    const hosts = this.#hosts;
    this.#hosts = undefined;
    this.#bootstraps.close('the application could not boot');
    await hosts?.stop();
    await this.#tracing?.stop(LAST_FLUSH_MS);
    await closeAll(centers);
  }

  async #start({ jobs, module }: ApplicationSettings, logger: JobLogger): Promise<void> {
    const { autoStart: byDefault = true, failOnJobError = false } = module;
    for (const { configuration } of jobs) this.#startedJobs.add(configuration.jobName);
    const prepare = async ({ configuration, job, registryCenter }: DefinedJob): Promise<void> =>
      this.#hosts?.of(registryCenter)?.types.prepare(configuration, job, systemClock);
    // Otherwise each job is prepared when it starts, and an error of its executor concerns that job alone.
    if (failOnJobError) await Promise.all(jobs.map(prepare));
    for (const { configuration } of jobs)
      if (configuration.cron !== undefined) requireFreeName(this.#scheduler, configuration.jobName);
    // All jobs are added before the first one starts, so that a job that cannot be added leaves none running.
    const added = jobs.map(({ job, configuration, autoStart = byDefault, ...options }) => ({
      bootstrap: this.#bootstraps.add(job, configuration, options),
      autoStart,
    }));
    const starts = added
      .filter(({ autoStart }) => autoStart)
      .map(({ bootstrap }) => ({
        bootstrap,
        started: failOnJobError ? start(bootstrap) : this.#boot(bootstrap),
      }));
    const all = Promise.all(starts.map(({ started }) => started));
    const tooSlow = new DeadlineExceededError('the jobs to register', REGISTRATION_TIMEOUT_MS);
    await withDeadline(systemClock, all, REGISTRATION_TIMEOUT_MS, () => tooSlow).catch((error: unknown) => {
      if (error !== tooSlow) throw error;
      for (const reason of whySlow(this.#hosts)) logger.warn(reason);
      for (const { bootstrap, started } of starts)
        started.catch((reason: unknown) => logLateFailure(bootstrap.jobName, reason, logger));
    });
  }

  async #boot({ jobName }: JobBootstrap): Promise<void> {
    const runtime = this.#hosts?.job(jobName);
    await runtime?.boot(isScheduled(runtime.definition.configuration) ? 'scheduled' : 'triggered');
  }
}

function namesOf(jobs: readonly DefinedJob[]): string {
  return jobs.map(({ configuration }) => configuration.jobName).join(', ');
}

function start(bootstrap: JobBootstrap): Promise<void> {
  return bootstrap instanceof ScheduleJobBootstrap ? bootstrap.schedule() : bootstrap.start();
}

function logLateFailure(jobName: string, error: unknown, logger: JobLogger): void {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  // A job that is stopped before it could start has not failed. Refusals are logged already.
  if (code === 'JOB_STOPPED' || code === 'REGISTRY_CREDENTIALS' || code === 'REGISTRY_INCOMPATIBLE') return;
  logger.error(`Job '${jobName}' does not run: ${String(error)}`);
}

function withObserver(extensions: ExtensionOptions, observer: JobTracings | undefined): ExtensionOptions {
  return observer === undefined
    ? extensions
    : { ...extensions, observers: [...(extensions.observers ?? []), observer] };
}
