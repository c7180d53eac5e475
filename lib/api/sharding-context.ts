/** What a job is given for one sharding item of one firing. The first six fields are Java ElasticJob's. */
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
   * The instant for which the firing was scheduled, however late it runs; `undefined` for a firing that somebody
   * triggered by hand.
   */
  readonly scheduledAt: Date | undefined;
  /**
   * Aborts when this run should end: the session with the registry centre is lost, so that a peer may own the item, or
   * the job is stopped and its grace period has passed. `signal.reason` is the error that says why.
   */
  readonly signal: AbortSignal;
  /**
   * A number that grows with each run of the item, whoever runs it (without `monitorExecution`: with each assignment of
   * the items). Store it with what you write and reject smaller ones, and a
   * stale owner can do no harm: `UPDATE … SET …, token = :token WHERE id = :id AND token <= :token`.
   */
  readonly fencingToken: number;
}
