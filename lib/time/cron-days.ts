import { wording } from '../wording/wording.js';
import { CRON_FIELDS, FieldFault, listItems, readSingle, readValues } from './cron-field.js';

/**
 * The days of a month that an expression names in one of its two day fields. Days of the week: 1 is Sunday, 7 is
 * Saturday.
 */
export type DayRule =
  | { readonly kind: 'days'; readonly days: readonly number[] }
  | { readonly kind: 'last day'; readonly daysBefore: number }
  | { readonly kind: 'weekday nearest to'; readonly day: number }
  | { readonly kind: 'weekday nearest to last day'; readonly daysBefore: number }
  | { readonly kind: 'days of week'; readonly days: readonly number[] }
  | { readonly kind: 'last day of week'; readonly day: number }
  | { readonly kind: 'nth day of week'; readonly day: number; readonly nth: number };

const MAX_DAYS_BEFORE_LAST = 30;

/** Further back, some Februaries have no such day, and Quartz searches for it in an endless loop. */
const MAX_WEEKDAYS_BEFORE_LAST = 27;

/**
 * Reads the field day of month if it is not `?`.
 * @throws FieldFault if it cannot be read
 */
export function readDayOfMonth(text: string): DayRule {
  const [last, before, weekday] = /^L(?:-(\d+))?(W)?$/.exec(text) ?? [];
  if (last !== undefined) return readLastDay(Number(before ?? 0), weekday);
  if (text.includes('L') && text.includes(',')) throw new FieldFault(wording('fault-last-and-others'));

  const items = listItems(text);
  const isNearest = (item: string): boolean => /^\d+W$/.test(item);
  const values = items.flatMap((item) =>
    readValues(CRON_FIELDS.dayOfMonth, isNearest(item) ? item.slice(0, -1) : item),
  );
  // Quartz applies W to the whole list, and then uses only the smallest of its days.
  if (items.some(isNearest)) return { kind: 'weekday nearest to', day: Math.min(...values) };
  return { kind: 'days', days: values.sort((a, b) => a - b) };
}

function readLastDay(daysBefore: number, weekday: string | undefined): DayRule {
  if (daysBefore > MAX_DAYS_BEFORE_LAST) throw new FieldFault(wording('fault-back-30'));
  if (weekday === undefined) return { kind: 'last day', daysBefore };
  if (daysBefore > MAX_WEEKDAYS_BEFORE_LAST) {
    throw new FieldFault(wording('fault-back-27'));
  }
  return { kind: 'weekday nearest to last day', daysBefore };
}

/**
 * Reads the field day of week if it is not `?`.
 * @throws FieldFault if it cannot be read
 */
export function readDayOfWeek(text: string): DayRule {
  const field = CRON_FIELDS.dayOfWeek;
  if (text === 'L') return { kind: 'days of week', days: [field.max] };
  const last = /^(\d+|[A-Z]{3})L$/.exec(text)?.[1];
  if (last !== undefined) return { kind: 'last day of week', day: readSingle(field, last) };
  if (text.includes('L') && text.includes(',')) throw new FieldFault(wording('fault-last-and-others'));
  if (text.split('#').length > 2) throw new FieldFault(wording('fault-many-hashes'));

  let nth = 0;
  const values = listItems(text).flatMap((item) => {
    const [matched, day, count] = /^(\d+|[A-Z]{3})#(\d+)$/.exec(item) ?? [];
    if (matched === undefined) return readValues(field, item);
    nth = Number(count);
    if (nth < 1 || nth > 5) throw new FieldFault(wording('fault-hash', { item }));
    return [readSingle(field, day ?? '')];
  });
  // Quartz applies # to the whole list, and then uses only the smallest of its days.
  if (nth > 0) return { kind: 'nth day of week', day: Math.min(...values), nth };
  return { kind: 'days of week', days: values };
}

const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** The number of days of a month (1-12). */
export function daysInMonth(year: number, month: number): number {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return month === 2 && isLeap ? 29 : (DAYS_IN_MONTH[month - 1] ?? 0);
}

/** The first day of the month that the rule names and that is not before `from`. `undefined` if there is none. */
export function dayAtOrAfter(rule: DayRule, { year, month, from }: MonthDay): number | undefined {
  const last = daysInMonth(year, month);
  const weekdayOfFirst = new Date(Date.UTC(year, month - 1, 1)).getUTCDay();
  const weekdayOf = (day: number): number => ((weekdayOfFirst + day - 1) % 7) + 1;
  const inMonth = (day: number | undefined): number | undefined =>
    day !== undefined && day >= Math.max(1, from) && day <= last ? day : undefined;
  const firstOn = (weekday: number, earliest: number): number => earliest + ((weekday - weekdayOf(earliest) + 7) % 7);

  switch (rule.kind) {
    case 'days':
      return inMonth(rule.days.find((day) => day >= from));
    case 'last day':
      return inMonth(last - rule.daysBefore);
    case 'weekday nearest to':
      return inMonth(nearestWeekday(rule.day, weekdayOf(rule.day), last));
    case 'weekday nearest to last day':
      return inMonth(nearestWeekday(last - rule.daysBefore, weekdayOf(last - rule.daysBefore), last));
    case 'days of week':
      return inMonth(Math.min(...rule.days.map((weekday) => firstOn(weekday, from))));
    case 'last day of week':
      return inMonth(firstOn(rule.day, last - 6));
    case 'nth day of week':
      return inMonth(firstOn(rule.day, 1) + (rule.nth - 1) * 7);
    default:
      return rule satisfies never;
  }
}

/** The day of a month (1-12) with which a search begins. */
export interface MonthDay {
  readonly year: number;
  readonly month: number;
  readonly from: number;
}

/**
 * The day from Monday to Friday that is nearest to a day and in the same month. As in Quartz, 31 April counts as 1 May.
 */
function nearestWeekday(day: number, weekday: number, last: number): number {
  if (weekday === 7) return day === 1 ? 3 : day - 1;
  if (weekday === 1) return day === last ? day - 2 : day + 1;
  return day;
}
