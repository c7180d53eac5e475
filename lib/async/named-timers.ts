import { backoffMs } from './backoff.js';
import { type Clock } from '../time/clock.js';

const RETRY = { baseMs: 100, maxMs: 5_000 };

/** What a job sets alarms for: to register, to look again, to stand for election or take over again, to
 * stop waiting for idle instances, for running items, for Java peers, or for an assignment, to look without a cause. */
export type JobAlarm =
  | 'enter'
  | 'retry'
  | 'election'
  | 'failover'
  | 'idleness'
  | 'patience'
  | 'neglect'
  | 'return'
  | 'trigger'
  | 'reconcile';

/** The timers of a job other than that of its schedule: one of each name, replaced when it is set again. */
export class Alarms<Name extends string> {
  readonly #clock: Clock;
  readonly #cancels = new Map<Name, () => void>();
  readonly #failures = new Map<Name, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  isSet(name: Name): boolean {
    return this.#cancels.has(name);
  }

  set(name: Name, delayMs: number, task: () => void): void {
    this.cancel(name);
    const cancel = this.#clock.after(delayMs, () => {
      this.#cancels.delete(name);
      task();
    });
    this.#cancels.set(name, cancel);
  }

  /** Sets an alarm that comes the later the more often this has been called since the last `succeeded(name)`. */
  setRetry(name: Name, task: () => void): void {
    const failures = (this.#failures.get(name) ?? 0) + 1;
    this.#failures.set(name, failures);
    this.set(name, backoffMs(failures, RETRY), task);
  }

  /** The next retry of that name comes soon again. */
  succeeded(name: Name): void {
    this.#failures.delete(name);
  }

  cancel(name: Name): void {
    this.#cancels.get(name)?.();
    this.#cancels.delete(name);
  }

  cancelAll(): void {
    for (const name of [...this.#cancels.keys()]) this.cancel(name);
  }
}
