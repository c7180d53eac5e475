import { RegistryConflictError, RegistryRefusedError } from '../../api/errors/errors.js';
import { nodeName, parentPath } from '../node-paths.js';
import { type Lifetime, type MirroredNode, type Operation } from '../registry-center.js';

/** A node of the tree; its value is always known. */
export interface StoredNode extends MirroredNode {
  readonly value: string;
}

/**
 * Change of one path by a commit. With both a `before` and an `after`, the node was written, or removed and created
 * again.
 */
export interface NodeChange {
  readonly path: string;
  readonly before: StoredNode | undefined;
  readonly after: StoredNode | undefined;
}

/** Facts that all changes of a commit share. */
export interface CommitStamp {
  readonly revision: number;
  /** Id of the session that commits; session nodes live with it. */
  readonly session: string;
}

const ROOT: StoredNode = { value: '', version: 0, revision: 0, session: undefined };

/** A tree of nodes in memory that is changed by whole commits only. Its root `/` is always there. */
export class NodeTree {
  readonly #nodes = new Map<string, StoredNode>([['/', ROOT]]);
  /**
   * Paths of the children, not their names: a path put together at each reading would have to be hashed each time as
   * well.
   */
  readonly #children = new Map<string, Set<string>>();
  readonly #ofSession = new Map<string, Set<string>>();
  readonly #sequences = new Map<string, number>();

  get(path: string): StoredNode | undefined {
    return this.#nodes.get(path);
  }

  /** Names of the node's children. */
  children(path: string): readonly string[] {
    return Array.from(this.#children.get(path) ?? [], nodeName);
  }

  /** The node and all below it, parents before children; nothing if it is not there. */
  subtree(path: string): Map<string, StoredNode> {
    const found = new Map<string, StoredNode>();
    this.#collect(path, found);
    return found;
  }

  #collect(path: string, found: Map<string, StoredNode>): void {
    const node = this.#nodes.get(path);
    if (!node) return;
    found.set(path, node);
    for (const child of this.#children.get(path) ?? []) this.#collect(child, found);
  }

  /** Paths of all nodes that live with the session. */
  sessionNodes(session: string): readonly string[] {
    return [...(this.#ofSession.get(session) ?? [])];
  }

  /** A new number for a child of `path`: 0, 1, …; begins at 0 again if the node is removed and created again. */
  nextSequence(path: string): number {
    const next = this.#sequences.get(path) ?? 0;
    this.#sequences.set(path, next + 1);
    return next;
  }

  /**
   * Carries out all operations, or none.
   * @throws RegistryConflictError if one does not fit the tree
   * @throws RegistryRefusedError if one is not possible at all: a child of a session node, the removal of the root
   */
  commit(operations: readonly Operation[], stamp: CommitStamp): readonly NodeChange[] {
    const before = new Map<string, StoredNode | undefined>();
    const write = (path: string, node: StoredNode | undefined): void => {
      if (!before.has(path)) before.set(path, this.#nodes.get(path));
      this.#store(path, node);
    };
    try {
      for (const operation of operations) this.#carryOut(operation, stamp, write);
    } catch (error) {
      for (const [path, node] of before) this.#store(path, node);
      throw error;
    }
    return [...before]
      .map(([path, node]) => ({ path, before: node, after: this.#nodes.get(path) }))
      .filter((change) => change.before !== change.after);
  }

  #carryOut(
    operation: Operation,
    { revision, session }: CommitStamp,
    write: (path: string, node: StoredNode | undefined) => void,
  ): void {
    const { type, path } = operation;
    switch (type) {
      case 'check':
        this.#present(path, operation.version);
        return;
      case 'create':
        this.#requireRoomFor(path);
        write(path, { value: operation.value, version: 0, revision, session: owner(operation.lifetime, session) });
        return;
      case 'set': {
        const node = this.#present(path, operation.version);
        write(path, { ...node, value: operation.value, version: node.version + 1, revision });
        return;
      }
      case 'remove':
        this.#present(path, operation.version);
        if (path === '/') throw new RegistryRefusedError('remove', path, 'it is the root of the namespace');
        if (this.#children.has(path)) throw new RegistryConflictError(path, 'changed');
        write(path, undefined);
        return;
      case 'replace':
        this.#present(path, operation.version);
        if (path === '/') throw new RegistryRefusedError('replace', path, 'it is the root of the namespace');
        if (this.#children.has(path)) throw new RegistryConflictError(path, 'changed');
        write(path, { value: operation.value, version: 0, revision, session: owner(operation.lifetime, session) });
        return;
      default:
        operation satisfies never;
    }
  }

  #present(path: string, version: number | undefined): StoredNode {
    const node = this.#nodes.get(path);
    if (!node) throw new RegistryConflictError(path, 'absent');
    if (version !== undefined && version !== node.version) throw new RegistryConflictError(path, 'changed');
    return node;
  }

  #requireRoomFor(path: string): void {
    if (this.#nodes.has(path)) throw new RegistryConflictError(path, 'exists');
    const parent = this.#nodes.get(parentPath(path));
    if (!parent) throw new RegistryConflictError(path, 'absent');
    if (parent.session === undefined) return;
    throw new RegistryRefusedError('create', path, `${parentPath(path)} lives with a session and cannot have children`);
  }

  #store(path: string, node: StoredNode | undefined): void {
    const formerSession = this.#nodes.get(path)?.session;
    if (formerSession !== undefined) take(this.#ofSession, formerSession, path);
    if (node) {
      this.#nodes.set(path, node);
      put(this.#children, parentPath(path), path);
      if (node.session !== undefined) put(this.#ofSession, node.session, path);
    } else {
      this.#nodes.delete(path);
      this.#sequences.delete(path);
      take(this.#children, parentPath(path), path);
    }
  }
}

function owner(lifetime: Lifetime | undefined, session: string): string | undefined {
  return lifetime === 'session' ? session : undefined;
}

function put(sets: Map<string, Set<string>>, key: string, member: string): void {
  const set = sets.get(key);
  if (set) set.add(member);
  else sets.set(key, new Set([member]));
}

function take(sets: Map<string, Set<string>>, key: string, member: string): void {
  const set = sets.get(key);
  set?.delete(member);
  if (set?.size === 0) sets.delete(key);
}
