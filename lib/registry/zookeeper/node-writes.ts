import { RegistryOutcomeUnknownError } from '../../api/errors.js';
import { type Lifetime, type MirroredNode } from '../registry-center.js';
import { ancestors, childPath, type Namespace } from './node-paths.js';
import { type OwnWrites } from './own-writes.js';
import { toRevision } from './subtree-copy.js';
import { type CreateMode, type Stat, type ZooKeeperTransport } from './transport.js';
import { type Call } from './zookeeper-call.js';
import { isAnswer } from './zookeeper-failures.js';
import { type Connected } from './zookeeper-session.js';

interface NewNode {
  readonly path: string;
  readonly value: string;
  readonly mode: CreateMode;
}

/** Most nodes removed by one transaction. */
const NODES_PER_REMOVAL = 1000;

/**
 * Writes of single nodes. When the answer to a write gets lost, the node is read again, and the write counts as done only
 * if that is proven; it is repeated only if it is proven that it was not done. Else the outcome stays unknown.
 */
export class NodeWrites {
  readonly #namespace: Namespace;
  readonly #writes: OwnWrites;

  constructor(namespace: Namespace, writes: OwnWrites) {
    this.#namespace = namespace;
    this.#writes = writes;
  }

  /** Creates a node and its missing parents. `false`: it was there. */
  async create(call: Call, value: string, lifetime: Lifetime): Promise<boolean> {
    const { path } = call;
    const mode = lifetime === 'session' ? 'ephemeral' : 'persistent';
    let missing: readonly string[] = [];
    let misses = 0;
    for (;;) {
      const before = this.#writes.newestZxid;
      try {
        await call.write((connected) => this.#createTogether(connected, { missing, path, value, mode }));
        return true;
      } catch (error) {
        const isThere = isAnswer(error, 'NODE_EXISTS') && (error.failedIndex ?? 0) === missing.length;
        if (isThere) return false;
        if (isAnswer(error, 'NO_NODE', 'NODE_EXISTS')) {
          if (misses++ > 0) await call.pause(error);
          missing = await this.#missingParents(call);
        } else if (!(error instanceof RegistryOutcomeUnknownError)) throw error;
        else {
          const verdict = await this.#wasCreated(call, error, { before, lifetime });
          if (verdict !== 'not-done') return verdict === 'done';
        }
      }
    }
  }

  /** Writes a value; creates the node if it is not there. */
  async put(call: Call, value: string): Promise<void> {
    for (;;) {
      try {
        await this.set(call, value);
        return;
      } catch (error) {
        if (!isAnswer(error, 'NO_NODE')) throw error;
      }
      if (await this.create(call, value, 'persistent')) return;
      await call.pause(new Error('the node comes and goes'));
    }
  }

  /** Writes a value. If the answer gets lost it is written again, as only the last value counts. @throws ZooKeeperError NO_NODE */
  async set(call: Call, value: string): Promise<Stat> {
    const data = Buffer.from(value);
    for (;;) {
      try {
        return await call.write(({ transport }) =>
          this.#writes.track(
            { events: new Map([[call.path, 1]]) },
            () => transport.setData(this.#namespace.at(call.path), data),
            (stat) => this.#noted(stat.mzxid, call.path, mirrored(value, stat)),
          ),
        );
      } catch (error) {
        if (!(error instanceof RegistryOutcomeUnknownError)) throw error;
        const present = await this.#reread(call, error);
        if (present?.data.equals(data)) return present.stat;
        await call.pause(error);
      }
    }
  }

  /** Removes a node and all below it. `false`: there was none. */
  async remove(call: Call): Promise<boolean> {
    for (;;) {
      const before = this.#writes.newestZxid;
      try {
        await call.write(({ transport }) => this.#removeAtOnce(transport, [call.path]));
        return true;
      } catch (error) {
        if (isAnswer(error, 'NO_NODE')) return false;
        if (isAnswer(error, 'NOT_EMPTY')) {
          const removed = await this.#removeSubtree(call);
          if (removed !== 'changed') return removed === 'removed';
          await call.pause(error);
        } else if (!(error instanceof RegistryOutcomeUnknownError)) throw error;
        else await this.#requireUntouched(call, error, before);
      }
    }
  }

  /** Creates the nodes above `path`; if the namespace is missing, its node and those above it as containers. */
  async createParents(call: Call, path: string, mode: CreateMode = 'persistent'): Promise<void> {
    const parents = ancestors(path);
    const create = (connected: Connected): readonly Promise<unknown>[] =>
      parents.map((parent) => this.#createOnce(connected, { path: parent, value: '', mode }));
    await call.read(async (connected) => {
      const created = await allCreated(create(connected));
      if (parents.length > 0 && created !== 'parent-missing') return;
      const { transport } = connected;
      const { containers } = this.#namespace;
      const rooted = containers.map((serverPath) => transport.create(serverPath, Buffer.alloc(0), 'container'));
      await allCreated([...rooted, ...create(connected)]);
    });
  }

  #createOnce({ transport, sessionId }: Connected, { path, value, mode }: NewNode): Promise<unknown> {
    const session = mode === 'ephemeral' ? sessionId : undefined;
    return this.#writes.track(
      { events: new Map([[path, 1]]) },
      () => transport.create(this.#namespace.at(path), Buffer.from(value), mode),
      ({ zxid }) => this.#noted(zxid, path, { value, version: 0, revision: toRevision(zxid), session }),
    );
  }

  /** Creates a node and the parents found missing in one transaction, so that nobody sees the parents alone. */
  #createTogether(
    connected: Connected,
    { missing, path, value, mode }: NewNode & { readonly missing: readonly string[] },
  ): Promise<unknown> {
    if (missing.length === 0) return this.#createOnce(connected, { path, value, mode });
    const session = mode === 'ephemeral' ? connected.sessionId : undefined;
    const creations = [
      ...missing.map((parent) => ({ path: parent, value: '', mode: 'persistent' as const, session: undefined })),
      { path, value, mode, session },
    ];
    return this.#writes.track(
      { events: new Map(creations.map((each) => [each.path, 1])) },
      () =>
        connected.transport.multi(
          creations.map((each) => ({
            type: 'create',
            path: this.#namespace.at(each.path),
            data: Buffer.from(each.value),
            mode: each.mode,
          })),
        ),
      ({ zxid }) => {
        this.#writes.saw(zxid);
        const revision = toRevision(zxid);
        return new Map(
          creations.map((each) => [each.path, { value: each.value, version: 0, revision, session: each.session }]),
        );
      },
    );
  }

