/**
 * A commit as one transaction of etcd: comparisons that all must hold, and what is written then. Pure.
 *
 * etcd carries out a transaction on the state before it, and takes each key once. So what an operation needs of an
 * *earlier* operation of the same commit is settled here (a parent that was created first), and what it needs of the
 * tree becomes comparisons:
 *
 * ```
 *   check, set, remove, replace   the node exists, at the version if one is given
 *   remove, replace               nothing is below it, besides what was removed first
 *   create                        the node does not exist; its parent does, and lives with no session
 * ```
 * "Besides what was removed first" is told by gaps: of the keys below `/a`, sorted, there is none before `/a/1`, none
 * between `/a/1` and `/a/2`, none after. A comparison of a range holds if there is no key in it. The gaps of `/a` cover
 * those of `/a/1`, so that each removed node costs two comparisons, however deep.
 */
import { parentPath } from '../../node-paths.js';
import { type Operation } from '../../registry-center.js';
import { isWithin } from '../../node-paths.js';
import { type Compare, CompareResult, CompareTarget, type RequestOp } from '../client/messages.js';
import { type EtcdKeys } from '../etcd-keys.js';
import { leaseOf } from '../node-values.js';

/** A transaction, without what `SessionWrites` adds. */
export interface PlannedTxn {
  readonly compare: readonly Compare[];
  readonly success: readonly RequestOp[];
}

const { equal, greater } = CompareResult;

/** The comparison that holds if a key exists, at a version of the port if one is given. */
export function existsAt(key: string, version?: number): Compare {
  return version === undefined
    ? { key, target: CompareTarget.createRevision, result: greater, createRevision: 0 }
    : { key, target: CompareTarget.version, result: equal, version: version + 1 };
}

/** The comparison that holds if there is no such key, or none in a range. */
export function isMissing(key: string, rangeEnd?: string): Compare {
  const target = { target: CompareTarget.version, result: equal, version: 0 } as const;
  return rangeEnd === undefined ? { key, ...target } : { key, rangeEnd, ...target };
}

/**
 * The transaction of a commit by a session; `undefined` if the operations contradict one another, so that the commit
 * cannot fit.
 */
export function planCommit(keys: EtcdKeys, session: string, operations: readonly Operation[]): PlannedTxn | undefined {
  const plan = new CommitPlan(keys, session);
  for (const operation of operations) if (!plan.add(operation)) return undefined;
  return plan.finish();
}

class CommitPlan {
  readonly #keys: EtcdKeys;
  readonly #lease: string;
  readonly #compare = new Map<string, Compare>();
  readonly #success: RequestOp[] = [];
  /** The nodes that the commit has created or replaced, and those that it has removed. */
  readonly #made = new Map<string, Operation>();
  readonly #removed = new Set<string>();
  /** Nodes below which nothing may be left, in the order of the operations. */
  #emptied: string[] = [];

  constructor(keys: EtcdKeys, session: string) {
    this.#keys = keys;
    this.#lease = leaseOf(session);
  }

  /** @returns whether it can fit, after the operations before */
  add(operation: Operation): boolean {
    const { type, path } = operation;
    const key = this.#keys.node(path);
    switch (type) {
      case 'check':
        this.#require(existsAt(key, operation.version));
        return true;
      case 'create':
        return this.#create(operation);
      case 'set':
        this.#require(existsAt(key, operation.version));
        this.#success.push({ requestPut: { key, value: Buffer.from(operation.value), ignoreLease: true } });
        return true;
      case 'replace':
        if (!this.#empty(path, operation.version)) return false;
        this.#put(operation);
        return true;
      case 'remove':
        if (!this.#empty(path, operation.version)) return false;
        this.#removed.add(path);
        this.#success.push({ requestDeleteRange: { key } });
        if (parentPath(path) === '/') this.#success.push({ requestDeleteRange: { key: this.#keys.indexed(path) } });
        return true;
      default:
        return operation satisfies never;
    }
  }

  finish(): PlannedTxn {
    for (const path of this.#emptied) for (const gap of this.#gapsBelow(path)) this.#require(gap);
    return { compare: [...this.#compare.values()], success: this.#success };
  }

  #create(operation: Extract<Operation, { type: 'create' }>): boolean {
    const parent = parentPath(operation.path);
    if (this.#removed.has(parent)) return false;
    const made = this.#made.get(parent);
    if (made === undefined) {
      const key = this.#keys.node(parent);
      this.#require(existsAt(key));
      if (parent !== '/') this.#require({ key, target: CompareTarget.lease, result: equal, lease: 0 });
    } else if (lifetimeOf(made) === 'session') return false;
    this.#require(isMissing(this.#keys.node(operation.path)));
    this.#put(operation);
    return true;
  }

  #put(operation: Extract<Operation, { type: 'create' | 'replace' }>): void {
    const { path, value } = operation;
    this.#made.set(path, operation);
    const lease = lifetimeOf(operation) === 'session' ? this.#lease : '0';
    this.#success.push({ requestPut: { key: this.#keys.node(path), value: Buffer.from(value), lease } });
    if (parentPath(path) === '/')
      this.#success.push({ requestPut: { key: this.#keys.indexed(path), value: Buffer.alloc(0), lease } });
  }

  #empty(path: string, version: number | undefined): boolean {
    for (const made of this.#made.keys()) if (isWithin(made, path)) return false;
    this.#require(existsAt(this.#keys.node(path), version));
    // Those below are removed by now, and the gaps of this one cover theirs. One that was replaced is still there.
    const below = this.#emptied.filter((each) => isWithin(each, path));
    if (below.some((each) => !this.#removed.has(each))) return false;
    this.#emptied = [...this.#emptied.filter((each) => !isWithin(each, path)), path];
    return true;
  }

  #gapsBelow(path: string): readonly Compare[] {
    const { key, rangeEnd } = this.#keys.below(path);
    const removed = [...this.#removed]
      .filter((each) => each !== path && isWithin(each, path))
      .map((each) => this.#keys.node(each));
    // As etcd does, by bytes.
    const sorted = removed.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    const starts = [key, ...sorted.map((each) => `${each}\0`)];
    return starts.map((start, index) => isMissing(start, sorted[index] ?? rangeEnd));
  }

  /** The first requirement of a kind stands: the same one is not made twice. */
  #require(compare: Compare): void {
    this.#compare.set(`${compare.target} ${compare.result} ${compare.version ?? ''} ${compare.key}`, compare);
  }
}

function lifetimeOf(operation: Operation): 'persistent' | 'session' {
  return ('lifetime' in operation ? operation.lifetime : undefined) ?? 'persistent';
}
