/** Input and output of `plan`: everything that a decision depends on, and the actions that may follow from it. */
import { type DeadlineState } from '../../async/deadlines.js';
import { type JobView } from '../../layout/job-view.js';
import { type AssignedFor, type OverdueAssignment } from '../view/assignment.js';
import { type DeadRun } from '../view/crashes.js';
import { type Firing } from '../view/firing.js';
import { type EndedItem } from '../view/items.js';
import { type CompletedRound } from '../graph/rounds.js';

/**
 * Everything that a decision may depend on: values only, read from clocks, timers and the view before the rules are
 * asked.
 */
export interface PlanInput {
  readonly now: JobView;
  /** Id of this instance. */
  readonly me: string;
  /** Ip of its server. */
  readonly myIp: string;
  /** Facts of this instance that no node shows. */
  readonly local: LocalState;
}

/** The part of the input that only this instance knows. */
export interface LocalState {
  /** True if a run may begin now: none may while another one is beginning. */
  readonly canBegin: boolean;
  /** True while a manual run is choosing its items. */
  readonly isBeginningManually: boolean;
  /** True while no run is in progress here. */
  readonly isIdle: boolean;
  /** Items that this instance runs. */
  readonly busy: ReadonlySet<number>;
  /** Firings that could not be run when they were due. */
  readonly backlog: Backlog;
  /** How long a trigger has been waiting for the items to be assigned again. */
  readonly assignmentWait: DeadlineState;
  /** False for a while after a takeover has failed. */
  readonly mayTakeOver: boolean;
  /** How long something has been missing without a reason, as while the job is removed node by node. */
  readonly removalWait: DeadlineState;
  /** The last known leader, as long as nothing explains that it leads no more. */
  readonly lastKnownLeader: LeaderSighting | undefined;
  /** How long crashed items have been waiting for idle instances. */
  readonly idleInstancesWait: DeadlineState;
  /**
   * The last instant of the schedule that has passed, in milliseconds since 1970; `undefined` if there is none, or if
   * no item is marked as misfired, so that no rule needs it.
   */
  readonly latestInstant: number | undefined;
  /** True if the next instant of the schedule may have come already by the clocks of peers. */
  readonly isNextInstantNear: boolean;
  /** Servers that had no instance at the last two resyncs. */
  readonly offlineServers: readonly string[];
  /** Instances that have been gone for a while, and of whose triggers none waits. */
  readonly spentAcceptances: readonly string[];
  /** The runs that have died with their instance, and those that this instance has lost track of. */
  readonly dead: readonly DeadRun[];
  /** Items whose run has ended and whose marks this instance could not remove. */
  readonly leftovers: readonly EndedItem[];
  /** Items whose run has ended here, but which a peer reported as crashed and runs again. */
  readonly rerunByPeers: readonly EndedItem[];
  /** `scheduleKey` of the schedule that the timer is armed for; `undefined` while it is not armed. */
  readonly armedFor: string | undefined;
  /** True if this job is to fire by its cron expression on this instance. */
  readonly isScheduled: boolean;
  /** The assignment that this instance, as the leader, has made last. */
  readonly assignedFor: AssignedFor | undefined;
  /** `assignmentBasis` for which the sharding strategy has failed and is not asked again yet. */
  readonly strategyWaitsFor: string | undefined;
  /** Revision of the settings for which this instance has last marked the re-added items as not due. */
  readonly readdedHandledForRevision: number | undefined;
  /** True if the leader has waited long enough for running items. */
  readonly idleItemsDeadlinePassed: boolean;
  /** True if a Java instance has just vanished that may reconnect; until then it counts as present. */
  readonly hasFlappingPeers: boolean;
  /** True if a timer is set to reconcile again when such a Java instance has had its time to reconnect. */
  readonly isAwaitingFlappingPeers: boolean;
  /** The assignment that a Java leader should have requested by itself, and whether it has had time enough. */
  readonly overdueAssignment: OverdueAssignment | undefined;
  /** The last scheduled firing that this instance has decided on. */
  readonly decided: DecidedFiring | undefined;
  /** Result of `lostInHandover`; empty while no run may begin. */
  readonly lostInHandover: ReadonlyMap<number, number>;
  /** False if the settings name upstream jobs that this instance does not follow, or the other way round. */
  readonly areUpstreamsFollowed: boolean;
  /**
   * The instants of upstream rounds and the run keys, in milliseconds since 1970, for which items of this instance are
   * due, by item; empty while no run may begin.
   */
  readonly dueByItem: ReadonlyMap<number, number>;
  /** The rounds of this job that are complete and not on record; empty on instances that do not tidy up. */
  readonly completedRounds: readonly CompletedRound[];
  /** How often the job is re-checked without a change, in minutes; below 1 never; `undefined` before the first time. */
  readonly resyncMinutes: number | undefined;
  /** True if this instance follows its own share of the job only. */
  readonly isNarrowed: boolean;
  /** Milliseconds since a change other than a routine change was last seen. */
  readonly sinceSignificantChangeMs: number;
}

