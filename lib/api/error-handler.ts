import { type JobConfiguration } from './job-configuration.js';
import { type JobInstance } from './sharding-strategy.js';

/** A failure of a job on one instance. */
export interface JobFailure {
  /** The settings of the job, its `props` included. */
  readonly configuration: JobConfiguration;
  /** What was thrown; anything can be. */
  readonly cause: unknown;
  /** The item that failed; `undefined` if the firing as a whole failed, or a listener. */
  readonly item: number | undefined;
  /** The item's entry of `shardingItemParameters`, if it has one. */
  readonly parameter: string | undefined;
  /** The scheduled instant; `undefined` for a manual run. */
  readonly scheduledAt: Date | undefined;
  /** Where it failed. */
  readonly instance: JobInstance;
  /** Which attempt at the item failed, from 1. */
  readonly attempt: number;
}

/** Decides what happens with a failure of a job: an item that throws, or a firing that could not begin (manual, `jobErrorHandlerType`). */
export interface JobErrorHandler {
  /** The name by which `jobErrorHandlerType` refers to it; compared without regard to case. */
  readonly type: string;
  /**
   * Called for each failure. The item does not wait for it: the job goes on while a handler works. A handler that takes
   * longer than 30 seconds is reported and no longer waited for at shutdown. What it throws is logged, with the failure.
   */
  handleException(failure: JobFailure): void | Promise<void>;
  /**
   * Checks the properties it needs (`props`) when a job that names it is added or started.
   * @returns the problems, each a complete sentence that names the property; empty if there are none
   */
  validate?(configuration: JobConfiguration): readonly string[];
  /** Called once when the host stops, after the last failure has been handled: close connections here. */
  close?(): void | Promise<void>;
}
