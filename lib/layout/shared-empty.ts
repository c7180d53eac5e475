const EMPTY_MAP: ReadonlyMap<unknown, never> = new Map<unknown, never>();
const EMPTY_SET: ReadonlySet<unknown> = new Set<never>();

/** The map itself, or the one empty map that all share: a process may have many jobs, and most of their maps are empty. */
export function sharedIfEmpty<Key, Value>(map: ReadonlyMap<Key, Value>): ReadonlyMap<Key, Value> {
  return map.size === 0 ? (EMPTY_MAP as ReadonlyMap<Key, Value>) : map;
}

/** A map of the entries; without entries, the empty map that all share. */
export function mapOf<Key, Value>(entries: readonly (readonly [Key, Value])[]): ReadonlyMap<Key, Value> {
  return sharedIfEmpty(new Map(entries));
}

/** A set of the values; without values, the empty set that all share. */
export function setOf<Value>(values: readonly Value[]): ReadonlySet<Value> {
  return values.length === 0 ? (EMPTY_SET as ReadonlySet<Value>) : new Set(values);
}
