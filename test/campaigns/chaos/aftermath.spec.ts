import { describe, expect, test } from '@jest/globals';
import { type MirroredNode } from '../../../lib/registry/registry-center.js';
import { incompleteFirings, ownership, residue } from './aftermath.js';
import { readRuns } from './checker/runs.js';
import { type JobSpec } from './history.js';
import { seconds, Story } from './story.js';

const job: JobSpec = {
  name: 'job',
  cron: '* * * * * ?',
  periodMs: 1_000,
  items: 2,
  failover: true,
  misfire: true,
  monitorExecution: true,
  steps: [1],
  stepMs: 100,
};

const id = (pid: number): string => `10.0.0.1@-@${pid}-aaaaaaaa`;

/** Nodes by path below the job, with their values; each was written at `revision`. */
function tree(values: Readonly<Record<string, string>>, revision = 1): ReadonlyMap<string, MirroredNode> {
  return new Map(
    Object.entries(values).map(([path, value]) => [
      `/job/${path}`,
      { value, version: 0, revision, session: undefined },
    ]),
  );
}

const healthy = {
  'leader/election/instance': id(1),
  [`instances/${id(1)}`]: '',
  [`instances/${id(2)}`]: '',
  'sharding/0/instance': id(1),
  'sharding/1/instance': id(2),
};

describe('what a campaign leaves behind', () => {
  test.each([
    'sharding/0/running',
    'sharding/1/failover',
    'sharding/1/failovering',
    'sharding/1/misfire',
    'leader/failover/items/1',
    'leader/failover/latch/_c_1-latch-0000000001',
    'leader/election/latch/_c_1-latch-0000000001',
    'leader/sharding/necessary',
    'leader/sharding/processing',
  ])('counts %s if it stays', (path) => {
    const before = tree({ ...healthy, [path]: id(1) });
    expect(residue(job, before, before, 0)).toMatchObject([{ kind: 'residue' }]);
    expect(residue(job, before, tree({ ...healthy, [path]: id(1) }, 2), 0)).toEqual([]);
    expect(residue(job, before, tree(healthy), 0)).toEqual([]);
  });

  test('counts items whose owner does not live, and instances that are no more', () => {
    const living = new Set([1, 2]);
    expect(ownership(job, tree(healthy), living, 0)).toEqual([]);
    const owned = { ...healthy, 'sharding/1/instance': id(3) };
    expect(ownership(job, tree(owned), living, 0).map(({ text }) => text)).toEqual([
      `job: item 1 belongs to ${id(3)}, which does not live`,
    ]);
    const registered = { ...healthy, [`instances/${id(3)}`]: '' };
    expect(ownership(job, tree(registered), living, 0)).toHaveLength(2);
    expect(ownership(job, tree({ ...healthy, [`x-node/live/${id(3)}`]: '' }), living, 0)).toHaveLength(1);
    expect(ownership(job, tree({ ...healthy, 'leader/election/instance': id(3) }), living, 0)).toHaveLength(1);
    expect(ownership(job, tree(healthy), new Set([1, 2, 3]), 0)).toHaveLength(1);
  });

  test('counts firings that were not complete although all was well', () => {
    const judge = (story: Story): readonly unknown[] => {
      const history = story.told();
      return incompleteFirings(history, readRuns(history), 3_500).map(({ t }) => t);
    };
    const usual = (): Story => new Story().runs('A', [...seconds(1, 4), ...seconds(6, 9)]);
    expect(judge(usual())).toEqual([5_000]);
    expect(judge(usual().run({ by: 'A', for: 5_000, at: 5_010, ends: 5_100 }))).toEqual([]);
    expect(judge(usual().run({ by: 'A', for: 5_000, at: 5_010, aborts: 5_100 }))).toEqual([5_000]);
    expect(judge(usual().run({ by: 'A', for: 5_000, at: 6_200, ends: 6_300 }))).toEqual([5_000]);
    expect(judge(usual().runs('A', [5_000]).runs('B', [5_000]))).toEqual([5_000]);
    // The run before went on, for an instant before all was well or after it.
    const delayed = (ends: number): Story =>
      new Story()
        .runs('A', seconds(1, 2))
        .run({ by: 'A', for: 3_000, at: 3_900, ends })
        .run({ by: 'A', for: 4_000, at: 6_500, ends: 6_600 })
        .run({ by: 'A', for: 5_000, at: 6_650, ends: 6_700 })
        .runs('A', seconds(6, 9));
    expect(judge(delayed(6_450))).toEqual([]);
    expect(judge(delayed(5_400))).toEqual([4_000]);
  });
});
