import { type JobConfiguration } from '../api/job-configuration.js';
import { type ElasticJob } from '../api/job.js';
import { type JobHostOptions } from '../kernel/job-host.js';
import { type Deliver } from '../registry/embedded/delivery.js';
import { type CommitLimits } from '../registry/registry-center.js';
import { type ManualClock } from './manual-clock.js';
import { type Work } from './runs.js';

/** Options of a test's cluster. All are optional. */
export interface TestClusterOptions {
  /**
   * Settings of the job. Default: a job named `job` with 2 items that fires every five seconds, `0/5 * * * * ?` in GMT.
   * With `cron: ''` it is a one-off job, which runs when the test triggers it.
   */
  readonly job?: Partial<JobConfiguration>;
  /** The work that the job does for an item. It may throw, and may take time. Default: it does nothing. */
  readonly work?: Work;
  /**
   * The job object of the instance with a name, such as a `DataflowJob`, or the type of a job without class, instead of
   * `work`.
   */
  readonly createJob?: (name: string) => ElasticJob | string;
  /** How long the registry keeps an instance's session without its connection, in milliseconds. Default: 6000. */
  readonly sessionTimeoutMs?: number;
  /**
   * More options of each instance's host, such as strategies and error handlers, or a function that returns them for a
   * name.
   */
  readonly host?: Partial<JobHostOptions> | ((name: string) => Partial<JobHostOptions>);
  /** How messages travel between instances and registry. Default: at once and in order. */
  readonly deliver?: (clock: ManualClock) => Deliver;
  /** How much one commit may hold. Default: as much as ZooKeeper's with default settings. */
  readonly limits?: Partial<CommitLimits>;
}
