/**
 * A ZooKeeper client, as the registry centre needs it: a session that keeps itself connected, and raw operations
 * without retries and caches. The first-party client in `client/` implements it, and other clients can. Tests inject
 * faults here.
 *
 * One transport is one session: after its end (`expired`, `closed`, `auth-failed`) a new transport is made. Requests
 * are answered in the order in which they were made; a watch event is delivered before the answer to any request that
 * could show the change. While not connected, every request rejects at once.
 */
export interface ZooKeeperTransport extends ZooKeeperRequests {
  readonly state: TransportState;
  /** Called after each change of state, in order. Set it before `connect()`. */
  onState: (state: TransportState) => void;
  /** Called for each event of a persistent watch, in the order of the server. Set it before `connect()`. */
  onWatch: (event: WatchEvent) => void;
  /**
   * Called for each attempt to connect to a server that has failed, if the transport reports such attempts. Set it
   * before `connect()`.
   */
  onFault?: (fault: ConnectionFault) => void;
  /** When anything was last received from the server, in milliseconds by the monotonic clock. */
  readonly lastHeardAt: number;
  /**
   * When the newest answered request or ping was *sent*, in milliseconds by the monotonic clock: the server counts the
   * session timeout from that moment or a later one. `-Infinity` before the first. If a transport does not know it, the
   * session uses `lastHeardAt`, which is a little late.
   */
  readonly renewedAt?: number;
  /** Starts connecting and keeps reconnecting until the session ends. */
  connect(): void;
  /**
   * From now on, also connects to servers whose data are older than those that this session has seen. Otherwise servers
   * refuse the session, without an answer, each time. Only for a session that is to be ended.
   */
  acceptOlderData?(): void;
  /** Ends the session at the server, if that answers within a second, and closes the connection in any case. */
  close(): Promise<void>;
}

/** The requests of a session. */
export interface ZooKeeperRequests {
  create(path: string, data: Buffer, mode: CreateMode): Promise<CreateResult>;
  delete(path: string, version?: number): Promise<void>;
  exists(path: string): Promise<Stat | undefined>;
  getData(path: string): Promise<{ readonly data: Buffer; readonly stat: Stat }>;
  setData(path: string, data: Buffer, version?: number): Promise<Stat>;
  getChildren(path: string): Promise<readonly string[]>;
  /**
   * Returns true if anyone may change the node, with or without credentials. A transport need not be able to find out.
   */
  isOpen?(path: string): Promise<boolean>;
  /** Makes the connected server catch up with the leader before it answers later requests of this session. */
  sync(path: string): Promise<void>;
  /**
   * Carries out all operations, or none. If the server refuses, the `failedIndex` of the `ZooKeeperError` is the first
   * operation that does not fit.
   */
  multi(operations: readonly MultiOperation[]): Promise<MultiResult>;
  /** Many reads in one request, as of one moment; `undefined` for nodes that do not exist. Needs a server ≥ 3.6. */
  multiRead(paths: readonly string[]): Promise<readonly ({ readonly data: Buffer; readonly stat: Stat } | undefined)[]>;
  /** As `multiRead`: the names of the children of many nodes; `undefined` for nodes that do not exist. */
  multiList(paths: readonly string[]): Promise<readonly (readonly string[] | undefined)[]>;
  /**
   * Persistent recursive watch (server ≥ 3.6). It survives reconnections of the session, but misses changes in between.
   */
  addWatch(path: string): Promise<void>;
  removeWatch(path: string): Promise<void>;
}

/** The requests of a session, whose transactions may share a message. */
export interface SessionRequests extends ZooKeeperRequests {
  /**
   * As `multi`, but the request is sent at the end of this turn of the event loop, together with others that are made
   * in this turn.
   * @param isAwaited returns true if the caller still waits; if not, a transaction that had no effect because of another
   *   one is not sent again
   */
  multiTogether(operations: readonly MultiOperation[], isAwaited: () => boolean): Promise<MultiResult>;
}

export type TransportState =
  | { readonly phase: 'connecting' }
  /** `sessionId` is 16 lower-case hexadecimal digits; `timeoutMs` is what the server granted. */
  | { readonly phase: 'connected'; readonly sessionId: string; readonly timeoutMs: number; readonly server: string }
  /** Connection lost (or silent for two thirds of the session); reconnecting to the same session. */
  | { readonly phase: 'disconnected'; readonly reason: string }
  /** The server said that the session has ended. */
  | { readonly phase: 'expired' }
  | { readonly phase: 'auth-failed'; readonly reason: string }
  | { readonly phase: 'closed' };

