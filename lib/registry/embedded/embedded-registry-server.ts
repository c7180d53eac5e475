import { type Clock, systemClock } from '../../time/clock.js';
import { type Deliver, deliverSoon } from './delivery.js';
import { type CommitLimits } from '../registry-center.js';
import { EmbeddedNamespace } from './embedded-namespace.js';
import { DEFAULT_LIMITS } from './request-limits.js';

/** What an embedded server is made from. */
export interface EmbeddedRegistryServerOptions {
  /** Tells the registry's time and when sessions run out. Default: the clock of this machine. */
  readonly clock?: Clock;
  /** Carries all messages between the server and its centres. Default: in order, at once (`deliverSoon`). */
  readonly deliver?: Deliver;
  /**
   * How much one commit may hold. Default for each: as ZooKeeper with default settings (10,000 operations, 1,047,551 bytes,
   * 64 bytes for each operation besides its path and value). Small ones show what code does that cuts its commits.
   */
  readonly limits?: Partial<CommitLimits>;
}

/** The server's end of a connection. */
export interface ServerConnection {
  /** Breaks the connection from the server's side. */
  closeFromServer(): void;
}

interface ServerSession {
  readonly timeoutMs: number;
  connection: ServerConnection | undefined;
  /** Ends the countdown that runs while nothing is heard of the session; `undefined` while none does. */
  cancelExpiry: (() => void) | undefined;
}

/**
 * The server side of the embedded registry: the trees of all namespaces, one history of revisions, and the sessions.
 * It is synchronous: what it is asked for happens within the call. `EmbeddedConnection` puts the network in between.
 * For simulations and tests `namespace()` gives a direct look, and `watch('/', …)` there a call for each commit.
 */
export class EmbeddedRegistryServer {
  readonly clock: Clock;
  readonly deliver: Deliver;
  readonly limits: CommitLimits;
  #revision = 0;
  #sessionsOpened = 0;
  #centres = 0;
  readonly #sessions = new Map<string, ServerSession>();
  readonly #namespaces = new Map<string, EmbeddedNamespace>();

  constructor({ clock = systemClock, deliver = deliverSoon, limits }: EmbeddedRegistryServerOptions = {}) {
    this.clock = clock;
    this.deliver = deliver;
    this.limits = { ...DEFAULT_LIMITS, ...limits };
  }

  /** The revision of the latest commit; 0 before the first. */
  get revision(): number {
    return this.#revision;
  }

  /** Ids of all sessions that live. */
  get sessions(): readonly string[] {
    return [...this.#sessions.keys()];
  }

  /** The tree of a namespace; empty if nothing was written there. */
  namespace(name: string): EmbeddedNamespace {
    const known = this.#namespaces.get(name);
    if (known) return known;
    const namespace = new EmbeddedNamespace(() => ++this.#revision);
    this.#namespaces.set(name, namespace);
    return namespace;
  }

  /** Ends a session: closes its connection, and removes its nodes. Does nothing if it has ended. */
  endSession(id: string): void {
    const session = this.#sessions.get(id);
    if (!session) return;
    this.#sessions.delete(id);
    session.cancelExpiry?.();
    // Before the nodes go: the connection of a session that has ended tells nothing any more.
    session.connection?.closeFromServer();
    for (const namespace of this.#namespaces.values()) namespace.removeSessionNodes(id);
  }

  /** Ends all sessions. Needed only where a session may be left without connection, whose countdown keeps the process up. */
  close(): void {
    for (const id of this.sessions) this.endSession(id);
  }

  /** A number for a new centre, so that its channels can be told apart. @internal */
  nextCentre(): number {
    return ++this.#centres;
  }

  /**
   * Puts a session onto a connection: the one with the given id, or a new one. @internal
   * @returns its id; `undefined` if the session asked for has ended
   */
  attach(connection: ServerConnection, timeoutMs: number, id: string | undefined): string | undefined {
    if (id === undefined) return this.#openSession(connection, timeoutMs);
    const session = this.#sessions.get(id);
    if (!session) return undefined;
    session.cancelExpiry?.();
    session.cancelExpiry = undefined;
    session.connection = connection;
    return id;
  }

  /** Nothing is heard through this connection any more: from now on the time of its session runs out. @internal */
  hearsNothingFrom(connection: ServerConnection): void {
    for (const [id, session] of this.#sessions) {
      if (session.connection !== connection) continue;
      // A connection that breaks after a silence leaves the session no more time than the silence did.
      session.cancelExpiry ??= this.clock.after(session.timeoutMs, () => this.endSession(id));
    }
  }

  #openSession(connection: ServerConnection, timeoutMs: number): string {
    const id = (++this.#sessionsOpened).toString(16).padStart(16, '0');
    this.#sessions.set(id, { timeoutMs, connection, cancelExpiry: undefined });
    return id;
  }
}
