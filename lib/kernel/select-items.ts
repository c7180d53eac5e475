import { type ItemView, type JobView } from '../layout/job-view.js';

/** Items the assignment gives to this instance, whatever their state. */
export function assignedItems(view: JobView, me: string): readonly ItemView[] {
  return view.items.filter(({ owner }) => owner === me);
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
