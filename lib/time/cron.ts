/**
 * Cron expressions as Quartz 2.4.0 reads them, because the Java instances of a job use Quartz. If two instances compute
 * different times for a firing, it runs twice, or never.
 *
 *     ┌─────────── seconds 0-59
 *     │ ┌───────── minutes 0-59
 *     │ │ ┌─────── hours 0-23
 *     │ │ │ ┌───── day of month 1-31, L, W       exactly one of these two is '?'
 *     │ │ │ │ ┌─── month 1-12, JAN-DEC           │
 *     │ │ │ │ │ ┌─ day of week 1-7 (1 is SUN), L, #
 *     │ │ │ │ │ │ ┌ year, optional
 *     0 0 9 ? * 2-6
 *
 * The search works with wall times: first the day, then the time of day, both from sorted numbers. Its cost depends on
 * the years that it skips, never on the seconds. Only its result becomes an instant. So two nights of a year are
 * special:
 *
 * - *A time that clocks skip* does not fire. The search goes on after the gap: `0 30 2 * * ?` leaves that night out.
 * - *A time that occurs twice* fires once, the second time: `0 0/30 * * * ?` leaves the first pass of the hour out.
 *
 * No expression fires after the hundredth year from now. `next` then returns `undefined`, as it does for 31 February.
 *
 * Where Quartz guesses, this class does the same if the text has one sensible meaning: it ignores a step after a name
 * (`MON/2` is `MON`), uses only the smallest day of `1W,15` and `MON#1,WED`, and ignores an eighth field. It refuses
 * text that Quartz accepts only because it stops reading (`5X`, `*5`, `MONDAY`, `1,,2`, `?,3`), the numbers 98 and 99,
 * which have a special meaning inside Quartz, and text on which Quartz hangs (`0W`, `L-28W` and beyond).
 */
import { readDayOfMonth, readDayOfWeek, type DayRule } from './cron-days.js';
import { CRON_FIELDS, FieldFault, readValues, yearField, type CronField } from './cron-field.js';
import {
  atOrAfter,
  DAY_MS,
  HOUR_MS,
  hourOf,
  MINUTE_MS,
  minuteOf,
  SECOND_MS,
  secondOf,
  startOf,
  wallAtOrAfter,
  type CronSchedule,
} from './cron-search.js';
import { wording } from '../wording/wording.js';
import { InvalidCronError } from './invalid-cron-error.js';
import { parseTimeZone, type TimeZone } from './time-zone.js';

export { InvalidCronError, InvalidTimeZoneError, type CronFieldName } from './invalid-cron-error.js';

/** Quartz searches this many years ahead. */
const YEARS_AHEAD = 100;

const FEWEST_FIELDS = 6;

/** Options of reading an expression. */
export interface CronOptions {
  /** Time zone of the wall clock, see `parseTimeZone`. If it is absent or empty, the zone of this process is used. */
  readonly timeZone?: string | undefined;
}

/** @throws InvalidCronError unless the options are an object with no other key than `timeZone` */
function requireCronOptions(expression: string, options: unknown): void {
  const isObject = typeof options === 'object' && options !== null && !Array.isArray(options);
  const unknown = isObject ? Object.keys(options).find((key) => key !== 'timeZone') : undefined;
  if (isObject && unknown === undefined) return;
  const reason = unknown === undefined ? wording('cron-options') : wording('cron-option', { option: unknown });
  throw new InvalidCronError(expression, { reason });
}

/** A Quartz cron expression in a time zone. Immutable. */
export class QuartzCron {
  readonly #schedule: CronSchedule;
  readonly #zone: TimeZone;

  private constructor(
    /** The expression as it was given. */
    readonly expression: string,
    schedule: CronSchedule,
    zone: TimeZone,
  ) {
    // JavaScript can call a private constructor.
    if (typeof (schedule as unknown) !== 'object')
      throw new TypeError("A QuartzCron is made by QuartzCron.parse(), such as QuartzCron.parse('0/5 * * * * ?')");
    this.#schedule = schedule;
    this.#zone = zone;
  }

