import { type MirroredNode } from './registry-center.js';

/**
 * The longest journal, in changes for each node of the tree: to read the whole tree takes less time than to follow
 * more.
 */
const CHANGES_PER_NODE = 1;

/** However small the tree is, that many changes are remembered. */
const LEAST_CHANGES = 16;

/**
 * The nodes that a mirror shows, with a journal of what has changed, so that a reader pays only for what is new. The
 * map is the same as long as changes come one by one.
 */
export class MirroredTree {
  #nodes = new Map<string, MirroredNode>();
  readonly #isRoutine: (path: string) => boolean;
  #moment = 0;
  #stirs = 0;
  /** The paths that changed, the latest last. */
  #journal: string[] = [];
  /** The moment before the first change of the journal. */
  #journalStart = 0;

  /** @param isRoutine whether a change of the node at this path is no stir */
  constructor(isRoutine: (path: string) => boolean = () => false) {
    this.#isRoutine = isRoutine;
  }

  /** All nodes by path. It goes on with the tree: whoever needs a moment for longer copies it. */
  get nodes(): ReadonlyMap<string, MirroredNode> {
    return this.#nodes;
  }

  /** Grows with each change of a node. */
  get moment(): number {
    return this.#moment;
  }

  /** Grows with each change that is not routine, and whenever all nodes are replaced. */
  get stirs(): number {
    return this.#stirs;
  }

  /** Shows a node as it is now; `undefined`: it is gone. @returns whether that is new */
  set(path: string, node: MirroredNode | undefined): boolean {
    if (this.#nodes.get(path) === node) return false;
    if (node === undefined) this.#nodes.delete(path);
    else this.#nodes.set(path, node);
    if (this.#journal.length >= Math.max(LEAST_CHANGES, CHANGES_PER_NODE * this.#nodes.size)) this.#forget();
    this.#journal.push(path);
    this.#moment++;
    if (!this.#isRoutine(path)) this.#stirs++;
    return true;
  }

  /** Shows other nodes in place of all. They are this tree's from now on. */
  replaceAll(nodes: Map<string, MirroredNode>): void {
    this.#nodes = nodes;
    this.#moment++;
    this.#stirs++;
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
