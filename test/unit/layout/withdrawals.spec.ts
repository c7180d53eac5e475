import { expect, test } from '@jest/globals';

import { decodeWithdrawals, encodeWithdrawals } from '../../../lib/layout/x-node/withdrawals.js';

const ids = Array.from({ length: 25 }, (_, number) => `10.0.0.1@-@${number}`);

test('instances that have stopped are read back in their order, the latest first', () => {
  expect(encodeWithdrawals(ids.slice(0, 3))).toBe('10.0.0.1@-@0\n10.0.0.1@-@1\n10.0.0.1@-@2');
  expect(decodeWithdrawals(encodeWithdrawals(ids.slice(0, 3)))).toEqual(ids.slice(0, 3));
});

test('an instance that is named twice is one, at its latest place', () => {
  expect(decodeWithdrawals(encodeWithdrawals(['B', 'A', 'B']))).toEqual(['B', 'A']);
});

test('the twenty latest are remembered, so that the node does not grow with every deployment', () => {
  expect(decodeWithdrawals(encodeWithdrawals(ids))).toEqual(ids.slice(0, 20));
});

test.each(['', '\n', '\nA\n\nB\n'])('empty lines, as in %j, are no instances', (text) => {
  expect(decodeWithdrawals(text)).toEqual(text.includes('A') ? ['A', 'B'] : []);
});
