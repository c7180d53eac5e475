/**
 * The changes of the nodes of a namespace, as one connection receives them: one watch for all mirrors of a process.
 *
 * etcd sends each revision as a whole, in order. A response may hold several revisions, and never a part of one, since
 * this watch does not ask for fragments.
 *
 * **How far is it?** `reach` answers when everything has been passed on that was committed before the call. etcd can
 * be asked for the progress of a watch, but up to 3.4.24 and 3.5.7 it may report a revision whose events are still on
 * their way. So `reach` writes a mark: a key within the watched range that is no node's. When its event arrives, so has
 * all before. That takes one small write, for all mirrors that ask at the same time, on every version of etcd.
 *
 * A watch that has fallen behind by more than etcd remembers (compaction) ends the connection: on the next one mirrors
 * read everything again, as after any other outage.
 */
import { type JobLogger } from '../../api/text/logger.js';
import { SubtreeIndex } from '../subtree-index.js';
import { type EtcdClient, type EtcdStream } from './client/etcd-client.js';
import { EtcdError, Status } from './client/etcd-error.js';
import { EventType, type KeyRange, type WatchEvent, type WatchRequest, type WatchResponse } from './client/messages.js';
import { type EtcdKeys } from './etcd-keys.js';
import { leaseOf, nodeOf, type StoredNode } from './node-values.js';

/** A change of one node. */
export interface NodeChange {
  readonly path: string;
  /** The node after the change; `undefined`: it is gone. */
  readonly node: StoredNode | undefined;
  readonly revision: number;
}

/** Called with changes that arrived together, in their order. Must not throw. */
export type Follower = (changes: readonly NodeChange[]) => void;

/** The parts that a watch needs. */
export interface TreeWatchOptions {
  readonly client: Pick<EtcdClient, 'call' | 'open'>;
  readonly keys: EtcdKeys;
  readonly logger: JobLogger;
  readonly session: string;
  /** The watch begins after this revision. */
  readonly revision: number;
  /** The session's key was removed: its lease has ended. */
  readonly onSessionEnd: () => void;
  /** The watch cannot go on. */
  readonly onEnd: (error: EtcdError) => void;
}

interface Waiting {
  readonly revision: number;
  readonly resolve: () => void;
  readonly reject: (error: EtcdError) => void;
}

/** Ids of the watches in the stream. */
const NODES = 1;
const SESSION = 2;

/** See the top of the file. */
export class TreeWatch {
  readonly #options: TreeWatchOptions;
  readonly #stream: EtcdStream<WatchRequest>;
  readonly #followers = new SubtreeIndex<Follower>();
  /** The newest revision that was passed on. */
  #reached: number;
  #waiting: Waiting[] = [];
  /** The mark that is under way, and the one that follows it for those who asked since it was sent. */
  #marking: Promise<void> | undefined;
  #nextMark: Promise<void> | undefined;
  #end: EtcdError | undefined;

  constructor(options: TreeWatchOptions) {
    const { client, keys, session, revision } = options;
    this.#options = options;
    this.#reached = revision;
    this.#stream = client.open('watch', {
      onMessage: (response) => this.#onResponse(response),
      onEnd: (error) => this.#stop(error),
    });
    this.#create(NODES, keys.watched, revision);
    this.#create(SESSION, { key: keys.session(session) }, revision);
  }

  /** Passes on all later changes at `path` and below. Returns a function that ends it. */
  follow(path: string, follower: Follower): () => void {
    this.#followers.add(path, follower);
    return () => this.#followers.remove(path, follower);
  }

  /**
   * Resolves once everything was passed on that had been committed before the call.
   * @throws EtcdError if that cannot be found out
   */
  async reach(): Promise<void> {
    if (this.#marking === undefined) {
      this.#marking = this.#mark().finally(() => (this.#marking = undefined));
      return this.#marking;
    }
    this.#nextMark ??= this.#marking
      .catch(() => undefined)
      .then(() => {
        this.#nextMark = undefined;
        return this.reach();
      });
    return this.#nextMark;
  }

  /** Ends the watch; whoever waits for something is refused. */
  close(problem: string): void {
    this.#stop(new EtcdError(Status.unavailable, problem), { quietly: true });
    this.#stream.close();
  }

  async #mark(): Promise<void> {
    const { client, keys, session } = this.#options;
    if (this.#end) throw this.#end;
    const key = keys.mark(session);
    const { header } = await client.call('put', { key, value: Buffer.alloc(0), lease: leaseOf(session) });
    await this.#passed(Number(header.revision));
  }

  #passed(revision: number): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#end) return reject(this.#end);
      if (this.#reached >= revision) return resolve();
      this.#waiting.push({ revision, resolve, reject });
    });
  }

  #create(id: number, range: KeyRange, revision: number): void {
    this.#stream.send({ createRequest: { ...range, startRevision: revision + 1, watchId: id } });
  }

  #onResponse({ watchId, canceled, compactRevision, cancelReason, events }: WatchResponse): void {
    const id = Number(watchId);
    if (canceled) {
      const isCompacted = compactRevision !== '0';
      const reason = isCompacted ? `etcd has compacted what this watch needs (up to ${compactRevision})` : cancelReason;
      return this.#stop(new EtcdError(Status.outOfRange, reason === '' ? 'etcd has ended the watch' : reason));
    }
    if (events.length === 0) return;
    if (id === NODES) this.#passOn(events);
    else if (events.some(({ type }) => type === EventType.delete)) this.#options.onSessionEnd();
  }

  #passOn(events: readonly WatchEvent[]): void {
    const affected = new Map<Follower, NodeChange[]>();
    for (const { type, kv } of events) {
      const path = this.#options.keys.pathOf(kv.key);
      if (path === undefined) continue;
      const node = type === EventType.delete ? undefined : nodeOf(kv);
      const change = { path, node, revision: Number(kv.modRevision) };
      for (const follower of this.#followers.coveringPath(path)) {
        const seen = affected.get(follower);
        if (seen) seen.push(change);
        else affected.set(follower, [change]);
      }
    }
    for (const [follower, changes] of affected) follower(changes);
    const last = events.at(-1);
    if (last) this.#reached = Math.max(this.#reached, Number(last.kv.modRevision));
    const passed = this.#waiting.filter(({ revision }) => revision <= this.#reached);
    this.#waiting = this.#waiting.filter(({ revision }) => revision > this.#reached);
    for (const { resolve } of passed) resolve();
  }

  #stop(error: EtcdError, { quietly = false }: { readonly quietly?: boolean } = {}): void {
    if (this.#end) return;
    this.#end = error;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
    if (!quietly) this.#options.onEnd(error);
  }
}
