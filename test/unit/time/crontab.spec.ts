import { describe, expect, test } from '@jest/globals';
import { CronExpression } from '@nestjs/schedule';
import { CronExpressionParser } from 'cron-parser';
import fc from 'fast-check';
import { InvalidCronError, InvalidTimeZoneError, QuartzCron } from '../../../lib/time/cron.js';
import { toQuartz } from '../../../lib/time/crontab.js';
import { expectProperty } from '../../support/property.js';

const DAY_MS = 86_400_000;

describe('crontab text', () => {
  test.each([
    ['*/5 * * * * *', '*/5 * * * * ?'],
    ['0 9 * * 1-5', '0 0 9 ? * 2-6'],
    ['0 9 * * MON-FRI', '0 0 9 ? * MON-FRI'],
    ['0 0 12 * * *', '0 0 12 * * ?'],
    ['0 0 * * 0', '0 0 0 ? * 1'],
    ['0 0 * * 7', '0 0 0 ? * 1'],
    ['0 0 * * 6,0', '0 0 0 ? * 1,7'],
    ['0 0 * * 5-7', '0 0 0 ? * 1,6,7'],
    ['0 0 * * 1,3,5', '0 0 0 ? * 2,4,6'],
    ['0 0 * * 0-6', '0 0 0 ? * *'],
    ['0 0 1,15 * *', '0 0 0 1,15 * ?'],
    ['0 0 L * *', '0 0 0 L * ?'],
    ['0 0 * * 5L', '0 0 0 ? * 6L'],
    ['0 0 * * 5#3', '0 0 0 ? * 6#3'],
    ['0 0 * * FRI#3', '0 0 0 ? * 6#3'],
    ['0 0 1 JAN-JUN/2 *', '0 0 0 1 1,3,5 ?'],
    ['0 0 1 JAN-DEC/3 *', '0 0 0 1 1/3 ?'],
    ['*/60 * * * *', '0 0 * * * ?'],
    ['0 */24 * * *', '0 0 0 * * ?'],
    ['0 0 1 */12 *', '0 0 0 1 */12 ?'],
    ['  30 4   1 * * ', '0 30 4 1 * ?'],
    ['@yearly', '0 0 0 1 1 ?'],
    ['@monthly', '0 0 0 1 * ?'],
    ['@weekly', '0 0 0 ? * 1'],
    ['@daily', '0 0 0 * * ?'],
    ['@midnight', '0 0 0 * * ?'],
    ['@hourly', '0 0 * * * ?'],
    ['@Weekends', '0 0 0 ? * 1,7'],
  ])('%j is %j in Quartz', (crontab, quartz) => {
    expect(toQuartz(crontab)).toBe(quartz);
  });

  test.each([
    ['0 0 12 1 * MON', `make two jobs of it, with '0 0 12 1 * ?' and '0 0 12 ? * MON', or choose one of these`],
    ['0 0 1 * 5', `make two jobs of it, with '0 0 0 1 * ?' and '0 0 0 ? * 6', or choose one of these`],
    ['0 0 */1 * 1-5', `day of month '*/1' and day of week '1-5' both restrict it`],
    ['0 0 L,3 * *', `day of month 'L,3' has 'L' together with other days`],
    ['0 0 * * 1L,2L', `day of week '1L,2L' has 'L' together with other days`],
    ['0 0 * * *#3', `day of week '*#3' has '#' together with other days`],
    ['H 0 * * *', `'H' stands for a number that each instance would draw for itself`],
    ['0 0 * * H/2', `'H' stands for a number`],
    ['0 0 15W * *', `cron-parser says "Invalid characters, got value: 15W"`],
    ['60 * * * *', `cron-parser says "Constraint error, got value 60 expected range 0-59"`],
    [
      '*/90 * * * *',
      "minutes '*/90' has the step 90 in '*/90', of which 60 is the largest, as the minutes begin again with each hour; for every 90 minutes, make two jobs of it, with '0 */3 * * *' and '30 1-23/3 * * *'",
    ],
    ['5/120 * * * *', "for every 2 hours, write '5 */2 * * *'"],
    ['*/100 * * * *', 'as the minutes begin again with each hour; write the minutes one by one'],
    ['0 */180 * * * *', "for every 3 hours, write '0 */3 * * *'"],
    ['*/90 * * * * *', 'as the seconds begin again with each minute; write the seconds one by one'],
    ['*/120 * * * * *', "for every 2 minutes, write '0 */2 * * * *'"],
    [
      '0 */25 * * *',
      "hours '*/25' has the step 25 in '*/25', of which 24 is the largest, as the hours begin again with each day",
    ],
    ['0 */48 * * *', "for every 2 days, write '0 0 */2 * *'"],
    ['0 0 */45 * *', "day of month '*/45' has the step 45 in '*/45', of which 31 is the largest"],
    [
      '0 0 1 */13 *',
      "month '*/13' has the step 13 in '*/13', of which 12 is the largest, as the months begin again with each year",
    ],
    ['5/70 * * * *', "has the step 70 in '5/70', of which 60 is the largest"],
    ['0,1-59/99 * * * *', "minutes '0,1-59/99' has the step 99 in '1-59/99', of which 60 is the largest"],
    [
      '0 0 * * 1-5/9',
      "day of week '1-5/9' has the step 9 in '1-5/9', of which 7 is the largest, as the days begin again with each week",
    ],
    ['@reboot', 'start a one-off job instead'],
    ['@fortnightly', `'@fortnightly' is no macro it knows`],
    ['', 'it has 0 fields, but 5 or 6 are needed'],
    ['5', 'it has 1 field, but 5 or 6 are needed'],
    ['0 0 12 * * * 2027', `years are known to Quartz only, where one of the day fields is '?'`],
  ])('%j is refused with the way out', (crontab, message) => {
    expect(() => toQuartz(crontab)).toThrow(InvalidCronError);
    expect(() => toQuartz(crontab)).toThrow(message);
  });
});

