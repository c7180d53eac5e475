import { type MirroredNode } from '../../registry-center.js';
import { SubtreeIndex } from '../../subtree-index.js';
import { ZooKeeperError } from '../transport.js';

/** What a write of this registry centre does to nodes, by path within the namespace. */
export interface WriteEffects {
  /** How many watch events the write causes at each path. */
  readonly events: ReadonlyMap<string, number>;
}

/** What has become of the nodes of a write; `undefined`: removed. */
export type WriteOutcome = ReadonlyMap<string, MirroredNode | undefined>;

/** Whoever wants to know of the writes of this registry centre. */
export interface WriteObserver {
  /** The write is being sent. */
  onWriteSent(effects: WriteEffects): void;
  /** It was carried out. */
  onWriteDone(effects: WriteEffects, outcome: WriteOutcome): void;
  /** It was refused, or nobody knows. */
  onWriteFailed(effects: WriteEffects, fate: 'refused' | 'unknown'): void;
}

/** Tells mirrors of our own writes, so that they need not read what we know. */
export class OwnWrites {
  readonly #observers = new SubtreeIndex<WriteObserver>();
  #newest = 0n;

  /** The newest transaction that is known to have happened. What is sent now will have a greater number. */
  get newestZxid(): bigint {
    return this.#newest;
  }

  /** Notes that transaction `zxid` has happened. */
  saw(zxid: bigint): void {
    if (zxid > this.#newest) this.#newest = zxid;
  }

  /** Tells `observer` of writes that touch the subtree at `root`. Returns a function that ends it. */
  observe(root: string, observer: WriteObserver): () => void {
    return this.#observers.add(root, observer);
  }

  /** Sends a write and tells what becomes of it. `send` must send at once. */
  async track<T>(effects: WriteEffects, send: () => Promise<T>, outcomeOf: (answer: T) => WriteOutcome): Promise<T> {
    const observers = this.#observers.covering(effects.events.keys());
    try {
      const answering = send();
      for (const observer of observers) observer.onWriteSent(effects);
      const answer = await answering;
      const outcome = outcomeOf(answer);
      for (const observer of observers) observer.onWriteDone(effects, outcome);
      return answer;
    } catch (error) {
      const fate = error instanceof ZooKeeperError && !error.outcomeUnknown ? 'refused' : 'unknown';
      for (const observer of observers) observer.onWriteFailed(effects, fate);
      throw error;
    }
  }
}
