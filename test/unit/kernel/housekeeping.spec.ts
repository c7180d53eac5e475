import { describe, expect, test } from '@jest/globals';
import { TestCluster } from '../../../lib/testing/index.js';

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

describe('an instance whose node an old console has overwritten to trigger it', () => {
  test.each(['TRIGGER', ''])('repairs it (%p), keeps its items, and the log names the cure once', async (text) => {
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
    expect(told[0]).toContain('Consoles of ElasticJob 2 do that to trigger an instance: use one of version 3.');
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
