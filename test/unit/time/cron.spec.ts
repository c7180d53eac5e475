import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { InvalidCronError, InvalidTimeZoneError, QuartzCron } from '../../../lib/time/cron.js';
import { expectProperty } from '../../support/property.js';

function firings(
  expression: string,
  { timeZone = 'UTC', from, count }: { timeZone?: string; from: string; count: number },
) {
  const cron = QuartzCron.parse(expression, { timeZone });
  const found: string[] = [];
  let after: Date | undefined = new Date(from);
  while (found.length < count && (after = cron.next(after)) !== undefined)
    found.push(after.toISOString().slice(0, 19) + 'Z');
  return found;
}

function refusal(expression: string): unknown {
  try {
    QuartzCron.parse(expression);
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('an expression that cannot be used', () => {
  test.each([
    ['', undefined, 'it has 0 fields, but 6 or 7 are needed'],
    ['0 0 12 * *', undefined, 'it has 5 fields, but 6 or 7 are needed'],
    ['0 0 12 * * *', 'day of month', `exactly one of the two must be '?'`],
    ['0 0 12 ? * ?', 'day of week', `exactly one of the two must be '?'`],
    ['0 0 12 1 * MON', 'day of month', `day of month is '1' and day of week is 'MON'`],
    ['60 * * * * ?', 'seconds', `seconds '60' has '60', which is out of range; allowed are 0-59`],
    ['0 0-60 * * * ?', 'minutes', `minutes '0-60' has '60', which is out of range; allowed are 0-59`],
    ['0 14-247/0 * * * ?', 'minutes', `'247', which is out of range`],
    ['0 0 24 * * ?', 'hours', `hours '24' has '24', which is out of range; allowed are 0-23`],
    ['0 0 0 32 * ?', 'day of month', `'32', which is out of range; allowed are 1-31`],
    ['0 0 0 0 * ?', 'day of month', `'0', which is out of range; allowed are 1-31`],
    ['0 0 0 1 13 ?', 'month', `'13', which is out of range; allowed are 1-12 or JAN-DEC`],
    ['0 0 0 1 JUNO ?', 'month', `'JUNO', which cannot be read`],
    ['0 0 0 1 JUM ?', 'month', `'JUM', which is no name it knows`],
    ['0 0 0 ? * 0', 'day of week', `'0', which is out of range; allowed are 1-7 (1 is SUN)`],
    ['0 0 0 ? * 8', 'day of week', `'8', which is out of range`],
    ['0 0 0 ? * MON-4', 'day of week', `'MON-4', which cannot be read`],
    ['0/60 * * * * ?', 'seconds', `the step 60 in '0/60', of which 59 is the largest`],
    ['0 0 */24 * * ?', 'hours', `the step 24 in '*/24', of which 23 is the largest`],
    ['0 0 0 ? * MON#6', 'day of week', `only 1 to 5 may follow '#'`],
    ['0 0 0 ? * MON#1,WED#2', 'day of week', `more than one '#'`],
    ['0 0 0 L,15 * ?', 'day of month', `'L' together with other days`],
    ['0 0 0 ? * 2L,4', 'day of week', `'L' together with other days`],
    ['0 0 0 L-31 * ?', 'day of month', 'more than 30 days'],
    ['0 0 0 32W * ?', 'day of month', `'32', which is out of range`],
    ['0 0 0 1 1 ? 2030-2026', 'year', 'a range that ends in 2026, before 2030'],
    ['@daily', undefined, 'it has 1 field, but 6 or 7 are needed'],
  ])('%s is refused with a message that names field, text and what is allowed', (expression, field, message) => {
    const error = refusal(expression);

    expect(error).toBeInstanceOf(InvalidCronError);
    expect(error).toMatchObject({ name: 'InvalidCronError', code: 'INVALID_CRON', expression, field });
    expect((error as Error).message).toContain(`Cron expression '${expression}' cannot be used: `);
    expect((error as Error).message).toContain(message);
  });

  test.each([
    ['5X * * * * ?', 'seconds'],
    ['*5 * * * * ?', 'seconds'],
    ['1-5-7 * * * * ?', 'seconds'],
    ['L * * * * ?', 'seconds'],
    ['0 1,,2 * * * ?', 'minutes'],
    ['0 1, * * * ?', 'minutes'],
    ['0 99 * * * ?', 'minutes'],
    ['0 0 0 1-5W * ?', 'day of month'],
    ['0 0 0 ?,5 * MON', 'day of month'],
    ['0 0 0 1 JANUARY ?', 'month'],
    ['0 0 0 ? * MONDAY', 'day of week'],
    ['0 0 0 ? * MON-FRIL', 'day of week'],
    ['0 0 0 ? * LW', 'day of week'],
    ['0 0 0 ? * 0#3', 'day of week'],
    ['0 0 0 1 1 ? 99', 'year'],
  ])('%s is refused although Quartz takes it, because Quartz does so by mistake', (expression, field) => {
    expect(refusal(expression)).toMatchObject({ code: 'INVALID_CRON', field });
  });

  test.each(['0 0 12 0W * ?', '0 0 12 L-28W * ?', '0 0 12 L-29W * ?', '0 0 12 L-30W * ?'])(
    '%s is refused because Java instances would hang on it',
    (expression) => {
      expect(refusal(expression)).toMatchObject({ code: 'INVALID_CRON', field: 'day of month' });
    },
  );

  test('an unknown time zone is refused, not taken for GMT', () => {
    expect(() => QuartzCron.parse('0 0 12 * * ?', { timeZone: 'GMT+25' })).toThrow(InvalidTimeZoneError);
  });
});

describe('what Quartz guesses', () => {
  const from = '2026-11-21T00:00:00Z';

  test.each([
    ['0 0 12 ? * MON/2', '0 0 12 ? * MON', 'a step after a name is ignored'],
    ['0 0 12 1 JAN-MAR/2 ?', '0 0 12 1 JAN-MAR ?', 'a step after a range of names is ignored'],
    ['0 0 12 1W,15 * ?', '0 0 12 1W * ?', 'of a list with W the smallest day counts'],
    ['0 0 12 15W,1 * ?', '0 0 12 1W * ?', 'of a list with W the smallest day counts, whichever has the W'],
    ['0 0 12 ? * WED#1,MON', '0 0 12 ? * MON#1', 'of a list with # the smallest day counts'],
    ['0 0 12 * * ? 2027 and more', '0 0 12 * * ? 2027', 'the eighth field is ignored'],
    ['5/0 * * * * ?', '5 * * * * ?', 'a step of 0 leaves the first number'],
    ['*/0 * * * * ?', '* * * * * ?', 'a step of 0 after * is none'],
    ['/15 * * * * ?', '*/15 * * * * ?', 'a step alone is a step after *'],
    ['0 0 12 20-0 * ?', '0 0 12 20-31 * ?', 'a range of days that ends in 0 ends with the month'],
    ['0 0 12 ? * mon-fri', '0 0 12 ? * MON-FRI', 'names may be in lower case'],
    ['\t 0 0   12 * * ?\n', '0 0 12 * * ?', 'blanks around and a line break at the end do not matter'],
    ['0 0 12 ? * FRI-MON', '0 0 12 ? * FRI,SAT,SUN,MON', 'a range goes on past the end of the week'],
    ['0 0 22-2 * * ?', '0 0 22,23,0,1,2 * * ?', 'a range goes on past midnight'],
    ['0 0 12 ? * L', '0 0 12 ? * SAT', 'L alone as a day of week is Saturday'],
  ])('%j fires as %j: %s', (expression, plain) => {
    expect(firings(expression, { from, count: 40 })).toEqual(firings(plain, { from, count: 40 }));
  });

  test('the weekday nearest to the 29th is not looked for in a February of 28 days once that of January has passed', () => {
    // 1 March 2042 is a Saturday: the weekday nearest to "29 February" is Friday 28.
    expect(firings('0 0 12 29W * ?', { from: '2042-01-01T00:00:00Z', count: 2 })).toEqual([
      '2042-01-29T12:00:00Z',
      '2042-03-28T12:00:00Z',
    ]);
    expect(firings('0 0 12 29W * ?', { from: '2042-02-01T00:00:00Z', count: 1 })).toEqual(['2042-02-28T12:00:00Z']);
  });
});

describe('the nights in which clocks are set', () => {
  test('a time that clocks skip does not fire that night', () => {
    expect(firings('0 30 2 * * ?', { timeZone: 'America/New_York', from: '2026-03-07T00:00:00Z', count: 3 })).toEqual([
      '2026-03-07T07:30:00Z',
      '2026-03-09T06:30:00Z',
      '2026-03-10T06:30:00Z',
    ]);
  });

  test('a time that occurs twice fires the second time', () => {
    expect(firings('0 30 1 * * ?', { timeZone: 'America/New_York', from: '2026-11-01T00:00:00Z', count: 2 })).toEqual([
      '2026-11-01T06:30:00Z',
      '2026-11-02T06:30:00Z',
    ]);
  });

  test('what fires twice an hour leaps over the first pass', () => {
    expect(firings('0 0/30 * * * ?', { timeZone: 'America/New_York', from: '2026-11-01T04:45:00Z', count: 2 })).toEqual(
      ['2026-11-01T06:00:00Z', '2026-11-01T06:30:00Z'],
    );
  });

  test('a skipped midnight, an hour of 30 minutes and a gap within an hour are taken as Quartz takes them', () => {
    expect(firings('0 0 0 * * ?', { timeZone: 'America/Sao_Paulo', from: '2018-11-03T12:00:00Z', count: 1 })).toEqual([
      '2018-11-05T02:00:00Z',
    ]);
    expect(
      firings('0 15,45 2 * * ?', { timeZone: 'Australia/Lord_Howe', from: '2026-10-03T00:00:00Z', count: 1 }),
    ).toEqual(['2026-10-03T15:45:00Z']);
    // Clocks go from 02:45 to 03:45: 03:52 exists, but Quartz sets 03:00 first, and goes on at 04:00.
    expect(firings('0 52 0/3 * * ?', { timeZone: 'Pacific/Chatham', from: '2028-09-23T12:00:00Z', count: 2 })).toEqual([
      '2028-09-23T12:07:00Z',
      '2028-09-23T17:07:00Z',
    ]);
  });

  test('where the hour before midnight is skipped, Quartz misses a day, and so does every instance of the job', () => {
    expect(
      firings('0 15 0 * * ?', { timeZone: 'America/Scoresbysund', from: '2028-03-26T00:38:40Z', count: 1 }),
    ).toEqual(['2028-03-27T01:15:00Z']);
  });

  test('where three hours after midnight are skipped, the minute is kept and the hour is what clocks show then', () => {
    expect(firings('0 30 * * * ?', { timeZone: 'Antarctica/Casey', from: '2021-10-02T15:32:10Z', count: 2 })).toEqual([
      '2021-10-02T16:30:00Z',
      '2021-10-02T17:30:00Z',
    ]);
  });
});

describe('the end of time', () => {
  test('* fires until the hundredth year from now, and then no more', () => {
    const lastYear = new Date().getFullYear() + 100;

    expect(firings('59 59 23 31 12 ?', { from: `${lastYear - 1}-12-31T23:59:59Z`, count: 2 })).toEqual([
      `${lastYear}-12-31T23:59:59Z`,
    ]);
    expect(firings(`0 0 0 1 1 ? ${lastYear + 1}`, { from: '2026-01-01T00:00:00Z', count: 1 })).toEqual([]);
  });

  // Where it is already, or still, another year in UTC.
  test.each([
    ['America/New_York', '0 0 23 31 12 ? 2030', '2031-01-01T02:00:00Z', '2031-01-01T04:00:00Z'],
    ['America/New_York', '0 0 23 31 12 ? 2030', '2031-01-01T04:00:00Z', undefined],
    ['GMT-2359', '0 58 23 31 12 ? 2030', '2031-01-01T23:56:00Z', '2031-01-01T23:57:00Z'],
    ['Asia/Tokyo', '0 0 1 1 1 ? 2031', '2030-12-31T15:59:59Z', '2030-12-31T16:00:00Z'],
    ['Asia/Tokyo', '0 0 1 1 1 ? 2031', '2000-01-01T00:00:00Z', '2030-12-31T16:00:00Z'],
  ])('in %s, %s fires in the last or first hours of its year, asked at %s', (timeZone, expression, from, next) => {
    expect(firings(expression, { timeZone, from, count: 1 })).toEqual(next === undefined ? [] : [next]);
  });

  test.each(['0 0 0 31 2 ?', '0 0 0 1 1 ? 1999', '0 0 0 L-30 2 ?'])('%s never fires', (expression) => {
    expect(QuartzCron.parse(expression, { timeZone: 'Europe/Berlin' }).next(new Date('2026-11-21'))).toBeUndefined();
  });

  test('any date can be asked about, save an invalid one', () => {
    const cron = QuartzCron.parse('0 0 0 * * ?', { timeZone: 'Europe/Berlin' });

    expect(cron.next(new Date(-8.64e15))).toEqual(new Date('1969-12-31T23:00:00Z'));
    expect(cron.next(new Date(8.64e15))).toBeUndefined();
    expect(() => cron.next(new Date(Number.NaN))).toThrow(
      new RangeError("'0 0 0 * * ?' cannot fire after an invalid date."),
    );
  });
});

test('a cron tells its expression as it was given, and its time zone', () => {
  const cron = QuartzCron.parse('0 0 12 ? * mon', { timeZone: 'GMT+8' });

  expect([cron.expression, String(cron), cron.timeZone]).toEqual(['0 0 12 ? * mon', '0 0 12 ? * mon', 'GMT+8']);
  expect(QuartzCron.parse('0 0 12 ? * MON').timeZone).toBe(Intl.DateTimeFormat().resolvedOptions().timeZone);
});

describe('of all expressions and instants', () => {
  const number = (min: number, max: number) => fc.integer({ min, max }).map(String);
  const field = (min: number, max: number) =>
    fc.oneof(
      fc.constant('*'),
      number(min, max),
      fc.tuple(number(min, max), number(min, max)).map(([from, to]) => `${from}-${to}`),
      fc.tuple(number(min, max), number(1, max)).map(([from, step]) => `${from}/${step}`),
      fc.array(number(min, max), { minLength: 2, maxLength: 4 }).map((list) => list.join()),
    );
  const days = fc.oneof(
    fc.oneof(field(1, 31), fc.constantFrom('L', 'LW', 'L-3', '15W', '31W')).map((day) => [day, '?']),
    fc.oneof(field(1, 7), fc.constantFrom('L', '6L', '2#1', '1#5')).map((day) => ['?', day]),
  );
  const expressions = fc
    .tuple(field(0, 59), field(0, 59), field(0, 23), days, field(1, 12))
    .map(([second, minute, hour, [dayOfMonth, dayOfWeek], month]) =>
      [second, minute, hour, dayOfMonth, month, dayOfWeek].join(' '),
    );
  const instants = fc.date({ min: new Date('2000-01-01'), max: new Date('2060-01-01'), noInvalidDate: true });
  const zones = fc.constantFrom('UTC', 'GMT-0330', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe');

  test('the next firing is after the instant, on a full second, and the same just before it', () => {
    expectProperty(
      fc.property(expressions, zones, instants, (expression, timeZone, after) => {
        const cron = QuartzCron.parse(expression, { timeZone });
        const next = cron.next(after);
        if (next === undefined) return;

        expect(next.getTime()).toBeGreaterThan(after.getTime());
        expect(next.getMilliseconds()).toBe(0);
        expect(cron.next(new Date(next.getTime() - 1))).toEqual(next);
      }),
      { numRuns: 1000 },
    );
  });

  // Not where clocks go back: Quartz answers the second pass for an instant in the first, also for what comes before.
  test('a later instant never has an earlier next firing where clocks are never set', () => {
    expectProperty(
      fc.property(expressions, fc.constantFrom('UTC', 'GMT-0330'), instants, instants, (expression, timeZone, a, b) => {
        const cron = QuartzCron.parse(expression, { timeZone });
        const [earlier, later] = a < b ? [a, b] : [b, a];

        expect(cron.next(earlier)?.getTime() ?? Infinity).toBeLessThanOrEqual(cron.next(later)?.getTime() ?? Infinity);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('expressions without any firing', () => {
  test.each(['0 0 0 31 2 ?', '0 0 0 30 FEB ?', '0 0 0 29 2 ? 2027', '0 0 0 1 1 ? 2500'])(
    '%s never fires',
    (expression) => {
      expect(QuartzCron.parse(expression, { timeZone: 'GMT' }).everFires).toBe(false);
    },
  );

  test.each(['0 0 0 29 2 ?', '0 0 0 1 1 ? 1999', '* * * * * ?'])('%s fires, or has fired', (expression) => {
    expect(QuartzCron.parse(expression, { timeZone: 'GMT' }).everFires).toBe(true);
  });
});

test('a QuartzCron that JavaScript makes without parse() is refused', () => {
  const make = QuartzCron as unknown as new (...args: unknown[]) => QuartzCron;

  expect(() => new make()).toThrow('A QuartzCron is made by QuartzCron.parse()');
  expect(() => new make('0 0 0 * * ?')).toThrow('A QuartzCron is made by QuartzCron.parse()');
});

test.each([[undefined], [null], [5]])('%p, which JavaScript can pass, is refused as no text', (expression) => {
  expect(() => QuartzCron.parse(expression as unknown as string)).toThrow(
    `Cron expression '${String(expression)}' cannot be used: it is no text.`,
  );
});
