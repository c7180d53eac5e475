import { type Clock } from './clock.js';

/** Milliseconds between two checks. */
const PERIOD_MS = 30_000;

/** A greater difference within a period, in milliseconds, is a jump. Jitter and slewing stay below it. */
const JUMP_MS = 1_000;

/**
 * Calls `onJump` once for each jump of the wall clock, forward or back, at most 30 seconds after an operator or NTP has
 * set the clock. Timers do not notice a jump, because they run by the monotonic clock. One watch for a process is
 * enough.
 *
 * @returns a function that ends the watch
 */
export function watchClock(clock: Clock, onJump: () => void): () => void {
  const offset = (): number => clock.now() - clock.monotonic();
  let before = offset();
  let cancel = (): void => undefined;
  const check = (): void => {
    const now = offset();
    const hasJumped = Math.abs(now - before) > JUMP_MS;
    before = now;
    arm();
    if (hasJumped) onJump();
  };
  const arm = (): void => {
    cancel = clock.after(PERIOD_MS, check);
  };
  arm();
  return () => cancel();
}
