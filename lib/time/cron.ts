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
import { InvalidCronError } from './invalid-cron-error.js';
import { parseTimeZone, type TimeZone } from './time-zone.js';

export { InvalidCronError, InvalidTimeZoneError, type CronFieldName } from './invalid-cron-error.js';

/** Quartz gives up this many years from now. */
const YEARS_AHEAD = 100;

const FEWEST_FIELDS = 6;

/** How to read an expression. */
export interface CronOptions {
  /** Time zone of the wall clock, see `parseTimeZone`. Default, and if empty: the zone of this process. */
  readonly timeZone?: string | undefined;
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
    this.#schedule = schedule;
    this.#zone = zone;
  }

  /**
   * Reads an expression of six or seven fields, names in either case.
   * @throws InvalidCronError if Quartz would refuse it, or take it by mistake; the message names field, text and what is allowed
   * @throws InvalidTimeZoneError if the zone is not known
   */
  static parse(expression: string, options: CronOptions = {}): QuartzCron {
    return new QuartzCron(expression, scheduleOf(expression), parseTimeZone(options.timeZone));
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

  /** Whether there is an instant since 1970 at which it fires; false for 31 February. */
  get everFires(): boolean {
    return this.next(new Date(0)) !== undefined;
  }

  /** The expression as it was given. */
  toString(): string {
    return this.expression;
  }

  /** The first full second after `after`, or a time long before the first year named; `undefined` if no year is left. */
  #startMs(after: Date): number | undefined {
    if (Number.isNaN(after.getTime())) throw new RangeError(`'${this.expression}' cannot fire after an invalid date.`);
    const { years } = this.#schedule;
    const [first, last] = [years[0], years.at(-1)];
    if (first === undefined || last === undefined || after.getUTCFullYear() > last + 1) return undefined;
    return Math.max(Math.floor(after.getTime() / SECOND_MS + 1) * SECOND_MS, Date.UTC(first - 1, 0));
  }

  /**
   * Leaves a minute, an hour or a day in which nothing can fire any more, one after the other as Quartz does. The search
   * would do the same by itself, save where that step ends in a gap: see `#enterHour`.
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
   * The time skipped by clocks that stands in the way of `wall`, if there is one: Quartz comes to a time by way of the
   * start of its hour, and of its minute, if it is not there yet.
   */
  #skippedOnTheWay(from: number, wall: number): number | undefined {
    const stations = [startOf(wall, HOUR_MS), startOf(wall, MINUTE_MS), wall];
    return stations.find((station) => station >= from && this.#lenient(station) !== station);
  }

  /**
   * What Quartz' calendar shows when it is set to a time of another hour. If that is not the hour wanted, because clocks
   * skip it, Quartz sets the hour after. That is the end of the gap, save where the gap is longer than an hour or reaches
   * midnight: there (Greenland, in the last night of March) Quartz leaps over a day, and Java instances with it.
   */
  #enterHour(wall: number): number {
    const shown = this.#lenient(wall);
    if (hourOf(shown) === hourOf(wall)) return shown;
    return this.#lenient(startOf(shown, DAY_MS) + (hourOf(wall) + 1) * HOUR_MS + (shown - startOf(shown, HOUR_MS)));
  }

  /** What a lenient calendar shows when it is set to a time: the same, unless clocks skip it. */
  #lenient(wall: number): number {
    return this.#zone.toWall(this.#zone.toInstant(wall));
  }
}

/** Schedules that were read lately, by last year and expression: an expression is read for each of many purposes. */
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

function readSchedule(expression: string, lastYear: number): CronSchedule {
  // Java's upper case and its idea of a blank at the end of a word, which includes the line break of a YAML block.
  const words = expression
    .toUpperCase()
    .split(/[ \t]+/)
    .filter((word) => word !== '');
  const [second, minute, hour, dayOfMonth, month, dayOfWeek, year = '*'] = words.map((word) => word.trim());
  if (second === undefined || minute === undefined || hour === undefined) throw tooShort(expression, words.length);
  if (dayOfMonth === undefined || month === undefined || !dayOfWeek) throw tooShort(expression, words.length);

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
