/**
 * The registry centre: a small tree of text nodes that all instances of all jobs share, with sessions.
 *
 * This file is a port. It knows no jobs, and the kernel knows nothing else of ZooKeeper, PostgreSQL, etcd or the
 * embedded registry. It asks for what the kernel needs, not for what one of them happens to have. Every implementation
 * keeps these promises, which `registryCenterContract` of `nestjs-elasticjob/testing` checks one by one:
 *
 * 1. **Absence is an answer, silence is not.** A node that is not there is `undefined` or `[]`. A registry that does
 *    not answer is a `RegistryUnavailableError`; a write whose answer was lost is a `RegistryOutcomeUnknownError`.
 *    Neither is ever reported as absence. No call waits longer than the implementation's operation timeout. While the
 *    session is not connected, a call is refused: at once, or after a wait for the connection. A call never goes on in
 *    the next session.
 * 2. **A lost race is `false`.** `create` and `remove` return true if *this* call made the change. Code that acts
 *    only on `true` can repeat a stale decision without harm.
 * 3. **A commit happens as a whole or not at all**, at one point of a history. Each child of the namespace's node (each
 *    job) has one history with all that is below it. Every change has a revision: all changes of a commit have the same
 *    one, and later changes in the same history have greater ones. Revisions of different histories must not be compared.
 *    Revisions are integers that a `number` holds exactly. They never go back, not even when the registry has lost its
 *    latest commits: fencing tokens are made of them. `limits` says how much a commit may hold: a commit within the
 *    limits is accepted, a larger one is refused and changes nothing.
 * 4. **A session node lives exactly as long as its session.** A short loss of connection removes nothing. When the
 *    session ends, all its nodes vanish, and no others.
 * 5. **A mirror shows moments, never mixtures.** A mirror shows the subtree as it was at one revision; it only moves
 *    forward; after any disconnection it converges by itself. Reading it costs no request. A mirror of `/` shows
 *    one moment of each history. A mirror that its user has narrowed to some of its subtrees keeps this promise for
 *    them; see `Mirror.narrow`, which an implementation may refuse.
 * 6. **At most one session holds a path exclusively.** A hold passes on when its session ends.
 *
 * Paths are absolute within the namespace: `/job/config`. `create` and `put` create missing parents with the node,
 * persistent and empty; a commit does not. Values are text; the empty text is a value. The node `/` always exists, is
 * empty, and is never removed. A commit or a value beyond `limits`, a path with an empty, `.` or `..` part or a NUL
 * character, and a child of a session node are refused (`RegistryRefusedError`), before anything is sent where that can
 * be told. An implementation refuses other texts that it cannot store likewise.
 *
 * An implementation needs a source for each of these: the end of a session, noticed by the others after the timeout and
 * about a second more; revisions; the order of holds; and, if it has one, `time`. Each member below says which.
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
 * *Suspended*: the registry has not answered for two thirds of the session timeout, or the connection broke. We do not
 * know whether peers still see our session nodes, so nothing new may be started. *Lost*: the session has ended, or may
 * have ended by our own clock; peers may own items that were ours. An implementation reports `lost` before any peer can
 * see our session nodes gone, provided that this process gets to run.
 */
import { type RegistryCredentialsError, type RegistryIncompatibleError } from '../api/errors/errors.js';
import { type ServerReport } from '../api/servers/server-report.js';

/** A registry centre. The top of this file has the promises that every implementation keeps. */
export interface RegistryCenter {
  /** One line that names the kind and the place, for logs: `ZooKeeper at host:2181, namespace 'orders'`. */
  readonly description: string;
  /**
   * The session of this registry centre object, of which there is one at a time. Its source is the server's own notion
   * of a client that lives (ZooKeeper's session, etcd's lease), or a row that heartbeats prolong by the server's clock.
   */
  readonly session: Session;
  /**
   * Limits of one commit. They stay the same as long as the registry centre exists, and are known before it is
   * connected.
   */
  readonly limits: CommitLimits;

