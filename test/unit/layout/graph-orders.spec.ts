import { describe, expect, test } from '@jest/globals';
import {
  decodeOrders,
  encodeOrders,
  type GraphOrders,
  NO_ORDERS,
  scheduledFor,
  withOverride,
  withRun,
} from '../../../lib/layout/x-node/graph-orders.js';
import { isRunKey, kindOf, lastOfEachKind, nextRunKey } from '../../../lib/layout/x-node/run-key.js';

const NOTHING = { of: undefined, items: undefined, as: undefined };
const orders: GraphOrders = {
  pausedAt: 1_000,
  runs: [
    { key: 5_001, ...NOTHING },
    { key: 7_123, ...NOTHING, of: 5_001 },
    { key: 7_124, ...NOTHING, of: 5_001, items: [2, 3, 7] },
    { key: 7_125, ...NOTHING, of: 5_001, as: 'skipped' },
  ],
  overrides: new Map([
    [9_000, 'stop'],
    [10_000, 'skip'],
  ]),
};

describe('the orders for a job', () => {
  test('have a line each, and are read back', () => {
    const text = encodeOrders(orders);

    expect(text.split('\n')).toEqual([
      'paused 1000',
      'run 5001',
      'run 7123 of 5001',
      'run 7124 of 5001 items 2-3,7',
      'run 7125 of 5001 as skipped',
      'stop 9000',
      'skip 10000',
    ]);
    expect(decodeOrders(text)).toEqual(orders);
    expect(encodeOrders(NO_ORDERS)).toBe('');
    expect(decodeOrders('what is this\nrun x')).toEqual(NO_ORDERS);
  });

  test('are kept for the latest hundred rounds', () => {
    let many = NO_ORDERS;
    for (let key = 1; key <= 150; key++) many = withOverride(withRun(many, { key, ...NOTHING }), key * 1_000, 'skip');

    const kept = decodeOrders(encodeOrders(many));

    expect([kept.runs.length, kept.runs[0]?.key]).toEqual([100, 51]);
    expect([kept.overrides.size, Math.min(...kept.overrides.keys())]).toEqual([100, 51_000]);
  });

  test('give a round that is run again its original instant', () => {
    expect([5_001, 7_123, 9_000].map((instant) => scheduledFor(orders, instant))).toEqual([5_001, 5_001, 9_000]);
  });
});

describe('a run key', () => {
  test('is no instant of a schedule, and later than the last one', () => {
    expect(nextRunKey(5_123, -Infinity)).toBe(5_123);
    expect(nextRunKey(5_000, -Infinity)).toBe(5_001);
    expect(nextRunKey(5_000.7, 6_998)).toBe(6_999);
    expect(nextRunKey(5_000, 6_999)).toBe(7_001);
    expect([5_000, 5_001].map(isRunKey)).toEqual([false, true]);
    expect([5_000, 5_001].map(kindOf)).toEqual(['scheduled', 'key']);
  });

  test('forms a sequence of its own', () => {
    expect(lastOfEachKind([5_000, 4_001, 3_000, 6_001])).toEqual({ scheduled: 5_000, key: 6_001 });
    expect(lastOfEachKind([])).toEqual({});
  });
});
