/**
 * The events of a run, in order, from the moment a firing is taken up to the outcome of the run:
 *
 * ```
 *  staged ──▶ items-begun ──▶ item-started ──▶ (item-retried …) ──▶ item-ended ─┐ … for each item
 *    │                                                                          ▼
 *    └──────────────────────── nothing to run, postponed ─────────────────▶ run-ended
 * ```
 * Every run ends with exactly one `run-ended`, and every item of `items-begun` with exactly one `item-ended`, unless
 * the process dies. Tracing, metrics and tests observe the same events.
 */
import { type ItemTimeoutError } from '../errors/errors.js';
import { type JobConfiguration } from '../job/job-configuration.js';
import { type ObservedHost, type ObserverBacklog } from './observed-host.js';
import { type ShardingContext } from '../job/sharding-context.js';
import { type JobInstance } from '../extensions/sharding-strategy.js';

/**
 * Cause of a run:
 *
 * - `schedule`: an instant of the schedule
 * - `misfire`: it makes up for a firing that came while its items could not be run
 * - `catch-up`: it makes up for a firing that was lost while an item changed its owner
 * - `dependency`: the jobs after which the job runs have completed their rounds of an instant
 * - `failover`: it takes over items whose run died with its instance
 * - `manual`: an operator or the application triggered it
 */
export type FiringCause = 'schedule' | 'misfire' | 'catch-up' | 'dependency' | 'failover' | 'manual';

/** One run of a job on one instance. */
export interface RunInfo {
  readonly jobName: string;
  readonly instance: JobInstance;
  /** Distinguishes the runs of this process: `1`, `2`, … */
  readonly runId: number;
  readonly cause: FiringCause;
  /**
   * The scheduled instant; `undefined` for a manual run, and for a takeover, whose items have instants of their own.
   */
  readonly scheduledAt: Date | undefined;
}

/** One item of a run. */
export interface RunItem {
  readonly item: number;
  /** The scheduled instant the item runs for; `undefined` for a manual run, or if no instance knows it. */
  readonly scheduledAt: Date | undefined;
  /** See `ShardingContext.fencingToken`. */
  readonly fencingToken: number;
}

/** Outcome of an item. */
export type ItemOutcome =
  | { readonly type: 'succeeded' }
  /** The job threw `cause`, or was not called because settings became wrong at run time. */
  | { readonly type: 'failed'; readonly cause: unknown }
  /**
   * The item's signal aborted for the reason `cause`, and the item threw it or returned, or had not started yet.
   * `cause` is a `SessionLostError`, a `JobStoppedError`, or, for an item that had not started, a
   * `FiringInterruptedError`; if the registry centre refuses this client for good, its `RegistryCredentialsError`.
   */
  | { readonly type: 'aborted'; readonly cause: unknown }
  /**
   * It ran longer than `timeoutMilliseconds`. `isGivenUp`: its code had not ended 5 seconds later, and may still run.
   */
  | { readonly type: 'timed-out'; readonly cause: ItemTimeoutError; readonly isGivenUp: boolean };

/** Outcome of a run on this instance. */
export type RunOutcome =
  /** All its items have ended; the counts add up to the number of items that were begun. */
  | {
      readonly type: 'completed';
      readonly succeeded: number;
      readonly failed: number;
      readonly aborted: number;
      readonly timedOut: number;
    }
  /** There was nothing to run here, for the reason given. */
  | { readonly type: 'nothing-to-run'; readonly reason: Exclude<NothingToRun, 'still-running'> }
  | {
      readonly type: 'nothing-to-run';
      readonly reason: 'still-running';
      /** Items that are due, but still run or wait to be taken over. */
      readonly items: readonly number[];
      /** True if they are run for this firing as soon as they are free (`misfire`). */
      readonly isMadeUpFor: boolean;
    }
  /** The registry centre did not answer, or the items were not assigned in time. The firing is still due. */
  | { readonly type: 'postponed'; readonly cause: unknown }
  /**
   * The run could not begin: settings cannot be used, clocks differ too much; or an error handler that interrupts
   * (`THROW`) has ended it after a failure. The error handler has been notified.
   */
  | { readonly type: 'failed'; readonly cause: unknown }
  /** The job was stopped on this instance while the run was beginning. No item was begun. */
  | { readonly type: 'stopped'; readonly cause: unknown };

/**
 * Reason for which a run had no items:
 *
 * - `no-items`: this instance owns none that may run
 * - `still-running`: all that are due still run, or wait to be taken over
 * - `taken-by-others`: peers were faster
 */
export type NothingToRun = 'no-items' | 'still-running' | 'taken-by-others';

