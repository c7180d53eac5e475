/**
 * Things that concern subtrees. Which of them a path concerns is found in as many steps as the path has parts, so that
 * thousands of mirrors do not make each write and each event dear.
 */
export class RootIndex<T> {
  readonly #byRoot = new Map<string, Set<T>>();

  /** Adds what concerns the subtree at `root`. Returns a function that removes it again. */
  add(root: string, value: T): () => void {
    const values = this.#byRoot.get(root) ?? new Set<T>();
    this.#byRoot.set(root, values);
    values.add(value);
    return () => {
      values.delete(value);
      if (values.size === 0 && this.#byRoot.get(root) === values) this.#byRoot.delete(root);
    };
  }

  /** All that any of these paths lies within, each once. A copy: what is added or removed meanwhile does not matter. */
  concernedBy(paths: Iterable<string>): ReadonlySet<T> {
    const found = new Set<T>();
    for (const path of paths) {
      for (const root of ancestors(path)) for (const value of this.#byRoot.get(root) ?? []) found.add(value);
    }
    return found;
  }
}

/** The path itself, its parents, and `/`. */
function* ancestors(path: string): Generator<string> {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) yield path.slice(0, end);
  if (path !== '/') yield '/';
}
