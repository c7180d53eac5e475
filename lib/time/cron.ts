/**
 * Cron expressions as Quartz 2.4.0 reads them, since that is what the Java instances of a job read: a firing that two
 * instances place at different times is a firing that runs twice, or never.
 *
 *     ┌─────────── seconds 0-59
 *     │ ┌───────── minutes 0-59
 *     │ │ ┌─────── hours 0-23
 *     │ │ │ ┌───── day of month 1-31, L, W       exactly one of these two is '?'
 *     │ │ │ │ ┌─── month 1-12, JAN-DEC           │
 *     │ │ │ │ │ ┌─ day of week 1-7 (1 is SUN), L, #
 *     │ │ │ │ │ │ ┌ year, may be left out
 *     0 0 9 ? * 2-6
 *
 * The search runs on the wall clock: first the day, then the time of day, both from sorted numbers, so that its cost
 * depends on the years skipped and never on the seconds. Only the time found is made an instant. Hence the two nights:
 *
 * - *A time that clocks skip* does not fire; the search goes on behind the gap. `0 30 2 * * ?` rests for one night.
 * - *A time that occurs twice* fires once, the second time. On that night `0 0/30 * * * ?` leaps over the first pass.
 *
 * Nothing fires after the hundredth year from now; `next` then answers `undefined`, as for days that never come.
 *
 * Where Quartz guesses, it is followed if the text has one sensible reading: a step after a name is ignored (`MON/2` is
 * `MON`), of `1W,15` and `MON#1,WED` only the smallest day counts, an eighth field is ignored. Text that Quartz reads
 * only because it stops looking (`5X`, `*5`, `MONDAY`, `1,,2`, `?,3`), the numbers 98 and 99, which are signs of its
 * own, and what makes it hang (`0W`, `L-28W` and beyond) are refused.
 */
import { dayAtOrAfter, readDayOfMonth, readDayOfWeek, type DayRule } from './cron-days.js';
import { CRON_FIELDS, FieldFault, readValues, yearField, type CronField } from './cron-field.js';
import { InvalidCronError } from './invalid-cron-error.js';
import { parseTimeZone, type TimeZone } from './time-zone.js';

export { InvalidCronError, InvalidTimeZoneError, type CronFieldName } from './invalid-cron-error.js';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Quartz gives up this many years from now. */
const YEARS_AHEAD = 100;

const FEWEST_FIELDS = 6;

/** How to read an expression. */
export interface CronOptions {
  /** Time zone of the wall clock, see `parseTimeZone`. Default, and if empty: the zone of this process. */
  readonly timeZone?: string | undefined;
}

/** The numbers of an expression, each list sorted and not empty. */
interface Schedule {
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: DayRule;
  readonly months: readonly number[];
  readonly years: readonly number[];
}

/** A Quartz cron expression in a time zone. Immutable. */
export class QuartzCron {
  readonly #schedule: Schedule;
  readonly #zone: TimeZone;

  private constructor(
    /** The expression as it was given. */
    readonly expression: string,
    schedule: Schedule,
    zone: TimeZone,
  ) {
    this.#schedule = schedule;
    this.#zone = zone;
  }

  /**
   * Reads an expression of six or seven fields, names in either case.
   * @throws InvalidCronError if Quartz would refuse it, or take it by mistake; the message names field, text and what is allowed
   * @throws InvalidTimeZoneError if the zone is not known
   */
  static parse(expression: string, options: CronOptions = {}): QuartzCron {
    return new QuartzCron(expression, readSchedule(expression), parseTimeZone(options.timeZone));
  }

  /** The id of the time zone; if none was given, of the zone this process had when the expression was read. */
  get timeZone(): string {
    return this.#zone.id;
  }

  /**
   * The first firing strictly after `after`, always on a full second; `undefined` if there is none within a hundred years.
   * @throws RangeError if `after` is an invalid date
   */
  next(after: Date): Date | undefined {
    if (Number.isNaN(after.getTime()))
      throw new RangeError(`'${this.expression}' has no firing after an invalid date.`);
    for (let from = this.#firstWall(after.getTime()); ;) {
      const wall = wallAtOrAfter(this.#schedule, from);
      if (wall === undefined) return undefined;
      const instant = this.#zone.toInstant(wall);
      if (this.#zone.toWall(instant) === wall) return new Date(instant);
      from = this.#behindGap(wall);
    }
  }

  /** The expression as it was given. */
  toString(): string {
    return this.expression;
  }

  /** Where the search begins. When no second of that minute is left, Quartz goes to the next one before all else. */
  #firstWall(afterMs: number): number {
    const wall = this.#zone.toWall(Math.floor(afterMs / SECOND_MS + 1) * SECOND_MS);
    if (atOrAfter(this.#schedule.seconds, secondOf(wall)) !== undefined) return wall;
    return this.#lenient(startOf(wall, MINUTE_MS) + MINUTE_MS);
  }

  /**
   * Where the search goes on when it has come upon a time that clocks skip. Quartz moves to the start of an hour, and
   * if its calendar shows another hour then, sets the hour after the wanted one. That is the end of the gap, save where
   * the gap is longer than an hour or reaches midnight: there Quartz leaps over more, and Java instances with it.
   */
  #behindGap(wall: number): number {
    const hour = startOf(wall, HOUR_MS);
    const entry = this.#isSkipped(hour) ? hour : startOf(wall, MINUTE_MS);
    const shown = this.#lenient(this.#isSkipped(entry) ? entry : wall);
    if (hourOf(shown) === hourOf(wall)) return shown;
    return this.#lenient(startOf(shown, DAY_MS) + (hourOf(wall) + 1) * HOUR_MS + (shown % HOUR_MS));
  }

  #isSkipped(wall: number): boolean {
    return this.#lenient(wall) !== wall;
  }

  /** What a lenient calendar shows when it is set to a time: the same, unless clocks skip it. */
  #lenient(wall: number): number {
    return this.#zone.toWall(this.#zone.toInstant(wall));
  }
}

