import { describe, expect, test } from '@jest/globals';
import { type JobErrorHandler } from '../../../../lib/api/extensions/error-handler.js';
import { sleep } from '../../../../lib/async/wait.js';
import { deliverSoon } from '../../../../lib/registry/embedded/delivery.js';
import { type Duration, TestCluster } from '../../../../lib/testing/index.js';

const HOURLY = '0 0 * * * ?';
const told = ({ runs }: TestCluster): string[] => runs.map(({ item, at }) => `${item} ${at}`);

test('an error handler that never returns keeps nothing from being run for longer than half a minute', async () => {
  const handler: JobErrorHandler = { type: 'STUCK', handleException: () => new Promise(() => undefined) };
  await using cluster = await TestCluster.start(['A'], {
    job: { shardingTotalCount: 1, maxTimeDiffSeconds: 1, jobErrorHandlerType: 'STUCK' },
    host: { errorHandlers: [handler] },
  });
  cluster.skew('A', '3s');
  await cluster.advance('6s');
  cluster.skew('A', 0);

  await cluster.advance('1m');

  expect(told(cluster)).toContain('0 00:01:00');
});

test('a firing whose items are assigned too late is made up for when they are', async () => {
  const job = { cron: HOURLY, shardingTotalCount: 2 };
  await using cluster = await TestCluster.start(['A', 'B'], { job, sessionTimeoutMs: 60_000 });
  await cluster.advance('59m');
  await cluster.advance('55s');
  // It asks for the items to be assigned, and never assigns them.
  cluster.killAtWrite('A', 1, 'applied');
  await cluster.join('C');

  await cluster.advance('2m');

  expect(told(cluster).sort()).toEqual(['0 01:00:00', '1 01:00:00']);
});

test('a firing whose items are assigned too late gives way to a later one that waits too', async () => {
  await using cluster = await TestCluster.start(['A', 'B'], {
    job: { cron: '5,20 * * * * ?' },
    sessionTimeoutMs: 60_000,
  });
  cluster.freeze('A');
  await cluster.operator.create(cluster.paths.resharding, '');

  // The first firing, of 00:00:05, gives up after half a minute.
  await cluster.advance('40s');
  await cluster.operator.remove(cluster.paths.resharding);
  await cluster.advance('2s');

  expect(told(cluster)).toEqual(['0 00:00:20']);
});

test.each<[frozen: string, time: Duration, runs: readonly string[]]>([
  ['one instant', '8s', ['0 00:00:05']],
  ['two instants', '13s', ['0 00:00:05', '0 00:00:10']],
  ['three instants', '18s', ['0 00:00:05']],
  ['four instants', '23s', ['0 00:00:05']],
])(
  'of a process frozen over %s, the first fires late; one that followed alone is made up for',
  async (_, time, runs) => {
    const job = { cron: '0/5 * * * * ?', shardingTotalCount: 1 };
    await using cluster = await TestCluster.start(['A'], { job, sessionTimeoutMs: 60_000 });
    await cluster.advance('1s');
    cluster.freeze('A');
    await cluster.advance(time);

    await cluster.thaw('A');

    expect(told(cluster)).toEqual(runs);
  },
);

describe.each(['applied', 'not-applied'] as const)('if an answer of the registry centre is lost (%s)', (outcome) => {
  test('a manual trigger runs exactly once all the same', async () => {
    await using cluster = await TestCluster.start(['A'], { job: { cron: HOURLY, shardingTotalCount: 1 } });
    cluster.member('A').registry.faults.loseNextWrite(outcome);

    await cluster.trigger();
    await cluster.advance('1m');

    expect(told(cluster)).toEqual(['0 manual']);
  });

  test('a firing that was asking for the time is made up for', async () => {
    const job = { cron: HOURLY, shardingTotalCount: 1, maxTimeDiffSeconds: 60 };
    await using cluster = await TestCluster.start(['A'], { job });
    await cluster.advance('1s');
    cluster.member('A').registry.faults.loseNextWrite(outcome);

    await cluster.fire();
    await cluster.advance('1m');

    expect(told(cluster)).toEqual(['0 01:00:00']);
  });

  test('a firing whose marks were being made is run, though the connection breaks again and again', async () => {
    const job = { cron: HOURLY, shardingTotalCount: 1 };
    await using cluster = await TestCluster.start(['A'], { job, sessionTimeoutMs: 60_000 });
    await cluster.advance('1s');
    const { session, faults } = cluster.member('A').registry;
    let breaks = 3;
    session.onChange(({ phase }) => {
      if (phase !== 'connected' || breaks-- === 0) return;
      void Promise.resolve().then(() => {
        faults.disconnect();
        faults.resume();
      });
    });
    faults.loseNextWrite(outcome);

    await cluster.fire();
    await cluster.advance('1m');

    expect(told(cluster)).toEqual(['0 01:00:00']);
  });
});

test('a firing that comes while only some items are being begun is not missed by the others, misfire or not', async () => {
  let isSlow = false;
  const work = (_: string, { shardingItem }: { shardingItem: number }): Promise<void> | undefined =>
    shardingItem === 0 && !isSlow ? sleep(cluster.clock, 4_000) : undefined;
  await using cluster = await TestCluster.start(['A'], {
    work,
    job: { misfire: false },
    deliver: (clock) => (delivery) => (isSlow ? void clock.after(300, delivery.arrive) : deliverSoon(delivery)),
  });
  await cluster.fire();
  // Item 0 runs until 00:00:09, and is triggered then.
  await cluster.trigger();
  isSlow = true;
  await cluster.advance('4900ms');
  cluster.forget();

  await cluster.advance('4s');

  expect(told(cluster)).toEqual(['0 manual', '1 00:00:10']);
});
