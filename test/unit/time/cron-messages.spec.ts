import { describe, expect, test } from '@jest/globals';
import { InvalidCronError, QuartzCron } from '../../../lib/time/cron.js';

/** The reason without the frame that names the expression. */
function reasonFor(expression: string): string {
  try {
    QuartzCron.parse(expression);
  } catch (error) {
    if (error instanceof InvalidCronError) return error.message.replace(/^.*? cannot be used: (.*)\.$/s, '$1');
    throw error;
  }
  return 'none';
}

const common = "'*', lists '1,5', ranges '3-7', steps '*/5'";
const lastYear = new Date().getFullYear() + 100;

// The message is often all that an operator has who changes a schedule in a console.
describe('the message for a field', () => {
  test.each([
    ['60 0 0 * * ?', `seconds '60' has '60', which is out of range; allowed are 0-59, ${common}`],
    ['0 X 0 * * ?', `minutes 'X' has 'X', which cannot be read; allowed are 0-59, ${common}`],
    ['0 0 1- * * ?', `hours '1-' has '1-', which cannot be read; allowed are 0-23, ${common}`],
    [
      '0 0 0 1,,2 * ?',
      `day of month '1,,2' has a comma with nothing before or after it; allowed are 1-31, ${common}, '?', 'L', 'L-3' (up to 30), 'LW', 'L-3W' (up to 27), '15W'`,
    ],
    ['0 0 0 1 JUM ?', `month 'JUM' has 'JUM', which is no name it knows; allowed are 1-12 or JAN-DEC, ${common}`],
    [
      '0 0 0 ? * 8',
      `day of week '8' has '8', which is out of range; allowed are 1-7 (1 is SUN) or SUN-SAT, ${common}, '?', 'L', '6L', '6#3'`,
    ],
    [
      '0 0 0 1 1 ? 99',
      `year '99' has '99', which Quartz takes for every year; allowed are years such as 2030, ${common}; nothing ever fires after ${lastYear}`,
    ],
  ])('of %j names it, says what is wrong, and all that is allowed', (expression, reason) => {
    expect(reasonFor(expression)).toBe(reason);
  });

  test.each([
    ['0 0 0 L-31 * ?', 'goes back more than 30 days from the last'],
    [
      '0 0 0 L-28W * ?',
      'goes back more than 27 days from the last, where some months have no such weekday and Quartz hangs',
    ],
    ['0 0 0 15,L * ?', "has 'L' together with other days"],
    ['0 0 0 ? * 4,2L', "has 'L' together with other days"],
    ['0 0 0 ? * 2#1,3#1', "has more than one '#'"],
    ['0 0 0 ? * MON#0', "has 'MON#0', but only 1 to 5 may follow '#'"],
    ['0 0 0 ? * TUE,MON#6', "has 'MON#6', but only 1 to 5 may follow '#'"],
    ['0 0 0 ? * 8#1', "has '8', which is out of range"],
    ['0 0 0 ? * 8L', "has '8', which is out of range"],
    ['0 0 0 ? * XXXL', "has 'XXX', which is no name it knows"],
    ['0 0 0 ? * 1XL', "has '1XL', which cannot be read"],
    ['0 0 0 ? * X2#1', "has 'X2#1', which cannot be read"],
    ['0 0 0 ? * 2#1X', "has '2#1X', which cannot be read"],
    ['0 0 0 X5W * ?', "has 'X5W', which cannot be read"],
    ['0 0 0 5WX * ?', "has '5WX', which cannot be read"],
    ['0 0 0 XL * ?', "has 'XL', which cannot be read"],
    ['0 0 0 LX * ?', "has 'LX', which cannot be read"],
    ['0 0 0 1 XJAN ?', "has 'XJAN', which cannot be read"],
    ['0 0 0 1 JAN-FEBX ?', "has 'JAN-FEBX', which cannot be read"],
    ['0 0 0 1 JAN/X ?', "has 'JAN/X', which cannot be read"],
    ['0/2X 0 0 * * ?', "has '0/2X', which cannot be read"],
    ['/ 0 0 * * ?', "has '/', which cannot be read"],
    ['2147483648 0 0 * * ?', "has '2147483648', which is out of range"],
    ['1-2147483648 0 0 * * ?', "has '1-2147483648', which is out of range"],
    ['1-5/2147483648 0 0 * * ?', "has '1-5/2147483648', which is out of range"],
    ['5/60 0 0 * * ?', "has the step 60 in '5/60', of which 59 is the largest"],
    ['0 0 0 1 1 ? 2030,2035-2031', 'has a range that ends in 2031, before 2035'],
  ])('of %j says what is wrong: %s', (expression, wrong) => {
    expect(reasonFor(expression)).toMatch(/^[a-z ]+ '[^']+' has |^[a-z ]+ '[^']+' goes /);
    expect(reasonFor(expression)).toContain(`' ${wrong}; allowed are `);
  });
});

test.each([
  ['0 0 12', 'it has 3 fields'],
  ['0', 'it has 1 field'],
  ['0 0', 'it has 2 fields'],
  ['0 0 12 *', 'it has 4 fields'],
  ['0 0 12 * * \n', 'it has 5 fields'],
])('of %j the fields are counted and all are named', (expression, count) => {
  expect(reasonFor(expression)).toBe(
    `${count}, but 6 or 7 are needed: seconds, minutes, hours, day of month, month, day of week, and optionally year`,
  );
});

describe('at the limits of a field', () => {
  test.each([
    '0-59 0-59 0-23 1-31 1-12 ?',
    '*/59 */59 */23 */31 */12 ?',
    '0/59 0/59 0/23 1/31 1/12 ?',
    '0 0 0 ? * 1-7/7',
    '0 0 0 ? * */7',
    '0 0 0 ? * 7#5',
    '0 0 0 ? * SUN#1',
    '0 0 0 L-30 * ?',
    '0 0 0 L-27W * ?',
    '1-5/2147483647 0 0 * * ?',
    '0 0 0 1 1 ? 1970-2030/100',
    '0 0 0 1 1 ? 2030-9999',
    '0 0 0 1 JAN-MAR/10 ?',
  ])('%j is accepted', (expression) => {
    expect(reasonFor(expression)).toBe('none');
  });
});

test('a step of a range may be longer than the range, and leaves its first number', () => {
  const at = (expression: string) => QuartzCron.parse(expression, { timeZone: 'UTC' }).next(new Date('2026-01-01'));

  expect(at('10-20/99 0 0 * * ?')).toEqual(new Date('2026-01-01T00:00:10Z'));
  expect(at('0 0 0 1 1 ? 2030-2040/100')).toEqual(new Date('2030-01-01T00:00:00Z'));
});

test.each([
  ['0 0 12\u00a0* * ?', 'U+00A0'],
  ['0 0 12\u3000* * ?', 'U+3000'],
  ['0 0 12\u200b* * ?', 'U+200B'],
  ['0 0 12 \u200b* * ?', 'U+200B'],
  ['0 0 12\n* * ?', 'U+000A'],
  ['0 0 0 * * ?\n0 0 12 * * ?', 'U+000A'],
])('a blank that is no space, and so separates no fields, is named: %j', (expression, character) => {
  expect(() => QuartzCron.parse(expression)).toThrow(
    `it has the character ${character}, which is no space and separates no fields: write one expression, with spaces`,
  );
});
