/**
 * Why an item did not run, or what keeps it from running: the answers of `ExplanationAPI`.
 *
 * What is said of the present is what the registry centre has. Of the past, the registry centre keeps little: for each
 * item the last instant for which one of our instances has begun it, and the run that a crash has cut short. The rest
 * is known only if it was recorded: runs in the tables of the trace, operators' changes in the table of operations.
 * These cannot be known after the fact, whatever is recorded:
 *
 * - what a Java instance has begun: it keeps no record (its runs are in the trace, if it writes one);
 * - that a process was frozen, starved or cut off at a moment of the past: it could not say so, and the registry centre
 *   has forgotten its session. The trace has rows of runs that were aborted or put off, if they came to that;
 * - by how much the clock of an instance was wrong;
 * - who changed nodes without these operations: Java's console, or a ZooKeeper client.
 */
import { type OperationRecord } from '../../api/events/operation-record.js';
import { type CodeValues, type CureCode, type LimitCode, type ReasonCode } from './codes.js';

/** Why. The most decisive reason first. */
export interface Explanation {
  readonly jobName: string;
  /** The item that was asked about; `undefined`: all items. */
  readonly item: number | undefined;
  /** The instant that was asked about; `undefined`: the present. */
  readonly instant: Date | undefined;
  /** When the registry centre was read, by the clock of this process. */
  readonly at: Date;
  readonly reason: Reason;
  /** Further reasons, the weightiest first. */
  readonly others: readonly Reason[];
  /** What cannot be known here and would matter, as sentences. */
  readonly unknown: readonly string[];
  /** The same as codes, in the same order. */
  readonly limits: readonly ExplanationLimit[];
}

/** Something that cannot be known here: a code, and what its sentence is made from. */
export interface ExplanationLimit {
  readonly code: LimitCode;
  readonly values: CodeValues;
  readonly sentence: string;
}

/** A reason, with what to do about it. */
export type Reason = Cause & {
  /** The items that it concerns, in ascending order; empty if it concerns the whole job. */
  readonly items: readonly number[];
  /** `then`: it is on record for the instant that was asked about. `now`: it holds now, and may not have held then. */
  readonly holds: 'then' | 'now';
  /** What is the case, as one sentence. */
  readonly sentence: string;
  /** What to do, as one sentence or two; `undefined` if nothing need be done. */
  readonly cure: string | undefined;
  /** The sentence as a code, for those who word it in another language. */
  readonly code: ReasonCode;
  /** What is known of it, by name. */
  readonly values: CodeValues;
  /** The cure as a code. `command`: the command line for it, or the first of several. */
  readonly remedy: { readonly code: CureCode; readonly command: string | undefined } | undefined;
};

/** An operator's change, as far as it is on record. */
export interface OnRecord {
  readonly operator: string;
  readonly reason: string | undefined;
  readonly at: Date;
}

/** A server that is given no items. */
export interface ServerOff {
  readonly serverIp: string;
  /** `undefined` if it is not on record. */
  readonly record: OnRecord | undefined;
}

/** What is the case. */
export type Cause = JobCause | ItemCause | InstantCause;

/** What concerns the whole job. */
export type JobCause =
  /** `elasticjob.enabled` is false in the application that asks. */
  | { readonly type: 'switched-off' }
  | { readonly type: 'unknown-job'; readonly similar: string | undefined; readonly record: OnRecord | undefined }
  | { readonly type: 'no-configuration' }
  | { readonly type: 'unreadable-configuration'; readonly fault: string }
  | { readonly type: 'too-many-items'; readonly shardingTotalCount: number; readonly limit: number }
  | { readonly type: 'no-instance'; readonly stopped: readonly string[] }
  | { readonly type: 'servers-disabled'; readonly servers: readonly ServerOff[] }
  | { readonly type: 'no-leader' }
  | { readonly type: 'unknown-leader'; readonly leader: string; readonly isPersistent: boolean }
  /** The items wait for the leader to assign them; the leader waits for the items that run. */
  | { readonly type: 'being-assigned'; readonly leader: string; readonly waitsFor: readonly number[] }
  /** It has no cron expression: a one-off job, or one that is only triggered. */
  | { readonly type: 'no-schedule' }
  | { readonly type: 'unusable-schedule'; readonly cron: string; readonly fault: string }
  | { readonly type: 'schedule-over'; readonly last: Date | undefined }
  /**
   * A fault that only an instance itself knows, such as a type in the settings that it does not have. `isHere`: it is
   * in the process that explains. `alsoOn`: ids of other instances that say the same.
   */
  | ({ readonly type: 'instance-fault'; readonly isHere: boolean; readonly alsoOn: readonly string[] } & InstanceFault);

/** The part of an instance's health report about a job that does not run as it should there. */
export interface InstanceFault {
  readonly instanceId: string;
  /**
   * `blocked` and `failed`: nothing of the job runs there. `impaired`: something does not run as wished. In the others
   * it does not take part yet.
   */
  readonly state: 'blocked' | 'failed' | 'impaired' | 'created' | 'starting' | 'suspended';
  /** Why, and what to do. */
  readonly reason: string;
}

