import { describe, expect, test } from '@jest/globals';
import { type JobShardingStrategy } from '../../../../lib/api/extensions/sharding-strategy.js';
import { Deferred } from '../../../../lib/async/deferred.js';
import { deliverSoon } from '../../../../lib/registry/embedded/delivery.js';
import { averageAllocation } from '../../../../lib/kernel/types/strategies/average-allocation.js';
import { TestCluster } from '../../../../lib/testing/index.js';
import { joinJavaInstance } from '../../../support/java-instance.js';

test('a server without instances is removed at the second reconciliation that finds it so', async () => {
  await using cluster = await TestCluster.start(['A'], { job: { reconcileIntervalMinutes: 10 } });
  const path = cluster.paths.server('10.0.0.7');
  await cluster.advance('9m');
  // As a Java peer does that is just starting.
  await cluster.operator.put(path, 'ENABLED');

  await cluster.advance('2m');
  expect(cluster.tree.has(path)).toBe(true);

  await cluster.advance('10m');
  expect(cluster.tree.has(path)).toBe(false);
});

test('a server without instances that an operator has disabled stays on record', async () => {
  await using cluster = await TestCluster.start(['A'], { job: { reconcileIntervalMinutes: 10 } });
  const path = cluster.paths.server('10.0.0.7');
  await cluster.operator.put(path, 'DISABLED');

  await cluster.advance('1h');

  expect(cluster.tree.get(path)).toBe('DISABLED');
});

test('what Java peers say of who is to run next is taken away, so that all go by the assignment', async () => {
  const job = { shardingTotalCount: 1, jobShardingStrategyType: 'SINGLE_SHARDING_BALANCE' };
  await using cluster = await TestCluster.start(['A', 'B'], { job });
  const path = cluster.paths.nextJobInstanceIp;

  await cluster.operator.put(path, '10.0.0.7');
  await cluster.settle();

  expect(cluster.tree.has(path)).toBe(false);
});

describe('the record of what an instance that is gone has begun', () => {
  test('is taken over although a firing begins meanwhile, and that firing stays on record', async () => {
    const strategy = {
      type: 'RELIABLE',
      isFailing: false,
      sharding(...args: Parameters<JobShardingStrategy['sharding']>): ReturnType<JobShardingStrategy['sharding']> {
        if (this.isFailing) throw new Error('no plan for these items');
        return averageAllocation.sharding(...args);
      },
    };
    let isSlow = false;
    await using cluster = await TestCluster.start(['A'], {
      job: { cron: '0/20 * * * * ?', shardingTotalCount: 1, jobShardingStrategyType: 'RELIABLE' },
      host: { strategies: [strategy] },
      deliver: (clock) => (delivery) => (isSlow ? void clock.after(5, delivery.arrive) : deliverSoon(delivery)),
    });
    const { paths } = cluster;
    await cluster.fire();
    strategy.isFailing = true;
    await cluster.join('B');
    cluster.kill('A');
    await cluster.operator.create(paths.trigger(cluster.idOf('A')), '');
    await cluster.advance('21s');
    cluster.forget();

    // Its item moves, and the firing that waited for that begins, in the same moment.
    [strategy.isFailing, isSlow] = [false, true];
    await cluster.advance('8s');
    isSlow = false;

    const instant = '00:00:40';
    expect(cluster.runs.map(({ at }) => at)).toEqual([instant]);
    const record = cluster.tree.get(paths.beginRecord(cluster.idOf('B')));
    expect(record).toBe(`${Date.parse(`2030-01-01T${instant}Z`)}: 0\nrewritten`);
    expect(cluster.tree.has(paths.beginRecord(cluster.idOf('A')))).toBe(false);
    expect(cluster.tree.has(paths.trigger(cluster.idOf('A')))).toBe(false);
  });
});

test('any number of records of instances that are gone is taken over, without the job parameters of their runs', async () => {
  await using cluster = await TestCluster.start(['A'], {
    job: { cron: '0 0 0 1 1 ?', shardingTotalCount: 600, reconcileIntervalMinutes: 10 },
    limits: { operations: 500, bytes: 200_000 },
  });
  const registry = cluster.server.namespace('elasticjob');
  const instant = Date.parse('2030-01-01T00:00:00Z');
  for (let item = 0; item < 600; item++) {
    const record = `${instant}: ${item}\nmanual "${'x'.repeat(1_000)}": ${item}`;
    registry.put('peer', cluster.paths.beginRecord(`10.0.0.9@-@${item}`), record);
  }

  await cluster.advance('11m');

  const own = cluster.paths.beginRecord(cluster.idOf('A'));
  const records = [...cluster.tree.keys()].filter((path) => path.startsWith(cluster.paths.beginRecord('')));
  expect(records).toEqual([own]);
  expect(cluster.tree.get(own)).toBe(`${instant}: 0-599\nmanual: 0-599\nrewritten`);
});

