/** Reports an error of a listener as a warning of the process, since the embedded registry has no logger. */
export function warnOfListenerError(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.emitWarning(`A listener of the registry centre threw: ${text}`, 'ElasticJobWarning');
}
