/** Much longer than a busy machine takes for anything that a test waits for. */
const DEADLINE_MS = 60_000;

/**
 * Waits until `condition` holds, asking again every few milliseconds.
 * @throws if it does not hold within `timeoutMs`, a minute if it is not given; the message carries `what`
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what = String(condition),
  timeoutMs = DEADLINE_MS,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`Not within ${timeoutMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
