import { isOutcomeUnknown } from '../../../api/errors/registry-errors.js';
import { type NodeCreation } from './node-creation.js';
import { type Namespace } from '../namespace.js';
import { mirrored, reread } from './node-reads.js';
import { type OwnWrites } from './own-writes.js';
import { type Stat } from '../transport.js';
import { type Call } from '../zookeeper-call.js';
import { isAnswer } from '../zookeeper-failures.js';

/**
 * Writes values of nodes. Only the last value counts: a value whose answer was lost is written again unless it is
 * there.
 */
export class NodeWrites {
  readonly #namespace: Namespace;
  readonly #writes: OwnWrites;
  readonly #creation: NodeCreation;

  constructor(namespace: Namespace, writes: OwnWrites, creation: NodeCreation) {
    this.#namespace = namespace;
    this.#writes = writes;
    this.#creation = creation;
  }

  /** Writes a value; creates the node if it is not there. */
  async put(call: Call, value: string): Promise<void> {
    for (let races = 0; ; races++) {
      try {
        await this.set(call, value);
        return;
      } catch (error) {
        if (!isAnswer(error, 'NO_NODE')) throw error;
      }
      if (races > 0) await call.pause(new Error('the node comes and goes'));
      if (await this.#creation.create(call, value, 'persistent')) return;
    }
  }

  /** Writes a value. @throws ZooKeeperError NO_NODE */
  async set(call: Call, value: string): Promise<Stat> {
    const data = Buffer.from(value);
    for (;;) {
      try {
        return await call.write(({ transport }) =>
          this.#writes.track(
            { events: new Map([[call.path, 1]]) },
            () => transport.setData(this.#namespace.at(call.path), data),
            (stat) => {
              this.#writes.saw(stat.mzxid);
              return new Map([[call.path, mirrored(value, stat)]]);
            },
          ),
        );
      } catch (error) {
        if (!isOutcomeUnknown(error)) throw error;
        const present = await reread(call, this.#namespace, error);
        if (present?.data.equals(data)) return present.stat;
        await call.pause(error);
      }
    }
  }
}
