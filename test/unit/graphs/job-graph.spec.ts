import { describe, expect, test } from '@jest/globals';

import {
  cycleThrough,
  describeGraphProblem,
  type GraphJob,
  graphProblems,
  upstreamsOf,
} from '../../../lib/graphs/job-graph.js';
import { aConfiguration } from '../../support/views.js';

/** `report: importA,importB` is a job that runs after two others. */
function jobs(...lines: readonly string[]): Readonly<Record<string, GraphJob>> {
  return Object.fromEntries(
    lines.map((line) => {
      const [jobName = '', after] = line.split(': ');
      return [jobName, aConfiguration({ jobName, props: after === undefined ? {} : { 'graph.after': after } })];
    }),
  );
}

function problemsOf(jobName: string, all: Readonly<Record<string, GraphJob>>): readonly unknown[] {
  const job = all[jobName];
  if (job === undefined) throw new RangeError(jobName);
  return graphProblems(job, (name) => all[name]);
}

test('a job points to those after which it runs', () => {
  const { report, importA } = jobs('importA', 'report: importA, importB');

  expect(upstreamsOf(report)).toEqual(['importA', 'importB']);
  expect(upstreamsOf(importA)).toEqual([]);
  expect(upstreamsOf(undefined)).toEqual([]);
});

describe('a cycle', () => {
  test('of one job is found', () => {
    expect(problemsOf('a', jobs('a: a'))).toEqual([{ type: 'cycle', path: ['a', 'a'] }]);
  });

  test('is found with its shortest way', () => {
    const all = jobs('a: b,c', 'b: d', 'c: a', 'd: a');

    expect(problemsOf('a', all)).toEqual([{ type: 'cycle', path: ['a', 'c', 'a'] }]);
    expect(problemsOf('d', all)).toEqual([{ type: 'cycle', path: ['d', 'a', 'b', 'd'] }]);
  });

  test('of other jobs is none of this one, and is no endless search', () => {
    const all = jobs('a: b', 'b: c', 'c: b');

    expect(all['a'] && cycleThrough(all['a'], (name) => all[name])).toBeUndefined();
  });

  test('is none where two ways lead to one job', () => {
    expect(problemsOf('d', jobs('a', 'b: a', 'c: a', 'd: b,c'))).toEqual([]);
  });
});

describe('a job after others', () => {
  test('needs them to be there', () => {
    expect(problemsOf('b', jobs('b: a'))).toEqual([{ type: 'unknown', upstream: 'a' }]);
  });

  test('has no cron expression', () => {
    const all = jobs('a', 'b: a');
    const job = { ...aConfiguration(), ...all['b'], cron: '0 0 2 * * ?' };

    expect(graphProblems(job, (name) => all[name])).toEqual([{ type: 'also-cron', cron: '0 0 2 * * ?' }]);
  });

  test('and they write down what they run', () => {
    const all = jobs('a', 'b: a');
    const unmonitored = { ...aConfiguration(), ...all['a'], monitorExecution: false };

    expect(problemsOf('b', { ...all, a: unmonitored })).toEqual([{ type: 'unrecorded', jobName: 'a' }]);
  });

  test('item by item has as many items as they', () => {
    const props = { 'graph.after': 'a', 'graph.afterItems': 'same' };
    const all = { ...jobs('a'), b: aConfiguration({ jobName: 'b', shardingTotalCount: 3, props }) };

    expect(problemsOf('b', all)).toEqual([{ type: 'unequal-items', upstream: 'a', own: 3, theirs: 2 }]);
  });
});

test.each([
  [{ type: 'cycle', path: ['a', 'b', 'a'] } as const, 'a after b after a'],
  [{ type: 'unknown', upstream: 'importe' } as const, "no such job; did you mean 'imports'?"],
  [{ type: 'unequal-items', upstream: 'a', own: 3, theirs: 2 } as const, "3 items and 'a' has 2"],
  [{ type: 'unrecorded', jobName: 'a' } as const, "job 'a' has monitorExecution: false"],
  [{ type: 'also-cron', cron: '* * * * * ?' } as const, "both 'after' and the cron expression '* * * * * ?'"],
])('%j is told with its cure', (problem, text) => {
  expect(describeGraphProblem(problem, ['imports', 'mail'])).toContain(text);
});
