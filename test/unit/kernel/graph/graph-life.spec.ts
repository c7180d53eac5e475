/** The coming and going of jobs in a graph, and the time limit for its rounds. */
import { describe, expect, test } from '@jest/globals';
import { JobConfigurationAPI } from '../../../../lib/operations/job-configuration-api.js';
import { JobGraphAPI } from '../../../../lib/operations/job-graph-api.js';
import { GraphCluster, type GraphJob } from '../../../support/graph-cluster.js';

const after = (jobName: string, names: string, props: Readonly<Record<string, string>> = {}): GraphJob => ({
  jobName,
  props: { 'graph.after': names, ...props },
});
const A: GraphJob = { jobName: 'A', cron: '0/30 * * * * ?' };
const B = after('B', 'A');

describe('a job that runs after another one no more', () => {
  test('is no successor any more, and begins anew when it comes back', async () => {
    await using cluster = await GraphCluster.start(
      ['X'],
      [A, after('B', 'A,C'), { jobName: 'C', cron: '0/30 * * * * ?' }],
    );
    expect([...cluster.view('A').graph.successors.keys()]).toEqual(['B']);

    await cluster.reconfigure('B', { props: { 'graph.after': 'C' } });
    expect([...cluster.view('A').graph.successors.keys()]).toEqual([]);
    expect([...cluster.view('C').graph.successors.keys()]).toEqual(['B']);
    await cluster.advance(30_000);
    await cluster.reconfigure('B', { props: { 'graph.after': 'A,C' } });
    await cluster.advance(30_000);

    expect(cluster.ran('B')).toEqual(['0 00:00:30', '0 00:01:00', '1 00:00:30', '1 00:01:00']);
  });

  test('is found by the leader of the other one, if nobody has withdrawn it', async () => {
    await using cluster = await GraphCluster.start(['X'], [{ ...A, reconcileIntervalMinutes: 1 }]);
    await cluster.join('Y', [B]);
    cluster.kill('Y');
    await cluster.advance(10_000);
    await cluster.reconfigure('B', { props: {}, cron: '0 0 2 * * ?' });

    await cluster.advance(60_000);
    await cluster.advance(1_000);

    expect([...cluster.view('A').graph.successors.keys()]).toEqual([]);
  });

  test('because it was removed is no successor any more', async () => {
    await using cluster = await GraphCluster.start(['X'], [A, B]);
    const operator = await cluster.operator();

    const removal = new JobConfigurationAPI(operator, { clock: cluster.clock }).removeJobConfiguration('B', {
      living: true,
    });
    for (let wait = 0; wait < 10; wait++) await cluster.advance(1_000);
    await removal;

    expect([...cluster.view('A').graph.successors.keys()]).toEqual([]);
  });
});

test('a job added to a graph does not run for run keys from before', async () => {
  await using cluster = await GraphCluster.start(['X'], [A, B]);
  const graphs = new JobGraphAPI(await cluster.operator(), { clock: cluster.clock });
  await graphs.trigger('A');
  await cluster.advance(1_000);

  await cluster.reconfigure('B', { shardingTotalCount: 3 });
  await cluster.join('Y', [after('C', 'A')]);
  await cluster.advance(1_000);
  expect(cluster.ran('B')).toEqual(['0 00:00:00', '1 00:00:00']);
  expect(cluster.ran('C')).toEqual([]);

  await graphs.trigger('A');
  await cluster.advance(1_000);
  expect(cluster.ran('C')).toHaveLength(2);
  expect(cluster.ran('B').filter((run) => run.startsWith('2'))).toHaveLength(1);
});

describe('a round that takes longer than its graph allows', () => {
  const limited: GraphJob = { ...A, props: { 'graph.timeoutMilliseconds': '10000' } };

  test('is stopped, which is told until a round is in time again', async () => {
    await using cluster = await GraphCluster.start(
      ['X'],
      [limited, B, after('C', 'B', { 'graph.afterFailure': 'run' })],
    );
    cluster.hold('B 0');
    await cluster.advance(30_000);
    await cluster.advance(9_000);
    expect(cluster.log.filter((line) => line.includes('taken longer'))).toEqual([]);

    await cluster.advance(1_500);
    await cluster.advance(500);
    expect(cluster.log.filter((line) => line.includes('taken longer'))).toHaveLength(1);
    expect(cluster.health('X', 'A')).toMatchObject({
      state: 'impaired',
      reason: expect.stringMatching(/round .* is stopped/) as unknown,
    });
    await cluster.release('B 0');
    await cluster.advance(1_000);
    expect(cluster.ran('C')).toEqual([]);
    expect(cluster.rounds('C')).toEqual(['00:00:30 stopped']);

    await cluster.advance(18_000);
    await cluster.advance(11_000);
    expect(cluster.ran('C')).toEqual(['0 00:01:00', '1 00:01:00']);
    expect(cluster.health('X', 'A')).toMatchObject({ state: 'active' });
  });

  test('is stopped by the next leader, if the first one has died', async () => {
    await using cluster = await GraphCluster.start(['X', 'Y'], [limited, B, after('C', 'B')]);
    cluster.hold('B 0', 'B 1');
    await cluster.advance(30_000);
    await cluster.advance(1_000);
    cluster.kill('X');
    for (let wait = 0; wait < 8; wait++) await cluster.advance(2_000);

    expect([...cluster.view('C').graph.orders.overrides.values()]).toEqual(['stop']);
  });
});

test('an upstream job that no enabled instance runs is told', async () => {
  await using cluster = await GraphCluster.start(['X'], [A]);
  await cluster.join('Y', [B]);
  await cluster.leave('X');
  await cluster.advance(60_000);

  expect(cluster.health('Y', 'B')).toMatchObject({
    state: 'impaired',
    reason: expect.stringContaining("it waits for 'A', which no enabled instance runs") as unknown,
  });

  await cluster.join('Z', [A]);
  await cluster.advance(1_000);
  expect(cluster.health('Y', 'B')).toMatchObject({ state: 'active' });
});
