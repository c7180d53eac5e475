import { expect, test } from '@jest/globals';

import { parseTaskId, taskId } from '../../../lib/layout/task-id.js';

const instance = '10.0.0.1@-@4711-k3j9x2ab';

test.each([
  [[0, 1, 10], `bill@-@0,1,10@-@READY@-@${instance}`],
  [[10], `bill@-@10@-@READY@-@${instance}`],
  [[], `bill@-@@-@READY@-@${instance}`],
])('the task of items %j has the five parts that Java wants', (items, text) => {
  const task = { jobName: 'bill', items, jobInstanceId: instance };

  expect(taskId(task)).toBe(text);
  expect(text.split('@-@')).toHaveLength(5);
  expect(parseTaskId(text)).toEqual(task);
});

test.each([
  ['no parts', ''],
  ['one part', 'bill'],
  ['four parts', `bill@-@0@-@READY@-@10.0.0.1`],
  ['six parts', `bill@-@0@-@READY@-@${instance}@-@0`],
  ['a separator in the name of its job', `a@-@b@-@0@-@READY@-@${instance}`],
  ['an item that is no number', `bill@-@x@-@READY@-@${instance}`],
  ['a number that is followed by something else', `bill@-@0,1x@-@READY@-@${instance}`],
  ['a number that something else precedes', `bill@-@x0,1@-@READY@-@${instance}`],
  ['an empty item', `bill@-@0,@-@READY@-@${instance}`],
  ['no job', `@-@0@-@READY@-@${instance}`],
  ['no execution type', `bill@-@0@-@@-@${instance}`],
  ['no ip', `bill@-@0@-@READY@-@@-@4711`],
  ['no suffix', `bill@-@0@-@READY@-@10.0.0.1@-@`],
])('text with %s is no task id', (_, text) => {
  expect(parseTaskId(text)).toBeUndefined();
});
