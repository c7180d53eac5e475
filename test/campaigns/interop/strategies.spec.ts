import { describe, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type JobShardingStrategy } from '../../../lib/api/extensions/sharding-strategy.js';
import { averageAllocation } from '../../../lib/kernel/types/strategies/average-allocation.js';
import { odevity } from '../../../lib/kernel/types/strategies/odevity.js';
import { roundRobin } from '../../../lib/kernel/types/strategies/round-robin.js';
import { singleShardingBalance } from '../../../lib/kernel/types/strategies/single-sharding-balance.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';
import { root } from '../../support/program.js';
import { IS_RECORDING } from './support/golden-records.js';
import { JAVA_VERSIONS } from './support/java.js';
import { JavaAnswers } from './support/java-answers.js';
import { type Cluster, randomClusters } from './support/random-clusters.js';

/** Java's answer about a cluster, and the times between which it was asked. */
interface Answer {
  readonly shares: Readonly<Record<string, readonly number[]>>;
  readonly from: number;
  readonly to: number;
}

const TYPES = ['AVG_ALLOCATION', 'ODEVITY', 'ROUND_ROBIN', 'SINGLE_SHARDING_BALANCE'] as const;
type Type = (typeof TYPES)[number];
const SINCE_3_0_5 = 'SINGLE_SHARDING_BALANCE';

const clusters = randomClusters(200);

function ours(type: Type, { job, total, instances }: Cluster, now = 0): Answer['shares'] {
  const strategies: Readonly<Record<Type, JobShardingStrategy>> = {
    AVG_ALLOCATION: averageAllocation,
    ODEVITY: odevity,
    ROUND_ROBIN: roundRobin,
    SINGLE_SHARDING_BALANCE: singleShardingBalance(new ManualClock(now)),
  };
  const known = instances.map(([jobInstanceId, serverIp]) => ({ jobInstanceId, serverIp }));
  return Object.fromEntries(strategies[type].sharding(known, job, total));
}

describe('the shares of 200 random clusters', () => {
  test.each(JAVA_VERSIONS)('are the same by Java %s and by Node, with each strategy', async (version) => {
    await using java = await JavaAnswers.open(version);
    const isNew = version >= '3.0.5';
    const answers = new Map<Type, readonly Answer[]>();

    for (const type of TYPES) answers.set(type, (await java.ask('shares', type, clusters)) as readonly Answer[]);

    for (const type of TYPES.filter((type) => isNew || type !== SINCE_3_0_5)) {
      answers.get(type)!.forEach(({ shares, from, to }, index) => {
        // The time has its part in one strategy: it is that before or that after the answer.
        expect([from, to].map((now) => ours(type, clusters[index]!, now))).toContainEqual(shares);
      });
    }
    if (!isNew) expect(answers.get(SINCE_3_0_5)).toBeNull();
    if (IS_RECORDING && isNew) record(answers);
  });
});

/**
 * Keeps them for the tests of the strategies, which run without Java: a digit for each item, the number of its
 * instance.
 */
function record(answers: ReadonlyMap<Type, readonly Answer[]>): void {
  const lines = clusters.map(({ job, total, instances }, index) => {
    const ids = instances.map(([id]) => id);
    const owners = [...answers].map(([type, of]) => {
      const { shares } = of[index]!;
      const digits = Array.from({ length: total }, (_, item) => ids.findIndex((id) => shares[id]?.includes(item)));
      return [type, digits.join('')];
    });
    const { from, to } = answers.get(SINCE_3_0_5)![index]!;
    return JSON.stringify({ job, instances: ids, ...(from === to && { at: from }), ...Object.fromEntries(owners) });
  });
  const file = join(root, 'test/unit/kernel/fixtures/java-3.0.5-shares.json');
  writeFileSync(file, `[\n${lines.join(',\n')}\n]\n`);
}