  /**
   * Starts connecting and returns at once; `session` reports when it is connected. Goes on trying until `close()`.
   * Calling it again does nothing.
   */
  connect(): void;

  /** The path as operators' tools show it, with the namespace: `/orders/job/config` for `/job/config`. */
  fullPath(path: string): string;

  /**
   * The node's value, or `undefined` if there is no such node: as of a moment after the call began, so that it shows
   * each write that any session had its answer to before.
   * @throws RegistryUnavailableError if the registry centre does not answer
   */
  get(path: string): Promise<string | undefined>;

  /**
   * Names of the node's direct children in no particular order, as of a moment after the call began; `[]` if there are
   * none or there is no such node.
   * @throws RegistryUnavailableError if the registry centre does not answer
   */
  children(path: string): Promise<readonly string[]>;

  /**
   * Reads many nodes with few requests: for each path, in order, the node or `undefined` if there is none. Each node is
   * as of a moment after the call began, not all of the same moment; a mirror shows one moment. No paths: `[]`.
   * @throws RegistryUnavailableError if the registry centre does not answer
   */
  getAll(paths: readonly string[]): Promise<readonly (MirroredNode | undefined)[]>;

  /**
   * As `children`, for many nodes with few requests: for each path, in order, the names of its children.
   * @throws RegistryUnavailableError if the registry centre does not answer
   */
  childrenOfAll(paths: readonly string[]): Promise<readonly (readonly string[])[]>;

  /**
   * Creates the node and its missing parents.
   * @returns true if this call has created it; false if it was there already, and has not been changed
   * @throws RegistryRefusedError if the value is too large, or the parent is a session node
   * @throws RegistryUnavailableError if nothing was changed; RegistryOutcomeUnknownError if that is not known
   */
  create(path: string, value: string, lifetime?: Lifetime): Promise<boolean>;

  /**
   * Writes the node's value, creating it (persistent) with its missing parents if it is not there. A session node that
   * is written keeps its session. Throws as `create` does.
   */
  put(path: string, value: string): Promise<void>;

  /**
   * Removes the node and all below it. Siblings such as `/10` beside `/1` stay. Throws as `create` does.
   * @returns true if this call has removed it; false if there was no such node
   */
  remove(path: string): Promise<boolean>;

  /**
   * Carries out all operations at one revision, or none. Operations on different paths see what earlier ones did: a
   * parent that is created first, a child that is removed first. At most one operation of a commit changes a path, and a
   * `check` of that path comes before it: an implementation may refuse any other commit (`replace` is for a node that is
   * removed and created again). Our own mirrors show the commit after `await mirror.sync()` at the latest. The source of
   * revisions is a counter that the server raises with each commit and keeps (ZooKeeper's zxid, etcd's revision), or one
   * that is never below the server's clock, so that it survives the loss of the latest commits.
   * @returns the revision of the commit; that of a commit that only checks is not the revision of any node
   * @throws RegistryConflictError if an operation does not fit; nothing was changed then. The error carries the path of
   *   the first one that does not, and a reason: `exists` (create), `absent` (no such node, or no parent for a create),
   *   or `changed` (another version, or a remove or replace of a node that has children). An implementation whose
   *   registry says only that a commit does not fit reads the nodes to find out
   * @throws RegistryRefusedError if the commit exceeds `limits`; nothing was changed then. `commitChunks` cuts
   *   operations that need not be one commit
   * @throws RegistryUnavailableError if nothing was changed; RegistryOutcomeUnknownError if that is not known
   */
  commit(operations: readonly Operation[]): Promise<number>;

