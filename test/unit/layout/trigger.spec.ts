import { expect, test } from '@jest/globals';

import {
  decodeTrigger,
  encodeTrigger,
  mergedTriggers,
  rewrittenTrigger,
  withEarlier,
} from '../../../lib/layout/x-node/trigger.js';

test('a trigger without a job parameter is empty, as Java and its consoles write it', () => {
  expect(encodeTrigger({ isForAll: true })).toBe('');
  expect(decodeTrigger('')).toEqual({ isForAll: true });
});

test.each(['only Beijing', '', 'a "b"\n'])('a trigger with the job parameter %j is read back', (jobParameter) => {
  expect(encodeTrigger({ jobParameter, isForAll: true })).toBe(`{"jobParameter":${JSON.stringify(jobParameter)}}`);
  expect(decodeTrigger(encodeTrigger({ jobParameter, isForAll: true }))).toEqual({ jobParameter, isForAll: true });
});

test('a trigger of some items names them, and is read back', () => {
  expect(encodeTrigger({ items: [7, 0, 1, 2], isForAll: false })).toBe('{"items":"0-2,7"}');
  expect(decodeTrigger('{"items":"0-2,7"}')).toEqual({ items: [0, 1, 2, 7], isForAll: false });
  const some = { items: [3], jobParameter: 'x', isForAll: false };
  expect(decodeTrigger(encodeTrigger(some))).toEqual(some);
});

test.each<[items: readonly number[], text: string]>([
  [[0, 1, 2], '{"items":"0-2","all":true}'],
  [[], '{"items":"","all":true}'],
])('a trigger of all items that lists them, %j, is read back', (items, text) => {
  expect(encodeTrigger({ items, isForAll: true })).toBe(text);
  expect(decodeTrigger(text)).toEqual({ items, isForAll: true });
});

test('a trigger of what the instance owns when it accepts it, and of other items, is read back', () => {
  const both = { isForAll: true, also: [0, 1, 7] };
  expect(encodeTrigger(both)).toBe('{"also":"0-1,7"}');
  expect(decodeTrigger('{"also":"0-1,7"}')).toEqual(both);
  expect(decodeTrigger(encodeTrigger({ ...both, jobParameter: 'x' }))).toEqual({ ...both, jobParameter: 'x' });
});

test('two triggers are one for the items of both, unless their job parameters differ', () => {
  const some = (...items: number[]) => ({ items, isForAll: false });
  const all = (...items: number[]) => ({ items, isForAll: true });
  const unlisted = { isForAll: true };
  expect(mergedTriggers(some(3, 1), some(2, 3))).toEqual(some(1, 2, 3));
  const and = (...also: number[]) => ({ isForAll: true, also });
  expect(mergedTriggers(unlisted, unlisted)).toEqual(unlisted);
  expect(mergedTriggers(some(3), unlisted)).toEqual(and(3));
  expect(mergedTriggers(unlisted, some(3))).toEqual(and(3));
  expect(mergedTriggers(and(3), some(1, 3))).toEqual(and(1, 3));
  expect(mergedTriggers(and(3), unlisted)).toEqual(and(3));
  expect(mergedTriggers(some(3), all(1))).toEqual(all(1, 3));
  expect(mergedTriggers(unlisted, all(1))).toEqual(and(1));
  expect(mergedTriggers(all(), unlisted)).toEqual(unlisted);
  const one = { ...some(3), jobParameter: 'x' };
  expect(mergedTriggers(one, { ...some(4), jobParameter: 'x' })).toEqual({ ...some(3, 4), jobParameter: 'x' });
  expect(mergedTriggers(one, some(3))).toBeUndefined();
});

test.each(['TRIGGER', ' TRIGGER\n', '\n', '{}', '{"all":true}'])(
  'a trigger of another hand, %j, is for all items',
  (text) => {
    expect(decodeTrigger(text)).toStrictEqual({ isForAll: true });
  },
);

// It may have been meant for some items: to run all of them would be more than was asked for.
test.each([
  ['null', 'is no JSON object'],
  ['5', 'is no JSON object'],
  ['items: 3', 'is no JSON object'],
  ['[3]', 'is no JSON object'],
  ['{"jobParameter"', 'is no JSON object'],
  ['{"item":"3"}', 'has the unknown key "item"'],
  ['{"jobParameter":5}', "must have a text as 'jobParameter'"],
  ['{"items":5}', "must have items such as '0-3,7' as 'items'"],
  ['{"items":[3]}', "must have items such as '0-3,7' as 'items'"],
  ['{"items":"3,x"}', "must have items such as '0-3,7' as 'items'"],
  ['{"items":"7-3"}', "must have items such as '0-3,7' as 'items'"],
  ['{"items":"0-99999,0"}', "must have items such as '0-3,7' as 'items'"],
  ['{"also":"some"}', "must have items such as '0-3,7' as 'also'"],
  ['{"items":"3","all":"no"}', "must have true or false as 'all'"],
  ['{"items":"3","also":"7"}', "must not have both 'items' and 'also'"],
  ['{"items":""}', 'is for no item'],
  ['{"all":false}', 'is for no item'],
])('a trigger of another hand, %s, is not understood: it %s', (text, problem) => {
  expect(decodeTrigger(text)).toStrictEqual({ problem });
});

test('a trigger takes the place of a text that is not understood, and is one with any other', () => {
  const own = { items: [3], isForAll: false };
  expect(withEarlier('{"item":"7"}', own)).toEqual(own);
  expect(withEarlier('{"items":"7"}', own)).toEqual({ items: [3, 7], isForAll: false });
  expect(withEarlier('', own)).toEqual({ isForAll: true, also: [3] });
  expect(rewrittenTrigger('{ "items": "7" }')).toBe('{"items":"7"}');
  expect(rewrittenTrigger('{"item":"7"}')).toBe('{"item":"7"}');
});
