import { type OneOffJobBootstrap, refuseData, type ScheduleJobBootstrap } from '../kernel/job-bootstrap.js';

/** Where a handle finds its job; `JobBootstraps` documents the methods. */
export interface BootstrapsByName {
  get(name: string): ScheduleJobBootstrap | OneOffJobBootstrap;
  oneOff(name: string): OneOffJobBootstrap;
  scheduled(name: string): ScheduleJobBootstrap;
  remove(name: string): Promise<void>;
}

/**
 * The object that is injected under a bootstrap's token. It exists before any job does, and finds its job when it is used.
 * It has the methods of both `OneOffJobBootstrap` and `ScheduleJobBootstrap`; declare the parameter as the one you expect.
 */
export class JobHandle {
  readonly #bootstraps: BootstrapsByName;

  constructor(
    /** The token under which it is injected: the job's name or its `jobBootstrapBeanName`. */
    readonly token: string,
    bootstraps: BootstrapsByName,
  ) {
    this.#bootstraps = bootstraps;
  }

  /** The job's name. @throws JobStateError before the application has booted, after shutdown, and if there is no such job */
  get jobName(): string {
    return this.#bootstraps.get(this.token).jobName;
  }

  /**
   * Registers the one-off job on this instance, so that it takes part when the job is executed anywhere.
   * @throws JobStateError as `jobName`, and if the job has a cron expression
   */
  async start(): Promise<void> {
    await this.#bootstraps.oneOff(this.token).start();
  }

  /**
   * Runs the one-off job once, on all instances; resolves when they have been triggered, not when they have finished.
   * @throws JobStateError as `jobName`, if the job has a cron expression, and if it is given data, which a trigger cannot carry
   */
  execute(): Promise<void>;
  async execute(...data: readonly unknown[]): Promise<void> {
    const bootstrap = this.#bootstraps.oneOff(this.token);
    refuseData(bootstrap.jobName, data);
    await bootstrap.execute();
  }

  /**
   * Starts the job's schedule, if it was not started with the application.
   * @throws JobStateError as `jobName`, and if the job has no cron expression
   */
  async schedule(): Promise<void> {
    await this.#bootstraps.scheduled(this.token).schedule();
  }

  /**
   * Ends the job on this instance; waits for its running items up to the grace period.
   * @throws JobStateError as `jobName`
   */
  async shutdown(): Promise<void> {
    await this.#bootstraps.remove(this.jobName);
  }
}
