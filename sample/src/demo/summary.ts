import { REGIONS } from '../orders/region.entity.js';
import { type Run } from '../orders/run.entity.js';

/** The firings of the sharded job in the run log. */
export interface Summary {
  readonly firings: number;
  readonly runs: number;
  readonly orders: number;
  /** The faults, one sentence each; empty if every firing ran every item exactly once. */
  readonly faults: readonly string[];
}

/**
 * Checks that the firings after `from` and up to `until`, which are `periodMs` apart, each ran each item exactly once;
 * all in milliseconds.
 */
export function summaryOf(
  runs: readonly Run[],
  { from, until, periodMs }: { readonly from: number; readonly until: number; readonly periodMs: number },
): Summary {
  const counted = runs.filter(({ scheduledAt }) => scheduledAt !== null && scheduledAt > from && scheduledAt <= until);
  const instants = [...new Set(counted.map(({ scheduledAt }) => Number(scheduledAt)))].sort((a, b) => a - b);
  return {
    firings: instants.length,
    runs: counted.length,
    orders: runs.reduce((sum, run) => sum + run.orders, 0),
    faults: [
      ...(instants.length === 0 ? ['There was no firing.'] : []),
      ...instants.flatMap((instant) => wronglyRun(instant, counted)),
      ...instants.flatMap((instant, index) => leftOut(instant, instants[index - 1], periodMs)),
    ],
  };
}

/** True if each item has been run for the instant. */
export function isComplete(instant: number, runs: readonly Run[]): boolean {
  const items = runs.filter(({ scheduledAt }) => scheduledAt === instant).map(({ item }) => item);
  return new Set(items).size === REGIONS.length;
}

function wronglyRun(instant: number, runs: readonly Run[]): readonly string[] {
  return REGIONS.flatMap((region, item) => {
    const by = runs.filter((run) => run.scheduledAt === instant && run.item === item).map(({ instance }) => instance);
    if (by.length === 1) return [];
    const how = by.length === 0 ? 'by no instance' : `${by.length} times, by ${by.join(' and ')}`;
    return [`Item ${item} (${region}) was run ${how} at ${timeOf(instant)}.`];
  });
}

function leftOut(instant: number, before: number | undefined, periodMs: number): readonly string[] {
  if (before === undefined || instant - before === periodMs) return [];
  return [`There was no firing between ${timeOf(before)} and ${timeOf(instant)}.`];
}

function timeOf(instant: number): string {
  return new Date(instant).toISOString().slice(11, 19);
}
