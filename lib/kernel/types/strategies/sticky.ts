import { type JobInstance, type JobShardingStrategy } from '../../../api/extensions/sharding-strategy.js';

/**
 * `STICKY`: each instance keeps its items, as long as the numbers of items of all instances differ by one at most. So a
 * join or a leave moves the fewest items: a joining instance receives at most ⌈items ÷ instances⌉, and if an instance
 * leaves, only its items move.
 */
export const sticky: JobShardingStrategy = {
  type: 'STICKY',
  sharding: (instances, _jobName, shardingTotalCount, owners = new Map()) => {
    const kept = new Map(instances.map(({ jobInstanceId }) => [jobInstanceId, [] as number[]]));
    const unowned: number[] = [];
    for (let item = 0; item < shardingTotalCount; item++) (kept.get(owners.get(item) ?? '') ?? unowned).push(item);
    const shares = sharesOf(instances, kept, shardingTotalCount);
    const given = [...shares].flatMap(([id, share]) => kept.get(id)?.splice(share) ?? []);
    const free = [...unowned, ...given].sort((one, other) => one - other);
    return new Map(
      instances.map(({ jobInstanceId: id }) => {
        const own = kept.get(id) ?? [];
        return [id, [...own, ...free.splice(0, (shares.get(id) ?? 0) - own.length)]];
      }),
    );
  },
};

/**
 * Number of items by instance. The items that do not divide evenly go to the instances that have most, so that they
 * keep them.
 */
function sharesOf(
  instances: readonly JobInstance[],
  kept: ReadonlyMap<string, readonly number[]>,
  total: number,
): ReadonlyMap<string, number> {
  const share = Math.floor(total / instances.length);
  const extra = total % instances.length;
  const count = ({ jobInstanceId }: JobInstance): number => kept.get(jobInstanceId)?.length ?? 0;
  return new Map(
    [...instances]
      .sort((one, other) => count(other) - count(one))
      .map(({ jobInstanceId }, index) => [jobInstanceId, index < extra ? share + 1 : share]),
  );
}
