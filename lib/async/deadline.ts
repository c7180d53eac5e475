import { type NamedTimers } from './named-timers.js';

/** Where a wait stands: nothing waits, the wait goes on, or its time has passed. */
export type DeadlineState = 'none' | 'waiting' | 'over';

/** A wait that begins once, whatever asks for it, and that stays over until it is reset. */
export class Deadline<Name extends string> {
  readonly #timers: NamedTimers<Name>;
  readonly #name: Name;
  readonly #delayMs: number;
  readonly #onOver: () => void;
  #state: DeadlineState = 'none';

  /** Calls `onOver` when the time of a wait has passed. `name` is the timer's, which nothing else may use. */
  constructor(timers: NamedTimers<Name>, name: Name, delayMs: number, onOver: () => void) {
    this.#timers = timers;
    this.#name = name;
    this.#delayMs = delayMs;
    this.#onOver = onOver;
  }

  get state(): DeadlineState {
    return this.#state;
  }

  /**
   * Begins to wait, unless that has been done since the last reset.
   * @returns whether this call began to wait
   */
  begin(): boolean {
    if (this.#state !== 'none') return false;
    this.#state = 'waiting';
    this.#timers.set(this.#name, this.#delayMs, () => {
      this.#state = 'over';
      this.#onOver();
    });
    return true;
  }

  /** Ends the wait, and forgets that its time has passed. */
  reset(): void {
    this.#state = 'none';
    this.#timers.cancel(this.#name);
  }
}
