/**
 * Values that belong to subtrees, such as the mirrors of a registry centre. The values whose subtree covers a path are
 * found in as many steps as the path has parts, so that thousands of mirrors do not slow down each write and each
 * event.
 */
export class SubtreeIndex<T> {
  readonly #byRoot = new Map<string, readonly T[]>();
  /** How many roots have so many parts. */
  readonly #rootsByDepth = new Map<number, number>();

  /** Adds a value for the subtree at `root`. */
  add(root: string, value: T): void {
    const known = this.#byRoot.get(root);
    this.#byRoot.set(root, known === undefined ? [value] : known.concat([value]));
    if (known === undefined) this.#countRoot(root, 1);
  }

  /** Removes a value from the subtree at `root`, if it is there. */
  remove(root: string, value: T): void {
    const known = this.#byRoot.get(root);
    if (known?.includes(value) !== true) return;
    const values = known.filter((each) => each !== value);
    if (values.length > 0) return void this.#byRoot.set(root, values);
    this.#byRoot.delete(root);
    this.#countRoot(root, -1);
  }

  /** The values whose subtree covers the path. A copy, as a rule of none or one. */
  coveringPath(path: string): readonly T[] {
    const found: T[] = [];
    this.#collect(path, (values) => found.push(...values));
    return found;
  }

  /** The values whose subtree covers any of these paths, each once. A copy: it does not change with the index. */
  covering(paths: Iterable<string>): ReadonlySet<T> {
    const found = new Set<T>();
    const add = (values: readonly T[]): void => {
      for (const value of values) found.add(value);
    };
    for (const path of paths) this.#collect(path, add);
    return found;
  }

  /** Looks only where there are roots: to cut a path at each of its parts takes longer than all else. */
  #collect(path: string, add: (values: readonly T[]) => void): void {
    if (this.#rootsByDepth.has(0)) this.#addRoot('/', add);
    if (path === '/') return;
    let depth = 0;
    for (let end = 0; end < path.length;) {
      const next = path.indexOf('/', end + 1);
      end = next === -1 ? path.length : next;
      if (this.#rootsByDepth.has(++depth)) this.#addRoot(path.slice(0, end), add);
    }
  }

  #addRoot(root: string, add: (values: readonly T[]) => void): void {
    const values = this.#byRoot.get(root);
    if (values !== undefined) add(values);
  }

  #countRoot(root: string, by: 1 | -1): void {
    const depth = root === '/' ? 0 : root.split('/').length - 1;
    const count = (this.#rootsByDepth.get(depth) ?? 0) + by;
    if (count > 0) this.#rootsByDepth.set(depth, count);
    else this.#rootsByDepth.delete(depth);
  }
}
