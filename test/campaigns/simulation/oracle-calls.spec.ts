import { beforeAll, describe, expect, test } from '@jest/globals';
import { aHistory, brokenRules, commitsWith, join, rulesBrokenBy } from './a-history.js';
import { type History, type OnceListenerTraits } from './history.js';
import { play } from './player.js';
import { type Call, type Recording } from './recording.js';

const onceListener: OnceListenerTraits = { startedTimeoutMs: 60_000, completedTimeoutMs: 0, slowestCallMs: 50 };
const history: History = aHistory([join('A'), join('B')], { onceListener });

describe('the rules of calls that are made once in the cluster', () => {
  let recording!: Recording;
  const broken = (changes: Partial<Recording>) => brokenRules(history, { ...recording, ...changes });
  const isCall = ({ phase, scheduledMs }: Call, wanted: Call['phase'], instantMs: number): boolean =>
    phase === wanted && scheduledMs === instantMs;
  /** The calls, that of a phase and an instant changed. */
  const calls = (phase: Call['phase'], instantMs: number, change: Partial<Call>): readonly Call[] =>
    recording.calls.map((call) => (isCall(call, phase, instantMs) ? { ...call, ...change } : call));
  /** The instants of three firings in the quiet end of the history. */
  const instants = (): readonly number[] =>
    [...new Set(recording.runs.map(({ scheduledMs }) => scheduledMs ?? 0))]
      .sort((one, other) => one - other)
      .slice(-4, -1);

  beforeAll(async () => {
    recording = await play(history);
  });

  test('find nothing wrong with quiet firings', () => {
    expect(recording.calls.length).toBeGreaterThan(6);
    expect(broken({})).toEqual([]);
  });

  test('notice that a firing is called twice', () => {
    const [instantMs] = instants();
    const again = recording.calls.filter((call) => isCall(call, 'after', instantMs!));

    expect(broken({ calls: [...recording.calls, ...again] })).toContain('repeatedCalls');
  });

  test('leave a second call after the registry has lost what was called', () => {
    const [instantMs] = instants();
    const [call] = recording.calls.filter((each) => isCall(each, 'after', instantMs!));
    const again = { ...call!, begunMs: call!.begunMs + 20 };
    const wipe = { atMs: call!.begunMs + 10, revision: 9_000, by: 'wipe', changes: [] };

    const changes = { calls: [...recording.calls, again], commits: [...recording.commits, wipe] };
    expect(broken(changes)).not.toContain('repeatedCalls');
  });

  test('notice an item that begins before the first call has ended', () => {
    const [instantMs] = instants();
    const run = recording.runs.find(({ scheduledMs }) => scheduledMs === instantMs)!;

    expect(broken({ calls: calls('before', instantMs!, { endedMs: run.begunMs + 1 }) })).toContain('earlyItems');
    expect(broken({ calls: calls('before', instantMs!, { endedMs: run.begunMs }) })).not.toContain('earlyItems');
  });

  describe('an item of the firing that ends after the last call', () => {
    /** The last item of an instant's firing begins and ends so long after the last call. */
    const late = (ms: number, changes: Partial<Recording> = {}): readonly string[] => {
      const [instantMs] = instants();
      const call = recording.calls.find((each) => isCall(each, 'after', instantMs!))!;
      const index = recording.runs.findLastIndex(({ scheduledMs }) => scheduledMs === instantMs);
      const run = { ...recording.runs[index]!, begunMs: call.begunMs + ms, endedMs: call.begunMs + ms + 5 };
      return broken({ runs: recording.runs.with(index, run), ...changes });
    };

    test('is a fault, be it running or still to begin', () => {
      expect(late(-1)).toContain('itemsAfterLastCall');
      expect(late(2_000)).toContain('itemsAfterLastCall');
    });

    test('is none if its instance could not know that it had lost the item', () => {
      const exemptions = ['A', 'B'].map((name) => ({ name, fromMs: 0, toMs: 100_000 }));

      expect(late(2_000, { exemptions })).not.toContain('itemsAfterLastCall');
    });

    test('is none if the firing was dropped for it, and misfire was switched on before it began, but not after that', () => {
      const { path, before } = recording.commits
        .flatMap(({ changes }) => changes)
        .find((each) => each.path === '/bill/config')!;
      const after = recording.commits.flatMap(({ changes }) => changes).find((each) => each.path === path)!.after!;
      const off = after.replace('misfire: true', 'misfire: false');
      expect(off).not.toBe(after);
      const switched = (atMs: number): Partial<Recording> => {
        const made = recording.commits.map((commit) => ({
          ...commit,
          changes: commit.changes.map((each) => (each.path === path ? { ...each, before, after: off } : each)),
        }));
        const on = { atMs, revision: 9_000, by: 'operator', changes: [{ path, before: off, after }] };
        return { commits: [...made, on].sort((one, other) => one.atMs - other.atMs) };
      };
      const { begunMs } = recording.calls.find((each) => isCall(each, 'after', instants()[0]!))!;

      expect(late(2_000, switched(begunMs + 1_000))).not.toContain('itemsAfterLastCall');
      expect(late(2_000, switched(begunMs + 3_000))).toContain('itemsAfterLastCall');
    });

    test('is none if it had been waited for during ten seconds', () => {
      const [instantMs] = instants();
      const waited = calls('after', instantMs!, { begunMs: instantMs! + 10_100, endedMs: instantMs! + 10_101 });
      const index = recording.runs.findLastIndex(({ scheduledMs }) => scheduledMs === instantMs);
      const run = { ...recording.runs[index]!, begunMs: instantMs! + 11_000, endedMs: instantMs! + 11_001 };

      const changes = { calls: waited, runs: recording.runs.with(index, run) };
      expect(broken(changes)).not.toContain('itemsAfterLastCall');
    });
  });

  test('notice calls that do not come in the order of their instants', () => {
    const [first, second] = instants();
    const swapped = recording.calls.map((call): Call => {
      if (isCall(call, 'after', first!)) return { ...call, scheduledMs: second };
      return isCall(call, 'after', second!) ? { ...call, scheduledMs: first } : call;
    });

    expect(broken({ calls: swapped })).toContain('unorderedCalls');
  });

  describe('a first call that comes after that of the next firing', () => {
    const swapped = (changes: Partial<Recording> = {}): readonly string[] => {
      const [first, second] = instants();
      const calls = recording.calls.map((call): Call => {
        if (isCall(call, 'before', first!)) return { ...call, scheduledMs: second };
        return isCall(call, 'before', second!) ? { ...call, scheduledMs: first } : call;
      });
      return broken({ calls, ...changes });
    };

    test('is a fault', () => {
      expect(swapped()).toContain('unorderedCalls');
    });

    test('is none if the instance has taken over its items, for the instances that waited for that call are dead', () => {
      const takenOver = recording.commits.map((commit) => {
        const items = commit.changes.flatMap(({ path }) => /sharding\/(\d+)\/running$/.exec(path)?.[1] ?? []);
        const marks = items.map((item) => ({
          ...{ path: `/bill/sharding/${item}/failover`, before: undefined, after: 'taken over' },
        }));
        return { ...commit, changes: [...commit.changes, ...marks] };
      });

      expect(swapped({ commits: takenOver })).not.toContain('unorderedCalls');
    });

    test('is none if nobody owned its items when that of the next firing began', () => {
      const begunMs = recording.calls.find((call) => isCall(call, 'before', instants()[0]!))!.begunMs;
      const ownerless = recording.commits.flatMap(({ changes }) =>
        changes.flatMap(({ path }) => (/sharding\/\d+\/instance$/.test(path) ? [path] : [])),
      );
      const gone = {
        ...{ atMs: begunMs - 1, revision: 9_000, by: 'operator' },
        changes: [...new Set(ownerless)].map((path) => ({ path, before: 'A', after: '' })),
      };
      const commits = [...recording.commits.filter(({ atMs }) => atMs < begunMs), gone];

      expect(swapped({ commits })).not.toContain('unorderedCalls');
    });
  });

  test('leave a call without items, which is that of a firing that came to no end', () => {
    const [first, second] = instants();
    const late = recording.calls.find((call) => isCall(call, 'after', second!))!;
    const others = recording.calls.filter((call) => !isCall(call, 'after', first!));
    const forgotten = { ...late, scheduledMs: first, items: [] };

    expect(broken({ calls: [...others, forgotten] })).not.toContain('unorderedCalls');
  });

  test('notice a call that is missing in the quiet end', () => {
    const [, , instantMs] = instants();

    expect(broken({ calls: recording.calls.filter((call) => !isCall(call, 'before', instantMs!)) })).toContain(
      'quietCalls',
    );
  });
});

