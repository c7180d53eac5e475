import { type MirroredNode } from '../../registry-center.js';
import { type MirroredTree } from '../../mirrored-tree.js';
import { childPath, isWithin } from '../../node-paths.js';
import { type WriteEffects, type WriteOutcome } from '../operations/own-writes.js';
import { type Stat, type WatchEvent } from '../transport.js';

/** The next task before a copy shows one moment. */
export type CopyWork =
  /** Read the nodes `paths`, and list the children of the nodes `lists`. */
  | { readonly type: 'read'; readonly paths: readonly string[]; readonly lists: readonly string[] }
  /** Send any request: its answer proves that all events of a transaction have arrived. */
  | { readonly type: 'barrier' }
  /** Wait for the answer to a write of our own. */
  | { readonly type: 'wait' }
  /** Nothing: the copy is one moment. */
  | { readonly type: 'none' };

/** A node as it was read. */
export interface ReadNode {
  readonly data: Buffer;
  readonly stat: Stat;
}

interface OwnWriteRecord {
  inFlight: number;
  /** How many events our writes cause at this path, and how many have arrived. */
  expected: number;
  seen: number;
  spoiled: boolean;
  outcome: MirroredNode | undefined;
}

/**
 * The bookkeeping of a mirror during one connection, without any network.
 *
 * The server's messages are one stream, in which an event comes before any answer that could show its change. So the
 * copy is the subtree at one moment once (a) no node has an event newer than its last reading, (b) no reading is under
 * way, and (c) an answer has come to a request sent after the last event, because the events of one transaction may
 * arrive in pieces.
 *
 * If only the presence of a node matters, it is exempt: its events are sufficient, and cost no request. So a commit
 * that changes several such nodes may show in pieces.
 *
 * Our own writes are taken from their answers, provided that exactly their events arrived at the written nodes. Such
 * events need no (c), since their number is known.
 */
export class SubtreeCopy {
  /** The nodes that the mirror shows. */
  #shown: ReadonlyMap<string, MirroredNode>;
  /** The nodes that have been read until the first moment is shown. */
  #walked: Map<string, MirroredNode> | undefined = new Map();
  /**
   * The nodes that differ from those that are shown; `undefined`: a node that is gone. Empty until the first moment is
   * shown.
   */
  readonly #changes = new Map<string, MirroredNode | undefined>();
  readonly #root: string;
  readonly #presenceOnly: (path: string) => boolean;
  readonly #unread: Set<string>;
  readonly #unlisted = new Set<string>();
  readonly #wanted = new Set<string>();
  readonly #own = new Map<string, OwnWriteRecord>();
  readonly #sent = new Set<WriteEffects>();
  /** Paths of events that have arrived while a reading waits for its answer; `undefined` while none is under way. */
  #touched: Set<string> | undefined;
  /**
   * How many events have arrived that are not proven to be our own, and how many of them are covered by an answer (c).
   */
  #events = 0;
  #eventsCompleted = 0;

  constructor(
    root: string,
    /** The nodes that the mirror shows so far. Unchanged nodes stay the same objects. */
    shown: ReadonlyMap<string, MirroredNode>,
    presenceOnly: (path: string) => boolean,
  ) {
    this.#root = root;
    this.#shown = shown;
    this.#presenceOnly = presenceOnly;
    this.#unread = new Set([root]);
  }

  /** True if a write of our own has no answer yet. */
  get hasOwnWritesInFlight(): boolean {
    return this.#sent.size > 0;
  }

  /** True if no moment of this copy was shown yet. */
  get isNew(): boolean {
    return this.#walked !== undefined;
  }

  /** True if the mirror does not show the present state. */
  get hasChanged(): boolean {
    return this.isNew || this.#changes.size > 0;
  }

