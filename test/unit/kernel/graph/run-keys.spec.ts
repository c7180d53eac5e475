/** Rounds that operators ask for: a trigger of a graph, a round that is run again, skipped or stopped, and pauses. */
import { describe, expect, test } from '@jest/globals';
import { type GraphRound } from '../../../../lib/graphs/graph-round.js';
import { JobGraphAPI } from '../../../../lib/operations/job-graph-api.js';
import { JobOperateAPI } from '../../../../lib/operations/job-operate-api.js';
import { GraphCluster, type GraphJob } from '../../../support/graph-cluster.js';

const after = (jobName: string, names: string, props: Readonly<Record<string, string>> = {}): GraphJob => ({
  jobName,
  props: { 'graph.after': names, ...props },
});
const A: GraphJob = { jobName: 'A', cron: '0/30 * * * * ?' };
const DIAMOND = [A, after('B', 'A'), after('C', 'A'), after('D', 'B,C')];

async function graphsOn(cluster: GraphCluster): Promise<JobGraphAPI> {
  return new JobGraphAPI(await cluster.operator(), { clock: cluster.clock, operator: 'anna' });
}

const statesIn = ({ nodes }: GraphRound): string => nodes.map(({ jobName, state }) => `${jobName} ${state}`).join(', ');

describe('a trigger of a graph', () => {
  test('runs all of it once, for a round of its own, and the schedule goes on', async () => {
    await using cluster = await GraphCluster.start(['X', 'Y'], DIAMOND);
    await cluster.advance(10_000);

    const { instant } = await (await graphsOn(cluster)).trigger('A');
    await cluster.advance(1_000);
    await cluster.advance(19_000);

    for (const job of ['A', 'B', 'C', 'D'])
      expect(cluster.ran(job)).toEqual(['0 00:00:10', '0 00:00:30', '1 00:00:10', '1 00:00:30']);
    expect(instant.getMilliseconds()).not.toBe(0);
    expect(cluster.rounds('D')).toEqual(['00:00:10 succeeded', '00:00:30 succeeded']);
  });

  test('starts a graph whose root has no schedule', async () => {
    await using cluster = await GraphCluster.start(['X'], [{ jobName: 'A' }, after('B', 'A')]);

    await (await graphsOn(cluster)).trigger('A');
    await cluster.advance(1_000);

    expect(cluster.ran('A')).toEqual(['0 00:00:00', '1 00:00:00']);
    expect(cluster.ran('B')).toEqual(['0 00:00:00', '1 00:00:00']);
  });

  test('is run for each trigger, also by a successor that is busy and makes up for rounds of the schedule', async () => {
    await using cluster = await GraphCluster.start(['X'], [A, after('B', 'A')]);
    const graphs = await graphsOn(cluster);
    cluster.hold('B 0');
    await cluster.advance(30_000);
    for (let round = 0; round < 2; round++) {
      await graphs.trigger('A');
      await cluster.advance(30_000);
    }

    await cluster.release('B 0');
    for (let wait = 0; wait < 5; wait++) await cluster.advance(200);

    expect(cluster.ran('B').filter((run) => run.startsWith('0'))).toEqual([
      '0 00:00:30',
      '0 00:00:30',
      '0 00:01:00',
      '0 00:01:30',
    ]);
  });

  test('is what a trigger of its root does, unless it is for the job alone', async () => {
    await using cluster = await GraphCluster.start(['X'], [A, after('B', 'A')]);
    const jobs = new JobOperateAPI(await cluster.operator(), { clock: cluster.clock });

    const triggered = await jobs.trigger('A');
    await cluster.advance(1_000);
    await triggered.ended({ timeoutMs: 1_000 });
    expect(triggered.instances).toMatchObject([{ answer: 'taken', willRun: true }]);
    expect(cluster.rounds('A')).toEqual(['00:00:00 succeeded']);

    await jobs.trigger('A', { only: true, acceptTimeoutMs: 0 });
    await cluster.advance(1_000);
    await jobs.trigger('B', { acceptTimeoutMs: 0 });
    await cluster.advance(1_000);
    expect(cluster.ran('A')).toEqual(['0 00:00:00', '0 manual', '1 00:00:00', '1 manual']);
    expect(cluster.ran('B')).toEqual(['0 00:00:00', '0 manual', '1 00:00:00', '1 manual']);
  });

  test('is what a trigger from the application does', async () => {
    await using cluster = await GraphCluster.start(['X'], [{ jobName: 'R' }, after('S', 'R')]);

    const triggered = cluster.trigger('X', 'R');
    await cluster.advance(1_000);
    await triggered;

    expect(cluster.ran('S')).toEqual(['0 00:00:00', '1 00:00:00']);
  });

  test('begins items that were busy as soon as they are free', async () => {
    await using cluster = await GraphCluster.start(['X'], [A, after('B', 'A')]);
    cluster.hold('A 1');
    await cluster.advance(30_000);
    await (await graphsOn(cluster)).trigger('A');
    await cluster.advance(1_000);
    expect(cluster.ran('B')).toEqual([]);

    await cluster.release('A 1');
    for (let wait = 0; wait < 5; wait++) await cluster.advance(200);

    expect(cluster.ran('A')).toEqual(['0 00:00:30', '0 00:00:30', '1 00:00:30', '1 00:00:30']);
    expect(cluster.ran('B')).toEqual(['0 00:00:30', '0 00:00:30', '1 00:00:30', '1 00:00:30']);
  });

  test('is taken over if its instance dies, for the same run key', async () => {
    await using cluster = await GraphCluster.start(['X', 'Y'], [A, after('B', 'A')]);
    cluster.hold('A 0@X', 'A 1@X');
    await (await graphsOn(cluster)).trigger('A');
    await cluster.advance(100);
    cluster.kill('X');
    for (let wait = 0; wait < 10; wait++) await cluster.advance(2_000);

    expect(
      cluster.runs.filter(({ job, outcome }) => job === 'A' && outcome === 'succeeded').map(({ at }) => at),
    ).toEqual(['00:00:00', '00:00:00']);
    expect(cluster.ran('B')).toEqual(['0 00:00:00', '1 00:00:00']);
  });
});

