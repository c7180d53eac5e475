/** A key of a session through which one write at a time is made. */
export interface Slot {
  readonly session: string;
  readonly number: number;
  /** How often the key was written: etcd's version of it. 0: never, so that there is none yet. */
  version: number;
}

/**
 * The slots of the present session: as many as writes were under way at the same time. A slot that is not given back,
 * because the outcome of its write is unknown, is never used again.
 */
export class SlotPool {
  #session = '';
  #made = 0;
  #free: Slot[] = [];

  take(session: string): Slot {
    if (session !== this.#session) {
      this.#session = session;
      this.#made = 0;
      this.#free = [];
    }
    return this.#free.pop() ?? { session, number: this.#made++, version: 0 };
  }

  giveBack(slot: Slot): void {
    if (slot.session === this.#session) this.#free.push(slot);
  }
}
