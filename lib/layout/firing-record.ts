/**
 * Our own record of which scheduled instants have been begun: the value of `x-node/fired/{instance}`.
 *
 * Before an instance runs items for an instant, it writes its record in the very commit that creates their `running`
 * marks. Who comes into an item later can tell from all instances' records whether that instant's firing was begun by
 * anybody. Java neither writes nor reads it.
 *
 * One line for each instant, the latest first, with the items for which it is the last one begun:
 * ```
 * 1767225600000: 0-3,7
 * 1767225595000: 4
 * ```
 */

/** The text for these instants (milliseconds since 1970) by item. The empty map is the empty text. */
export function encodeFirings(firings: ReadonlyMap<number, number>): string {
  const itemsByInstant = new Map<number, number[]>();
  for (const [item, instant] of firings) {
    const items = itemsByInstant.get(instant);
    if (items === undefined) itemsByInstant.set(instant, [item]);
    else items.push(item);
  }
  return [...itemsByInstant]
    .sort(([one], [other]) => other - one)
    .map(([instant, items]) => `${instant}: ${ranges(items.sort((one, other) => one - other)).join(',')}`)
    .join('\n');
}

/** The inverse of `encodeFirings`. What it cannot read it leaves out; if an item occurs twice, the later instant counts. */
export function decodeFirings(text: string): ReadonlyMap<number, number> {
  const firings = new Map<number, number>();
  for (const line of text.split('\n')) {
    const [, instant, list] = /^\s*(\d{1,15})\s*:(.*)$/.exec(line.trimEnd()) ?? [];
    if (instant === undefined || list === undefined) continue;
    for (const item of list.split(',').flatMap(itemsOf)) {
      firings.set(item, Math.max(Number(instant), firings.get(item) ?? 0));
    }
  }
  return firings;
}

function ranges(items: readonly number[]): readonly string[] {
  const written: string[] = [];
  let first = items[0];
  items.forEach((item, index) => {
    if (items[index + 1] === item + 1) return;
    written.push(first === item ? `${item}` : `${first}-${item}`);
    first = items[index + 1];
  });
  return written;
}

function itemsOf(range: string): readonly number[] {
  const [, first, last = first] = /^\s*(\d{1,10})(?:-(\d{1,10}))?\s*$/.exec(range) ?? [];
  const length = Number(last) - Number(first) + 1;
  // A range that no job can have is garbage, and must not cost memory.
  return length >= 1 && length <= GREATEST_COUNT ? Array.from({ length }, (_, index) => Number(first) + index) : [];
}

const GREATEST_COUNT = 100_000;
