import { type Clock } from '../../../lib/time/clock.js';

interface Entry {
  cancel: () => void;
}

/**
 * The clock of one simulated machine: the cluster's true time, seen with an error that can be set. It ends with its
 * process (`die`), and stands still while the process is frozen: what was due meanwhile happens when it goes on.
 */
export class InstanceClock implements Clock {
  readonly #truth: Clock;
  readonly #onUncaught: (error: unknown) => void;
  readonly #entries = new Set<Entry>();
  #state: 'runs' | 'frozen' | 'dead' = 'runs';
  #overdue: (() => void)[] = [];

  constructor(
    truth: Clock,
    /** How much this machine's wall clock is ahead; milliseconds. */
    public skewMs: number,
    /** Called with what a timer throws, which ends a process. */
    onUncaught: (error: unknown) => void,
  ) {
    this.#truth = truth;
    this.#onUncaught = onUncaught;
  }

  now(): number {
    return this.#truth.now() + this.skewMs;
  }

  monotonic(): number {
    return this.#truth.monotonic();
  }

  after(delayMs: number, task: () => void): () => void {
    if (this.#state === 'dead') return () => undefined;
    const run = (): void => {
      // A frozen process notices that time has passed when it goes on; until then, the timer can still be cancelled.
      if (this.#state === 'frozen') return void this.#overdue.push(run);
      if (!this.#entries.delete(entry)) return;
      try {
        task();
      } catch (error) {
        this.#onUncaught(error);
      }
    };
    const entry: Entry = { cancel: this.#truth.after(delayMs, run) };
    this.#entries.add(entry);
    return () => {
      if (this.#entries.delete(entry)) entry.cancel();
    };
  }

  /** Number of timers that are set. */
  get timers(): number {
    return this.#entries.size;
  }

  get isDead(): boolean {
    return this.#state === 'dead';
  }

  get isFrozen(): boolean {
    return this.#state === 'frozen';
  }

  freeze(): void {
    if (this.#state === 'runs') this.#state = 'frozen';
  }

  /** Goes on; what is overdue happens now, one after the other, in the order in which it was due. */
  thaw(): void {
    if (this.#state !== 'frozen') return;
    this.#state = 'runs';
    const overdue = this.#overdue;
    this.#overdue = [];
    for (const run of overdue) this.#truth.after(0, run);
  }

  /** The process is gone: nothing that it waited for happens any more. */
  die(): void {
    this.#state = 'dead';
    for (const { cancel } of this.#entries) cancel();
    this.#entries.clear();
    this.#overdue = [];
  }
}
