/** The items in the trigger of each instance. */
import { expect, test } from '@jest/globals';
import { fullTriggers } from '../../../lib/layout/full-trigger.js';
import { type JobView } from '../../../lib/layout/job-view.js';
import { aConfiguration, aView, anItem, idOf } from '../../support/views.js';

const [A, B, JAVA] = [idOf('A'), idOf('B'), idOf('J')];
const CONFIG = aConfiguration({ shardingTotalCount: 2 });

/** Item 0 is A's, and item 1 is the other one's. */
const view = (other: string, changes: Partial<JobView> = {}): JobView =>
  aView(['A', other], {
    config: CONFIG,
    items: [anItem(0, { owner: A }), anItem(1, { owner: idOf(other) })],
    ...changes,
  });

const listsIn = (seen: JobView, ids = [...seen.instances.keys()]): Readonly<Record<string, unknown>> =>
  Object.fromEntries([...fullTriggers(seen, ids)].map(([id, { items }]) => [id, items]));

test('each instance is asked for the items that it owns', () => {
  expect(listsIn(view('B'))).toEqual({ [A]: [0], [B]: [1] });
});

test('an item whose owner is gone is listed with another instance', () => {
  const items = [anItem(0, { owner: A }), anItem(1, { owner: idOf('X') })];
  expect(listsIn(view('B', { items }))).toEqual({ [A]: [0, 1], [B]: [] });
});

test('also while items of our instances are about to move: whoever gets them, runs them once', () => {
  expect(listsIn(view('B', { reshardingNeeded: true }))).toEqual({ [A]: [0], [B]: [1] });
  expect(listsIn(view('B', { processing: true }))).toEqual({ [A]: [0], [B]: [1] });
});

test('a Java instance runs what it owns, and is given no list', () => {
  expect(listsIn(view('J', { javaPeers: new Set([JAVA]) }))).toEqual({ [A]: [0], [JAVA]: undefined });
});

test.each(['reshardingNeeded', 'processing'] as const)(
  'beside Java, nothing is listed while items are about to move (%s): each runs what it owns afterwards',
  (state) => {
    expect(listsIn(view('J', { javaPeers: new Set([JAVA]), [state]: true }))).toEqual({
      [A]: undefined,
      [JAVA]: undefined,
    });
  },
);

test('nothing is listed as long as the job has not got all its items', () => {
  expect(listsIn(view('B', { items: [anItem(0, { owner: A })] }))).toEqual({ [A]: undefined, [B]: undefined });
});

test('a disabled item is not listed, nor is one that the job no longer has', () => {
  const items = [anItem(0, { owner: A, disabled: true }), anItem(1, { owner: B }), anItem(2, { owner: B })];
  expect(listsIn(view('B', { items }))).toEqual({ [A]: [], [B]: [1] });
});
