/**
 * The only door to time. Whatever needs to know the time, or to wait, is given a `Clock`; so a cluster of several
 * instances can run in one test, in milliseconds, under a clock that is set by hand.
 */
export interface Clock {
  /** Wall-clock time in milliseconds since 1970-01-01T00:00Z. May jump when the machine's clock is set. */
  now(): number;
  /** Milliseconds since an arbitrary moment; never goes back, never jumps. For measuring durations and deadlines. */
  monotonic(): number;
  /**
   * Calls `task` once, no earlier than `delayMs` from now, later if the event loop is busy.
   * Delays of any length are allowed. Returns a function that cancels the call; it may be called at any time.
   */
  after(delayMs: number, task: () => void): () => void;
}

/** Longest delay that Node's own timers take; longer ones would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, task) {
    let timer: NodeJS.Timeout;
    const arm = (remainingMs: number): void => {
      const stepMs = Math.min(remainingMs, LONGEST_TIMER_MS);
      timer = setTimeout(() => (remainingMs > stepMs ? arm(remainingMs - stepMs) : task()), stepMs);
    };
    arm(Math.max(0, Math.ceil(delayMs)));
    return () => clearTimeout(timer);
  },
};
