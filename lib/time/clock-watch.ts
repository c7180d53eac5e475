import { type Clock } from './clock.js';

/** How often to look, and which difference is more than jitter and slewing; milliseconds. */
const PERIOD_MS = 30_000;
const JUMP_MS = 1_000;

/**
 * Calls `onJump` when the wall clock was set, forward or back, which timers do not notice: they count by the monotonic
 * clock. One for a process is enough. Returns a function that ends the watch.
 */
export function watchClock(clock: Clock, onJump: () => void): () => void {
  const offset = (): number => clock.now() - clock.monotonic();
  let before = offset();
  let cancel = (): void => undefined;
  const look = (): void => {
    const now = offset();
    const hasJumped = Math.abs(now - before) > JUMP_MS;
    before = now;
    arm();
    if (hasJumped) onJump();
  };
  const arm = (): void => {
    cancel = clock.after(PERIOD_MS, look);
  };
  arm();
  return () => cancel();
}
