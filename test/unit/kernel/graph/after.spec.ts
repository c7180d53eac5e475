/** Jobs that run after others, on a cluster. */
import { describe, expect, test } from '@jest/globals';
import { GraphCluster, type GraphJob } from '../../../support/graph-cluster.js';

const after = (jobName: string, names: string, more: Readonly<Record<string, string>> = {}): GraphJob => ({
  jobName,
  props: { 'graph.after': names, ...more },
});
const A: GraphJob = { jobName: 'A', cron: '0/5 * * * * ?' };
const B = after('B', 'A');

const bothItems = (...instants: readonly string[]): readonly string[] =>
  [0, 1].flatMap((item) => instants.map((instant) => `${item} ${instant}`));

describe('a job after another', () => {
  test('runs for the same instant, once all items of the other have ended', async () => {
    await using cluster = await GraphCluster.start(['X'], [A, B]);
    cluster.hold('A 1');

    await cluster.advance(5_000);
    expect(cluster.ran('A')).toEqual(bothItems('00:00:05'));
    expect(cluster.ran('B')).toEqual([]);

    await cluster.release('A 1');
    expect(cluster.ran('B')).toEqual(bothItems('00:00:05'));
    expect(cluster.runs.filter(({ job }) => job === 'B').map(({ cause }) => cause)).toEqual([
      'dependency',
      'dependency',
    ]);
    expect(cluster.rounds('A')).toEqual(['00:00:05 succeeded']);
    expect(cluster.rounds('B')).toEqual(['00:00:05 succeeded']);
  });

  test('runs for each instant once, on several instances', async () => {
    await using cluster = await GraphCluster.start(['X', 'Y', 'Z'], [A, B, after('C', 'B')]);

    for (let firing = 0; firing < 4; firing++) await cluster.advance(5_000);

    for (const job of ['A', 'B', 'C'])
      expect(cluster.ran(job)).toEqual(bothItems('00:00:05', '00:00:10', '00:00:15', '00:00:20'));
  });

  test('leaves a job that belongs to no graph as it is', async () => {
    await using cluster = await GraphCluster.start(['X', 'Y'], [A]);

    await cluster.advance(10_000);

    expect(cluster.graphNodes('A')).toEqual({});
  });
});
