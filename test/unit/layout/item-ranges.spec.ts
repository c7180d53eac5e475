import { describe, expect, test } from '@jest/globals';
import { decodeArrivals } from '../../../lib/layout/x-node/arrival-record.js';
import { decodeBeginRecord } from '../../../lib/layout/x-node/begin-record.js';
import { fromRanges, ItemRanges, toRanges } from '../../../lib/layout/x-node/item-ranges.js';
import { decodeTrigger } from '../../../lib/layout/x-node/trigger.js';

test('items are written in ascending order, neighbours as a range, and are read back', () => {
  expect(toRanges([7, 0, 2, 1])).toBe('0-2,7');
  expect(fromRanges('0-2,7')).toEqual([0, 1, 2, 7]);
  expect(fromRanges(toRanges([]))).toEqual([]);
});

test.each([
  ['3,1-3', [3, 1, 2]],
  ['5-4,x,,1-x, 7 ', [7]],
  ['0-100000,8', [8]],
  ['0-9999999999,8', [8]],
])('of %j each item that can be read is there once: %j', (text, items) => {
  expect(fromRanges(text)).toEqual(items);
});

test('a list has all items of the largest job', () => {
  expect(fromRanges('0-99999')).toHaveLength(100_000);
});

describe('a text that claims 300 million items', () => {
  const claims = Array.from({ length: 3_000 }, () => '0-99999').join(',');

  test('costs no more than one that claims what a job can have', () => {
    expect(fromRanges(claims)).toHaveLength(100_000);
    expect(decodeTrigger(JSON.stringify({ items: claims }))).toHaveProperty('problem');
    expect(decodeBeginRecord(`1767225600000: ${claims}\nmanual: ${claims}`).instants.size).toBe(100_000);
  });

  test('is one text, whatever the number of its lists', () => {
    const ranges = new ItemRanges(2);

    const sizes = [
      ranges.read('0-99999'),
      ranges.read('0-99998'),
      ranges.read('0-1'),
      ranges.read('7'),
      ranges.read('8'),
    ];

    expect(sizes.map((items) => items.length)).toEqual([100_000, 99_999, 0, 1, 0]);
  });

  test('is no more in a record of rounds than eight open and eight dropped ones of all items', () => {
    const lines = Array.from({ length: 3_000 }, (_, n) => `${n}/AUDIT started 0-99999`).join('\n');

    const started = [...decodeArrivals(lines).rounds.values()].map((round) => round.started.size);

    expect(started.reduce((sum, size) => sum + size, 0)).toBe(1_600_000);
  });
});