  /**
   * Reads an expression of six or seven fields. Names may be in upper or lower case.
   * @throws InvalidCronError if Quartz refuses it, or accepts it by mistake. The message names the field, its text and
   * the allowed text
   * @throws InvalidTimeZoneError if the time zone is not known
   */
  static parse(expression: string, options: CronOptions = {}): QuartzCron {
    if (typeof (expression as unknown) !== 'string')
      throw new InvalidCronError(String(expression), { reason: wording('cron-no-text') });
    requireCronOptions(expression, options);
    return new QuartzCron(expression, scheduleOf(expression), parseTimeZone(options.timeZone));
  }

  /**
   * The id of the time zone. If none was given, the id of the zone that this process had when it read the expression.
   */
  get timeZone(): string {
    return this.#zone.id;
  }

  /**
   * The first firing after `after`, not at it, always on a full second. `undefined` if there is none within a hundred
   * years.
   * @throws RangeError if `after` is an invalid date
   */
  next(after: Date): Date | undefined {
    const start = this.#startMs(after);
    if (start === undefined) return undefined;
    for (let from = this.#zone.toWall(start); ;) {
      from = this.#leaveSpentUnits(from);
      const wall = wallAtOrAfter(this.#schedule, from);
      if (wall === undefined) return undefined;
      const skipped = this.#skippedOnTheWay(from, wall);
      if (skipped === undefined) return new Date(this.#zone.toInstant(wall));
      from = this.#enterHour(skipped);
    }
  }

  /** True if it fires at some instant since 1970. An expression for 31 February does not. */
  get everFires(): boolean {
    return this.next(new Date(0)) !== undefined;
  }

  /** The expression as it was given. */
  toString(): string {
    return this.expression;
  }

  /**
   * The first full second after `after`, or a time soon before the first year if that is later. `undefined` if no year
   * is left.
   */
  #startMs(after: Date): number | undefined {
    if (Number.isNaN(after.getTime())) throw new RangeError(`'${this.expression}' cannot fire after an invalid date.`);
    const { years } = this.#schedule;
    const last = years.at(-1) ?? -Infinity;
    const first = years[0] ?? last;
    if (after.getUTCFullYear() > last + 1) return undefined;
    return Math.max(Math.floor(after.getTime() / SECOND_MS + 1) * SECOND_MS, Date.UTC(first - 1, 0));
  }

  /**
   * Goes past a minute, an hour and a day that have no firing left, one after the other as Quartz does. The search
   * itself would do the same, except if this step ends in a gap: see `#enterHour`.
   */
  #leaveSpentUnits(wall: number): number {
    const { seconds, minutes, hours } = this.#schedule;
    if (atOrAfter(seconds, secondOf(wall)) === undefined) {
      return this.#leaveSpentUnits(this.#lenient(startOf(wall, MINUTE_MS) + MINUTE_MS));
    }
    if (atOrAfter(minutes, minuteOf(wall)) === undefined) {
      const entry = startOf(wall, HOUR_MS) + HOUR_MS + (minutes[0] ?? 0) * MINUTE_MS;
      return this.#leaveSpentUnits(hourOf(wall) === 23 ? this.#lenient(entry) : this.#enterHour(entry));
    }
    if (atOrAfter(hours, hourOf(wall)) !== undefined) return wall;
    return this.#leaveSpentUnits(this.#enterHour(startOf(wall, DAY_MS) + DAY_MS + (hours[0] ?? 0) * HOUR_MS));
  }

  /**
   * The time that clocks skip on the way to `wall`, if there is one. Quartz goes to a time by way of the start of its
   * hour and the start of its minute, unless the search has already passed these.
   */
  #skippedOnTheWay(from: number, wall: number): number | undefined {
    const stations = [startOf(wall, HOUR_MS), startOf(wall, MINUTE_MS), wall];
    return stations.find((station) => station >= from && this.#lenient(station) !== station);
  }

  /**
   * The time that Quartz' calendar shows when Quartz sets it to a time of another hour. If clocks skip that hour,
   * Quartz sets the next hour. That is the end of the gap, unless the gap is longer than an hour or reaches midnight,
   * as in Greenland in the last night of March. There Quartz skips a whole day, and so do Java instances.
   */
  #enterHour(wall: number): number {
    const shown = this.#lenient(wall);
    if (hourOf(shown) === hourOf(wall)) return shown;
    return this.#lenient(startOf(shown, DAY_MS) + (hourOf(wall) + 1) * HOUR_MS + (shown - startOf(shown, HOUR_MS)));
  }

  /** The time that a lenient calendar shows when it is set to `wall`: the same time, unless clocks skip it. */
  #lenient(wall: number): number {
    return this.#zone.toWall(this.#zone.toInstant(wall));
  }
}

