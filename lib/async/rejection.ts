/**
 * Calls `handle` with the reason if `result` is a promise that rejects, of this or another realm or library; does
 * nothing if it is no promise. User code may return or throw a promise whose rejection would otherwise end the process.
 */
export function onRejection(result: unknown, handle: (reason: unknown) => void): void {
  const { then } = (result ?? {}) as { readonly then?: unknown };
  if (typeof then === 'function') Promise.resolve(result).catch(handle);
}