  /**
   * Opens a local copy of the subtree at `path`, kept up to date until it is closed; resolves once it is complete.
   * The subtree need not exist. The source of its changes is a feed in the order of commits that names what it has left
   * out after a disconnection, or shows that something is missing, so that the mirror reads the subtree again.
   * @throws RegistryUnavailableError if the subtree cannot be read now
   */
  mirror(path: string, options?: MirrorOptions): Promise<Mirror>;

  /**
   * Runs `task` while this call holds `path` against all other sessions and all other calls in this session. Waits at
   * most `timeoutMs` for the hold. Holders follow each other in the order in which they asked. The task's signal aborts
   * as soon as the connection breaks or the session ends: the hold may be lost then, and what the task does afterwards
   * is not protected. The promise rejects with the task's own error. If the place in the queue cannot be given up at
   * once, it is given up when the same session is connected again, or when that session ends. How an implementation keeps
   * the queue is its own affair; nodes that it keeps for it are below `path`. The source of the order is the order of
   * commits: a session node for each call, with a number or a revision that grows.
   * @param timeoutMs longest wait for the hold, in milliseconds; the task may take as long as it likes
   * @throws DeadlineExceededError if the hold was not obtained in time; names the session of the present holder
   * @throws RegistryUnavailableError if the connection broke before the hold was obtained; the task has not run
   */
  exclusively<T>(path: string, timeoutMs: number, task: (signal: AbortSignal) => Promise<T>): Promise<T>;

  /**
   * The registry's own time in milliseconds since 1970, read between question and answer. An implementation that learns
   * it only from a write may write `path`, a node used for nothing else. Absent if the registry has no clock that can be
   * asked: then a job with `maxTimeDiffSeconds` is refused at start.
   * @throws RegistryUnavailableError if the registry centre does not answer
   */
  time?(path: string): Promise<number>;

  /**
   * Identity of this tree. A client that was away compares it with the one that it knew, and so distinguishes a node
   * that was removed from a tree that came back without the node. `undefined`: the namespace has no node yet. The
   * answer may be as old as the session.
   * @throws RegistryUnavailableError if the registry centre does not answer
   */
  lineage(): Promise<Lineage | undefined>;

  /**
   * Finds, among these nodes, those that anyone may change although this registry centre has credentials and protects
   * the nodes that it writes. Absent if there are no access rules; the result is empty without credentials.
   * @returns those of `paths`, in their order
   * @throws RegistryUnavailableError if the registry centre does not answer
   */
  openNodes?(paths: readonly string[]): Promise<readonly string[]>;

  /**
   * The state of the servers, for the doctor; `kind: 'OTHER'` for servers that it has no checks of their own for. Absent:
   * the doctor reports that it has not examined the servers.
   * @throws RegistryUnavailableError if they do not answer
   */
  serverReport?(): Promise<ServerReport>;

  /**
   * Ends the session, so that its nodes vanish at once if the registry can be reached, and closes all mirrors. Waits at
   * most for the deadline of one request, and never throws because of the registry. Calling it again does nothing.
   */
  close(): Promise<void>;
}

/** Identity of a tree, which distinguishes it from another one in its place. */
export interface Lineage {
  /** Differs if the data were lost, or the whole namespace was removed and the namespace's node was created again. */
  readonly id: string;
  /**
   * Grows when a child of the namespace's node comes or goes, and perhaps at other times; smaller than before only if
   * an older tree has taken the place of this one, as one from a backup has.
   */
  readonly changes: number;
}

/**
 * How much one commit may hold. A commit that is exactly at the limits is accepted; with one operation or one byte more
 * it is refused. The size of a commit is the sum of the sizes of its operations, and the size of an operation is
 * `overheadBytes` plus the lengths of its path and of its value (if it has one) as UTF-8; a `replace` counts as a
 * `remove` and a `create`. See `operationBytes`.
 */
