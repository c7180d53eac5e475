import { type Clock, systemClock } from '../../lib/time/clock.js';

interface Timer {
  readonly dueAt: number;
  readonly task: () => void;
  cancel: () => void;
}

/**
 * The clock of this machine, which a test lets jump ahead. After a jump, a process finds itself as if it had been
 * stopped for so long: all timers that are due come before anything that has arrived meanwhile is read. So sessions
 * may be much longer than any delay of a busy machine, and still run out at once.
 */
export class JumpingClock implements Clock {
  readonly #timers = new Set<Timer>();
  #aheadMs = 0;

  now(): number {
    return systemClock.now() + this.#aheadMs;
  }

  monotonic(): number {
    return systemClock.monotonic() + this.#aheadMs;
  }

  after(delayMs: number, task: () => void): () => void {
    const timer: Timer = { dueAt: this.monotonic() + delayMs, task, cancel: () => undefined };
    this.#timers.add(timer);
    this.#arm(timer);
    return () => {
      timer.cancel();
      this.#timers.delete(timer);
    };
  }

  /** Lets so many milliseconds pass at once. */
  jump(ms: number): void {
    this.#aheadMs += ms;
    for (const timer of this.#timers) {
      timer.cancel();
      this.#arm(timer);
    }
    // Node's shortest timer is one of a millisecond. When that has passed, the event loop runs timers before it reads.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
  }

  #arm(timer: Timer): void {
    timer.cancel = systemClock.after(timer.dueAt - this.monotonic(), () => {
      this.#timers.delete(timer);
      timer.task();
    });
  }
}
