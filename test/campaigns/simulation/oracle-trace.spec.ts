import { describe, expect, test } from '@jest/globals';
import { aHistory, join, rulesBrokenBy } from './a-history.js';
import { type ProcessTrace, type Recording, type TraceRow } from './recording.js';

const history = aHistory([join('A'), join('B')], { behaviours: ['quick', 'failing'] });

/** The recording with another trace of its first process. */
function tracing(change: (trace: ProcessTrace) => Partial<ProcessTrace>): (recording: Recording) => Partial<Recording> {
  return ({ traces: [first, ...others] }) => ({ traces: [{ ...first!, ...change(first!) }, ...others] });
}

/** The recording with another first row of its first process; `undefined`: without it. */
function tracingRow(
  change: (row: TraceRow) => Partial<TraceRow> | undefined,
): (recording: Recording) => Partial<Recording> {
  return tracing(({ rows }) => {
    const [[id, row]] = rows as unknown as [[string, TraceRow]];
    const changed = change(row);
    const others = [...rows].slice(1);
    return { rows: new Map(changed === undefined ? others : [[id, { ...row, ...changed }], ...others]) };
  });
}

describe('the rules of the trace', () => {
  test('find nothing wrong with a trace that has everything', async () => {
    expect(await rulesBrokenBy(history)).toEqual([]);
  });

  test('notice a run without a row, and an item that was begun and not traced', async () => {
    const broken = await rulesBrokenBy(
      history,
      tracingRow(() => undefined),
    );

    expect(broken).toEqual(['tracedItems', 'tracedRuns']);
  });

  test('notice a row of nothing', async () => {
    const more = tracing(({ rows }) => ({ rows: new Map([...rows, ['another', [...rows.values()][0]!]]) }));

    expect(await rulesBrokenBy(history, more)).toEqual(['tracedItems']);
  });

  test('notice a row of another moment', async () => {
    expect(
      await rulesBrokenBy(
        history,
        tracingRow(({ startMs }) => ({ startMs: startMs - 1 })),
      ),
    ).toEqual(['tracedRuns']);
  });

  test('notice a row without an end, and one that ends at another moment', async () => {
    expect(
      await rulesBrokenBy(
        history,
        tracingRow(() => ({ endMs: undefined })),
      ),
    ).toEqual(['tracedRuns', 'tracedEnds']);
    expect(
      await rulesBrokenBy(
        history,
        tracingRow(({ endMs }) => ({ endMs: endMs! + 1 })),
      ),
    ).toEqual(['tracedRuns']);
  });

  test('notice a row that says the contrary of what happened', async () => {
    expect(
      await rulesBrokenBy(
        history,
        tracingRow(({ success }) => ({ success: !success })),
      ),
    ).toEqual(['tracedRuns']);
  });

  test('notice a row that was delivered again, and one whose start was not delivered', async () => {
    expect(
      await rulesBrokenBy(
        history,
        tracingRow(() => ({ deliveries: 3 })),
      ),
    ).toEqual(['tracedEnds']);
    expect(
      await rulesBrokenBy(
        history,
        tracingRow(() => ({ deliveries: 1 })),
      ),
    ).toEqual(['tracedEnds']);
  });

  test('notice a run that has no end, or two', async () => {
    expect(
      await rulesBrokenBy(
        history,
        tracing(({ ended }) => ({ ended: ended - 1 })),
      ),
    ).toEqual(['tracedStates']);
    expect(
      await rulesBrokenBy(
        history,
        tracing(({ ended }) => ({ ended: ended + 1 })),
      ),
    ).toEqual(['tracedStates']);
  });

  test('excuse what a process could not trace before it died', async () => {
    const dying = aHistory([join('A'), { atMs: 22_000, type: 'kill', name: 'A' }], {
      behaviours: ['slow', 'slow'],
      poolSize: 1,
    });

    expect(await rulesBrokenBy(dying)).toEqual([]);
    const alive = tracing(() => ({ diedMs: undefined }));
    expect(await rulesBrokenBy(dying, alive)).toEqual(['tracedItems', 'tracedEnds', 'tracedStates']);
  });
});
