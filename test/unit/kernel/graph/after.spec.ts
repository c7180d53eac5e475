/** Jobs that run after others, on a cluster. */
import { describe, expect, test } from '@jest/globals';
import { GraphCluster, type GraphJob, type GraphRun } from '../../../support/graph-cluster.js';

type Props = Readonly<Record<string, string>>;

const after = (jobName: string, names: string, props: Props = {}, more: Partial<GraphJob> = {}): GraphJob => ({
  jobName,
  props: { 'graph.after': names, ...props },
  ...more,
});
const A: GraphJob = { jobName: 'A', cron: '0/5 * * * * ?' };
const B = after('B', 'A');

const ofItems = (items: readonly number[], ...instants: readonly string[]): readonly string[] =>
  items.flatMap((item) => instants.map((instant) => `${item} 00:00:${instant}`)).sort();
const bothItems = (...instants: readonly string[]): readonly string[] => ofItems([0, 1], ...instants);

const runKey = ({ job, item, at }: GraphRun): string => `${job} ${item} ${at}`;

async function fire(cluster: GraphCluster, times = 1): Promise<void> {
  for (let firing = 0; firing < times; firing++) await cluster.advance(5_000);
}

describe('a job after another', () => {
  test('runs for the same instant, once all items of the other have ended', async () => {
    await using cluster = await GraphCluster.start(['X'], [A, B]);
    cluster.hold('A 1');

    await fire(cluster);
    expect(cluster.ran('A')).toEqual(bothItems('05'));
    expect(cluster.ran('B')).toEqual([]);

    await cluster.release('A 1');
    expect(cluster.ran('B')).toEqual(bothItems('05'));
    expect(cluster.runs.map(({ job, cause }) => `${job} ${cause}`).slice(2)).toEqual(['B dependency', 'B dependency']);
    expect(cluster.rounds('A')).toEqual(['00:00:05 succeeded']);
    expect(cluster.rounds('B')).toEqual(['00:00:05 succeeded']);
  });

  test('runs for each instant once, on several instances, and so do those after it', async () => {
    await using cluster = await GraphCluster.start(['X', 'Y', 'Z'], [A, B, after('C', 'B')]);

    await fire(cluster, 4);

    for (const job of ['A', 'B', 'C']) expect(cluster.ran(job)).toEqual(bothItems('05', '10', '15', '20'));
  });

  test('leaves a job that belongs to no graph as it is', async () => {
    await using cluster = await GraphCluster.start(['X', 'Y'], [A]);

    await fire(cluster, 2);

    expect(cluster.graphNodes('A')).toEqual({});
  });

  test('does not wait for an item that an operator has disabled', async () => {
    await using cluster = await GraphCluster.start(['X'], [A, B]);
    await cluster.disableItem('A', 1);

    await fire(cluster);

    expect(cluster.ran('A')).toEqual(['0 00:00:05']);
    expect(cluster.ran('B')).toEqual(bothItems('05'));
  });

  test('waits for retries', async () => {
    const retrying = { ...A, cron: '0 * * * * ?', maxRetries: 1, retryBackoffMilliseconds: 2_000 };
    await using cluster = await GraphCluster.start(['X'], [retrying, B]);
    cluster.fail('A 1');

    await cluster.advance(60_000);
    cluster.mend();
    expect(cluster.ran('B')).toEqual([]);

    await cluster.advance(3_000);
    expect(cluster.ran('B')).toEqual(['0 00:01:00', '1 00:01:00']);
  });

  test('is not due for rounds from before it was there', async () => {
    await using cluster = await GraphCluster.start(['X'], [A]);
    await fire(cluster);

    await cluster.join('Y', [A, B]);
    await fire(cluster);

    expect(cluster.ran('B')).toEqual(bothItems('10'));
  });

  test('runs when it comes back for a round that was complete while no instance of it was up', async () => {
    await using cluster = await GraphCluster.start(['X'], [A]);
    await cluster.join('Y', [B]);
    await cluster.leave('Y');
    await fire(cluster);

    await cluster.join('Y', [B]);

    expect(cluster.ran('B')).toEqual(bothItems('05'));
  });

  test('starts before the job that it runs after', async () => {
    await using cluster = await GraphCluster.start(['X'], [B]);
    await fire(cluster);

    await cluster.join('Y', [A]);
    await fire(cluster, 2);

    expect(cluster.ran('B')).toEqual(bothItems('10', '15'));
  });

  test('has more items from now on: they run from the next round on', async () => {
    await using cluster = await GraphCluster.start(['X'], [A, B]);
    await fire(cluster);

    await cluster.reconfigure('B', { shardingTotalCount: 3 });
    await fire(cluster);

    expect(cluster.ran('B')).toEqual([...bothItems('05', '10'), '2 00:00:10'].sort());
  });

  test('runs in time if the other is given more items during a round', async () => {
    await using cluster = await GraphCluster.start(['X'], [{ ...A, cron: '0/30 * * * * ?' }, B]);
    cluster.hold('A 1');
    await cluster.advance(30_000);

    await cluster.reconfigure('A', { shardingTotalCount: 3 });
    await cluster.release('A 1');
    await fire(cluster);

    expect(cluster.ran('B')).toEqual(bothItems('30'));
  });
});

