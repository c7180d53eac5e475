import { detached } from './detached.js';

/**
 * The only access to time. All code that reads the time or waits gets a `Clock`. So a test can run a cluster of several
 * instances in milliseconds, under a clock that only the test moves.
 */
export interface Clock {
  /** Wall-clock time in milliseconds since 1970-01-01T00:00Z. May jump when the machine's clock is set. */
  now(): number;
  /** Milliseconds since an arbitrary moment. Never goes back and never jumps: for durations and deadlines. */
  monotonic(): number;
  /**
   * Calls `task` once, no earlier than `delayMs` milliseconds from now, and later if the event loop is busy. Delays may
   * have any length; a negative one counts as 0. The task runs outside any `AsyncLocalStorage` of the caller.
   *
   * @returns a function that cancels the call. It may be called at any time, also when the call has been made
   */
  after(delayMs: number, task: () => void): () => void;
}

/** The longest delay that Node's own timers take. Node fires a timer with a longer delay at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, task) {
    const wholeMs = Math.max(0, Math.ceil(delayMs));
    if (wholeMs <= LONGEST_TIMER_MS) {
      const timer = detached(() => setTimeout(task, wholeMs));
      return () => clearTimeout(timer);
    }
    let timer: NodeJS.Timeout;
    const arm = (remainingMs: number): void => {
      const stepMs = Math.min(remainingMs, LONGEST_TIMER_MS);
      timer = setTimeout(() => (remainingMs > stepMs ? arm(remainingMs - stepMs) : task()), stepMs);
    };
    detached(() => arm(wholeMs));
    return () => clearTimeout(timer);
  },
};
