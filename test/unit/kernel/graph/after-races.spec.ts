/** Jobs that run after others: what happens between the moments at which other tests look. */
import { describe, expect, test } from '@jest/globals';
import { GraphCluster, type GraphJob } from '../../../support/graph-cluster.js';

const A: GraphJob = { jobName: 'A', cron: '0/30 * * * * ?' };
const B: GraphJob = { jobName: 'B', props: { 'graph.after': 'A' } };
const bothItems = (...instants: readonly string[]): readonly string[] =>
  [0, 1].flatMap((item) => instants.map((instant) => `${item} 00:${instant}`));

describe('a new successor', () => {
  test('is not due for rounds that are on record because of another one', async () => {
    await using cluster = await GraphCluster.start(['X'], [A, { ...B, jobName: 'other' }]);
    await cluster.advance(30_000);
    expect(cluster.rounds('A')).toEqual(['00:00:30 succeeded']);

    await cluster.join('Y', [B]);
    await cluster.advance(30_000);

    expect(cluster.ran('B')).toEqual(bothItems('01:00'));
  });

  test('is not due for a round that has begun, of which not all ends are on record', async () => {
    await using cluster = await GraphCluster.start(['X'], [A]);
    cluster.hold('A 1');
    await cluster.advance(30_000);

    await cluster.join('Y', [{ ...B, props: { ...B.props, 'graph.afterItems': 'same' } }]);
    await cluster.release('A 1');
    expect(cluster.ran('B')).toEqual([]);

    await cluster.advance(30_000);
    expect(cluster.ran('B')).toEqual(bothItems('01:00'));
  });
});

describe('a run that was about to begin', () => {
  test('leaves out an item that still runs elsewhere, which runs for the same instant as soon as it is free', async () => {
    await using cluster = await GraphCluster.start(['X'], [A]);
    await cluster.join('Y', [B]);
    cluster.whenStaged('Y', 'B', () => cluster.markRunning('B', 0, 'X'));

    await cluster.advance(31_000);
    expect(cluster.ran('B')).toEqual(['1 00:00:30']);

    await cluster.unmark('B', 0);
    await cluster.advance(1_000);
    expect(cluster.ran('B')).toEqual(bothItems('00:30'));
  });

  test('begins when the registry centre answers again, as what it is', async () => {
    await using cluster = await GraphCluster.start(['X'], [A]);
    const { registry } = await cluster.join('Y', [{ ...B, maxTimeDiffSeconds: 60 }]);
    // Before it chooses items, the run asks the registry centre for the time.
    cluster.whenStaged('Y', 'B', () => registry.faults.disconnect());

    await cluster.advance(32_000);
    expect(cluster.ran('B')).toEqual([]);
    expect(cluster.log).toContainEqual(expect.stringContaining('a firing waits because'));
    registry.faults.resume();
    await cluster.advance(3_000);

    expect(
      cluster.runs.filter(({ job }) => job === 'B').map(({ item, at, cause }) => `${item} ${at} ${cause}`),
    ).toEqual(['0 00:00:30 dependency', '1 00:00:30 dependency']);
  });
});

describe('the records of ends', () => {
  test('of an instance that has left are kept until the round is complete', async () => {
    await using cluster = await GraphCluster.start(['X', 'Y'], [A, B]);
    cluster.hold('A 1');
    await cluster.advance(30_000);
    const [{ instance = '' } = {}] = cluster.runs.filter(({ item }) => item === 0);

    await cluster.leave(instance);
    await cluster.advance(9_000);
    expect(Object.keys(cluster.graphNodes('A')).filter((path) => path.includes('/ended/'))).toHaveLength(1);
    await cluster.release('A 1');

    expect(cluster.rounds('A')).toEqual(['00:00:30 succeeded']);
    expect(cluster.ran('A')).toEqual(bothItems('00:30'));
    expect(cluster.ran('B')).toEqual(bothItems('00:30'));
  });

  test('have the ends of complete rounds no more, except the last one of each item', async () => {
    await using cluster = await GraphCluster.start(['X'], [A, B]);

    await cluster.advance(150_000);

    const [record = ''] = [...cluster.view('A').graph.ends.values()];
    expect(record && [...record.ends.keys()].length).toBeLessThanOrEqual(2);
  });
});

describe.each([
  ['behind', -1_200_000],
  ['ahead', 1_200_000],
])('an instance whose clock is twenty minutes %s', (_, skewMs) => {
  test('runs each round once, at once, and new items from the next round on', async () => {
    await using cluster = await GraphCluster.start(['X'], [A]);
    cluster.skew('Y', skewMs);
    await cluster.join('Y', [B]);

    await cluster.advance(30_000);
    expect(cluster.ran('B')).toEqual(bothItems('00:30'));

    await cluster.reconfigure('B', { shardingTotalCount: 3 });
    await cluster.advance(30_000);
    expect(cluster.ran('B')).toEqual([...bothItems('00:30', '01:00'), '2 00:01:00'].sort());
    expect(cluster.rounds('B')).toEqual(['00:00:30 succeeded', '00:01:00 succeeded']);
  });
});