export interface CommitLimits {
  /** Most operations of one commit. */
  readonly operations: number;
  /** Greatest size of one commit, in bytes. */
  readonly bytes: number;
  /** Bytes of one operation besides its path and its value; at least as many as it really takes. */
  readonly overheadBytes: number;
  /** Greatest length of one value as UTF-8, in bytes. The commit that writes it must be within `bytes`, too. */
  readonly valueBytes: number;
}

/** How long a node lives: until it is removed, or as long as the session that created it. */
export type Lifetime = 'persistent' | 'session';

/** One part of a commit. `version` is the number that `MirroredNode` carries. */
export type Operation =
  /** Fits if the node exists and, if given, has that version. Changes nothing. */
  | { readonly type: 'check'; readonly path: string; readonly version?: number }
  /** Fits if the node does not exist; its parent must exist or be created earlier in the same commit. */
  | { readonly type: 'create'; readonly path: string; readonly value: string; readonly lifetime?: Lifetime }
  /** Fits if the node exists and, if given, has that version. */
  | { readonly type: 'set'; readonly path: string; readonly value: string; readonly version?: number }
  /**
   * Fits if the node exists, has no children and, if given, that version. Another node takes its place, with a lifetime
   * of its own: persistent, if none is given.
   */
  | {
      readonly type: 'replace';
      readonly path: string;
      readonly value: string;
      readonly lifetime?: Lifetime;
      readonly version?: number;
    }
  /** Fits if the node exists, has no children and, if given, that version. */
  | { readonly type: 'remove'; readonly path: string; readonly version?: number };

/** The state of the session. A session that ended is followed by a new one with another id. */
export type SessionState =
  /** Not connected yet: for the first time, or with a new session after a lost one was reported. */
  | { readonly phase: 'connecting' }
  | { readonly phase: 'connected'; readonly id: string }
  /** The registry has not answered for too long, or the connection broke: the session may live or not. */
  | { readonly phase: 'suspended'; readonly id: string }
  /** The session has ended, or may have ended by our own clock. */
  | { readonly phase: 'lost'; readonly id: string; readonly reason: string }
  /**
   * The registry refuses us for good (wrong credentials, data of another version), which is the `refusal`, or `close()`
   * was called.
   */
  | {
      readonly phase: 'closed';
      readonly reason: string;
      readonly refusal?: RegistryCredentialsError | RegistryIncompatibleError;
    };

/** The session with the registry centre. */
export interface Session {
  readonly state: SessionState;
  /** The session timeout in milliseconds that the registry granted; before the first connection, the requested one. */
  readonly timeoutMs: number;
  /**
   * The reason why the session is not connected, for people: the servers, and the problem of each. `undefined` while it
   * is connected, and if nothing is known.
   */
  readonly reason?: string | undefined;
  /**
   * True if the registry has confirmed nothing for two thirds of the timeout, by this process's clock. After a stall
   * that is so at once, although the session still counts as connected: it may be over, or not.
   */
  readonly isSilent: boolean;
  /**
   * Calls `listener` after each change of state, in order, with the state after the change.
   * A listener that throws does not keep others from being called. Returns a function that ends the subscription.
   */
  onChange(listener: (state: SessionState) => void): () => void;
}

/** A node as a mirror or `getAll` has it. */
export interface MirroredNode {
  /**
   * `undefined` only for nodes named by `MirrorOptions.presenceOnly` whose present value was not read. Their `version`,
   * `revision` and `session` are not known either. A value that is known is the present one.
   */
  readonly value: string | undefined;
  /**
   * 0 when created; each write of the value adds one, by whomever. As long as the node lives, equal versions mean the
   * same value. Starts at 0 again if the node is removed and created again in another commit; `replace` may start at 0
   * or go on.
   */
  readonly version: number;
  /**
   * Revision of the last write of the value. Grows along the whole history, over removal and re-creation too.
   */
  readonly revision: number;
  /** Id of the session the node lives with; `undefined` if it is persistent. */
  readonly session: string | undefined;
}

