/**
 * Calls `handle` with the reason if `result` is a promise that rejects, of this or another realm or library; does
 * nothing if it is no promise. Left alone, the rejection of what user code returns or throws would end the process.
 */
export function onRejection(result: unknown, handle: (reason: unknown) => void): void {
  const { then } = (result ?? {}) as { readonly then?: unknown };
  if (typeof then === 'function') Promise.resolve(result).catch(handle);
}
