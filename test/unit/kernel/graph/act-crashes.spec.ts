/** An instance dies at each of its writes after an operator has acted on a graph: nothing is lost or doubled. */
import { describe, expect, test } from '@jest/globals';
import { JobGraphAPI } from '../../../../lib/operations/job-graph-api.js';
import { GraphCluster, type GraphJob, type GraphRun } from '../../../support/graph-cluster.js';

const A: GraphJob = { jobName: 'A', cron: '0 0 * * * ?' };
const after = (jobName: string, names: string): GraphJob => ({ jobName, props: { 'graph.after': names } });
const JOBS = [A, after('B', 'A'), after('C', 'B')];

const keyOf = ({ job, item, at, cause }: GraphRun): string => `${job} ${item} ${at} ${cause === 'failover'}`;
/** The runs that have succeeded since, each once: one that died with its instance is run again. */
const doneSince = (cluster: GraphCluster, count: number): readonly string[] =>
  [
    ...new Set(
      cluster.runs
        .slice(count)
        .filter(({ outcome }) => outcome === 'succeeded')
        .map(({ job, item, at }) => `${job} ${item} ${at}`),
    ),
  ].sort();
const doubledSince = (cluster: GraphCluster, count: number): readonly string[] => {
  const keys = cluster.runs.slice(count).map(keyOf);
  return keys.filter((key, index) => keys.indexOf(key) < index);
};

interface Act {
  /** Brings the cluster to the moment before the act. */
  readonly before: (cluster: GraphCluster, graphs: JobGraphAPI) => Promise<void>;
  readonly act: (cluster: GraphCluster, graphs: JobGraphAPI) => Promise<unknown>;
  /** The runs that follow from it. */
  readonly runs: readonly string[];
  /** The last rounds of A, B and C. */
  readonly rounds: readonly string[];
}

const ACTS: Readonly<Record<string, Act>> = {
  'a trigger of the graph': {
    before: (cluster) => cluster.advance(5_000),
    act: (_, graphs) => graphs.trigger('A'),
    runs: ['A', 'B', 'C'].flatMap((job) => [`${job} 0 00:00:05`, `${job} 1 00:00:05`]),
    rounds: ['00:00:05 succeeded', '00:00:05 succeeded', '00:00:05 succeeded'],
  },
  'a round that is run again': {
    before: async (cluster, graphs) => {
      cluster.fail('B 1');
      await graphs.trigger('A');
      await cluster.advance(5_000);
      cluster.mend();
    },
    act: async (_, graphs) => graphs.runAgain('A', (await graphs.rounds('A'))[0]!.instant),
    runs: ['B 1 00:00:00', 'C 0 00:00:00', 'C 1 00:00:00'],
    rounds: ['00:00:05 succeeded', '00:00:05 succeeded', '00:00:05 succeeded'],
  },
  'a job that is skipped': {
    before: async (cluster, graphs) => {
      cluster.hold('A 0');
      await graphs.trigger('A');
      await cluster.advance(5_000);
    },
    act: async (cluster, graphs) => {
      await graphs.skip('A', (await graphs.rounds('A'))[0]!.instant, 'B');
      void cluster.release('A 0');
    },
    runs: ['C 0 00:00:00', 'C 1 00:00:00'],
    rounds: ['00:00:00 succeeded', '00:00:00 skipped', '00:00:00 succeeded'],
  },
  'a round that is stopped': {
    before: async (cluster, graphs) => {
      cluster.hold('A 0');
      await graphs.trigger('A');
      await cluster.advance(5_000);
    },
    act: async (cluster, graphs) => {
      await graphs.stop('A', (await graphs.rounds('A'))[0]!.instant);
      void cluster.release('A 0');
    },
    runs: [],
    rounds: ['00:00:00 succeeded', '00:00:00 stopped', '00:00:00 stopped'],
  },
};

describe.each(Object.entries(ACTS))('%s', (_, { before, act, runs, rounds }) => {
  test.each(['applied', 'not-applied'] as const)('outlives a crash at each write (%s)', async (outcome) => {
    let write = 1;
    for (; write < 60; write++) {
      await using cluster = await GraphCluster.start(['X', 'Y'], JOBS);
      const graphs = new JobGraphAPI(await cluster.operator(), { clock: cluster.clock });
      await before(cluster, graphs);
      const count = cluster.runs.length;
      cluster.killAtWrite('X', write, outcome);

      await act(cluster, graphs);
      await cluster.advance(100);
      for (let wait = 0; wait < 6; wait++) await cluster.advance(5_000);

      const isOver = cluster.up.includes('X');
      const last = ['A', 'B', 'C'].map((job) => cluster.rounds(job).at(-1));
      const done = doneSince(cluster, count).filter((run) => !run.startsWith('A') || runs.includes(run));
      expect({ write, done, last, doubled: doubledSince(cluster, count) }).toEqual({
        ...{ write, done: runs, last: rounds, doubled: [] },
      });
      if (isOver) break;
    }
    expect(write).toBeGreaterThan(1);
  });
});
