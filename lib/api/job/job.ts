import { type ShardingContext } from './sharding-context.js';
import { type WorkerThreadJob } from './worker-job.js';

/** A job whose items are each run by one call. */
export interface SimpleJob {
  /**
   * Does the work of one sharding item. Items of a firing run concurrently. Returning (or resolving) is success; an
   * error that it throws is the item's failure, which goes to the job's error handler and does not stop the other
   * items.
   */
  execute(context: ShardingContext): void | Promise<void>;
}

/**
 * A job whose items are each run in batches: one call fetches data, the next one processes them (manual, dataflow job).
 */
export interface DataflowJob<T = unknown> {
  /**
   * Fetches the next batch of one sharding item.
   * @returns the data; an empty list, `null` or `undefined` if there are none, which ends the item's run
   */
  fetchData(context: ShardingContext): readonly T[] | null | undefined | Promise<readonly T[] | null | undefined>;
  /** Processes a batch that `fetchData` has returned. An error that either method throws is the item's failure. */
  processData(context: ShardingContext, data: readonly T[]): void | Promise<void>;
}

/**
 * Any job object. Objects of a kind of your own, which a `ClassedJobItemExecutor` accepts, are passed off as one
 * (`job as unknown as ElasticJobObject`); providers of a Nest application need no cast.
 */
export type ElasticJob = SimpleJob | DataflowJob | WorkerThreadJob;

/** True if `candidate` has the methods of a `SimpleJob`. */
export function isSimpleJob(candidate: unknown): candidate is SimpleJob {
  return typeof (candidate as Partial<SimpleJob> | null | undefined)?.execute === 'function';
}

/** True if `candidate` has the methods of a `DataflowJob`. An object that also has `execute` is a `SimpleJob`. */
export function isDataflowJob(candidate: unknown): candidate is DataflowJob {
  const { fetchData, processData } = (candidate ?? {}) as Partial<DataflowJob>;
  return typeof fetchData === 'function' && typeof processData === 'function' && !isSimpleJob(candidate);
}
