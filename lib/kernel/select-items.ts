import { type ItemView, type JobView } from '../layout/job-view.js';

/** Items the assignment gives to this instance, whatever their state. */
export function assignedItems(view: JobView, me: string): readonly ItemView[] {
  return view.items.filter(({ owner }) => owner === me);
}

/**
 * Items marked as running by an instance that is gone. Java's marks outlive their instance if failover is on, for its Java
 * peers to find what to take over; if there are none, nobody would ever remove them. Tells only of marks whose value has been read.
 */
export function abandonedItems({ items, instances }: JobView): readonly number[] {
  return items
    .filter(({ running, runningOn }) => running && runningOn !== undefined && !instances.has(runningOn))
    .map(({ item }) => item);
}

/** Items that stay where they are: they run, and their owner lives. */
export function pinnedItems(
  view: JobView,
  total: number,
): readonly { readonly item: number; readonly owner: string }[] {
  const abandoned = abandonedItems(view);
  return view.items.flatMap(({ item, owner, running }) => {
    const isBusy = running && !abandoned.includes(item);
    return isBusy && item < total && owner !== undefined && view.instances.has(owner) ? [{ item, owner }] : [];
  });
}

/** Whether an assignment depends on something that the mirror has left unread. */
export function isPartlyUnread({ firingRecords, items }: JobView): boolean {
  return (
    [...firingRecords.values()].includes(undefined) ||
    items.some(({ running, runningOn }) => running && runningOn === undefined)
  );
}

/**
 * Items this instance must run for the firing at `instant` (milliseconds since 1970; `undefined` for a manual one), if
 * given only of `items`: its own that are neither disabled nor running, and that nobody has begun for that instant or a later one. The last
 * condition is what keeps a firing from running an item twice when the item changes hands in the middle of it.
 */
export function itemsToRun(
  view: JobView,
  me: string,
  { instant, items }: { readonly instant: number | undefined; readonly items?: readonly number[] },
): readonly ItemView[] {
  const ip = view.instances.get(me)?.serverIp;
  if (ip === undefined || view.servers.get(ip) !== 'ENABLED') return [];
  return assignedItems(view, me).filter(
    ({ item, disabled, running }) =>
      !disabled && !running && items?.includes(item) !== false && !wasBegun(view, item, instant),
  );
}

function wasBegun(view: JobView, item: number, instant: number | undefined): boolean {
  return instant !== undefined && (view.firings.get(item) ?? -Infinity) >= instant;
}
