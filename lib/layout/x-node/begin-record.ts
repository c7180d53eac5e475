/**
 * Our own record of what has been begun: the value of `x-node/fired/{instance}`.
 *
 * Before an instance runs items, it writes its record in the very commit that creates their `running` marks. An instance
 * that gets an item later, or takes over its crashed run, finds in the records of all instances the latest instant for
 * which the item was begun. Java neither writes nor reads it.
 *
 * One line for each instant, the latest first, with the items for which it is the last one begun; then, if there are any, the items
 * that were begun manually after that:
 * ```
 * 1767225600000: 0-3,7
 * 1767225595000: 4
 * manual: 2
 * ```
 */

import { fromRanges, toRanges } from './item-ranges.js';

/** What one instance, or several together, have begun. */
export interface BeginRecord {
  /** The last scheduled instant begun, in milliseconds since 1970, by item. */
  readonly instants: ReadonlyMap<number, number>;
  /** Items that were begun manually after that. */
  readonly manual: ReadonlySet<number>;
}

/** Nothing was begun. */
export const NOTHING_BEGUN: BeginRecord = { instants: new Map(), manual: new Set() };

/** The text of a record. That of the empty one is empty. */
export function encodeBeginRecord({ instants, manual }: BeginRecord): string {
  const itemsByInstant = new Map<number, number[]>();
  for (const [item, instant] of instants) {
    const items = itemsByInstant.get(instant);
    if (items === undefined) itemsByInstant.set(instant, [item]);
    else items.push(item);
  }
  const lines = [...itemsByInstant]
    .sort(([one], [other]) => other - one)
    .map(([instant, items]) => `${instant}: ${toRanges(items)}`);
  if (manual.size > 0) lines.push(`${MANUAL}: ${toRanges([...manual])}`);
  return lines.join('\n');
}

/** The inverse of `encodeBeginRecord`. What it cannot read it leaves out; if an item occurs twice, the later instant counts. */
export function decodeBeginRecord(text: string): BeginRecord {
  const instants = new Map<number, number>();
  const manual = new Set<number>();
  for (const line of text.split('\n')) {
    const [, key, list] = /^\s*(\d{1,15}|manual)\s*:(.*)$/.exec(line.trimEnd()) ?? [];
    if (key === undefined || list === undefined) continue;
    for (const item of fromRanges(list)) {
      if (key === MANUAL) manual.add(item);
      else instants.set(item, Math.max(Number(key), instants.get(item) ?? 0));
    }
  }
  return { instants, manual };
}

/** All records as one. Those that have not been read (`undefined`) are left out. */
export function mergeBeginRecords(records: Iterable<BeginRecord | undefined>): BeginRecord {
  const known = [...records].filter((record) => record !== undefined);
  const instants = new Map<number, number>();
  for (const record of known)
    for (const [item, instant] of record.instants) instants.set(item, Math.max(instant, instants.get(item) ?? instant));
  const manual = new Set<number>();
  for (const record of known)
    for (const item of record.manual) if (record.instants.get(item) === instants.get(item)) manual.add(item);
  return { instants, manual };
}

/** The record after these items have been begun for `instant`, or manually if there is none. `known`: the last instants of anybody. */
export function withBegun(
  record: BeginRecord,
  items: readonly number[],
  instant: number | undefined,
  known: ReadonlyMap<number, number>,
): BeginRecord {
  const instants = new Map(record.instants);
  const manual = new Set(record.manual);
  for (const item of items) {
    // By hand after which instant: of two records that name the same one, that of the manual run is the later.
    const last = instant ?? known.get(item);
    if (last !== undefined) instants.set(item, last);
    if (instant === undefined) manual.add(item);
    else manual.delete(item);
  }
  return { instants, manual };
}

/** The record as if these items had not been begun since it was `former`. */
export function withoutBegun(record: BeginRecord, items: readonly number[], former: BeginRecord): BeginRecord {
  const instants = new Map(record.instants);
  const manual = new Set(record.manual);
  for (const item of items) {
    const instant = former.instants.get(item);
    if (instant === undefined) instants.delete(item);
    else instants.set(item, instant);
    if (former.manual.has(item)) manual.add(item);
    else manual.delete(item);
  }
  return { instants, manual };
}

const MANUAL = 'manual';
