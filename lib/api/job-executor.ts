import { type JobConfiguration } from './job-configuration.js';
import { type ShardingContext } from './sharding-context.js';

/**
 * Runs the items of jobs that have no class but a type (`elasticJobType`), the counterpart of Java's
 * TypedJobItemExecutor. One object serves all jobs of its type, so it keeps no state of a run.
 */
export interface TypedJobItemExecutor {
  /** The name by which `elasticJobType` refers to it; compared without regard to case. */
  readonly type: string;
  /** Does the work of one sharding item. What it throws is the item's failure. */
  process(configuration: JobConfiguration, context: ShardingContext): void | Promise<void>;
}

/**
 * Runs the items of jobs that are objects of one kind, the counterpart of Java's ClassedJobItemExecutor: it recognises the
 * objects by their methods. One object serves all jobs of its kind, so it keeps no state of a run.
 */
export interface ClassedJobItemExecutor<Job extends object = object> {
  /** What a job object must have, for the error message when no executor accepts an object: `a method execute(context)`. */
  readonly requirement: string;
  /** Whether `candidate` is a job object of this kind. */
  accepts(candidate: object): candidate is Job;
  /** Does the work of one sharding item. What it throws is the item's failure. */
  process(job: Job, configuration: JobConfiguration, context: ShardingContext): void | Promise<void>;
}
