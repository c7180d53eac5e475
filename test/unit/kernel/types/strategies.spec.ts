import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { type JobInstance, type JobShardingStrategy } from '../../../../lib/api/extensions/sharding-strategy.js';
import { averageAllocation } from '../../../../lib/kernel/types/strategies/average-allocation.js';
import { javaStringHash } from '../../../../lib/kernel/types/strategies/java-string-hash.js';
import { odevity } from '../../../../lib/kernel/types/strategies/odevity.js';
import { roundRobin } from '../../../../lib/kernel/types/strategies/round-robin.js';
import { singleShardingBalance } from '../../../../lib/kernel/types/strategies/single-sharding-balance.js';
import { ManualClock } from '../../../../lib/testing/manual-clock.js';

const A: JobInstance = { jobInstanceId: '10.0.0.3@-@300', serverIp: '10.0.0.3' };
const B: JobInstance = { jobInstanceId: '10.0.0.2@-@200', serverIp: '10.0.0.2' };
const C: JobInstance = { jobInstanceId: '10.0.0.1@-@100', serverIp: '10.0.0.1' };

function shares(
  strategy: JobShardingStrategy,
  instances: readonly JobInstance[],
  job: string,
  total: number,
): number[][] {
  const result = strategy.sharding(instances, job, total);
  return [A, B, C].map(({ jobInstanceId }) => [...(result.get(jobInstanceId) ?? [])]);
}

describe('the built-in strategies assign as Java ElasticJob does', () => {
  test.each([
    [1, [[0], [], []]],
    [2, [[0], [1], []]],
    [4, [[0, 3], [1], [2]]],
    [
      8,
      [
        [0, 1, 6],
        [2, 3, 7],
        [4, 5],
      ],
    ],
    [
      9,
      [
        [0, 1, 2],
        [3, 4, 5],
        [6, 7, 8],
      ],
    ],
    [
      10,
      [
        [0, 1, 2, 9],
        [3, 4, 5],
        [6, 7, 8],
      ],
    ],
  ])('AVG_ALLOCATION gives neighbours together: %i items', (total, expected) => {
    expect(shares(averageAllocation, [A, B, C], 'any', total)).toEqual(expected);
  });

  test('AVG_ALLOCATION gives what does not divide evenly to the first instances', () => {
    expect(shares(averageAllocation, [A, B], 'any', 5)).toEqual([[0, 1, 4], [2, 3], []]);
  });

  test.each([
    ['a', 97, 2, [[0], [1], []]],
    ['foo', 101574, 2, [[], [1], [0]]],
    ['test_job', -1146456432, 3, [[2], [1], [0]]],
    ['javaSimpleJob', -694093655, 3, [[0], [1], [2]]],
  ])('ODEVITY turns the order by the hash of the name: %s (%i)', (job, hash, total, expected) => {
    expect(javaStringHash(job)).toBe(hash);
    expect(shares(odevity, [A, B, C], job, total)).toEqual(expected);
  });

  test.each([
    ['a', 2, [[], [0], [1]]],
    ['a', 4, [[2], [0, 3], [1]]],
    ['javaSimpleJob', 4, [[1], [2], [0, 3]]],
    ['test_simple_job', 2, [[], [0], [1]]],
    ['myJob', 4, [[0, 3], [1], [2]]],
  ])('ROUND_ROBIN starts where the hash of the name says: %s, %i items', (job, total, expected) => {
    expect(shares(roundRobin, [A, B, C], job, total)).toEqual(expected);
  });

  test('ROUND_ROBIN also works for a name whose hash is the smallest integer, which makes Java fail', () => {
    expect(javaStringHash('polygenelubricants')).toBe(-(2 ** 31));
    expect(shares(roundRobin, [A, B, C], 'polygenelubricants', 3).flat().sort()).toEqual([0, 1, 2]);
  });

  test.each([
    [1767225600000, [[0], [], []]],
    [1767225600001, [[], [0], []]],
    [1767225600002, [[], [], [0]]],
  ])('SINGLE_SHARDING_BALANCE starts where name and time say: at %i', (now, expected) => {
    const strategy = singleShardingBalance(new ManualClock(now));
    expect(shares(strategy, [A, B, C], 'myJob', 1)).toEqual(expected);
  });
});

/**
 * The result of Java 3.0.5 for a random cluster: for each strategy a digit for each item, the number of the instance
 * that has it.
 */
interface JavaShares {
  readonly job: string;
  readonly instances: readonly string[];
  /** The time that had its part in it, if it is known. */
  readonly at?: number;
  readonly AVG_ALLOCATION: string;
  readonly ODEVITY: string;
  readonly ROUND_ROBIN: string;
  readonly SINGLE_SHARDING_BALANCE: string;
}

describe('of 200 random clusters, each instance has the items that Java 3.0.5 gives it', () => {
  const file = new URL('../fixtures/java-3.0.5-shares.json', import.meta.url);
  const clusters = JSON.parse(readFileSync(file, 'utf8')) as readonly JavaShares[];

  test.each(['AVG_ALLOCATION', 'ODEVITY', 'ROUND_ROBIN', 'SINGLE_SHARDING_BALANCE'] as const)('by %s', (type) => {
    const known = clusters.filter(({ at }) => at !== undefined || type !== 'SINGLE_SHARDING_BALANCE');
    expect(known.length).toBeGreaterThan(150);

    for (const { job, instances, at = 0, [type]: owners } of known) {
      const strategies = [averageAllocation, odevity, roundRobin, singleShardingBalance(new ManualClock(at))];
      const strategy = strategies.find((each) => each.type === type)!;
      const shares = strategy.sharding(
        instances.map((jobInstanceId) => ({ jobInstanceId, serverIp: '' })),
        job,
        owners.length,
      );

      const digits = [...owners].map((_, item) => instances.findIndex((id) => shares.get(id)?.includes(item)));
      expect(digits.join('')).toBe(owners);
    }
  });
});
