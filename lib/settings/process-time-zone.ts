/**
 * The time zone of the process, if the environment variable TZ does not mean what it says. Node takes UTC for a zone
 * that it does not know, without a word, and reads `UTC+8` as POSIX does, as 8 hours behind UTC: schedules without
 * `timeZone` would fire hours away from the intended time.
 */
import { describeValue } from '../api/text/describe-value.js';
import { nearest } from '../api/text/nearest.js';
import { InvalidTimeZoneError } from '../time/invalid-cron-error.js';
import { parseTimeZone, type TimeZone } from '../time/time-zone.js';

const HOUR_MS = 60 * 60 * 1000;
const HALF_A_YEAR_MS = 182 * 24 * HOUR_MS;

/**
 * Checks whether the process has the time zone that the variable TZ names.
 * @param variable the value of TZ with which the process has started
 * @param nowMs an instant; clocks of the zone are compared then and half a year later
 * @param actual the zone that holds. Default: that of the process
 * @returns a sentence with the zone that holds and the cure, or undefined
 */
export function processTimeZoneProblem(
  variable: string | undefined,
  nowMs: number,
  actual: TimeZone = parseTimeZone(undefined),
): string | undefined {
  const instants = [nowMs, nowMs + HALF_A_YEAR_MS];
  const isUtc = (zone: TimeZone): boolean => instants.every((instant) => zone.toWall(instant) === instant);
  // Node takes UTC for a zone that it does not know. Any other offset was read from TZ, in one of its forms.
  if (variable === undefined) return undefined;
  if (!isUtc(actual)) return reversedOffsetProblem(variable, (actual.toWall(nowMs) - nowMs) / HOUR_MS);
  const name = variable.trim().replace(/^:/, '');
  if (name === '' || name.startsWith('/') || isUtcInPosix(name)) return undefined;
  const named = zoneNamed(name.replace(/^(?:posix|right)\//, ''));
  if (named !== undefined && isUtc(named)) return undefined;
  const meant = nearest(name.slice(0, 100), Intl.supportedValuesOf('timeZone')) ?? 'Asia/Shanghai';
  return (
    `The environment variable TZ is ${describeValue(variable)}, which Node does not know as a time zone: the process runs in UTC, ` +
    'and so do the schedules of jobs without timeZone. Set TZ to the exact name of a zone, in its upper and lower case, such as ' +
    `'${meant}', or to 'UTC' if UTC is meant; or set timeZone of each job.`
  );
}

/**
 * In POSIX's form hours west of Greenwich are positive, against all custom. Names such as `JST-9` and `EST5EDT` exist
 * in that form only.
 */
function reversedOffsetProblem(variable: string, offsetHours: number): string | undefined {
  if (!/^:?(?:utc|gmt)[+-]?\d/i.test(variable.trim()) || offsetHours === 0) return undefined;
  const isBehind = offsetHours < 0;
  const hours = Math.abs(offsetHours);
  return (
    `The environment variable TZ is ${describeValue(variable)}, which Node, as POSIX, reads as ${hours} hours ${isBehind ? 'behind' : 'ahead of'} UTC, ` +
    `and so are the schedules of jobs without timeZone. If ${hours} hours ${isBehind ? 'ahead' : 'behind'} are meant, set TZ to a zone such as ` +
    `${isBehind ? `'Asia/Shanghai'` : `'America/New_York'`} or to 'Etc/GMT${isBehind ? '-' : '+'}${hours}', otherwise to 'Etc/GMT${isBehind ? '+' : '-'}${hours}'; or set timeZone of each job.`
  );
}

/** POSIX's form of UTC: a name and the offset 0, such as `UTC0` and `<UTC>+00:00`. */
function isUtcInPosix(name: string): boolean {
  return /^(?:[a-z]{3,}|<[a-z0-9+-]{3,}>)[+-]?0{1,3}(?::00){0,2}$/i.test(name);
}

function zoneNamed(name: string): TimeZone | undefined {
  try {
    return parseTimeZone(name);
  } catch (error) {
    if (error instanceof InvalidTimeZoneError) return undefined;
    throw error;
  }
}