/** Options of a mirror. */
export interface MirrorOptions {
  /**
   * Nodes of which only the existence matters (argument: absolute path). The mirror may leave their values out, except
   * those that this registry centre object wrote itself; `load()` reads the others. A value that was read is forgotten,
   * or replaced by the new one, as soon as another session writes the node. An implementation that gets each value with
   * its change shows it. Promise 5 holds for these nodes with one exception: of a commit that changes only such nodes,
   * the mirror may show one node after the other.
   */
  readonly presenceOnly?: (path: string) => boolean;
  /**
   * Nodes whose changes are routine (argument: absolute path). Default: none. A mirror may show a commit of others that
   * changes only such nodes some seconds later than others, but never a later commit without it. See
   * `Mirror.significantChanges` and `Mirror.narrow`.
   */
  readonly isRoutine?: (path: string) => boolean;
}

/** A local copy of a subtree. It shows one moment of the tree, and moves forward only. */
export interface Mirror {
  /** The subtree's root. */
  readonly path: string;
  /**
   * All nodes of the subtree by absolute path, with its root if that exists, as of one moment. The map changes with the
   * mirror, before the listeners are called: copy it to keep a moment. The nodes never change.
   */
  readonly nodes: ReadonlyMap<string, MirroredNode>;
  /** Grows whenever `nodes` changes. */
  readonly moment: number;
  /**
   * Paths whose node has changed, come or gone since the mirror was at `moment`; some may occur twice. `undefined`:
   * they are not known any more, so everything may have changed.
   */
  changesSince(moment: number): readonly string[] | undefined;
  /**
   * Grows with each change of `nodes` that is not routine, and whenever the whole subtree has been read again. May grow
   * with routine changes, too: an implementation that cannot distinguish them returns `moment`.
   */
  readonly significantChanges: number;
  /** False while disconnected, and from a failed reading until the next complete one: the copy may be out of date. */
  readonly isCurrent: boolean;
  /** Calls `listener` after `nodes` or `isCurrent` has changed; once for several changes that come together. */
  onChange(listener: () => void): () => void;
  /**
   * Resolves once the mirror shows everything that was committed before the call, by any session. With several servers
   * that answer, such as ZooKeeper's, it may miss a change that another server has confirmed in the same moment: rely on
   * the order of commits, not on the order in which different servers answer.
   * @throws RegistryUnavailableError if that cannot be established now
   */
  sync(): Promise<void>;
  /**
   * Resolves once all values are known that were `undefined` at the call.
   * @throws RegistryUnavailableError if they cannot be read now
   */
  load(): Promise<void>;
  /**
   * Makes the mirror follow only these subtrees of its own, given by their roots, without changes elsewhere: the nodes
   * it shows there may be out of date. It follows everything again upon the first change in them that is not routine, a
   * write of this registry centre object outside of them, `sync`, `load`, `widen`, or a new connection. It shows
   * nothing of such a change before it has read everything: promise 5 holds for that moment and all later ones.
   *
   * An implementation that always follows everything returns `false`; then `isNarrowed` and `isWidening` are never
   * true, and `widen` has nothing to do.
   * @returns true if it is narrowed now: not while it is out of date or narrowed already, nor if a change that is not
   *   routine happened meanwhile, or its event has arrived and does not show yet, nor if another user of this registry
   *   centre object follows the same subtree
   */
  narrow(subtrees: readonly string[]): Promise<boolean>;
  /** True if the mirror follows only a part of its subtree. */
  readonly isNarrowed: boolean;
  /**
   * True if it follows everything again and has not read everything yet: it shows the same nodes as before, without
   * later writes, our own included. `onChange` calls its listeners when that is over.
   */
  readonly isWidening: boolean;
  /** Follows the whole subtree again, if it does not. The mirror catches up soon; `sync` resolves when it has. */
  widen(): void;
  /** Ends the copy: it keeps showing its last moment, is not current, and calls no listener. */
  close(): void;
}
