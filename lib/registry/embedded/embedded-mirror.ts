import { RegistryUnavailableError } from '../../api/errors/errors.js';
import { Listeners } from '../../async/listeners.js';
import { MirroredTree } from '../mirrored-tree.js';
import { NarrowScope } from '../narrow-scope.js';
import { type Mirror, type MirrorOptions, type MirroredNode } from '../registry-center.js';
import { type AnswerTo } from './embedded-connection.js';
import { type WatchedCommit } from './embedded-namespace.js';
import { type EmbeddedSession, type ServerSide } from './embedded-session.js';
import { warnOfListenerError } from './listener-errors.js';
import { type StoredNode } from './node-tree.js';

/** A node whose value was not read. Its version, revision and session are not known either. */
const UNREAD: MirroredNode = { value: undefined, version: 0, revision: 0, session: undefined };

/**
 * A local copy that follows the server's commits. On each new connection one request reads the whole subtree and
 * watches it, so that the next message of the watch is the next commit.
 */
export class EmbeddedMirror implements Mirror {
  readonly path: string;
  readonly #session: EmbeddedSession;
  readonly #presenceOnly: (path: string) => boolean;
  readonly #listeners = new Listeners({ onError: warnOfListenerError });
  readonly #isRoutine: (path: string) => boolean;
  readonly #tree: MirroredTree;
  #isCurrent = false;
  #isClosed = false;
  #scope: NarrowScope | undefined;
  /** True while an answer with the whole subtree is on its way, which shows all changes that are pushed before it. */
  #isRereading = false;
  #unwatch = (): void => undefined;
  #unsubscribe = (): void => undefined;

  constructor(session: EmbeddedSession, path: string, options: MirrorOptions = {}) {
    const { presenceOnly = () => false, isRoutine = () => false } = options;
    this.#session = session;
    this.path = path;
    this.#presenceOnly = presenceOnly;
    this.#isRoutine = isRoutine;
    this.#tree = new MirroredTree(isRoutine);
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

  /** Resolves once the copy is complete for the first time. A mirror that could not be opened stays closed. */
  async open(): Promise<void> {
    const opened = new Promise<void>((answered, failed) => this.#read({ answered, failed }));
    this.#unsubscribe = this.#session.onChangeFirst(({ phase }) => {
      // If the new connection breaks before the answer, the next one reads again.
      if (phase === 'connected') this.#read({ answered: () => undefined, failed: () => undefined });
      else if (phase === 'closed') this.close();
      else this.#becomeOutdated();
    });
    await opened.catch((error: unknown) => {
      this.close();
      throw error;
    });
  }

  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  get isNarrowed(): boolean {
    return this.#scope !== undefined;
  }

  get isWidening(): boolean {
    return this.#isRereading;
  }

  narrow(subtrees: readonly string[]): Promise<boolean> {
    const canNarrow = this.#isCurrent && !this.isNarrowed && !this.#isRereading;
    if (canNarrow) this.#scope = new NarrowScope(subtrees, this.#isRoutine);
    return Promise.resolve(canNarrow);
  }

  widen(): void {
    if (!this.isNarrowed) return;
    this.#scope = undefined;
    this.#isRereading = true;
    const run = ({ namespace }: ServerSide): ReadonlyMap<string, StoredNode> => namespace.subtree(this.path);
    // Without an answer, the connection has broken, and the next one reads again.
    const to = {
      answered: (nodes: ReadonlyMap<string, StoredNode>) => this.#replaceAll(nodes),
      failed: () => undefined,
    };
    this.#session.send({ operation: 'mirror', path: this.path, kind: 'read', run }, to);
  }

  async sync(): Promise<void> {
    this.#requireOpen('sync');
    this.widen();
    // The changes that the server pushed before it answers arrive before the answer.
    await this.#session.request({ operation: 'sync', path: this.path, kind: 'read', run: () => undefined });
  }

  async load(): Promise<void> {
    this.#requireOpen('load');
    if (this.isNarrowed || this.#isRereading) await this.sync();
    if (this.#unread().length === 0) return;
    const run = ({ namespace }: ServerSide): ReadonlyMap<string, StoredNode> => namespace.subtree(this.path);
    await new Promise<void>((resolve, failed) => {
      const answered = (nodes: ReadonlyMap<string, StoredNode>): void => {
        this.#fillIn(nodes);
        resolve();
      };
      this.#session.send({ operation: 'load', path: this.path, kind: 'read', run }, { answered, failed });
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#scope = undefined;
    this.#isRereading = false;
    this.#isCurrent = false;
    this.#unsubscribe();
    this.#unwatch();
  }

  #requireOpen(operation: string): void {
    if (this.#isClosed) throw new RegistryUnavailableError(operation, this.path, new Error('The mirror is closed'));
  }

  #read({ answered, failed }: AnswerTo<void>): void {
    const run = (at: ServerSide): ReadonlyMap<string, StoredNode> => {
      if (!this.#isClosed) this.#watch(at);
      return at.namespace.subtree(this.path);
    };
    const show = (nodes: ReadonlyMap<string, StoredNode>): void => {
      this.#replaceAll(nodes);
      answered();
    };
    this.#session.send({ operation: 'mirror', path: this.path, kind: 'read', run }, { answered: show, failed });
  }

  #watch({ namespace, connection, session }: ServerSide): void {
    const unwatch = namespace.watch(this.path, (commit) =>
      connection.push(`revision ${commit.revision} of ${this.path}`, () => this.#follow(commit, session)),
    );
    connection.whenSevered(unwatch);
    this.#unwatch = () => {
      unwatch();
      connection.forget(unwatch);
    };
  }

  #follow({ changes, session }: WatchedCommit, own: string): void {
    if (this.#isClosed || this.#isRereading) return;
    const scope = this.#scope;
    if (scope && changes.some(({ path }) => scope.isEndedBy(path, session === own))) return this.widen();
    let changed = false;
    for (const { path, after } of changes) {
      if (scope?.covers(path) === false) continue;
      const next = after && (session === own || !this.#presenceOnly(path) ? after : UNREAD);
      if (this.#tree.set(path, next)) changed = true;
    }
    if (changed) this.#listeners.notify();
  }

  #replaceAll(nodes: ReadonlyMap<string, StoredNode>): void {
    if (this.#isClosed) return;
    this.#scope = undefined;
    this.#isRereading = false;
    const former = this.#tree.nodes;
    const present = new Map<string, MirroredNode>();
    for (const [path, node] of nodes) {
      const isKnown = !this.#presenceOnly(path) || former.get(path)?.revision === node.revision;
      present.set(path, isKnown ? node : UNREAD);
    }
    this.#tree.replaceAll(present);
    this.#isCurrent = true;
    this.#listeners.notify();
  }

  #unread(): readonly string[] {
    return [...this.#tree.nodes].filter(([, node]) => node === UNREAD).map(([path]) => path);
  }

  /** Fills in values as of the moment when the answer was sent, which is the moment that this mirror shows. */
  #fillIn(nodes: ReadonlyMap<string, StoredNode>): void {
    const unread = this.#unread();
    if (this.#isClosed || unread.length === 0) return;
    for (const path of unread) this.#tree.set(path, nodes.get(path) ?? UNREAD);
    this.#listeners.notify();
  }

  #becomeOutdated(): void {
    this.#scope = undefined;
    this.#isRereading = false;
    if (!this.#isCurrent) return;
    this.#isCurrent = false;
    this.#listeners.notify();
  }
}
