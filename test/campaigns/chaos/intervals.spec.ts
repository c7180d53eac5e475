import { describe, expect, test } from '@jest/globals';
import { Intervals } from './checker/intervals.js';

const set = new Intervals([
  { from: 30, to: 40, why: 'c' },
  { from: 10, to: 15, why: 'a' },
  { from: 12, to: 20, why: 'b' },
]);

describe('intervals', () => {
  test('are joined where they touch', () => {
    expect([...set].map(({ from, to }) => [from, to])).toEqual([
      [10, 20],
      [30, 40],
    ]);
  });

  test('contain their first moment and not their end', () => {
    expect([9, 10, 19, 20, 25, 30, 40].map((t) => set.contains(t))).toEqual([
      false,
      true,
      true,
      false,
      false,
      true,
      false,
    ]);
  });

  test('tell whether a stretch of time meets them', () => {
    expect([
      set.touches(0, 5),
      set.touches(0, 11),
      set.touches(19, 29),
      set.touches(20, 29),
      set.touches(0, 99),
    ]).toEqual([false, true, true, false, true]);
  });

  test('tell how much of a stretch they leave free, and how much of it on end', () => {
    expect([set.uncovered(0, 50), set.longestGap(0, 50)]).toEqual([30, 10]);
    expect([set.uncovered(12, 32), set.longestGap(12, 32)]).toEqual([10, 10]);
    expect([set.uncovered(12, 18), set.longestGap(12, 18)]).toEqual([0, 0]);
    expect([set.uncovered(50, 90), set.longestGap(50, 90)]).toEqual([40, 40]);
    expect(
      new Intervals([
        { from: -Infinity, to: 5 },
        { from: 7, to: Infinity },
      ]).uncovered(0, 100),
    ).toBe(2);
  });

  test('name the reason that covers most', () => {
    expect([set.reason(10, 20), set.reason(10, 13), set.reason(0, 5), set.why(35)]).toEqual(['b', 'a', 'nothing', 'c']);
  });
});
