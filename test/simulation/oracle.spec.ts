import { beforeAll, describe, expect, test } from '@jest/globals';
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
});

/** A job of one item on A, which is enabled and monitored all the time. */
const manual: History = {
  ...history,
  job: { ...history.job, shardingTotalCount: 1 },
  behaviours: [],
  steps: [
    { atMs: 0, type: 'join', name: 'A', skewMs: 0 },
    { atMs: 45_000, type: 'trigger' },
  ],
};

/** Rules that the history breaks; `change` may change its recording before it is judged. */
async function brokenBy(played: History, change = (recording: Recording) => recording): Promise<readonly string[]> {
  return [...new Set(judge(played, change(await play(played))).map(({ rule }) => rule))];
}

describe('the rule of triggers', () => {
  const withoutManualRuns = (recording: Recording): Recording => ({
    ...recording,
    runs: recording.runs.filter(({ scheduledMs }) => scheduledMs !== undefined),
  });

  test('notices that an enabled server accepts a trigger and runs nothing', async () => {
    expect(await brokenBy(manual)).toEqual([]);
    expect(await brokenBy(manual, withoutManualRuns)).toContain('triggers');
  });

  test('expects nothing of a server that has been disabled for long', async () => {
    const disabled: History = {
      ...manual,
      steps: [...manual.steps, { atMs: 15_000, type: 'disable' as const, name: 'A' }].sort(
        (one, other) => one.atMs - other.atMs,
      ),
    };

    expect((await play(disabled)).runs.every(({ scheduledMs }) => scheduledMs !== undefined)).toBe(true);
    expect(await brokenBy(disabled)).toEqual([]);
  });

  test('expects runs again once the server has been enabled', async () => {
    const enabledAgain: History = {
      ...manual,
      steps: [
        { atMs: 0, type: 'join', name: 'A', skewMs: 0 },
        { atMs: 15_000, type: 'disable', name: 'A' },
        { atMs: 20_000, type: 'enable', name: 'A' },
        { atMs: 45_000, type: 'trigger' },
      ],
    };

    expect(await brokenBy(enabledAgain)).toEqual([]);
    expect(await brokenBy(enabledAgain, withoutManualRuns)).toContain('triggers');
  });
});

describe('the rule of marks', () => {
  test('expects none of a manual firing that began before monitorExecution was switched on', async () => {
    const switchedOn: History = {
      ...manual,
      ...{ behaviours: ['slow', 'quick'], poolSize: 1, slowestMessageMs: 30 },
      job: { ...manual.job, shardingTotalCount: 2, monitorExecution: false },
      steps: [
        { atMs: 0, type: 'join', name: 'A', skewMs: 0 },
        { atMs: 18_300, type: 'trigger' },
        { atMs: 19_000, type: 'reconfigure', change: { monitorExecution: true } },
      ],
    };

    const { runs, commits } = await play(switchedOn);
    const queued = runs.find(({ item, scheduledMs }) => item === 1 && scheduledMs === undefined);
    const marks = commits.filter(({ changes }) => changes.some(({ path }) => path === '/bill/sharding/1/running'));
    expect(queued!.begunMs).toBeGreaterThan(21_000);
    expect(queued!.endedMs).toBeLessThan(marks[0]!.atMs);
    expect(await brokenBy(switchedOn)).toEqual([]);
  });

  test('notices a manual run without a mark while monitorExecution is on', async () => {
    const withoutManualMarks = (recording: Recording): Recording => ({
      ...recording,
      commits: recording.commits.map((commit) => ({
        ...commit,
        changes: commit.changes.filter(({ path }) => commit.atMs < 45_000 || !path.endsWith('/running')),
      })),
    });

    expect(await brokenBy(manual, withoutManualMarks)).toContain('unmarkedRuns');
  });
});
