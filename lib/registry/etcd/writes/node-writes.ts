/**
 * Writes of single nodes and whole commits.
 *
 * A write whose comparisons did not hold has met another state than it expected. Then the nodes that it is about are
 * read, at one revision, and the first operation that does not fit becomes the error. If all fit by now, the write is
 * made again.
 */
import { RegistryConflictError, RegistryUnavailableError } from '../../../api/errors/errors.js';
import { pathsInWords, pathsUpwards, parentPath } from '../../node-paths.js';
import { type Lifetime, type Operation } from '../../registry-center.js';
import { childOfSessionNode, type KnownNode, misfitOf } from './commit-misfit.js';
import { existsAt, planCommit } from './commit-plan.js';
import { type RangeRequest } from '../client/messages.js';
import { type CallSubject } from '../etcd-failures.js';
import { type EtcdKeys } from '../etcd-keys.js';
import { type CallContext, type EtcdReads, requireConnected } from '../etcd-reads.js';
import { nodeOf } from '../node-values.js';
import { type SessionWrites, type WriteTxn } from './session-writes.js';

/** The session and the keys by which nodes are written. */
export interface NodeWritesContext extends CallContext {
  readonly keys: EtcdKeys;
  readonly reads: EtcdReads;
  readonly writes: SessionWrites;
}

/** The outcome of a write that did not fit, or whose operations contradict one another. */
const IN_VAIN = 'in vain';

/** See the top of the file. */
export class NodeWrites {
  readonly #context: NodeWritesContext;

  constructor(context: NodeWritesContext) {
    this.#context = context;
  }

  /** As `RegistryCenter.commit`, of operations within the limits. */
  async commit(operations: readonly Operation[]): Promise<number> {
    const subject = {
      operation: 'commit to',
      get path() {
        return pathsInWords(operations.map(({ path }) => path));
      },
    };
    return this.#again(subject, async () => {
      const revision = await this.#attempt(subject, operations);
      if (revision !== IN_VAIN) return revision;
      const misfit = misfitOf(operations, await this.#nodesAbout(subject, operations));
      if (misfit) throw misfit;
      return undefined;
    });
  }

  /** As `RegistryCenter.create`. */
  async create(path: string, value: string, lifetime: Lifetime): Promise<boolean> {
    const subject = { operation: 'create', path };
    return this.#again(subject, async () => {
      const creation = { type: 'create', path, value, lifetime } as const;
      if ((await this.#attempt(subject, [creation])) !== IN_VAIN) return true;
      // The node is there, or parents of it are missing.
      const upwards = [...pathsUpwards(path)];
      const keys = upwards.map((each) => ({ key: this.#context.keys.node(each) }));
      const found = await this.#context.reads.ranges(subject, keys);
      if (found[0]?.length) return false;
      const missing = upwards.slice(1).filter((_, index) => found[index + 1]?.length === 0);
      const parents = missing.reverse().map((each) => ({ type: 'create', path: each, value: '' }) as const);
      const [parent] = found[1] ?? [];
      if (parent && nodeOf(parent).session !== undefined) throw childOfSessionNode(path);
      const isOfSession = found.some(([kv]) => kv !== undefined && nodeOf(kv).session !== undefined);
      if (isOfSession) throw childOfSessionNode(parents[0]?.path ?? path);
      return (await this.#attempt(subject, [...parents, creation])) === IN_VAIN ? undefined : true;
    });
  }

  /** As `RegistryCenter.put`. */
  async put(path: string, value: string): Promise<void> {
    const subject = { operation: 'write', path };
    await this.#again(subject, async () => {
      const isSet = (await this.#attempt(subject, [{ type: 'set', path, value }])) !== IN_VAIN;
      return isSet || (await this.create(path, value, 'persistent')) ? true : undefined;
    });
  }

  /** As `RegistryCenter.remove`. */
  async remove(path: string): Promise<boolean> {
    const { keys, writes } = this.#context;
    const key = keys.node(path);
    const index = parentPath(path) === '/' ? [{ requestDeleteRange: { key: keys.indexed(path) } }] : [];
    const txn: WriteTxn = {
      compare: [existsAt(key)],
      success: [{ requestDeleteRange: { key } }, { requestDeleteRange: keys.below(path) }, ...index],
    };
    return (await writes.write({ operation: 'remove', path }, txn)).happened;
  }

  /** Makes a write once. @returns its revision, if it fits */
  async #attempt(subject: CallSubject, operations: readonly Operation[]): Promise<number | typeof IN_VAIN> {
    const { session, keys, writes } = this.#context;
    const txn = planCommit(keys, requireConnected(session, subject).id, operations);
    const outcome = txn && (await writes.write(subject, txn));
    return outcome?.happened === true ? outcome.revision : IN_VAIN;
  }

  /** All nodes that decide whether the operations fit, as they were at one moment. */
  async #nodesAbout(subject: CallSubject, operations: readonly Operation[]): Promise<ReadonlyMap<string, KnownNode>> {
    const { keys, reads } = this.#context;
    const ranges = new Map<string, RangeRequest>();
    const add = (range: RangeRequest): void => void ranges.set(`${range.key} ${range.rangeEnd ?? ''}`, range);
    for (const { type, path } of operations) {
      add({ key: keys.node(path), keysOnly: true });
      if (type === 'create') add({ key: keys.node(parentPath(path)), keysOnly: true });
      else if (type === 'remove' || type === 'replace')
        add({ ...keys.below(path), keysOnly: true, limit: operations.length + 1 });
    }
    const nodes = new Map<string, KnownNode>();
    for (const found of await reads.ranges(subject, [...ranges.values()])) {
      for (const kv of found) {
        const path = keys.pathOf(kv.key);
        const { version, session } = nodeOf(kv);
        if (path !== undefined) nodes.set(path, { version, isOfSession: session !== undefined });
      }
    }
    return nodes;
  }

  /** Makes attempts until one has a result, or the time of one request has passed. */
  async #again<T>(subject: CallSubject, attempt: () => Promise<T | undefined>): Promise<T> {
    const { clock, settings } = this.#context;
    const endsAt = clock.monotonic() + settings.requestTimeoutMs;
    for (;;) {
      const result = await attempt();
      if (result !== undefined) return result;
      if (clock.monotonic() < endsAt) continue;
      const reason = new RegistryConflictError(subject.path, 'changed');
      throw new RegistryUnavailableError(subject.operation, subject.path, reason, 'others changed it at the same time');
    }
  }
}
