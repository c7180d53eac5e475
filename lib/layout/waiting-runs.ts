/** The items that wait for a manual run because a trigger was accepted: pure functions of a view. */
import { isGone, type JobView } from './job-view.js';
import { type WaitingRun } from './x-node/accepted-triggers.js';

/** All runs that wait, of each instance in the order in which its triggers came. */
export function waitingRuns({ acceptedTriggers }: JobView): readonly WaitingRun[] {
  if (acceptedTriggers.size === 0) return NONE;
  return [...acceptedTriggers.values()].flatMap(({ waiting }) => waiting);
}

const NONE: readonly WaitingRun[] = [];

/** The items that wait for a manual run with this job parameter; any instance may have accepted the trigger. */
export function itemsWaitingFor(view: JobView, jobParameter: string | undefined): ReadonlySet<number> {
  return new Set(waitingRuns(view).flatMap((run) => (run.jobParameter === jobParameter ? [...run.items] : [])));
}

/** The items that wait, each with the job parameter of its next run. */
export function nextParameters(view: JobView): ReadonlyMap<number, string | undefined> {
  const next = new Map<number, string | undefined>();
  for (const { items, jobParameter } of waitingRuns(view))
    for (const item of items) if (!next.has(item)) next.set(item, jobParameter);
  return next;
}

/** True if the item waits for a manual run. */
export function isWaiting(view: JobView, item: number): boolean {
  return waitingRuns(view).some(({ items }) => items.has(item));
}

/** Instances that are gone and have no waiting trigger any more. */
export function spentAcceptances(view: JobView): readonly string[] {
  return [...view.acceptedTriggers].flatMap(([id, { waiting }]) =>
    waiting.length === 0 && isGone(view, id) ? [id] : [],
  );
}
