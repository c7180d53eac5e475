/**
 * A client of ZooKeeper's wire protocol on nothing but Node's own sockets.
 *
 * Read this file for the operations, then `session.ts` for the session's life. The parts, from users down to bytes:
 *
 *     ZooKeeperClient     operations, paths below the chroot, access rules
 *         │
 *     Session             dials, reconnects, matches answers with requests, re-sends watches
 *         ├── ServerList        which server next, and when
 *         ├── shakeHands        session, digest, SASL: before the first request of each connection
 *         ├── KeepAlive         pings, and the verdict that a server is silent
 *         ├── PendingRequests   requests that wait for an answer, oldest first
 *         ├── PersistentWatches watches to set again after a reconnection
 *         └── Connection        one socket: frames out (one write per tick), messages in
 *                 └── FrameReader, JuteReader, JuteWriter; messages.ts holds the shapes
 *
 * The *server* decides whether a session lives; the client learns of its end only on contact. The client never retries
 * a request and keeps no copy of any data: its user does that.
 *
 *     connecting ──▶ connected ⇄ disconnected ──▶ expired         the server says so, after a reconnection
 *         └──────────────┴─────────────┴────────▶ auth-failed     credentials refused
 *                                      └────────▶ closed          close() was called
 *
 * On failure:
 *
 * - The client closes a connection that breaks, that is silent for two thirds of the session timeout, or on which a
 *   malformed message arrives. All pending requests reject with CONNECTION_LOSS and say whether they may have been
 *   carried out. The next server is dialled at once; the client pauses only after all servers have failed or dropped it
 *   within a second.
 * - A request made while not connected rejects at once. The client refuses a request that is too large, since the
 *   server would drop the connection.
 * - Watches are set again on each connection, before any request. Changes in between are *not* reported: read again.
 * - The client accepts no read-only servers. It uses the configured list of servers and does not follow changes of the
 *   ensemble.
 *
 * Requests are answered in order. A watch event is delivered while its message is read, whereas an answer resolves a
 * promise: code may see an event before the answer that preceded it, but never after an answer that followed it.
 */
import {
  type ConnectionFault,
  type CreateMode,
  type CreateResult,
  type MultiOperation,
  type MultiResult,
  type Stat,
  type TransportState,
  type WatchEvent,
  type ZooKeeperConnection,
  ZooKeeperError,
  type ZooKeeperTransport,
} from '../transport.js';
import { pathsInWords } from '../../node-paths.js';
import { Chroot } from './chroot.js';
import { ErrorCode, refusal } from './error-codes.js';
import * as messages from './wire/messages.js';
import { type MultiPart, type MultiPartAnswer, multi, multiPart, multiRead } from './wire/multi-messages.js';
import { type Reply, Session, sessionIdText, type SessionOptions } from './session.js';

/** Settings of a client: the clock, where to log, TLS, and SASL credentials. */
export type ZooKeeperClientOptions = SessionOptions;

const ANY_VERSION = -1;
const WATCHER_TYPE_ANY = 3;
const WATCH_MODE_PERSISTENT_RECURSIVE = 1;

const CREATE_FLAGS: Readonly<Record<CreateMode, number>> = {
  persistent: 0,
  ephemeral: 1,
  'ephemeral-sequential': 3,
  container: 4,
};

const EVENT_TYPES: Readonly<Record<number, WatchEvent['type']>> = {
  1: 'created',
  2: 'deleted',
  3: 'changed',
  4: 'children',
};

const ALL_PERMISSIONS = 31;
/** Write, create, delete and administer. */
const CHANGING = 30;
const OPEN_TO_ALL: readonly messages.Acl[] = [{ permissions: ALL_PERMISSIONS, scheme: 'world', id: 'anyone' }];
/** All permissions for clients with the creator's credentials, none for others (ZooKeeper's CREATOR_ALL_ACL). */
const CREATOR_ONLY: readonly messages.Acl[] = [{ permissions: ALL_PERMISSIONS, scheme: 'auth', id: '' }];

/** The first-party ZooKeeper client: one session, from `connect()` until it expires or is closed. */
export class ZooKeeperClient implements ZooKeeperTransport {
  onState: (state: TransportState) => void = () => undefined;
  onWatch: (event: WatchEvent) => void = () => undefined;
  onFault: (fault: ConnectionFault) => void = () => undefined;
  readonly #session: Session;
  readonly #chroot: Chroot;
  readonly #acl: readonly messages.Acl[];

