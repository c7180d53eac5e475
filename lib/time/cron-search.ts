import { dayAtOrAfter, type DayRule } from './cron-days.js';

/** A second in milliseconds. */
export const SECOND_MS = 1000;
/** A minute in milliseconds. */
export const MINUTE_MS = 60 * SECOND_MS;
/** An hour in milliseconds. */
export const HOUR_MS = 60 * MINUTE_MS;
/** A day in milliseconds. */
export const DAY_MS = 24 * HOUR_MS;

/** The numbers of an expression, in ascending order. Only the list of years may be empty. */
export interface CronSchedule {
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: DayRule;
  readonly months: readonly number[];
  readonly years: readonly number[];
}

/** The first wall time that the schedule names and that is not before `from`. `undefined` if there is none. */
export function wallAtOrAfter(schedule: CronSchedule, from: number): number | undefined {
  const today = startOf(from, DAY_MS);
  const time = timeAtOrAfter(schedule, from - today);
  const day = dayStartAtOrAfter(schedule, time === undefined ? today + DAY_MS : today);
  if (day === undefined) return undefined;
  return day + (day === today && time !== undefined ? time : firstTime(schedule));
}

function dayStartAtOrAfter({ days, months, years }: CronSchedule, start: number): number | undefined {
  const date = new Date(leaveSpentMonth(days, start));
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

/**
 * The start of the search, moved as Quartz moves it. If the weekday nearest to the 29th has passed, Quartz goes on at
 * the 29th of the next month. In a February of 28 days that is 1 March, and Quartz misses that the weekday nearest to
 * the 29th may be 28 February. For all other rules and days the start stays where it is.
 */
function leaveSpentMonth(rule: DayRule, start: number): number {
  if (rule.kind !== 'weekday nearest to') return start;
  const date = new Date(start);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + 1];
  if (dayAtOrAfter(rule, { year, month, from: date.getUTCDate() }) !== undefined) return start;
  const entry = new Date(Date.UTC(year, month, rule.day));
  return Math.max(start, Date.UTC(entry.getUTCFullYear(), entry.getUTCMonth(), 1));
}

/** The first time of day, in milliseconds, that is not before `from`. `undefined` if none is left on that day. */
function timeAtOrAfter(schedule: CronSchedule, from: number): number | undefined {
  const { seconds, minutes, hours } = schedule;
  const [hour, minute] = [hourOf(from), minuteOf(from)];
  if (hours.includes(hour)) {
    const second = minutes.includes(minute) ? atOrAfter(seconds, secondOf(from)) : undefined;
    if (second !== undefined) return startOf(from, MINUTE_MS) + second * SECOND_MS;
    const laterMinute = atOrAfter(minutes, minute + 1);
    if (laterMinute !== undefined) return hour * HOUR_MS + laterMinute * MINUTE_MS + (firstTime(schedule) % MINUTE_MS);
  }
  const laterHour = atOrAfter(hours, hour + 1);
  return laterHour === undefined ? undefined : laterHour * HOUR_MS + (firstTime(schedule) % HOUR_MS);
}

function firstTime({ seconds, minutes, hours }: CronSchedule): number {
  return (hours[0] ?? 0) * HOUR_MS + (minutes[0] ?? 0) * MINUTE_MS + (seconds[0] ?? 0) * SECOND_MS;
}

/** The first number that is not below `from`, in an ascending list. `undefined` if there is none. */
export function atOrAfter(sorted: readonly number[], from: number): number | undefined {
  for (const value of sorted) if (value >= from) return value;
  return undefined;
}

/** The start of the second, minute, hour or day that contains a wall time. */
export function startOf(wall: number, unitMs: number): number {
  return Math.floor(wall / unitMs) * unitMs;
}

/** The hour that a wall time shows, 0-23. */
export function hourOf(wall: number): number {
  return Math.floor((wall - startOf(wall, DAY_MS)) / HOUR_MS);
}

/** The minute that a wall time shows. */
export function minuteOf(wall: number): number {
  return Math.floor((wall - startOf(wall, HOUR_MS)) / MINUTE_MS);
}

/** The second that a wall time shows. */
export function secondOf(wall: number): number {
  return Math.floor((wall - startOf(wall, MINUTE_MS)) / SECOND_MS);
}
