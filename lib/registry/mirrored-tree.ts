import { type MirroredNode } from './registry-center.js';

/**
 * The longest journal, in changes for each node of the tree: reading the whole tree takes less time than following more
 * changes.
 */
const CHANGES_PER_NODE = 1;

/** Changes that are remembered however small the tree is. */
const LEAST_CHANGES = 16;

/**
 * The nodes that a mirror shows, with a journal of the changes, so that a reader pays only for new ones. The map stays
 * the same object as long as changes come one by one.
 */
export class MirroredTree {
  #nodes = new Map<string, MirroredNode>();
  readonly #isRoutine: (path: string) => boolean;
  #moment = 0;
  #significantChanges = 0;
  /** The paths that changed, the latest last. */
  #journal: string[] = [];
  /** The moment before the first change of the journal. */
  #journalStart = 0;

  /** @param isRoutine returns true if a change of the node at this path is a routine change */
  constructor(isRoutine: (path: string) => boolean = () => false) {
    this.#isRoutine = isRoutine;
  }

  /** All nodes by path. The map changes with the tree: copy it to keep a moment. */
  get nodes(): ReadonlyMap<string, MirroredNode> {
    return this.#nodes;
  }

  /** Grows with each change of a node. */
  get moment(): number {
    return this.#moment;
  }

  /** Grows with each change that is not routine, and whenever all nodes are replaced. */
  get significantChanges(): number {
    return this.#significantChanges;
  }

  /** Shows a node as it is now; `undefined`: it is gone. @returns true if that is new */
  set(path: string, node: MirroredNode | undefined): boolean {
    if (this.#nodes.get(path) === node) return false;
    if (node === undefined) this.#nodes.delete(path);
    else this.#nodes.set(path, node);
    if (this.#journal.length >= Math.max(LEAST_CHANGES, CHANGES_PER_NODE * this.#nodes.size)) this.#forget();
    this.#journal.push(path);
    this.#moment++;
    if (!this.#isRoutine(path)) this.#significantChanges++;
    return true;
  }

  /** Shows other nodes in place of all. They are this tree's from now on. */
  replaceAll(nodes: Map<string, MirroredNode>): void {
    this.#nodes = nodes;
    this.#moment++;
    this.#significantChanges++;
    this.#forget();
  }

  /**
   * Paths of the nodes that have changed since the tree was at `moment`, perhaps some of them twice; `undefined` if
   * that is not known any more, so that everything may have changed.
   */
  changesSince(moment: number): readonly string[] | undefined {
    const known = moment - this.#journalStart;
    return known < 0 ? undefined : this.#journal.slice(known);
  }

  #forget(): void {
    this.#journal = [];
    this.#journalStart = this.#moment;
  }
}