  /** The parents that are not there, from the top; the namespace is created if it is missing. */
  async #missingParents(call: Call): Promise<readonly string[]> {
    const parents = ancestors(call.path);
    const { root } = this.#namespace;
    const stats = await call.read(({ transport }) =>
      Promise.all([root, ...parents.map((parent) => this.#namespace.at(parent))].map((each) => transport.exists(each))),
    );
    if (!stats[0]) await this.createParents(call, '/');
    return parents.filter((_, index) => !stats[index + 1]);
  }

  async #wasCreated(
    call: Call,
    unknown: RegistryOutcomeUnknownError,
    { before, lifetime }: { readonly before: bigint; readonly lifetime: Lifetime },
  ): Promise<'done' | 'not-done' | 'exists'> {
    const present = await this.#reread(call, unknown);
    if (!present) return 'not-done';
    const { czxid, ephemeralOwner } = present.stat;
    if (czxid <= before) return 'exists';
    if (lifetime === 'session') return ephemeralOwner === call.sessionId ? 'done' : 'exists';
    if (ephemeralOwner !== undefined) return 'exists';
    throw unknown;
  }

  /** Who removes a node may act on it: so unless the node is still the one that was to be removed, nothing is claimed. */
  async #requireUntouched(call: Call, unknown: RegistryOutcomeUnknownError, before: bigint): Promise<void> {
    const present = await this.#reread(call, unknown);
    if (!present || present.stat.czxid > before) throw unknown;
  }

