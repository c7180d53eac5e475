import { expect, test } from '@jest/globals';
import {
  type AcceptedTriggers,
  decodeAccepted,
  encodeAccepted,
  isReadBack,
  NOTHING_ACCEPTED,
  type WaitingRun,
  withAccepted,
  withDropped,
  withoutBegun,
} from '../../../lib/layout/x-node/accepted-triggers.js';

const run = (jobParameter: string | undefined, items: readonly number[], isForAll = false): WaitingRun => ({
  jobParameter,
  isForAll,
  items: new Set(items),
});
const accepted = (waiting: readonly WaitingRun[], dropped: readonly number[] = []): AcceptedTriggers => ({
  waiting,
  dropped: new Set(dropped),
});

test('what was accepted is read back, in order', () => {
  const text = ['all: 0-3', 'waiting "only \\"Beijing\\"": 7', 'all "x": 4', 'dropped: 5'].join('\n');
  const record = accepted([run(undefined, [0, 1, 2, 3], true), run('only "Beijing"', [7]), run('x', [4], true)], [5]);

  expect(decodeAccepted(text)).toEqual(record);
  expect(encodeAccepted(record)).toBe(text);
  expect(encodeAccepted(NOTHING_ACCEPTED)).toBe('');
});

test.each(['', 'x', 'all', 'all: ', 'waiting: x', 'waiting "open: 3', 'later: 3'])('of %j nothing is read', (text) => {
  expect(decodeAccepted(text)).toEqual(NOTHING_ACCEPTED);
});

test('a trigger with the same job parameter waits with the earlier one, others after it', () => {
  const one = withAccepted(NOTHING_ACCEPTED, { ...run('x', []), items: [0, 1] });
  const two = withAccepted(one, { ...run('y', []), items: [0] });
  const three = withAccepted(two, { ...run('x', []), items: [1, 2] });

  expect(three).toEqual(accepted([run('x', [0, 1, 2]), run('y', [0])]));
});

test('an item that is triggered again counts as dropped no more', () => {
  expect(withAccepted(accepted([], [0, 1]), { ...run(undefined, []), items: [1] })).toEqual(
    accepted([run(undefined, [1])], [0]),
  );
});

test('items that are begun wait no more with that job parameter, and those left complete the run of all', () => {
  const before = accepted([run(undefined, [0, 1], true), run('x', [0])], [5]);

  expect(withoutBegun(before, new Set([0]), undefined)).toEqual(accepted([run(undefined, [1]), run('x', [0])], [5]));
  expect(withoutBegun(before, new Set([0]), 'x')).toEqual(accepted([run(undefined, [0, 1], true)], [5]));
  expect(withoutBegun(before, new Set([7]), undefined)).toEqual(before);
});

test('items that are dropped wait no more with any job parameter', () => {
  expect(withDropped(accepted([run(undefined, [0, 1]), run('x', [0])]), new Set([0]))).toEqual(
    accepted([run(undefined, [1])], [0]),
  );
});

test('a text that claims more items than can wait is read as far as the largest job could be meant', () => {
  const { waiting } = decodeAccepted(Array.from({ length: 1_000 }, (_, n) => `waiting "${n}": 0-99999`).join('\n'));

  expect(waiting.length).toBe(16);
  expect(waiting[0]?.items.size).toBe(100_000);
  expect(isReadBack(encodeAccepted({ waiting, dropped: new Set() }))).toBe(true);
  expect(isReadBack(encodeAccepted({ waiting, dropped: new Set([0]) }))).toBe(false);
});
