/**
 * The life of the jobs in a Nest application.
 *
 * ```
 *  onApplicationBootstrap     after all other modules    finds jobs · reads settings · opens the registry · starts the jobs
 *  onModuleDestroy            before all other modules   starts no new firing from now on; waits for running items already
 *                                                        now if executors or error handlers have this hook
 *  beforeApplicationShutdown  before all other modules   waits for running items, up to the grace period
 *  onApplicationShutdown      after all other modules    closes the registry
 * ```
 * `LifecycleHooks` receives the first three hooks, `ElasticJobLifecycle` the last one. Nest calls hooks module by module:
 * global modules come first at start and last at shutdown; `LifecycleHooks` comes last at start and first at shutdown.
 *
 * The application boots even if the registry centre cannot be reached; jobs register as soon as it can. A problem of the
 * settings, or a conflict that the registry centre reports at once, fails the boot and leaves nothing behind.
 */
import { Inject, Injectable, type OnApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { DeadlineExceededError } from '../api/errors.js';
import { type JobLogger } from '../api/logger.js';
import { withDeadline } from '../async/wait.js';
import { ScheduleJobBootstrap } from '../kernel/job-bootstrap.js';
import { JobHost } from '../kernel/job-host.js';
import { JobLog } from '../kernel/job/job-log.js';
import { type JobInstance } from '../api/sharding-strategy.js';
import { addressProblem, createJobInstance } from '../layout/job-instance.js';
import { EmbeddedRegistryCenter } from '../registry/embedded/embedded-registry-center.js';
import { type RegistryCenter } from '../registry/registry-center.js';
import { createRegistryCenter } from '../settings/create-registry-center.js';
import { ROOT_KEY } from '../settings/yaml-file.js';
import { systemClock } from '../time/clock.js';
import { type ApplicationSettings, readApplicationSettings } from './application-settings.js';
import { ElasticJobExplorer } from './elastic-job.explorer.js';
import { type JobBootstrap, JobBootstraps } from './job-bootstraps.js';
import { type DefinedJob } from './job-definitions.js';
import { nestLogger } from './nest-logger.js';
import { SchedulerRegistryTimers } from './scheduler-registry-timers.js';
import { checkShutdownHooks } from './shutdown-hooks.js';
import { strayJobWarnings } from './stray-jobs.js';

/** Token of the module's options. */
export const ELASTIC_JOB_OPTIONS = Symbol.for('nestjs-elasticjob:options');

/** How long booting waits for the jobs to register, in milliseconds. */
const REGISTRATION_TIMEOUT_MS = 1_000;

/** Starts and stops the application's jobs. */
@Injectable()
export class ElasticJobLifecycle implements OnApplicationShutdown {
  readonly #options: unknown;
  readonly #explorer: ElasticJobExplorer;
  readonly #bootstraps: JobBootstraps;
  readonly #scheduler: SchedulerRegistry;
  #host: JobHost | undefined;
  #usesDestroyable = false;
  #isSwitchedOff = false;
  #cancelCheck: () => void = () => undefined;

  constructor(
    @Inject(ELASTIC_JOB_OPTIONS) options: unknown,
    @Inject(ElasticJobExplorer) explorer: ElasticJobExplorer,
    @Inject(JobBootstraps) bootstraps: JobBootstraps,
    @Inject(SchedulerRegistry) scheduler: SchedulerRegistry,
  ) {
    this.#options = options;
    this.#explorer = explorer;
    this.#bootstraps = bootstraps;
    this.#scheduler = scheduler;
  }

  /** The host of the jobs. `undefined` before the application has booted, if ElasticJob is switched off, and after shutdown. */
  get host(): JobHost | undefined {
    return this.#host;
  }

  /** Whether the application has booted with ElasticJob switched off (`elasticjob.enabled: false`). */
  get isSwitchedOff(): boolean {
    return this.#isSwitchedOff;
  }

  /**
   * Starts the jobs, and waits up to a second for them to register.
   * @throws InvalidConfigurationError if the settings cannot be used
   * @throws JobConflictError if the name of a job is taken, in the registry centre or in the `SchedulerRegistry`
   * @throws RegistryCredentialsError if the registry centre refuses the credentials
   * @throws RegistryRefusedError if it refuses a job's nodes for another reason
   */
  async boot(): Promise<void> {
    const providers = this.#explorer.providers();
    this.#usesDestroyable = providers.some(
      ({ extensions, instance }) =>
        extensions.length > 0 &&
        typeof (instance as Partial<OnModuleDestroy> | undefined)?.onModuleDestroy === 'function',
    );
    const settings = readApplicationSettings({
      options: this.#options,
      file: this.#explorer.configService?.get<unknown>(ROOT_KEY),
      environment: process.env,
      providers,
      injections: this.#explorer.oneOffInjections(),
    });
    this.#isSwitchedOff = settings === undefined;
    if (settings === undefined) return this.#bootstraps.close('elasticjob.enabled is false');
    const { module, regCenter, warnings } = settings;
    const logger = module.logger ?? nestLogger(module);
    const instance = createJobInstance(module);
    const log = new JobLog(logger, { jobName: undefined, instance: instance.jobInstanceId });
    const registry = module.registryCenter ?? createRegistryCenter(regCenter, log);
    const host = new JobHost(hostOptions(registry, settings, { instance, logger, scheduler: this.#scheduler }));
    const strays = strayJobWarnings({ providers, controllers: this.#explorer.controllers() });
    for (const warning of [...warnings, ...strays, ...addressWarnings(host)]) log.warn(warning);
    log.log(describe(registry, settings));
    this.#host = host;
    this.#bootstraps.open(host);
    try {
      registry.connect();
      await this.#start(settings, log);
    } catch (error) {
      await this.#abandon(host);
      throw error;
    }
    // An embedded registry centre ends with the process, so that nothing rests.
    if (!(registry instanceof EmbeddedRegistryCenter))
      this.#cancelCheck = checkShutdownHooks(systemClock, registry.session, log);
  }

  /** Whether jobs use executors, error handlers or the like that are providers with the hook `onModuleDestroy`. */
  get usesDestroyable(): boolean {
    return this.#usesDestroyable;
  }

  /** Starts no new firing from now on. */
  stopFirings(): void {
    this.#cancelCheck();
    this.#host?.stopFirings();
  }

  /** Stops all jobs. Waits for running items, up to the grace period. */
  async stop(): Promise<void> {
    await this.#host?.stop();
  }

  async onApplicationShutdown(): Promise<void> {
    const host = this.#host;
    if (host === undefined) return;
    this.#host = undefined;
    this.#bootstraps.close('the application is shutting down');
    await host.registryCenter.close();
  }

  async #abandon(host: JobHost): Promise<void> {
    this.#host = undefined;
    this.#bootstraps.close('the application could not boot');
    await host.stop();
    await host.registryCenter.close();
  }

  async #start({ jobs, module }: ApplicationSettings, logger: JobLogger): Promise<void> {
    const { autoStart: byDefault = true } = module;
    const prepare = async ({ configuration, job }: DefinedJob): Promise<void> =>
      this.#host?.types.prepare(configuration, job, systemClock);
    await Promise.all(jobs.map(prepare));
    // All jobs are added before the first one starts, so that a job that cannot be added leaves none running.
    const added = jobs.map(({ job, configuration, autoStart = byDefault, ...options }) => ({
      bootstrap: this.#bootstraps.add(job, configuration, options),
      autoStart,
    }));
    const starts = added
      .filter(({ autoStart }) => autoStart)
      .map(({ bootstrap }) => ({ bootstrap, started: start(bootstrap) }));
    const all = Promise.all(starts.map(({ started }) => started));
    const tooSlow = new DeadlineExceededError('the jobs to register', REGISTRATION_TIMEOUT_MS);
    await withDeadline(systemClock, all, REGISTRATION_TIMEOUT_MS, () => tooSlow).catch((error: unknown) => {
      if (error !== tooSlow) throw error;
      logger.warn(
        'The registry centre has not answered yet. The application goes on booting; jobs start as soon as it answers.',
      );
      for (const { bootstrap, started } of starts)
        started.catch((reason: unknown) => logLateFailure(bootstrap.jobName, reason, logger));
    });
  }
}

function start(bootstrap: JobBootstrap): Promise<void> {
  return bootstrap instanceof ScheduleJobBootstrap ? bootstrap.schedule() : bootstrap.start();
}

function logLateFailure(jobName: string, error: unknown, logger: JobLogger): void {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  // A job that is stopped before it could start has not failed. That the credentials are refused is logged already.
  if (code === 'JOB_STOPPED' || code === 'REGISTRY_CREDENTIALS') return;
  logger.error(`Job '${jobName}' does not run: ${String(error)}`);
}

function hostOptions(
  registryCenter: RegistryCenter,
  { module, extensions }: ApplicationSettings,
  parts: { readonly instance: JobInstance; readonly logger: JobLogger; readonly scheduler: SchedulerRegistry },
): ConstructorParameters<typeof JobHost>[0] {
  const { instance, logger, scheduler } = parts;
  const { shutdownGracePeriodMilliseconds } = module;
  return {
    instance,
    registryCenter,
    logger,
    timers: new SchedulerRegistryTimers(scheduler, logger),
    ...extensions,
    ...(shutdownGracePeriodMilliseconds !== undefined && { shutdownGracePeriodMilliseconds }),
  };
}

/** Inside one process, addresses have no meaning; in any other registry centre they distinguish servers. */
function addressWarnings({ instance, registryCenter }: JobHost): readonly string[] {
  const problem = registryCenter instanceof EmbeddedRegistryCenter ? undefined : addressProblem(instance);
  return problem === undefined ? [] : [problem];
}

function describe(registry: RegistryCenter, { module, regCenter, jobs }: ApplicationSettings): string {
  const isAlone = module.registryCenter === undefined && regCenter.serverLists === undefined;
  const hint = isAlone
    ? ' Without elasticjob.regCenter.serverLists, jobs are coordinated inside this process only.'
    : '';
  return `Registry centre: ${registry.description}; ${jobs.length} ${jobs.length === 1 ? 'job' : 'jobs'}.${hint}`;
}
