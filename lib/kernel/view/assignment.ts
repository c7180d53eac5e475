/** Judges the owners of items, and whether their assignment still fits: pure functions of a view. */
import { createHash } from 'node:crypto';
import { availableInstances, isInGraph, type JobView } from '../../layout/job-view.js';
import { type AssignmentRecord } from '../../layout/x-node/assignment-record.js';
import { assignedItems, isInAssignment, numbersOf } from './items.js';

/** The basis of an assignment, to see later whether the assignment is outdated. */
export interface AssignedFor {
  /** `assignmentBasis` at the time of the assignment. */
  readonly basis: string;
  /** Items that stayed with their owner because they were running. */
  readonly pinned: readonly number[];
}

/** An assignment that is outdated, and whose leader does not ask for another one. */
export interface OverdueAssignment {
  /** `assignmentBasis` of the assignment that is wanted. */
  readonly basis: string;
  /**
   * `waiting`: the leader still has time. `due`: its time is over. `asked`: this instance has asked in its place, which
   * happens once.
   */
  readonly state: 'waiting' | 'due' | 'asked';
}

/** True if the instance is registered, its node can be read, and its server is enabled. */
export function isAvailable(view: JobView, id: string): boolean {
  return availableInstances(view).some(({ jobInstanceId }) => jobInstanceId === id);
}

/** True if the items have owners and no request for another assignment stands. */
export function isAssigned(view: JobView): boolean {
  return view.items.length > 0 && !view.reshardingNeeded && !view.processing;
}

/** True if the owners of the items are certain: the items are assigned, or there is no instance to assign them to. */
export function isDecided(view: JobView): boolean {
  return isAssigned(view) || availableInstances(view).length === 0;
}

/**
 * Numbers of the items that their owners run. Items that were taken over do not count: the instance that took an item
 * over runs it, even if the assignment gives it to another.
 */
export function runningItems(view: JobView): readonly number[] {
  return numbersOf(view.items.filter(({ running, takenOverBy }) => running && takenOverBy === undefined));
}

/**
 * Numbers of the running items that the leader waits for before it assigns the items again. It does not wait for an
 * item of an instance that is leaving: the item moves in any case, and its mark keeps the next owner from beginning it
 * too early.
 */
export function itemsToAwait(view: JobView): readonly number[] {
  const running = new Set(runningItems(view));
  return numbersOf(view.items.filter(({ item, owner = '' }) => running.has(item) && view.instances.has(owner)));
}

/** Items that stay with their owner in the next assignment: they run, and their owner lives. */
export function pinnedItems(
  view: JobView,
  total: number,
): readonly { readonly item: number; readonly owner: string }[] {
  return view.items.flatMap(({ item, owner, running, takenOverBy }) => {
    const isBusy = running && takenOverBy === undefined;
    return isBusy && item < total && owner !== undefined && view.instances.has(owner) ? [{ item, owner }] : [];
  });
}

/** Everything that an assignment depends on, as one text to compare. */
export function assignmentBasis(view: JobView): string {
  const ids = availableInstances(view).map(({ jobInstanceId }) => jobInstanceId);
  return [view.config?.shardingTotalCount, view.config?.jobShardingStrategyType ?? '', ...ids].join('\n');
}

/** The record of an assignment that the leader makes for this view. */
export function assignmentRecordFor(view: JobView): AssignmentRecord {
  const basis = createHash('sha256').update(assignmentBasis(view)).digest('hex').slice(0, DIGEST_LENGTH);
  return { itemCount: view.config?.shardingTotalCount ?? 0, basis };
}

/** Two texts have the same digest of 64 bits by chance once in ten billion billion cases. */
const DIGEST_LENGTH = 16;

/**
 * Re-added items: the next assignment has them and the present one does not, but they were begun before, last before
 * `instant` (milliseconds since 1970). In a graph, where rounds wait for items, also items that are added for the first
 * time.
 */
export function readdedItems(view: JobView, instant: number): readonly number[] {
  const { config, items, assignmentRecord, lastBegun } = view;
  const total = config?.shardingTotalCount ?? 0;
  const added = isInGraph(view) && items.length > 0 ? Array.from({ length: total }, (_, item) => item) : [];
  const begunBefore = new Map([...added.map((item) => [item, -Infinity] as const), ...lastBegun]);
  const present = new Set(numbersOf(items));
  const assigned = assignmentRecord?.itemCount ?? Infinity;
  return [...begunBefore]
    .filter(([item, begun]) => item < total && begun < instant && (item >= assigned || !present.has(item)))
    .map(([item]) => item);
}

/** True if `staticSharding` keeps the present assignment (manual, `staticSharding`): all items have an owner. */
export function staysAsAssigned({ config, items }: JobView): boolean {
  return config?.staticSharding === true && items.every(({ owner }) => owner !== undefined);
}

/** True if items are missing, or surplus items can go. A surplus item that still runs goes when its run has ended. */
export function isRecounted({ items }: JobView, total: number): boolean {
  const surplus = items.filter(({ item }) => item >= total);
  return items.length - surplus.length < total || surplus.some(({ running }) => !running);
}

