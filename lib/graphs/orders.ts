/** The effect of operators' orders on items: pure functions of a view. */
import { dependenciesOf } from '../api/settings/dependencies.js';
import { type JobView } from '../layout/job-view.js';
import { runWithKey, scheduledFor } from '../layout/x-node/graph-orders.js';
import { lastRounds } from '../layout/x-node/round-record.js';

/** True if the graph is paused: nothing begins that a schedule or another job makes due. */
export function isPaused({ graph }: JobView): boolean {
  return graph.orders.pausedAt !== undefined;
}

/**
 * The run key for which an item of a root is to run: the earliest one that no instance has begun it for; in
 * milliseconds since 1970. `undefined` if there is none, or if the job runs after others, whose rounds make it due.
 */
export function requestedKey(view: JobView, item: number): number | undefined {
  const { config, graph } = view;
  if (graph.orders.runs.length === 0 || config === undefined || dependenciesOf(config) !== undefined) return undefined;
  const last = lastKeyOf(view, item);
  return graph.orders.runs.find(({ key }) => key > last && !isRuledOut(view, item, key))?.key;
}

/**
 * The last run key that the item is not due for any more, in milliseconds since 1970: it was begun for it, or the round
 * is complete without it, because it was added later.
 */
export function lastKeyOf({ graph, lastKeys }: JobView, item: number): number {
  return Math.max(lastKeys.get(item) ?? -Infinity, lastRounds(graph.rounds).key ?? -Infinity);
}

/** True if an operator has ordered that the item does not run for that instant (milliseconds since 1970). */
export function isRuledOut({ graph: { orders } }: JobView, item: number, instant: number): boolean {
  if (orders.overrides.has(instant)) return true;
  const run = runWithKey(orders, instant);
  return run !== undefined && (run.as !== undefined || run.items?.includes(item) === false);
}

/** The `scheduledAt` of a run for that instant: for a round that is run again, the original one. */
export function scheduledDate({ graph }: JobView, instant: number | undefined): Date | undefined {
  return instant === undefined ? undefined : new Date(scheduledFor(graph.orders, instant));
}

/** True if a trigger of the job begins a round of its graph: others run after it, and it runs after none. */
export function startsGraph({ config, graph }: JobView): boolean {
  return graph.successors.size > 0 && config !== undefined && dependenciesOf(config) === undefined;
}
