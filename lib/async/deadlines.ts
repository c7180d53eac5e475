import { type NamedTimers } from './named-timers.js';

/** `none`: nothing waits. `waiting`: the wait goes on. `over`: its time has passed. */
export type DeadlineState = 'none' | 'waiting' | 'over';

/** Waits by name. Each begins once, even if it is requested several times, and stays over until it is reset. */
export class Deadlines<Name extends string> {
  readonly #timers: NamedTimers<Name>;
  readonly #onOver: () => void;
  readonly #states = new Map<Name, DeadlineState>();

  /** Calls `onOver` when the time of a wait has passed. The names are those of timers, which nothing else may use. */
  constructor(timers: NamedTimers<Name>, onOver: () => void) {
    this.#timers = timers;
    this.#onOver = onOver;
  }

  state(name: Name): DeadlineState {
    return this.#states.get(name) ?? 'none';
  }

  /**
   * Begins to wait, unless that has been done since the last reset.
   * @returns whether this call began to wait
   */
  begin(name: Name, delayMs: number): boolean {
    if (this.#states.has(name)) return false;
    this.#states.set(name, 'waiting');
    this.#timers.set(name, delayMs, () => {
      this.#states.set(name, 'over');
      this.#onOver();
    });
    return true;
  }

  /** Ends the wait, and forgets that its time has passed. */
  reset(name: Name): void {
    if (this.#states.delete(name)) this.#timers.cancel(name);
  }
}
