/**
 * Processor time of this process, in milliseconds. Time by the clock would be no measure: it also grows because other
 * processes of a busy machine have their turn.
 */

/** How long an operation may take, in milliseconds of processor time. */
export const LIMIT_MS = 1_000;

/**
 * How often an operation is measured. The least time counts: a collection of garbage, or the compiler, may fall into
 * any one of them.
 */
const TRIES = 5;

/** @returns the processor time of one call, in milliseconds */
export async function processorMsOf(task: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await task();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** Nothing but the operation itself takes that many times the limit. */
const HOPELESS = 3;

/** @returns the least processor time of five tries, in milliseconds; the first that is within the limit will do */
export async function leastProcessorMs(limitMs: number, attempt: () => Promise<number>): Promise<number> {
  let least = Infinity;
  for (let tries = 0; tries < TRIES; tries++) {
    least = Math.min(least, await attempt());
    if (least < limitMs || least > HOPELESS * limitMs) break;
  }
  return Math.round(least);
}
