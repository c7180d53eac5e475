import { expect, test } from '@jest/globals';
import fc from 'fast-check';

import { decodeFirings, encodeFirings } from '../../lib/layout/firing-record.js';

const later = 1767225600000;
const earlier = 1767225595000;

test('items of one instant share a line, in ranges, and the latest instant comes first', () => {
  const firings = new Map([4, 7, 0, 2, 1, 3].map((item) => [item, item === 4 ? earlier : later]));

  expect(encodeFirings(firings)).toBe(`${later}: 0-3,7\n${earlier}: 4`);
});

test('a thousand items that fired together need thirty characters', () => {
  const firings = new Map(Array.from({ length: 1000 }, (_, item) => [item, later]));

  expect(encodeFirings(firings)).toBe(`${later}: 0-999`);
});

test('what is written is read back', () => {
  const firings = fc.array(
    fc.tuple(
      fc.nat(2000),
      fc.nat(5).map((ago) => later - ago * 5000),
    ),
  );

  fc.assert(
    fc.property(firings, (entries) => {
      const map = new Map(entries);
      expect(decodeFirings(encodeFirings(map))).toEqual(map);
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
  expect(Object.fromEntries(decodeFirings(text))).toEqual(firings);
});
