import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { QuartzCron } from '../../../lib/time/cron.js';
import { lastBefore } from '../../../lib/time/last-before.js';
import { expectProperty } from '../../support/property.js';

const DAY_MS = 86_400_000;

function last(expression: string, end: string, timeZone = 'Europe/Berlin'): string | undefined {
  return lastBefore(QuartzCron.parse(expression, { timeZone }), new Date(end))?.toISOString();
}

/** As `lastBefore`, from instant to instant. */
function lastOfAll(cron: QuartzCron, end: Date, windowMs: number): Date | undefined {
  let found: Date | undefined;
  for (let at = cron.next(new Date(end.getTime() - windowMs)); at !== undefined && at < end; at = cron.next(at))
    found = at;
  return found;
}

describe('the last instant before a moment', () => {
  test.each([
    ['0 0 2 * * ?', '2026-11-29T12:00:00Z', '2026-11-29T01:00:00.000Z'],
    ['0/5 * * * * ?', '2026-11-29T12:00:04.001Z', '2026-11-29T12:00:00.000Z'],
    ['0/5 * * * * ?', '2026-11-29T12:00:00Z', '2026-11-29T11:59:55.000Z'],
    ['* * * ? * MON-FRI', '2026-11-29T12:00:00Z', '2026-11-27T22:59:59.000Z'],
    ['0/5 * * ? 6 *', '2030-01-01T00:00:00Z', '2029-06-30T21:59:55.000Z'],
    ['0 0 0 1 1 ?', '2026-12-31T12:00:00Z', '2025-12-31T23:00:00.000Z'],
  ])('of %s before %s is %s', (expression, end, instant) => {
    expect(last(expression, end)).toBe(instant);
  });

  test('is not there if there is none within a year, or none at all', () => {
    expect(last('0 0 0 1 1 ? 2020', '2026-11-29T12:00:00Z')).toBeUndefined();
    expect(last('0 0 0 31 2 ?', '2026-11-29T12:00:00Z')).toBeUndefined();
  });

  test.each([
    ['0 30 2 * * ?', '2026-03-29T12:00:00Z', '2026-03-28T01:30:00.000Z'],
    ['0 0/30 * * * ?', '2026-03-29T01:10:00Z', '2026-03-29T01:00:00.000Z'],
    ['0 0/30 * * * ?', '2026-10-25T01:10:00Z', '2026-10-25T01:00:00.000Z'],
    ['0 0/30 * * * ?', '2026-10-25T01:00:00Z', '2026-10-24T23:30:00.000Z'],
  ])('of %s in a night in which clocks are set, before %s, is %s', (expression, end, instant) => {
    expect(last(expression, end)).toBe(instant);
  });

  test('is the one that a search from instant to instant comes to', () => {
    const field = (max: number) => fc.constantFrom('*', '0', `${max}`, '0/7', '5-9', '1,3');
    const expression = fc
      .tuple(
        field(59),
        field(59),
        field(23),
        fc.constantFrom('* * ?', '? * MON-FRI', 'L * ?', '1W * ?', '? 6 *', '29 2 ?'),
      )
      .map((parts) => parts.join(' '));
    const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/Sao_Paulo', 'Asia/Shanghai', 'Australia/Lord_Howe');
    const moment = fc.integer({ min: Date.UTC(2015, 0), max: Date.UTC(2031, 0) });
    expectProperty(
      fc.property(expression, zones, moment, (text, timeZone, ms) => {
        const cron = QuartzCron.parse(text, { timeZone });
        const end = new Date(ms);
        const expected = lastOfAll(cron, end, DAY_MS);
        if (expected !== undefined) expect(lastBefore(cron, end)).toEqual(expected);
        const found = lastBefore(cron, end);
        const next = cron.next(found ?? new Date(ms - 366 * DAY_MS));
        expect(next === undefined || next >= end).toBe(true);
      }),
    );
  });
});
