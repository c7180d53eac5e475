import { type JobConfiguration } from './job-configuration.js';
import { type ShardingContext } from './sharding-context.js';

/**
 * Runs the items of jobs that have no class but a type (`elasticJobType`), the counterpart of Java's
 * TypedJobItemExecutor. One object serves all jobs of its type, so it keeps no state of a run.
 */
export interface TypedJobItemExecutor {
  /** The name by which `elasticJobType` refers to it; compared without regard to case. */
  readonly type: string;
  /** Does the work of one sharding item. What is thrown is the item's failure. */
  process(configuration: JobConfiguration, context: ShardingContext): void | Promise<void>;
}
