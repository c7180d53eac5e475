import { expect, test } from '@jest/globals';
import { TestCluster } from '../../lib/testing/index.js';

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