/** Schedules that were read recently, by last year and expression. The same expression is read for many purposes. */
const knownSchedules = new Map<string, CronSchedule>();
const SCHEDULES_KEPT = 1_000;

function scheduleOf(expression: string): CronSchedule {
  const lastYear = new Date().getFullYear() + YEARS_AHEAD;
  const key = `${lastYear} ${expression}`;
  let schedule = knownSchedules.get(key);
  if (schedule === undefined) {
    if (knownSchedules.size >= SCHEDULES_KEPT) knownSchedules.clear();
    knownSchedules.set(key, (schedule = readSchedule(expression, lastYear)));
  }
  return schedule;
}

/** The words of an expression that has enough of them. More than seven have no meaning. */
type CronWords = readonly [
  second: string,
  minute: string,
  hour: string,
  dayOfMonth: string,
  month: string,
  dayOfWeek: string,
  year?: string,
];

function readSchedule(expression: string, lastYear: number): CronSchedule {
  // As Java does it: upper case, and blanks at the end of a word, which include the line break of a YAML block.
  const words = expression
    .toUpperCase()
    .split(/[ \t]/)
    .filter((word) => word !== '')
    .map((word) => word.trim());
  refuseStrangeBlanks(expression, words.slice(0, 7));
  const count = words.filter((word) => word !== '').length;
  if (count < FEWEST_FIELDS) throw tooShort(expression, count);
  const [second, minute, hour, dayOfMonth, month, dayOfWeek, year = '*'] = words as unknown as CronWords;

  const values = (field: CronField, text: string): readonly number[] =>
    readField(expression, { field, text, read: (list) => readValues(field, list) });
  return {
    seconds: values(CRON_FIELDS.second, second),
    minutes: values(CRON_FIELDS.minute, minute),
    hours: values(CRON_FIELDS.hour, hour),
    days: readDays(expression, { dayOfMonth, dayOfWeek }),
    months: values(CRON_FIELDS.month, month),
    years: values(yearField(lastYear), year).filter((value) => value <= lastYear),
  };
}

function readDays(
  expression: string,
  { dayOfMonth, dayOfWeek }: Readonly<Record<'dayOfMonth' | 'dayOfWeek', string>>,
): DayRule {
  if ((dayOfMonth === '?') === (dayOfWeek === '?')) {
    const reason = wording('cron-two-days', { dayOfMonth, dayOfWeek });
    throw new InvalidCronError(expression, { reason, field: dayOfMonth === '?' ? 'day of week' : 'day of month' });
  }
  return dayOfWeek === '?'
    ? readField(expression, { field: CRON_FIELDS.dayOfMonth, text: dayOfMonth, read: readDayOfMonth })
    : readField(expression, { field: CRON_FIELDS.dayOfWeek, text: dayOfWeek, read: readDayOfWeek });
}

interface FieldText<T> {
  readonly field: CronField;
  readonly text: string;
  readonly read: (text: string) => T;
}

function readField<T>(expression: string, { field, text, read }: FieldText<T>): T {
  try {
    return read(text);
  } catch (fault) {
    if (!(fault instanceof FieldFault)) throw fault;
    const { title, allowed } = field;
    const reason = wording('cron-field', { field: title, text, fault: fault.fault, allowed });
    throw new InvalidCronError(expression, { reason, field: field.name });
  }
}

function tooShort(expression: string, count: number): InvalidCronError {
  const reason = count === 1 ? wording('cron-one-field') : wording('cron-few-fields', { count });
  return new InvalidCronError(expression, { reason });
}

/** Blanks inside a word separate no fields: line breaks, or no-break spaces, which texts copied from web pages have. */
function refuseStrangeBlanks(expression: string, words: readonly string[]): void {
  const [blank] = words.flatMap((word) => /[\s\u200b\u2060]/.exec(word)?.[0] ?? []);
  if (blank === undefined) return;
  const code = blank.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  throw new InvalidCronError(expression, { reason: wording('cron-blank-character', { character: `U+${code}` }) });
}
