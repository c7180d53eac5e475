import { describe, expect, test } from '@jest/globals';
import { aHistory, commitsWith, join, rulesBrokenBy } from './a-history.js';
import { type History, type Step } from './history.js';
import { play } from './player.js';
import { type Recording } from './recording.js';

const TRIGGERED_MS = 45_000;
const trigger: Step = { atMs: TRIGGERED_MS, type: 'trigger' };

/** A job of one item on A, which is enabled and monitored all the time. */
const manual = aHistory([join('A'), trigger], { job: { shardingTotalCount: 1 } });

const withoutManualRuns = (recording: Recording): Partial<Recording> => ({
  runs: recording.runs.filter(({ scheduledMs }) => scheduledMs !== undefined),
  commits: commitsWith(
    recording,
    ({ path }, { atMs }) => atMs < TRIGGERED_MS || atMs > TRIGGERED_MS + 4_000 || !path.endsWith('/running'),
  ),
});

describe('the rule of triggers', () => {
  test('notices that an enabled server accepts a trigger and runs nothing', async () => {
    expect(await rulesBrokenBy(manual)).toEqual([]);
    expect(await rulesBrokenBy(manual, withoutManualRuns)).toContain('triggers');
  });

  test('expects nothing of a server that has been disabled for long', async () => {
    const disabled = aHistory([join('A'), { atMs: 15_000, type: 'disable', name: 'A' }, trigger], manual);

    expect((await play(disabled)).runs.every(({ scheduledMs }) => scheduledMs !== undefined)).toBe(true);
    expect(await rulesBrokenBy(disabled)).toEqual([]);
  });

  test('expects runs again once the server has been enabled', async () => {
    const enabledAgain = aHistory(
      [join('A'), { atMs: 15_000, type: 'disable', name: 'A' }, { atMs: 20_000, type: 'enable', name: 'A' }, trigger],
      manual,
    );

    expect(await rulesBrokenBy(enabledAgain)).toEqual([]);
    expect(await rulesBrokenBy(enabledAgain, withoutManualRuns)).toContain('triggers');
  });
});

describe('the rule of triggers that wait', () => {
  const then = (...steps: Step[]): History => aHistory([join('A'), trigger, ...steps], manual);

  test('notices that a trigger is lost with the session in which it was accepted', async () => {
    const expired = then({ atMs: TRIGGERED_MS + 500, type: 'expire', name: 'A' });

    expect(await rulesBrokenBy(expired)).toEqual([]);
    expect(await rulesBrokenBy(expired, withoutManualRuns)).toContain('triggers');
  });

  test('notices that a trigger is lost with the instance that accepted it', async () => {
    const replaced = then({ atMs: TRIGGERED_MS + 500, type: 'kill', name: 'A' }, join('B', TRIGGERED_MS + 5_000));

    expect(await rulesBrokenBy(replaced)).toEqual([]);
    expect(await rulesBrokenBy(replaced, withoutManualRuns)).toContain('triggers');
  });

  test('expects nothing of an item that was disabled meanwhile', async () => {
    const disabled = then({ atMs: TRIGGERED_MS + 200, type: 'disable-item', item: 0 });

    expect(await rulesBrokenBy(disabled, withoutManualRuns)).not.toContain('triggers');
  });
});

describe('the rule of prompt triggers', () => {
  /** Manual runs, and their marks, come so much later. */
  const delayed =
    (ms: number) =>
    ({ runs, commits }: Recording): Partial<Recording> => ({
      runs: runs.map((run) => (run.scheduledMs === undefined ? { ...run, begunMs: run.begunMs + ms } : run)),
      commits: commits.map((commit) =>
        commit.by === 'A' && commit.atMs >= TRIGGERED_MS && commit.atMs < TRIGGERED_MS + 1_000
          ? { ...commit, atMs: commit.atMs + ms }
          : commit,
      ),
    });

  test('notices that a trigger waits although nothing keeps the item', async () => {
    expect(await rulesBrokenBy(manual, delayed(1_900))).toContain('promptTriggers');
    expect(await rulesBrokenBy(manual, delayed(300))).not.toContain('promptTriggers');
  });

  test('excuses a trigger shortly after an instance has joined', async () => {
    const joined = aHistory([join('A'), join('B', TRIGGERED_MS - 3_000), trigger], manual);

    expect(await rulesBrokenBy(joined, delayed(1_900))).not.toContain('promptTriggers');
  });
});

describe('the rule of marks', () => {
  test('expects none of a manual firing that began before monitorExecution was switched on', async () => {
    const switchedOn = aHistory(
      [
        join('A'),
        { atMs: 18_300, type: 'trigger' },
        { atMs: 19_000, type: 'reconfigure', change: { monitorExecution: true } },
      ],
      {
        ...{ behaviours: ['slow', 'quick'], poolSize: 1, slowestMessageMs: 30 },
        job: { monitorExecution: false, failover: true },
      },
    );

    const { runs, commits } = await play(switchedOn);
    const queued = runs.find(({ item, scheduledMs }) => item === 1 && scheduledMs === undefined);
    const marks = commits.filter(({ changes }) => changes.some(({ path }) => path === '/bill/sharding/1/running'));
    expect(queued!.begunMs).toBeGreaterThan(21_000);
    expect(queued!.endedMs).toBeLessThan(marks[0]!.atMs);
    expect(await rulesBrokenBy(switchedOn)).toEqual([]);
  });

  test('notices a manual run without a mark while monitorExecution is on', async () => {
    const withoutManualMarks = (recording: Recording): Partial<Recording> => ({
      commits: commitsWith(recording, ({ path }, { atMs }) => atMs < TRIGGERED_MS || !path.endsWith('/running')),
    });

    expect(await rulesBrokenBy(manual, withoutManualMarks)).toContain('unmarkedRuns');
  });
});