/** An instance that led, and the session in which it did. */
export interface LeaderSighting {
  readonly id: string;
  /** Id of the session; `undefined` if the node of the leader is persistent. */
  readonly session: string | undefined;
}

/** Firings that could not be run when they were due, and are run as soon as possible. */
export interface Backlog {
  /** The latest instant (milliseconds since 1970) at which nothing could be begun at all. */
  readonly missedInstant: number | undefined;
  /**
   * True if `missedInstant` waits only because `misfire` was on when it came, so that it is dropped once `misfire` is
   * off.
   */
  readonly isDroppedIfMisfireTurnsOff: boolean;
  /** True if a session was lost since this instance last began a run, so that peers may have run the missed firings. */
  readonly hasLostSession: boolean;
  /** The latest such instant by item, for items that were still running then. */
  readonly missedByItem: ReadonlyMap<number, number>;
}

/** A firing that this instance has decided on. */
export interface DecidedFiring {
  /** Milliseconds since 1970. */
  readonly instant: number;
  /** Items that need no second decision, whether they run or not. An item that could not begin is not among them. */
  readonly items: ReadonlySet<number>;
}

/** One thing to do. */
export type Action =
  | { readonly type: 'stop' }
  | { readonly type: 'restore-own-nodes' }
  | { readonly type: 'await-removal' | 'end-removal-wait' }
  | { readonly type: 'campaign' }
  | { readonly type: 'abdicate'; readonly requesting: 'assignment' | 'nothing' }
  | { readonly type: 'request-resharding'; readonly reason: string }
  | { readonly type: 'wait-for-java-leader' | 'request-in-leaders-place'; readonly basis: string }
  | { readonly type: 'await-idle-items' | 'await-idle-instances'; readonly items: readonly number[] }
  | { readonly type: 'soft-stop' }
  | { readonly type: 'mark-readded-as-not-due' }
  | { readonly type: 'reshard' }
  | { readonly type: 'report-crashed' }
  | { readonly type: 'end-takeover-wait' }
  | { readonly type: 'end-failover' }
  | { readonly type: 'tidy-up' }
  | { readonly type: 'remove-servers'; readonly ips: readonly string[] }
  | { readonly type: 'clear-marks' | 'clear-misfired'; readonly items: readonly number[] }
  | { readonly type: 'forget-missed' }
  | { readonly type: 'reschedule' }
  | { readonly type: 'schedule-resync'; readonly minutes: number }
  | { readonly type: 'await-flapping-peers' }
  | { readonly type: 'await-assignment' | 'end-trigger-wait' }
  | { readonly type: 'follow-own-share' }
  | { readonly type: 'follow-upstreams' }
  | { readonly type: 'complete-rounds'; readonly rounds: readonly CompletedRound[] }
  | { readonly type: 'accept-trigger' }
  | { readonly type: 'drop-triggered'; readonly items: readonly number[] }
  | { readonly type: 'begin'; readonly firing: Firing };
