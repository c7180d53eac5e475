import { type ShardingContext } from './sharding-context.js';

/** A job whose items are each run by one call. */
export interface SimpleJob {
  /**
   * Does the work of one sharding item. Items of a firing run concurrently. Returning (or resolving) is success; what is
   * thrown is the item's failure, which goes to the job's error handler and does not stop the other items.
   */
  execute(context: ShardingContext): void | Promise<void>;
}

/**
 * Any job object. Further kinds join this union. Objects of a kind of your own, which a `ClassedJobItemExecutor` accepts,
 * are passed off as one (`job as unknown as ElasticJobObject`); providers of a Nest application need no cast.
 */
export type ElasticJob = SimpleJob;

/** Whether `candidate` has the methods of a `SimpleJob`. */
export function isSimpleJob(candidate: unknown): candidate is SimpleJob {
  return typeof (candidate as Partial<SimpleJob> | null | undefined)?.execute === 'function';
}