  /** The node as of now. If it cannot be read, the outcome of the write stays unknown. */
  async #reread(
    call: Call,
    unknown: RegistryOutcomeUnknownError,
  ): Promise<{ readonly data: Buffer; readonly stat: Stat } | undefined> {
    const path = this.#namespace.at(call.path);
    try {
      return await call.read(({ transport }) => readSynced(transport, path));
    } catch {
      throw unknown;
    }
  }

  async #removeSubtree(call: Call): Promise<'removed' | 'absent' | 'changed'> {
    const before = this.#writes.newestZxid;
    const topDown = await call.read(({ transport }) => this.#subtree(transport, call.path));
    if (topDown.length === 0) return 'absent';
    const bottomUp = [...topDown].reverse();
    try {
      for (let start = 0; start < bottomUp.length; start += NODES_PER_REMOVAL) {
        const part = bottomUp.slice(start, start + NODES_PER_REMOVAL);
        // In a loop on purpose: parents can be removed only after their children.
        await call.write(({ transport }) => this.#removeAtOnce(transport, part));
      }
      return 'removed';
    } catch (error) {
      if (isAnswer(error, 'NO_NODE', 'NOT_EMPTY')) return 'changed';
      if (!(error instanceof RegistryOutcomeUnknownError)) throw error;
      await this.#requireUntouched(call, error, before);
      return 'changed';
    }
  }

  #removeAtOnce(transport: ZooKeeperTransport, paths: readonly string[]): Promise<unknown> {
    const [only] = paths;
    return this.#writes.track<unknown>(
      { events: new Map(paths.map((path) => [path, 1])) },
      () =>
        paths.length === 1 && only !== undefined
          ? transport.delete(this.#namespace.at(only))
          : transport.multi(paths.map((path) => ({ type: 'delete', path: this.#namespace.at(path), version: -1 }))),
      () => new Map(paths.map((path) => [path, undefined])),
    );
  }

  /** All nodes from `path` down, parents before children. */
  async #subtree(transport: ZooKeeperTransport, path: string): Promise<readonly string[]> {
    const found: string[] = [];
    let level: readonly string[] = [path];
    while (level.length > 0) {
      // In a loop on purpose, level by level; within a level all requests are under way together.
      const children = await Promise.all(level.map((each) => this.#childrenOf(transport, each)));
      found.push(...level.filter((_, index) => children[index] !== undefined));
      level = children.flatMap((each) => each ?? []);
    }
    return found;
  }

  async #childrenOf(transport: ZooKeeperTransport, path: string): Promise<readonly string[] | undefined> {
    try {
      return (await transport.getChildren(this.#namespace.at(path))).map((name) => childPath(path, name));
    } catch (error) {
      if (isAnswer(error, 'NO_NODE')) return undefined;
      throw error;
    }
  }

  #noted(zxid: bigint, path: string, node: MirroredNode): ReadonlyMap<string, MirroredNode> {
    this.#writes.saw(zxid);
    return new Map([[path, node]]);
  }
}

/**
 * Waits for creations from the top down; nodes that are there already are as good. The last one decides: above a node that
 * exists, we may well not be allowed to create anything.
 * @throws the first refusal if the last one failed for another reason than a missing parent
 */
async function allCreated(creating: readonly Promise<unknown>[]): Promise<'created' | 'parent-missing'> {
  const results = await Promise.allSettled(creating);
  const refusals = results
    .map((result): unknown => (result.status === 'rejected' ? result.reason : undefined))
    .map((reason) => (isAnswer(reason, 'NODE_EXISTS') ? undefined : reason));
  if (refusals.at(-1) === undefined) return 'created';
  const first = refusals.find((reason) => reason !== undefined);
  if (isAnswer(first, 'NO_NODE')) return 'parent-missing';
  throw first;
}

/** The node after the connected server has caught up with the leader; `undefined`: there is none. */
export async function readSynced(
  transport: ZooKeeperTransport,
  serverPath: string,
): Promise<{ readonly data: Buffer; readonly stat: Stat } | undefined> {
  try {
    const [, node] = await Promise.all([transport.sync(serverPath), transport.getData(serverPath)]);
    return node;
  } catch (error) {
    if (isAnswer(error, 'NO_NODE')) return undefined;
    throw error;
  }
}

/** A node as this registry centre has written it. */
export function mirrored(value: string, stat: Stat): MirroredNode {
  return { value, version: stat.version, revision: toRevision(stat.mzxid), session: stat.ephemeralOwner };
}
