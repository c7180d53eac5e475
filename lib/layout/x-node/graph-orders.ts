/**
 * The orders of operators for the rounds of a job in a graph: the value of `x-node/graph/orders`. An operation writes
 * the orders of all jobs that it concerns in one commit. Java neither writes nor reads it.
 *
 * ```
 * paused 1767225600000
 * run 1767225605001
 * run 1767225607123 of 1767225605000
 * run 1767225607123 of 1767225605000 items 2,5
 * run 1767225607123 of 1767225605000 as succeeded
 * skip 1767225610000
 * stop 1767225615000
 * ```
 * - `paused`: since that time, the job begins nothing that a schedule or another job makes due.
 * - `run`: the job has a round for that run key. A job that runs after others runs when these have completed theirs.
 *   `of` names the instant that is run again; `items`, the only ones that run, as the others have succeeded; `as`, the
 *   outcome of a job that does not run again.
 * - `skip`, `stop`: items that have not begun for that instant do not run for it; they count as skipped, or stopped.
 */
import { ItemRanges, toRanges } from './item-ranges.js';

/** A round that an operator has asked for. */
export interface RequestedRun {
  /** Its run key, in milliseconds since 1970. */
  readonly key: number;
  /** The instant that is run again, in milliseconds since 1970; `undefined` if it is a new round. */
  readonly of: number | undefined;
  /** The only items that run; the others count as succeeded. `undefined`: all. */
  readonly items: readonly number[] | undefined;
  /** Nothing runs, and the round has this outcome, as that of the instant `of` has; `undefined`: the job runs. */
  readonly as: 'succeeded' | 'skipped' | undefined;
}

/** The effect of an order on items that have not begun. */
export type Override = 'skip' | 'stop';

/** All orders for one job. */
export interface GraphOrders {
  /** Milliseconds since 1970; `undefined` while it is not paused. */
  readonly pausedAt: number | undefined;
  /** In the order of their keys. */
  readonly runs: readonly RequestedRun[];
  /** By instant, in milliseconds since 1970. */
  readonly overrides: ReadonlyMap<number, Override>;
}

/** A job without orders. */
export const NO_ORDERS: GraphOrders = { pausedAt: undefined, runs: [], overrides: new Map() };

/** Most runs, and most overrides, on record; the latest ones stay. */
export const MOST_ORDERS = 100;

/** The text of the orders; empty if there are none. */
export function encodeOrders({ pausedAt, runs, overrides }: GraphOrders): string {
  const skipped = [...overrides].sort(([one], [other]) => one - other).slice(-MOST_ORDERS);
  return [
    ...(pausedAt === undefined ? [] : [`paused ${pausedAt}`]),
    ...runs.slice(-MOST_ORDERS).map(lineOf),
    ...skipped.map(([instant, override]) => `${override} ${instant}`),
  ].join('\n');
}

function lineOf({ key, of, items, as }: RequestedRun): string {
  return [
    `run ${key}`,
    ...(of === undefined ? [] : [`of ${of}`]),
    ...(items === undefined ? [] : [`items ${toRanges(items)}`]),
    ...(as === undefined ? [] : [`as ${as}`]),
  ].join(' ');
}

/** The inverse of `encodeOrders`. It leaves out all lines that it cannot read. */
export function decodeOrders(text: string): GraphOrders {
  let pausedAt: number | undefined;
  const runs: RequestedRun[] = [];
  const overrides = new Map<number, Override>();
  const ranges = new ItemRanges(LISTS);
  for (const line of text.split('\n')) {
    const [, word, at] = SIMPLE.exec(line) ?? [];
    if (word === 'paused') pausedAt = Number(at);
    if (word === 'skip' || word === 'stop') overrides.set(Number(at), word);
    const [, key, of, items, as] = RUN.exec(line) ?? [];
    if (key === undefined) continue;
    runs.push({
      key: Number(key),
      of: of === undefined ? undefined : Number(of),
      items: items === undefined ? undefined : ranges.read(items),
      as: as === 'succeeded' || as === 'skipped' ? as : undefined,
    });
  }
  return { pausedAt, runs: runs.sort((one, other) => one.key - other.key), overrides };
}

/** The orders with one more run. */
export function withRun(orders: GraphOrders, run: RequestedRun): GraphOrders {
  return { ...orders, runs: [...orders.runs, run] };
}

/** The orders with an override for that instant; an earlier one gives way. */
export function withOverride(orders: GraphOrders, instant: number, override: Override): GraphOrders {
  return { ...orders, overrides: new Map([...orders.overrides, [instant, override]]) };
}

/** The run that was asked for with that key. */
export function runWithKey({ runs }: GraphOrders, key: number): RequestedRun | undefined {
  return runs.find((run) => run.key === key);
}

/** The instant that items see as `scheduledAt`: the one that is run again, or the run key itself. */
export function scheduledFor(orders: GraphOrders, instant: number): number {
  return runWithKey(orders, instant)?.of ?? instant;
}

/** Number of times that the orders may list all items of the largest job. */
const LISTS = 4;

const SIMPLE = /^(paused|skip|stop) (\d{1,15})$/;
const RUN = /^run (\d{1,15})(?: of (\d{1,15}))?(?: items ([\d,-]+))?(?: as (succeeded|skipped))?$/;
