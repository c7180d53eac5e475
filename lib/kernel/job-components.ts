import { type ElasticJob } from '../api/job.js';
import { type JobLogger } from '../api/logger.js';
import { type JobPaths } from '../layout/job-paths.js';
import { isPresenceOnly, JobViewReader } from '../layout/job-view.js';
import { type RegistryCenter } from '../registry/registry-center.js';
import { type Clock } from '../time/clock.js';
import { type NamedTimers } from '../async/named-timers.js';
import { Barrier } from './once/barrier.js';
import { Failover } from './writes/takeover.js';
import { Housekeeping } from './writes/housekeeping.js';
import { ItemMarks } from './writes/item-marks.js';
import { JobListeners } from './lanes/job-listeners.js';
import { type JobRunPorts } from './lanes/job-run.js';
import { type Extensions } from './types/extensions.js';
import { JobWatch } from './view/job-watch.js';
import { Leadership } from './writes/leadership.js';
import { type LocalState } from './rules/plan-input.js';
import { Sharding } from './writes/assignment.js';
import { whenConnected } from './when-connected.js';
import { instantLostInHandover } from './view/assignment.js';
import { type JobTimer } from './view/job-context.js';

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

/** What the parts need. */
export interface JobComponentsDeps {
  readonly registry: RegistryCenter;
  readonly paths: JobPaths;
  readonly me: string;
  readonly job: ElasticJob | string;
  readonly types: Extensions;
  readonly alarms: NamedTimers<JobTimer>;
  readonly clock: Clock;
  readonly logger: JobLogger;
  /** Whether this instance is registered, so that it may lead. */
  readonly isStanding: () => boolean;
  /** Looks at the job once more. */
  readonly requestReconcile: () => void;
  readonly missedInstant: LocalState['missedInstant'];
}

/**
 * Begins to watch the job's tree, and puts together all that works on it.
 * @throws RegistryUnavailableError if it cannot be read now
 */
export async function assembleJob(ports: JobComponentsDeps): Promise<JobComponents> {
  const { registry, paths, clock } = ports;
  const mirror = await registry.mirror(paths.root, { presenceOnly: isPresenceOnly });
  const watch = new JobWatch(mirror, new JobViewReader(paths.jobName), clock);
  const connected = (signal: AbortSignal): Promise<void> => whenConnected(registry.session, signal);
  const shared = { ...ports, watch };
  const marks = new ItemMarks({ ...shared, whenConnected: connected });
  const failover = new Failover({ ...shared, marks });
  const sharding = new Sharding(shared);
  const leadership = new Leadership({ ...shared, sharding });
  const barrier = new Barrier({
    ...shared,
    whenConnected: connected,
    instantLostInHandover: (view, item) => instantLostInHandover(view, item, ports.missedInstant),
  });
  const listeners = new JobListeners(ports.types, barrier);
  const run = { ...shared, marks, failover, listeners, whenConnected: connected };
  return { watch, marks, failover, housekeeping: new Housekeeping(shared), sharding, leadership, barrier, run };
}
