import { parseTimeZone } from '../../time/time-zone.js';

/** An instant as a clock in that time zone shows it: `Tue 2026-11-24 02:00:00`. Default: the zone of this process. */
export function wallTime(instant: Date, timeZone?: string): string {
  const shown = new Date(parseTimeZone(timeZone).toWall(instant.getTime()));
  return `${DAYS[shown.getUTCDay()]} ${shown.toISOString().slice(0, 19).replace('T', ' ')}`;
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
