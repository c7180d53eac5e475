/**
 * From the application's start to its end.
 *
 * ```
 *  onApplicationBootstrap   last of all modules    find jobs · read settings · open the registry · start the jobs
 *  onModuleDestroy          first of all modules   no new firing starts
 *  beforeApplicationShutdown first of all modules  running items end, or their grace period does
 *  onApplicationShutdown    last of all modules    the registry is closed
 * ```
 * `ElasticJobCurtain` receives the first three hooks, `ElasticJobLifecycle` the last one: Nest calls hooks module by module,
 * those of global modules first at start and last at the end, and the curtain's the other way round.
 *
 * The application boots although the registry cannot be reached: jobs register as soon as it can. But a fault of the settings,
 * or a conflict that the registry tells at once, fails the boot, and leaves nothing behind.
 */
import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { JobStateError } from '../api/errors.js';
import { type JobLogger } from '../api/logger.js';
import { sleep } from '../async/wait.js';
import { JobHost } from '../kernel/job-host.js';
import { ScheduleJobBootstrap } from '../kernel/job-bootstrap.js';
import { createJobInstance } from '../layout/job-instance.js';
import { type RegistryCenter } from '../registry/registry-center.js';
import { systemClock } from '../time/clock.js';
import { createRegistryCenter } from '../settings/create-registry-center.js';
import { ROOT_KEY } from '../settings/yaml-file.js';
import { type ApplicationSettings, readApplicationSettings } from './application-settings.js';
import { ElasticJobExplorer } from './elastic-job.explorer.js';
import { type JobBootstrap, JobBootstraps } from './job-bootstraps.js';
import { type DefinedJob } from './job-definitions.js';
import { SchedulerRegistryTimers } from './scheduler-registry-timers.js';

/** Token of the module's options. */
export const ELASTIC_JOB_OPTIONS = Symbol.for('nestjs-elasticjob:options');

/** How long booting waits for the jobs' registration. */
const BOOT_PATIENCE_MS = 1_000;

/** Starts and stops the application's jobs. */
@Injectable()
export class ElasticJobLifecycle implements OnApplicationShutdown {
  readonly #options: unknown;
  readonly #explorer: ElasticJobExplorer;
  readonly #bootstraps: JobBootstraps;
  readonly #scheduler: SchedulerRegistry;
  #host: JobHost | undefined;

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

  /** The jobs' host; `undefined` before the application has booted, if the module is switched off, and at the end. */
  get host(): JobHost | undefined {
    return this.#host;
  }

  /** Starts the jobs. @throws InvalidConfigurationError, JobConflictError, or what else the registry answers at once */
  async boot(): Promise<void> {
    const settings = readApplicationSettings({
      options: this.#options,
      file: this.#explorer.configService?.get<unknown>(ROOT_KEY),
      environment: process.env,
      providers: this.#explorer.providers(),
    });
    if (settings === undefined) return this.#bootstraps.close('elasticjob.enabled is false');
    const logger = settings.module.logger ?? new Logger('ElasticJob');
    for (const warning of settings.warnings) logger.warn(warning);
    const registry = settings.module.registryCenter ?? createRegistryCenter(settings.regCenter);
    logger.log(describe(registry, settings));
    this.#host = new JobHost(hostOptions(registry, settings, { logger, scheduler: this.#scheduler }));
    this.#bootstraps.open(this.#host);
    try {
      registry.connect();
      await this.#start(settings, logger);
    } catch (error) {
      await this.#abandon(this.#host);
      throw error;
    }
  }

  /** From now on no new firing starts. */
  stopFirings(): void {
    this.#host?.stopFirings();
  }

  /** Stops all jobs, waiting for running items up to the grace period. */
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
    const added = jobs.map((defined) => ({ isDue: defined.autoStart ?? byDefault, bootstrap: this.#add(defined) }));
    // Started only when all have been added, so that a job that cannot be added leaves none running.
    const starts = added
      .filter(({ isDue }) => isDue)
      .map(({ bootstrap }) => ({ bootstrap, started: start(bootstrap) }));
    const patience = new AbortController();
    const isSlow = sleep(systemClock, BOOT_PATIENCE_MS, patience.signal).then(() => true);
    // Ended early, the wait rejects; nobody wants to know.
    isSlow.catch(() => undefined);
    const gaveUp = await Promise.race([
      isSlow,
      Promise.all(starts.map(({ started }) => started)).then(() => false),
    ]).finally(() => patience.abort());
    if (!gaveUp) return;
    logger.warn(
      'The registry centre has not answered yet. The application goes on booting; jobs start as soon as it answers.',
    );
    for (const { bootstrap, started } of starts) {
      started.catch((error: unknown) => this.#onLateFailure(bootstrap.jobName, error, logger));
    }
  }

  #onLateFailure(jobName: string, error: unknown, logger: JobLogger): void {
    // A job that is stopped before it could start has not failed.
    if ((error as { readonly code?: unknown } | null)?.code === 'JOB_STOPPED') return;
    logger.error(`Job '${jobName}' does not run: ${String(error)}`);
  }

  #add({ job, configuration, jobClassName, jobBootstrapBeanName, owner, compatibility }: DefinedJob): JobBootstrap {
    return this.#bootstraps.add(job, configuration, { jobClassName, jobBootstrapBeanName, owner, compatibility });
  }
}

function start(bootstrap: JobBootstrap): Promise<void> {
  return bootstrap instanceof ScheduleJobBootstrap ? bootstrap.schedule() : bootstrap.start();
}

function hostOptions(
  registryCenter: RegistryCenter,
  { module, listeners }: ApplicationSettings,
  { logger, scheduler }: { readonly logger: JobLogger; readonly scheduler: SchedulerRegistry },
): ConstructorParameters<typeof JobHost>[0] {
  const { strategies, executors, errorHandlers, threadPoolSizeProviders, shutdownGracePeriodMilliseconds } = module;
  const { preferredNetworkInterface, preferredNetworkIp } = module;
  return {
    instance: createJobInstance({ preferredNetworkInterface, preferredNetworkIp }),
    registryCenter,
    logger,
    timers: new SchedulerRegistryTimers(scheduler, logger),
    ...(strategies && { strategies }),
    ...(executors && { executors }),
    ...(errorHandlers && { errorHandlers }),
    ...(threadPoolSizeProviders && { threadPoolSizeProviders }),
    listeners,
    ...(shutdownGracePeriodMilliseconds !== undefined && { shutdownGracePeriodMilliseconds }),
  };
}

function describe(registry: RegistryCenter, { module, regCenter, jobs }: ApplicationSettings): string {
  const isAlone = module.registryCenter === undefined && regCenter.serverLists === undefined;
  const hint = isAlone
    ? ' Without elasticjob.regCenter.serverLists, jobs are coordinated inside this process only.'
    : '';
  return `Registry centre: ${registry.description}; ${jobs.length} ${jobs.length === 1 ? 'job' : 'jobs'}.${hint}`;
}

/** @throws JobStateError always; the module was imported more than once */
export function refuseSecondImport(times: number): never {
  throw new JobStateError(
    `ElasticJobModule.forRoot() is imported ${times} times in one application. Import it once; it is global.`,
  );
}
