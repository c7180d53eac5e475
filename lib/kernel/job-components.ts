import { type ElasticJob } from '../api/job.js';
import { isPresenceOnly, JobViewReader } from '../layout/job-view.js';
import { Barrier } from './once/barrier.js';
import { Failover } from './writes/takeover.js';
import { Housekeeping } from './writes/housekeeping.js';
import { ItemMarks } from './writes/item-marks.js';
import { JobListeners } from './lanes/job-listeners.js';
import { type JobRunPorts } from './lanes/job-run.js';
import { type Extensions } from './types/extensions.js';
import { JobWatch } from './view/job-watch.js';
import { Leadership } from './writes/leadership.js';
import { Sharding } from './writes/assignment.js';
import { whenConnected } from './when-connected.js';
import { instantLostInHandover, type MissedInstant } from './view/assignment.js';
import { type JobContext } from './view/job-context.js';

/** Everything of a job that exists once its tree is being watched. */
export interface JobComponents {
  readonly watch: JobWatch;
  readonly marks: ItemMarks;
  readonly failover: Failover;
  readonly housekeeping: Housekeeping;
  readonly sharding: Sharding;
  readonly leadership: Leadership;
  readonly barrier: Barrier;
  readonly run: JobRunPorts;
}

/** What `assembleJob` needs: the context of the job, but for the watch, which it opens. */
export interface JobComponentsDeps extends Omit<JobContext, 'watch'> {
  readonly job: ElasticJob | string;
  readonly types: Extensions;
  /** Whether this instance is registered, so that it may lead. */
  readonly isStanding: () => boolean;
  readonly missedInstant: MissedInstant;
}

/**
 * Begins to watch the job's tree, and puts together all that works on it.
 * @throws RegistryUnavailableError if the tree cannot be read now
 */
export async function assembleJob(deps: JobComponentsDeps): Promise<JobComponents> {
  const { registry, paths, clock } = deps;
  const mirror = await registry.mirror(paths.root, { presenceOnly: isPresenceOnly });
  const watch = new JobWatch(mirror, new JobViewReader(paths.jobName), clock);
  const connected = (signal: AbortSignal): Promise<void> => whenConnected(registry.session, signal);
  const shared = { ...deps, watch, whenConnected: connected };
  const marks = new ItemMarks(shared);
  const failover = new Failover({ ...shared, marks });
  const sharding = new Sharding(shared);
  const leadership = new Leadership({ ...shared, sharding });
  const barrier = new Barrier(shared, (view, item) => instantLostInHandover(view, item, deps.missedInstant));
  const listeners = new JobListeners({ ...shared, barrier });
  const run = { ...shared, marks, failover, listeners };
  return { watch, marks, failover, housekeeping: new Housekeeping(shared), sharding, leadership, barrier, run };
}
