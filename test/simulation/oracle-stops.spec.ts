import { describe, expect, test } from '@jest/globals';
import { aHistory, commitsWith, join, rulesBrokenBy } from './a-history.js';
import { type Recording } from './recording.js';

const STOPPED_MS = 34_000;
const history = aHistory([join('A'), join('B'), { atMs: STOPPED_MS, type: 'leave', name: 'A' }]);
const MARK = /^\/bill\/sharding\/\d+\/running$/;

/** The commits, and one by A that marks an item so long after the stop. */
function markedAfter(ms: number): (recording: Recording) => Partial<Recording> {
  return ({ commits }) => {
    const changes = [{ path: '/bill/sharding/0/running', before: undefined, after: '10.0.0.65@-@1-A' }];
    const commit = { atMs: STOPPED_MS + ms, revision: 5_000, by: 'A', changes };
    return { commits: [...commits.filter(({ atMs }) => atMs < commit.atMs), commit] };
  };
}

describe('the rules of stops', () => {
  test('find nothing wrong with an instance that leaves', async () => {
    expect(await rulesBrokenBy(history)).toEqual([]);
  });

  test('notice an item that is marked after the stop', async () => {
    expect(await rulesBrokenBy(history, markedAfter(500))).toContain('begunAfterStop');
  });

  test('leave what was on its way when the instance was stopped', async () => {
    const slow = { ...history, slowestMessageMs: 30 };

    expect(await rulesBrokenBy(slow, markedAfter(100))).not.toContain('begunAfterStop');
    expect(await rulesBrokenBy(slow, markedAfter(500))).toContain('begunAfterStop');
  });

  test('notice an unmarked run that begins after the stop', async () => {
    const unmonitored = aHistory(history.steps, { job: { monitorExecution: false } });
    const runLater = ({ runs }: Recording): Partial<Recording> => ({
      runs: [...runs, { ...runs.find(({ instance }) => instance === 'A')!, begunMs: STOPPED_MS + 10 }],
    });

    expect(await rulesBrokenBy(unmonitored)).toEqual([]);
    expect(await rulesBrokenBy(unmonitored, runLater)).toContain('begunAfterStop');
    // An item that has begun waits for the listener's call before its code starts.
    const onceListener = { startedTimeoutMs: 3_000, completedTimeoutMs: 3_000, slowestCallMs: 0 };
    expect(await rulesBrokenBy({ ...unmonitored, onceListener }, runLater)).not.toContain('begunAfterStop');
  });

  const isAssignment = (path: string): boolean => /^\/bill\/sharding\/\d+\/instance$/.test(path);
  const isLife = (path: string): boolean => path === '/bill/x-node/live/10.0.0.65@-@1-A';
  const isRegistration = (path: string): boolean => path === '/bill/instances/10.0.0.65@-@1-A';

  test('notice idle items that a stopping instance keeps', async () => {
    const keeping = (recording: Recording): Partial<Recording> => ({
      commits: commitsWith(recording, ({ path }, { atMs }) => {
        return atMs < STOPPED_MS || !(isAssignment(path) || isLife(path) || isRegistration(path) || MARK.test(path));
      }),
    });

    expect(await rulesBrokenBy(history, keeping)).toContain('heldWhileStopping');
    // Without marks all items stay until the instance withdraws, as the manual says.
    const unmonitored = aHistory(history.steps, { job: { monitorExecution: false } });
    expect(await rulesBrokenBy(unmonitored, keeping)).not.toContain('heldWhileStopping');
  });

  test('expect no more than that idle items are handed over', async () => {
    const lingering = (recording: Recording): Partial<Recording> => ({
      commits: commitsWith(recording, ({ path }, { atMs }) => atMs < STOPPED_MS || !isLife(path)),
    });

    expect(await rulesBrokenBy(history, lingering)).not.toContain('heldWhileStopping');
  });

  test('expect nothing where no other instance could take the items', async () => {
    const alone = aHistory([join('A'), { atMs: STOPPED_MS, type: 'leave', name: 'A' }, join('B', 60_000)]);
    const keeping = (recording: Recording): Partial<Recording> => ({
      commits: commitsWith(recording, ({ path }, { atMs }) => atMs < STOPPED_MS || !isLife(path)),
    });

    expect(await rulesBrokenBy(alone, keeping)).not.toContain('heldWhileStopping');
  });
});
