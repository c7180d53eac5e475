import { describeValue, isMap } from '../api/text/describe-value.js';
import { type JobOptions } from '../api/job/job-options.js';
import { type ElasticJob } from '../api/job/job.js';
import { knownNames } from '../api/text/nearest.js';
import { repeated } from '../api/text/repeated.js';
import { type JobHostOptions } from '../kernel/job-host.js';
import { type Deliver } from '../registry/embedded/delivery.js';
import { type CommitLimits } from '../registry/registry-center.js';
import { type ManualClock } from './manual-clock.js';
import { type Work } from './runs.js';

/** Settings of a test's job. */
export type TestJob = JobOptions & { readonly jobName?: string };

/** Settings of a further job of a test's cluster. */
export type OtherTestJob = JobOptions & { readonly jobName: string };

/** Options of a test's cluster. All are optional. */
export interface TestClusterOptions {
  /**
   * Settings of the job. Default: a job named `job` with 2 items that fires every five seconds, `0/5 * * * * ?` in GMT.
   * With `cron: ''` it is a one-off job, which runs when the test triggers it.
   */
  readonly job?: TestJob;
  /**
   * Further jobs of each instance, such as those that run after `job`. Default: none. A job without
   * `shardingTotalCount` has 2 items; a cron expression without `timeZone` counts in GMT.
   */
  readonly otherJobs?: readonly OtherTestJob[];
  /**
   * The work that a job does for an item; `context.jobName` says which job. It may throw, and may take time. Default:
   * it does nothing.
   */
  readonly work?: Work;
  /**
   * The job object of the instance with a name, such as a `DataflowJob`, or the type of a job without class, instead of
   * `work`; called for each job.
   */
  readonly createJob?: (name: string, jobName: string) => ElasticJob | string;
  /** How long the registry keeps an instance's session without its connection, in milliseconds. Default: 6000. */
  readonly sessionTimeoutMs?: number;
  /**
   * More options of each instance's host, such as strategies and error handlers, or a function that returns them for a
   * name.
   */
  readonly host?: Partial<JobHostOptions> | ((name: string) => Partial<JobHostOptions>);
  /** Delivers the messages between instances and registry. Default: at once and in order. */
  readonly deliver?: (clock: ManualClock) => Deliver;
  /** Limits of one commit. Default: those of ZooKeeper with default settings. */
  readonly limits?: Partial<CommitLimits>;
}

const KEYS = [
  'job',
  'otherJobs',
  'work',
  'createJob',
  'sessionTimeoutMs',
  'host',
  'deliver',
  'limits',
] as const satisfies readonly (keyof TestClusterOptions)[];

/** @throws RangeError unless the names of instances are a list of texts */
export function requireNames(names: unknown): void {
  if (Array.isArray(names) && names.every((name) => typeof name === 'string' && name !== '')) return;
  throw new RangeError(
    `A test's cluster needs a list of names of instances, such as ['A', 'B'], got ${describeValue(names)}`,
  );
}

/** @throws RangeError unless all keys are options of a cluster, and the job's work is given in one way at most */
export function requireOptions(options: TestClusterOptions): void {
  requireKeys("A test's cluster", options, KEYS);
  for (const name of ['work', 'createJob', 'deliver'] as const)
    if (options[name] !== undefined && typeof options[name] !== 'function')
      throw new RangeError(
        `The option '${name}' of a test's cluster must be a function, got ${describeValue(options[name])}`,
      );
  if (options.otherJobs !== undefined) requireOtherJobs(options.otherJobs, options.job?.jobName ?? DEFAULT_JOB_NAME);
  if (options.work !== undefined && options.createJob !== undefined)
    throw new RangeError("A test's cluster takes work or createJob, not both: the job of createJob does the work");
}

/** The name of the first job of a cluster, if its settings have none. */
export const DEFAULT_JOB_NAME = 'job';

function requireOtherJobs(others: unknown, first: string): void {
  if (!Array.isArray(others) || !others.every((job) => isMap(job) && typeof job['jobName'] === 'string'))
    throw new RangeError(
      `The option 'otherJobs' of a test's cluster must be a list of settings, each with a jobName, such as ` +
        `[{ jobName: 'report', after: 'import' }], got ${describeValue(others)}`,
    );
  const names = [first, ...(others as readonly OtherTestJob[]).map(({ jobName }) => jobName)];
  const [twice] = repeated(names);
  if (twice !== undefined)
    throw new RangeError(`Each job of a test's cluster needs a jobName of its own, got '${twice}' twice`);
}

/** @throws RangeError unless the options are a plain object with no other keys than these */
export function requireKeys(what: string, options: unknown, keys: readonly string[]): void {
  if (!isMap(options)) throw new RangeError(`${what} takes a plain object of options, got ${describeValue(options)}`);
  const stranger = Object.keys(options).find((key) => !keys.includes(key));
  if (stranger !== undefined) throw new RangeError(`${what} has no option '${stranger}'${knownNames(stranger, keys)}`);
}
