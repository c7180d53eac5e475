import { type JobLogger } from '../../api/text/logger.js';
import { type Namespace } from './namespace.js';
import { ZooKeeperError, type ZooKeeperRequests } from './transport.js';
import { isRetryable } from './zookeeper-failures.js';
import { type Connected, type ZooKeeperSession } from './zookeeper-session.js';

/** From so many mirrors on, one watch of the whole namespace takes the place of theirs. */
const MANY_MIRRORS = 64;

/** After so many events of the namespace's watch, it is asked whether watches of the subtrees would have spared most of them. */
const EVENTS_PER_JUDGEMENT = 1_000;

/** The namespace's watch stays as long as no more than this share of its events could have been spared. */
const MOST_SPARED = 0.75;

/** What the watches of a registry centre need. */
export interface WatchesContext {
  readonly session: ZooKeeperSession;
  readonly namespace: Namespace;
  readonly logger: JobLogger;
  /** How many mirrors there are. */
  readonly mirrorCount: () => number;
}

/** The one watch of the whole namespace, which belongs to one session. */
interface NamespaceWatch {
  readonly transport: ZooKeeperRequests;
  /** Resolves with `true` when it is set, with `false` if it could not be. */
  readonly isSet: Promise<boolean>;
}

/**
 * The watches of one registry centre. All users of a subtree share its watch.
 *
 * A process with many jobs has one watch for all of them: it costs the server and a reconnection less than one for each. But it
 * also reports what happens in jobs that the process does not have, and what its mirrors need not hear. If these are most of its
 * events, each subtree has a watch of its own again, until the next session.
 */
export class Watches {
  readonly #context: WatchesContext;
  /** How many users each subtree has. */
  readonly #users = new Map<string, number>();
  /** Subtrees that have a watch of their own in the present session. */
  readonly #single = new Set<string>();
  #session: ZooKeeperRequests | undefined;
  /** Watches that could not be removed while there was no connection; the client sets them again on the next one. */
  readonly #abandoned = new Set<string>();
  #ofNamespace: NamespaceWatch | undefined;
  /** The session in which the namespace's watch has reported too much, or was refused. */
  #withoutNamespace: ZooKeeperRequests | undefined;
  #events = 0;
  #sparedEvents = 0;

  constructor(context: WatchesContext) {
    this.#context = context;
  }

  /** A watch of the subtree, which `set` sets, stays until `release`. */
  retain(path: string): void {
    this.#users.set(path, (this.#users.get(path) ?? 0) + 1);
  }

  /** Takes back one `retain` of the subtree. The last one removes the watch. */
  release(path: string): void {
    const count = (this.#users.get(path) ?? 0) - 1;
    if (count > 0) return void this.#users.set(path, count);
    this.#users.delete(path);
    if (this.#single.has(path)) this.#remove(path);
  }

  /** Whether a retained subtree is followed for others, too, so that its watch would stay if one user released it. */
  isShared(path: string): boolean {
    return this.isOfNamespace || (this.#users.get(path) ?? 0) > 1;
  }

  /** Whether one watch of the whole namespace is in the place of single ones. */
  get isOfNamespace(): boolean {
    return this.#ofNamespace !== undefined;
  }

  /**
   * Resolves once the server reports each change in the subtree on this connection.
   * @throws ZooKeeperError if the server refuses, or the connection breaks
   */
  set(path: string, { transport }: Connected): Promise<void> {
    this.#noteSession(transport);
    const ofNamespace = this.#namespaceWatch(transport);
    if (ofNamespace === undefined) return this.#setSingle(path, transport);
    return ofNamespace.isSet.then((isSet) =>
      isSet || !this.#users.has(path) ? undefined : this.#setSingle(path, transport),
    );
  }

  /** Takes note of an event. `isSpared`: with a watch for each subtree in place of the namespace's, it would not have come. */
  noteEvent({ isSpared }: { readonly isSpared: boolean }): void {
    const { transport } = this.#ofNamespace ?? {};
    if (transport === undefined) return;
    this.#events++;
    if (isSpared) this.#sparedEvents++;
    if (this.#events < EVENTS_PER_JUDGEMENT) return;
    const areTooMany = this.#sparedEvents > MOST_SPARED * this.#events;
    this.#events = this.#sparedEvents = 0;
    if (areTooMany) this.#watchSubtreesAgain(transport);
  }

  /** To be called on each connection: removes watches that could not be removed without one. */
  removeAbandoned(): void {
    const isNeeded = (path: string): boolean => this.#users.has(path) && !this.isOfNamespace;
    const paths = [...this.#abandoned].filter((path) => !isNeeded(path));
    this.#abandoned.clear();
    for (const path of paths) this.#remove(path);
  }

  /** A session begins without any watch. */
  #noteSession(transport: ZooKeeperRequests): void {
    if (this.#session === transport) return;
    this.#session = transport;
    this.#ofNamespace = undefined;
    this.#single.clear();
  }

  #setSingle(path: string, transport: ZooKeeperRequests): Promise<void> {
    this.#single.add(path);
    return transport.addWatch(this.#context.namespace.at(path));
  }

  /** The watch of the whole namespace; `undefined` if each subtree has one of its own. */
  #namespaceWatch(transport: ZooKeeperRequests): NamespaceWatch | undefined {
    if (this.#withoutNamespace === transport || this.#context.mirrorCount() < MANY_MIRRORS) return this.#ofNamespace;
    this.#ofNamespace ??= this.#watchNamespace(transport);
    return this.#ofNamespace;
  }

  #watchNamespace(transport: ZooKeeperRequests): NamespaceWatch {
    const { namespace, logger } = this.#context;
    this.#events = this.#sparedEvents = 0;
    const isSet = transport.addWatch(namespace.root).then(
      () => {
        // Only now: until then, each subtree needs its own.
        if (this.#ofNamespace === watch) for (const path of [...this.#single]) this.#remove(path);
        return true;
      },
      (error: unknown) => {
        logger.debug(`There is no watch of the whole namespace ${namespace.root}: ${String(error)}`);
        if (this.#ofNamespace === watch) this.#ofNamespace = undefined;
        if (!(error instanceof ZooKeeperError) || !isRetryable(error)) this.#withoutNamespace = transport;
        return false;
      },
    );
    const watch: NamespaceWatch = { transport, isSet };
    return watch;
  }

  #watchSubtreesAgain(transport: ZooKeeperRequests): void {
    const { namespace, logger } = this.#context;
    this.#ofNamespace = undefined;
    this.#withoutNamespace = transport;
    logger.debug(
      `Most of what the watch of the namespace ${namespace.root} reports need not be heard here, so each job has one of its own again.`,
    );
    const paths = [...this.#users.keys()];
    Promise.all(paths.map((path) => this.#setSingle(path, transport))).then(
      () => this.#remove('/'),
      (error: unknown) => {
        // The mirrors begin again on the next connection, and set their watches then.
        logger.debug(`The watch of the namespace stays until the next connection: ${String(error)}`);
        this.#abandoned.add('/');
      },
    );
  }

  #remove(path: string): void {
    const { session, namespace, logger } = this.#context;
    // The namespace itself may have users, too.
    if (path === '/' && (this.#ofNamespace !== undefined || this.#users.has('/'))) return;
    const transport = session.connected?.transport;
    if (!transport) return void this.#abandoned.add(path);
    this.#single.delete(path);
    transport.removeWatch(namespace.at(path)).catch((error: unknown) => {
      // Harmless: events of an unused watch are ignored.
      logger.debug(`The watch of ${path} could not be removed: ${String(error)}`);
    });
  }
}
