import { expect, test } from '@jest/globals';
import { TestCluster } from '../../../lib/testing/index.js';

test('what an instance was running when it died runs again on another one, for the same instant', async () => {
  await using cluster = await TestCluster.start(['A', 'B', 'C'], {
    job: { cron: '0 0 * * * ?', shardingTotalCount: 3, failover: true },
    work: (instance) => (instance === 'A' ? new Promise(() => undefined) : undefined),
  });
  expect(cluster.owners).toEqual({ C: [0], B: [1], A: [2] });

  await cluster.fire();
  cluster.kill('A');
  await cluster.advance('10s');

  const runs = cluster.runs.filter(({ item }) => item === 2);
  expect(runs.map(({ instance, at, outcome }) => `${instance} ${at} ${outcome}`)).toEqual([
    'A 01:00:00 lost',
    'B 01:00:00 completed',
  ]);
  expect(runs[1]!.context.fencingToken).toBeGreaterThan(runs[0]!.context.fencingToken);
});

test('the story of a failover tells the crash, the takeover and the run', async () => {
  await using cluster = await TestCluster.start(['A', 'B'], {
    job: { cron: '0 0 * * * ?', shardingTotalCount: 2, failover: true },
    work: (instance) => (instance === 'A' ? new Promise(() => undefined) : undefined),
  });
  await cluster.fire();
  cluster.forget();

  cluster.kill('A');
  await cluster.advance('10s');

  expect(cluster.story).toEqual([
    '01:00:00.000 A is killed',
    '01:00:00.000 A ends item 1 (01:00:00): lost',
    '01:00:06.000 A is gone, its session has ended',
    '01:00:06.000 item 1 is reported as crashed',
    '01:00:06.000 B took over item 1',
    '01:00:06.000 B leads',
    '01:00:06.000 B runs item 1 (01:00:00)',
    '01:00:06.000 B ends item 1 (01:00:00): completed',
    '01:00:06.000 items are assigned: 0,1 to B',
  ]);
});
