import { isPaused, requestedKey } from '../../graphs/orders.js';
import { type JobView } from '../../layout/job-view.js';
import { assignedItems, numbersOf } from '../view/items.js';

/** The run keys, in milliseconds since 1970, for which items of this instance are due in a root, by item. */
export function requestedItems(view: JobView, me: string): ReadonlyMap<number, number> {
  const requested = new Map<number, number>();
  if (view.graph.orders.runs.length === 0 || isPaused(view)) return requested;
  for (const item of numbersOf(assignedItems(view, me))) {
    const key = requestedKey(view, item);
    if (key !== undefined) requested.set(item, key);
  }
  return requested;
}
