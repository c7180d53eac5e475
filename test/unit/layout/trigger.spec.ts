import { expect, test } from '@jest/globals';

import { covers, decodeTrigger, encodeTrigger, mergedTriggers } from '../../../lib/layout/x-node/trigger.js';

test('a trigger without a job parameter is empty, as Java and its consoles write it', () => {
  expect(encodeTrigger({})).toBe('');
  expect(decodeTrigger('')).toEqual({});
});

test.each(['only Beijing', '', 'a "b"\n'])('a trigger with the job parameter %j is read back', (jobParameter) => {
  expect(encodeTrigger({ jobParameter })).toBe(`{"jobParameter":${JSON.stringify(jobParameter)}}`);
  expect(decodeTrigger(encodeTrigger({ jobParameter }))).toEqual({ jobParameter });
});

test('a trigger of some items names them, and is read back', () => {
  expect(encodeTrigger({ items: [7, 0, 1, 2] })).toBe('{"items":"0-2,7"}');
  expect(decodeTrigger('{"items":"0-2,7"}')).toEqual({ items: [0, 1, 2, 7] });
  expect(decodeTrigger(encodeTrigger({ items: [3], jobParameter: 'x' }))).toEqual({ items: [3], jobParameter: 'x' });
});

test('two triggers are one for the items of both, unless their job parameters differ', () => {
  expect(mergedTriggers({ items: [3, 1] }, { items: [2, 3] })).toEqual({ items: [1, 2, 3] });
  expect(mergedTriggers({ items: [3] }, {})).toEqual({});
  expect(mergedTriggers({}, { items: [3] })).toEqual({});
  const one = { items: [3], jobParameter: 'x' };
  expect(mergedTriggers(one, { jobParameter: 'x', items: [4] })).toEqual({ items: [3, 4], jobParameter: 'x' });
  expect(mergedTriggers(one, { items: [3] })).toBeUndefined();
});

test.each([
  [{}, {}, true],
  [{}, { items: [3] }, true],
  [{ items: [3] }, {}, false],
  [{ items: [1, 3] }, { items: [3] }, true],
  [{ items: [1] }, { items: [3] }, false],
  [{ jobParameter: 'x' }, { jobParameter: 'x', items: [3] }, true],
  [{ jobParameter: 'x' }, {}, false],
  [{}, { jobParameter: 'x' }, false],
])('whether %j asks for all that %j asks for: %j', (one, other, expected) => {
  expect(covers(one, other)).toBe(expected);
});

// An operator’s tool may have written anything; the trigger must fire all the same.
test.each([
  'TRIGGER',
  'null',
  '5',
  '"jobParameter"',
  '[]',
  '{}',
  '{"jobParameter":5}',
  '{"":"x"}',
  '{"jobParameter"',
  '{"items":5}',
  '{"items":"some"}',
])('a trigger of another hand, %j, has no job parameter of its own, and is for all items', (text) => {
  expect(decodeTrigger(text)).toStrictEqual({});
});
