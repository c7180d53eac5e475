import { pathsUpwards } from './node-paths.js';

/** The subtrees that a narrowed mirror follows, and the changes that make it follow everything again. */
export class NarrowScope {
  readonly #roots: ReadonlySet<string>;
  readonly #isRoutine: (path: string) => boolean;

  constructor(subtrees: readonly string[], isRoutine: (path: string) => boolean) {
    this.#roots = new Set(subtrees);
    this.#isRoutine = isRoutine;
  }

  /** True if the mirror follows this node. */
  covers(path: string): boolean {
    for (const root of pathsUpwards(path)) if (this.#roots.has(root)) return true;
    return false;
  }

  /**
   * True if a change of this node ends the scope. Outside of it, only a change that this registry centre object has
   * made does.
   */
  isEndedBy(path: string, isOwn: boolean): boolean {
    return this.covers(path) ? !this.#isRoutine(path) : isOwn;
  }
}
