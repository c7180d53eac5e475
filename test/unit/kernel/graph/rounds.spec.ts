import { describe, expect, test } from '@jest/globals';
import { completedRounds, lostRuns, NO_UPSTREAMS, openItems } from '../../../../lib/kernel/graph/rounds.js';
import { type JobView } from '../../../../lib/layout/job-view.js';
import { NOTHING_BEGUN } from '../../../../lib/layout/x-node/begin-record.js';
import { type EndedRun, NOTHING_ENDED, withEnded } from '../../../../lib/layout/x-node/end-record.js';
import { NO_ORDERS } from '../../../../lib/layout/x-node/graph-orders.js';
import { NO_ROUNDS, withRounds } from '../../../../lib/layout/x-node/round-record.js';
import { aConfiguration, aView, anItem, idOf } from '../../../support/views.js';

const [t1, t2, t3] = [1_000, 2_000, 3_000];

const ended = (item: number, instant: number, end: EndedRun['end'] = 'succeeded'): EndedRun => ({ item, instant, end });

/** Two items of A and B, of whose runs these have ended, in the records of both. */
function afterRuns(runs: readonly EndedRun[], changes: Partial<JobView> = {}): JobView {
  const record = (item: number) =>
    withEnded(
      NOTHING_ENDED,
      runs.filter((run) => run.item % 2 === item),
    );
  const ends = new Map([
    [idOf('A'), record(0)],
    [idOf('B'), record(1)],
  ]);
  return aView(['A', 'B'], {
    graph: {
      ends,
      rounds: NO_ROUNDS,
      orders: NO_ORDERS,
      ordersVersion: undefined,
      successors: new Map([['next', undefined]]),
    },
    ...changes,
  });
}

const outcomes = (view: JobView, upstreams = NO_UPSTREAMS): readonly string[] =>
  completedRounds(view, upstreams).map(({ instant, outcome, failed }) =>
    `${instant} ${outcome} ${failed.join()}`.trim(),
  );

