import { type MirroredNode } from '../../registry-center.js';
import { SubtreeIndex } from '../../subtree-index.js';
import { ZooKeeperError } from '../transport.js';

/** The nodes that a write of this registry centre changes, by path within the namespace. */
export interface WriteEffects {
  /** Number of watch events that the write causes at each path. */
  readonly events: ReadonlyMap<string, number>;
}

/** The nodes of a write after it; `undefined` for those that it removed. */
export type WriteOutcome = ReadonlyMap<string, MirroredNode | undefined>;

/** An observer of the writes of this registry centre. */
export interface WriteObserver {
  /** Called when the write is being sent. */
  onWriteSent(effects: WriteEffects): void;
  /** Called when the write was carried out. */
  onWriteDone(effects: WriteEffects, outcome: WriteOutcome): void;
  /** Called when the write was refused, or its outcome is unknown. */
  onWriteFailed(effects: WriteEffects, fate: 'refused' | 'unknown'): void;
}

/** Notifies mirrors of our own writes, so that they need not read these again. */
export class OwnWrites {
  readonly #observers = new SubtreeIndex<WriteObserver>();
  #newest = 0n;

  /**
   * The newest transaction that is known to have happened. A write that is requested now will have a greater number.
   */
  get newestZxid(): bigint {
    return this.#newest;
  }

  /**
   * Forgets the newest transaction: the session is lost. The next one may find servers that have lost data, and count
   * from a lower number again.
   */
  forget(): void {
    this.#newest = 0n;
  }

  /** Notes that transaction `zxid` has happened. */
  saw(zxid: bigint): void {
    if (zxid > this.#newest) this.#newest = zxid;
  }

  /** Notifies `observer` of writes that change the subtree at `root`, until `stopObserving`. */
  observe(root: string, observer: WriteObserver): void {
    this.#observers.add(root, observer);
  }

  stopObserving(root: string, observer: WriteObserver): void {
    this.#observers.remove(root, observer);
  }

  /**
   * Sends a write and notifies the observers of its outcome. `send` must make its request at once; a transaction goes
   * out at the end of this turn.
   */
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