/**
 * True if every instance can see that another assignment is due: there are too few or too many items, an owner cannot
 * run its items, or the assignment was made for other instances or settings.
 */
export function isMisassigned(now: JobView): boolean {
  const { config, items, assignmentRecord, leader, javaPeers } = now;
  const available = availableInstances(now).map(({ jobInstanceId }) => jobInstanceId);
  if (config === undefined || available.length === 0) return false;
  const total = config.shardingTotalCount;
  if (isRecounted(now, total)) return true;
  if (staysAsAssigned(now)) return false;
  const owners = new Set(items.filter(({ item }) => item < total).map(({ owner }) => owner ?? ''));
  if ([...owners].some((id) => !available.includes(id))) return true;
  const isMadeByJava = leader !== undefined && javaPeers.has(leader);
  if (assignmentRecord !== undefined && !isMadeByJava) return assignmentRecord.basis !== assignmentRecordFor(now).basis;
  // A Java leader writes nothing down. But these strategies leave no instance without items if there are enough.
  const spreads = SPREADING_STRATEGIES.includes(config.jobShardingStrategyType?.toUpperCase() ?? 'AVG_ALLOCATION');
  return spreads && total >= available.length && available.some((id) => !owners.has(id));
}

const SPREADING_STRATEGIES: readonly string[] = ['AVG_ALLOCATION', 'ODEVITY', 'ROUND_ROBIN', 'SINGLE_SHARDING_BALANCE'];

/**
 * Finds the recent instant of the schedule that an item has missed if it was last begun for `lastBegun` (both in
 * milliseconds since 1970): `undefined` if it has missed none or more than one, or if no instance can know.
 */
export type MissedInstant = (item: number, lastBegun: number) => number | undefined;

/**
 * The scheduled instants (milliseconds since 1970) that items of `me` missed while they changed their owner, by item.
 * Empty while the items are not assigned, or the instance may run none.
 */
export function lostInHandover(view: JobView, me: string, missedInstant: MissedInstant): ReadonlyMap<number, number> {
  const lost = new Map<number, number>();
  if (!isAssigned(view) || !isAvailable(view, me)) return lost;
  for (const { item } of assignedItems(view, me)) {
    const instant = instantLostInHandover(view, item, missedInstant);
    if (instant !== undefined) lost.set(item, instant);
  }
  return lost;
}

function instantLostInHandover(view: JobView, item: number, missedInstant: MissedInstant): number | undefined {
  const begun = lastBegunOnRecord(view, item);
  const instant = begun === undefined ? undefined : missedInstant(item, begun);
  return isDropped(view, item, instant) ? undefined : instant;
}

/**
 * Returns true if that instant may be the only recent one that an item has missed, by the clock of any instance, if the
 * item was last begun for `lastBegun` (both in milliseconds since 1970).
 */
export type MayHaveMissed = (instant: number, lastBegun: number) => boolean;

/**
 * True if the owner of the item, whose clock may differ from this one, makes up for that instant (milliseconds since
 * 1970) if the item missed it while it changed its owner.
 */
export function mayBeLostInHandover(
  view: JobView,
  item: number,
  instant: number,
  mayHaveMissed: MayHaveMissed,
): boolean {
  const lastBegun = lastBegunOnRecord(view, item);
  return lastBegun !== undefined && mayHaveMissed(instant, lastBegun) && !isDropped(view, item, instant);
}

function lastBegunOnRecord(view: JobView, item: number): number | undefined {
  // The last assignment left the item out, so it was not to be run; the leader's next assignment brings it back.
  if (!isInAssignment(view, item)) return undefined;
  return view.config?.monitorExecution === true ? view.lastBegun.get(item) : undefined;
}

/**
 * True if the item's firing is over although the item was not begun for it: an instance has dropped it while `misfire`
 * was off, or, with `misfire` off, its last once-listener was called without the item.
 */
function isDropped(view: JobView, item: number, instant: number | undefined): boolean {
  if (instant === undefined) return false;
  const firings = [...view.guarantee.dropped.values()];
  return (
    firings.some((each) => each.get(instant)?.has(item) === true) ||
    (view.config?.misfire === false && wasCompletionCalled(view, instant))
  );
}

/**
 * The items for which instances with once-listeners have dropped the firing at that instant, in milliseconds since
 * 1970.
 */
export function droppedItems({ guarantee }: JobView, instant: number | undefined): ReadonlySet<number> {
  return new Set([...guarantee.dropped.values()].flatMap((firings) => [...(firings.get(instant ?? NaN) ?? [])]));
}

/** True if a once-listener was called after the items of the firing at that instant, in milliseconds since 1970. */
export function wasCompletionCalled({ guarantee }: JobView, instant: number): boolean {
  return guarantee.completed.called.some((key) => key.startsWith(`${instant}/`));
}

/** `cron` and `timeZone`, on which all instants of the schedule depend, as one text to compare. */
export function scheduleKey({ cron, timeZone }: { readonly cron?: string; readonly timeZone?: string }): string {
  return `${cron ?? ''}\n${timeZone ?? ''}`;
}