/** What concerns single items. */
export type ItemCause =
  | { readonly type: 'no-such-item'; readonly shardingTotalCount: number }
  /**
   * The number of items was raised, and the leader has not assigned the new ones yet; or was reduced when it assigned
   * last.
   */
  | { readonly type: 'left-out' }
  | { readonly type: 'item-disabled'; readonly record: OnRecord | undefined }
  | {
      readonly type: 'still-running';
      readonly instanceId: string | undefined;
      /** The instant it runs for, or when its run has started if only that is known. */
      readonly since: Date | undefined;
      /** Firings that come meanwhile are made up for by one run afterwards (`misfire`), or are dropped. */
      readonly missed: 'made-up-for' | 'dropped';
      /** A script also runs while a process that it has left behind holds its output. */
      readonly isScript: boolean;
    }
  /** Its run died with its instance. `failover`: whether a peer runs it again. */
  | { readonly type: 'run-lost'; readonly instanceId: string | undefined; readonly failover: boolean }
  | { readonly type: 'taken-over'; readonly by: string }
  | { readonly type: 'no-owner'; readonly isStatic: boolean }
  | {
      readonly type: 'owner-gone';
      readonly instanceId: string;
      readonly how: 'stopped' | 'died' | 'unknown';
      readonly isStatic: boolean;
    }
  | { readonly type: 'owner-stopping'; readonly instanceId: string }
  | { readonly type: 'owner-unreadable'; readonly instanceId: string }
  | {
      readonly type: 'owner-disabled';
      readonly instanceId: string;
      readonly server: ServerOff;
      readonly status: 'DISABLED' | 'UNKNOWN' | 'MISSING';
    }
  /** It has missed a firing, which is run as soon as possible. */
  | { readonly type: 'misfired' }
  /** An instance has accepted its trigger; its run has not begun. */
  | { readonly type: 'manual-run-due' }
  /** Its owner has a trigger that it has not accepted yet. */
  | { readonly type: 'triggered'; readonly instanceId: string }
  /** Nothing that the registry centre knows keeps it from running at the next instant. */
  | { readonly type: 'free'; readonly next: Date | undefined };

/** What an instance has said of a firing. */
export interface Stated {
  readonly instanceId: string | undefined;
  /** Its own words; may be empty. */
  readonly message: string;
  readonly at: Date;
}

/** What concerns one instant. */
export type InstantCause =
  | { readonly type: 'not-scheduled'; readonly before: Date | undefined; readonly after: Date | undefined }
  /** The schedule was changed between the instant and now; `cron` was the former one. */
  | { readonly type: 'rescheduled'; readonly cron: string | undefined; readonly record: OnRecord }
  | { readonly type: 'still-to-come' }
  /** The trace has a run of it. `outcome`: `running` also if its process has died without a word. */
  | {
      readonly type: 'ran';
      readonly instanceId: string | undefined;
      readonly startedAt: Date;
      readonly outcome: 'succeeded' | 'failed' | 'running';
      readonly failureCause: string | undefined;
    }
  /**
   * The records say that it was begun for the instant. `gone`: its instance is gone, and no one knows whether the run
   * had ended.
   */
  | { readonly type: 'begun'; readonly instanceId: string; readonly state: 'running' | 'over' | 'gone' }
  /** It was begun, its instance died, and no one runs it again. */
  | { readonly type: 'begun-and-lost'; readonly instanceId: string; readonly failover: boolean }
  /**
   * It was begun for a later instant, or manually (`undefined`); the records keep only the last one. `startedAt`: of
   * the run that makes up for it, if traced.
   */
  | { readonly type: 'later-begun'; readonly instant: Date | undefined; readonly startedAt: Date | undefined }
  /** It was still running, and `misfire` is off. */
  | { readonly type: 'misfire-off'; readonly since: Date | undefined }
  /** An instance put it off or ended it; `message` is its own. */
  | ({ readonly type: 'put-off' } & Stated)
  | ({ readonly type: 'aborted' } & Stated)
  | ({ readonly type: 'refused' } & Stated)
  /** It has changed its owner since it was last begun; `missed`: how many instants have passed without it. */
  | { readonly type: 'changed-hands'; readonly from: string; readonly to: string | undefined; readonly missed: number }
  /** No record is kept of what is begun: `monitorExecution` is off, or the owner is a Java instance. */
  | { readonly type: 'not-recorded'; readonly why: 'unmonitored' | 'java' }
  /** No instance has begun it, and nothing on record says why. */
  | { readonly type: 'not-begun'; readonly lastBegun: Date | undefined };

/** What is known of the past, besides the registry centre. */
export interface Past {
  /** Rows of the trace around the instant; `undefined`: there is no trace to read. */
  readonly executions: readonly PastExecution[] | undefined;
  readonly states: readonly PastState[] | undefined;
  /**
   * What operators have done to the job and its servers, the latest first; `undefined`: there are no records to read.
   */
  readonly operations: readonly OperationRecord[] | undefined;
}

/** A row of the trace: `JobExecutionEvent` as far as it matters. */
export interface PastExecution {
  readonly shardingItem: number;
  readonly taskId: string;
  readonly source: 'NORMAL_TRIGGER' | 'MISFIRE' | 'FAILOVER';
  readonly startTime: Date;
  readonly completeTime: Date | undefined;
  readonly success: boolean;
  readonly failureCause: string | undefined;
}

/** A row of the trace: `JobStatusTraceEvent` as far as it matters. */
export interface PastState {
  readonly taskId: string;
  readonly state: string;
  readonly message: string;
  readonly creationTime: Date;
}

/** Nothing is known of the past. */
export const NO_PAST: Past = { executions: undefined, states: undefined, operations: undefined };
