import { type OneOffJobBootstrap, type ScheduleJobBootstrap } from '../../kernel/job-bootstrap.js';
import { type TriggerOptions } from '../../kernel/life/job-trigger.js';

/** Finds the job of a handle; `JobBootstraps` documents the methods. */
export interface BootstrapsByName {
  get(name: string): ScheduleJobBootstrap | OneOffJobBootstrap;
  oneOff(name: string): OneOffJobBootstrap;
  scheduled(name: string): ScheduleJobBootstrap;
  remove(name: string): Promise<void>;
}

/**
 * The object that is injected under a bootstrap's token. It exists before any job does, and finds its job when it is
 * used. It has the methods of both `OneOffJobBootstrap` and `ScheduleJobBootstrap`; declare the parameter as the one
 * you expect.
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

  /**
   * The job's name.
   * @throws JobStateError before the application has booted, after shutdown, and if there is no such job
   */
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
   * @param options for this run alone: `{ jobParameter: 'only Beijing' }`
   * @throws JobStateError as `jobName`, and if the job has a cron expression; otherwise as `OneOffJobBootstrap.execute`
   */
  async execute(options?: TriggerOptions): Promise<void> {
    await this.#bootstraps.oneOff(this.token).execute(options);
  }

  /**
   * Runs a job that has a schedule once now, on all instances; resolves when they have been triggered.
   * @param options for this run alone: `{ jobParameter: 'only Beijing' }`
   * @throws JobStateError as `jobName`, and if the job has no cron expression; otherwise as
   *   `ScheduleJobBootstrap.trigger`
   */
  async trigger(options?: TriggerOptions): Promise<void> {
    await this.#bootstraps.scheduled(this.token).trigger(options);
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
