import { randomUUID } from 'node:crypto';
import { childPath, parentPath } from '../node-paths.js';
import { type Lifetime, type Lineage, type Operation } from '../registry-center.js';
import { SubtreeIndex } from '../subtree-index.js';
import { type NodeChange, NodeTree, type StoredNode } from './node-tree.js';

/** A commit as the watches of a subtree get it. */
export interface WatchedCommit {
  readonly revision: number;
  /** Id of the session that committed. */
  readonly session: string;
  /** Its changes at the watched path and below. */
  readonly changes: readonly NodeChange[];
}

type Watch = (commit: WatchedCommit) => void;

/**
 * The tree of one namespace at the server, and the watches of its subtrees. Everything here is synchronous: when a
 * method returns, its work is done and all watches have been called.
 */
export class EmbeddedNamespace {
  readonly #tree = new NodeTree();
  readonly #watches = new SubtreeIndex<Watch>();
  readonly #nextRevision: () => number;
  #lineage: Lineage = { id: randomUUID(), changes: 0 };

  constructor(nextRevision: () => number) {
    this.#nextRevision = nextRevision;
  }

  get lineage(): Lineage {
    return this.#lineage;
  }

  get(path: string): StoredNode | undefined {
    return this.#tree.get(path);
  }

  children(path: string): readonly string[] {
    return this.#tree.children(path);
  }

  /** The node and all below it as of now. */
  subtree(path: string): Map<string, StoredNode> {
    return this.#tree.subtree(path);
  }

  /** Creates the node and its missing parents; returns false if it was there. */
  create(session: string, path: string, value: string, lifetime: Lifetime = 'persistent'): boolean {
    if (this.#tree.get(path)) return false;
    this.commit(session, [...this.#missingParents(path), { type: 'create', path, value, lifetime }]);
    return true;
  }

  /** Writes the value, creating the node and its missing parents where they are not there. */
  put(session: string, path: string, value: string): void {
    if (!this.create(session, path, value)) this.commit(session, [{ type: 'set', path, value }]);
  }

  /** Removes the node and all below it at one revision; returns false if it was not there. */
  remove(session: string, path: string): boolean {
    // Deepest first: a node with children cannot be removed.
    const paths = [...this.#tree.subtree(path).keys()].reverse();
    if (paths.length > 0) this.#removeAll(session, paths);
    return paths.length > 0;
  }

  /** Carries out all operations at one revision, or none; returns the revision. */
  commit(session: string, operations: readonly Operation[]): number {
    const revision = this.#nextRevision();
    const changes = this.#tree.commit(operations, { session, revision });
    const { id, changes: before } = this.#lineage;
    this.#lineage = { id, changes: before + changes.filter(isJobNewOrGone).length };
    for (const [watch, seen] of this.#affected(changes)) watch({ revision, session, changes: seen });
    return revision;
  }

  /** Loses all nodes at one revision, as a server does whose data are gone: later writes make another tree. */
  lose(session: string): void {
    // Deepest first: a node with children cannot be removed.
    this.#removeAll(session, [...this.#tree.subtree('/').keys()].filter((path) => path !== '/').reverse());
    this.#lineage = { id: randomUUID(), changes: 0 };
  }

  /** Removes all nodes that live with the session, at one revision. */
  removeSessionNodes(session: string): void {
    const paths = this.#tree.sessionNodes(session);
    if (paths.length > 0) this.#removeAll(session, paths);
  }

  /** Appends a session node to the queue below `path`: `{prefix}-latch-{ten digits}`, numbered in order of arrival. */
  enqueue(session: string, path: string, prefix: string): void {
    const digits = String(this.#tree.nextSequence(path)).padStart(10, '0');
    this.create(session, childPath(path, `${prefix}-latch-${digits}`), '', 'session');
  }

  /** Removes the node that `enqueue` appended under this prefix, if it is there. */
  withdraw(session: string, path: string, prefix: string): void {
    const names = this.children(path).filter((name) => name.startsWith(`${prefix}-latch-`));
    this.#removeAll(
      session,
      names.map((name) => childPath(path, name)),
    );
  }

  /** Calls `watch` within each commit that changes `path` or something below it. Returns a function that ends it. */
  watch(path: string, watch: Watch): () => void {
    this.#watches.add(path, watch);
    return () => this.#watches.remove(path, watch);
  }

  #removeAll(session: string, paths: readonly string[]): void {
    if (paths.length === 0) return;
    this.commit(
      session,
      paths.map((path) => ({ type: 'remove', path })),
    );
  }

  #missingParents(path: string): readonly Operation[] {
    const missing: Operation[] = [];
    for (let parent = parentPath(path); !this.#tree.get(parent); parent = parentPath(parent)) {
      missing.unshift({ type: 'create', path: parent, value: '' });
    }
    return missing;
  }

  /** The changes that concern each watch: those at its path and below. */
  #affected(changes: readonly NodeChange[]): ReadonlyMap<Watch, readonly NodeChange[]> {
    const affected = new Map<Watch, NodeChange[]>();
    for (const change of changes) {
      for (const watch of this.#watches.covering([change.path])) {
        const seen = affected.get(watch);
        if (seen) seen.push(change);
        else affected.set(watch, [change]);
      }
    }
    return affected;
  }
}

function isJobNewOrGone({ path, before, after }: NodeChange): boolean {
  return parentPath(path) === '/' && (before === undefined) !== (after === undefined);
}
