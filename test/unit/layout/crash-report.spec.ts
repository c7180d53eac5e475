import { expect, test } from '@jest/globals';
import { decodeCrash, encodeCrash } from '../../../lib/layout/x-node/crash-report.js';

test.each([0, 1_893_456_005_000, undefined])('a report of the firing at %s says so', (instant) => {
  expect(decodeCrash(encodeCrash(instant))).toBe(instant);
});

test.each(['', '10.0.0.1@-@4711', '-5', '1e3', '9'.repeat(16)])(
  'a report of another hand, %j, says nothing',
  (text) => {
    expect(decodeCrash(text)).toBeUndefined();
  },
);
