import { type JobConfiguration } from '../api/job-configuration.js';
import { type JobHostOptions } from '../kernel/job-host.js';
import { type Deliver } from '../registry/embedded/delivery.js';
import { type ManualClock } from './manual-clock.js';
import { type Work } from './runs.js';

/** What a test's cluster is made from. All of it may be left out. */
export interface TestClusterOptions {
  /**
   * Settings of the job. Default: a job named `job` of 2 items that fires every five seconds, `0/5 * * * * ?` in GMT.
   * With `cron: ''` it is a one-off job, which runs when it is triggered.
   */
  readonly job?: Partial<JobConfiguration>;
  /** What the job does for an item; it may throw, and take its time. Default: nothing. */
  readonly work?: Work;
  /** How long an instance's session outlives its connection, in milliseconds. Default: 6000. */
  readonly sessionTimeoutMs?: number;
  /** More options of each instance's host, such as strategies and error handlers; a function makes them for an instance by name. */
  readonly host?: Partial<JobHostOptions> | ((name: string) => Partial<JobHostOptions>);
  /** How messages between instances and registry travel. Default: at once and in order. */
  readonly deliver?: (clock: ManualClock) => Deliver;
}
