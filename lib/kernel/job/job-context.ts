import { type JobInstance } from '../../api/extensions/sharding-strategy.js';
import { type NamedTimers } from '../../async/named-timers.js';
import { type JobPaths } from '../../layout/job-paths.js';
import { type RegistryCenter } from '../../registry/registry-center.js';
import { type Clock } from '../../time/clock.js';
import { type JobLog } from './job-log.js';
import { type HeldItems } from '../view/held-items.js';
import { type JobWatch } from '../view/job-watch.js';

/** Shared context of all parts that work on one job on this instance. */
export interface JobContext {
  readonly registry: RegistryCenter;
  readonly paths: JobPaths;
  readonly instance: JobInstance;
  /** Id of this instance. */
  readonly me: string;
  readonly watch: JobWatch;
  /** The items that this instance runs, or has marked. */
  readonly held: HeldItems;
  readonly clock: Clock;
  readonly logger: JobLog;
  readonly timers: NamedTimers<JobTimer>;
  /** Requests a reconciliation. Several requests become one. */
  readonly requestReconcile: () => void;
}

/** The timers of a job besides that of its schedule. */
export type JobTimer =
  /** Stop a round of the graph that has taken too long. */
  | 'graph-deadline'
  /** Try again to register. */
  | 'enter'
  /** Reconcile again after something failed. */
  | 'retry'
  /** Stand for election again. */
  | 'election'
  /** Try again to take over crashed items. */
  | 'takeover'
  /** Stop waiting for idle instances to take over crashed items; this busy instance takes them over. */
  | 'idle-instances-deadline'
  /** Ask a sharding strategy again that has failed. */
  | 'strategy'
  /** Stop waiting for running items; assign the items without them. */
  | 'idle-items-deadline'
  /** Stop waiting for a Java leader to ask for an assignment; ask in its place. */
  | 'java-leader-deadline'
  /** A Java instance that has vanished does not come back. */
  | 'java-reconnect'
  /** Stop waiting for a removal to go on; make again what is missing. */
  | 'removal-deadline'
  /** Stop waiting for an assignment that is due; run the triggered items that this instance owns. */
  | 'trigger-deadline'
  /** The obstacle has lasted long enough to count, or to be logged again. */
  | 'obstacle'
  /** Re-check the whole job although nothing changed (manual, `reconcileIntervalMinutes`). */
  | 'resync';
