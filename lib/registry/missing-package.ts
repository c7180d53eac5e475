/** An optional package that a registry centre needs is not installed. Only an installation cures that, no waiting. */
export class MissingPackageError extends Error {
  override readonly name = 'MissingPackageError';

  /**
   * @param need the need for them: `a registry centre on PostgreSQL needs the package pg`
   * @param packages the packages to install
   * @param reason why they could not be loaded
   */
  constructor(
    need: string,
    readonly packages: readonly string[],
    reason: string,
    options: { readonly cause: unknown },
  ) {
    super(`${need}: npm install ${packages.join(' ')} (${reason})`, options);
  }
}
