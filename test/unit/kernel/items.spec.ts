import { expect, test } from '@jest/globals';
import { describeItems } from '../../../lib/kernel/view/items.js';

test('items are described by ranges, in ascending order', () => {
  expect(describeItems([7, 0, 1, 2])).toBe('0-2,7');
  expect(describeItems([])).toBe('');
  expect(describeItems(Array.from({ length: 100_000 }, (_, item) => item))).toBe('0-99999');
});

test('of items in very many ranges the first ones are named, and how many there are', () => {
  const even = Array.from({ length: 50_000 }, (_, index) => 2 * index);

  const described = describeItems(even);

  expect(described).toMatch(/^0,2,4,.*,\d+,… \(50000 items\)$/);
  expect(described.length).toBeLessThan(230);
});