/** One event of a run. `at` is this instance's clock. */
export type RunEvent = {
  readonly run: RunInfo;
  readonly at: Date;
} & (
  | { readonly type: 'staged' }
  /** No other instance runs these items now. */
  | {
      readonly type: 'items-begun';
      /** Java's task id of the run. */
      readonly taskId: string;
      readonly configuration: JobConfiguration;
      readonly items: readonly RunItem[];
      /** Items that are due too, but still run or wait to be taken over. */
      readonly blocked: readonly number[];
    }
  /** The job's code is about to be called. An item that waits for a place in the pool has begun and is not started. */
  | { readonly type: 'item-started'; readonly context: ShardingContext }
  /** An attempt at the item has failed, and the next one follows after a pause (`maxRetries`). */
  | {
      readonly type: 'item-retried';
      readonly item: RunItem;
      /** Number of the attempt that has failed, from 1. */
      readonly attempt: number;
      readonly cause: unknown;
      /** Length of the pause in milliseconds. */
      readonly pauseMs: number;
    }
  | {
      readonly type: 'item-ended';
      readonly item: RunItem;
      readonly outcome: ItemOutcome;
      /** Number of attempts made; 0 if the item was not started. */
      readonly attempts: number;
      /** Milliseconds from `item-started`, pauses included; `undefined` if the item was not started. */
      readonly durationMs: number | undefined;
    }
  | {
      readonly type: 'run-ended';
      readonly outcome: RunOutcome;
      /** Java's task id of the run. It names no items if none were begun. */
      readonly taskId: string;
    }
);

/** An instance of a job has died: its session has ended, and it had not stopped. */
export interface InstanceCrash {
  readonly jobName: string;
  /** Id of the instance that has died. */
  readonly instance: string;
  /** When this instance noticed it, by its own clock. */
  readonly at: Date;
}

/**
 * A Java instance of a job is gone. It leaves no record that shows whether it has stopped or died. No item is marked as
 * running on it any more.
 */
export interface JavaInstanceGone {
  readonly jobName: string;
  /** Id of the instance that is gone. */
  readonly instance: string;
  /** When this instance noticed it, by its own clock. */
  readonly at: Date;
}

/** This instance takes part in a job from now on, for the first time or in a new session. */
export interface InstanceRegistration {
  readonly jobName: string;
  readonly instance: JobInstance;
  /** Ids of all instances of the job that live, this one included. */
  readonly living: readonly string[];
  /** Ids of the Java instances among `living`: they complete no trace but their own. */
  readonly livingJava: readonly string[];
  /** When it registered, by this instance's clock. */
  readonly at: Date;
}

/** A scheduled instant of a job has come on this instance. */
export interface DueFiring {
  readonly jobName: string;
  readonly scheduledAt: Date;
  /** When it was noticed, by this instance's clock. */
  readonly at: Date;
  /**
   * `begins`: a run begins, and may find that it has no items. `waits`: it waits, and later firings may take its place.
   * `dropped`: it is dropped, since `misfire` is off.
   */
  readonly fate: 'begins' | 'waits' | 'dropped';
  /** Number of items of the job that still run here. */
  readonly itemsRunning: number;
}

/**
 * This instance has put a complete round of a job on record (docs/dependencies.md). One instance does so for each
 * round, whichever instances have run its items.
 */
export interface RoundCompletion {
  readonly jobName: string;
  /** The instant of the round. */
  readonly instant: Date;
  /** When the round was complete, by this instance's clock. */
  readonly at: Date;
  /**
   * `failed`: items have failed, after their retries. `stopped` and `skipped`: the job was not run for the instant; a
   * stopped round counts as a failure.
   */
  readonly outcome: 'succeeded' | 'failed' | 'stopped' | 'skipped';
  /** The items that have failed, in ascending order. */
  readonly failedItems: readonly number[];
}

/**
 * Observes the runs of all jobs of a host. Called synchronously, so it must be quick: queue the work and return. An
 * error that it throws, or a promise it returns that rejects, is logged and hurts no job; a promise is not awaited.
 */
export interface RunObserver {
  onRunEvent(event: RunEvent): void | Promise<void>;
  /**
   * Called when another instance of a job has died. One of the living instances is notified; in rare cases, as when
   * several instances die together, none or two.
   */
  onInstanceCrash?(crash: InstanceCrash): void | Promise<void>;
  /**
   * Called when a Java instance of a job is gone. One of the living Node instances is notified; in rare cases none or
   * two.
   */
  onJavaInstanceGone?(gone: JavaInstanceGone): void | Promise<void>;
  /** Called when this instance has registered for a job. */
  onRegistration?(registration: InstanceRegistration): void | Promise<void>;
  /** Called when a scheduled instant has come, before a run for it begins; not once the job is being stopped here. */
  onFiringDue?(firing: DueFiring): void | Promise<void>;
  /** Called when this instance has put a round of a job on record, for jobs that run after others or before them. */
  onRoundCompleted?(round: RoundCompletion): void | Promise<void>;
  /** Called once a host, when it has received its first job. The observer may read the host from then on. */
  onHost?(host: ObservedHost): void | Promise<void>;
  /** The number of waiting events, for an observer that queues events. `undefined`: it does not queue now. */
  backlog?(): ObserverBacklog | undefined;
}

/**
 * Wraps each call of the job's code, as middleware does: for spans, contexts and policies. For an item that is retried,
 * `around` is called once for each attempt. The interceptors of a host nest in the order in which they are given, the
 * first one outermost.
 */
export interface ItemInterceptor {
  /**
   * Calls `next` to run the item. The item succeeds if this resolves. It fails with the error that this throws, or if
   * `next` was not called.
   * @param context the job's argument
   */
  around(context: ShardingContext, next: () => Promise<void>): Promise<void>;
}
