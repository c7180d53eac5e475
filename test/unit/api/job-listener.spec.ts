/** The parts that a listener must have. */
import { describe, expect, test } from '@jest/globals';
import {
  AbstractDistributeOnceElasticJobListener,
  isDistributeOnce,
  listenerProblem,
  LOWEST_ORDER,
} from '../../../lib/api/extensions/job-listener.js';

const does = (): void => undefined;
const each = { beforeJobExecuted: does, afterJobExecuted: does };
const once = {
  order: () => 1,
  ...{ doBeforeJobExecutedAtLastStarted: does, doAfterJobExecutedAtLastCompleted: does },
  ...{ startedTimeoutMilliseconds: 0, completedTimeoutMilliseconds: 0 },
};

class Meeting extends AbstractDistributeOnceElasticJobListener {
  doBeforeJobExecutedAtLastStarted = does;
  doAfterJobExecutedAtLastCompleted = does;
}

test('a distribute-once listener keeps its time limits, and is called last unless it says otherwise, as in Java', () => {
  const listener = new Meeting(1_000, 2_000);

  expect(listener).toMatchObject({ startedTimeoutMilliseconds: 1_000, completedTimeoutMilliseconds: 2_000 });
  expect(listener.order()).toBe(LOWEST_ORDER);
  expect(LOWEST_ORDER).toBe(2 ** 31 - 1);
});

test('listeners are told apart by their methods, for there may be two copies of the class', () => {
  expect(isDistributeOnce(once)).toBe(true);
  expect(isDistributeOnce(new Meeting(0, 0))).toBe(true);
  expect(isDistributeOnce(each)).toBe(false);
});

describe('a listener', () => {
  test.each<[what: string, candidate: unknown]>([
    ['with the two methods of ElasticJobListener', each],
    ['with an order', { ...each, order: () => 1 }],
    ['that is distribute-once', new Meeting(0, 1_000)],
    ['that is as a distribute-once one', once],
    ['with the methods of both', { ...once, ...each, startedTimeoutMilliseconds: undefined }],
  ])('%s has no problem', (_, candidate) => {
    expect(listenerProblem(candidate)).toBeUndefined();
  });

  const neither =
    'has no methods beforeJobExecuted(shardingContexts) and afterJobExecuted(shardingContexts), as ElasticJobListener demands';
  const lacks = (method: string): string =>
    `has no method ${method}(shardingContexts), as AbstractDistributeOnceElasticJobListener demands`;

  test.each<[problem: string, candidate: unknown]>([
    ['has an order that is no method', { ...each, order: 1 }],
    [neither, undefined],
    [neither, null],
    [neither, {}],
    [neither, { beforeJobExecuted: does }],
    [neither, { afterJobExecuted: does }],
    [neither, { ...each, afterJobExecuted: 'no method' }],
    [lacks('doBeforeJobExecutedAtLastStarted'), { ...once, doBeforeJobExecutedAtLastStarted: undefined }],
    [lacks('doAfterJobExecutedAtLastCompleted'), { ...once, doAfterJobExecutedAtLastCompleted: undefined }],
    [
      'must have a number of milliseconds as its startedTimeoutMilliseconds, not "1s"',
      { ...once, startedTimeoutMilliseconds: '1s' },
    ],
    [
      'must have a number of milliseconds as its completedTimeoutMilliseconds, not NaN',
      { ...once, completedTimeoutMilliseconds: NaN },
    ],
  ])('%s', (problem, candidate) => {
    expect(listenerProblem(candidate)).toBe(problem);
  });
});
