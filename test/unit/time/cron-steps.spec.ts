import { expect, test } from '@jest/globals';
import { unevenSteps } from '../../../lib/time/cron-steps.js';

test.each([
  '0 0/5 * * * ?',
  '0 5/20 */6 * */4 ?',
  '0/30 0 0 ? * */7',
  '0 0 8-18/3 * * ?',
  '0 0 0 1 * ? 2030/3',
  '* * * * * ?',
  '*/1 */0 * * * ?',
  '0 0 0 L-3W * ?',
  'banana',
])('the steps of %s go on as they begin', (cron) => {
  expect(unevenSteps(cron)).toEqual([]);
});

test.each([
  ['0 */45 * * * ?', ['the step /45 of the minutes begins again with each hour']],
  [
    '0/7 3/40 * * * ?',
    [
      'the step /7 of the seconds begins again with each minute',
      'the step /40 of the minutes begins again with each hour',
    ],
  ],
  ['0 0 /5 * * ?', ['the step /5 of the hours begins again with each day']],
  ['0 0 0 1,3/2 * ?', ['the step /2 of the days begins again with each month']],
  ['0 0 0 1 */5 ?', ['the step /5 of the months begins again with each year']],
  ['0 0 0 ? * 1/2', ['the step /2 of the days begins again with each week']],
])('the steps of %s do not', (cron, clauses) => {
  expect(unevenSteps(cron)).toEqual(clauses);
});
