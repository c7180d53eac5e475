/**
 * The registry centre: a small tree of text nodes that all instances of all jobs share, with sessions.
 *
 * This file is a port. It knows no jobs, and the kernel knows nothing else of ZooKeeper, etcd or the embedded registry.
 * Every implementation keeps these promises, which `test/registry/registry-center.contract.ts` checks one by one:
 *
 * 1. **Absence is an answer, silence is not.** A node that is not there is `undefined` or `[]`. A registry that does not
 *    answer is a `RegistryUnavailableError`; a write whose answer got lost is a `RegistryOutcomeUnknownError`. Neither is
 *    ever reported as absence. While the session is not connected, every call is refused at once; no call waits longer than
 *    the implementation's operation timeout.
 * 2. **A lost race is `false`.** `create` and `remove` say whether *this* call did it. Who acts only on `true` can repeat
 *    a stale decision without harm.
 * 3. **A commit happens as a whole or not at all**, at one point of the tree's one history. Every change has a revision;
 *    all changes of a commit have the same one, and later changes have greater ones.
 * 4. **A session node lives exactly as long as its session.** A short loss of connection removes nothing. When the session
 *    ends, all its nodes vanish, and nobody else's.
 * 5. **A mirror shows moments, never mixtures.** What a mirror shows is the subtree as it was at one revision; it only moves
 *    forward; after any disconnection it converges by itself. Reading it costs no request.
 * 6. **At most one session holds a path exclusively.** A hold passes on when its session ends.
 *
 * Paths are absolute within the namespace: `/job/config`. Missing parents are created with the node, persistent and empty.
 * Values are text; the empty text is a value. A commit beyond `limits` is refused (`RegistryRefusedError`), and so are a
 * path with an empty, `.` or `..` part, and a child of a session node.
 *
 * ```
 *            ┌──────────────┐ answer lost ┌───────────┐ session time passed ┌──────┐
 *  connect   │              ├────────────▶│           ├────────────────────▶│      │
 *  ─────────▶│  connected   │             │ suspended │                     │ lost │
 *            │              │◀────────────┤           │                     │      │
 *            └──────────────┘ same session└───────────┘                     └──┬───┘
 *                   ▲                      a new session, with a new id        │
 *                   └──────────────────────────────────────────────────────────┘
 * ```
 * *Suspended*: nothing was heard for two thirds of the session; we do not know whether peers still count us as living, so
 * nothing new may be started. *Lost*: the session may have ended (by our own clock, even if no server can be reached);
 * peers may own what was ours. An implementation reports `lost` before any peer can see our session nodes gone, as far
 * as this process gets to run at all.
 */
export interface RegistryCenter {
  /** One line that says what this is and where, for logs: `ZooKeeper at host:2181, namespace 'orders'`. */
  readonly description: string;
  readonly session: Session;
  /** How much one commit may hold. The same as long as the registry centre exists; known before it is connected. */
  readonly limits: CommitLimits;

  /**
   * Starts connecting and returns at once; the session tells when it is connected. Goes on trying until `close()`.
   * Calling it again does nothing.
   */
  connect(): void;

  /** The node's value as of now, or `undefined` if there is no such node. */
  get(path: string): Promise<string | undefined>;

  /** Names of the node's children in no particular order; `[]` if there are none or there is no such node. */
  children(path: string): Promise<readonly string[]>;

  /** Creates the node and its missing parents. `false`: it was there already, and is as it was. */
  create(path: string, value: string, lifetime?: Lifetime): Promise<boolean>;

  /** Writes the node's value, creating it (persistent) with its missing parents if it is not there. */
  put(path: string, value: string): Promise<void>;

  /** Removes the node and all below it. `false`: there was no such node. Siblings such as `/10` beside `/1` stay. */
  remove(path: string): Promise<boolean>;

  /**
   * Carries out all operations at one revision, or none. Later operations see what earlier ones did. Our own mirrors show
   * the commit after `await mirror.sync()` at the latest.
   * @returns the revision of the commit
   * @throws RegistryConflictError if one of them does not fit; nothing was changed then. It carries that operation's own
   *   path, and as its reason `exists` (create), `absent` (no such node, or no parent for a create), or `changed` (another
   *   version, or a remove of a node that has children)
   * @throws RegistryRefusedError if the commit exceeds `limits`; nothing was changed then. `commitChunks` cuts operations
   *   that may be committed one part after the other
   */
  commit(operations: readonly Operation[]): Promise<number>;

  /**
   * Opens a local copy of the subtree at `path`, kept up to date until it is closed; resolves once it is complete.
   * The subtree need not exist.
   */
  mirror(path: string, options?: MirrorOptions): Promise<Mirror>;

  /**
   * Runs `task` while holding `path` against every other session and every other holder in this one. Waits at most
   * `timeoutMs` for the hold.
   * Holders follow each other in the order in which they asked. The task's signal aborts as soon as the connection is
   * broken or the session over, when the hold may be lost; what is done after that is not protected. The task's own error is
   * passed on. A place in the queue that cannot be given up at once is given up when the same session is connected again.
   * Compatible with Curator's LeaderLatch where the implementation is ZooKeeper.
   * @throws DeadlineExceededError if the hold was not obtained in time; names the session of the present holder
   * @throws RegistryUnavailableError if the connection broke before the hold was obtained; the task has not run
   */
  exclusively<T>(path: string, timeoutMs: number, task: (signal: AbortSignal) => Promise<T>): Promise<T>;

