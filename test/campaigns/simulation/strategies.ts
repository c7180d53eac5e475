import { type JobShardingStrategy } from '../../../lib/api/extensions/sharding-strategy.js';

/** Types of the strategies that the simulated users bring. */
export const OWN_STRATEGIES = ['FIRST_TAKES_ALL', 'ALL_BUT_ONE', 'UNRELIABLE'] as const;

/** Gives everything to one instance, as the strategy in README does. */
const firstTakesAll: JobShardingStrategy = {
  type: 'FIRST_TAKES_ALL',
  sharding: (instances, _jobName, total) => dealt(instances.slice(0, 1), total),
};

/** Leaves out one instance on purpose, if there are others. */
const allButOne: JobShardingStrategy = {
  type: 'ALL_BUT_ONE',
  sharding: (instances, _jobName, total) => dealt(instances.slice(0, Math.max(1, instances.length - 1)), total),
};

/**
 * The strategies that the simulated users bring.
 * @param isFailing whether UNRELIABLE throws at this moment
 */
export function ownStrategies(isFailing: () => boolean): readonly JobShardingStrategy[] {
  return [
    firstTakesAll,
    allButOne,
    {
      type: 'UNRELIABLE',
      sharding: (instances, _jobName, total) => {
        if (isFailing()) throw new Error('the strategy cannot assign items at this moment');
        return dealt(instances, total);
      },
    },
  ];
}

/** Deals the items in turn. */
function dealt(instances: Parameters<JobShardingStrategy['sharding']>[0], total: number): Map<string, number[]> {
  const shares = new Map<string, number[]>(instances.map(({ jobInstanceId }) => [jobInstanceId, []]));
  const lists = [...shares.values()];
  for (let item = 0; item < total; item++) lists[item % lists.length]?.push(item);
  return shares;
}
