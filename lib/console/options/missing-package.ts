/** True if an import has failed because that package is not installed, not because of a fault within it. */
export function isModuleMissing(error: unknown, name: string): boolean {
  const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  const isMissing = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
  return isMissing && typeof message === 'string' && message.includes(`'${name}'`);
}
