import { expect, test } from '@jest/globals';

import { parseTaskId, taskId } from '../../lib/layout/task-id.js';

const instance = '10.0.0.1@-@4711-k3j9x2ab';

test.each([
  [[0, 1, 10], `bill@-@0,1,10@-@READY@-@${instance}`],
  [[], `bill@-@@-@READY@-@${instance}`],
])('the task of items %j has the five parts that Java wants', (items, text) => {
  const task = { jobName: 'bill', items, jobInstanceId: instance };

  expect(taskId(task)).toBe(text);
  expect(text.split('@-@')).toHaveLength(5);
  expect(parseTaskId(text)).toEqual(task);
});

test.each([
  '',
  'bill',
  `bill@-@0@-@READY@-@10.0.0.1`,
  `bill@-@x@-@READY@-@${instance}`,
  `a@-@b@-@0@-@READY@-@${instance}`,
])('%p is no task id', (text) => {
  expect(parseTaskId(text)).toBeUndefined();
});
