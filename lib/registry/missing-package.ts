/** An optional package that a registry centre needs is not installed. Only an installation cures that, no waiting. */
export class MissingPackageError extends Error {
  override readonly name = 'MissingPackageError';
}
