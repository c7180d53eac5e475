import { type OneOffJobBootstrap, type ScheduleJobBootstrap } from '../kernel/job-bootstrap.js';

/** Where a handle finds its job; see `JobBootstraps`. */
export interface BootstrapsByName {
  get(name: string): ScheduleJobBootstrap | OneOffJobBootstrap;
  oneOff(name: string): OneOffJobBootstrap;
  scheduled(name: string): ScheduleJobBootstrap;
  remove(name: string): Promise<void>;
}

/**
 * What is injected under a bootstrap's token: it exists from the first constructor on, and finds the job when it is used.
 * It has the methods of `OneOffJobBootstrap` and `ScheduleJobBootstrap`, so declare the parameter as the one you expect.
 */
export class JobHandle {
  readonly #bootstraps: BootstrapsByName;

  constructor(
    /** The token it is injected under. */
    readonly token: string,
    bootstraps: BootstrapsByName,
  ) {
    this.#bootstraps = bootstraps;
  }

  /** The job's name. @throws JobStateError before the application has booted, and if there is no such job */
  get jobName(): string {
    return this.#bootstraps.get(this.token).jobName;
  }

  /** Registers the one-off job on this instance. @throws JobStateError as `jobName`, and if the job has a cron */
  async start(): Promise<void> {
    await this.#bootstraps.oneOff(this.token).start();
  }

  /** Runs the one-off job once on all instances. @throws JobStateError as `jobName`, and if the job has a cron */
  async execute(): Promise<void> {
    await this.#bootstraps.oneOff(this.token).execute();
  }

  /** Starts the job's schedule, if it was not started with the application. @throws JobStateError as `jobName`, and if the job has no cron */
  async schedule(): Promise<void> {
    await this.#bootstraps.scheduled(this.token).schedule();
  }

  /** Ends the job on this instance. @throws JobStateError as `jobName` */
  async shutdown(): Promise<void> {
    await this.#bootstraps.remove(this.jobName);
  }
}
