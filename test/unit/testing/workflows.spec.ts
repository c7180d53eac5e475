/**
 * The shapes of the workflows by which schedulers with graphs are introduced, built as jobs that run after others:
 * those of Airflow, DolphinScheduler, PowerJob and XXL-JOB. Each test says what these jobs did.
 */
import { describe, expect, test } from '@jest/globals';
import { type OtherTestJob, TestCluster, type TestJob } from '../../../lib/testing/index.js';

const HOURLY = '0 0 * * * ?';
const one = { shardingTotalCount: 1, failover: true };
const root = (jobName: string, cron = HOURLY): TestJob => ({ jobName, cron, ...one });
const after = (upstream: string | readonly string[], jobName: string, settings: TestJob = {}): OtherTestJob => ({
  ...{ jobName, after: upstream, ...one },
  ...settings,
});

/** A cluster of two instances whose jobs of these names fail. */
function start(
  job: TestJob,
  otherJobs: readonly OtherTestJob[],
  failing: readonly string[] = [],
): Promise<TestCluster> {
  return TestCluster.start(['A', 'B'], {
    ...{ job, otherJobs },
    work: (_, { jobName }) => {
      if (failing.includes(jobName)) throw new Error(`${jobName} fails`);
    },
  });
}

/** The jobs that have run for the first full hour, in the order in which they began. */
async function order(cluster: TestCluster, names: readonly string[]): Promise<readonly string[]> {
  await cluster.advance('1h');
  await cluster.advance('5s');
  return names
    .flatMap((name) => cluster.runsOf(name).map((run) => ({ name, run })))
    .filter(({ run }) => run.at === '01:00:00')
    .sort((first, other) => first.run.startedMs - other.run.startedMs)
    .map(({ name }) => name);
}

describe('Airflow', () => {
  test('the first tutorial: one task, then two beside each other', async () => {
    await using cluster = await start(root('printDate'), [
      after('printDate', 'sleep'),
      after('printDate', 'templated'),
    ]);

    const [first, ...others] = await order(cluster, ['printDate', 'sleep', 'templated']);

    expect(first).toBe('printDate');
    expect([...others].sort()).toEqual(['sleep', 'templated']);
  });

  test('extract, transform, load: a failed step stops those after it, and a clean-up for all of them runs', async () => {
    const steps = [
      after('extract', 'transform'),
      after('transform', 'load'),
      after(['extract', 'transform', 'load'], 'cleanUp', { afterFailure: 'run' }),
    ];
    await using cluster = await start(root('extract'), steps, ['transform']);

    expect(await order(cluster, ['extract', 'transform', 'load', 'cleanUp'])).toEqual([
      'extract',
      'transform',
      'cleanUp',
    ]);
  });

  test('mapped tasks: each part goes on by itself, and one job sums up', async () => {
    const parts = { shardingTotalCount: 3 };
    await using cluster = await TestCluster.start(['A', 'B'], {
      job: { ...root('list'), ...parts },
      otherJobs: [after('list', 'addOne', { ...parts, afterItems: 'same' }), after('addOne', 'sum')],
      work: (_, { jobName, shardingItem }) => {
        if (jobName !== 'list' || shardingItem !== 2) return;
        return new Promise((resolve) => void cluster.clock.after(60_000, resolve));
      },
    });

    await cluster.advance('1h');
    await cluster.advance('1s');
    expect(
      cluster
        .runsOf('addOne')
        .map(({ item }) => item)
        .sort(),
    ).toEqual([0, 1]);
    expect(cluster.runsOf('sum')).toEqual([]);
    await cluster.advance('2m');

    expect(
      cluster
        .runsOf('addOne')
        .map(({ item }) => item)
        .sort(),
    ).toEqual([0, 1, 2]);
    expect(cluster.runsOf('sum').map(({ at }) => at)).toEqual(['01:00:00']);
  });
});

