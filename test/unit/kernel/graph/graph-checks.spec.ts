/** Jobs that cannot run after others, on a cluster. */
import { describe, expect, test } from '@jest/globals';
import { GraphCluster, type GraphJob } from '../../../support/graph-cluster.js';

const after = (jobName: string, names: string, more: Partial<GraphJob> = {}): GraphJob => ({
  jobName,
  props: { 'graph.after': names },
  ...more,
});
const A: GraphJob = { jobName: 'A', cron: '0/5 * * * * ?' };

async function refusal(cluster: GraphCluster, ...jobs: readonly GraphJob[]): Promise<string> {
  try {
    const { started } = await cluster.join('X', jobs);
    await started;
    return 'started';
  } catch (error) {
    return String(error);
  }
}

describe('a start is refused', () => {
  test('if the job runs after itself', async () => {
    await using cluster = new GraphCluster();

    expect(await refusal(cluster, after('B', 'B'))).toContain('B after B');
  });

  test('if jobs run in a circle, with the way', async () => {
    await using cluster = await GraphCluster.start(['Y'], [after('B', 'C'), after('C', 'D')]);

    expect(await refusal(cluster, after('D', 'B'))).toContain('D after B after C after D');
  });

  test('if an upstream job does not write down what it runs', async () => {
    await using cluster = await GraphCluster.start(['Y'], [{ ...A, monitorExecution: false, failover: false }]);

    expect(await refusal(cluster, after('B', 'A'))).toContain("job 'A' has monitorExecution: false");
  });

  test('if items are to follow those of their number, and their numbers differ', async () => {
    await using cluster = await GraphCluster.start(['Y'], [A]);
    const props = { 'graph.after': 'A', 'graph.afterItems': 'same' };

    expect(await refusal(cluster, after('B', 'A', { shardingTotalCount: 3, props }))).toContain(
      "it has 3 items and 'A' has 2",
    );
  });

  test('if a setting is none of those that there are', async () => {
    await using cluster = new GraphCluster();
    const props = { 'graph.after': 'A', 'graph.afterFailure': 'ignore' };

    expect(await refusal(cluster, after('B', 'A', { props }))).toContain(
      'props[\'graph.afterFailure\']: must be one of stop, run, skip, got "ignore"',
    );
  });
});

test('an upstream job that is not there is told with the nearest name, and its coming ends that', async () => {
  await using cluster = await GraphCluster.start(['Y'], [{ ...A, jobName: 'imports' }]);
  const { host } = await cluster.join('X', [after('B', 'import')]);
  await cluster.advance(6_000);

  expect(host.jobs.get('B')?.health).toMatchObject({
    state: 'blocked',
    reason: expect.stringContaining("there is no such job; did you mean 'imports'?"),
  });

  await cluster.join('Z', [{ ...A, jobName: 'import' }]);
  await cluster.advance(5_000);

  expect(host.jobs.get('B')?.health).toEqual({ state: 'active' });
  expect(cluster.ran('B')).toHaveLength(2);
});

test('a circle that two deployments make at once is told, and no job runs twice', async () => {
  await using cluster = await GraphCluster.start(['X'], [after('B', 'A'), A]);
  await cluster.advance(5_000);

  await cluster.reconfigure('A', { cron: '', props: { 'graph.after': 'B' } });
  await cluster.advance(60_000);

  const { host } = cluster.member('X');
  expect(host.jobs.get('A')?.health).toMatchObject({ reason: expect.stringContaining('A after B after A') });
  expect(host.jobs.get('B')?.health).toMatchObject({ reason: expect.stringContaining('B after A after B') });
  expect(cluster.ran('B')).toEqual(['0 00:00:05', '1 00:00:05']);
  expect(cluster.ran('A')).toEqual(['0 00:00:05', '1 00:00:05']);
});