describe('reconcileIntervalMinutes', () => {
  /** Some time after the start of a job that is to be re-checked once a day, a server without instances appears. */
  async function withEmptyServer(): Promise<TestCluster & { readonly hasServer: () => boolean }> {
    const cluster = await TestCluster.start(['A'], { job: { cron: '0 0 0 1 1 ?', reconcileIntervalMinutes: 1440 } });
    await cluster.advance('20m');
    const path = cluster.paths.server('10.0.0.7');
    await cluster.operator.put(path, 'ENABLED');
    return Object.assign(cluster, { hasServer: () => cluster.tree.has(path) });
  }

  test('takes effect at once when it is reduced', async () => {
    await using cluster = await withEmptyServer();

    await cluster.reconfigure({ reconcileIntervalMinutes: 1 });
    await cluster.advance('2m');

    expect(cluster.hasServer()).toBe(false);
  });

  test('of 0 ends the re-checks at once', async () => {
    await using cluster = await withEmptyServer();
    await cluster.reconfigure({ reconcileIntervalMinutes: 1 });
    await cluster.advance('90s');

    await cluster.reconfigure({ reconcileIntervalMinutes: 0 });
    await cluster.advance('20m');

    expect(cluster.hasServer()).toBe(true);
  });

  test('that is increased again after 0 begins a whole interval', async () => {
    await using cluster = await withEmptyServer();
    await cluster.reconfigure({ reconcileIntervalMinutes: 0 });
    await cluster.advance('20m');

    await cluster.reconfigure({ reconcileIntervalMinutes: 10 });
    await cluster.advance('19m');
    expect(cluster.hasServer()).toBe(true);
    await cluster.advance('1m');

    expect(cluster.hasServer()).toBe(false);
  });
});

describe('the text TRIGGER in the node of an instance, as the manuals describe it,', () => {
  const ONE_OFF = { job: { cron: '', shardingTotalCount: 4 } };

  test('makes that instance run its items once, and is taken away', async () => {
    await using cluster = await TestCluster.start(['A', 'B'], ONE_OFF);
    const path = cluster.paths.instance(cluster.idOf('A'));
    const before = cluster.tree.get(path);
    const own = cluster.owners['A'];

    await cluster.operator.put(path, 'TRIGGER');
    await cluster.advance('1m');

    expect(cluster.ran).toEqual({ A: own });
    expect(cluster.runs.map(({ cause }) => cause)).toEqual(['manual', 'manual']);
    expect(cluster.tree.get(path)).toBe(before);
    expect([...cluster.tree.keys()].filter((each) => each.startsWith(`${cluster.paths.triggers}/`))).toEqual([]);
    expect(cluster.member('A').log.join('\n')).toContain(`was triggered by the text TRIGGER in /elasticjob${path}`);
  });

  test('makes each instance run that has it, as the console of 3.0.0-RC1 triggers a job', async () => {
    await using cluster = await TestCluster.start(['A', 'B'], ONE_OFF);
    const { owners } = cluster;

    for (const name of ['A', 'B']) void cluster.operator.put(cluster.paths.instance(cluster.idOf(name)), 'TRIGGER');
    await cluster.advance('1m');

    expect(cluster.ran).toEqual(owners);
  });

  test('triggers once for each text, although others come while it is taken away', async () => {
    await using cluster = await TestCluster.start(['A'], ONE_OFF);
    const path = cluster.paths.instance(cluster.idOf('A'));

    cluster.freeze('A');
    for (let time = 0; time < 3; time++) await cluster.operator.put(path, 'TRIGGER');
    await cluster.thaw('A');
    await cluster.advance('1m');
    expect(cluster.ran).toEqual({ A: [0, 1, 2, 3] });

    await cluster.operator.put(path, 'TRIGGER');
    await cluster.advance('1m');
    expect(cluster.ran).toEqual({ A: [0, 0, 1, 1, 2, 2, 3, 3] });
  });

  test('and a trigger that waits are one, for all items', async () => {
    await using cluster = await TestCluster.start(['A'], ONE_OFF);
    const { paths, operator } = cluster;

    cluster.freeze('A');
    await operator.create(paths.trigger(cluster.idOf('A')), '{"items":"2"}');
    await operator.put(paths.instance(cluster.idOf('A')), 'TRIGGER');
    await cluster.thaw('A');
    await cluster.advance('1m');

    expect(cluster.ran).toEqual({ A: [0, 1, 2, 3] });
  });

  test('and a trigger of an item that waits are one, though another instance owns the item by then', async () => {
    await using cluster = await TestCluster.start(['A', 'B'], ONE_OFF);
    const { paths, operator } = cluster;
    const [item] = cluster.owners['A']!;

    cluster.freeze('A');
    await operator.create(paths.trigger(cluster.idOf('A')), `{"items":"${item}"}`);
    await operator.put(paths.instance(cluster.idOf('A')), 'TRIGGER');
    await cluster.disable('A');
    await cluster.thaw('A');
    await cluster.advance('1m');

    expect(cluster.ran).toEqual({ B: [item] });
  });

  test.each(['not-applied', 'applied'] as const)(
    'triggers once if the answer to its removal is lost (%s)',
    async (outcome) => {
      await using cluster = await TestCluster.start(['A'], ONE_OFF);

      cluster.member('A').registry.faults.loseNextWrite(outcome);
      await cluster.operator.put(cluster.paths.instance(cluster.idOf('A')), 'TRIGGER');
      await cluster.advance('1m');

      expect(cluster.ran).toEqual({ A: [0, 1, 2, 3] });
    },
  );

  test('makes an item run that moves to another instance while it waits for its turn', async () => {
    const end = new Deferred();
    await using cluster = await TestCluster.start(['A'], {
      ...ONE_OFF,
      work: () => (cluster.runs.length <= 4 ? end.promise : undefined),
    });
    await cluster.trigger();

    await cluster.operator.put(cluster.paths.instance(cluster.idOf('A')), 'TRIGGER');
    await cluster.advance('1s');
    await cluster.join('B');
    end.resolve();
    await cluster.advance('1m');

    expect(cluster.owners['B']).toHaveLength(2);
    expect(cluster.runs.map(({ item }) => item).sort()).toEqual([0, 0, 1, 1, 2, 2, 3, 3]);
    expect(cluster.runs.filter(({ instance }) => instance === 'B')).toHaveLength(2);
  });

  test('and a trigger with a job parameter that waits are one, with that parameter', async () => {
    await using cluster = await TestCluster.start(['A'], ONE_OFF);
    const { paths, operator } = cluster;

    cluster.freeze('A');
    await operator.create(paths.trigger(cluster.idOf('A')), '{"jobParameter":"only Beijing","items":"2"}');
    await operator.put(paths.instance(cluster.idOf('A')), 'TRIGGER');
    await cluster.thaw('A');
    await cluster.advance('1m');

    expect(cluster.ran).toEqual({ A: [0, 1, 2, 3] });
    expect(new Set(cluster.runs.map(({ context }) => context.jobParameter))).toEqual(new Set(['only Beijing']));
  });

  test('runs what the instance owns when it comes beside a Java instance too', async () => {
    await using cluster = await TestCluster.start(['A'], ONE_OFF);
    await joinJavaInstance(cluster, 'J');
    await cluster.advance('30s');
    const own = cluster.owners['A'];

    await cluster.operator.put(cluster.paths.instance(cluster.idOf('A')), 'TRIGGER');
    await cluster.advance('30s');

    expect(cluster.ran).toEqual({ A: own });
  });
});

