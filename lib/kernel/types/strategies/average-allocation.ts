import { type JobInstance, type JobShardingStrategy } from '../../../api/extensions/sharding-strategy.js';

/**
 * `AVG_ALLOCATION`, the default: neighbouring items together; of the items that do not divide evenly, the first
 * instances get one each.
 */
export const averageAllocation: JobShardingStrategy = {
  type: 'AVG_ALLOCATION',
  sharding: (instances, _jobName, shardingTotalCount) => allocateEvenly(instances, shardingTotalCount),
};

/**
 * Items 0 … total − 1 spread over `instances` in their order: with 8 items on 3 instances 0,1,6 – 2,3,7 – 4,5
 * (manual §6.2.8). The other built-in strategies differ from it only in the order of instances.
 */
export function allocateEvenly(
  instances: readonly JobInstance[],
  shardingTotalCount: number,
): ReadonlyMap<string, readonly number[]> {
  const share = Math.floor(shardingTotalCount / instances.length);
  const even = share * instances.length;
  return new Map(
    instances.map(({ jobInstanceId }, index) => {
      const items = Array.from({ length: share }, (_, offset) => index * share + offset);
      const extra = even + index;
      return [jobInstanceId, extra < shardingTotalCount ? [...items, extra] : items];
    }),
  );
}
