import { type QuartzCron } from './cron.js';

/** A minute, an hour, a day, a month, a year: at most some dozens of instants are passed in each. */
const LOOKING_BACK_MS = [60_000, 3_600_000, 86_400_000, 31 * 86_400_000, 366 * 86_400_000];

/**
 * The last instant before `end`, up to a year back; `undefined` if there is none. Cron expressions are only searched forwards:
 * from ever further back, until there is anything.
 */
export function lastBefore(cron: QuartzCron, end: Date): Date | undefined {
  for (const windowMs of LOOKING_BACK_MS) {
    let found: Date | undefined;
    for (
      let instant = cron.next(new Date(end.getTime() - windowMs));
      instant !== undefined && instant < end;
      instant = cron.next(instant)
    )
      found = instant;
    if (found !== undefined) return found;
  }
  return undefined;
}
