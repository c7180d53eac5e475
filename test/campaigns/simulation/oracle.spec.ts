import { beforeAll, describe, expect, test } from '@jest/globals';
import { brokenRules } from './a-history.js';
import { type History } from './history.js';
import { judge } from './oracle.js';
import { play } from './player.js';
import { type Recording } from './recording.js';

/** Two instances, one of which dies while it runs slow items; nothing is wrong with it. */
const history: History = {
  seed: 1,
  job: {
    ...{ periodSeconds: 10, shardingTotalCount: 2, failover: true, misfire: true, monitorExecution: true },
    jobShardingStrategyType: 'AVG_ALLOCATION',
  },
  ...{ behaviours: ['slow', 'slow'], poolSize: 20, slowestMessageMs: 0 },
  steps: [
    { atMs: 0, type: 'join', name: 'A', skewMs: 0 },
    { atMs: 0, type: 'join', name: 'B', skewMs: 0 },
    { atMs: 11_000, type: 'kill', name: 'A' },
  ],
};

describe('the oracle', () => {
  let recording!: Recording;
  /** Rules that are broken by the recording with these changes. */
  const broken = (changes: Partial<Recording>): string[] => [
    ...new Set(judge(history, { ...recording, ...changes }).map(({ rule }) => rule)),
  ];
  /** The recording's commits, each of which may be changed. */
  const commits = (change: (commit: Recording['commits'][number]) => Recording['commits'][number]) =>
    recording.commits.map(change);

  beforeAll(async () => {
    recording = await play(history);
  });

  test('finds nothing wrong with a rescue', () => {
    expect(recording.runs.map(({ instance, scheduledMs }) => [instance, scheduledMs]).slice(0, 3)).toEqual([
      ['A', 10_000],
      ['B', 10_000],
      ['B', 10_000],
    ]);
    expect(broken({})).toEqual([]);
  });

  test('notices a lost run that nobody makes again', () => {
    const withoutReport = commits((commit) => ({
      ...commit,
      changes: commit.changes.filter(({ path }) => !path.includes('/failover/items/')),
    }));

    expect(broken({ commits: withoutReport })).toContain('lostRuns');
  });

  test('notices a run that is there twice', () => {
    const [run] = recording.runs;
    const runs = [...recording.runs, { ...run!, instance: 'A', begunMs: run!.begunMs + 1 }];

    expect(broken({ runs })).toContain('overlaps');
  });

  test('notices a run whose item bears no mark', () => {
    const unmarked = commits((commit) => ({
      ...commit,
      changes: commit.changes.filter(({ path }) => !path.endsWith('/running')),
    }));

    expect(broken({ commits: unmarked })).toContain('unmarkedRuns');
  });

  test('notices an item that is begun twice for an instant', () => {
    const again = recording.commits.map((commit) => ({ ...commit, atMs: commit.atMs + 100_000 }));

    expect(broken({ commits: [...recording.commits, ...again] })).toContain('doubles');
  });

  test('notices a firing that is left out when nothing keeps it', () => {
    const lastInstant = Math.max(...recording.runs.map(({ scheduledMs }) => scheduledMs ?? 0));
    const runs = recording.runs.filter(({ scheduledMs }) => scheduledMs !== lastInstant);

    expect(broken({ runs })).toContain('unquietFirings');
  });

  test('notices what is left over, and who waits', () => {
    const rests = recording.rests.map((rest) => ({
      ...rest,
      tree: new Map([...rest.tree, ['/bill/leader/failover/items/0', '']]),
      present: rest.present.map((presence) => ({ ...presence, timers: 4 })),
    }));

    const faults = judge(history, { ...recording, rests }).map(({ text }) => text);
    expect(faults).toContainEqual(expect.stringContaining('/bill/leader/failover/items/0 is left over'));
    expect(faults).toContainEqual(expect.stringContaining('B waits for 4 timers'));
  });

  test('notices who asks without end', () => {
    expect(broken({ requests: new Map([['B', new Map([[20, 1_000]])]]) })).toContain('requests');
  });

  test('notices who asks too much at rest; a job whose items need several commits may ask more', () => {
    const second = Math.ceil(recording.rests[0]!.atMs / 1_000);
    const changes = { ...recording, requests: new Map([['B', new Map([[second, 13]])]]) };

    expect(brokenRules(history, changes)).toContain('requests');
    expect(brokenRules({ ...history, operationsACommit: 11 }, changes)).not.toContain('requests');
  });
});
