/**
 * Collections that are empty nearly all the time. A process may have thousands of jobs with dozens of them each, and an empty `Map` takes
 * six times the memory of one that is only made when something is put into it. Private methods would cost eight bytes in each of them.
 */

const NO_ENTRIES: ReadonlyMap<never, never> = new Map<never, never>();
const NO_VALUES: ReadonlySet<never> = new Set<never>();

/** A `Map` that takes hardly any memory while it is empty. */
export class RareMap<Key, Value> implements ReadonlyMap<Key, Value> {
  #map: Map<Key, Value> | undefined;

  get size(): number {
    return this.#map === undefined ? 0 : this.#map.size;
  }

  has(key: Key): boolean {
    return this.#map?.has(key) === true;
  }

  get(key: Key): Value | undefined {
    return this.#map?.get(key);
  }

  set(key: Key, value: Value): this {
    (this.#map ??= new Map()).set(key, value);
    return this;
  }

  /** @returns whether it was there */
  delete(key: Key): boolean {
    if (this.#map?.delete(key) !== true) return false;
    if (this.#map.size === 0) this.#map = undefined;
    return true;
  }

  clear(): void {
    this.#map = undefined;
  }

  keys(): MapIterator<Key> {
    return (this.#map ?? NO_ENTRIES).keys();
  }

  values(): MapIterator<Value> {
    return (this.#map ?? NO_ENTRIES).values();
  }

  entries(): MapIterator<[Key, Value]> {
    return (this.#map ?? NO_ENTRIES).entries();
  }

  [Symbol.iterator](): MapIterator<[Key, Value]> {
    return (this.#map ?? NO_ENTRIES).entries();
  }

  forEach(task: (value: Value, key: Key, map: ReadonlyMap<Key, Value>) => void): void {
    for (const [key, value] of this.#map ?? NO_ENTRIES) task(value, key, this);
  }
}

/** A `Set` that takes hardly any memory while it is empty. */
export class RareSet<Value> implements ReadonlySet<Value> {
  #set: Set<Value> | undefined;

  get size(): number {
    return this.#set === undefined ? 0 : this.#set.size;
  }

  has(value: Value): boolean {
    return this.#set?.has(value) === true;
  }

  add(value: Value): this {
    (this.#set ??= new Set()).add(value);
    return this;
  }

  /** @returns whether it was there */
  delete(value: Value): boolean {
    if (this.#set?.delete(value) !== true) return false;
    if (this.#set.size === 0) this.#set = undefined;
    return true;
  }

  clear(): void {
    this.#set = undefined;
  }

  keys(): SetIterator<Value> {
    return (this.#set ?? NO_VALUES).values();
  }

  values(): SetIterator<Value> {
    return (this.#set ?? NO_VALUES).values();
  }

  entries(): SetIterator<[Value, Value]> {
    return (this.#set ?? NO_VALUES).entries();
  }

  [Symbol.iterator](): SetIterator<Value> {
    return (this.#set ?? NO_VALUES).values();
  }

  forEach(task: (value: Value, again: Value, set: ReadonlySet<Value>) => void): void {
    for (const value of this.#set ?? NO_VALUES) task(value, value, this);
  }
}

/** The set with the value. For fields that hold no set while it would be empty, which takes even less memory than a `RareSet`. */
export function withValue<Value>(set: Set<Value> | undefined, value: Value): Set<Value> {
  return (set ?? new Set<Value>()).add(value);
}

/** The set without the value; `undefined` if nothing is left. */
export function withoutValue<Value>(set: Set<Value> | undefined, value: Value): Set<Value> | undefined {
  set?.delete(value);
  return set === undefined || set.size === 0 ? undefined : set;
}
