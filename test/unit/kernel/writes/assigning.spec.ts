import { describe, expect, test } from '@jest/globals';
import { Deferred } from '../../../../lib/async/deferred.js';
import { type Delivery } from '../../../../lib/registry/embedded/delivery.js';
import { type JobInstance, type JobShardingStrategy } from '../../../../lib/api/extensions/sharding-strategy.js';
import { type ManualClock, TestCluster } from '../../../../lib/testing/index.js';

/** Every message takes ten milliseconds. */
const slowly =
  (clock: ManualClock) =>
  ({ arrive }: Delivery): void =>
    void clock.after(10, arrive);

/** Moments within what takes a few messages, in milliseconds. */
const MOMENTS = Array.from({ length: 26 }, (_, index) => index * 5);

/** `instance: items` of everybody, each item by everybody who ran it for that instant. */
const ranAt = ({ runs }: TestCluster, instant: string): number[] =>
  runs
    .filter(({ at }) => at === instant)
    .map(({ item }) => item)
    .sort();

/**
 * A and B, decided, with four items, each of which has been begun before: only then can a new owner tell what it
 * missed.
 */
async function settled(): Promise<TestCluster> {
  const cluster = await TestCluster.start(['A'], { job: { shardingTotalCount: 4 }, deliver: slowly });
  await cluster.advance('1s');
  await cluster.join('B');
  await cluster.advance('5s');
  expect(cluster.owners).toEqual({ A: [2, 3], B: [0, 1] });
  return cluster;
}

describe('whenever it happens during an assignment', () => {
  test('EJ1840: an instance that joins gets items', async () => {
    for (const moment of MOMENTS) {
      await using cluster = await settled();
      await cluster.join('C');
      await cluster.advance(moment);
      await cluster.join('D');

      await cluster.advance('2s');

      expect({ moment, owners: cluster.owners }).toEqual({ moment, owners: { A: [3], B: [2], C: [1], D: [0] } });
    }
  });

  test('EJ1471: a firing waits for it, and for nothing else', async () => {
    for (const moment of MOMENTS) {
      await using cluster = await settled();
      await cluster.advance(4_000 - moment);
      await cluster.join('C');
      await cluster.advance(moment);

      await cluster.advance('1s');

      expect({ moment, ran: ranAt(cluster, '00:00:10') }).toEqual({ moment, ran: [0, 1, 2, 3] });
    }
  });

  test('EJ1471: a firing waits for it, even if nothing else happens afterwards', async () => {
    for (const moment of MOMENTS) {
      await using cluster = await TestCluster.start(['A', 'B'], { job: { shardingTotalCount: 1 }, deliver: slowly });
      await cluster.advance('6s');
      await cluster.advance(4_000 - moment);
      // Of a server whose address comes before those of the others, which are given items first.
      await cluster.join('old-1');
      await cluster.advance(moment);

      await cluster.advance('1s');

      const ran = cluster.runs.filter(({ at }) => at === '00:00:10').map(({ instance }) => instance);
      expect({ moment, ran, owners: cluster.owners }).toEqual({ moment, ran: ['B'], owners: { B: [0] } });
    }
  });

  test('EJ2194: one who hears of it late does not run what it owned before', async () => {
    // Each delivery of the registry to A takes a third of a second.
    const late = (clock: ManualClock) => (delivery: Delivery) =>
      void clock.after(delivery.channel === 'server → centre 3' ? 300 : 10, delivery.arrive);
    for (const moment of [150, 200, 250]) {
      await using cluster = await TestCluster.start(['B'], { deliver: late });
      await cluster.advance('1s');
      await cluster.join('A');
      // So that it fires when the others have done so.
      cluster.skew('A', '-100ms');
      await cluster.advance(9_000 - moment);
      expect(cluster.owners).toEqual({ A: [1], B: [0] });
      await cluster.join('C');

      await cluster.advance('4s');

      expect(cluster.owners).toEqual({ B: [1], C: [0] });
      expect({ moment, ran: ranAt(cluster, '00:00:10') }).toEqual({ moment, ran: [0, 1] });
    }
  });

  test.each(['applied', 'not-applied'] as const)(
    'EJ2488: an answer that its leader loses (%s) leaves nobody waiting, and no item to nobody',
    async (outcome) => {
      for (const moment of MOMENTS) {
        await using cluster = await settled();
        await cluster.join('C');
        await cluster.advance(moment);
        cluster.member('A').registry.faults.loseNextWrite(outcome);

        await cluster.advance('1s');

        expect({ moment, owners: cluster.owners }).toEqual({ moment, owners: { A: [2], B: [1], C: [0, 3] } });
        expect(cluster.view.reshardingNeeded).toBe(false);
      }
    },
  );
});

