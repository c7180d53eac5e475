/** Which items are whose, and whose turn it is: pure functions of a view. */
import { availableInstances, hasJavaPeers, isGone, type ItemView, type JobView } from '../../layout/job-view.js';

/**
 * Items the assignment gives to this instance, whatever their state. As in Java, one beyond the configured number is nobody's
 * from the moment that number is reduced, though a Java leader takes it away only at its next firing.
 */
export function assignedItems(view: JobView, me: string): readonly ItemView[] {
  const total = view.config?.shardingTotalCount ?? Infinity;
  return view.items.filter(({ item, owner }) => owner === me && item < total);
}

/** Whether runs that die with their instance are run again (manual, `failover`; without marks nobody could tell). */
export function failsOver({ config }: JobView): boolean {
  return config?.failover === true && config.monitorExecution;
}

/** Items that stay where they are: they run, and their owner lives. */
export function pinnedItems(
  view: JobView,
  total: number,
): readonly { readonly item: number; readonly owner: string }[] {
  return view.items.flatMap(({ item, owner, running, takenOverBy }) => {
    const isBusy = running && takenOverBy === undefined;
    return isBusy && item < total && owner !== undefined && view.instances.has(owner) ? [{ item, owner }] : [];
  });
}

/** What this instance may run for a firing, and what it may not yet. */
export interface Choice {
  readonly items: readonly ItemView[];
  /** Items that are due as well, but are still being run, here or by who has taken them over, or wait to be taken over. */
  readonly blocked: readonly ItemView[];
}

/**
 * Items this instance must run for the firing at `instant` (milliseconds since 1970; `undefined` for a manual one), if
 * given only of `items`: its own that are neither disabled nor running, and that nobody has begun for that instant or a later one. The last
 * condition is what keeps a firing from running an item twice when the item changes hands in the middle of it.
 * `busy` are the items that this instance still runs itself.
 */
export function chooseItems(
  view: JobView,
  me: string,
  { instant, items }: { readonly instant: number | undefined; readonly items?: readonly number[] },
  busy: ReadonlySet<number>,
): Choice {
  const ip = view.instances.get(me)?.serverIp;
  if (ip === undefined) return { items: [], blocked: [] };
  const due = assignedItems(view, me).filter(
    ({ item, disabled }) => !disabled && items?.includes(item) !== false && !wasBegun(view, item, instant),
  );
  const blocked = due.filter((item) => !isFree(view, item, busy));
  // What keeps an item with a disabled instance is its run, which keeps it from its next owner's firing too.
  if (view.servers.get(ip) !== 'ENABLED') return { items: [], blocked: instant === undefined ? [] : blocked };
  return { items: due.filter((item) => isFree(view, item, busy)), blocked };
}

/**
 * Whether the item may be begun for another firing: nobody runs it, as far as this instance can see, and no run of it that
 * has died waits to be taken over. That one comes first, or its instant would be forgotten for the new one.
 */
export function isFree(view: JobView, item: ItemView, busy: ReadonlySet<number>): boolean {
  return isUnoccupied(item, busy) && !(failsOver(view) && view.crashedItems.includes(item.item));
}

function isUnoccupied({ item, running, takenOverBy }: ItemView, busy: ReadonlySet<number>): boolean {
  return !running && takenOverBy === undefined && !busy.has(item);
}

/** Whether the item has been begun, by whomever of our instances, for that instant or a later one. */
export function wasBegun(view: JobView, item: number, instant: number | undefined): boolean {
  return instant !== undefined && (view.firings.get(item) ?? -Infinity) >= instant;
}

/** An item that bears marks of an instance that is gone. */
export interface DeadRun {
  readonly item: ItemView;
  /** Whether somebody has to run it again. */
  readonly isToBeRescued: boolean;
}

/**
 * Items whose run, or rescue, has died with its instance; also those that bear the mark of `me`, which `isForgotten` there.
 * As in Java, nobody rescues an item from a server that an operator has disabled. Tells only of marks whose value has been read.
 */
export function deadRuns(view: JobView, me: string, isForgotten: (item: number) => boolean): readonly DeadRun[] {
  return view.items.flatMap((item) => {
    const isDead = (id: string): boolean => isGone(view, id) || (id === me && isForgotten(item.item));
    const rescuerDied = item.failoveringBy !== undefined && isDead(item.failoveringBy);
    // The session lives with which this mark would end: an operator has ended a Java instance, which goes on running.
    const isHeld = item.runningSession !== undefined && !view.firingRecords.has(item.runningOn ?? '');
    const runnerDied = !isHeld && item.running && item.runningOn !== undefined && isDead(item.runningOn);
    const claimDied = item.takenOverBy !== undefined && isDead(item.takenOverBy);
    const isTaken = item.takenOverBy !== undefined && !claimDied;
    const isWaiting = view.crashedItems.includes(item.item);
    // A Java peer that has reported a dead rescuer leaves this mark to the next one.
    if (!runnerDied && !claimDied && (!rescuerDied || isWaiting || isTaken)) return [];
    const isToBeRescued =
      failsOver(view) && !isTaken && (rescuerDied || (runnerDied && !isDisabledServer(view, item.runningOn)));
    return [{ item, isToBeRescued }];
  });
}

/**
 * Whether nothing needs an instance that is gone to be known any more. As long as it owns items, or bears their marks, its
 * record tells that it was one of ours.
 */
export function isForgettable(view: JobView, id: string): boolean {
  return isGone(view, id) && !view.items.some(({ owner, runningOn }) => owner === id || runningOn === id);
}

function isDisabledServer({ servers }: JobView, id: string | undefined): boolean {
  // Of one that is gone only the id is left to tell its server.
  return [...servers].some(([ip, status]) => status === 'DISABLED' && id?.startsWith(`${ip}@`) === true);
}

/** Whether marks have not been read that may have been left by an instance that is gone. */
export function hasUnreadDeadMarks(view: JobView): boolean {
  return view.items.some(({ running, runningOn, takenOverBy, owner }) => {
    const presumed = takenOverBy ?? owner;
    return running && runningOn === undefined && (presumed === undefined || isGone(view, presumed));
  });
}

/** Crashed items that wait for somebody and that nobody runs. */
export function claimableItems(view: JobView, busy: ReadonlySet<number>): readonly ItemView[] {
  if (!failsOver(view) || view.crashedItems.length === 0) return [];
  return view.items.filter((item) => {
    const runnerDied = item.running && item.runningOn !== undefined && isGone(view, item.runningOn);
    return view.crashedItems.includes(item.item) && (isUnoccupied(item, busy) || (runnerDied && !busy.has(item.item)));
  });
}

/**
 * Which of the crashed items this instance takes: its share of them, so that all idle instances take over in parallel. The
 * shares of instances that see the same cover all items, so that none waits for one who does not come. Java peers are not
 * counted on: one takes what it finds at the moment of the crash and when it has finished a run, and else does not look.
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

/**
 * Who puts away what instances that are gone have left: the leader, or under a Java leader, who does not know our nodes,
 * the first of our instances.
 */
export function custodian(view: JobView): string | undefined {
  if (!hasJavaPeers(view) || (view.leader !== undefined && view.live.has(view.leader))) return view.leader;
  return [...view.live].filter((id) => view.instances.has(id)).sort()[0];
}
