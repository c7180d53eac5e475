/** The leftovers of instances that are gone, and the instance that deals with them: pure functions of a view. */
import {
  availableInstances,
  awaitsTakeover,
  hasJavaPeers,
  isGone,
  itemOf,
  type ItemView,
  type JobView,
} from '../../layout/job-view.js';
import { ipOfInstanceId } from '../../layout/job-instance.js';
import { isAssigned } from './assignment.js';
import { type EndedItem, failsOver, isUnoccupied, numbersOf } from './items.js';

/** An item that bears marks of an instance that is gone. */
export interface DeadRun {
  readonly item: ItemView;
  /** True if an instance has to run the item again. */
  readonly isToBeTakenOver: boolean;
}

/**
 * The items whose run, or takeover, has died with its instance. An item with the mark of `me` counts too, if this
 * instance `hasLostTrackOf` it. As in Java, an item whose server was disabled by an operator is not taken over. Judges
 * only marks whose value has been read.
 */
export function deadRuns(view: JobView, me: string, hasLostTrackOf: (item: number) => boolean): readonly DeadRun[] {
  return view.items.flatMap((item) => {
    const isDead = (id: string): boolean => isGone(view, id) || (id === me && hasLostTrackOf(item.item));
    const takerDied = item.failoveringBy !== undefined && isDead(item.failoveringBy);
    // An ephemeral mark that is still there shows that its Java process lives: an operator has removed that instance's
    // node, and the process finishes its work.
    const isHeld = item.runningSession !== undefined && !view.beginRecords.has(item.runningOn ?? '');
    const runnerDied = !isHeld && item.running && item.runningOn !== undefined && isDead(item.runningOn);
    const claimDied = item.takenOverBy !== undefined && isDead(item.takenOverBy);
    const isTaken = item.takenOverBy !== undefined && !claimDied;
    const isWaiting = awaitsTakeover(view, item.item);
    // A Java peer that has reported a dead takeover leaves this mark to the next instance that takes the item over.
    if (!runnerDied && !claimDied && (!takerDied || isWaiting || isTaken)) return [];
    const isToBeTakenOver =
      failsOver(view) && !isTaken && (takerDied || (runnerDied && !isDisabledServer(view, item.runningOn)));
    return [{ item, isToBeTakenOver }];
  });
}

function isDisabledServer({ servers }: JobView, id: string | undefined): boolean {
  // Only the id of an instance that is gone still shows its server.
  return id !== undefined && servers.get(ipOfInstanceId(id)) === 'DISABLED';
}

/**
 * True if nothing depends on the record of an instance that is gone. As long as the instance owns items, or items bear
 * its marks, the record shows that it was one of ours.
 */
export function mayPurgeRecordOf(view: JobView, id: string): boolean {
  return isGone(view, id) && !view.items.some(({ owner, runningOn }) => owner === id || runningOn === id);
}

/** True if there are unread marks that an instance that is gone may have left. */
export function hasUnreadDeadMarks(view: JobView): boolean {
  return view.items.some(({ running, runningOn, takenOverBy, owner }) => {
    const presumed = takenOverBy ?? owner;
    return running && runningOn === undefined && (presumed === undefined || isGone(view, presumed));
  });
}

/** Crashed items that wait to be taken over, and that no living instance runs. */
export function claimableItems(view: JobView, busy: ReadonlySet<number>): readonly ItemView[] {
  if (!failsOver(view) || view.crashedItems.length === 0) return [];
  return view.items.filter((item) => {
    const runnerDied = item.running && item.runningOn !== undefined && isGone(view, item.runningOn);
    return awaitsTakeover(view, item.item) && (isUnoccupied(item, busy) || (runnerDied && !busy.has(item.item)));
  });
}

/**
 * This instance's share of the crashed items, so that all idle instances take over in parallel. Instances that see the
 * same view share out all items, so no item waits for an instance that does not come. Java peers get no share: a Java
 * peer takes crashed items at the moment of the crash and after each of its runs, and does not reconcile at other
 * times.
 */
export function shareOfCrashed(view: JobView, me: string, busy: ReadonlySet<number>): readonly ItemView[] {
  const claimable = claimableItems(view, busy);
  if (claimable.length === 0) return [];
  const working = new Set(view.items.flatMap((item) => (item.running ? [item.takenOverBy ?? item.owner] : [])));
  const idle = availableInstances(view)
    .map(({ jobInstanceId }) => jobInstanceId)
    .filter((id) => id === me || (view.live.has(id) && !working.has(id)));
  const rank = idle.indexOf(me);
  if (rank < 0) return [];
  const size = Math.ceil(claimable.length / idle.length);
  const share = new Set(Array.from({ length: size }, (_, index) => (rank * size + index) % claimable.length));
  return claimable.filter((_, index) => share.has(index));
}

/** Items with traces of failover that no instance would remove: failover was switched off, or the item is gone. */
export function failoverRemains(view: JobView): readonly number[] {
  const items = new Map(view.items.map((item) => [item.item, item]));
  if (failsOver(view)) return isAssigned(view) ? view.crashedItems.filter((item) => !items.has(item)) : [];
  const isIdleTrace = ({ running, takenOverBy, failoveringBy }: ItemView): boolean =>
    !running && (takenOverBy !== undefined || failoveringBy !== undefined);
  return [...new Set([...view.crashedItems, ...numbersOf(view.items.filter(isIdleTrace))])];
}

/** Items with an obsolete crash report: a Java peer has run the item again, or failover was switched off. */
export function obsoleteCrashReports({ crashReports, crashedItems, items }: JobView): readonly number[] {
  const inUse = new Set(crashedItems);
  for (const { item, takenOverBy, failoveringBy } of items)
    if (takenOverBy !== undefined || failoveringBy !== undefined) inUse.add(item);
  return [...crashReports.keys()].filter((item) => !inUse.has(item));
}

/**
 * Id of the instance that cleans up after instances that are gone: the leader. A Java leader does not know our nodes;
 * under it, the first of our instances cleans up.
 */
export function cleanupOwner(view: JobView): string | undefined {
  if (!hasJavaPeers(view) || (view.leader !== undefined && view.live.has(view.leader))) return view.leader;
  return [...view.live].filter((id) => view.instances.has(id)).sort()[0];
}

/** True if an instance has reported this very run as crashed, and no instance has taken it over yet. */
export function isReported(view: JobView, { item, instant }: EndedItem): boolean {
  if (!awaitsTakeover(view, item) || !view.crashReports.has(item)) return false;
  const seen = itemOf(view, item);
  return seen?.running !== true && seen?.takenOverBy === undefined && view.crashReports.get(item)?.instant === instant;
}
