/**
 * The facts about a host and its jobs that observers may read at any moment: the memory of this process. Reading them
 * sends no request to the registry centre, and nothing is computed before it is read.
 */
import { type JobLogger } from '../text/logger.js';
import { type JobInstance } from '../extensions/sharding-strategy.js';

/** Health of a job on an instance, in a word; `ElasticJobHealth` has the reason. */
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
  /** Number of items that are assigned to this instance. */
  readonly itemsOwned: number;
  /** Number of items that run here, or are ending. */
  readonly itemsRunning: number;
  /**
   * Number of instants for which items of this instance are due after the rounds of other jobs and have not begun; 0
   * for a job that runs after none, and `undefined` for a job that belongs to no graph.
   */
  readonly roundsWaiting: number | undefined;
  /** The scheduled instant that comes next; `undefined` if the job does not fire by a schedule here. */
  readonly nextInstant: Date | undefined;
  /** Milliseconds from `nextInstant` to the instant that follows; `undefined` if there is none. */
  readonly periodMs: number | undefined;
}

/** Events that an observer has accepted and not handled yet. */
export interface ObserverBacklog {
  /** Number of events that wait. */
  readonly pending: number;
  /** Number of events that were lost since the observer was made. */
  readonly dropped: number;
  /** Further backlogs of the observer, by name, which the numbers above do not count. Default: none. */
  readonly named?: Readonly<Record<string, Omit<ObserverBacklog, 'named'>>>;
}

/** The jobs of this process on one registry centre. */
export interface ObservedHost {
  readonly instance: JobInstance;
  /** Name of the registry centre: `default`, or that of an entry of `elasticjob.regCenters`. */
  readonly registryCenter: string;
  /** The log for messages of an observer. */
  readonly logger: JobLogger;
  /** True if this process is ending its jobs, or has ended them. */
  readonly isStopping: boolean;
  /** Phase of the session with the registry centre. */
  readonly session: 'connecting' | 'connected' | 'suspended' | 'lost' | 'closed';
  /** The jobs by name. A live view. */
  readonly jobs: ReadonlyMap<string, ObservedJob>;
  /** The backlogs by observer, of those that keep one. Hosts of one application share their observers. */
  readonly backlogs: ReadonlyMap<object, ObserverBacklog>;
}
