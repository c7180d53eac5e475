/** The facts about an instance that a strategy may use. */
export interface JobInstance {
  /** `{ip}@-@{unique suffix}` */
  readonly jobInstanceId: string;
  readonly serverIp: string;
}

/**
 * Distributes the sharding items over the instances. The leader's strategy decides for all; give every instance the
 * same.
 */
export interface JobShardingStrategy {
  /** The name by which `jobShardingStrategyType` refers to it; compared without regard to case. */
  readonly type: string;
  /**
   * @param instances the available instances in descending order of their ids, as in Java ElasticJob; at least one
   * @param owners id of the present owner by item, for strategies that move few items. An owner may be gone, an item
   *   that was never assigned is missing, and items beyond `shardingTotalCount` may be there
   * @returns items by instance id, at once and not as a promise. Every item 0 … shardingTotalCount − 1 must occur
   *   exactly once. If it returns anything else, or throws, no items are assigned: firings wait up to 30 seconds each,
   *   the strategy is asked again after growing pauses of at most 5 seconds, the log has an error, and after 30 seconds
   *   the job is `blocked`.
   */
  sharding(
    instances: readonly JobInstance[],
    jobName: string,
    shardingTotalCount: number,
    owners?: ReadonlyMap<number, string>,
  ): ReadonlyMap<string, readonly number[]>;
}
