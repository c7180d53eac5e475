import { type RegistryOutcomeUnknownError } from '../../../api/errors/errors.js';
import { isOutcomeUnknown } from '../../../api/errors/registry-errors.js';
import { Limiter } from '../../../async/limiter.js';
import { REQUESTS_AT_ONCE } from '../../change-each.js';
import { childPath } from '../../node-paths.js';
import { type Namespace } from '../namespace.js';
import { reread } from './node-reads.js';
import { type OwnWrites } from './own-writes.js';
import { type ZooKeeperRequests } from '../transport.js';
import { type Call } from '../zookeeper-call.js';
import { isAnswer } from '../zookeeper-failures.js';

/** Most nodes removed by one transaction. */
const NODES_PER_REMOVAL = 1000;

/** Removes nodes and all below them: children first, many in one transaction, again if others change them meanwhile. */
export class NodeRemoval {
  readonly #namespace: Namespace;
  readonly #writes: OwnWrites;

  constructor(namespace: Namespace, writes: OwnWrites) {
    this.#namespace = namespace;
    this.#writes = writes;
  }

  /** Removes a node and all below it. `false`: there was no such node. */
  async remove(call: Call): Promise<boolean> {
    let lost: RegistryOutcomeUnknownError | undefined;
    for (;;) {
      const before = this.#writes.newestZxid;
      try {
        const result = await this.#tryToRemove(call);
        if (result === 'removed') return true;
        if (result === 'absent') break;
        await call.pause(new Error('nodes below it come and go'));
      } catch (error) {
        if (!isOutcomeUnknown(error)) throw error;
        lost ??= error;
        await this.#requireUntouched(call, error, before);
      }
    }
    // A removal whose answer was lost may have been carried out since the last reading.
    if (lost) throw lost;
    return false;
  }

  async #tryToRemove(call: Call): Promise<'removed' | 'absent' | 'changed'> {
    try {
      await call.write(({ transport }) => this.#removeAtOnce(transport, [call.path]));
      return 'removed';
    } catch (error) {
      if (isAnswer(error, 'NO_NODE')) return 'absent';
      if (isAnswer(error, 'NOT_EMPTY')) return this.#removeSubtree(call);
      throw error;
    }
  }

  /** The removal of a node may be a claim: unless the same node is still there, its remover is unknown. */
  async #requireUntouched(call: Call, unknown: RegistryOutcomeUnknownError, before: bigint): Promise<void> {
    const present = await reread(call, this.#namespace, unknown);
    if (!present || present.stat.czxid > before) throw unknown;
  }

  async #removeSubtree(call: Call): Promise<'removed' | 'absent' | 'changed'> {
    const topDown = await call.read(({ transport }) => this.#subtree(transport, call.path));
    if (topDown.length === 0) return 'absent';
    const bottomUp = [...topDown].reverse();
    try {
      for (let start = 0; start < bottomUp.length; start += NODES_PER_REMOVAL) {
        const part = bottomUp.slice(start, start + NODES_PER_REMOVAL);
        // Serial: parents can be removed only after their children.
        await call.write(({ transport }) => this.#removeAtOnce(transport, part));
      }
      return 'removed';
    } catch (error) {
      if (isAnswer(error, 'NO_NODE', 'NOT_EMPTY')) return 'changed';
      throw error;
    }
  }

  #removeAtOnce(transport: ZooKeeperRequests, paths: readonly string[]): Promise<unknown> {
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
  async #subtree(transport: ZooKeeperRequests, path: string): Promise<readonly string[]> {
    const limiter = new Limiter(REQUESTS_AT_ONCE);
    const found: string[] = [];
    let level: readonly string[] = [path];
    while (level.length > 0) {
      // Serial by level; the requests of one level are sent together, as many as a session may have under way.
      const requests = level.map((each) => limiter.run(() => this.#childrenOf(transport, each)));
      const children = await Promise.all(requests);
      for (const [index, each] of level.entries()) if (children[index] !== undefined) found.push(each);
      level = children.flatMap((each) => each ?? []);
    }
    return found;
  }

  async #childrenOf(transport: ZooKeeperRequests, path: string): Promise<readonly string[] | undefined> {
    try {
      return (await transport.getChildren(this.#namespace.at(path))).map((name) => childPath(path, name));
    } catch (error) {
      if (isAnswer(error, 'NO_NODE')) return undefined;
      throw error;
    }
  }
}
