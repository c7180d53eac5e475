import { sleep } from '../../async/wait.js';
import { systemClock } from '../../time/clock.js';

/** Much longer than a busy machine takes for anything that a test waits for. */
const DEADLINE_MS = 60_000;

const PAUSE_MS = 5;

/**
 * Waits until `condition` holds, asking again every few milliseconds.
 * @param what is said of the condition if it does not come to hold
 * @param timeoutMs longest wait, in milliseconds: a minute if it is not given
 * @throws if the condition does not hold in time; the message carries `what`
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what = String(condition),
  timeoutMs = DEADLINE_MS,
): Promise<void> {
  const deadline = systemClock.monotonic() + timeoutMs;
  // Each question waits for the answer to the one before.
  while (!(await condition())) {
    if (systemClock.monotonic() > deadline) throw new Error(`Not within ${timeoutMs} ms: ${what}`);
    await sleep(systemClock, PAUSE_MS);
  }
}
