/** Argument of a job for one sharding item of one firing. The first six fields are Java ElasticJob's. */
export interface ShardingContext {
  readonly jobName: string;
  /** `{jobName}@-@{items}@-@READY@-@{instanceId}`; the same for all items of a firing on this instance. */
  readonly taskId: string;
  readonly shardingTotalCount: number;
  /** The job's `jobParameter`; the empty text if none is configured. */
  readonly jobParameter: string;
  /** Number of this item, 0 … shardingTotalCount − 1. */
  readonly shardingItem: number;
  /** This item's entry of `shardingItemParameters`, or `undefined` if it has none. */
  readonly shardingParameter: string | undefined;
  /**
   * The instant for which the firing was scheduled, however late it runs; `undefined` for a firing that an operator
   * triggered manually.
   */
  readonly scheduledAt: Date | undefined;
  /**
   * Number of this attempt, from 1: greater if the item has failed before in this firing and is retried (`maxRetries`).
   */
  readonly attempt: number;
  /**
   * Aborts when the item must end now: the session with the registry centre is lost, so that a peer may own the item,
   * the job is stopped and its grace period has passed, or the item has run for `timeoutMilliseconds`. `signal.reason`
   * is the error for that case. All attempts have the same signal.
   */
  readonly signal: AbortSignal;
  /**
   * Aborts when the item should end at the next good moment, such as between two batches: the leader waits for it to
   * assign the items again, or the job is being stopped. A job that ignores it runs to its end. `softStop.reason` is
   * the error for that case.
   */
  readonly softStop: AbortSignal;
  /**
   * A number that grows with each run of the item, on any instance; without `monitorExecution` it grows with each
   * assignment, and with each change of the job's settings. Store it with each row that the item writes, and reject
   * smaller ones, so that a stale owner can do no harm: `UPDATE … SET …, token = :token WHERE id = :id AND token <=
   * :token`.
   */
  readonly fencingToken: number;
}
