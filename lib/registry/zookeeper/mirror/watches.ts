import { type JobLogger } from '../../../api/text/logger.js';
import { type Namespace } from '../namespace.js';
import { type ZooKeeperRequests } from '../transport.js';
import { type Connected, type ZooKeeperSession } from '../zookeeper-session.js';

/** Dependencies of `Watches`. */
export interface WatchesContext {
  readonly session: ZooKeeperSession;
  readonly namespace: Namespace;
  readonly logger: JobLogger;
}

/** The watches of one registry centre. All users of a subtree share its watch. */
export class Watches {
  readonly #context: WatchesContext;
  /** Number of users of each subtree. */
  readonly #users = new Map<string, number>();
  /** Subtrees that are watched in the present session. */
  readonly #watched = new Set<string>();
  #session: ZooKeeperRequests | undefined;
  /** Watches that could not be removed while there was no connection; the client sets them again on the next one. */
  readonly #abandoned = new Set<string>();

  constructor(context: WatchesContext) {
    this.#context = context;
  }

  /** Keeps the watch of the subtree, which `set` sets, until `release`. */
  retain(path: string): void {
    this.#users.set(path, (this.#users.get(path) ?? 0) + 1);
  }

  /** Takes back one `retain` of the subtree. The last one removes the watch. */
  release(path: string): void {
    const count = (this.#users.get(path) ?? 0) - 1;
    if (count > 0) return void this.#users.set(path, count);
    this.#users.delete(path);
    if (this.#watched.has(path)) this.#remove(path);
  }

  /** True if a retained subtree has several users, so that its watch would stay if one of them released it. */
  isShared(path: string): boolean {
    return (this.#users.get(path) ?? 0) > 1;
  }

  /**
   * Resolves once the server reports each change in the subtree on this connection.
   * @throws ZooKeeperError if the server refuses, or the connection breaks
   */
  set(path: string, { transport }: Connected): Promise<void> {
    this.#noteSession(transport);
    this.#watched.add(path);
    return transport.addWatch(this.#context.namespace.at(path));
  }

  /** To be called on each connection: removes watches that could not be removed without one. */
  removeAbandoned(): void {
    const paths = [...this.#abandoned].filter((path) => !this.#users.has(path));
    this.#abandoned.clear();
    for (const path of paths) this.#remove(path);
  }

  /** A session begins without any watch. */
  #noteSession(transport: ZooKeeperRequests): void {
    if (this.#session === transport) return;
    this.#session = transport;
    this.#watched.clear();
  }

  #remove(path: string): void {
    const { session, namespace, logger } = this.#context;
    const transport = session.connected?.transport;
    if (!transport) return void this.#abandoned.add(path);
    this.#watched.delete(path);
    transport.removeWatch(namespace.at(path)).catch((error: unknown) => {
      // Harmless: events of an unused watch are ignored.
      logger.debug(`The watch of ${path} could not be removed: ${String(error)}`);
    });
  }
}
