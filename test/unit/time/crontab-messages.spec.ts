import { describe, expect, test } from '@jest/globals';
import { InvalidCronError } from '../../../lib/time/cron.js';
import { toQuartz } from '../../../lib/time/crontab.js';

function refusal(crontab: string): InvalidCronError {
  try {
    toQuartz(crontab);
  } catch (error) {
    if (error instanceof InvalidCronError) return error;
    throw error;
  }
  throw new Error(`'${crontab}' is accepted.`);
}

/** The frame of all that is said of a text that is no crontab text. */
const crontabFault = (crontab: string, what: string): string =>
  `Cron expression '${crontab}' cannot be used: it has no '?', hence is crontab text, and ${what}; allowed are '[second] minute ` +
  "hour day-of-month month day-of-week', macros (@yearly, @monthly, @weekly, @daily, @hourly, @minutely, @weekdays, @weekends), or " +
  "a Quartz expression with '?' in one day field.";

describe('a text that is no crontab text', () => {
  test.each([
    ['', 'it has 0 fields, but 5 or 6 are needed'],
    ['5', 'it has 1 field, but 5 or 6 are needed'],
    ['0 0 * *', 'it has 4 fields, but 5 or 6 are needed'],
    [
      '0 0 12 * * * 2027',
      "it has 7 fields, but 5 or 6 are needed; years are known to Quartz only, where one of the day fields is '?'",
    ],
    ['H * * * *', "'H' stands for a number that each instance would draw for itself; write the number"],
    ['0 1,H * * *', "'H' stands for a number that each instance would draw for itself; write the number"],
    ['60 * * * *', 'cron-parser says "Constraint error, got value 60 expected range 0-59"'],
    ['@reboot', "'@reboot' is no time; start a one-off job instead"],
    ['@REBOOT', "'@reboot' is no time; start a one-off job instead"],
    ['@fortnightly', "'@fortnightly' is no macro it knows"],
    ['TZ=UTC 0 0 * * *', "'TZ=UTC' names a time zone, which is a setting of its own: timeZone"],
    [
      'CRON_TZ=Asia/Shanghai 0 0 * * *',
      "'CRON_TZ=Asia/Shanghai' names a time zone, which is a setting of its own: timeZone",
    ],
  ])('%j is refused, and told apart from a Quartz expression', (crontab, what) => {
    const error = refusal(crontab);

    expect(error.message).toBe(crontabFault(crontab, what));
    expect(error.field).toBeUndefined();
  });

  test('is refused with what the parser says as the cause', () => {
    expect(refusal('60 * * * *').cause).toMatchObject({
      message: 'Constraint error, got value 60 expected range 0-59',
    });
    expect(refusal('@reboot')).not.toHaveProperty('cause');
  });

  test('is not one that has an H in a name', () => {
    expect(toQuartz('0 0 * MAR THU')).toBe('0 0 0 ? MAR THU');
  });
});

describe('a crontab text that Quartz cannot say', () => {
  test.each([
    [
      '0 0 1 * 5',
      'day of week',
      `day of month '1' and day of week '5' both restrict it, which crontab takes for "one or the other" and Quartz cannot say; make two jobs of it, with '0 0 0 1 * ?' and '0 0 0 ? * 6', or choose one of these`,
    ],
    [
      '0 0 3,L * *',
      'day of month',
      "day of month '3,L' has 'L' together with other days, which Quartz cannot say; make two jobs of it, one of them with 'L' alone",
    ],
    [
      '0 0 * * 1,2L',
      'day of week',
      "day of week '1,2L' has 'L' together with other days, which Quartz cannot say; make a job of each",
    ],
    [
      '0 0 * * 1L,2L',
      'day of week',
      "day of week '1L,2L' has 'L' together with other days, which Quartz cannot say; make a job of each",
    ],
    [
      '0 0 * * *#3',
      'day of week',
      "day of week '*#3' has '#' together with other days, which Quartz cannot say; make a job of each",
    ],
  ])('%j is refused with the field and the way out', (crontab, field, reason) => {
    const error = refusal(crontab);

    expect(error.message).toBe(`Cron expression '${crontab}' cannot be used: ${reason}.`);
    expect(error.field).toBe(field);
  });
});

describe('numbers that Quartz writes otherwise are written as a reader would write them', () => {
  test.each([
    ['0 0 * * 0,1', '0 0 0 ? * 1,2'],
    ['0 0 * * 0-2', '0 0 0 ? * 1-3'],
    ['0 0 * * 0,2,4', '0 0 0 ? * 1,3,5'],
    ['0 0 * * 0,2,4,6', '0 0 0 ? * 1/2'],
    ['0 0 * * 0-4/2,6', '0 0 0 ? * 1/2'],
    ['0 0 * * 6-7', '0 0 0 ? * 1,7'],
    ['0 0 * * 0-3,5', '0 0 0 ? * 1-4,6'],
    ['0 0 1 JAN-JUL/2 *', '0 0 0 1 1-7/2 ?'],
    ['0 0 1 JAN-DEC *', '0 0 0 1 JAN-DEC ?'],
    ['0 0 1 jan-OCT/3 *', '0 0 0 1 1/3 ?'],
    ['0 0 * * MON-SAT/1', '0 0 0 ? * MON-SAT/1'],
    ['0 0 * * 7L', '0 0 0 ? * 1L'],
  ])('%j is %j in Quartz', (crontab, quartz) => {
    expect(toQuartz(crontab)).toBe(quartz);
  });
});