test('an instance that comes back while the answer to the assignment without it is lost gets its items back', async () => {
  for (const moment of MOMENTS) {
    await using cluster = await TestCluster.start(['A', 'B'], { job: { shardingTotalCount: 4 }, deliver: slowly });
    await cluster.advance('6s');
    const { owners } = cluster;

    void cluster.expire('B');
    await cluster.advance(moment);
    cluster.member('A').registry.faults.loseNextWrite('applied');
    await cluster.advance('10s');

    expect({ moment, owners: cluster.owners }).toEqual({ moment, owners });
  }
});

test('EJ390: an item that changes hands in the middle of a firing is not run again by its new owner', async () => {
  await using cluster = await TestCluster.start(['A', 'B'], { job: { shardingTotalCount: 1 } });
  cluster.skew('B', '-1s');
  await cluster.disable('B');
  await cluster.fire();
  expect(cluster.ran).toEqual({ A: [0] });

  await cluster.enable('B');
  expect(cluster.owners).toEqual({ B: [0] });
  // By B's clock, the firing is still to come.
  await cluster.advance('3s');

  expect(cluster.runs.map(({ instance, at }) => `${instance} ${at}`)).toEqual(['A 00:00:05']);
});

describe('EJ2488: the answer to a write that begins a run is lost', () => {
  test.each(['applied', 'not-applied'] as const)('(%s), and the items run, once', async (outcome) => {
    await using cluster = await TestCluster.start(['A']);
    cluster.member('A').registry.faults.loseNextWrite(outcome);

    await cluster.fire();
    await cluster.advance('1s');

    expect(cluster.runs.map(({ item, at }) => `${item} ${at}`)).toEqual(['0 00:00:05', '1 00:00:05']);
    expect([...cluster.tree.keys()].filter((path) => path.endsWith('/running'))).toEqual([]);
  });

  test.each(['applied', 'not-applied'] as const)('(%s), and what runs is marked', async (outcome) => {
    const marked: unknown[] = [];
    await using cluster = await TestCluster.start(['A'], {
      job: { shardingTotalCount: 1 },
      work: () => void marked.push(cluster.tree.get(cluster.paths.item(0, 'running'))),
    });
    cluster.member('A').registry.faults.loseNextWrite(outcome);

    await cluster.fire();

    expect(marked).toEqual([cluster.idOf('A')]);
    expect(cluster.runs[0]!.context.fencingToken).toBeGreaterThan(1);
  });
});

test('an item that had to stay with a disabled instance moves when it has ended, whatever else still runs there', async () => {
  const [short, long] = [new Deferred(), new Deferred()];
  await using cluster = await TestCluster.start(['A'], {
    job: { shardingTotalCount: 3 },
    work: (name, { shardingItem }) =>
      name === 'A' ? [undefined, short.promise, long.promise][shardingItem] : undefined,
  });
  await cluster.fire();
  await cluster.join('B');
  await cluster.disable('A');
  await cluster.advance('2s');
  expect(cluster.owners).toEqual({ A: [1, 2], B: [0] });
  cluster.forget();

  short.resolve();
  await cluster.advance('2s');
  expect(cluster.owners).toEqual({ A: [2], B: [0, 1] });
  await cluster.fire();
  expect(cluster.ran).toEqual({ B: [0, 1] });

  long.resolve();
  await cluster.advance('2s');
  expect(cluster.owners).toEqual({ B: [0, 1, 2] });
});

