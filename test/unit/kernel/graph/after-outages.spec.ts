/** Jobs that run after others, on instances that lose their sessions. */
import { describe, expect, test } from '@jest/globals';
import { GraphCluster, type GraphJob } from '../../../support/graph-cluster.js';

const A: GraphJob = { jobName: 'A', cron: '0/30 * * * * ?' };
const B: GraphJob = { jobName: 'B', props: { 'graph.after': 'A', 'graph.afterFailure': 'run' } };

describe('an instance that loses its session while an item runs', () => {
  test('without failover writes down that the run has failed, if it was aborted', async () => {
    await using cluster = await GraphCluster.start(['X'], [{ ...A, failover: false }, B]);
    cluster.hold('A 0');
    await cluster.advance(30_000);

    cluster.member('X').registry.faults.expire();
    await cluster.advance(1_000);
    await cluster.release('A 0');
    await cluster.advance(3_000);

    expect(cluster.rounds('A')).toEqual(['00:00:30 failed 0']);
    expect(cluster.ran('B')).toEqual(['0 00:00:30', '1 00:00:30']);
  });

  test('with failover runs the item again, and the round is complete after that', async () => {
    await using cluster = await GraphCluster.start(['X'], [A, B]);
    cluster.hold('A 0');
    await cluster.advance(30_000);

    cluster.member('X').registry.faults.expire();
    await cluster.advance(1_000);
    expect(cluster.rounds('A')).toEqual([]);
    await cluster.release('A 0');
    await cluster.advance(20_000);

    expect(cluster.runs.filter(({ job, item }) => job === 'A' && item === 0)).toHaveLength(2);
    expect(cluster.rounds('A')).toEqual(['00:00:30 succeeded']);
  });

  test('and ends it while it has none: the next session has its end', async () => {
    await using cluster = await GraphCluster.start(['X'], [{ ...A, failover: false }, B]);
    cluster.hold('A 0');
    await cluster.advance(30_000);
    cluster.member('X').registry.faults.dropMessages();
    await cluster.advance(1_000);

    await cluster.release('A 0');
    await cluster.advance(8_000);
    cluster.member('X').registry.faults.resume();
    await cluster.advance(5_000);

    expect(cluster.rounds('A')).toEqual(['00:00:30 succeeded']);
    expect(cluster.ran('B')).toEqual(['0 00:00:30', '1 00:00:30']);
  });
});

describe('an instance that is killed as it comes back with a new session', () => {
  test('has written down the end of the run that ended meanwhile when it removes its mark', async () => {
    await using cluster = await GraphCluster.start(['X'], [A, B]);
    await cluster.join('Y', [{ jobName: 'other', cron: '0 0 0 1 1 ?' }]);
    cluster.hold('A 0');
    await cluster.advance(30_000);
    cluster.member('X').registry.faults.dropMessages();
    await cluster.advance(4_000);
    await cluster.release('A 0');
    await cluster.advance(4_000);
    cluster.killWhenUnmarked('X', 'A', 0);
    cluster.member('X').registry.faults.resume();
    await cluster.advance(5_000);
    expect(cluster.up).not.toContain('X');

    await cluster.join('Z', [A, B]);
    await cluster.advance(10_000);

    expect(cluster.rounds('A')).toEqual(['00:00:30 succeeded']);
    expect(cluster.ran('A')).toEqual(['0 00:00:30', '1 00:00:30']);
  });
});

describe('settings that change while an item runs', () => {
  test('keep its round open until it has ended, although it would not begin any more', async () => {
    const first: GraphJob = { jobName: 'first', cron: '0/30 * * * * ?', shardingTotalCount: 1 };
    const props = { 'graph.after': 'first', 'graph.afterFailure': 'run' };
    await using cluster = await GraphCluster.start(['X'], [first, { jobName: 'A', props }, B]);
    cluster.fail('first 0');
    cluster.hold('A 0');
    await cluster.advance(31_000);

    await cluster.reconfigure('A', { props: { ...props, 'graph.afterFailure': 'stop' } });
    await cluster.advance(1_000);
    expect(cluster.rounds('A')).toEqual([]);
    await cluster.release('A 0');
    await cluster.advance(1_000);

    expect(cluster.rounds('A')).toEqual(['00:00:30 succeeded']);
  });

  test('keep it open also if there is no such item any more', async () => {
    await using cluster = await GraphCluster.start(['X'], [A, B]);
    cluster.hold('A 1');
    await cluster.advance(31_000);

    await cluster.reconfigure('A', { shardingTotalCount: 1 });
    await cluster.advance(3_000);
    expect(cluster.rounds('A')).toEqual([]);
    await cluster.release('A 1');
    await cluster.advance(1_000);

    expect(cluster.rounds('A')).toEqual(['00:00:30 succeeded']);
    expect(cluster.ran('B')).toEqual(['0 00:00:30', '1 00:00:30']);
  });

  test('do not let items run for a round that was completed without them', async () => {
    const props = { 'graph.after': 'A', 'graph.afterItems': 'same' };
    await using cluster = await GraphCluster.start(['X'], [A, { jobName: 'B', props }]);
    cluster.fail('A 1');
    await cluster.advance(31_000);
    expect(cluster.rounds('B')).toEqual(['00:00:30 failed 1']);

    await cluster.reconfigure('B', { props: { ...props, 'graph.afterFailure': 'run' } });
    await cluster.advance(5_000);
    expect(cluster.ran('B')).toEqual(['0 00:00:30']);
    await cluster.advance(25_000);

    expect(cluster.ran('B')).toEqual(['0 00:00:30', '0 00:01:00', '1 00:01:00']);
  });
});

describe('an item that is kept from running by a failed one', () => {
  test('counts as stopped also if it has run for a later instant before the round is complete', async () => {
    const same: GraphJob = { jobName: 'B', props: { 'graph.after': 'A', 'graph.afterItems': 'same' } };
    await using cluster = await GraphCluster.start(['X'], [A, same]);
    cluster.fail('A 1');
    cluster.hold('B 0');
    await cluster.advance(31_000);
    cluster.mend();
    await cluster.advance(30_000);
    expect(cluster.ran('B')).toEqual(['0 00:00:30', '1 00:01:00']);

    await cluster.release('B 0');
    await cluster.advance(1_000);

    expect(cluster.rounds('B')).toEqual(['00:00:30 failed 1', '00:01:00 succeeded']);
  });
});

describe('a run that is lost without failover', () => {
  test('has failed also if its item runs for the next instant before anybody has noticed', async () => {
    await using cluster = await GraphCluster.start(['X', 'Y'], [{ ...A, failover: false }, B]);
    cluster.hold('A 0@X', 'A 1@X');
    await cluster.advance(60_000);
    const lost = cluster.runs.filter(({ job, at, instance }) => job === 'A' && at === '00:00:30' && instance === 'X');
    cluster.hold('A 0@Y', 'A 1@Y');

    cluster.kill('X');
    await cluster.advance(10_000);
    await cluster.release('A 0@Y', 'A 1@Y');
    await cluster.advance(1_000);

    expect(lost).toHaveLength(1);
    expect(cluster.rounds('A')).toEqual([`00:00:30 failed ${lost[0]?.item}`, '00:01:00 succeeded']);
  });
});