  /** A node as known so far; the nodes are not always of one moment. */
  get(path: string): MirroredNode | undefined {
    if (this.#walked !== undefined) return this.#walked.get(path);
    return this.#changes.has(path) ? this.#changes.get(path) : this.#shown.get(path);
  }

  get work(): CopyWork {
    if (this.#unread.size > 0 || this.#unlisted.size > 0)
      return { type: 'read', paths: [...this.#unread], lists: [...this.#unlisted] };
    for (const { seen } of this.#own.values()) if (seen > 0) return { type: 'wait' };
    return this.#events > this.#eventsCompleted ? { type: 'barrier' } : { type: 'none' };
  }

  /** Shows the present state in the tree, as one moment. Only this copy may change the tree from then on. */
  publishIn(tree: MirroredTree): void {
    if (this.#walked === undefined) for (const [path, node] of this.#changes) tree.set(path, node);
    else tree.replaceAll(this.#walked);
    this.#walked = undefined;
    this.#changes.clear();
    this.#wanted.clear();
    this.#shown = tree.nodes;
  }

  /**
   * Requests the values of the presence-only nodes that exist now, even if they are removed and created again
   * meanwhile.
   */
  wantValues(): void {
    for (const path of this.#walked?.keys() ?? [...this.#shown.keys(), ...this.#changes.keys()]) {
      const node = this.get(path);
      if (node === undefined || node.value !== undefined) continue;
      this.#wanted.add(path);
      this.#unread.add(path);
    }
  }

  /** @returns true if the event makes work; an event of our own write in flight is handled when its answer comes */
  onEvent({ type, path }: WatchEvent): boolean {
    this.#touched?.add(path);
    const own = this.#own.get(path);
    if (!own && !this.isNew && this.#presenceOnly(path) && !this.#wanted.has(path)) {
      if (type === 'deleted') this.#drop(path);
      else this.#put(path, { ...PRESENT });
      return true;
    }
    if (own) own.seen++;
    else this.#events++;
    if (type === 'deleted') this.#drop(path);
    // Until the tree has been walked, only a reading shows whether there are children to list.
    else if (!own || this.isNew) this.#unread.add(path);
    return !own || this.isNew;
  }

  /** The requests of `work` are being sent now. Returns a function to call with their answers. */
  startReading(): (
    read: ReadonlyMap<string, ReadNode | undefined>,
    lists: ReadonlyMap<string, readonly string[]>,
  ) => void {
    this.#unread.clear();
    this.#unlisted.clear();
    const touched = (this.#touched = new Set());
    const eventsBefore = this.#events;
    return (read, lists) => {
      this.#touched = undefined;
      this.#eventsCompleted = eventsBefore;
      // An event since then may be newer than the reading; it was handled when it arrived.
      for (const [path, node] of read) if (!touched.has(path)) this.#take(path, node);
      for (const [path, names] of lists) for (const name of names) this.#unread.add(childPath(path, name));
    };
  }

  onWriteSent(effects: WriteEffects): void {
    this.#sent.add(effects);
    for (const [path, count] of effects.events) {
      if (!isWithin(path, this.#root)) continue;
      const record = this.#own.get(path) ?? { inFlight: 0, expected: 0, seen: 0, spoiled: false, outcome: undefined };
      record.inFlight++;
      record.expected += count;
      this.#own.set(path, record);
    }
  }

  onWriteDone(effects: WriteEffects, outcome: WriteOutcome): void {
    this.#settle(effects, (record, path) => (record.outcome = outcome.get(path)));
  }

  onWriteFailed(effects: WriteEffects, fate: 'refused' | 'unknown'): void {
    this.#settle(effects, (record, _path, count) => {
      if (fate === 'unknown') record.spoiled = true;
      else record.expected -= count;
    });
  }

  #settle(effects: WriteEffects, note: (record: OwnWriteRecord, path: string, count: number) => void): void {
    if (!this.#sent.delete(effects)) return;
    for (const [path, count] of effects.events) {
      const record = this.#own.get(path);
      if (!record) continue;
      note(record, path, count);
      if (--record.inFlight > 0) continue;
      this.#own.delete(path);
      this.#conclude(path, record);
    }
  }

  #conclude(path: string, { seen, expected, spoiled, outcome }: OwnWriteRecord): void {
    const isOurs = !spoiled && seen === expected;
    if (!isOurs) this.#events += seen;
    if (seen === 0 && !spoiled) return;
    if (!isOurs || this.isNew) this.#unread.add(path);
    else if (outcome) this.#put(path, outcome);
    else this.#drop(path);
  }

  #take(path: string, node: ReadNode | undefined): void {
    if (!node) return this.#drop(path);
    if (this.isNew && node.stat.numChildren > 0) this.#unlisted.add(path);
    const isHidden = this.#presenceOnly(path) && !this.#wanted.has(path);
    this.#put(path, this.#mirrored(path, node, isHidden));
  }

  #mirrored(path: string, { data, stat }: ReadNode, isHidden: boolean): MirroredNode {
    const known = this.get(path) ?? (this.isNew ? this.#shown.get(path) : undefined);
    const { version, ephemeralOwner: session } = stat;
    const revision = toRevision(stat.mzxid);
    const text = data.toString();
    // Servers that have lost their data count from the beginning: another node may have the same numbers then.
    const isSame = known?.revision === revision && known.version === version && known.session === session;
    if (isSame && (known.value === undefined ? isHidden : known.value === text)) return known;
    return { value: isHidden ? undefined : text, version, revision, session };
  }

  #put(path: string, node: MirroredNode): void {
    if (this.#walked !== undefined) this.#walked.set(path, node);
    else if (this.get(path) !== node) this.#changes.set(path, node);
  }

  #drop(path: string): void {
    this.#unread.delete(path);
    this.#unlisted.delete(path);
    if (this.#walked !== undefined) this.#walked.delete(path);
    else if (this.get(path) !== undefined) this.#changes.set(path, undefined);
  }
}

/** A presence-only node that another session has written: only its existence is known. Copied for each new node. */
const PRESENT: MirroredNode = { value: undefined, version: 0, revision: 0, session: undefined };

/** A transaction number as a revision. @throws RangeError beyond 2^53, after two million changes of the leader */
export function toRevision(zxid: bigint): number {
  const revision = Number(zxid);
  if (Number.isSafeInteger(revision)) return revision;
  throw new RangeError(`The transaction number ${zxid} is too large for a revision`);
}
