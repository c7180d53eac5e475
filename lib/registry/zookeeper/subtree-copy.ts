import { type MirroredNode } from '../registry-center.js';
import { childPath, isWithin } from '../node-paths.js';
import { type WriteEffects, type WriteOutcome } from './operations/own-writes.js';
import { type Stat, type WatchEvent } from './transport.js';

/** What must be done before a copy shows one moment. */
export type CopyWork =
  /** Read these nodes, and list the children of those. */
  | { readonly type: 'read'; readonly paths: readonly string[]; readonly lists: readonly string[] }
  /** Ask anything: the answer proves that all events of a transaction have arrived. */
  | { readonly type: 'barrier' }
  /** Wait for the answer to a write of our own. */
  | { readonly type: 'wait' }
  /** Nothing: it shows one moment. */
  | { readonly type: 'none' };

/** A node as it was read. */
export interface ReadNode {
  readonly data: Buffer;
  readonly stat: Stat;
}

interface OwnWriteRecord {
  inFlight: number;
  /** Events that our writes cause at this path, and those that came. */
  expected: number;
  seen: number;
  spoiled: boolean;
  outcome: MirroredNode | undefined;
}

/**
 * The bookkeeping of a mirror during one connection; it knows no network.
 *
 * The server's messages are one stream, in which an event comes before any answer that could show its change. So the copy
 * is the subtree at one moment once (a) no node has an event newer than its last reading, (b) no reading is under way, and
 * (c) an answer has come to a question asked after the last event, because the events of one transaction may arrive in pieces.
 *
 * Nodes of which only the presence matters are exempt: their events are all there is to know, and cost no request. So a
 * commit that touches several of them may show in pieces.
 *
 * What we wrote ourselves is taken from the answer to the write, provided that exactly the events of our own writes came at
 * those nodes. Such events need no (c), as we know how many there are.
 */
export class SubtreeCopy {
  /** The nodes, in the course of being updated. */
  readonly nodes = new Map<string, MirroredNode>();
  /** Whether `nodes` differs from what `published()` last approved. */
  changed = false;
  readonly #previous: ReadonlyMap<string, MirroredNode>;
  readonly #root: string;
  readonly #presenceOnly: (path: string) => boolean;
  readonly #unread = new Set<string>();
  readonly #unlisted = new Set<string>();
  readonly #wanted = new Set<string>();
  readonly #own = new Map<string, OwnWriteRecord>();
  readonly #sent = new Set<WriteEffects>();
  /** Paths with an event since the present reading was sent. */
  readonly #touched = new Set<string>();
  #walking = true;
  /** Events other than those proven to be our own, and how many of them are known to end a transaction. */
  #events = 0;
  #eventsCompleted = 0;

  constructor(
    root: string,
    /** What the mirror showed before: nodes that are still the same stay the same objects. */
    previous: ReadonlyMap<string, MirroredNode>,
    presenceOnly: (path: string) => boolean,
  ) {
    this.#root = root;
    this.#previous = previous;
    this.#presenceOnly = presenceOnly;
    this.#unread.add(root);
  }

  get work(): CopyWork {
    if (this.#unread.size > 0 || this.#unlisted.size > 0) {
      return { type: 'read', paths: [...this.#unread], lists: [...this.#unlisted] };
    }
    for (const { seen } of this.#own.values()) if (seen > 0) return { type: 'wait' };
    return this.#events > this.#eventsCompleted ? { type: 'barrier' } : { type: 'none' };
  }

  /** The present state has been shown as one moment. */
  published(): void {
    this.changed = false;
    this.#walking = false;
    this.#wanted.clear();
  }

  /** Asks for the values of presence-only nodes that are there now, also if they are removed and created again meanwhile. */
  wantValues(): void {
    for (const [path, { value }] of this.nodes) {
      if (value !== undefined) continue;
      this.#wanted.add(path);
      this.#unread.add(path);
    }
  }

  onEvent({ type, path }: WatchEvent): void {
    this.#touched.add(path);
    const own = this.#own.get(path);
    if (!own && !this.#walking && this.#presenceOnly(path) && !this.#wanted.has(path)) {
      if (type === 'deleted') this.#drop(path);
      else this.#put(path, { ...PRESENT });
      return;
    }
    if (own) own.seen++;
    else this.#events++;
    if (type === 'deleted') this.#drop(path);
    // While the structure is still being walked, only a reading tells whether there are children to list.
    else if (!own || this.#walking) this.#unread.add(path);
  }

  /** The work that `work` named is being sent now. Returns a function to be called when all its answers are there. */
  startReading(): (
    read: ReadonlyMap<string, ReadNode | undefined>,
    lists: ReadonlyMap<string, readonly string[]>,
  ) => void {
    this.#unread.clear();
    this.#unlisted.clear();
    this.#touched.clear();
    const eventsBefore = this.#events;
    return (read, lists) => {
      this.#eventsCompleted = eventsBefore;
      // An event since then is newer than what was read, or at least may be; it has been dealt with on arrival.
      for (const [path, node] of read) if (!this.#touched.has(path)) this.#take(path, node);
      for (const [path, names] of lists) for (const name of names) this.#unread.add(childPath(path, name));
    };
  }

  onWriteSent(effects: WriteEffects): void {
    this.#sent.add(effects);
    for (const [path, count] of this.#affected(effects)) {
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
    for (const [path, count] of this.#affected(effects)) {
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
    if (!isOurs || this.#walking) this.#unread.add(path);
    else if (outcome) this.#put(path, outcome);
    else this.#drop(path);
  }

  *#affected({ events }: WriteEffects): Generator<readonly [string, number]> {
    for (const entry of events) if (isWithin(entry[0], this.#root)) yield entry;
  }

  #take(path: string, node: ReadNode | undefined): void {
    if (!node) return this.#drop(path);
    if (this.#walking && node.stat.numChildren > 0) this.#unlisted.add(path);
    const isHidden = this.#presenceOnly(path) && !this.#wanted.has(path);
    this.#put(path, this.#mirrored(path, node, isHidden));
  }

  #mirrored(path: string, { data, stat }: ReadNode, isHidden: boolean): MirroredNode {
    const known = this.nodes.get(path) ?? this.#previous.get(path);
    const revision = toRevision(stat.mzxid);
    const isSame = known?.revision === revision && known.version === stat.version;
    if (isSame && (isHidden || known.value !== undefined)) return known;
    const value = isHidden ? undefined : data.toString();
    return { value, version: stat.version, revision, session: stat.ephemeralOwner };
  }

  #put(path: string, node: MirroredNode): void {
    if (this.nodes.get(path) === node) return;
    this.nodes.set(path, node);
    this.changed = true;
  }

  #drop(path: string): void {
    this.#unread.delete(path);
    this.#unlisted.delete(path);
    if (this.nodes.delete(path)) this.changed = true;
  }
}

/** All that is known of a presence-only node that somebody else has written. A new object each time, as it is a new node. */
const PRESENT: MirroredNode = { value: undefined, version: 0, revision: 0, session: undefined };

/** A transaction number as a revision. @throws RangeError beyond 2^53, which takes two million changes of the leader */
export function toRevision(zxid: bigint): number {
  const revision = Number(zxid);
  if (Number.isSafeInteger(revision)) return revision;
  throw new RangeError(`The transaction number ${zxid} is too large for a revision`);
}
