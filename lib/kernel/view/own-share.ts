/** When an instance need not hear what the items of others do: pure functions of a view. */
import { hasJavaPeers, type JobView } from '../../layout/job-view.js';
import { isAssigned, isAvailable, isMisassigned } from './assignment.js';
import { numbersOf } from './items.js';

/** With fewer items of others, it costs more to listen to the own ones one by one than it saves. */
const LEAST_ITEMS_OF_OTHERS = 3;

/**
 * Whether only this instance's share of the job concerns it, for as long as nothing but firings happens: another living
 * instance of ours leads, the items are assigned, and nobody comes, goes, has crashed, or waits for others in a once-listener.
 */
export function mayFollowOwnShare(view: JobView, me: string): boolean {
  const { config, leader, items } = view;
  if (config?.monitorExecution !== true || leader === me) return false;
  const ofOthers = items.filter(({ owner }) => owner !== me).length;
  if (ofOthers < LEAST_ITEMS_OF_OTHERS || !isAssigned(view) || !isAvailable(view, me)) return false;
  return areAllWell(view) && !isAnyTakenOver(view) && !hasOnceListeners(view) && !isMisassigned(view);
}

/** The items that concern this instance: those that it owns. */
export function ownItems({ items }: JobView, me: string): readonly number[] {
  return numbersOf(items.filter(({ owner }) => owner === me));
}

/** Whether every instance is one of ours, and none is starting, stopping or gone. */
function areAllWell(view: JobView): boolean {
  const { instances, live, leader = '' } = view;
  const areThere = [...instances.keys()].every((id) => live.has(id)) && instances.size === live.size;
  return areThere && instances.has(leader) && !hasJavaPeers(view);
}

function isAnyTakenOver({ items, crashedItems, crashReports }: JobView): boolean {
  if (crashedItems.length > 0 || crashReports.size > 0) return true;
  return items.some(({ takenOverBy, failoveringBy }) => takenOverBy !== undefined || failoveringBy !== undefined);
}

/** Instances with such listeners wait for each other at each firing. */
function hasOnceListeners({ guarantee, startedItems, completedItems }: JobView): boolean {
  const { arrivals, dropped, started, completed } = guarantee;
  const isAnyCalled = [started, completed].some(({ called, call }) => called.length > 0 || call !== undefined);
  return isAnyCalled || [arrivals, dropped, startedItems, completedItems].some(({ size }) => size > 0);
}
