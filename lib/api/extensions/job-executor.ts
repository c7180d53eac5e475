import { type JobConfiguration } from '../job/job-configuration.js';
import { type JobLogger } from '../text/logger.js';
import { type ShardingContext } from '../job/sharding-context.js';

/** A running item and its job as they are now, the counterpart of Java's JobRuntimeService. */
export interface RunningJob {
  /** The settings in force. The settings passed to `process` are those from when the run began. */
  readonly configuration: JobConfiguration;
  /** The item's log: each entry names the job and the item. */
  readonly logger: JobLogger;
  /**
   * Reports to operators that this item runs, but not as it should. Until the item ends, the health report and
   * `explain` show the job as `impaired`, with the reason. The reason is not logged. A further call replaces it.
   * @param reason the reason and the cure, in sentences
   */
  noteImpairment(reason: string): void;
}

/** A property of a job (`props`) that is wrong. */
export interface PropertyProblem {
  /** The property's key: `script.command.line`. */
  readonly property: string;
  /** The requirement, and the present value: `must be a positive integer, got "soon"`. */
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
   * Does the work of one sharding item. An error that it throws is the item's failure, `context.softStop.reason`
   * included. If it throws `context.signal.reason` after that signal has aborted, the item was aborted.
   */
  process(configuration: JobConfiguration, context: ShardingContext, job: RunningJob): void | Promise<void>;
  /**
   * Checks the properties it needs when a job of its type is added or started, and when its settings change; the job
   * begins nothing while there are problems. @returns the problems; empty if there are none
   */
  validate?(configuration: JobConfiguration): readonly PropertyProblem[];
  /**
   * Finds values in the properties that are allowed, but probably not intended: a key that it does not know, a value
   * without effect.
   * @returns one clause each, without a full stop; logged as a warning when a job of its type starts, and when its
   *   settings change
   */
  doubts?(configuration: JobConfiguration): readonly string[];
  /**
   * Called before a job of its type starts, perhaps several times: load the job's resources, within 30 seconds. If it
   * throws, that job does not start; a job that starts with a Nest application is tried again every few seconds.
   */
  prepare?(configuration: JobConfiguration): void | Promise<void>;
  /** Called once when a job of its type has ended on this instance: free the job's resources, within 5 seconds. */
  release?(jobName: string): void | Promise<void>;
}

/**
 * Runs the items of jobs that are objects of one kind, the counterpart of Java's ClassedJobItemExecutor: it recognises
 * the objects by their methods. One object serves all jobs of its kind, so it keeps no state of a run.
 */
export interface ClassedJobItemExecutor<Job extends object = object> {
  /**
   * The requirement on a job object, for the error message when no executor accepts an object: `a method
   * execute(context)`.
   */
  readonly requirement: string;
  /** True if `candidate` is a job object of this kind. */
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
