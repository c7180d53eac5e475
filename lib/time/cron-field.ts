import { inEnglish, type Wording, wording } from '../wording/wording.js';
import { type CronFieldName } from './invalid-cron-error.js';

/** Limits and names of one field of a Quartz expression. */
export interface CronField {
  readonly name: CronFieldName;
  readonly min: number;
  readonly max: number;
  /** The largest step after `*` or a single value. Quartz does not limit the step of a range. */
  readonly maxStep: number;
  /** The names that may be written here, with their numbers. */
  readonly names: ReadonlyMap<string, number>;
  /** The allowed text, in words for messages. */
  readonly allowed: Wording;
  /** The field, in words for messages. */
  readonly title: Wording;
}

/**
 * The text of one field is wrong. The message is a clause without subject, such as `has '60', which is out of range`.
 */
export class FieldFault extends Error {
  constructor(readonly fault: Wording) {
    super(inEnglish(fault));
  }
}

const numbered = (names: string): ReadonlyMap<string, number> =>
  new Map(names.split(' ').map((name, index) => [name, index + 1]));

/** The names of the days of the week with Quartz' numbers: SUN is 1, SAT is 7. */
export const DAY_NAMES = numbered('SUN MON TUE WED THU FRI SAT');
const MONTH_NAMES = numbered('JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC');
const NO_NAMES: ReadonlyMap<string, number> = new Map();

const numbersOf = (numbers: string): Wording => wording('allowed-numbers', { numbers });
const sixty = { min: 0, max: 59, maxStep: 59, names: NO_NAMES, allowed: numbersOf('0-59') };

/** The six fields that every expression has. */
export const CRON_FIELDS = {
  second: { name: 'seconds', title: wording('cron-seconds'), ...sixty },
  minute: { name: 'minutes', title: wording('cron-minutes'), ...sixty },
  hour: {
    ...{ name: 'hours', title: wording('cron-hours'), min: 0, max: 23, maxStep: 23, names: NO_NAMES },
    allowed: numbersOf('0-23'),
  },
  dayOfMonth: {
    ...{ name: 'day of month', title: wording('cron-day-of-month'), min: 1, max: 31, maxStep: 31, names: NO_NAMES },
    allowed: wording('allowed-days'),
  },
  month: {
    ...{ name: 'month', title: wording('cron-month'), min: 1, max: 12, maxStep: 12, names: MONTH_NAMES },
    allowed: wording('allowed-months'),
  },
  dayOfWeek: {
    ...{ name: 'day of week', title: wording('cron-day-of-week'), min: 1, max: 7, maxStep: 7, names: DAY_NAMES },
    allowed: wording('allowed-weekdays'),
  },
} as const satisfies Record<string, CronField>;

/** The field of years. In it, `*` and steps without an end stop at `lastYear`. */
export function yearField(lastYear: number): CronField {
  const allowed = wording('allowed-years', { last: lastYear });
  const title = wording('cron-year');
  return { name: 'year', title, min: 1970, max: lastYear, maxStep: Infinity, names: NO_NAMES, allowed };
}

/** The largest number that Java can read. */
const MAX_INT = 2 ** 31 - 1;

/** Inside Quartz, the number 99 means `*`. The year 99 would be every year. */
const QUARTZ_EVERY = 99;

/**
 * The numbers that a list such as `1,5-10/2,20/5` stands for, in ascending order.
 * @throws FieldFault if a part of the list cannot be read or is out of range
 */
export function readValues(field: CronField, text: string): readonly number[] {
  const values = new Set(listItems(text).flatMap((item) => readItem(field, item)));
  return [...values].sort((a, b) => a - b);
}

/**
 * The parts of a list.
 * @throws FieldFault if a part is empty. Quartz ignores an empty part
 */
export function listItems(text: string): readonly string[] {
  const items = text.split(',');
  if (items.includes('')) throw new FieldFault(wording('fault-comma'));
  return items;
}

/**
 * The number that a numeral or a name stands for.
 * @throws FieldFault if the number is out of range, or the field has no such name
 */
export function readSingle(field: CronField, text: string): number {
  const value = /^\d/.test(text) ? Number(text) : field.names.get(text);
  if (value === undefined) throw new FieldFault(wording('fault-name', { text }));
  if (value < field.min || value > field.max) throw outOfRange(text);
  return value;
}

function outOfRange(text: string): FieldFault {
  return new FieldFault(wording('fault-range', { text }));
}

function readItem(field: CronField, item: string): readonly number[] {
  // Quartz stops reading after the names. A step behind them has no effect.
  const named = /^([A-Z]{3})(?:-([A-Z]{3}))?(?:\/\d+)?$/.exec(item);
  if (named !== null) return readNames(field, named[1] ?? '', named[2]);
  const [matched, start, end, step] = /^(?:\*|(\d+)(?:-(\d+))?|(?=\/))(?:\/(\d+))?$/.exec(item) ?? [];
  if (matched === undefined) throw new FieldFault(wording('fault-unreadable', { text: item }));
  if ([start, end, step].some((digits) => Number(digits) > MAX_INT)) throw outOfRange(item);

  const isOpen = end === undefined;
  if (step !== undefined && isOpen && Number(step) > field.maxStep) {
    throw new FieldFault(wording('fault-step', { step, item, most: field.maxStep }));
  }
  if (start === undefined) return numbers(field, { start: field.min, end: field.max, step: Number(step ?? 1) || 1 });
  const first = readStart(field, start);
  if (step === undefined && isOpen) return [first];
  const range = { start: first, end: readEnd(field, end), step: Number(step ?? 1) };
  return range.step === 0 ? [first] : numbers(field, range);
}

function readNames(field: CronField, first: string, last: string | undefined): readonly number[] {
  const start = readSingle(field, first);
  return last === undefined ? [start] : numbers(field, { start, end: readSingle(field, last), step: 1 });
}

function readStart(field: CronField, text: string): number {
  if (field.name !== 'year') return readSingle(field, text);
  if (Number(text) === QUARTZ_EVERY) throw new FieldFault(wording('fault-every-year', { text }));
  return Number(text);
}

/** Quartz does not compare the end of a range with the smallest value. For the day of month, `5-0` is `5-31`. */
function readEnd(field: CronField, text: string | undefined): number {
  if (text === undefined) return field.max;
  if (field.name !== 'year' && Number(text) > field.max) throw outOfRange(text);
  return Number(text);
}

interface Range {
  readonly start: number;
  readonly end: number;
  readonly step: number;
}

/** A range that ends before its start continues past the largest value: `22-2` is 22, 23, 0, 1, 2. */
function numbers(field: CronField, { start, end, step }: Range): readonly number[] {
  if (field.name === 'year' && end < start) throw new FieldFault(wording('fault-range-end', { end, start }));
  const size = end < start ? field.max - field.min + 1 : 0;
  const last = field.name === 'year' ? Math.min(end, field.max) : end + size;
  const values: number[] = [];
  for (let value = start; value <= last; value += step) values.push(value > field.max ? value - size : value);
  return values;
}