describe('several upstream jobs', () => {
  test('are waited for, each for the same instant, in a diamond', async () => {
    await using cluster = await GraphCluster.start(['X', 'Y'], [A, B, after('C', 'A'), after('D', 'B, C')]);
    cluster.hold('C 0');

    await fire(cluster);
    expect(cluster.ran('B')).toEqual(bothItems('05'));
    expect(cluster.ran('D')).toEqual([]);

    await cluster.release('C 0');
    expect(cluster.ran('D')).toEqual(bothItems('05'));
  });

  test('that fire at different instants make the job run for those that they share', async () => {
    const slow = { jobName: 'S', cron: '0/10 * * * * ?' };
    await using cluster = await GraphCluster.start(['X'], [A, slow, after('B', 'A,S')]);

    await fire(cluster, 4);

    expect(cluster.ran('B')).toEqual(bothItems('10', '20'));
  });

  test('with afterMatch latest make it run for each instant up to which all of them have completed', async () => {
    const odd = { jobName: 'S', cron: '7/10 * * * * ?' };
    await using cluster = await GraphCluster.start(
      ['X'],
      [A, odd, after('B', 'A,S', { 'graph.afterMatch': 'latest' })],
    );

    await cluster.advance(21_000);

    expect(cluster.ran('B')).toEqual(bothItems('05', '07', '15', '17'));
  });
});

describe('item by item', () => {
  const same = after('B', 'A', { 'graph.afterItems': 'same' });

  test('an item runs when the upstream item of its number has ended', async () => {
    await using cluster = await GraphCluster.start(['X', 'Y'], [A, same]);
    cluster.hold('A 1');

    await fire(cluster);
    expect(cluster.ran('B')).toEqual(ofItems([0], '05'));

    await cluster.release('A 1');
    expect(cluster.ran('B')).toEqual(bothItems('05'));
    expect(cluster.rounds('B')).toEqual(['00:00:05 succeeded']);
  });

  test('only the item after a failed one is stopped', async () => {
    await using cluster = await GraphCluster.start(['X'], [A, same]);
    cluster.fail('A 1');

    await fire(cluster);

    expect(cluster.ran('B')).toEqual(ofItems([0], '05'));
    expect(cluster.rounds('B')).toEqual(['00:00:05 failed 1']);
  });
});

describe('after a failed round', () => {
  const failing = async (failure: string): Promise<GraphCluster> => {
    const follower = after('B', 'A', { 'graph.afterFailure': failure });
    const cluster = await GraphCluster.start(['X', 'Y'], [A, follower, after('C', 'B')]);
    cluster.fail('A 0');
    await fire(cluster);
    cluster.mend();
    await fire(cluster);
    return cluster;
  };

  test('stop: nothing runs, and the next good round does', async () => {
    await using cluster = await failing('stop');

    expect(cluster.ran('B')).toEqual(bothItems('10'));
    expect(cluster.ran('C')).toEqual(bothItems('10'));
    expect(cluster.rounds('A')).toEqual(['00:00:05 failed 0', '00:00:10 succeeded']);
    expect(cluster.rounds('B')).toEqual(['00:00:05 stopped', '00:00:10 succeeded']);
    expect(cluster.rounds('C')).toEqual(['00:00:05 stopped', '00:00:10 succeeded']);
  });

  test('run: the job runs all the same', async () => {
    await using cluster = await failing('run');

    expect(cluster.ran('B')).toEqual(bothItems('05', '10'));
    expect(cluster.ran('C')).toEqual(bothItems('05', '10'));
  });

  test('skip: the job does not run, and those after it do', async () => {
    await using cluster = await failing('skip');

    expect(cluster.ran('B')).toEqual(bothItems('10'));
    expect(cluster.ran('C')).toEqual(bothItems('05', '10'));
    expect(cluster.rounds('B')).toEqual(['00:00:05 skipped', '00:00:10 succeeded']);
  });
});

describe('rounds that come while the job is busy', () => {
  const busy = async (rounds: string): Promise<GraphCluster> => {
    const cluster = await GraphCluster.start(['X'], [A, after('B', 'A', { 'graph.afterRounds': rounds })]);
    cluster.hold('B 0');
    await fire(cluster, 4);
    await cluster.release('B 0');
    await cluster.advance(500);
    return cluster;
  };

  test('are made up for by one run for the latest', async () => {
    await using cluster = await busy('latest');

    expect(cluster.ran('B')).toEqual([...ofItems([0], '05', '20'), ...ofItems([1], '05', '10', '15', '20')]);
    expect(cluster.rounds('B')).toEqual(['00:00:05 succeeded', '00:00:20 succeeded']);
  });

  test('are run one by one with afterRounds every', async () => {
    await using cluster = await busy('every');

    expect(cluster.ran('B')).toEqual(bothItems('05', '10', '15', '20'));
    expect(cluster.rounds('B')).toEqual(['05', '10', '15', '20'].map((instant) => `00:00:${instant} succeeded`));
  });
});

