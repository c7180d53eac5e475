/** Graphs as operators see and steer them, on a cluster. */
import { describe, expect, test } from '@jest/globals';
import { type GraphRound } from '../../../../lib/graphs/graph-round.js';
import { ExplanationAPI } from '../../../../lib/operations/explanation-api.js';
import { JobGraphAPI } from '../../../../lib/operations/job-graph-api.js';
import { GraphCluster, type GraphJob } from '../../../support/graph-cluster.js';

const A: GraphJob = { jobName: 'A', cron: '0/5 * * * * ?', props: { 'graph.name': 'nightly' } };
const B: GraphJob = { jobName: 'B', props: { 'graph.after': 'A' } };
const C: GraphJob = { jobName: 'C', props: { 'graph.after': 'B' } };

const graphsOn = async (cluster: GraphCluster): Promise<JobGraphAPI> =>
  new JobGraphAPI(await cluster.operator(), { clock: cluster.clock, operator: 'anna' });

/** `00:00:05 succeeded: A succeeded, B succeeded` */
const inWords = ({ instant, state, nodes }: GraphRound): string =>
  `${instant.toISOString().slice(11, 19)} ${state}: ` +
  nodes
    .map(({ jobName, state: own, waitingFor }) =>
      [jobName, own, ...(waitingFor.length > 0 ? ['for', waitingFor.join()] : [])].join(' '),
    )
    .join(', ');

describe('a graph', () => {
  test('is listed with its jobs and its latest round', async () => {
    await using cluster = await GraphCluster.start(['X'], [A, B, C, { jobName: 'alone', cron: '0/5 * * * * ?' }]);
    await cluster.advance(5_000);

    expect(await (await graphsOn(cluster)).graphs()).toMatchObject([
      {
        ...{
          name: 'nightly',
          names: ['nightly'],
          jobs: ['A', 'B', 'C'],
          roots: ['A'],
          isPaused: false,
          problemCount: 0,
        },
        lastRound: { state: 'succeeded', cause: 'schedule' },
      },
    ]);
  });

  test('has its jobs level by level, and the lines between them', async () => {
    await using cluster = await GraphCluster.start(['X'], [A, B, C]);

    expect(await (await graphsOn(cluster)).graph('nightly')).toMatchObject({
      nodes: [
        { jobName: 'A', level: 0, cron: '0/5 * * * * ?', instanceCount: 1, exists: true },
        { jobName: 'B', level: 1, dependencies: { after: ['A'] } },
        { jobName: 'C', level: 2 },
      ],
      edges: [
        { from: 'A', to: 'B', items: 'all' },
        { from: 'B', to: 'C', items: 'all' },
      ],
      pausedSince: undefined,
    });
  });

  test('has rounds, the newest first, each with what its jobs do and wait for', async () => {
    await using cluster = await GraphCluster.start(['X'], [A, B, C]);
    await cluster.advance(5_000);
    cluster.hold('B 1');
    await cluster.advance(5_000);
    await cluster.advance(100);

    const rounds = await (await graphsOn(cluster)).rounds('nightly');

    expect(rounds.map(inWords)).toEqual([
      '00:00:10 running: A succeeded, B running, C waiting for B',
      '00:00:05 succeeded: A succeeded, B succeeded, C succeeded',
    ]);
    expect(rounds[0]?.nodes[1]?.items).toEqual({ total: 2, ended: 1 });
  });

  test('is found by the name of a job of it; an unknown name is refused with the nearest one', async () => {
    await using cluster = await GraphCluster.start(['X'], [A, B]);
    const graphs = await graphsOn(cluster);

    expect((await graphs.graph('B')).name).toBe('nightly');
    await expect(graphs.graph('nigthly')).rejects.toMatchObject({
      code: 'UNKNOWN_GRAPH',
      message: expect.stringContaining("did you mean 'nightly'?") as unknown,
    });
  });

  test('has no round of an instant that it knows nothing of', async () => {
    await using cluster = await GraphCluster.start(['X'], [A, B]);
    await cluster.advance(5_000);

    await expect((await graphsOn(cluster)).round('nightly', new Date(1_234_567))).rejects.toThrow(
      /no round .* the latest are/,
    );
  });
});

test('a job that is none of the graph is refused by each act that names one, whatever is given', async () => {
  await using cluster = await GraphCluster.start(['X'], [A, B]);
  await cluster.advance(5_000);
  const graphs = await graphsOn(cluster);
  const [{ instant } = { instant: new Date() }] = await graphs.rounds('nightly');

  for (const act of [
    (job: string) => graphs.skip('nightly', instant, job),
    (job: string) => graphs.runAgain('nightly', instant, { from: job }),
  ]) {
    await expect(act('BB')).rejects.toThrow("Graph 'nightly' has no job 'BB'");
    await expect(act(['B'] as never)).rejects.toThrow(
      'the name of a job of graph \'nightly\' must be a text, got ["B"]',
    );
  }
});

test('a job of a graph that nobody can run, or only Java instances, is told with its cure', async () => {
  await using cluster = await GraphCluster.start(['X'], [A]);
  await cluster.join('Y', [B]);
  const graphs = await graphsOn(cluster);
  const problemsOf = async (job: string): Promise<readonly string[] | undefined> =>
    (await graphs.graph('nightly')).nodes.find(({ jobName }) => jobName === job)?.problems;
  expect(await problemsOf('A')).toEqual([]);

  await cluster.leave('X');

  expect(await problemsOf('A')).toEqual([expect.stringMatching(/^no instance of it lives/)]);
  await expect(graphs.trigger('nightly')).rejects.toThrow(/no instance of job 'A' lives/);
});

describe('the explanation of a past instant of a job that runs after others', () => {
  async function explained(cluster: GraphCluster, job: string): Promise<string> {
    const explanations = new ExplanationAPI(await cluster.operator(), { clock: cluster.clock });
    const [round] = await (await graphsOn(cluster)).rounds('nightly');
    return (await explanations.explain(job, undefined, round!.instant)).reason.sentence;
  }

  test('names the jobs that it waits for, or says that it runs', async () => {
    await using cluster = await GraphCluster.start(['X'], [A, B, C]);
    cluster.hold('B 1');
    await cluster.advance(5_000);

    expect(await explained(cluster, 'C')).toMatch(/In the round of that instant, it waits for B since/);
    expect(await explained(cluster, 'B')).toMatch(/In the round of that instant, it runs since/);
  });

  test('says what kept it from running', async () => {
    await using cluster = await GraphCluster.start(['X'], [A, B, C]);
    cluster.fail('B 1');
    await cluster.advance(5_000);
    await cluster.advance(200);

    expect(await explained(cluster, 'C')).toMatch(/it was stopped: a job before it has failed/);
    expect(await explained(cluster, 'B')).toMatch(/its items 1 have failed/);
  });
});