/** Failure of one attempt to connect to one server. */
export interface ConnectionFault {
  /** `host:port` */
  readonly server: string;
  /** The server's behaviour, in words that follow its name: `refuses connections`. The same for each such attempt. */
  readonly problem: string;
  /** The message of the operating system or of the client, without a full stop. */
  readonly detail: string;
  /** Advice, as a sentence. */
  readonly cure: string;
}

export type CreateMode = 'persistent' | 'ephemeral' | 'ephemeral-sequential' | 'container';

export interface CreateResult {
  /** The full path, with the sequence number if the mode is sequential. */
  readonly path: string;
  readonly zxid: bigint;
}

/** The parts of ZooKeeper's Stat that are used. */
export interface Stat {
  readonly czxid: bigint;
  readonly mzxid: bigint;
  /** Milliseconds since 1970 of the creation, by the server's clock. */
  readonly ctime: number;
  /** Milliseconds since 1970 of the last write, by the server's clock. */
  readonly mtime: number;
  readonly version: number;
  /** Number of changes in the list of children. */
  readonly cversion: number;
  /** Session that owns the node, 16 hexadecimal digits; `undefined` for all but ephemeral nodes. */
  readonly ephemeralOwner: string | undefined;
  readonly numChildren: number;
}

export type MultiOperation =
  | { readonly type: 'check'; readonly path: string; readonly version: number }
  | { readonly type: 'create'; readonly path: string; readonly data: Buffer; readonly mode: CreateMode }
  | { readonly type: 'setData'; readonly path: string; readonly data: Buffer; readonly version: number }
  | { readonly type: 'delete'; readonly path: string; readonly version: number };

export interface MultiResult {
  /** The number of the transaction. */
  readonly zxid: bigint;
  /** For each operation: the stat of a `setData`, `undefined` for others. */
  readonly stats: readonly (Stat | undefined)[];
}

export interface WatchEvent {
  readonly type: 'created' | 'deleted' | 'changed' | 'children';
  readonly path: string;
  /** The transaction that caused the event, if the server sends it (3.9 and later). */
  readonly zxid?: bigint;
}

/** Names of the error codes that are distinguished; any other code is `OTHER`. */
export type ZooKeeperErrorName =
  | 'CONNECTION_LOSS'
  | 'OPERATION_TIMEOUT'
  | 'NO_NODE'
  | 'NO_AUTH'
  | 'BAD_VERSION'
  | 'NO_CHILDREN_FOR_EPHEMERALS'
  | 'NODE_EXISTS'
  | 'NOT_EMPTY'
  | 'SESSION_EXPIRED'
  | 'INVALID_ACL'
  | 'AUTH_FAILED'
  | 'SESSION_MOVED'
  | 'UNIMPLEMENTED'
  | 'QUOTA_EXCEEDED'
  | 'THROTTLED'
  | 'TOO_LARGE'
  | 'OTHER';

/** An operation of a transport failed. */
export class ZooKeeperError extends Error {
  override readonly name = 'ZooKeeperError';
  constructor(
    readonly errorName: ZooKeeperErrorName,
    /** The server's number, such as −101. */
    readonly errorCode: number,
    message: string,
    /**
     * True if the request had been handed to the connection before it broke, so that a write may have happened. A
     * request refused because the transport was not connected has had no effect.
     */
    readonly outcomeUnknown: boolean = false,
    /** For a refused `multi`: index of the operation that did not fit. */
    readonly failedIndex?: number,
  ) {
    super(message);
  }
}

/** Servers, timeouts and credentials of a transport. */
export interface ZooKeeperConnection {
  /** The servers, in any order. */
  readonly servers: readonly { readonly host: string; readonly port: number }[];
  /** Path put before every path of this transport, such as `/orders`; empty for none. */
  readonly chroot: string;
  readonly sessionTimeoutMs: number;
  readonly connectionTimeoutMs: number;
  /**
   * `user:password`: authenticate with scheme `digest` at the start of each connection, and create every node with the
   * ACL creator-all.
   */
  readonly digest: string | undefined;
}
