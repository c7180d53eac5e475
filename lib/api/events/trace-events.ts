/**
 * The trace events of runs, and the port of storages that record them. Names and values are those of Java's ElasticJob,
 * because both write the same tables.
 */

import { type FiringCause } from './run-events.js';

/**
 * Cause of an item's run: its firing, a misfired firing that is made up for, or a takeover from an instance that has
 * died.
 */
export type ExecutionSource = 'NORMAL_TRIGGER' | 'MISFIRE' | 'FAILOVER';

/**
 * Java's `JobExecutionEvent`: one item of one run. Delivered at its start and again, with the same id, when it has
 * ended.
 */
export interface JobExecutionEvent {
  readonly type: 'execution';
  /** A UUID, at most 40 characters: the key of the row. */
  readonly id: string;
  /** Host name of the instance; `''` if it is unknown. */
  readonly hostname: string;
  /** IP address of the instance. */
  readonly ip: string;
  /** Java's task id. It is the same for all runs of the same items on the same instance. */
  readonly taskId: string;
  readonly jobName: string;
  readonly source: ExecutionSource;
  readonly shardingItem: number;
  readonly startTime: Date;
  /** `undefined` while the item runs. */
  readonly completeTime: Date | undefined;
  /** `false` while the item runs. */
  readonly success: boolean;
  /**
   * The item's failure, with its stack; `undefined` if it has not failed. Storages cut it to the length that they can
   * hold.
   */
  readonly failureCause: string | undefined;
  /** The exact cause of the run, which Java does not record; absent for rows of Java's instances and tables. */
  readonly cause?: FiringCause;
  /** The scheduled instant of the item; absent for a manual run, and for rows of Java's instances and tables. */
  readonly scheduledAt?: Date;
  /** The jobs after whose rounds of that instant it ran; absent if the job runs after none. */
  readonly upstreams?: readonly string[];
}

/** Java's states of a task. Instances of Java's ElasticJob write STAGING, RUNNING, FINISHED and ERROR only. */
export type JobState =
  | 'TASK_STAGING'
  | 'TASK_RUNNING'
  | 'TASK_FINISHED'
  | 'TASK_KILLED'
  | 'TASK_LOST'
  | 'TASK_FAILED'
  | 'TASK_ERROR'
  | 'TASK_DROPPED'
  | 'TASK_GONE'
  | 'TASK_GONE_BY_OPERATOR'
  | 'TASK_UNREACHABLE'
  | 'TASK_UNKNOWN';

/** Java's `JobStatusTraceEvent`: a change of the state of a whole run on one instance. */
export interface JobStatusTraceEvent {
  readonly type: 'status';
  /** A UUID, at most 40 characters: the key of the row. */
  readonly id: string;
  readonly jobName: string;
  /** The task that this one continues; `''` if there is none, as always with ElasticJob Lite. */
  readonly originalTaskId: string;
  /** Java's task id. */
  readonly taskId: string;
  /** IP address of the instance. */
  readonly slaveId: string;
  readonly executionType: 'READY' | 'FAILOVER';
  readonly shardingItems: readonly number[];
  readonly state: JobState;
  /** Reason for this state; `''` if there is none. */
  readonly message: string;
  readonly creationTime: Date;
}

/** One event of the trace of a job. */
export type TraceEvent = JobExecutionEvent | JobStatusTraceEvent;

/** Is notified of trace events. */
export interface TracingListener {
  /**
   * Called synchronously, so it must be quick: queue the work and return. An error that it throws, or a promise it
   * returns that rejects, is logged and hurts no job; a promise is not awaited.
   */
  onTraceEvent(event: TraceEvent): void | Promise<void>;
}

/**
 * Records trace events. Both methods end soon after `signal` aborts, and hold no resource afterwards: the deadline of
 * the call has passed then, and the same events are delivered again.
 */
export interface TraceStorage {
  /**
   * Makes the storage ready, such as by creating tables. Called before the first `write`, again until it succeeds, and
   * perhaps by several instances at once.
   */
  prepare(signal: AbortSignal): Promise<void>;
  /**
   * Records events, all or some of them, before it resolves or rejects. The same event may be delivered again, and a
   * start after its completion: the outcome must be the same.
   * @param events at least one, in the order in which they happened
   * @throws TraceRefusedError if the storage works but cannot hold one of the events. The others are delivered again
   *   without it. After any other error, the same events are delivered again
   */
  write(events: readonly TraceEvent[], signal: AbortSignal): Promise<void>;
}