describe('a round', () => {
  test('is complete when all items have ended', () => {
    expect(outcomes(afterRuns([ended(0, t1)]))).toEqual([]);
    expect(openItems(afterRuns([ended(0, t1)]), t1, NO_UPSTREAMS)).toEqual([1]);
    expect(outcomes(afterRuns([ended(0, t1), ended(1, t1)]))).toEqual([`${t1} succeeded`]);
  });

  test('has failed if one of its items has', () => {
    expect(outcomes(afterRuns([ended(0, t1), ended(1, t1, 'failed')]))).toEqual([`${t1} failed 1`]);
  });

  test('waits for the round before it', () => {
    expect(outcomes(afterRuns([ended(0, t1), ended(0, t2), ended(1, t1)]))).toEqual([`${t1} succeeded`]);
  });

  test('is part of the later one in which an item has made up for it', () => {
    const view = afterRuns([ended(0, t1), ended(0, t2), ended(0, t3), ended(1, t1), ended(1, t3)]);

    expect(outcomes(view)).toEqual([`${t1} succeeded`, `${t3} succeeded`]);
  });

  test('that is on record is complete once', () => {
    const { graph } = afterRuns([ended(0, t1), ended(1, t1)]);
    const known = { instant: t1, completedAt: t1, outcome: 'succeeded', failed: [] } as const;
    const view = aView(['A', 'B'], { graph: { ...graph, rounds: withRounds(NO_ROUNDS, [known]) } });

    expect(outcomes(view)).toEqual([]);
  });

  test.each([
    ['waits to be taken over', { crashedItems: [1] }],
    ['is taken over', { items: [anItem(0), anItem(1, { takenOverBy: idOf('B'), failoveringBy: idOf('B') })] }],
  ])('is open while an item that has ended once %s for it', (_, state) => {
    const crashReports = new Map([[1, { instant: t1, jobParameter: undefined }]]);
    const runs = [ended(0, t1), ended(1, t1)];

    expect(outcomes(afterRuns(runs, { ...state, crashReports }))).toEqual([]);
    expect(outcomes(afterRuns(runs, { ...state, crashReports: new Map() }))).toEqual([`${t1} succeeded`]);
  });

  test('has no part for a disabled item that does not run', () => {
    const disabled = (running: boolean) => ({ items: [anItem(0), anItem(1, { disabled: true, running })] });

    expect(outcomes(afterRuns([ended(0, t1)], disabled(false)))).toEqual([`${t1} succeeded`]);
    expect(outcomes(afterRuns([ended(0, t1)], disabled(true)))).toEqual([]);
  });

  test('has no part for an item that came back after it', () => {
    const record = (instant: number) => ({
      beginRecords: new Map([[idOf('A'), { ...NOTHING_BEGUN, returned: new Map([[1, instant]]) }]]),
    });

    expect(outcomes(afterRuns([ended(0, t1)], record(t1)))).toEqual([`${t1} succeeded`]);
    expect(outcomes(afterRuns([ended(0, t2)], record(t1)))).toEqual([]);
  });

  test('waits for an item that is none any more and runs, unless it is known to run for another instant', () => {
    const whileItem2Runs = (lastBegun: readonly (readonly [number, number])[], isRead: boolean) =>
      afterRuns([ended(0, t1), ended(1, t1)], {
        items: [anItem(0), anItem(1), anItem(2, { running: true })],
        lastBegun: new Map(lastBegun),
        beginRecords: new Map([[idOf('A'), isRead ? NOTHING_BEGUN : undefined]]),
      });

    expect(outcomes(whileItem2Runs([[2, t1]], true))).toEqual([]);
    expect(outcomes(whileItem2Runs([], false))).toEqual([]);
    expect(outcomes(whileItem2Runs([], true))).toEqual([`${t1} succeeded`]);
    expect(outcomes(whileItem2Runs([[2, t2]], false))).toEqual([`${t1} succeeded`]);
  });

  test('that upstream jobs keep from running is complete in its turn', () => {
    const upstreams = {
      instants: [t1, t2],
      fateOf: (_: number, instant: number) => (instant === t2 ? 'stopped' : 'runs'),
    } as const;

    expect(outcomes(afterRuns([]), upstreams)).toEqual([]);
    expect(outcomes(afterRuns([ended(0, t1), ended(1, t1)]), upstreams)).toEqual([`${t1} succeeded`, `${t2} stopped`]);
  });
});

describe('a run whose instance is gone', () => {
  const gone = idOf('Z');
  const begun = new Map([[gone, { ...NOTHING_BEGUN, instants: new Map([[1, t2]]) }]]);
  const lost = (runs: readonly EndedRun[], changes: Partial<JobView> = {}): readonly EndedRun[] =>
    lostRuns(afterRuns(runs, { beginRecords: begun, ...changes }), [gone]);

  test('has failed if it has not ended and is not taken over', () => {
    expect(lost([ended(1, t1)])).toEqual([ended(1, t2, 'failed')]);
    expect(lost([ended(1, t2)])).toEqual([]);
    expect(lost([], { crashedItems: [1] })).toEqual([]);
    expect(lost([], { items: [anItem(0), anItem(1, { running: true })] })).toEqual([]);
  });

  test('is nothing to write down in a job of no graph, or from before it was in one', () => {
    const graph = (since: number) => ({
      ...aView([]).graph,
      orders: NO_ORDERS,
      successors: new Map([['next', since]]),
    });

    expect(lostRuns(aView(['A'], { beginRecords: begun }), [gone])).toEqual([]);
    expect(lost([], { graph: graph(t2) })).toEqual([]);
    expect(lost([], { graph: graph(t1) })).toEqual([ended(1, t2, 'failed')]);
  });

  test('counts in a job that runs after others', () => {
    const config = aConfiguration({ props: { 'graph.after': 'A' } });

    expect(lostRuns(aView(['A'], { config, beginRecords: begun }), [gone])).toEqual([ended(1, t2, 'failed')]);
  });
});
