/** Where an item stands that this instance holds. */
export type ItemPhase =
  /** Its marks are being written. */
  | 'beginning'
  /** It has begun: it waits for a place in the pool, or the job's code runs. */
  | 'running'
  /** The job's code has ended; its marks are being removed. */
  | 'ending';

/**
 * The one picture of what this instance runs: each item from the moment its marks are asked for until they are removed.
 * The work lane owns it, a run changes it, and the rules and the marks read it.
 */
export class ItemsHere {
  readonly #phases = new Map<number, ItemPhase>();
  readonly #busy = new Set<number>();
  readonly #started = new Set<number>();
  /** How many items are in the phase `running`. */
  #running = 0;
  readonly #impairments = new Map<number, string>();

  /** Items that run or are ending: none of them can be begun again yet. A live view. */
  get busy(): ReadonlySet<number> {
    return this.#busy;
  }

  /**
   * Those of `busy` for which the job's code was called; the others wait, for a place in the pool or for listeners. A
   * live view.
   */
  get started(): ReadonlySet<number> {
    return this.#started;
  }

  /** The impairments of items that run, by item: reason and cure. A live view. */
  get impairments(): ReadonlyMap<number, string> {
    return this.#impairments;
  }

  /** Where the item stands; `undefined` if this instance does not hold it. */
  phase(item: number): ItemPhase | undefined {
    return this.#phases.get(item);
  }

  /** Whether a mark of this item is being written, or stands for a run that goes on. */
  isMarking(item: number): boolean {
    const phase = this.#phases.get(item);
    return phase === 'beginning' || phase === 'running';
  }

  /** Whether the job's code still runs for any item, or is going to. */
  get isRunning(): boolean {
    return this.#running > 0;
  }

  /** The marks of these items are about to be written. */
  begin(items: readonly number[]): void {
    for (const item of items) this.#enter(item, 'beginning');
  }

  /** These items have begun. */
  run(items: readonly number[]): void {
    for (const item of items) {
      this.#enter(item, 'running');
      this.#busy.add(item);
    }
  }

  /** The job's code is called for this item. */
  start(item: number): void {
    this.#started.add(item);
  }

  /** The item has an impairment until its code has ended. If it does not run, the call does nothing. */
  impair(item: number, reason: string): void {
    if (this.#phases.get(item) === 'running') this.#impairments.set(item, reason);
  }

  /** The job's code has ended for this item, or was not called. */
  end(item: number): void {
    this.#enter(item, 'ending');
  }

  /** This instance holds the items no longer. */
  release(items: readonly number[]): void {
    for (const item of items) {
      this.#leave(item);
      this.#busy.delete(item);
      this.#started.delete(item);
    }
  }

  #enter(item: number, phase: ItemPhase): void {
    this.#leave(item);
    this.#phases.set(item, phase);
    if (phase === 'running') this.#running++;
  }

  #leave(item: number): void {
    if (this.#phases.get(item) === 'running') this.#running--;
    this.#phases.delete(item);
    this.#impairments.delete(item);
  }
}
