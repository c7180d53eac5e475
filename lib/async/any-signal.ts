/**
 * Calls `work` with a signal that aborts as soon as one of `signals` does, for the same reason, and settles as `work`
 * does. Unlike with `AbortSignal.any`, nothing is left on a signal that outlives the call.
 */
export async function withAnySignal<T>(
  signals: readonly AbortSignal[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const forward = (): void => controller.abort(signals.find(({ aborted }) => aborted)?.reason);
  for (const signal of signals) signal.addEventListener('abort', forward, { once: true });
  try {
    if (signals.some(({ aborted }) => aborted)) forward();
    return await work(controller.signal);
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', forward);
  }
}
