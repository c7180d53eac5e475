/** A test's cluster with jobs that run after others. */
import { describe, expect, test } from '@jest/globals';
import { TestCluster } from '../../../lib/testing/index.js';

const IMPORT = { jobName: 'import', cron: '0 0 * * * ?', shardingTotalCount: 2, failover: true };
const REPORT = { jobName: 'report', after: 'import', shardingTotalCount: 1, failover: true };

describe("a test's cluster with further jobs", () => {
  test('runs a job after another one, for the same instant, and has the runs and rounds of each', async () => {
    await using cluster = await TestCluster.start(['A', 'B'], { job: IMPORT, otherJobs: [REPORT] });

    await cluster.advance('2h');

    expect(cluster.runs.map(({ item, at }) => `${item} ${at}`).sort()).toEqual([
      '0 01:00:00',
      '0 02:00:00',
      '1 01:00:00',
      '1 02:00:00',
    ]);
    expect(cluster.runsOf('import')).toBe(cluster.runs);
    expect(cluster.runsOf('report').map(({ at, cause }) => `${at} ${cause}`)).toEqual([
      '01:00:00 dependency',
      '02:00:00 dependency',
    ]);
    expect(cluster.roundsOf('import').map(({ at, outcome }) => `${at} ${outcome}`)).toEqual([
      '01:00:00 succeeded',
      '02:00:00 succeeded',
    ]);
    expect(cluster.viewOf('report').config?.shardingTotalCount).toBe(1);
  });

  test('calls the work of all jobs, whose context says which one it is; a failed round stops the next job', async () => {
    const worked: string[] = [];
    await using cluster = await TestCluster.start(['A'], {
      ...{ job: IMPORT, otherJobs: [REPORT] },
      work: (instance, { jobName, shardingItem }) => {
        worked.push(`${instance} ${jobName} ${shardingItem}`);
        if (shardingItem === 1) throw new Error('no such source');
      },
    });

    await cluster.fire();
    await cluster.advance('1s');

    expect(worked).toEqual(['A import 0', 'A import 1']);
    expect(cluster.roundsOf('import')).toEqual([
      { scheduledAt: new Date('2030-01-01T01:00:00Z'), at: '01:00:00', outcome: 'failed', failed: [1] },
    ]);
    expect(cluster.roundsOf('report').map(({ outcome }) => outcome)).toEqual(['stopped']);
  });

  test('notes that runs of all jobs are lost with their instance, and forgets all runs when it is told to', async () => {
    await using cluster = await TestCluster.start(['A'], {
      ...{ job: IMPORT, otherJobs: [REPORT] },
      work: (_, { jobName }) => (jobName === 'report' ? new Promise<void>(() => undefined) : undefined),
    });
    await cluster.fire();
    await cluster.advance('1s');

    cluster.kill('A');
    expect(cluster.runsOf('report').map(({ outcome }) => outcome)).toEqual(['lost']);
    cluster.forget();

    expect(cluster.runsOf('report')).toEqual([]);
  });

  test('asks createJob for the object of each job', async () => {
    const asked: string[] = [];
    await using cluster = await TestCluster.start(['A'], {
      ...{ job: IMPORT, otherJobs: [REPORT] },
      createJob: (instance, jobName) => {
        asked.push(`${instance} ${jobName}`);
        return { execute: () => undefined };
      },
    });

    expect(asked).toEqual(['A import', 'A report']);
    await cluster.fire();
    await cluster.advance('1s');
    expect(cluster.runsOf('report')).toHaveLength(1);
  });

  test.each([
    [
      [{ cron: '' }],
      "must be a list of settings, each with a jobName, such as [{ jobName: 'report', after: 'import' }]",
    ],
    [[REPORT, REPORT], "needs a jobName of its own, got 'report' twice"],
    [[{ ...REPORT, jobName: 'import' }], "needs a jobName of its own, got 'import' twice"],
  ])('refuses otherJobs that are wrong: %j', async (otherJobs, message) => {
    await expect(TestCluster.start(['A'], { job: IMPORT, otherJobs: otherJobs as [typeof REPORT] })).rejects.toThrow(
      message,
    );
  });

  test('knows no jobs but its own', async () => {
    await using cluster = await TestCluster.start([], { job: IMPORT, otherJobs: [REPORT] });

    for (const read of [() => cluster.runsOf('reports'), () => cluster.roundsOf('reports')])
      expect(read).toThrow("has no job 'reports'");
  });
});
