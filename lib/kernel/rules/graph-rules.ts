/** The rules of jobs that belong to a graph. */
import { isAssigned, isAvailable } from '../view/assignment.js';
import { cleanupOwner } from '../view/crashes.js';
import { assignedItems, isFree, isInAssignment } from '../view/items.js';
import { type Action, type PlanInput } from './plan-input.js';

/** Follows the upstream jobs that the settings name. */
export function followUpstreams({ local: { areUpstreamsFollowed } }: PlanInput): Action | undefined {
  return areUpstreamsFollowed ? undefined : { type: 'follow-upstreams' };
}

/** One instance puts complete rounds on record. If it dies before, the next one does. */
export function completeRounds({ now, me, local: { completedRounds } }: PlanInput): Action | undefined {
  if (completedRounds.length === 0 || cleanupOwner(now) !== me) return undefined;
  return { type: 'complete-rounds', rounds: completedRounds };
}

/**
 * Runs the items that are due because of upstream rounds, or of an operator's order: those of the earliest instant
 * first.
 */
export function runDue({ now, me, local }: PlanInput): Action | undefined {
  const { canBegin, busy, dueByItem, decided } = local;
  if (!canBegin || dueByItem.size === 0 || !isAssigned(now) || !isAvailable(now, me)) return undefined;
  const due = assignedItems(now, me).flatMap((item) => {
    const instant = dueByItem.get(item.item);
    if (instant === undefined || item.disabled || !isFree(now, item, busy)) return [];
    const isDecidedOn = decided?.instant === instant && decided.items.has(item.item);
    return isDecidedOn || !isInAssignment(now, item.item) ? [] : [{ item: item.item, instant }];
  });
  if (due.length === 0) return undefined;
  const instant = due.reduce((least, each) => Math.min(least, each.instant), Infinity);
  const items = due.flatMap((each) => (each.instant === instant ? [each.item] : []));
  return { type: 'begin', firing: { cause: 'dependency', instant, items } };
}
