import { expect, test } from '@jest/globals';
import { decodeAssignmentRecord, encodeAssignmentRecord } from '../../../lib/layout/x-node/assignment-record.js';

test('a record of an assignment is read back', () => {
  const record = { itemCount: 100_000, basis: '5feceb66ffc86f38' };

  expect(encodeAssignmentRecord(record)).toBe('items: 100000\nbasis: 5feceb66ffc86f38');
  expect(decodeAssignmentRecord(encodeAssignmentRecord(record))).toEqual(record);
});

test.each([
  '',
  'items: 4',
  'items: x\nbasis: 5f',
  'items: 4\nbasis: 5f\nmore',
  'more\nitems: 4\nbasis: 5f',
  'more items: 4\nbasis: 5f',
  'basis: 5f\nitems: 4',
])('a record of another hand, %j, says nothing', (text) => {
  expect(decodeAssignmentRecord(text)).toBeUndefined();
});
