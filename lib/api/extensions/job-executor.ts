import { type JobConfiguration } from '../job/job-configuration.js';
import { type JobLogger } from '../text/logger.js';
import { type ShardingContext } from '../job/sharding-context.js';

/** A running item and its job as they are now, the counterpart of Java's JobRuntimeService. */
export interface RunningJob {
  /** The settings that hold now. Those that `process` is given are from when the run began. */
  readonly configuration: JobConfiguration;
  /** The item's log: each entry names the job and the item. */
  readonly logger: JobLogger;
  /**
   * Tells operators that this item runs, but not as it should. Until the item ends, the health report calls the job
   * `impaired` and gives the reason, and so does `explain`. The reason is not logged. A further call replaces it.
   * @param reason why, and what to do, in sentences
   */
  noteImpairment(reason: string): void;
}

/** A property of a job (`props`) that is wrong. */
export interface PropertyProblem {
  /** The property's key: `script.command.line`. */
  readonly property: string;
  /** What would be right, and what is there: `must be a positive integer, got "soon"`. */
  readonly problem: string;
}

/**
 * Runs the items of jobs that have no class but a type (`elasticJobType`), the counterpart of Java's
 * TypedJobItemExecutor. One object serves all jobs of its type, so it keeps no state of a run.
 */
export interface TypedJobItemExecutor {
  /** The name by which `elasticJobType` refers to it; compared without regard to case. */
  readonly type: string;
  /**
   * Does the work of one sharding item. What it throws is the item's failure, `context.softStop.reason` included; if it
   * throws `context.signal.reason` once that has aborted, the item was aborted.
   */
  process(configuration: JobConfiguration, context: ShardingContext, job: RunningJob): void | Promise<void>;
  /**
   * Checks the properties it needs when a job of its type is added or started, and when its settings change; the job
   * begins nothing while there are problems. @returns the problems; empty if there are none
   */
  validate?(configuration: JobConfiguration): readonly PropertyProblem[];
  /**
   * Looks for what is allowed in the properties, but probably not intended: a key that it does not know, a value
   * without effect.
   * @returns one clause each, without a full stop; logged as a warning when a job of its type starts, and when its
   *   settings change
   */
  doubts?(configuration: JobConfiguration): readonly string[];
  /**
   * Called before a job of its type starts, perhaps several times: load what the job needs, within 30 seconds. If it
   * throws, that job does not start; a job that starts with a Nest application is tried again every few seconds.
   */
  prepare?(configuration: JobConfiguration): void | Promise<void>;
  /** Called once when a job of its type has ended on this instance: free what the job needed, within 5 seconds. */
  release?(jobName: string): void | Promise<void>;
}

/**
 * Runs the items of jobs that are objects of one kind, the counterpart of Java's ClassedJobItemExecutor: it recognises
 * the objects by their methods. One object serves all jobs of its kind, so it keeps no state of a run.
 */
export interface ClassedJobItemExecutor<Job extends object = object> {
  /**
   * What a job object must have, for the error message when no executor accepts an object: `a method execute(context)`.
   */
  readonly requirement: string;
  /** Whether `candidate` is a job object of this kind. */
  accepts(candidate: object): candidate is Job;
  /** Does the work of one sharding item, as that of a `TypedJobItemExecutor`. */
  process(
    job: Job,
    configuration: JobConfiguration,
    context: ShardingContext,
    running: RunningJob,
  ): void | Promise<void>;
  /**
   * Checks the properties it needs when a job of its kind is added or started.
   * @returns the problems; empty if there are none
   */
  validate?(configuration: JobConfiguration, job: Job): readonly PropertyProblem[];
  /** As that of a `TypedJobItemExecutor`. */
  doubts?(configuration: JobConfiguration, job: Job): readonly string[];
  /** As that of a `TypedJobItemExecutor`. */
  prepare?(configuration: JobConfiguration, job: Job): void | Promise<void>;
  /** As that of a `TypedJobItemExecutor`. */
  release?(jobName: string): void | Promise<void>;
}
