import { beforeAll, describe, expect, test } from '@jest/globals';
import { aHistory, brokenRules, join, rulesBrokenBy } from './a-history.js';
import { type History } from './history.js';
import { play } from './player.js';
import { type Recording, type Run } from './recording.js';

/** One item on one of two instances, and nothing is wrong with it. */
const history = aHistory([join('A'), join('B')], { job: { shardingTotalCount: 1 } });

describe('rules about items', () => {
  let recording!: Recording;
  const broken = (changes: Partial<Recording>, of: History = history) => brokenRules(of, { ...recording, ...changes });
  /** The runs, the last one of which is changed. */
  const runs = (change: (last: Run) => Partial<Run>): readonly Run[] => [
    ...recording.runs.slice(0, -1),
    { ...recording.runs.at(-1)!, ...change(recording.runs.at(-1)!) },
  ];

  beforeAll(async () => {
    recording = await play(history);
  });

  test('find nothing wrong with quiet firings', () => {
    expect(recording.runs.length).toBeGreaterThan(3);
    expect(broken({})).toEqual([]);
  });

  describe('tokens', () => {
    test('may not go back, whether the run is marked or not', () => {
      expect(broken({ runs: runs(() => ({ token: 1 })) })).toContain('tokens');
    });

    test('may stay the same, as they do without monitorExecution', () => {
      const { token } = recording.runs.at(-2)!;

      expect(broken({ runs: runs(() => ({ token })) })).not.toContain('tokens');
    });

    test('may go back on an instance that could not know that another one owns the item', () => {
      const { instance, begunMs } = recording.runs.at(-1)!;
      const exemptions = [{ name: instance, fromMs: begunMs - 1, toMs: begunMs + 1 }];

      expect(broken({ runs: runs(() => ({ token: 1 })), exemptions })).not.toContain('tokens');
    });

    test('may go back without marks on an instance that the registry has replaced as the owner', () => {
      const { instance } = recording.runs.at(-1)!;
      const other = instance === 'A' ? 'B' : 'A';

      expect(broken({ runs: runs(() => ({ token: 1, instance: other })) })).not.toContain('tokens');
    });
  });

  describe('crowding', () => {
    /** The last run takes a while; another one may begin meanwhile. */
    const two = (changes: Partial<Run> = {}): readonly Run[] => {
      const long = runs(({ begunMs }) => ({ endedMs: begunMs + 100 }));
      return [...long, { ...long.at(-1)!, item: 7, ...changes }];
    };

    test('is more items at once than the pool has places, of one firing or of several', () => {
      expect(broken({ runs: two() }, { ...history, poolSize: 1 })).toContain('crowding');
      expect(broken({ runs: two() }, { ...history, poolSize: 2 })).not.toContain('crowding');
    });

    test('does not count items of other instances, nor aborted runs', () => {
      const { begunMs } = recording.runs.at(-1)!;

      expect(broken({ runs: two({ instance: 'C' }) }, { ...history, poolSize: 1 })).not.toContain('crowding');
      expect(broken({ runs: two({ abortedMs: begunMs }) }, { ...history, poolSize: 1 })).not.toContain('crowding');
    });
  });

  describe('reruns', () => {
    /** Another run for the same instant, later. */
    const again = (changes: Partial<Run> = {}): Run => {
      const last = recording.runs.at(-1)!;
      return {
        ...last,
        begunMs: last.begunMs + 3_000,
        endedMs: last.begunMs + 3_001,
        token: last.token + 1,
        ...changes,
      };
    };

    test('are a fault of an instance that has ended the run itself', () => {
      expect(broken({ runs: [...recording.runs, again()] })).toContain('ownReruns');
    });

    test('are none of another instance, nor after an aborted run', () => {
      expect(broken({ runs: [...recording.runs, again({ instance: 'C' })] })).not.toContain('ownReruns');
      const aborted = runs(({ begunMs }) => ({ abortedMs: begunMs, end: 'aborted' }));
      expect(broken({ runs: [...aborted, again()] })).not.toContain('ownReruns');
    });
  });

  test('an error that reached nothing is a fault', () => {
    expect(broken({ unhandled: ['unhandled rejection of Error: x'] })).toContain('unhandled');
  });

  test('a process may warn of a logger that fails', () => {
    const unhandled = ['A logger failed; its entries are lost: Error: ENOSPC'];
    const failing = {
      ...history,
      steps: [...history.steps, { atMs: 0, type: 'fail-logger', name: 'A', ms: 1 } as const],
    };

    expect(broken({ unhandled }, failing)).not.toContain('unhandled');
    expect(broken({ unhandled })).toContain('unhandled');
    expect(broken({ unhandled: ['unhandled rejection of Error: x'] }, failing)).toContain('unhandled');
  });

  test.each([
    ['a firing', 'items 0-1 at the firing of 2030-01-01T00:00:10.000Z, and no run makes up for that.'],
    [
      'one of several firings',
      'items 7 at the 2 firings from 2030-01-01T00:00:01.000Z to 2030-01-01T00:00:02.000Z, items 0 at the 3 firings from 2030-01-01T00:00:05.000Z to 2030-01-01T00:00:15.000Z, and',
    ],
  ])('%s that the log calls lost although it was run is a fault', (_, text) => {
    const logs = new Map([['A', [`12.000 Job 'bill': no instance ran ${text}`]]]);

    expect(broken({ logs })).toContain('lostFirings');
    expect(broken({ logs, runs: [] })).not.toContain('lostFirings');
  });

  test('a latch of Java’s is a fault where there is no Java instance', () => {
    const path = '/bill/leader/failover/latch/_c_1-latch-0000000000';
    const change = { path, before: undefined, after: '' };
    const commits = [...recording.commits, { atMs: 90_000, revision: 9_999, by: 'A', changes: [change] }];

    expect(broken({ commits })).toContain('foreignLatches');
  });
});

