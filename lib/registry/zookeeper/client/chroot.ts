import { ZooKeeperError } from '../transport.js';
import { ErrorCode } from './error-codes.js';

/** Adds a prefix to all paths on their way to the server, and removes it on the way back. */
export class Chroot {
  readonly #prefix: string;

  /** `prefix`: such as `/orders`; empty (or `/`) for none. */
  constructor(prefix: string) {
    this.#prefix = prefix.endsWith('/') ? prefix.slice(0, -1) : prefix;
  }

  /**
   * The path at the server. `/` is the chroot itself.
   * @throws ZooKeeperError `OTHER` if the path does not start with a slash, or ends with one
   */
  absolute(path: string): string {
    if (!path.startsWith('/') || (path.length > 1 && path.endsWith('/'))) {
      throw new ZooKeeperError(
        'OTHER',
        ErrorCode.badArguments,
        `'${path}' is no path of a node: a path starts with a slash and does not end with one, such as '/jobs/daily'.`,
      );
    }
    if (this.#prefix === '') return path;
    return path === '/' ? this.#prefix : this.#prefix + path;
  }

  /** The path without the prefix; `undefined` if it is not below the chroot. */
  relative(path: string): string | undefined {
    if (this.#prefix === '') return path;
    if (path === this.#prefix) return '/';
    return path.startsWith(`${this.#prefix}/`) ? path.slice(this.#prefix.length) : undefined;
  }
}
