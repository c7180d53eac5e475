/**
 * The answers of `ExplanationAPI`: why an item did not run, or does not run now.
 *
 * Statements about the present come from the registry centre. The registry centre keeps little of the past: for each
 * item the last instant for which one of our instances has begun it, and the run that a crash has cut short. The rest
 * is known only if it was recorded: runs in the tables of the trace, operators' changes in the table of operations.
 * Some facts are in no record:
 *
 * - runs of Java instances, which keep no record (their runs are in the trace, if they write one);
 * - that a process was frozen, starved or cut off at a moment of the past: it could not record that, and the registry
 *   centre has forgotten its session. The trace has rows of runs that were aborted or put off because of it;
 * - the error of an instance's clock;
 * - the author of changes that were made without these operations: by Java's console, or a ZooKeeper client.
 */
import { type NodeRound } from '../../graphs/graph-round.js';
import { type OperationRecord } from '../../api/events/operation-record.js';
import { type CodeValues, type CureCode, type LimitCode, type ReasonCode } from './codes.js';

/** The reasons why a job or an item did not run, or does not run now. */
export interface Explanation {
  readonly jobName: string;
  /** The item that was asked about; `undefined` for all items. */
  readonly item: number | undefined;
  /** The instant that was asked about; `undefined` for the present. */
  readonly instant: Date | undefined;
  /** When the registry centre was read, by the clock of this process. */
  readonly at: Date;
  readonly reason: Reason;
  /** Further reasons, the most decisive one first. */
  readonly others: readonly Reason[];
  /** Facts that would matter and cannot be known here, as sentences. */
  readonly unknown: readonly string[];
  /** The codes of `unknown`, in the same order. */
  readonly limits: readonly ExplanationLimit[];
}

/** A fact that cannot be known here: its code, and the values in its sentence. */
export interface ExplanationLimit {
  readonly code: LimitCode;
  readonly values: CodeValues;
  readonly sentence: string;
}

/** A reason with its cure. */
export type Reason = Cause & {
  /** The items that have this reason, in ascending order; empty if the whole job has it. */
  readonly items: readonly number[];
  /**
   * `then`: the reason is on record for the instant that was asked about. `now`: it holds now, and may not have held
   * then.
   */
  readonly holds: 'then' | 'now';
  /** The reason in one sentence. */
  readonly sentence: string;
  /** Advice in one or two sentences; `undefined` if nothing need be done. */
  readonly cure: string | undefined;
  /** The code of the sentence, for other languages. */
  readonly code: ReasonCode;
  /** The values of the reason by name. */
  readonly values: CodeValues;
  /** The code of the cure. `command`: its command line, or the first of several. */
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
  /** The operation that disabled the server; `undefined` if it is not on record. */
  readonly record: OnRecord | undefined;
}

/** A cause of a reason, with the data that belongs to it. */
export type Cause = JobCause | ItemCause | InstantCause;

/** Causes that concern the whole job. */
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
  /** It has no cron expression, as it runs after these jobs. `round`: its state in the round of the instant. */
  | {
      readonly type: 'runs-after';
      readonly upstreams: readonly string[];
      readonly round?: NodeRound | undefined;
    }
  | { readonly type: 'unusable-schedule'; readonly cron: string; readonly fault: string }
  | { readonly type: 'schedule-over'; readonly last: Date | undefined }
  /**
   * A fault that only an instance itself knows, such as a type in the settings that it does not have. `isHere`: it is
   * in the process that explains. `alsoOn`: ids of other instances with the same fault.
   */
  | ({ readonly type: 'instance-fault'; readonly isHere: boolean; readonly alsoOn: readonly string[] } & InstanceFault);

/** The part of an instance's health report about a job that cannot run there, or not as its settings ask. */
export interface InstanceFault {
  readonly instanceId: string;
  /**
   * `blocked` and `failed`: nothing of the job runs there. `impaired`: the job runs there, but not completely, or not
   * as its settings ask. In the other states the job does not take part yet.
   */
  readonly state: 'blocked' | 'failed' | 'impaired' | 'created' | 'starting' | 'suspended';
  /** The cause and the cure as text. */
  readonly reason: string;
}

/** Causes that concern single items. */
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
      /** Firings during the run are made up for by one run afterwards (`misfire`), or are dropped. */
      readonly missed: 'made-up-for' | 'dropped';
      /** True for a script, which counts as running while any process that it started holds its output open. */
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

/** An instance's report about a firing. */
export interface Stated {
  readonly instanceId: string | undefined;
  /** The instance's own message; may be empty. */
  readonly message: string;
  readonly at: Date;
}

/** Causes that concern one instant. */
export type InstantCause =
  | { readonly type: 'not-scheduled'; readonly before: Date | undefined; readonly after: Date | undefined }
  /** The schedule was changed between the instant and now; `cron` was the former one. */
  | { readonly type: 'rescheduled'; readonly cron: string | undefined; readonly record: OnRecord }
  | { readonly type: 'still-to-come' }
  /** The trace has a run of the item. `outcome`: `running` also if its process died before it could report the end. */
  | {
      readonly type: 'ran';
      readonly instanceId: string | undefined;
      readonly startedAt: Date;
      readonly outcome: 'succeeded' | 'failed' | 'running';
      readonly failureCause: string | undefined;
    }
  /**
   * The item was begun for the instant, as the records say. `gone`: its instance is gone, and it is unknown whether the
   * run had ended.
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
  /** An instance put the firing off. */
  | ({ readonly type: 'put-off' } & Stated)
  /** An instance ended the run before its work was done. */
  | ({ readonly type: 'aborted' } & Stated)
  /** An instance reported that the run has failed. */
  | ({ readonly type: 'refused' } & Stated)
  /** It has changed its owner since it was last begun; `missed`: how many instants have passed without it. */
  | { readonly type: 'changed-hands'; readonly from: string; readonly to: string | undefined; readonly missed: number }
  /** No record is kept of what is begun: `monitorExecution` is off, or the owner is a Java instance. */
  | { readonly type: 'not-recorded'; readonly why: 'unmonitored' | 'java' }
  /** No instance has begun it, and nothing on record says why. */
  | { readonly type: 'not-begun'; readonly lastBegun: Date | undefined };

/** Records of the past outside the registry centre. */
export interface Past {
  /** Rows of the trace around the instant; `undefined` without a trace. */
  readonly executions: readonly PastExecution[] | undefined;
  readonly states: readonly PastState[] | undefined;
  /** Operations on the job and its servers, the latest first; `undefined` without records of operations. */
  readonly operations: readonly OperationRecord[] | undefined;
}

/** A row of the trace: the fields of `JobExecutionEvent` that explanations need. */
export interface PastExecution {
  readonly shardingItem: number;
  readonly taskId: string;
  readonly source: 'NORMAL_TRIGGER' | 'MISFIRE' | 'FAILOVER';
  readonly startTime: Date;
  readonly completeTime: Date | undefined;
  readonly success: boolean;
  readonly failureCause: string | undefined;
}

/** A row of the trace: the fields of `JobStatusTraceEvent` that explanations need. */
export interface PastState {
  readonly taskId: string;
  readonly state: string;
  readonly message: string;
  readonly creationTime: Date;
}

/** Nothing is known of the past. */
export const NO_PAST: Past = { executions: undefined, states: undefined, operations: undefined };
