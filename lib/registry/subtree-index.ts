/**
 * Values that belong to subtrees, such as the mirrors of a registry centre. The values whose subtree covers a path are
 * found in as many steps as the path has parts, so that thousands of mirrors do not slow down each write and each
 * event.
 */
export class SubtreeIndex<T> {
  readonly #byRoot = new Map<string, readonly T[]>();

  /** Adds a value for the subtree at `root`. */
  add(root: string, value: T): void {
    this.#byRoot.set(root, [...(this.#byRoot.get(root) ?? []), value]);
  }

  /** Removes a value from the subtree at `root`, if it is there. */
  remove(root: string, value: T): void {
    const known = this.#byRoot.get(root);
    if (known?.includes(value) !== true) return;
    const values = known.filter((each) => each !== value);
    if (values.length > 0) this.#byRoot.set(root, values);
    else this.#byRoot.delete(root);
  }

  /**
   * The values whose subtree covers the path, each as often as it was added. A copy: it does not change with the index.
   */
  coveringPath(path: string): readonly T[] {
    const found = [...(this.#byRoot.get('/') ?? [])];
    for (let end = 1; end < path.length;) {
      const next = path.indexOf('/', end);
      const root = next === -1 ? path : path.slice(0, next);
      found.push(...(this.#byRoot.get(root) ?? []));
      end = root.length + 1;
    }
    return found;
  }

  /** The values whose subtree covers any of these paths, each once. A copy: it does not change with the index. */
  covering(paths: Iterable<string>): ReadonlySet<T> {
    return new Set([...paths].flatMap((path) => this.coveringPath(path)));
  }
}