describe('firings of a job with a listener', () => {
  const misfire = false;

  test('may be left out while another item of the instance is still running', async () => {
    const slow = aHistory([join('A'), { atMs: 36_000, type: 'enable-item', item: 0 }], {
      ...{ onceListener, behaviours: ['quick', 'stubborn'], job: { misfire, periodSeconds: 3 } },
    });

    const { runs } = await play(slow);

    const left = [6_000, 9_000, 12_000, 15_000, 18_000].filter(
      (instantMs) => !runs.some(({ item, scheduledMs }) => item === 0 && scheduledMs === instantMs),
    );
    expect(left.length).toBeGreaterThan(0);
    expect(await rulesBrokenBy(slow)).toEqual([]);
  });

  test('may not be left out while nothing keeps them', async () => {
    const withoutInstant = (recording: Recording): Partial<Recording> => ({
      runs: recording.runs.filter(({ scheduledMs }) => scheduledMs !== 20_000),
      calls: recording.calls.filter(({ scheduledMs }) => scheduledMs !== 20_000),
      commits: commitsWith(
        recording,
        ({ path }, { atMs }) => !path.endsWith('/running') || atMs < 19_500 || atMs > 29_000,
      ),
    });

    expect(await rulesBrokenBy(history, withoutInstant)).toContain('missedFirings');
  });
});
