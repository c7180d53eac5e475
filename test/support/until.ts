/**
 * Waits until `condition` holds, asking again every few milliseconds.
 * @throws if it does not hold within `timeoutMs`; the message carries `what`
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what = String(condition),
  timeoutMs = 10_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`Not within ${timeoutMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
