import { type JobView } from '../../layout/job-view.js';
import { isAssigned } from '../view/assignment.js';
import { cleanupOwner } from '../view/crashes.js';
import { areAboutToMove, assignedItems, numbersOf } from '../view/items.js';
import { waitingRuns } from '../../layout/waiting-runs.js';

/**
 * Accepted triggered items that are not to be run any more. Each instance names its own items if they, or its server,
 * are disabled; the custodian also names items that no longer exist or belong to a Java instance.
 */
export function undueTriggers(view: JobView, me: string): readonly number[] {
  if (view.acceptedTriggers.size === 0 || view.config === undefined) return [];
  const waiting = new Set(waitingRuns(view).flatMap(({ items }) => [...items]));
  if (waiting.size === 0) return [];
  const isIdle = view.servers.get(view.instances.get(me)?.serverIp ?? '') === 'DISABLED' && !areAboutToMove(view);
  const undue = numbersOf(
    assignedItems(view, me).filter(({ item, disabled }) => waiting.has(item) && (disabled || isIdle)),
  );
  if (cleanupOwner(view) !== me || !isAssigned(view)) return undue;
  const total = view.config.shardingTotalCount;
  const known = new Set<number>();
  for (const { item, owner } of view.items) if (item < total && !view.javaPeers.has(owner ?? '')) known.add(item);
  return [...undue, ...[...waiting].filter((item) => !known.has(item))];
}
