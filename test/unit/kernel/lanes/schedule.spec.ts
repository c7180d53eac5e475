import { describe, expect, test } from '@jest/globals';
import { ClockTimers, type FiringTimers } from '../../../../lib/kernel/lanes/cron-timer.js';
import { TestCluster } from '../../../../lib/testing/test-cluster.js';

/** A job that fires at noon, on timers that fail when the test wants it. */
async function unreliable() {
  let failuresLeft = 0;
  const real: { timers?: ClockTimers; armedFor?: Date } = {};
  const timers: FiringTimers = {
    arm: (jobName, instant, onFire) => {
      if (failuresLeft-- > 0) throw new Error('not now');
      real.armedFor = instant;
      real.timers?.arm(jobName, instant, onFire);
    },
    disarm: (jobName) => real.timers?.disarm(jobName),
  };
  const cluster = await TestCluster.start([], { job: { cron: '0 0 12 * * ?' }, host: { timers } });
  real.timers = new ClockTimers(cluster.clock);
  await cluster.join('A');
  return {
    cluster,
    /** The instant for which the job is armed. */
    get armedFor() {
      return real.armedFor;
    },
    /** An operator changes the cron. The timers fail the next `failures` times. */
    async change(cron: string, { failures }: { readonly failures: number }): Promise<void> {
      failuresLeft = failures;
      await cluster.reconfigure({ cron });
    },
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}

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

  test('that could not be armed again after a change is tried again', async () => {
    await using schedule = await unreliable();

    await schedule.change('0/5 * * * * ?', { failures: 1 });
    await schedule.cluster.advance(20_000);

    expect(schedule.cluster.runs.length).toBeGreaterThan(0);
  });

  test('that could not be armed again is tried again soon, however often that happened before', async () => {
    await using schedule = await unreliable();
    for (let change = 0; change < 10; change++) {
      await schedule.change(`0 ${change} 12 * * ?`, { failures: 1 });
      await schedule.cluster.advance('6s');
    }

    await schedule.change('0 30 12 * * ?', { failures: 1 });
    await schedule.cluster.advance(100);

    expect(schedule.armedFor?.toISOString()).toBe('2030-01-01T12:30:00.000Z');
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

test('a new cron expression holds from now on: an instant of it that has just passed is not made up for', async () => {
  await using cluster = await TestCluster.start(['A'], { job: { cron: '0/3 * * * * ?', shardingTotalCount: 2 } });
  await cluster.advance('11.9s');
  cluster.forget();

  await cluster.reconfigure({ cron: '0/10 * * * * ?' });
  await cluster.advance('20s');

  expect(cluster.runs.map(({ context }) => context.scheduledAt?.toISOString().slice(17, 19))).toEqual([
    '20',
    '20',
    '30',
    '30',
  ]);
});