describe('running a round again', () => {
  test('runs what has failed and what comes after it, and sees the original instant', async () => {
    await using cluster = await GraphCluster.start(['X', 'Y'], DIAMOND);
    cluster.fail('B 1');
    await cluster.advance(30_000);
    await cluster.advance(1_000);
    const graphs = await graphsOn(cluster);
    const [failed] = await graphs.rounds('A');
    expect(statesIn(failed!)).toBe('A succeeded, B failed, C succeeded, D stopped');
    cluster.mend();

    const { instant, jobs } = await graphs.runAgain('A', failed!.instant);
    await cluster.advance(1_000);

    expect(jobs).toEqual(['B', 'D']);
    expect(cluster.ran('A')).toEqual(['0 00:00:30', '1 00:00:30']);
    expect(cluster.ran('B')).toEqual(['0 00:00:30', '1 00:00:30', '1 00:00:30']);
    expect(cluster.ran('C')).toEqual(['0 00:00:30', '1 00:00:30']);
    expect(cluster.ran('D')).toEqual(['0 00:00:30', '1 00:00:30']);
    const again = await graphs.round('A', instant);
    expect(again).toMatchObject({ cause: 'again', state: 'succeeded', scheduledAt: failed!.instant });
    expect(again.nodes.map(({ isCarried }) => isCarried)).toEqual([true, false, true, false]);
  });

  test('runs the failed items of a root', async () => {
    await using cluster = await GraphCluster.start(['X'], [A, after('B', 'A')]);
    cluster.fail('A 1');
    await cluster.advance(30_000);
    await cluster.advance(1_000);
    cluster.mend();
    const graphs = await graphsOn(cluster);

    const [failed] = await graphs.rounds('A');
    await graphs.runAgain('A', failed!.instant);
    await cluster.advance(1_000);

    expect(cluster.ran('A')).toEqual(['0 00:00:30', '1 00:00:30', '1 00:00:30']);
    expect(cluster.ran('B')).toEqual(['0 00:00:30', '1 00:00:30']);
  });

  test('is refused while the round runs, and if nothing of it has failed', async () => {
    await using cluster = await GraphCluster.start(['X'], [A, after('B', 'A')]);
    cluster.hold('A 0');
    await cluster.advance(30_000);
    const graphs = await graphsOn(cluster);
    const [round] = await graphs.rounds('A');

    await expect(graphs.runAgain('A', round!.instant)).rejects.toThrow(/still runs/);
    await cluster.release('A 0');
    await cluster.advance(1_000);
    await expect(graphs.runAgain('A', round!.instant)).rejects.toThrow(/Nothing of the round/);
    await expect(graphs.runAgain('A', round!.instant, { from: 'Bb' })).rejects.toThrow(/no job 'Bb'.*did you mean 'B'/);
  });
});

