/**
 * What observers may read of a host and its jobs, at any moment: the memory of this process. Nothing here asks the
 * registry centre, and nothing is computed before it is read.
 */
import { type JobLogger } from '../text/logger.js';
import { type JobInstance } from '../extensions/sharding-strategy.js';

/** How a job fares on an instance, in a word; `ElasticJobHealth` says why. */
export type ObservedJobState =
  | 'active'
  | 'created'
  | 'starting'
  | 'impaired'
  | 'blocked'
  | 'disabled'
  | 'suspended'
  | 'stopping'
  | 'stopped'
  | 'ended'
  | 'removed'
  | 'failed';

/** One job on this instance. */
export interface ObservedJob {
  readonly jobName: string;
  readonly health: { readonly state: ObservedJobState };
  /** How many items are assigned to this instance. */
  readonly itemsOwned: number;
  /** How many items run here, or are ending. */
  readonly itemsRunning: number;
  /** The scheduled instant that comes next; `undefined` if the job does not fire by a schedule here. */
  readonly nextInstant: Date | undefined;
  /** Milliseconds from `nextInstant` to the instant that follows; `undefined` if there is none. */
  readonly periodMs: number | undefined;
}

/** Events that an observer has accepted and not handled yet. */
export interface ObserverBacklog {
  /** How many events wait. */
  readonly pending: number;
  /** How many events were lost since the observer was made. */
  readonly dropped: number;
}

/** The jobs of this process on one registry centre. */
export interface ObservedHost {
  readonly instance: JobInstance;
  /** For what an observer has to say. */
  readonly logger: JobLogger;
  /** Whether this process is ending its jobs, or has ended them. */
  readonly isStopping: boolean;
  /** Phase of the session with the registry centre. */
  readonly session: 'connecting' | 'connected' | 'suspended' | 'lost' | 'closed';
  /** The jobs by name. A live view. */
  readonly jobs: ReadonlyMap<string, ObservedJob>;
  /** The backlogs of all observers together; `undefined` if none of them keeps one. */
  readonly backlog: ObserverBacklog | undefined;
}
