import { type JobShardingStrategy } from '../../../api/extensions/sharding-strategy.js';
import { type Clock } from '../../../time/clock.js';
import { allocateEvenly } from './average-allocation.js';
import { javaStringHash, rotateByHash } from './java-string-hash.js';

/**
 * `SINGLE_SHARDING_BALANCE`: as ROUND_ROBIN, but the start also depends on the present time, so that jobs of one item
 * spread over the instances, even with similar names.
 */
export const singleShardingBalance = (clock: Clock): JobShardingStrategy => ({
  type: 'SINGLE_SHARDING_BALANCE',
  sharding: (instances, jobName, shardingTotalCount) =>
    // Java adds the low 32 bits of the time and lets the sum overflow.
    allocateEvenly(rotateByHash(instances, (javaStringHash(jobName) + (clock.now() | 0)) | 0), shardingTotalCount),
});