describe('text with a question mark', () => {
  test.each(['0 0 12 * * ?', '0 0 12 ? * 6L 2027-2030', ' 0/5 * * * * ? '])('%j stays as it is', (quartz) => {
    expect(toQuartz(quartz)).toBe(quartz);
  });

  test('is refused if Quartz does not take it, even if a crontab library would', () => {
    expect(() => toQuartz('0 0 ? * 1-5')).toThrow('it has 5 fields, but 6 or 7 are needed');
    expect(() => toQuartz('0 0 12 ? * 0')).toThrow(`day of week '0' has '0', which is out of range`);
  });
});

test('an unknown time zone is refused with both kinds of text', () => {
  expect(() => toQuartz('0 0 12 * * ?', { timeZone: 'Mars/Olympus' })).toThrow(InvalidTimeZoneError);
  expect(() => toQuartz('@daily', { timeZone: 'Mars/Olympus' })).toThrow(InvalidTimeZoneError);
  expect(toQuartz('@daily', { timeZone: 'Asia/Shanghai' })).toBe('0 0 0 * * ?');
});

describe('rewritten text fires when the original does', () => {
  const zones = ['UTC', 'Asia/Shanghai', 'Asia/Kolkata', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'];

  test.each(Object.entries(CronExpression))('CronExpression.%s: %s', (_name, crontab) => {
    for (const timeZone of zones) expectSameFirings(crontab, { timeZone, from: new Date('2026-11-21T10:11:12Z') });
  });

  test.each([
    '@yearly',
    '@annually',
    '@monthly',
    '@weekly',
    '@daily',
    '@hourly',
    '@minutely',
    '@secondly',
    '@weekdays',
    '@weekends',
  ])('the macro %s', (crontab) => {
    expectSameFirings(crontab, { timeZone: 'UTC', from: new Date('2026-11-21T10:11:12Z') });
  });

  test.each(['0 0 29 2 *', '30 4 29-31 2 *', '0 12 * 2 1#5'])('the rare days of %s', (crontab) => {
    expectSameFirings(crontab, { timeZone: 'UTC', from: new Date('2026-11-21T10:11:12Z') });
  });

  const number = (min: number, max: number) => fc.integer({ min, max });
  const item = (min: number, max: number) =>
    fc.oneof(
      number(min, max).map(String),
      fc.tuple(number(min, max), number(min, max)).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
      fc
        .tuple(number(min, max), number(min, max), number(1, Math.min(9, max)))
        .map(([a, b, step]) => `${Math.min(a, b)}-${Math.max(a, b)}/${step}`),
      fc.tuple(number(min, max), number(1, max)).map(([from, step]) => `${from}/${step}`),
      number(1, max).map((step) => `*/${step}`),
    );
  const list = (items: fc.Arbitrary<string>) =>
    fc.array(items, { minLength: 1, maxLength: 3 }).map((parts) => parts.join());
  const field = (min: number, max: number) => fc.oneof(fc.constant('*'), list(item(min, max)));
  const month = fc.oneof(field(1, 12), fc.constantFrom('JAN', 'feb-OCT/2', 'MAR-DEC', 'NOV,3'));
  const dayOfMonth = fc.oneof(list(item(1, 31)), fc.constant('L'));
  const weekday = fc.constantFrom(
    'SUN',
    'mon-FRI',
    'TUE-SAT/2',
    '0L',
    '5L',
    '7L',
    'FRIL',
    '0#1',
    '7#5',
    '3#2',
    'WED#4',
  );
  const dayOfWeek = fc.oneof(list(item(0, 7)), weekday);
  const days = fc.oneof(
    dayOfMonth.map((day) => [day, '*']),
    dayOfWeek.map((day) => ['*', day]),
    fc.constant(['*', '*']),
  );
  const crontabs = fc
    .tuple(fc.option(field(0, 59)), field(0, 59), field(0, 23), days, month)
    .map(([second, minute, hour, [dom, dow], months]) =>
      [...(second === null ? [] : [second]), minute, hour, dom, months, dow].join(' '),
    )
    .filter(isCrontab);

  test('whatever the fields, the zone and the instant, days aside on which clocks are set', () => {
    const instants = fc.date({ min: new Date('2015-01-01'), max: new Date('2035-01-01'), noInvalidDate: true });

    expectProperty(
      fc.property(crontabs, fc.constantFrom(...zones), instants, (crontab, timeZone, from) => {
        expectSameFirings(crontab, { timeZone, from });
      }),
      { numRuns: 500 },
    );
  });
});

function expectSameFirings(crontab: string, { timeZone, from }: { timeZone: string; from: Date }): void {
  const quartz = QuartzCron.parse(toQuartz(crontab, { timeZone }), { timeZone });
  let after = new Date(Math.floor(from.getTime() / 1000) * 1000);
  // Rare days leap over decades, and Quartz gives up a hundred years from now.
  for (let round = 0; round < 4 && after.getUTCFullYear() < 2080; round += 1) {
    const [rewritten, original] = [quartz.next(after), nextOf(crontab, { timeZone, after })];
    // cron-parser finds nothing where a half-hour change of clocks comes next.
    if (original === undefined && rewritten !== undefined && clocksAreSetNear(rewritten, timeZone)) return;
    // cron-parser refuses days that never come, so that whatever it has read fires some day.
    if (rewritten === undefined) throw new Error(`In Quartz, '${crontab}' does not fire after ${after.toISOString()}`);
    // It also gives up on what does not fire within some years, and does not say for how many.
    if (original === undefined) return expectFarAway(rewritten, { after });
    const isOrdinary = ![after, rewritten, original].some((instant) => clocksAreSetNear(instant, timeZone));
    if (isOrdinary) expect({ crontab, timeZone, next: rewritten }).toEqual({ crontab, timeZone, next: original });
    after = new Date(Math.max(rewritten.getTime(), original.getTime()));
  }
}

function expectFarAway(instant: Date, { after }: { after: Date }): void {
  expect(instant.getUTCFullYear() - after.getUTCFullYear()).toBeGreaterThanOrEqual(4);
}

/** cron-parser refuses a list that names a number twice. */
function isCrontab(crontab: string): boolean {
  try {
    CronExpressionParser.parse(crontab);
    return true;
  } catch {
    return false;
  }
}

function nextOf(crontab: string, { timeZone, after }: { timeZone: string; after: Date }): Date | undefined {
  const expression = CronExpressionParser.parse(crontab, { currentDate: after, tz: timeZone });
  return expression.hasNext() ? expression.next().toDate() : undefined;
}

function clocksAreSetNear(instant: Date, timeZone: string): boolean {
  const [before, after] = [-DAY_MS, DAY_MS].map((distance) => offset(instant.getTime() + distance, timeZone));
  return before !== after;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function offset(instantMs: number, timeZone: string): string | undefined {
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  formats.set(timeZone, format);
  return format.format(instantMs).split('GMT')[1];
}

test('what is no text is no crontab', () => {
  expect(() => toQuartz(undefined as never)).toThrow("Cron expression 'undefined' cannot be used: it is no text.");
});