describe('items that were dropped and come back', () => {
  const total = (atMs: number, shardingTotalCount: number) =>
    ({ atMs, type: 'reconfigure', change: { shardingTotalCount } }) as const;
  const there = aHistory([join('A'), total(26_000, 1), total(43_000, 3)], { job: { periodSeconds: 5 } });

  /** Says that the first run of an item after it came back was for this instant. */
  const runsFor =
    (item: number, scheduledMs: number) =>
    ({ runs }: Recording): Partial<Recording> => {
      const first = runs.findIndex((run) => run.item === item && run.begunMs > 43_000);
      return { runs: runs.map((run, index) => (index === first ? { ...run, scheduledMs } : run)) };
    };

  test('are not to be run for an instant at which they did not exist', async () => {
    expect(await rulesBrokenBy(there, runsFor(1, 35_000))).toContain('returnedItems');
    const unmonitored = { ...there, job: { ...there.job, monitorExecution: false } };
    expect(await rulesBrokenBy(unmonitored, runsFor(1, 35_000))).not.toContain('returnedItems');
  });

  test('have not been dropped if no leader has seen the lower number', async () => {
    const history = aHistory(
      [join('A'), { atMs: 26_000, type: 'kill', name: 'A' }, total(27_000, 1), total(42_000, 3), join('B', 42_500)],
      { job: { periodSeconds: 20 } },
    );

    const recording = await play(history);

    expect(recording.runs.find(({ item, instance }) => item === 1 && instance === 'B')?.scheduledMs).toBe(40_000);
    expect(brokenRules(history, recording)).not.toContain('returnedItems');
  });

  test('may be run for an instant shortly after they came back', async () => {
    expect(await rulesBrokenBy(there, runsFor(1, 45_000))).not.toContain('returnedItems');
  });

  test('differ from items that there have never been, which any firing may run', async () => {
    expect(await rulesBrokenBy(there, runsFor(2, 35_000))).not.toContain('returnedItems');
  });
});