test('rounds beyond the hundred that are on record are lost with afterRounds every, which is told until that is over', async () => {
  const every = after('B', 'A', { 'graph.afterRounds': 'every' });
  await using cluster = await GraphCluster.start(['X'], [{ ...A, cron: '* * * * * ?' }, every]);
  const health = (): unknown => cluster.member('X').host.jobs.get('B')?.health;
  await cluster.advance(1_000);
  cluster.hold('B 0');

  await cluster.advance(101_000);
  expect(health()).toEqual({ state: 'active' });

  await cluster.advance(3_000);
  expect(health()).toMatchObject({ state: 'impaired', reason: expect.stringContaining('items 0 never run') });

  await cluster.release('B 0');
  await cluster.advance(1_000);
  expect(health()).toEqual({ state: 'active' });
  expect(cluster.ran('B').filter((run) => run.startsWith('0 '))).toHaveLength(103);
});

describe('an upstream instance that dies', () => {
  const rare = { ...A, cron: '0/30 * * * * ?' };

  test('holds the round open until its item was taken over', async () => {
    await using cluster = await GraphCluster.start(['X', 'Y'], [rare, B]);
    cluster.hold('A 0', 'A 1@X', 'A 1@Y');
    await cluster.advance(30_000);
    const [{ instance = '' } = {}] = cluster.runs.filter(({ item }) => item === 0);
    const other = instance === 'X' ? 'Y' : 'X';
    await cluster.release(`A 1@${other}`);

    cluster.kill(instance);
    await cluster.advance(9_000);
    expect(cluster.runs.filter(({ cause }) => cause === 'failover')).toHaveLength(1);
    expect(cluster.ran('B')).toEqual([]);

    await cluster.release('A 0');
    await cluster.advance(1_000);
    expect(cluster.ran('B')).toEqual(['0 00:00:30', '1 00:00:30']);
    expect(cluster.rounds('A')).toEqual(['00:00:30 succeeded']);
  });

  test('without failover makes the round fail', async () => {
    await using cluster = await GraphCluster.start(
      ['X', 'Y'],
      [{ ...rare, failover: false }, after('B', 'A', { 'graph.afterFailure': 'run' })],
    );
    cluster.hold('A 0');
    await cluster.advance(30_000);
    const [{ instance = '' } = {}] = cluster.runs.filter(({ item }) => item === 0);

    cluster.kill(instance);
    await cluster.advance(9_000);

    expect(cluster.rounds('A')).toEqual(['00:00:30 failed 0']);
    expect(cluster.ran('B')).toEqual(['0 00:00:30', '1 00:00:30']);
  });

  test.each(['applied', 'not-applied'] as const)(
    'at any of its writes (%s) loses no round and doubles none',
    async (outcome) => {
      let write = 1;
      for (; ; write++) {
        await using cluster = await GraphCluster.start(['X', 'Y'], [rare, B, after('C', 'B')]);
        await cluster.advance(59_999);
        cluster.killAtWrite('X', write, outcome);
        await cluster.advance(1);
        await cluster.advance(29_000);
        const isOver = cluster.up.includes('X');
        const done = (job: string): readonly string[] =>
          cluster.runs
            .filter((run) => run.job === job && run.outcome === 'succeeded' && run.at === '00:01:00')
            .map(({ item }) => String(item))
            .sort();
        // A run of an instance that was killed ends in this process, although its end is not on record.
        expect({ write, A: [...new Set(done('A'))], B: [...new Set(done('B'))], C: [...new Set(done('C'))] }).toEqual({
          ...{ write, A: ['0', '1'], B: ['0', '1'], C: ['0', '1'] },
        });
        expect({ write, rounds: ['A', 'B', 'C'].map((job) => cluster.rounds(job)[1]) }).toEqual({
          ...{ write, rounds: Array.from({ length: 3 }, () => '00:01:00 succeeded') },
        });
        const begun = cluster.runs.filter(({ cause }) => cause !== 'failover').map(runKey);
        expect({ write, doubled: begun.filter((each, index) => begun.indexOf(each) < index) }).toEqual({
          ...{ write, doubled: [] },
        });
        const takenOver = cluster.runs.filter(({ cause }) => cause === 'failover').map(runKey);
        expect({ write, takenOver: takenOver.length }).toEqual({ write, takenOver: new Set(takenOver).size });
        if (isOver) break;
      }
      expect(write).toBeGreaterThan(5);
    },
  );
});