describe('an operator', () => {
  test('skips a job of a round: those after it run', async () => {
    await using cluster = await GraphCluster.start(['X'], [A, after('B', 'A'), after('C', 'B')]);
    cluster.hold('A 0');
    await cluster.advance(30_000);
    const graphs = await graphsOn(cluster);
    const [round] = await graphs.rounds('A');

    await graphs.skip('A', round!.instant, 'B');
    await cluster.release('A 0');
    await cluster.advance(1_000);

    expect(cluster.ran('B')).toEqual([]);
    expect(cluster.ran('C')).toEqual(['0 00:00:30', '1 00:00:30']);
    expect(cluster.rounds('B')).toEqual(['00:00:30 skipped']);
    await expect(graphs.skip('A', round!.instant, 'B')).rejects.toThrow(/come to its end/);
  });

  test('stops a round: nothing more of it begins, and the next one runs', async () => {
    await using cluster = await GraphCluster.start(
      ['X'],
      [A, after('B', 'A'), after('C', 'B', { 'graph.afterFailure': 'run' })],
    );
    cluster.hold('A 0');
    await cluster.advance(30_000);
    const graphs = await graphsOn(cluster);
    const [round] = await graphs.rounds('A');

    expect(await graphs.stop('A', round!.instant)).toEqual(['A', 'B', 'C']);
    await cluster.release('A 0');
    await cluster.advance(1_000);
    await cluster.advance(29_000);

    expect(cluster.ran('B')).toEqual(['0 00:01:00', '1 00:01:00']);
    expect(cluster.ran('C')).toEqual(['0 00:01:00', '1 00:01:00']);
    expect(cluster.rounds('C')).toEqual(['00:00:30 stopped', '00:01:00 succeeded']);
  });

  test('pauses a graph and resumes it: open rounds go on, instants of the schedule meanwhile are dropped', async () => {
    await using cluster = await GraphCluster.start(['X'], [A, after('B', 'A')]);
    cluster.hold('A 0');
    await cluster.advance(30_000);
    const graphs = await graphsOn(cluster);

    await graphs.pause('A');
    await cluster.release('A 0');
    await cluster.advance(1_000);
    await cluster.advance(30_000);
    expect(cluster.ran('A')).toEqual(['0 00:00:30', '1 00:00:30']);
    expect(cluster.ran('B')).toEqual([]);
    expect((await graphs.graph('A')).pausedSince).toBeDefined();
    await expect(graphs.trigger('A')).rejects.toThrow(/is paused since/);

    await graphs.resume('A');
    await cluster.advance(1_000);
    expect(cluster.ran('B')).toEqual(['0 00:00:30', '1 00:00:30']);
    await cluster.advance(30_000);
    expect(cluster.ran('A')).toEqual(['0 00:00:30', '0 00:01:30', '1 00:00:30', '1 00:01:30']);
  });
});
