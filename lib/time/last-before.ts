import { SECOND_MS } from './cron-search.js';
import { type QuartzCron } from './cron.js';

/** A minute, an hour, a day, a month, a year. */
const LOOKING_BACK_MS = [60_000, 3_600_000, 86_400_000, 31 * 86_400_000, 366 * 86_400_000];

/**
 * The last instant before `end`, up to a year back; `undefined` if there is none. Cron expressions are only searched
 * forwards: from ever further back, until there is anything, and then from the middle of what may hold the last
 * instant, again and again.
 */
export function lastBefore(cron: QuartzCron, end: Date): Date | undefined {
  const firstAfter = (from: number): Date | undefined => {
    const instant = cron.next(new Date(from));
    return instant !== undefined && instant < end ? instant : undefined;
  };
  const windowMs = LOOKING_BACK_MS.find((each) => firstAfter(end.getTime() - each) !== undefined);
  if (windowMs === undefined) return undefined;
  // After `from` there is an instant, and after `to` there is none.
  let [from, to] = [end.getTime() - windowMs, end.getTime()];
  while (to - from > SECOND_MS) {
    const middle = Math.floor((from + to) / 2);
    if (firstAfter(middle) === undefined) to = middle;
    else from = middle;
  }
  let found = firstAfter(from);
  // In a night in which clocks are set, a search from a later moment may miss an instant that an earlier one finds.
  for (let later = found; later !== undefined; later = firstAfter(later.getTime())) found = later;
  return found;
}
