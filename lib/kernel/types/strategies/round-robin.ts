import { type JobShardingStrategy } from '../../../api/extensions/sharding-strategy.js';
import { allocateEvenly } from './average-allocation.js';
import { javaStringHash, rotateByHash } from './java-string-hash.js';

/** `ROUND_ROBIN`: as AVG_ALLOCATION, starting at an instance that depends on the hash of the job's name. */
export const roundRobin: JobShardingStrategy = {
  type: 'ROUND_ROBIN',
  sharding: (instances, jobName, shardingTotalCount) =>
    allocateEvenly(rotateByHash(instances, javaStringHash(jobName)), shardingTotalCount),
};