describe('an instance whose node was overwritten', () => {
  test.each(['nonsense', ''])('repairs it (%p), keeps its items, and logs it once', async (text) => {
    await using cluster = await TestCluster.start(['A', 'B'], { job: { shardingTotalCount: 4 } });
    const path = cluster.paths.instance(cluster.idOf('A'));
    const { [path]: before } = Object.fromEntries(cluster.tree);
    const { owners } = cluster;

    await cluster.operator.put(path, text);
    await cluster.fire();

    expect(cluster.tree.get(path)).toBe(before);
    expect(cluster.ran).toEqual(owners);
    const told = cluster.member('A').log.filter((line) => line.includes('was overwritten with'));
    expect(told).toEqual([
      expect.stringContaining(`${JSON.stringify(text)}, so that it got no items; it is repaired.`),
    ]);
  });

  test('is not brought back if the operator removes the node instead', async () => {
    await using cluster = await TestCluster.start(['A', 'B']);
    const path = cluster.paths.instance(cluster.idOf('A'));

    void cluster.operator.put(path, 'TRIGGER');
    void cluster.operator.remove(path);
    await cluster.advance('10s');

    expect(cluster.tree.has(path)).toBe(false);
    expect(cluster.owners).toEqual({ B: [0, 1] });
  });
});

test('an instance restores the node of its server, its sign of life and its record, and blames no console', async () => {
  await using cluster = await TestCluster.start(['A']);
  const { operator, paths } = cluster;
  const id = cluster.idOf('A');
  const nodes = [paths.server(cluster.ipOf('A')), paths.live(id), paths.beginRecord(id)];
  for (const path of nodes) await operator.remove(path);

  await cluster.advance('1s');

  expect(nodes.filter((path) => !cluster.tree.has(path))).toEqual([]);
  expect(cluster.log.filter((line) => line.includes('overwritten'))).toEqual([]);
});