function readSchedule(expression: string): Schedule {
  // Java's upper case and its idea of a blank at the end of a word, which includes the line break of a YAML block.
  const words = expression
    .toUpperCase()
    .split(/[ \t]+/)
    .filter((word) => word !== '');
  const [second, minute, hour, dayOfMonth, month, dayOfWeek, year = '*'] = words.map((word) => word.trim());
  if (second === undefined || minute === undefined || hour === undefined) throw tooShort(expression, words.length);
  if (dayOfMonth === undefined || month === undefined || dayOfWeek === undefined)
    throw tooShort(expression, words.length);

  const lastYear = new Date().getFullYear() + YEARS_AHEAD;
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
    const reason = `day of month is '${dayOfMonth}' and day of week is '${dayOfWeek}', but exactly one of the two must be '?'`;
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
    const reason = `${field.name} '${text}' ${fault.message}; allowed are ${field.allowed}`;
    throw new InvalidCronError(expression, { reason, field: field.name });
  }
}

function tooShort(expression: string, count: number): InvalidCronError {
  const order = 'seconds, minutes, hours, day of month, month, day of week, and optionally year';
  return new InvalidCronError(expression, {
    reason: `it has ${count} ${count === 1 ? 'field' : 'fields'}, but ${FEWEST_FIELDS} or 7 are needed: ${order}`,
  });
}

function wallAtOrAfter(schedule: Schedule, from: number): number | undefined {
  const today = startOf(from, DAY_MS);
  const time = timeAtOrAfter(schedule, from - today);
  const day = dayStartAtOrAfter(schedule, time === undefined ? today + DAY_MS : today);
  if (day === undefined) return undefined;
  return day + (day === today && time !== undefined ? time : firstTime(schedule));
}

function dayStartAtOrAfter({ days, months, years }: Schedule, start: number): number | undefined {
  const date = new Date(start);
  const [fromYear, fromMonth] = [date.getUTCFullYear(), date.getUTCMonth() + 1];
  for (const year of years) {
    if (year < fromYear) continue;
    for (const month of months) {
      if (year === fromYear && month < fromMonth) continue;
      const from = year === fromYear && month === fromMonth ? date.getUTCDate() : 1;
      const day = dayAtOrAfter(days, { year, month, from });
      if (day !== undefined) return Date.UTC(year, month - 1, day);
    }
  }
  return undefined;
}

/** The time of day in milliseconds, `undefined` if none is left on that day. */
function timeAtOrAfter(schedule: Schedule, from: number): number | undefined {
  const { seconds, minutes, hours } = schedule;
  const [hour, minute] = [hourOf(from), Math.floor(from / MINUTE_MS) % 60];
  if (hours.includes(hour)) {
    const second = minutes.includes(minute) ? atOrAfter(seconds, secondOf(from)) : undefined;
    if (second !== undefined) return startOf(from, MINUTE_MS) + second * SECOND_MS;
    const laterMinute = atOrAfter(minutes, minute + 1);
    if (laterMinute !== undefined) return hour * HOUR_MS + laterMinute * MINUTE_MS + (firstTime(schedule) % MINUTE_MS);
  }
  const laterHour = atOrAfter(hours, hour + 1);
  return laterHour === undefined ? undefined : laterHour * HOUR_MS + (firstTime(schedule) % HOUR_MS);
}

function firstTime({ seconds, minutes, hours }: Schedule): number {
  return (hours[0] ?? 0) * HOUR_MS + (minutes[0] ?? 0) * MINUTE_MS + (seconds[0] ?? 0) * SECOND_MS;
}

function atOrAfter(sorted: readonly number[], from: number): number | undefined {
  for (const value of sorted) if (value >= from) return value;
  return undefined;
}

function startOf(wall: number, unitMs: number): number {
  return Math.floor(wall / unitMs) * unitMs;
}

function hourOf(wall: number): number {
  return Math.floor((wall - startOf(wall, DAY_MS)) / HOUR_MS);
}

function secondOf(wall: number): number {
  return Math.floor((wall - startOf(wall, MINUTE_MS)) / SECOND_MS);
}
