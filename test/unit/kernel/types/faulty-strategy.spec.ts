/** A sharding strategy that throws, or returns something else than an assignment. */
import { describe, expect, test } from '@jest/globals';
import { type JobShardingStrategy } from '../../../../lib/api/extensions/sharding-strategy.js';
import { averageAllocation } from '../../../../lib/kernel/types/strategies/average-allocation.js';
import { TestCluster } from '../../../../lib/testing/index.js';

/** AVG_ALLOCATION, until the test makes it fail. */
class Unreliable implements JobShardingStrategy {
  readonly type = 'UNRELIABLE';
  calls = 0;
  fault: (() => never) | undefined;

  sharding(...args: Parameters<JobShardingStrategy['sharding']>): ReturnType<JobShardingStrategy['sharding']> {
    this.calls++;
    return this.fault === undefined ? averageAllocation.sharding(...args) : this.fault();
  }
}

const throws = (): never => {
  throw new Error('no plan for these items');
};
/** Garbage, whatever the type says. */
const returnsGarbage = (() => ({ A: [0] })) as () => never;

/** The messages that are logged as errors, with the cure; other failures are logged for debugging only. */
const errors = ({ log }: TestCluster): string[] => log.filter((line) => line.includes('Correct the strategy, or set'));

/** A cluster whose strategy has worked, and fails from now on; an assignment is asked for. */
async function failing(strategy: Unreliable, fault: () => never, cron: string): Promise<TestCluster> {
  const cluster = await TestCluster.start(['A', 'B'], {
    job: { cron, jobShardingStrategyType: 'UNRELIABLE' },
    host: { strategies: [strategy] },
  });
  await cluster.fire();
  strategy.fault = fault;
  strategy.calls = 0;
  cluster.forget();
  await cluster.reconfigure({ shardingTotalCount: 4 });
  return cluster;
}

describe('a sharding strategy that fails', () => {
  test.each([
    ['throws', throws, 'no plan for these items'],
    ['returns garbage', returnsGarbage, 'must return a Map'],
  ])('(it %s) is logged once with its cure, and asked again after growing pauses', async (_, fault, reason) => {
    const strategy = new Unreliable();
    await using cluster = await failing(strategy, fault, '0 0 * * * ?');

    await cluster.advance('60s');

    expect(errors(cluster)).toEqual([expect.stringContaining(reason)]);
    expect(cluster.log.filter((line) => line.includes('could not assign the items'))).toEqual([]);
    const { health } = cluster.member('A').host.jobs.get('job')!;
    expect(health).toMatchObject({ state: 'blocked', reason: expect.stringContaining(reason) as unknown });
    expect(errors(cluster)[0]).toContain('The sharding strategy UNRELIABLE');
    expect(strategy.calls).toBeGreaterThan(10);
    expect(strategy.calls).toBeLessThan(40);
  });

  test('is logged again after ten minutes', async () => {
    const strategy = new Unreliable();
    await using cluster = await failing(strategy, throws, '0 0 0 * * ?');

    await cluster.advance('9m');
    expect(errors(cluster)).toHaveLength(1);
    await cluster.advance('2m');

    expect(errors(cluster)).toHaveLength(2);
  });

  test('is not asked at each change of the job, but at once if instances or settings have changed', async () => {
    const strategy = new Unreliable();
    await using cluster = await failing(strategy, throws, '0 0 * * * ?');
    await cluster.advance('60s');
    const { calls } = strategy;

    for (let change = 0; change < 20; change++) {
      await cluster.operator.put(cluster.paths.item(0, 'misfire'), '');
      await cluster.operator.remove(cluster.paths.item(0, 'misfire'));
      await cluster.settle();
    }
    expect(strategy.calls).toBe(calls);
    await cluster.join('C');

    expect(strategy.calls).toBe(calls + 1);
    expect(errors(cluster)).toHaveLength(2);
  });

  test('keeps no firing silent, and the firing that waited follows when it works again', async () => {
    const strategy = new Unreliable();
    await using cluster = await failing(strategy, throws, '0 * * * * ?');

    await cluster.advance('95s');
    expect(cluster.runs).toEqual([]);
    const waited = cluster.log.filter((line) => line.includes('whose log says what keeps it from that'));
    expect(waited.map((line) => line.slice(0, 1))).toEqual(['A', 'B']);
    strategy.fault = undefined;
    await cluster.advance('6s');

    expect(cluster.runs.map(({ item, at }) => `${item} ${at}`).sort()).toEqual(
      [0, 1, 2, 3].map((item) => `${item} 00:02:00`),
    );
    expect(cluster.log.filter((line) => line.includes('the sharding strategy works again'))).toHaveLength(1);
  });
});
