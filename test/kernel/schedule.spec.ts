import { describe, expect, test } from '@jest/globals';
import { ClockTimers, type FiringTimers } from '../../lib/kernel/lanes/cron-timer.js';
import { TestCluster } from '../../lib/testing/test-cluster.js';

describe('a schedule', () => {
  test('that cannot be armed because its name is taken is told to who asked for it', async () => {
    const timers: FiringTimers = {
      arm: () => {
        throw new Error('the name is taken');
      },
      disarm: () => undefined,
    };
    await using cluster = await TestCluster.start([], { host: { timers } });
    const { started } = await cluster.join('A');
    await expect(started).rejects.toThrow('the name is taken');
  });

  test('that could not be armed anew after a change is tried again', async () => {
    let fails = 0;
    const real: { timers?: ClockTimers } = {};
    const timers: FiringTimers = {
      arm: (jobName, instant, onFire) => {
        if (fails-- > 0) throw new Error('not now');
        real.timers?.arm(jobName, instant, onFire);
      },
      disarm: (jobName) => real.timers?.disarm(jobName),
    };
    await using cluster = await TestCluster.start([], { job: { cron: '0 0 12 * * ?' }, host: { timers } });
    real.timers = new ClockTimers(cluster.clock);
    await cluster.join('A');
    fails = 1;
    const config = String(cluster.tree.get(cluster.paths.config));
    await cluster.operator.put(cluster.paths.config, config.replace('0 0 12 * * ?', '0/5 * * * * ?'));
    await cluster.settle();
    await cluster.advance(20_000);
    expect(cluster.runs.length).toBeGreaterThan(0);
  });
});

describe('a wall clock that is wrong', () => {
  test('for a moment, far ahead, does not keep other instances from running later', async () => {
    await using cluster = await TestCluster.start(['A']);
    cluster.clock.setWallClock('2035-01-01T00:00:00Z');
    await cluster.advance(40_000);
    cluster.clock.setWallClock('2030-01-01T00:01:00Z');
    await cluster.leave('A');
    await cluster.join('B');
    cluster.forget();
    await cluster.advance(60_000);
    expect(cluster.runs.length).toBeGreaterThan(20);
  });

  test('for a moment, far ahead, does not keep its own instance from running later', async () => {
    await using cluster = await TestCluster.start(['A']);
    cluster.clock.setWallClock('2035-01-01T00:00:00Z');
    await cluster.advance(40_000);
    cluster.clock.setWallClock('2030-01-01T00:01:00Z');
    cluster.forget();
    await cluster.advance(120_000);
    expect(cluster.runs.length).toBeGreaterThan(20);
  });

  test('and is put right makes the job fire at its time of day, once what was leapt over has been made up for', async () => {
    await using cluster = await TestCluster.start(['A'], { job: { cron: '0 0 3 * * ?', shardingTotalCount: 1 } });
    cluster.clock.setWallClock('2030-01-01T10:00:00Z');
    await cluster.advance(60_000);
    expect(cluster.runs.map(({ context }) => context.scheduledAt?.toISOString())).toEqual(['2030-01-01T03:00:00.000Z']);

    cluster.forget();
    await cluster.advance(24 * 3_600_000);
    expect(cluster.runs.map(({ context }) => context.scheduledAt?.toISOString())).toEqual(['2030-01-02T03:00:00.000Z']);
  });
});
