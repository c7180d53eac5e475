import { type JobShardingStrategy } from '../../../api/extensions/sharding-strategy.js';
import { allocateEvenly } from './average-allocation.js';
import { javaStringHash } from './java-string-hash.js';

/**
 * `ODEVITY`: as AVG_ALLOCATION, from the greatest instance id downwards if the hash of the job's name is odd, upwards
 * if it is even, so that jobs of one item do not all meet on one instance. (The manual says the contrary; Java's code
 * does this.)
 */
export const odevity: JobShardingStrategy = {
  type: 'ODEVITY',
  sharding: (instances, jobName, shardingTotalCount) =>
    allocateEvenly(javaStringHash(jobName) % 2 === 0 ? [...instances].reverse() : instances, shardingTotalCount),
};