test('an assignment that a Java leader has forgotten to ask for is asked for in its stead, once', async () => {
  await using cluster = await TestCluster.start(['A'], { job: { shardingTotalCount: 2, cron: '0 0 0 1 1 ?' } });
  const { operator, paths } = cluster;
  const java = '10.0.0.7@-@4711';
  await operator.create(paths.server('10.0.0.7'), 'ENABLED');
  await operator.commit([
    {
      type: 'create',
      path: paths.instance(java),
      value: `jobInstanceId: ${java}\nserverIp: 10.0.0.7\n`,
      lifetime: 'session',
    },
    { type: 'replace', path: paths.leader, value: java, lifetime: 'session' },
  ]);

  await cluster.advance('4s');
  expect(cluster.view.reshardingNeeded).toBe(false);
  await cluster.advance('2s');
  expect(cluster.view.reshardingNeeded).toBe(true);

  // It assigns them, and leaves itself out once more.
  await operator.remove(paths.resharding);
  await cluster.advance('1m');
  expect(cluster.view.reshardingNeeded).toBe(false);
});

test('a strategy may take instances out of the list that it is given', async () => {
  const lastTakesAll: JobShardingStrategy = {
    type: 'LAST_TAKES_ALL',
    sharding: (instances, _, total) => {
      const last = (instances as JobInstance[]).pop();
      return new Map(last && [[last.jobInstanceId, Array.from({ length: total }, (_, item) => item)]]);
    },
  };
  const job = { shardingTotalCount: 3, jobShardingStrategyType: 'LAST_TAKES_ALL' };

  await using cluster = await TestCluster.start(['A', 'B'], { job, host: { strategies: [lastTakesAll] } });
  await cluster.advance('1m');

  expect(cluster.owners).toEqual({ A: [0, 1, 2] });
  expect(cluster.view.reshardingNeeded).toBe(false);
});

/** Gives all items to the first instance, as README's own example of a strategy does. */
const firstTakesAll: JobShardingStrategy = {
  type: 'FIRST_TAKES_ALL',
  sharding: ([first], _, total) =>
    new Map(first && [[first.jobInstanceId, Array.from({ length: total }, (_, item) => item)]]),
};

test.each([undefined, 'FIRST_TAKES_ALL'])(
  'a trigger does not wait for an assignment that is not due (strategy %s)',
  async (jobShardingStrategyType) => {
    const job = {
      shardingTotalCount: 3,
      cron: '',
      ...(jobShardingStrategyType !== undefined && { jobShardingStrategyType }),
    };
    await using cluster = await TestCluster.start(['A', 'B'], { job, host: { strategies: [firstTakesAll] } });
    await cluster.advance('1m');
    const triggeredMs = cluster.clock.monotonic();

    await cluster.trigger();
    await cluster.advance('10s');

    expect(cluster.runs.map(({ startedMs }) => startedMs - triggeredMs)).toEqual([0, 0, 0]);
  },
);

test.each(['AVG_ALLOCATION', 'FIRST_TAKES_ALL'])(
  'a trigger that comes while the items change hands runs each of them exactly once (%s)',
  async (jobShardingStrategyType) => {
    const slowly = (clock: ManualClock) => (delivery: Delivery) => void clock.after(10, delivery.arrive);
    for (const change of ['join', 'disable', 'more items'] as const) {
      for (let gapMs = 0; gapMs <= 150; gapMs += 5) {
        const names = change === 'join' ? ['A'] : ['A', 'B'];
        const job = { shardingTotalCount: 4, cron: '0 0 0 1 1 ?', failover: true, jobShardingStrategyType };
        await using cluster = await TestCluster.start(names, {
          job,
          deliver: slowly,
          host: { strategies: [firstTakesAll] },
        });
        await cluster.advance('1s');

        if (change === 'join') await cluster.join('B');
        else if (change === 'disable') await cluster.disable('B');
        else await cluster.reconfigure({ shardingTotalCount: 6 });
        await cluster.advance(gapMs);
        void cluster.trigger();
        await cluster.advance('20s');

        const items = cluster.runs.map(({ item }) => item).sort();
        const all = change === 'more items' ? [0, 1, 2, 3, 4, 5] : [0, 1, 2, 3];
        expect({ change, gapMs, items }).toEqual({ change, gapMs, items: all });
      }
    }
  },
);

