/**
 * A process may have thousands of jobs, and most of them know the same instances and servers. What is made of equal nodes is one
 * object for all of them. Nothing of it may be changed.
 */

/** How many objects are remembered. With more different ones, equal objects may be several. */
const MOST_REMEMBERED = 256;

/** Up to this size, equal collections are one. Larger ones are rare, and take longer to compare. */
const LARGEST_SHARED = 8;

/** Remembers what was made last, so that the same text leads to the same object. */
export class Shared<T> {
  readonly #known = new Map<string, T>();

  of(text: string, make: () => T): T {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const made = make();
    for (const oldest of this.#known.keys()) {
      if (this.#known.size < MOST_REMEMBERED) break;
      this.#known.delete(oldest);
    }
    this.#known.set(text, made);
    return made;
  }
}

const EMPTY_MAP: ReadonlyMap<unknown, never> = new Map<unknown, never>();
const EMPTY_SET: ReadonlySet<unknown> = new Set<never>();
const SETS = new Shared<ReadonlySet<unknown>>();

/** The map itself, or the one empty map that all share. */
export function sharedIfEmpty<Key, Value>(map: ReadonlyMap<Key, Value>): ReadonlyMap<Key, Value> {
  return map.size === 0 ? (EMPTY_MAP as ReadonlyMap<Key, Value>) : map;
}

/** A map of the entries; without entries, the empty map that all share. */
export function mapOf<Key, Value>(entries: readonly (readonly [Key, Value])[]): ReadonlyMap<Key, Value> {
  return sharedIfEmpty(new Map(entries));
}

/** The map itself, or an equal one among `maps`. `text` distinguishes a value from others. */
export function sharedMap<Value>(
  map: ReadonlyMap<string, Value>,
  maps: Shared<ReadonlyMap<string, Value>>,
  text: (value: Value) => string,
): ReadonlyMap<string, Value> {
  if (map.size === 0 || map.size > LARGEST_SHARED) return sharedIfEmpty(map);
  return maps.of(JSON.stringify([...map].map(([key, value]) => [key, text(value)])), () => map);
}

/** A set of the values. Small sets of the same values, in the same order, are one. */
export function setOf<Value extends string | number>(values: readonly Value[]): ReadonlySet<Value> {
  if (values.length === 0) return EMPTY_SET as ReadonlySet<Value>;
  if (values.length > LARGEST_SHARED) return new Set(values);
  return SETS.of(JSON.stringify(values), () => new Set(values)) as ReadonlySet<Value>;
}
