/**
 * Timestamps are written as Java's JDBC drivers write them into columns without time zone: as the wall-clock time of
 * this process. Java and Node read each other's rightly if their processes have the same time zone.
 */

/** `2030-01-31 23:59:59.123`, or with another `separator` between date and time. */
export function wallClockText(date: Date, separator = ' '): string {
  const day = [digits(date.getFullYear(), 4), digits(date.getMonth() + 1), digits(date.getDate())].join('-');
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map((each) => digits(each)).join(':');
  return `${day}${separator}${time}.${digits(date.getMilliseconds(), 3)}`;
}

/**
 * The inverse; fractions of a millisecond are cut off. `undefined` if `text` is no timestamp. Of the hour that occurs
 * twice in autumn, the text does not say which it means: it is the earlier one, unless that is before `notBefore`.
 */
export function fromWallClock(text: string, notBefore?: Date): Date | undefined {
  const match = /^(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:[.,](\d+))?/.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const ms = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3));
  const date = new Date(year, month - 1, day, hour, minute, second, ms);
  return notBefore !== undefined && date < notBefore ? repeated(date) : date;
}

/** By so much clocks are put back, in milliseconds: by an hour, and on Lord Howe Island by half of one. */
const PUT_BACK_MS = [1_800_000, 3_600_000];

/** The later instant at which clocks show the same time; the same instant if there is none. */
function repeated(date: Date): Date {
  const text = wallClockText(date);
  const others = PUT_BACK_MS.map((ms) => new Date(date.getTime() + ms));
  return others.find((other) => wallClockText(other) === text) ?? date;
}

const digits = (value: number, count = 2): string => String(value).padStart(count, '0');
