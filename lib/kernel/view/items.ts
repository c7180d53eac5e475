/** Decides which items this instance may run now: pure functions of a view. */
import { isPaused, isRuledOut } from '../../graphs/orders.js';
import { availableInstances, awaitsTakeover, type ItemView, type JobView } from '../../layout/job-view.js';
import { toRanges } from '../../layout/x-node/item-ranges.js';
import { isRunKey } from '../../layout/x-node/run-key.js';
import { type Firing } from './firing.js';
import { itemsWaitingFor } from '../../layout/waiting-runs.js';

/**
 * The items that the assignment gives to this instance, in any state. An item from `shardingTotalCount` on is unowned
 * as soon as that number is reduced, as in Java, although a Java leader removes it only at its next firing.
 */
export function assignedItems(view: JobView, me: string): readonly ItemView[] {
  const total = view.config?.shardingTotalCount ?? Infinity;
  return view.items.filter(({ item, owner }) => owner === me && item < total);
}

/**
 * True if peers run an item again when its run dies with its instance (manual, `failover`; needs `monitorExecution`).
 */
export function failsOver({ config }: JobView): boolean {
  return config?.failover === true && config.monitorExecution;
}

/** The items that this instance may run for a firing, and those that it may not run yet. */
export interface Choice {
  readonly items: readonly ItemView[];
  /** Items that are due too, but still run (here, or where they were taken over), or wait to be taken over. */
  readonly blocked: readonly ItemView[];
  /**
   * Numbers of this instance's items that need no second decision on the firing, and are not among `items`: they are
   * blocked or disabled, were begun before, or no enabled instance is there to run them.
   */
  readonly decidedOn: readonly number[];
}

/**
 * True if the current assignment contains the item. A run that makes up for a missed firing leaves out any other item,
 * even if that still has an owner node.
 */
export function isInAssignment({ assignmentRecord }: JobView, item: number): boolean {
  return item < (assignmentRecord?.itemCount ?? Infinity);
}

/**
 * The items that this instance must run for a firing: its own items that are neither disabled nor running, and that no
 * instance has begun for that instant or a later one. The last condition keeps a firing from running an item twice when
 * the item changes its owner in the middle of the firing.
 * @param firing its instant is in milliseconds since 1970, `undefined` for a manual firing, which runs items that wait
 *   because a trigger with its `jobParameter` was accepted; `items` limits the choice; a `misfire` or
 *   `dependency` firing leaves out items that the current assignment does not contain. Nothing begins for an instant
 *   that an operator has ruled out, or while the graph is paused
 * @param busy items that this instance still runs
 */
export function chooseItems(
  view: JobView,
  me: string,
  { cause, instant, items, jobParameter }: Pick<Firing, 'cause' | 'instant' | 'items' | 'jobParameter'>,
  busy: ReadonlySet<number>,
): Choice {
  const ip = view.instances.get(me)?.serverIp;
  if (ip === undefined) return { items: [], blocked: [], decidedOn: [] };
  const only = items && new Set(items);
  const triggered = cause === 'manual' ? itemsWaitingFor(view, jobParameter) : undefined;
  const isMeant = ({ item }: ItemView): boolean =>
    only?.has(item) !== false && triggered?.has(item) !== false && (!isMakingUp(cause) || isInAssignment(view, item));
  const own = assignedItems(view, me).filter(isMeant);
  const isRuledOutNow = ({ item }: ItemView): boolean =>
    instant !== undefined && (isPaused(view) || isRuledOut(view, item, instant));
  const due = own.filter((each) => !each.disabled && !wasBegun(view, each.item, instant) && !isRuledOutNow(each));
  const blocked = due.filter((item) => !isFree(view, item, busy));
  const free = new Set(due.filter((item) => isFree(view, item, busy)));
  const decidedOn = numbersOf(own.filter((item) => !free.has(item)));
  if (view.servers.get(ip) === 'ENABLED') return { items: [...free], blocked, decidedOn };
  return {
    items: [],
    // A run keeps its item with a disabled instance, and it keeps the next owner from this firing too.
    blocked: instant === undefined ? [] : blocked,
    // Free items are about to move to an enabled instance; they stay here only if this one is enabled again before.
    decidedOn: areAboutToMove(view) ? decidedOn : numbersOf(own),
  };
}

/** True for a firing that is planned item by item, from what the records show. */
function isMakingUp(cause: Firing['cause']): boolean {
  return cause === 'misfire' || cause === 'dependency';
}

/** True if the items of an instance that is disabled go to another one. */
export function areAboutToMove(view: JobView): boolean {
  return availableInstances(view).length > 0 && view.config?.staticSharding !== true;
}

/**
 * True if the item may be begun for another firing: no instance runs it, as far as this one can see, and no dead run of
 * it waits to be taken over. The takeover comes first, or the instant of the dead run would be forgotten.
 */
export function isFree(view: JobView, item: ItemView, busy: ReadonlySet<number>): boolean {
  return isUnoccupied(item, busy) && !(failsOver(view) && awaitsTakeover(view, item.item));
}

/** True if the item bears no mark of a run, and this instance does not run it. */
export function isUnoccupied({ item, running, takenOverBy }: ItemView, busy: ReadonlySet<number>): boolean {
  return !running && takenOverBy === undefined && !busy.has(item);
}

/**
 * True if one of our instances has begun the item for that instant of the schedule, or that run key, or a later one of
 * its kind; in milliseconds since 1970.
 */
export function wasBegun({ lastBegun, lastKeys }: JobView, item: number, instant: number | undefined): boolean {
  if (instant === undefined) return false;
  return ((isRunKey(instant) ? lastKeys : lastBegun).get(item) ?? -Infinity) >= instant;
}

/** Most characters of item numbers in one message. */
const LONGEST_DESCRIPTION = 200;

/**
 * Item numbers for a message, in ascending order: `0-3,7`. A long text is cut, and then also says how many items there
 * are.
 */
export function describeItems(items: readonly number[]): string {
  const ranges = toRanges(items);
  if (ranges.length <= LONGEST_DESCRIPTION) return ranges;
  return `${ranges.slice(0, ranges.lastIndexOf(',', LONGEST_DESCRIPTION))},… (${items.length} items)`;
}

/** The numbers alone, in the order given. */
export const numbersOf = (items: readonly Pick<ItemView, 'item'>[]): readonly number[] => items.map(({ item }) => item);

/** A run of this instance that has ended although its marks may still stand. */
export interface EndedItem {
  readonly item: number;
  /** The instant of the run, in milliseconds since 1970; `undefined` after a manual run. */
  readonly instant: number | undefined;
}
