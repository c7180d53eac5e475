import { type RegistryOutcomeUnknownError } from '../../../api/errors/errors.js';
import { isOutcomeUnknown } from '../../../api/errors/registry-errors.js';
import { type Lifetime } from '../../registry-center.js';
import { ancestors } from '../../node-paths.js';
import { type Namespace } from '../namespace.js';
import { reread } from './node-reads.js';
import { type OwnWrites } from './own-writes.js';
import { toRevision } from '../mirror/subtree-copy.js';
import { type CreateMode } from '../transport.js';
import { type Call } from '../zookeeper-call.js';
import { isAnswer } from '../zookeeper-failures.js';
import { type Connected } from '../zookeeper-session.js';

interface NewNode {
  readonly path: string;
  readonly value: string;
  readonly mode: CreateMode;
}

/** A creation whose answer was lost. */
interface LostCreation {
  readonly unknown: RegistryOutcomeUnknownError;
  /** The newest transaction that was known when it was sent; its own number is greater. */
  readonly before: bigint;
}

/**
 * Creates nodes. If the answer is lost, a session node is recognised as ours by its session. A persistent node does not
 * show its creator, so that the outcome stays unknown if the node exists.
 */
export class NodeCreation {
  readonly #namespace: Namespace;
  readonly #writes: OwnWrites;

  constructor(namespace: Namespace, writes: OwnWrites) {
    this.#namespace = namespace;
    this.#writes = writes;
  }

  /**
   * Creates a node and its missing parents. `false`: the node was there. If a peer creates a parent first, the creation
   * is tried again without a pause, as often as the node has parents.
   */
  async create(call: Call, value: string, lifetime: Lifetime): Promise<boolean> {
    const { path } = call;
    const mode = lifetime === 'session' ? 'ephemeral' : 'persistent';
    let missing: readonly string[] = [];
    let misses = 0;
    let lost: LostCreation | undefined;
    for (;;) {
      const before = this.#writes.newestZxid;
      try {
        await call.write((connected) => this.#createTogether(connected, { missing, path, value, mode }));
        return true;
      } catch (error) {
        const isThere = isAnswer(error, 'NODE_EXISTS') && (error.failedIndex ?? 0) === missing.length;
        if (isOutcomeUnknown(error)) lost ??= { unknown: error, before };
        if (lost && (isThere || isOutcomeUnknown(error))) {
          // The node may be there because the lost creation was carried out since the last reading.
          const verdict = await this.#wasCreated(call, lifetime, lost);
          if (verdict !== 'not-done') return verdict === 'done';
        } else if (isThere) return false;
        else if (isAnswer(error, 'NO_NODE', 'NODE_EXISTS')) {
          // A peer may create the missing parents one by one, hence one lost race each is tried again at once. After
          // that, the parents come and go.
          if (misses++ > ancestors(path).length) await call.pause(error);
          missing = await this.#missingParents(call);
        } else throw error;
      }
    }
  }

  /** Creates the containers above `path`. */
  async createContainers(call: Call, path: string): Promise<void> {
    // As a rule the topmost is there, and all below it are missing: one request.
    const parents = ancestors(path).slice(1);
    const last = parents.at(-1);
    if (last !== undefined) {
      const creation = { missing: parents.slice(0, -1), path: last, value: '', mode: 'container' } as const;
      try {
        await call.read((connected) => this.#createTogether(connected, creation));
        return;
      } catch (error) {
        if (!isAnswer(error, 'NO_NODE', 'NODE_EXISTS')) throw error;
      }
    }
    await this.createParents(call, path, 'container');
  }

  /** Creates the nodes above `path`. If the namespace node is missing, creates it and those above it as containers. */
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
      ({ zxid }) => {
        this.#writes.saw(zxid);
        return new Map([[path, { value, version: 0, revision: toRevision(zxid), session }]]);
      },
    );
  }

  /** Creates a node and its missing parents in one transaction, so that the parents are never seen alone. */
  #createTogether(
    connected: Connected,
    { missing, path, value, mode }: NewNode & { readonly missing: readonly string[] },
  ): Promise<unknown> {
    if (missing.length === 0) return this.#createOnce(connected, { path, value, mode });
    const session = mode === 'ephemeral' ? connected.sessionId : undefined;
    const parentMode = mode === 'container' ? mode : ('persistent' as const);
    const creations = [
      ...missing.map((parent) => ({ path: parent, value: '', mode: parentMode, session: undefined })),
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

  /** The missing parents, from the top. Creates the namespace node if that is missing. */
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
    lifetime: Lifetime,
    { unknown, before }: LostCreation,
  ): Promise<'done' | 'not-done' | 'exists'> {
    const present = await reread(call, this.#namespace, unknown);
    if (!present) return 'not-done';
    const { czxid, ephemeralOwner } = present.stat;
    if (czxid <= before) return 'exists';
    if (lifetime === 'session') return ephemeralOwner === call.sessionId ? 'done' : 'exists';
    if (ephemeralOwner !== undefined) return 'exists';
    throw unknown;
  }
}

/**
 * Waits for creations from the top down. A node that exists already counts as created. The last creation decides: above
 * a node that exists, our credentials may not allow us to create anything.
 * @throws the first refusal, if the last creation failed for another reason than a missing parent
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