test('a request that somebody withdraws uses up nothing of the time that running items have for the next one', async () => {
  const gate = new Deferred();
  await using cluster = await TestCluster.start(['A'], { work: () => gate.promise });
  await cluster.fire();
  await cluster.join('B');
  await cluster.advance(600);
  // The leader asks again at once.
  await cluster.operator.remove(cluster.paths.resharding);
  await cluster.settle();

  await cluster.advance(999);
  expect({ asked: cluster.view.reshardingNeeded, owners: cluster.owners }).toEqual({
    asked: true,
    owners: { A: [0, 1] },
  });
  await cluster.advance(1);

  expect(cluster.view.reshardingNeeded).toBe(false);
  gate.resolve();
});

describe('an item that comes back because the number of items is raised again', () => {
  /** Items with the instants for which they ran. */
  const ran = (cluster: TestCluster): string[] => cluster.runs.map(({ item, at }) => `${item} ${at}`).sort();

  test('is not run for an instant at which it did not exist', async () => {
    await using cluster = await TestCluster.start(['A', 'B'], { job: { shardingTotalCount: 4 } });
    await cluster.fire();
    await cluster.advance('1s');
    await cluster.reconfigure({ shardingTotalCount: 1 });
    await cluster.fire();
    cluster.forget();
    await cluster.advance('1s');

    await cluster.reconfigure({ shardingTotalCount: 4 });
    await cluster.advance('3s');
    expect(ran(cluster)).toEqual([]);
    await cluster.fire();

    expect(ran(cluster)).toEqual(['0 00:00:15', '1 00:00:15', '2 00:00:15', '3 00:00:15']);
  });

  test('is not run for such an instant either if it was still running all the time', async () => {
    const gate = new Deferred();
    await using cluster = await TestCluster.start(['A'], {
      job: { shardingTotalCount: 4 },
      work: (_, { shardingItem, scheduledAt }) =>
        shardingItem === 3 && scheduledAt?.toISOString().includes('00:00:05') === true ? gate.promise : undefined,
    });
    await cluster.fire();
    await cluster.reconfigure({ shardingTotalCount: 1 });
    await cluster.advance('2s');
    await cluster.fire();
    cluster.forget();
    await cluster.reconfigure({ shardingTotalCount: 4 });
    await cluster.advance('2s');
    gate.resolve();
    await cluster.advance('2s');
    expect(ran(cluster)).toEqual([]);
    await cluster.fire();

    expect(ran(cluster)).toEqual(['0 00:00:15', '1 00:00:15', '2 00:00:15', '3 00:00:15']);
  });

  test('is not run for such an instant if an assignment was already asked for when the number was raised', async () => {
    const gate = new Deferred();
    await using cluster = await TestCluster.start(['A', 'B'], {
      job: { shardingTotalCount: 4 },
      work: (_, { shardingItem, scheduledAt }) =>
        shardingItem === 0 && scheduledAt?.toISOString().includes('00:00:10') === true ? gate.promise : undefined,
    });
    await cluster.fire();
    await cluster.reconfigure({ shardingTotalCount: 1 });
    await cluster.fire();
    cluster.forget();

    // The leader waits a second for item 0 before it assigns the items, and is asked for more of them meanwhile.
    await cluster.join('C');
    await cluster.advance('200ms');
    expect(cluster.view.reshardingNeeded).toBe(true);
    await cluster.reconfigure({ shardingTotalCount: 4 });
    await cluster.advance('2s');
    expect(ran(cluster)).toEqual([]);
    gate.resolve();
    await cluster.fire();

    expect(ran(cluster)).toEqual(['0 00:00:15', '1 00:00:15', '2 00:00:15', '3 00:00:15']);
  });

  test('is not run for such an instant either if there is no leader when the number is raised', async () => {
    const gate = new Deferred();
    await using cluster = await TestCluster.start(['A', 'B', 'C'], {
      job: { shardingTotalCount: 3 },
      work: (_, { shardingItem }) => (shardingItem === 1 ? gate.promise : undefined),
    });
    await cluster.fire();
    expect(cluster.ran).toEqual({ A: [2], B: [1], C: [0] });
    await cluster.reconfigure({ shardingTotalCount: 1 });
    await cluster.fire();
    cluster.forget();

    cluster.kill('A');
    await cluster.reconfigure({ shardingTotalCount: 3 });
    gate.resolve();
    await cluster.advance('4s');

    expect(ran(cluster)).toEqual([]);
  });

  test('is taken over for the instant of its run, if its run dies after it came back', async () => {
    await using cluster = await TestCluster.start(['A', 'B', 'C'], {
      job: { cron: '0 0 * * * ?', shardingTotalCount: 3, failover: true },
      work: (instance, { shardingItem }) => (`${instance}${shardingItem}` === 'B1' ? new Promise(() => {}) : undefined),
    });
    await cluster.fire();
    expect(cluster.ran).toEqual({ A: [2], B: [1], C: [0] });
    await cluster.reconfigure({ shardingTotalCount: 1 });
    await cluster.fire();
    await cluster.reconfigure({ shardingTotalCount: 3 });
    cluster.forget();

    cluster.kill('B');
    await cluster.advance('8s');

    expect(ran(cluster)).toEqual(['1 01:00:00']);
  });

  test('is taken over for the instant of its run also if the instance that brought it back is the one that runs it', async () => {
    await using cluster = await TestCluster.start(['A', 'B', 'C'], {
      job: { cron: '0 0 * * * ?', shardingTotalCount: 3, failover: true },
      work: (instance, { shardingItem }) => (`${instance}${shardingItem}` === 'A2' ? new Promise(() => {}) : undefined),
    });
    await cluster.fire();
    expect(cluster.leader).toBe('A');
    await cluster.reconfigure({ shardingTotalCount: 2 });
    await cluster.fire();
    await cluster.reconfigure({ shardingTotalCount: 3 });
    cluster.forget();

    cluster.kill('A');
    await cluster.advance('8s');

    expect(ran(cluster)).toEqual(['2 01:00:00']);
  });

  test('is not run for an instant that its process was frozen at, and at which it did not exist', async () => {
    await using cluster = await TestCluster.start(['A'], { job: { shardingTotalCount: 2 } });
    await cluster.fire();
    cluster.freeze('A');
    await cluster.reconfigure({ shardingTotalCount: 1 });
    await cluster.advance('11s');
    await cluster.thaw('A');
    cluster.forget();

    await cluster.reconfigure({ shardingTotalCount: 2 });
    await cluster.advance('1s');

    expect(ran(cluster)).toEqual([]);
  });

  test('is run for the instant that passes while the items are being assigned', async () => {
    for (const moment of MOMENTS) {
      await using cluster = await settled();
      await cluster.reconfigure({ shardingTotalCount: 1 });
      await cluster.advance(4_000 - moment);
      await cluster.reconfigure({ shardingTotalCount: 4 });
      await cluster.advance(moment);
      cluster.forget();

      await cluster.advance('2s');

      // The leader hears of the change after ten milliseconds. From then on the items are there.
      const expected = moment <= 10 ? [0] : [0, 1, 2, 3];
      expect({ moment, ran: ranAt(cluster, '00:00:10') }).toEqual({ moment, ran: expected });
    }
  });

  test('is made up for, as ever, if it has only changed hands', async () => {
    await using cluster = await TestCluster.start(['A', 'B'], { job: { shardingTotalCount: 4 } });
    await cluster.fire();
    await cluster.reconfigure({ shardingTotalCount: 1 });
    await cluster.reconfigure({ shardingTotalCount: 4 });
    await cluster.fire();
    cluster.kill('A');
    cluster.forget();

    await cluster.advance('8s');

    const instants = cluster.runs.map(({ item, at }) => `${item} ${at}`);
    expect(instants.filter((run) => run.endsWith('00:00:15')).sort()).toEqual(
      [0, 1, 2, 3].map((item) => `${item} 00:00:15`),
    );
  });
});