  /** The registry's own time in milliseconds since 1970, obtained through `path`, a node used for nothing else. */
  time(path: string): Promise<number>;

  /** Ends the session, so that its nodes vanish at once if the registry can be reached, and closes all mirrors. */
  close(): Promise<void>;
}

/**
 * How much one commit may hold. A commit that is exactly at the limits is accepted; with one operation or one byte more
 * it is refused. The size of a commit is the sum of the sizes of its operations, and the size of an operation of any type
 * is `overheadBytes` plus the lengths of its path and of its value (if it has one) as UTF-8: see `operationBytes`.
 */
export interface CommitLimits {
  /** Most operations of one commit. */
  readonly operations: number;
  /** Greatest size of one commit, in bytes. */
  readonly bytes: number;
  /** What one operation takes besides its path and its value, in bytes; at least what it really takes. */
  readonly overheadBytes: number;
}

/** How long a node lives: until it is removed, or as long as the session that created it. */
export type Lifetime = 'persistent' | 'session';

/** One part of a commit. `version` is the number that `MirroredNode` carries; each write of a node's value increases it by one. */
export type Operation =
  /** Fits if the node exists and, if given, has that version. Changes nothing. */
  | { readonly type: 'check'; readonly path: string; readonly version?: number }
  /** Fits if the node does not exist; its parent must exist or be created earlier in the same commit. */
  | { readonly type: 'create'; readonly path: string; readonly value: string; readonly lifetime?: Lifetime }
  /** Fits if the node exists and, if given, has that version. */
  | { readonly type: 'set'; readonly path: string; readonly value: string; readonly version?: number }
  /** Fits if the node exists, has no children and, if given, that version. */
  | { readonly type: 'remove'; readonly path: string; readonly version?: number };

/** Where the session stands. A session that ended is followed by a new one with another id. */
export type SessionState =
  /** Never connected yet; also while a new session is being opened after a lost one was reported. */
  | { readonly phase: 'connecting' }
  | { readonly phase: 'connected'; readonly id: string }
  /** Nothing was heard for too long, or the connection broke: the session may live or not. */
  | { readonly phase: 'suspended'; readonly id: string }
  /** The session has ended, or must be taken to have ended. */
  | { readonly phase: 'lost'; readonly id: string; readonly reason: string }
  /** The registry refuses us for good (wrong credentials), or `close()` was called. */
  | { readonly phase: 'closed'; readonly reason: string };

/** The session with the registry centre. */
export interface Session {
  readonly state: SessionState;
  /** The session timeout in milliseconds that the registry granted; before the first connection, the one asked for. */
  readonly timeoutMs: number;
  /**
   * Calls `listener` after each change of state, in order, with the state after the change.
   * A listener that throws does not hurt others. Returns a function that ends the subscription.
   */
  onChange(listener: (state: SessionState) => void): () => void;
}

/** A node as a mirror has it. */
export interface MirroredNode {
  /**
   * `undefined` only for nodes named by `MirrorOptions.presenceOnly` whose present value was not read. Nothing else is known
   * of them either: do not rely on `version`, `revision` and `session` then.
   */
  readonly value: string | undefined;
  /** 0 when created; grows by one with each write of the value. Starts anew if the node is removed and created again. */
  readonly version: number;
  /** Revision of the last write of the value. Grows along the tree's whole history, over removal and re-creation too. */
  readonly revision: number;
  /** Id of the session the node lives with; `undefined` if it is persistent. */
  readonly session: string | undefined;
}

/** How a mirror is to be kept. */
export interface MirrorOptions {
  /**
   * Nodes of which only the existence matters (argument: absolute path). The mirror does not read their values when they
   * appear, unless it knows them because this registry centre object wrote them. `load()` reads them. A value that was
   * read is forgotten as soon as another session writes the node. Such nodes are exempt from promise 5 in that a commit
   * that touches nothing else may show one node after the other.
   */
  readonly presenceOnly?: (path: string) => boolean;
}

/** A local copy of a subtree. What it shows is one moment of the tree; it moves forward only. */
export interface Mirror {
  /** The subtree's root. */
  readonly path: string;
  /** All nodes of the subtree (the root included, if it exists) by absolute path, as of one moment. Immutable: a new map for each moment. */
  readonly nodes: ReadonlyMap<string, MirroredNode>;
  /** False while disconnected, or after a reading that failed, until the next complete one: the copy may be out of date. */
  readonly isCurrent: boolean;
  /** Calls `listener` after `nodes` or `isCurrent` has changed. Several changes may be told by one call. */
  onChange(listener: () => void): () => void;
  /**
   * Resolves once the mirror shows everything that was committed before the call, by whomever.
   * With ZooKeeper, a client of the leader may miss a change that a follower has confirmed in the same moment; nobody may
   * rely on the order of answers that different servers gave, only on that of commits.
   * @throws RegistryUnavailableError if that cannot be established now
   */
  sync(): Promise<void>;
  /**
   * Resolves once no node's value is `undefined` any more, as of the call.
   * @throws RegistryUnavailableError if they cannot be read now
   */
  load(): Promise<void>;
  /** Ends the copy: it keeps what it shows, is not current, and tells nothing any more. */
  close(): void;
}
