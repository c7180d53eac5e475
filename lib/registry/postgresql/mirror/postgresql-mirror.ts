import { RegistryUnavailableError } from '../../../api/errors/errors.js';
import { type Listeners } from '../../../async/listeners.js';
import { MirroredTree } from '../../mirrored-tree.js';
import { isWithin } from '../../node-paths.js';
import { type Mirror, type MirroredNode, type MirrorOptions, type Operation } from '../../registry-center.js';

/** One commit of the journal, as far as it concerns one job. */
export interface JournalEntry {
  readonly revision: number;
  /** The job's revision before it. */
  readonly previous: number;
  /** Nodes as they are after it: `[path, value, version, session]`, or `[path]` of one that is gone. */
  readonly changes: readonly (readonly [string] | readonly [string, string, number, string | null])[];
}

/** A subtree and the revisions of its jobs, as of one moment. */
export interface Snapshot {
  readonly nodes: Map<string, MirroredNode>;
  readonly revisions: ReadonlyMap<string, number>;
}

/** A commit of our own, as far as this process knows what it has changed. */
export interface OwnCommit {
  readonly revision: number;
  readonly previous: Readonly<Record<string, number>>;
  readonly session: string;
  readonly operations: readonly Operation[];
}

/** The methods of the reader of the journal that a mirror calls. */
export interface MirrorReader {
  sync(mirror: PostgresqlMirror, operation: string): Promise<void>;
  closed(mirror: PostgresqlMirror): void;
}

/** The job that a path belongs to: its first part. */
export function jobOf(path: string): string {
  const end = path.indexOf('/', 1);
  return end < 0 ? path.slice(1) : path.slice(1, end);
}

/**
 * A local copy that follows the journal. It knows for each of its jobs which revision it shows, and takes a commit only
 * if that follows this revision: so it misses none, in any order of answers.
 */
export class PostgresqlMirror implements Mirror {
  readonly path: string;
  readonly #reader: MirrorReader;
  readonly #listeners: Listeners;
  readonly #isRoutine: (path: string) => boolean;
  readonly #tree: MirroredTree;
  readonly #positions = new Map<string, number>();
  #isCurrent = false;
  #isClosed = false;
  #needsSnapshot = true;

  constructor(path: string, { isRoutine = () => false }: MirrorOptions, reader: MirrorReader, listeners: Listeners) {
    this.path = path;
    this.#reader = reader;
    this.#isRoutine = isRoutine;
    this.#tree = new MirroredTree(isRoutine);
    this.#listeners = listeners;
  }

  get nodes(): ReadonlyMap<string, MirroredNode> {
    return this.#tree.nodes;
  }

  get moment(): number {
    return this.#tree.moment;
  }

  changesSince(moment: number): readonly string[] | undefined {
    return this.#tree.changesSince(moment);
  }

  get significantChanges(): number {
    return this.#tree.significantChanges;
  }

  get isCurrent(): boolean {
    return this.#isCurrent;
  }

  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  async sync(): Promise<void> {
    this.#requireOpen('sync');
    await this.#reader.sync(this, 'sync');
  }

  /** All values come with their nodes. */
  async load(): Promise<void> {
    this.#requireOpen('load');
    if (!this.#isCurrent) await this.#reader.sync(this, 'load');
  }

  /** A journal is read as a whole. */
  narrow(): Promise<boolean> {
    return Promise.resolve(false);
  }

  get isNarrowed(): boolean {
    return false;
  }

  get isWidening(): boolean {
    return false;
  }

  widen(): void {
    // It follows everything.
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#isCurrent = false;
    this.#listeners.clear();
    this.#reader.closed(this);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** True if changes of this path are shown here, and are routine. */
  isRoutineAt(path: string): boolean {
    return isWithin(path, this.path) && this.#isRoutine(path);
  }

  /** True if it must read everything again, because it is new, or has lost the thread of the journal. */
  get needsSnapshot(): boolean {
    return this.#needsSnapshot;
  }

  /** The revision of a job that it shows; 0: nothing of it was ever there. */
  position(job: string): number {
    return this.#positions.get(job) ?? 0;
  }

  /** The connection is gone: what it shows may be out of date. */
  becomeOutdated(): void {
    this.#needsSnapshot = true;
    if (!this.#isCurrent) return;
    this.#isCurrent = false;
    this.#listeners.notify();
  }

  /** Shows another moment. */
  replaceAll({ nodes, revisions }: Snapshot): void {
    if (this.#isClosed) return;
    this.#positions.clear();
    for (const [job, revision] of revisions) this.#positions.set(job, revision);
    // A node that has not changed stays the same object, so that readers can tell.
    for (const [path, node] of nodes) {
      const known = this.#tree.nodes.get(path);
      if (known?.revision === node.revision && known.session === node.session) nodes.set(path, known);
    }
    this.#tree.replaceAll(nodes);
    this.#needsSnapshot = false;
    this.#isCurrent = true;
    this.#listeners.notify();
  }

  /**
   * Shows what the journal has beyond the present position.
   * @param head the job's revision when the journal was read, which then knew everything since `known`
   */
  follow(
    job: string,
    entries: readonly JournalEntry[],
    { known, head }: { readonly known: number; readonly head: number },
  ): void {
    if (this.#isClosed || this.#needsSnapshot) return;
    let isChanged = false;
    for (const { revision, previous, changes } of entries) {
      if (revision <= this.position(job)) continue;
      if (previous !== this.position(job)) break;
      for (const [path, value, version = 0, session] of changes)
        if (this.#show(path, value === undefined ? undefined : nodeOf({ value, version, revision, session })))
          isChanged = true;
      this.#positions.set(job, revision);
    }
    // Entries are forgotten after a while; and a server that has lost commits is behind us.
    if (this.position(job) < head || head < known) this.#needsSnapshot = true;
    if (isChanged) this.#listeners.notify();
  }

  /** Shows a commit of our own if it follows what is shown. @returns whether it is shown now, in this job */
  followOwn(job: string, commit: OwnCommit): boolean {
    if (this.#isClosed || this.#needsSnapshot) return false;
    if (this.position(job) >= commit.revision) return true;
    if (this.position(job) !== commit.previous[job]) return false;
    let isChanged = false;
    for (const operation of commit.operations) {
      const { path, type } = operation;
      if (type === 'check' || jobOf(path) !== job) continue;
      if (this.#show(path, this.#after(operation, commit))) isChanged = true;
    }
    this.#positions.set(job, commit.revision);
    if (isChanged) this.#listeners.notify();
    return true;
  }

  #after(operation: Exclude<Operation, { type: 'check' }>, { revision, session }: OwnCommit): MirroredNode | undefined {
    if (operation.type === 'remove') return undefined;
    const { value } = operation;
    if (operation.type !== 'set')
      return nodeOf({ value, version: 0, revision, session: operation.lifetime === 'session' ? session : null });
    const before = this.#tree.nodes.get(operation.path);
    return nodeOf({ value, version: (before?.version ?? 0) + 1, revision, session: before?.session });
  }

  #show(path: string, node: MirroredNode | undefined): boolean {
    return isWithin(path, this.path) && this.#tree.set(path, node);
  }

  #requireOpen(operation: string): void {
    if (this.#isClosed) throw new RegistryUnavailableError(operation, this.path, new Error('The mirror is closed'));
  }
}

/** A node as a mirror shows it. */
export function nodeOf(of: {
  readonly value: string;
  readonly version: number;
  readonly revision: number;
  readonly session: string | null | undefined;
}): MirroredNode {
  return { value: of.value, version: of.version, revision: of.revision, session: of.session ?? undefined };
}
