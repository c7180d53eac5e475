import { expect, test } from '@jest/globals';
import { type GraphDetail, type GraphRoundRow, type NodeRoundRow } from '../../../../lib/console/contract/graphs.js';
import { criticalPath } from '../../../../lib/console/ui/pages/graphs/critical-path.js';

const EDGES = ['a c', 'b c', 'c d', 'b e'].map((line) => {
  const [from = '', to = ''] = line.split(' ');
  return { from, to, items: 'all' as const };
});
const graph: GraphDetail = { name: 'g', nodes: [], edges: EDGES };

/** A round of the instant 1000, whose jobs have ended at these times. */
function round(ends: Readonly<Record<string, number>>, more: Readonly<Record<string, Partial<NodeRoundRow>>> = {}) {
  const nodes = ['a', 'b', 'c', 'd', 'e'].map((jobName): NodeRoundRow => {
    const since = ends[jobName];
    return {
      ...{ jobName, waitingFor: [], items: { total: 1, ended: 0 }, failedItems: [], takesPart: true, isCarried: false },
      ...(since === undefined ? { state: 'waiting' } : { state: 'succeeded', since }),
      ...more[jobName],
    };
  });
  return { instant: 1_000, scheduledAt: 1_000, cause: 'schedule', state: 'succeeded', nodes } satisfies GraphRoundRow;
}

test('goes back from the last job, at each by the upstream job that ended last', () => {
  expect(criticalPath(graph, round({ a: 1_100, b: 1_300, c: 1_400, d: 1_900, e: 1_500 }))).toEqual([
    { jobName: 'b', dueAt: 1_000, endedAt: 1_300 },
    { jobName: 'c', dueAt: 1_300, endedAt: 1_400 },
    { jobName: 'd', dueAt: 1_400, endedAt: 1_900 },
  ]);
});

test('ends in another branch if that was slower', () => {
  const names = criticalPath(graph, round({ a: 1_100, b: 1_200, c: 1_300, d: 1_400, e: 1_500 })).map(
    ({ jobName }) => jobName,
  );

  expect(names).toEqual(['b', 'e']);
});

test('leaves out what has not run: stopped, skipped and carried jobs', () => {
  const found = criticalPath(
    graph,
    round({ a: 1_100, b: 1_200, c: 1_300, d: 1_400, e: 1_900 }, { e: { state: 'stopped' }, b: { isCarried: true } }),
  );

  expect(found.map(({ jobName }) => jobName)).toEqual(['a', 'c', 'd']);
});

test('is empty before a job has ended, and ends in a cycle', () => {
  expect(criticalPath(graph, round({}))).toEqual([]);
  const cycle = { ...graph, edges: [...EDGES, { from: 'd', to: 'a', items: 'all' as const }] };
  expect(criticalPath(cycle, round({ a: 1_300, c: 1_200, d: 1_400 }))).toHaveLength(3);
});
