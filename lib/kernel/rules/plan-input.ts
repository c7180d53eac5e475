/** What a decision depends on, and what may come of it: the two ends of `plan`. */
import { type JobView } from '../../layout/job-view.js';
import { type AssignedFor, type MissedInstant } from '../view/assignment.js';
import { type Firing } from '../view/firing.js';

/** All that a decision may depend on. */
export interface PlanInput {
  readonly now: JobView;
  readonly me: string;
  readonly myIp: string;
  /** Facts of this instance that are in no node. */
  readonly local: LocalState;
}

/** What only this instance knows of itself. */
export interface LocalState {
  /** Whether a run may begin now: not while another one is just beginning. */
  readonly canBegin: boolean;
  /** True while no run is in progress here. */
  readonly isIdle: boolean;
  /** Items that this instance is running. */
  readonly busy: ReadonlySet<number>;
  /** What could not be run when it was due. */
  readonly backlog: Backlog;
  /** Whether the answer to removing this instance's trigger got lost. */
  readonly isTriggerInDoubt: boolean;
  /** Whether a trigger has waited long enough for the items to be assigned anew. */
  readonly triggerDeadlinePassed: boolean;
  /** Whether taking over may be tried; false for a while after it has failed. */
  readonly mayTakeOver: boolean;
  /** Whether crashed items have waited long enough for instances that are idle. */
  readonly idleInstancesDeadlinePassed: boolean;
  /** The last instant of the schedule that has passed; milliseconds since 1970. `undefined` if there is none. */
  readonly latestInstant: () => number | undefined;
  /** Servers that had no instance at two reconciliations in a row. */
  readonly offlineServers: readonly string[];
  /** Whether this instance knows nothing of a run of the item that it would have marked itself. */
  readonly hasLostTrackOf: (item: number) => boolean;
  /** Items that this instance marked as running and whose marks it could not remove. */
  readonly leftoverMarks: readonly number[];
  /** What the timer is armed for, as `scheduleKey` says it; `undefined` while it is not armed, or not to be armed. */
  readonly armedFor: string | undefined;
  /** Whether this job is to fire by its cron on this instance. */
  readonly isScheduled: boolean;
  /** What this instance, as the leader, last assigned the items for. */
  readonly assignedFor: AssignedFor | undefined;
  /** Whether the leader has waited long enough for running items. */
  readonly idleItemsDeadlinePassed: boolean;
  /** Whether a Java instance has just vanished that may come back; so long it counts as there. */
  readonly hasFlappingPeers: boolean;
  /** What a Java leader should have done by itself, and whether it has had time enough. */
  readonly overdueAssignment: OverdueAssignment | undefined;
  /** The last scheduled firing that this instance has decided on. */
  readonly decided: DecidedFiring | undefined;
  readonly missedInstant: MissedInstant;
}

/** What could not be run when it was due, and is to be run as soon as it can be. */
export interface Backlog {
  /** The latest instant (milliseconds since 1970) at which nothing could be begun at all. */
  readonly instant: number | undefined;
  /** Whether a session has been lost since this instance last began a run, so that peers may have run what it could not. */
  readonly hasLostSession: boolean;
  /** The latest such instant by item, of items that were still running then. */
  readonly missed: ReadonlyMap<number, number>;
  /** Whether a trigger that was accepted waits for its run. */
  readonly trigger: boolean;
  /** Items that were still running when a trigger came. */
  readonly triggered: ReadonlySet<number>;
}

/** An assignment that is out of date, and whose leader does not ask for another one. */
export interface OverdueAssignment {
  /** `assignmentBasis` of the assignment that is wanted. */
  readonly basis: string;
  /** Whether the leader still has time, it is time to ask in its stead, or that has been done, which is done once. */
  readonly state: 'waiting' | 'due' | 'asked';
}

/** A firing that this instance has taken its decision on. */
export interface DecidedFiring {
  /** Milliseconds since 1970. */
  readonly instant: number;
  /** Items that were this instance's at the decision; whether run or not, they need no second one. */
  readonly items: ReadonlySet<number> | 'all';
}

/** One thing to do. */
export type Action =
  | { readonly type: 'stop' }
  | { readonly type: 'restore-own-nodes' }
  | { readonly type: 'campaign' }
  | { readonly type: 'abdicate'; readonly leaving: 'resharding' | 'nothing' }
  | { readonly type: 'request-resharding'; readonly reason: string }
  | { readonly type: 'wait-for-java-leader' | 'request-in-leaders-place'; readonly basis: string }
  | { readonly type: 'await-idle-items' | 'await-idleness'; readonly items: readonly number[] }
  | { readonly type: 'reshard' }
  | { readonly type: 'report-crashed' }
  | { readonly type: 'end-failover' }
  | { readonly type: 'tidy-up' }
  | { readonly type: 'remove-servers'; readonly ips: readonly string[] }
  | { readonly type: 'clear-marks' | 'clear-misfired'; readonly items: readonly number[] }
  | { readonly type: 'reschedule' }
  | { readonly type: 'await-assignment' }
  | { readonly type: 'run-once' }
  | { readonly type: 'begin'; readonly firing: Firing };
