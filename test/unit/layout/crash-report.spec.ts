import { expect, test } from '@jest/globals';
import { decodeCrash, encodeCrash } from '../../../lib/layout/x-node/crash-report.js';

test('a report is a text that people can read too', () => {
  const text = (instant?: number, jobParameter?: string) => encodeCrash({ instant, jobParameter });

  expect([text(1_893_456_005_000), text(), text(undefined, 'only "Beijing"')]).toEqual([
    '1893456005000',
    'unknown',
    'manual "only \\"Beijing\\""',
  ]);
});

test.each([0, 1_893_456_005_000, undefined])('a report of the firing at %s says so', (instant) => {
  const run = { instant, jobParameter: undefined };
  expect(decodeCrash(encodeCrash(run))).toEqual(run);
});

test.each(['', 'only Beijing', '"', '1'])(
  'a report of a manual run with the job parameter %j says so',
  (jobParameter) => {
    const run = { instant: undefined, jobParameter };
    expect(decodeCrash(encodeCrash(run))).toEqual(run);
  },
);

test.each(['', '10.0.0.1@-@4711', '-5', '1e3', '9'.repeat(16), 'manual', 'manual x', 'manual 1', '"x"'])(
  'a report of another hand, %j, says nothing',
  (text) => {
    expect(decodeCrash(text)).toEqual({ instant: undefined, jobParameter: undefined });
  },
);
