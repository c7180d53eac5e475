import { aClock, aFunction, checkOptions, integerFrom, type OptionRules } from '../../api/settings/call-options.js';
import { isMap } from '../../api/text/describe-value.js';
import { type Clock, systemClock } from '../../time/clock.js';
import { type Deliver, deliverSoon } from './delivery.js';
import { type CommitLimits } from '../registry-center.js';
import { EmbeddedNamespace } from './embedded-namespace.js';
import { DEFAULT_LIMITS } from '../request-limits.js';

/** Options of an embedded server. */
export interface EmbeddedRegistryServerOptions {
  /** The clock for the registry's time and for the countdowns of sessions. Default: the clock of this machine. */
  readonly clock?: Clock;
  /**
   * Delivers all messages between the server and its centres. Default: soon, in the order of sending (`deliverSoon`).
   */
  readonly deliver?: Deliver;
  /**
   * How much one commit may hold. Each limit that is left out is that of ZooKeeper with default settings: 10,000
   * operations, 1,047,551 bytes, which one value may have too, and an overhead of 64 bytes for each operation. Small
   * limits test code that cuts its commits.
   */
  readonly limits?: Partial<CommitLimits>;
}

const CALL = 'new EmbeddedRegistryServer()';

const SERVER_RULES: OptionRules<EmbeddedRegistryServerOptions> = {
  clock: aClock,
  deliver: aFunction,
  limits: (value) => (isMap(value) ? undefined : 'must be a plain object'),
};

const LIMIT_RULES: OptionRules<CommitLimits> = {
  operations: integerFrom(1),
  bytes: integerFrom(1),
  overheadBytes: integerFrom(0),
  valueBytes: integerFrom(1),
};

/** The server's end of a connection. */
export interface ServerConnection {
  /** Breaks the connection from the server's side. */
  closeFromServer(): void;
}

interface ServerSession {
  readonly timeoutMs: number;
  connection: ServerConnection | undefined;
  /** Ends the countdown that runs while the session has no contact; `undefined` while none runs. */
  cancelExpiry: (() => void) | undefined;
}

/**
 * The server of the embedded registry: the trees of all namespaces, one history of revisions, and the sessions.
 * It is synchronous: a request is carried out within the call. `EmbeddedConnection` is the network in between.
 * Simulations and tests read a tree directly by `namespace()`, and get each commit by its `watch('/', …)`.
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

  /** @throws InvalidConfigurationError if an option is unknown or of a wrong kind */
  constructor(options: EmbeddedRegistryServerOptions = {}) {
    checkOptions(CALL, options, SERVER_RULES);
    const { clock = systemClock, deliver = deliverSoon, limits = {} } = options;
    checkOptions(`${CALL}: limits`, limits, LIMIT_RULES);
    this.clock = clock;
    this.deliver = deliver;
    this.limits = { ...DEFAULT_LIMITS, ...limits };
  }

  /** Ids of all sessions that have not ended. */
  get sessions(): readonly string[] {
    return [...this.#sessions.keys()];
  }

  /** The tree of a namespace, which may be empty. */
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
    // Before its nodes are removed: the connection of a session that has ended must not push their removal.
    session.connection?.closeFromServer();
    for (const namespace of this.#namespaces.values()) namespace.removeSessionNodes(id);
  }

  /**
   * Ends all sessions. A session without connection would otherwise keep the process running until its countdown ends.
   */
  close(): void {
    for (const id of this.sessions) this.endSession(id);
  }

  /** A number for a new centre, so that its channels have names of their own. @internal */
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

  /** Starts the countdown of the session of a connection through which nothing arrives any more. @internal */
  hearsNothingFrom(connection: ServerConnection): void {
    for (const [id, session] of this.#sessions) {
      if (session.connection !== connection) continue;
      // If messages were dropped before the connection broke, the countdown has already begun, and goes on.
      session.cancelExpiry ??= this.clock.after(session.timeoutMs, () => this.endSession(id));
    }
  }

  #openSession(connection: ServerConnection, timeoutMs: number): string {
    const id = (++this.#sessionsOpened).toString(16).padStart(16, '0');
    this.#sessions.set(id, { timeoutMs, connection, cancelExpiry: undefined });
    return id;
  }
}
