import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import {
  decodeBeginRecord,
  encodeBeginRecord,
  type BeginRecord,
  mergeBeginRecords,
  withBegun,
  withoutBegun,
} from '../../lib/layout/x-node/begin-record.js';
import { expectProperty } from '../support/property.js';

const later = 1767225600000;
const earlier = 1767225595000;

function record(instants: Iterable<readonly [number, number]>, manual: readonly number[] = []): BeginRecord {
  return { instants: new Map(instants), manual: new Set(manual) };
}

test('items of one instant share a line, in ranges, and the latest instant comes first', () => {
  const firings = record([4, 7, 0, 2, 1, 3].map((item) => [item, item === 4 ? earlier : later]));

  expect(encodeBeginRecord(firings)).toBe(`${later}: 0-3,7\n${earlier}: 4`);
});

test('a thousand items that fired together need thirty characters', () => {
  const firings = record(Array.from({ length: 1000 }, (_, item) => [item, later] as const));

  expect(encodeBeginRecord(firings)).toBe(`${later}: 0-999`);
});

test('what is written is read back', () => {
  const firings = fc.array(
    fc.tuple(
      fc.nat(2000),
      fc.nat(5).map((ago) => later - ago * 5000),
    ),
  );

  expectProperty(
    fc.property(firings, fc.array(fc.nat(2000)), (entries, manual) => {
      const written = record(entries, manual);
      expect(decodeBeginRecord(encodeBeginRecord(written))).toEqual(written);
    }),
  );
});

test.each<[text: string, firings: Record<number, number>]>([
  ['', {}],
  ['TRIGGER', {}],
  ['1767225600000', {}],
  ['x: 1\n1767225600000: 2', { 2: later }],
  ['1767225600000: 1,x,-3,5-4,7', { 1: later, 7: later }],
  ['1767225600000: 0-2147483647,8', { 8: later }],
  [' 1767225600000 : 1 , 2 \r\n', { 1: later, 2: later }],
  ['1767225595000: 1\n1767225600000: 1\n1767225595000: 1', { 1: later }],
])('of %j all is taken that can be read', (text, firings) => {
  expect(Object.fromEntries(decodeBeginRecord(text).instants)).toEqual(firings);
});

test('items that were begun manually after their last instant stand in a line of their own', () => {
  expect(encodeBeginRecord(record([[4, later]], [4, 6, 5]))).toBe(`${later}: 4\nmanual: 4-6`);
});

describe('of several records', () => {
  test('the latest instant of each item counts', () => {
    const { instants } = mergeBeginRecords([
      record([[0, earlier]]),
      undefined,
      record([[0, later]]),
      record([[1, earlier]]),
    ]);
    expect(instants).toEqual(
      new Map([
        [0, later],
        [1, earlier],
      ]),
    );
  });

  test('an item was begun manually if that was after the latest instant', () => {
    const triggered = record(
      [
        [0, earlier],
        [1, earlier],
      ],
      [0, 1, 2],
    );
    expect(
      mergeBeginRecords([
        triggered,
        record([
          [0, later],
          [1, earlier],
        ]),
      ]).manual,
    ).toEqual(new Set([1, 2]));
  });
});

describe('beginning an item', () => {
  test('for an instant replaces what was begun before, manually or not', () => {
    expect(withBegun(record([[0, earlier]], [0]), [0], later, new Map())).toEqual(record([[0, later]]));
  });

  test('of a manual run names the last instant that anybody has begun it for', () => {
    expect(withBegun(record([]), [0, 1], undefined, new Map([[0, later]]))).toEqual(record([[0, later]], [0, 1]));
  });
});

test('what was not to be begun is taken back, item by item', () => {
  const before = record([[0, earlier]], [1]);
  const begun = withBegun(before, [0, 1], later, new Map());
  const since = withBegun(begun, [2], later, new Map());
  expect(withoutBegun(since, [0, 1], before)).toEqual(
    record(
      [
        [0, earlier],
        [2, later],
      ],
      [1],
    ),
  );
});
