/**
 * The acts of operators on a graph, as the orders that each writes for its jobs: pure functions of the jobs' views. An
 * act is one commit of these orders, so that a crash leaves all of it or nothing.
 */
import { dependenciesOf } from '../api/settings/dependencies.js';
import {
  type GraphOrders,
  NO_ORDERS,
  type RequestedRun,
  scheduledFor,
  withOverride,
  withRun,
} from '../layout/x-node/graph-orders.js';
import { isRunKey, nextRunKey } from '../layout/x-node/run-key.js';
import { type GraphRound, type GraphViews, type NodeRound } from './graph-round.js';
import { type JobGraph } from './job-graphs.js';
import { isOpen } from './node-history.js';

/** The orders that an act writes, by job. */
export type NewOrders = ReadonlyMap<string, GraphOrders>;

/** A round that an act begins. */
export interface NewRound {
  /** Its run key, in milliseconds since 1970. */
  readonly key: number;
  readonly orders: NewOrders;
}

/** A new round of the whole graph: all roots run for it. @param now milliseconds since 1970 */
export function newRound(graph: JobGraph, views: GraphViews, now: number): NewRound {
  const key = nextRunKey(now, latestKey(views));
  const run: RequestedRun = { key, of: undefined, items: undefined, as: undefined };
  return { key, orders: changed(views, graph.roots, (orders) => withRun(orders, run)) };
}

/**
 * A new round that runs a former one again: the jobs that have failed or were stopped, and all jobs after them. The
 * others count as they did.
 * @param from the job to begin with; `undefined`: all that have failed or were stopped
 * @returns `undefined` if there is nothing to run again
 */
export function againFrom(
  graph: JobGraph,
  views: GraphViews,
  { round, from, now }: { readonly round: GraphRound; readonly from: string | undefined; readonly now: number },
): NewRound | undefined {
  const again = itemsAgain(graph, round, from);
  if (again.size === 0) return undefined;
  const key = nextRunKey(now, latestKey(views));
  const of = originalOf(views, round.instant.getTime());
  const nodes = new Map(round.nodes.map((node) => [node.jobName, node]));
  const orders = changed(views, [...nodes.keys()], (before, jobName) => {
    const items = again.get(jobName);
    const isAgain = items !== undefined;
    const as = isAgain ? undefined : nodes.get(jobName)?.state === 'succeeded' ? 'succeeded' : 'skipped';
    return withRun(before, { key, of, items: items === 'all' ? undefined : items, as });
  });
  return { key, orders };
}

/** A job of a round, of which items that have not begun are not to run: it counts as skipped. */
export function skipped(views: GraphViews, instant: number, jobName: string): NewOrders {
  return changed(views, [jobName], (orders) => withOverride(orders, instant, 'skip'));
}

/** All jobs of a round that have not come to an end: nothing more of it becomes due. */
export function stopped(views: GraphViews, round: GraphRound): NewOrders {
  const open = round.nodes.filter(isOpen).map(({ jobName }) => jobName);
  return changed(views, open, (orders) => withOverride(orders, round.instant.getTime(), 'stop'));
}

/** Nothing of the graph begins from now on, or (`undefined`) it does again. @param pausedAt milliseconds since 1970 */
export function paused(graph: JobGraph, views: GraphViews, pausedAt: number | undefined): NewOrders {
  const names = graph.jobs.map(({ jobName }) => jobName);
  return changed(views, names, (orders) => ({
    ...orders,
    pausedAt: pausedAt === undefined ? undefined : (orders.pausedAt ?? pausedAt),
  }));
}

/** When the graph was paused, in milliseconds since 1970; `undefined` if none of its jobs is. */
export function pausedSince(views: GraphViews): number | undefined {
  const times = [...views.values()].flatMap(({ graph: { orders } }) => orders.pausedAt ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Jobs that do not exist have no orders. */
function changed(
  views: GraphViews,
  names: readonly string[],
  change: (orders: GraphOrders, jobName: string) => GraphOrders,
): NewOrders {
  return new Map(
    names
      .filter((name) => views.get(name)?.exists === true)
      .map((name) => [name, change(views.get(name)?.graph.orders ?? NO_ORDERS, name)]),
  );
}

/** The latest run key, or instant that an item was begun for: the new one comes after both. */
function latestKey(views: GraphViews): number {
  let latest = -Infinity;
  const note = (instants: Iterable<number>): void => {
    for (const instant of instants) latest = Math.max(latest, instant);
  };
  for (const { lastKeys, graph } of views.values()) {
    note(lastKeys.values());
    note(graph.orders.runs.map(({ key }) => key));
    note(graph.rounds.rounds.map(({ instant }) => instant).filter(isRunKey));
    note([...graph.successors.values()].map((since) => since ?? -Infinity));
  }
  return latest;
}

/** A round that is run again several times keeps its first instant. */
function originalOf(views: GraphViews, instant: number): number {
  for (const { graph } of views.values()) {
    const original = scheduledFor(graph.orders, instant);
    if (original !== instant) return original;
  }
  return instant;
}

type ItemsAgain = 'all' | readonly number[];

/** The jobs that run again, each with its items. */
function itemsAgain(graph: JobGraph, round: GraphRound, from: string | undefined): ReadonlyMap<string, ItemsAgain> {
  const nodes = new Map(round.nodes.map((node) => [node.jobName, node]));
  const again = new Map<string, ItemsAgain>();
  for (const { jobName, settings } of graph.jobs) {
    const node = nodes.get(jobName);
    if (node === undefined || !mayRunAgain(node)) continue;
    const dependencies = settings && dependenciesOf(settings);
    const before = (dependencies?.after ?? []).map((name) => again.get(name)).filter((items) => items !== undefined);
    const followed = before.map((items) => (dependencies?.items === 'same' ? items : 'all'));
    const own = ownItemsAgain(node, from);
    const all = own === undefined ? followed : [own, ...followed];
    if (all.length > 0) again.set(jobName, all.reduce(union));
  }
  return again;
}

/** A job that had no part in the round has none in the new one. */
function mayRunAgain({ takesPart, madeUpBy }: NodeRound): boolean {
  return takesPart && madeUpBy === undefined;
}

function ownItemsAgain({ jobName, state, failedItems }: NodeRound, from: string | undefined): ItemsAgain | undefined {
  if (from !== undefined && from !== jobName) return undefined;
  if (state === 'failed' && failedItems.length > 0) return failedItems;
  return state === 'stopped' || state === 'failed' || from === jobName ? 'all' : undefined;
}

function union(one: ItemsAgain, other: ItemsAgain): ItemsAgain {
  return one === 'all' || other === 'all' ? 'all' : [...new Set([...one, ...other])].sort((a, b) => a - b);
}
