/** Decides when an instance may stop listening to other instances' items: pure functions of a view. */
import { hasJavaPeers, type JobView } from '../../layout/job-view.js';
import { isAssigned, isAvailable, isMisassigned } from './assignment.js';
import { numbersOf } from './items.js';
import { waitingRuns } from '../../layout/waiting-runs.js';

/** With fewer items of others, watching the own ones one by one costs more than it saves. */
const LEAST_ITEMS_OF_OTHERS = 3;

/**
 * True if this instance need not listen to other instances' items: the job is at rest, and another living instance of
 * ours leads. The leader listens to everything, because it repairs what operators break.
 */
export function mayFollowOwnShare(view: JobView, me: string): boolean {
  const { leader, items } = view;
  if (leader === me) return false;
  const ofOthers = items.filter(({ owner }) => owner !== me).length;
  return ofOthers >= LEAST_ITEMS_OF_OTHERS && isAtRest(view) && isAvailable(view, me) && !isMisassigned(view);
}

/**
 * True if the job does nothing but fire: the items are assigned, all of them to living instances of ours, and no
 * instance waits for another. Until something else happens, other instances' items concern no instance, not even the
 * leader.
 */
export function isAtRest(view: JobView): boolean {
  const { config, items } = view;
  if (config?.monitorExecution !== true || items.length !== config.shardingTotalCount || !isAssigned(view))
    return false;
  return areAllWell(view) && !isAnyTakenOver(view) && !hasOnceListeners(view) && waitingRuns(view).length === 0;
}

/** The items that concern this instance: those that it owns. */
export function ownItems({ items }: JobView, me: string): readonly number[] {
  return numbersOf(items.filter(({ owner }) => owner === me));
}

/** True if every instance is one of ours, and none is starting, stopping or gone. */
function areAllWell(view: JobView): boolean {
  const { instances, live, leader = '' } = view;
  const areThere = [...instances.keys()].every((id) => live.has(id)) && instances.size === live.size;
  return areThere && instances.has(leader) && !hasJavaPeers(view);
}

function isAnyTakenOver({ items, crashedItems, crashReports }: JobView): boolean {
  if (crashedItems.length > 0 || crashReports.size > 0) return true;
  return items.some(({ takenOverBy, failoveringBy }) => takenOverBy !== undefined || failoveringBy !== undefined);
}

/** Instances with once-listeners wait for each other at each firing. */
function hasOnceListeners({ guarantee, startedItems, completedItems }: JobView): boolean {
  const { arrivals, dropped, started, completed } = guarantee;
  const isAnyCalled = [started, completed].some(({ called, call }) => called.length > 0 || call !== undefined);
  return isAnyCalled || [arrivals, dropped, startedItems, completedItems].some(({ size }) => size > 0);
}
