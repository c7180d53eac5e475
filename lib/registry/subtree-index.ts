import { pathsUpwards } from './node-paths.js';

/**
 * Values that belong to subtrees, such as the mirrors of a registry centre. The values whose subtree covers a path are
 * found in as many steps as the path has parts, so that thousands of mirrors do not slow down each write and each
 * event.
 */
export class SubtreeIndex<T> {
  readonly #byRoot = new Map<string, Set<T>>();

  /** Adds a value for the subtree at `root`. Returns a function that removes it again. */
  add(root: string, value: T): () => void {
    const values = this.#byRoot.get(root) ?? new Set<T>();
    this.#byRoot.set(root, values.add(value));
    return () => {
      values.delete(value);
      if (values.size === 0 && this.#byRoot.get(root) === values) this.#byRoot.delete(root);
    };
  }

  /** The values whose subtree covers any of these paths, each once. A copy: it does not change with the index. */
  covering(paths: Iterable<string>): ReadonlySet<T> {
    const found = new Set<T>();
    for (const path of paths) {
      for (const root of pathsUpwards(path)) for (const value of this.#byRoot.get(root) ?? []) found.add(value);
    }
    return found;
  }
}
