import { expect, test } from '@jest/globals';

import { decodeTrigger, encodeTrigger } from '../../../lib/layout/x-node/trigger.js';

test('a trigger without a job parameter is empty, as Java and its consoles write it', () => {
  expect(encodeTrigger({})).toBe('');
  expect(decodeTrigger('')).toEqual({});
});

test.each(['only Beijing', '', 'a "b"\n'])('a trigger with the job parameter %j is read back', (jobParameter) => {
  expect(encodeTrigger({ jobParameter })).toBe(`{"jobParameter":${JSON.stringify(jobParameter)}}`);
  expect(decodeTrigger(encodeTrigger({ jobParameter }))).toEqual({ jobParameter });
});

// An operator’s tool may have written anything; the trigger must fire all the same.
test.each(['TRIGGER', 'null', '5', '"jobParameter"', '[]', '{}', '{"jobParameter":5}', '{"":"x"}', '{"jobParameter"'])(
  'a trigger of another hand, %j, has no job parameter of its own',
  (text) => {
    expect(decodeTrigger(text)).toStrictEqual({});
  },
);
