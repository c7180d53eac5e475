import { type JobView } from '../../layout/job-view.js';
import { isAssigned } from '../view/assignment.js';
import { cleanupOwner } from '../view/crashes.js';
import { areAboutToMove, assignedItems, numbersOf } from '../view/items.js';
import { waitingRuns } from '../../layout/waiting-runs.js';

/**
 * Items that wait and are not to be run any more, as far as it is up to this instance to say so: its own if they, or
 * its server, are disabled; the custodian's are those that no longer exist, and those that belong to a Java instance.
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