describe('DolphinScheduler', () => {
  test('the diamond: one node, two beside each other, and one after both', async () => {
    const nodes = [after('A', 'B'), after('A', 'C'), after(['B', 'C'], 'D')];
    await using cluster = await start(root('A'), nodes);

    const names = await order(cluster, ['A', 'B', 'C', 'D']);

    expect([names[0], names[3]]).toEqual(['A', 'D']);
  });

  test('a dependent node: a job of the day that counts what the hours did up to then', async () => {
    const day = root('day', '0 0 3 * * ?');
    const summary = after(['hour', 'day'], 'summary', { afterMatch: 'latest' });
    await using cluster = await start(root('hour'), [{ jobName: 'day', ...day }, summary]);

    await cluster.advance('12h');

    // If the day's round is the first one to complete, the job runs for the hour before as well.
    const ran = cluster.runsOf('summary').map(({ at }) => at);
    expect(ran.at(-1)).toBe('03:00:00');
    expect(ran.filter((at) => at < '02:00:00')).toEqual([]);
  });
});

describe('PowerJob', () => {
  test('a node that may fail: with `skip`, the nodes after its successor run all the same', async () => {
    const nodes = [after('start', 'optional', { afterFailure: 'skip' }), after('optional', 'finish')];
    await using cluster = await start(root('start'), nodes, ['start']);

    expect(await order(cluster, ['start', 'optional', 'finish'])).toEqual(['start', 'finish']);
    expect(cluster.roundsOf('optional').map(({ outcome }) => outcome)).toEqual(['skipped']);
  });

  test('a node that fails at first and is tried again lets the workflow go on', async () => {
    let attempts = 0;
    await using cluster = await TestCluster.start(['A'], {
      job: { ...root('start'), maxRetries: 2 },
      otherJobs: [after('start', 'finish')],
      work: (_, { jobName }) => {
        if (jobName === 'start' && ++attempts < 3) throw new Error('not yet');
      },
    });

    await cluster.advance('1h');
    await cluster.advance('5m');

    expect(attempts).toBe(3);
    expect(cluster.runsOf('finish').map(({ at }) => at)).toEqual(['01:00:00']);
  });
});

describe('XXL-JOB', () => {
  test('children: each of them runs when their parent has succeeded, and none when it has failed', async () => {
    const children = [after('parent', 'child1'), after('parent', 'child2'), after('child1', 'grandchild')];
    await using succeeding = await start(root('parent'), children);
    await using failing = await start(root('parent'), children, ['parent']);
    const names = ['parent', 'child1', 'child2', 'grandchild'];

    expect([...(await order(succeeding, names))].sort()).toEqual([...names].sort());
    expect(await order(failing, names)).toEqual(['parent']);
  });

  test('a sharded parent: the child runs once, when all shards have ended', async () => {
    await using cluster = await start({ ...root('parent'), shardingTotalCount: 6 }, [after('parent', 'child')]);

    await cluster.advance('1h');
    await cluster.advance('1s');

    expect(cluster.runsOf('parent')).toHaveLength(6);
    expect(cluster.runsOf('child').map(({ at }) => at)).toEqual(['01:00:00']);
  });
});

test('a day of twenty-four nights, in which instances come and go, has each round once', async () => {
  const jobs = [
    after('bill', 'post'),
    after('bill', 'sum', { shardingTotalCount: 3 }),
    after(['post', 'sum'], 'mail', { afterRounds: 'every' }),
  ];
  await using cluster = await start({ ...root('bill'), shardingTotalCount: 4 }, jobs);

  for (let hour = 1; hour <= 24; hour++) {
    const name = hour % 2 === 0 ? 'A' : 'B';
    cluster.kill(name);
    await cluster.fire();
    await cluster.join(name);
    await cluster.advance('10m');
  }

  const hours = Array.from({ length: 24 }, (_, index) => `${String((index + 1) % 24).padStart(2, '0')}:00:00`);
  for (const name of ['post', 'mail']) expect(cluster.runsOf(name).map(({ at }) => at)).toEqual(hours);
  expect(cluster.runsOf('sum')).toHaveLength(3 * 24);
  expect(cluster.roundsOf('mail').every(({ outcome }) => outcome === 'succeeded')).toBe(true);
});
