import { RegistryUnavailableError } from '../../api/errors/errors.js';
import { backoffMs } from '../../async/backoff.js';
import { Listeners } from '../../async/listeners.js';
import { sleep } from '../../async/wait.js';
import { type JobLogger } from '../../api/text/logger.js';
import { MirroredTree } from '../mirrored-tree.js';
import { type Mirror, type MirroredNode, type MirrorOptions } from '../registry-center.js';
import { type EtcdKeys } from './etcd-keys.js';
import { translated } from './etcd-failures.js';
import { type CallContext, type EtcdReads, requireConnected } from './etcd-reads.js';
import { nodeOf } from './node-values.js';
import { type NodeChange } from './tree-watch.js';

/** The parts that a mirror needs. */
export interface EtcdMirrorContext extends CallContext {
  readonly keys: EtcdKeys;
  readonly reads: EtcdReads;
  readonly logger: JobLogger;
}

/**
 * A local copy of a subtree. On each connection it begins to listen, then reads the whole subtree at some revision, and
 * follows what the connection's watch says of later ones; what arrived before the answer waits for it. Events carry
 * values, so that nothing is left to `load`, and there is one watch for the whole namespace, so that nothing is gained
 * by `narrow`.
 */
export class EtcdMirror implements Mirror {
  readonly path: string;
  readonly isNarrowed = false;
  readonly isWidening = false;
  readonly #context: EtcdMirrorContext;
  readonly #listeners: Listeners;
  readonly #tree: MirroredTree;
  #isCurrent = false;
  #isClosed = false;
  /** Of the moment that is shown. */
  #revision = 0;
  /** The reading that goes on, and the changes that wait for its answer. */
  #reading: Promise<void> | undefined;
  #early: NodeChange[] | undefined;
  #unfollow = (): void => undefined;
  #unsubscribe = (): void => undefined;

  constructor(context: EtcdMirrorContext, path: string, { isRoutine }: MirrorOptions = {}) {
    this.#context = context;
    this.path = path;
    this.#tree = new MirroredTree(isRoutine);
    this.#listeners = new Listeners({
      onError: (error) => context.logger.error(`A listener of the mirror of ${path} failed: ${String(error)}`),
    });
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
    this.#unsubscribe = this.#context.session.onChangeFirst(({ phase }) => {
      if (phase === 'connected') this.#read().catch(() => undefined);
      else if (phase === 'closed') this.close();
      else this.#becomeOutdated();
    });
    try {
      await this.#read();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  async sync(): Promise<void> {
    const subject = { operation: 'sync', path: this.path };
    this.#requireOpen(subject.operation);
    const { connection } = requireConnected(this.#context.session, subject);
    try {
      await this.#reading;
      await connection.watch.reach();
    } catch (error) {
      throw translated(subject, error);
    }
  }

  async load(): Promise<void> {
    this.#requireOpen('load');
    await this.#reading;
  }

  narrow(): Promise<boolean> {
    return Promise.resolve(false);
  }

  widen(): void {
    // It is never narrowed.
  }

  close(): void {
    this.#isClosed = true;
    this.#isCurrent = false;
    this.#unsubscribe();
    this.#unfollow();
    this.#listeners.clear();
  }

  #requireOpen(operation: string): void {
    if (this.#isClosed) throw new RegistryUnavailableError(operation, this.path, new Error('The mirror is closed'));
  }

  #read(): Promise<void> {
    const reading = this.#readFrom().finally(() => {
      if (this.#reading === reading) this.#reading = undefined;
    });
    this.#reading = reading;
    reading.catch(() => undefined);
    return reading;
  }

  /** Reads the subtree through the present connection, again if etcd does not answer while that lasts. */
  async #readFrom(): Promise<void> {
    const { session, keys, reads, clock, settings } = this.#context;
    const subject = { operation: 'mirror', path: this.path };
    const { connection } = requireConnected(session, subject);
    this.#unfollow();
    this.#early = [];
    this.#unfollow = connection.watch.follow(this.path, (changes) => this.#follow(changes));
    const ranges = [{ key: keys.node(this.path) }, keys.below(this.path)];
    for (let failures = 1; ; failures++) {
      try {
        const { revision, ranges: found } = await reads.snapshot(subject, ranges);
        if (this.#isClosed || session.connected?.connection !== connection) return;
        const nodes = found.flat().map((kv) => [keys.pathOf(kv.key) ?? '', nodeOf(kv)] as const);
        return this.#replaceAll(revision, new Map(nodes));
      } catch (error) {
        const isFirst = !this.#isCurrent && this.#revision === 0;
        if (isFirst || this.#isClosed || session.connected?.connection !== connection) throw error;
        this.#context.logger.warn(`The mirror of ${this.path} could not be read, and is read again: ${String(error)}`);
        // In a loop on purpose: each attempt follows the failure of the one before.
        await sleep(clock, backoffMs(failures, settings.pause));
      }
    }
  }

  #replaceAll(revision: number, nodes: Map<string, MirroredNode>): void {
    const later = (this.#early ?? []).filter((change) => change.revision > revision);
    this.#early = undefined;
    this.#revision = revision;
    this.#tree.replaceAll(nodes);
    this.#apply(later);
    this.#isCurrent = true;
    this.#listeners.notify();
  }

  #follow(changes: readonly NodeChange[]): void {
    if (this.#early) return void this.#early.push(...changes);
    if (this.#apply(changes.filter(({ revision }) => revision > this.#revision))) this.#listeners.notify();
  }

  /** @returns whether anything is new */
  #apply(changes: readonly NodeChange[]): boolean {
    let isNew = false;
    for (const { path, node, revision } of changes) {
      if (this.#tree.set(path, node)) isNew = true;
      this.#revision = revision;
    }
    return isNew;
  }

  #becomeOutdated(): void {
    this.#unfollow();
    if (!this.#isCurrent) return;
    this.#isCurrent = false;
    this.#listeners.notify();
  }
}
