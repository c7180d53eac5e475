import { type JobConfiguration } from '../job/job-configuration.js';
import { type JobInstance } from './sharding-strategy.js';

/** A failure of a job on one instance. */
export interface JobFailure {
  /** The settings of the job, its `props` included. */
  readonly configuration: JobConfiguration;
  /** The error that was thrown; it can be any value. */
  readonly cause: unknown;
  /** The item that failed; `undefined` if the firing as a whole failed, or a listener. */
  readonly item: number | undefined;
  /** The item's entry of `shardingItemParameters`, if it has one. */
  readonly parameter: string | undefined;
  /** The scheduled instant; `undefined` for a manual run. */
  readonly scheduledAt: Date | undefined;
  /** The instance on which it failed. */
  readonly instance: JobInstance;
  /**
   * Java's task id of the run, as listeners and traces have it; `undefined` if the run had not chosen its items yet.
   */
  readonly taskId: string | undefined;
  /** Number of the attempt at the item that failed, from 1. */
  readonly attempt: number;
}

/**
 * Handles a failure of a job: an item that throws, or a firing that could not begin (manual, `jobErrorHandlerType`).
 */
export interface JobErrorHandler {
  /** The name by which `jobErrorHandlerType` refers to it; compared without regard to case. */
  readonly type: string;
  /**
   * Consequence of a failure for its firing. `continue`: the other items run. `interrupt`: the firing ends as failed;
   * items that wait for a place in the pool do not start, and the `softStop` of those that run aborts. Default:
   * `continue`.
   */
  readonly afterFailure?: 'continue' | 'interrupt';
  /**
   * Called for each failure. The item does not wait for it: the job goes on while a handler works. A handler that takes
   * longer than 30 seconds is reported, and shutdown no longer waits for it. An error that it throws is logged, with
   * the failure.
   */
  handleException(failure: JobFailure): void | Promise<void>;
  /**
   * Checks the properties it needs (`props`) when a job that names it is added or started.
   * @returns the problems, each a complete sentence that names the property; empty if there are none
   */
  validate?(configuration: JobConfiguration): readonly string[];
  /**
   * Finds values in the properties that are allowed, but probably not intended: a key that it does not know, a value
   * without effect.
   * @returns one clause each, without a full stop; logged as a warning when a job that names it starts, and when its
   *   settings change
   */
  doubts?(configuration: JobConfiguration): readonly string[];
  /**
   * Called before a job that names it starts, perhaps several times: load resources here. An error that it throws fails
   * the start.
   */
  prepare?(configuration: JobConfiguration): void | Promise<void>;
  /**
   * Called when a job whose failures it has handled ends on this instance, or names another handler: deliver pending
   * failures within 5 seconds. The handler may be given failures of the job again later.
   */
  release?(jobName: string): void | Promise<void>;
  /** Called once when the host stops, after the last failure has been handled: close connections here. */
  close?(): void | Promise<void>;
}