  constructor(connection: ZooKeeperConnection, options: ZooKeeperClientOptions) {
    this.#chroot = new Chroot(connection.chroot);
    this.#acl = connection.digest === undefined ? OPEN_TO_ALL : CREATOR_ONLY;
    this.#session = new Session(connection, options, {
      onState: (state) => this.onState(state),
      onFault: (fault) => this.onFault(fault),
      onWatch: (type, path, zxid) => this.#onWatch(type, path, zxid),
    });
  }

  get state(): TransportState {
    return this.#session.state;
  }

  get lastHeardAt(): number {
    return this.#session.lastHeardAt;
  }

  get renewedAt(): number {
    return this.#session.renewedAt;
  }

  connect(): void {
    this.#session.connect();
  }

  acceptOlderData(): void {
    this.#session.acceptOlderData();
  }

  close(): Promise<void> {
    return this.#session.close();
  }

  async create(path: string, data: Buffer, mode: CreateMode): Promise<CreateResult> {
    const operation = mode === 'container' ? messages.createContainer : messages.create;
    const { answer } = await this.#ask(operation, path, this.#createQuestion({ path, data, mode }));
    return { path: this.#chroot.relative(answer.path) ?? answer.path, zxid: answer.stat.czxid };
  }

  async delete(path: string, version = ANY_VERSION): Promise<void> {
    await this.#ask(messages.remove, path, { path: this.#chroot.absolute(path), version });
  }

  async exists(path: string): Promise<Stat | undefined> {
    try {
      const { answer } = await this.#ask(messages.exists, path, this.#unwatched(path));
      return toStat(answer.stat);
    } catch (error) {
      if (error instanceof ZooKeeperError && error.errorName === 'NO_NODE') return undefined;
      throw error;
    }
  }

  async getData(path: string): Promise<{ readonly data: Buffer; readonly stat: Stat }> {
    const { answer } = await this.#ask(messages.getData, path, this.#unwatched(path));
    return { data: answer.data, stat: toStat(answer.stat) };
  }

  async setData(path: string, data: Buffer, version = ANY_VERSION): Promise<Stat> {
    const { answer } = await this.#ask(messages.setData, path, { path: this.#chroot.absolute(path), data, version });
    return toStat(answer.stat);
  }

  async getChildren(path: string): Promise<readonly string[]> {
    const { answer } = await this.#ask(messages.getChildren, path, this.#unwatched(path));
    return answer.children;
  }

  async isOpen(path: string): Promise<boolean> {
    const { answer } = await this.#ask(messages.getAcl, path, { path: this.#chroot.absolute(path) });
    return answer.acl.some(({ scheme, permissions }) => scheme === 'world' && (permissions & CHANGING) !== 0);
  }

  async sync(path: string): Promise<void> {
    await this.#ask(messages.sync, path, { path: this.#chroot.absolute(path) });
  }

  async multi(operations: readonly MultiOperation[]): Promise<MultiResult> {
    const parts = operations.map((operation) => this.#part(operation));
    const { answer, zxid } = await this.#ask(multi, pathsInWords(operations.map(({ path }) => path)), parts);
    throwIfRefused(answer, operations);
    return { zxid: transactionOf(answer) ?? zxid, stats: answer.map(statOfWritten) };
  }

  async multiRead(paths: readonly string[]): ReturnType<ZooKeeperTransport['multiRead']> {
    const parts = paths.map((path) => multiPart(messages.getData, this.#unwatched(path)));
    const { answer } = await this.#ask(multiRead, pathsInWords(paths), parts);
    return paths.map((path, index) => readPart(answer[index], path, index));
  }

  async multiList(paths: readonly string[]): ReturnType<ZooKeeperTransport['multiList']> {
    const parts = paths.map((path) => multiPart(messages.getChildren, this.#unwatched(path)));
    const { answer } = await this.#ask(multiRead, pathsInWords(paths), parts);
    return paths.map((path, index) => {
      const part = answer[index];
      return part?.type === 'children' ? part.names : absentOrRefused(part, 'list the children of', path, index);
    });
  }

  async addWatch(path: string): Promise<void> {
    const watched = this.#chroot.absolute(path);
    // Before the answer, so that a removal that comes before the answer is not undone.
    const takeBack = this.#session.watches.add(watched);
    try {
      await this.#ask(messages.addWatch, path, { path: watched, mode: WATCH_MODE_PERSISTENT_RECURSIVE });
    } catch (error) {
      takeBack();
      throw error;
    }
  }

  /** The watch is not set again after a reconnection, even if the request fails. A missing watch is no error. */
  async removeWatch(path: string): Promise<void> {
    const watched = this.#chroot.absolute(path);
    this.#session.watches.delete(watched);
    try {
      await this.#ask(messages.removeWatches, path, { path: watched, type: WATCHER_TYPE_ANY });
    } catch (error) {
      if (!(error instanceof ZooKeeperError) || error.errorCode !== ErrorCode.noWatcher) throw error;
    }
  }

  #ask<Question, Answer>(
    operation: messages.Operation<Question, Answer>,
    path: string,
    question: Question,
  ): Promise<Reply<Answer>> {
    return this.#session.request(operation, question, path);
  }

  #unwatched(path: string): { readonly path: string; readonly watch: boolean } {
    return { path: this.#chroot.absolute(path), watch: false };
  }

  #createQuestion({ path, data, mode }: { readonly path: string; readonly data: Buffer; readonly mode: CreateMode }) {
    return { path: this.#chroot.absolute(path), data, acl: this.#acl, flags: CREATE_FLAGS[mode] };
  }

  #part(operation: MultiOperation): MultiPart {
    const path = this.#chroot.absolute(operation.path);
    switch (operation.type) {
      case 'check':
        return multiPart(messages.check, { path, version: operation.version });
      case 'create':
        return multiPart(
          operation.mode === 'container' ? messages.createContainer : messages.createPart,
          this.#createQuestion(operation),
        );
      case 'setData':
        return multiPart(messages.setData, { path, data: operation.data, version: operation.version });
      case 'delete':
        return multiPart(messages.remove, { path, version: operation.version });
      default:
        return operation satisfies never;
    }
  }

  #onWatch(typeNumber: number, absolutePath: string, zxid: bigint): void {
    const type = EVENT_TYPES[typeNumber];
    const path = this.#chroot.relative(absolutePath);
    // Other types report the session's state or a removed watch; both are known otherwise.
    if (type === undefined || path === undefined) return;
    this.onWatch(zxid > 0n ? { type, path, zxid } : { type, path });
  }
}

function toStat(stat: messages.StatRecord): Stat {
  const { czxid, mzxid, version, cversion, numChildren } = stat;
  return {
    czxid,
    mzxid,
    ctime: Number(stat.ctime),
    mtime: Number(stat.mtime),
    version,
    cversion,
    ephemeralOwner: ownerOf(stat.ephemeralOwner),
    numChildren,
  };
}

/**
 * The owner, if there is one. The server also marks containers (only the top bit) and nodes with a time to live (top
 * byte 0xff) in this field.
 */
function ownerOf(ephemeralOwner: bigint): string | undefined {
  const owner = BigInt.asUintN(64, ephemeralOwner);
  const isMark = owner === 0n || owner === 1n << 63n || owner >> 56n === 0xffn;
  return isMark ? undefined : sessionIdText(owner);
}

/**
 * Throws if a transaction was refused. The server marks the parts before the refused one with 0, those after it as not
 * tried.
 */
function throwIfRefused(answers: readonly MultiPartAnswer[], operations: readonly MultiOperation[]): void {
  const errors = answers.map((part) => (part.type === 'failed' ? part.error : undefined));
  const isCulprit = (error?: number): boolean =>
    error !== undefined && error !== ErrorCode.ok && error !== ErrorCode.runtimeInconsistency;
  const culprit = errors.findIndex(isCulprit);
  const failedIndex = culprit >= 0 ? culprit : errors.findIndex((error) => error !== undefined);
  const failed = operations[failedIndex];
  if (failedIndex < 0) return;
  throw refusal(
    errors[failedIndex] ?? ErrorCode.runtimeInconsistency,
    failed?.type ?? 'commit',
    failed?.path ?? '',
    failedIndex,
  );
}

/** The exact number of the transaction, if a part has it. On a busy server, the header may have that of a later one. */
function transactionOf(answers: readonly MultiPartAnswer[]): bigint | undefined {
  for (const part of answers) {
    if (part.type === 'created' && part.stat) return part.stat.czxid;
    if (part.type === 'written') return part.stat.mzxid;
  }
  return undefined;
}

function statOfWritten(part: MultiPartAnswer): Stat | undefined {
  return part.type === 'written' ? toStat(part.stat) : undefined;
}

function readPart(
  part: MultiPartAnswer | undefined,
  path: string,
  index: number,
): { readonly data: Buffer; readonly stat: Stat } | undefined {
  if (part?.type === 'data') return { data: part.data, stat: toStat(part.stat) };
  return absentOrRefused(part, 'read', path, index);
}

function absentOrRefused(part: MultiPartAnswer | undefined, verb: string, path: string, index: number): undefined {
  const error = part?.type === 'failed' ? part.error : ErrorCode.marshalling;
  if (error === ErrorCode.noNode) return undefined;
  throw refusal(error, verb, path, index);
}
