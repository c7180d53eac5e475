import { RegistryUnavailableError } from '../../../api/errors/errors.js';
import { type JobLogger } from '../../../api/text/logger.js';
import { Listeners } from '../../../async/listeners.js';
import { type Clock } from '../../../time/clock.js';
import { soon } from '../../../time/event-loop.js';
import { type Mirror, type MirroredNode, type MirrorOptions } from '../../registry-center.js';
import { MirroredTree } from '../../mirrored-tree.js';
import { NarrowScope } from '../../narrow-scope.js';
import { isWithin } from '../../node-paths.js';
import { type Namespace } from '../namespace.js';
import { type OwnWrites, type WriteEffects, type WriteObserver, type WriteOutcome } from '../operations/own-writes.js';
import { type ReadNode, SubtreeCopy } from './subtree-copy.js';
import { type WatchEvent, ZooKeeperError, type ZooKeeperRequests } from '../transport.js';
import { type Watches } from './watches.js';
import { type Call, type CallContext, perform } from '../zookeeper-call.js';
import { isRetryable, translated } from '../zookeeper-failures.js';
import { type Connected } from '../zookeeper-session.js';

/** Dependencies of a mirror, without its owner. */
export interface MirrorContext extends CallContext {
  readonly namespace: Namespace;
  readonly writes: OwnWrites;
  readonly clock: Clock;
  readonly logger: JobLogger;
}

/** The owner of a registry centre's mirrors. */
export interface MirrorOwner {
  /** Notes that the mirror is closed. */
  forget(mirror: ZooKeeperMirror): void;
}

/** Dependencies of a mirror. */
export interface OwnedMirrorContext extends MirrorContext {
  readonly owner: MirrorOwner;
  readonly watches: Watches;
}

const ofNoPath = (): boolean => false;

/**
 * Most nodes read by one request. Even with long paths, the request stays far below a server's limit of one megabyte.
 */
const NODES_PER_READ = 1000;

interface Waiter {
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Keeps a copy of one subtree. On each connection it begins again: it sets a watch, lets the server catch up with the
 * leader, walks the tree, and from then on reads the nodes that events name, in one request per round. It replaces the
 * nodes that it shows only when the copy is one moment (see `subtree-copy.ts`). After a disconnection or a failed
 * reading, it is not current until the first such moment.
 */
export class ZooKeeperMirror implements Mirror, WriteObserver {
  isCurrent = false;
  readonly path: string;
  readonly #context: OwnedMirrorContext;
  readonly #presenceOnly: (path: string) => boolean;
  readonly #listeners: Listeners;
  readonly #waiters = new Set<Waiter>();
  readonly #isRoutine: (path: string) => boolean;
  readonly #tree: MirroredTree;
  #copy: SubtreeCopy | undefined;
  #connected: Connected | undefined;
  #isWorking = false;
  #isClosed = false;
  #scope: NarrowScope | undefined;
  /** The roots of the subtrees whose watches this mirror retains. */
  #retained: readonly string[] = [];
  /** The scope that is being entered; `undefined` again if anything happens that would end it. */
  #pendingScope: NarrowScope | undefined;
  /** The connection on which the server has refused narrower watches. */
  #connectionWithoutNarrowing: Connected | undefined;
  #cancelRetry: (() => void) | undefined;

  constructor(path: string, context: OwnedMirrorContext, options: MirrorOptions) {
    this.path = path;
    this.#context = context;
    this.#listeners = new Listeners(this);
    this.#presenceOnly = options.presenceOnly ?? ofNoPath;
    this.#isRoutine = options.isRoutine ?? ofNoPath;
    this.#tree = new MirroredTree(this.#isRoutine);
  }

  /** Called when a listener has failed. */
  onError(error: unknown): void {
    this.#context.logger.error(`A listener of the mirror of ${this.path} failed: ${String(error)}`);
  }

  get nodes(): ReadonlyMap<string, MirroredNode> {
    return this.#tree.nodes;
  }

  get moment(): number {
    return this.#tree.moment;
  }

  get significantChanges(): number {
    return this.#tree.significantChanges;
  }

  changesSince(moment: number): readonly string[] | undefined {
    return this.#tree.changesSince(moment);
  }

  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  get isNarrowed(): boolean {
    return this.#scope !== undefined;
  }

  get isWidening(): boolean {
    return this.isCurrent && this.#copy?.isNew === true;
  }

  async narrow(subtrees: readonly string[]): Promise<boolean> {
    const { watches, logger } = this.#context;
    const copy = this.#copy;
    const connected = this.#connected;
    const isInTheWay = this.#scope ?? this.#pendingScope;
    if (!copy || !connected || isInTheWay || connected === this.#connectionWithoutNarrowing) return false;
    // An event that has arrived and does not show yet may be a reason not to narrow.
    if (!this.#isSettled || copy.hasOwnWritesInFlight) return false;
    if (watches.isShared(this.path)) return false;
    const scope = new NarrowScope(subtrees, this.#isRoutine);
    this.#pendingScope = scope;
    for (const root of subtrees) watches.retain(root);
    let isComplete = true;
    try {
      const set = Promise.all(subtrees.map((root) => watches.set(root, connected)));
      await this.#perform('narrow the mirror of', (call) => call.within(set).then(() => undefined));
    } catch (error) {
      logger.debug(`The mirror of ${this.path} goes on to follow everything: ${String(error)}`);
      this.#connectionWithoutNarrowing = connected;
      isComplete = false;
    }
    const isUndisturbed = this.#pendingScope === scope && this.#copy === copy && this.isCurrent;
    if (this.#pendingScope === scope) this.#pendingScope = undefined;
    const isNarrowed = isComplete && isUndisturbed && !watches.isShared(this.path);
    if (isNarrowed) {
      this.#scope = scope;
      this.#retain(subtrees);
    }
    for (const root of subtrees) watches.release(root);
    return isNarrowed;
  }

  widen(): void {
    this.#pendingScope = undefined;
    if (this.#connected && this.isNarrowed) this.start(this.#connected);
  }

  sync(): Promise<void> {
    this.widen();
    return this.#perform('sync the mirror of', async (call) => {
      await call.read(({ transport }) => transport.sync(this.#serverPath));
      await call.within(this.settled());
    });
  }

  load(): Promise<void> {
    this.widen();
    return this.#perform('load the mirror of', async (call) => {
      let copy: SubtreeCopy | undefined;
      // If the copy is replaced meanwhile, its successor must be asked again. The time limit of the call ends the loop.
      while (!copy || copy !== this.#copy) {
        // A copy that is being read for the first time does not know yet which nodes there are.
        if (!this.isCurrent || this.#copy?.isNew !== false) await call.within(this.settled());
        copy = this.#copy;
        copy?.wantValues();
        this.#workSoon();
        await call.within(this.settled());
      }
    });
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#leave();
    this.#retain([]);
    this.isCurrent = false;
    this.#listeners.clear();
    this.#failWaiters(new RegistryUnavailableError('use the mirror of', this.path, new Error('the mirror was closed')));
    this.#context.owner.forget(this);
  }

  /** Resolves as soon as the mirror shows all changes whose events have arrived. */
  settled(): Promise<void> {
    if (this.#isSettled) return Promise.resolve();
    return new Promise((resolve, reject) => this.#waiters.add({ resolve, reject }));
  }

  /** Reads everything: the session is connected, for the first time or again. */
  start(connected: Connected): void {
    if (this.#isClosed) return;
    this.#leave();
    this.#connected = connected;
    this.#copy = new SubtreeCopy(this.path, this.nodes, this.#presenceOnly);
    this.#retain([this.path]);
    const { transport } = connected;
    const prepared = Promise.all([this.#context.watches.set(this.path, connected), transport.sync(this.#serverPath)]);
    const copy = this.#copy;
    this.#isWorking = true;
    void this.#run(copy, async () => {
      await prepared;
      await this.#work(copy, transport);
    });
  }

  /** Stops following: the session is not connected any more. */
  stop(): void {
    this.#leave();
    if (!this.isCurrent) return;
    this.isCurrent = false;
    this.#listeners.notify();
  }

  /** Called for each event within the subtree. */
  onEvent(event: WatchEvent): void {
    this.#noteChange(event.path, { isOwn: false });
    // Events from outside the scope may still arrive, through a watch that is being removed or that has other users.
    if (this.#scope?.covers(event.path) === false) return;
    if (this.#copy?.onEvent(event) === true) this.#workSoon();
  }

  onWriteSent(effects: WriteEffects): void {
    for (const path of effects.events.keys()) if (isWithin(path, this.path)) this.#noteChange(path, { isOwn: true });
    this.#copy?.onWriteSent(effects);
  }

  onWriteDone(effects: WriteEffects, outcome: WriteOutcome): void {
    this.#copy?.onWriteDone(effects, outcome);
    this.#workSoon();
  }

  onWriteFailed(effects: WriteEffects, fate: 'refused' | 'unknown'): void {
    this.#copy?.onWriteFailed(effects, fate);
    this.#workSoon();
  }

  get #isSettled(): boolean {
    const copy = this.#copy;
    return this.isCurrent && copy !== undefined && copy.work.type === 'none' && !copy.hasChanged;
  }

  get #serverPath(): string {
    return this.#context.namespace.at(this.path);
  }

  async #perform(operation: string, task: (call: Call) => Promise<void>): Promise<void> {
    if (this.#isClosed) throw new RegistryUnavailableError(operation, this.path, new Error('the mirror was closed'));
    await perform(this.#context, { operation, path: this.path }, task);
  }

  /** Begins the next round, a little later: events that arrive together are handled together. */
  #workSoon(): void {
    const copy = this.#copy;
    const transport = this.#connected?.transport;
    if (!copy || !transport || this.#isWorking) return;
    this.#isWorking = true;
    soon(() => void this.#run(copy, () => this.#work(copy, transport)));
  }

  async #run(copy: SubtreeCopy, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (this.#copy === copy) this.#onFailure(error);
    }
  }

  async #work(copy: SubtreeCopy, transport: ZooKeeperRequests): Promise<void> {
    while (this.#copy === copy) {
      const { work } = copy;
      switch (work.type) {
        case 'read':
          // Serial: the answer shows what to read next.
          await this.#read(copy, transport, work);
          break;
        case 'barrier': {
          const done = copy.startReading();
          await transport.exists(this.#serverPath);
          done(new Map(), new Map());
          break;
        }
        case 'wait':
          this.#isWorking = false;
          return;
        case 'none':
          // Before listeners are called: if they cause more work, it must begin.
          this.#isWorking = false;
          return this.#publish(copy);
        default:
          return work satisfies never;
      }
    }
  }

  async #read(
    copy: SubtreeCopy,
    transport: ZooKeeperRequests,
    { paths, lists }: { readonly paths: readonly string[]; readonly lists: readonly string[] },
  ): Promise<void> {
    const { namespace, writes } = this.#context;
    const done = copy.startReading();
    const nodes = new Map<string, ReadNode | undefined>();
    const children = new Map<string, readonly string[]>();
    const readings = chunks(paths, NODES_PER_READ).map(async (chunk) => {
      const answer = await transport.multiRead(chunk.map((path) => namespace.at(path)));
      for (const [index, path] of chunk.entries()) nodes.set(path, answer[index]);
    });
    const listings = chunks(lists, NODES_PER_READ).map(async (chunk) => {
      const answer = await transport.multiList(chunk.map((path) => namespace.at(path)));
      // A node that has been removed since it was read has none; an event about that follows.
      for (const [index, path] of chunk.entries()) children.set(path, answer[index] ?? []);
    });
    await Promise.all([...readings, ...listings]);
    for (const node of nodes.values()) if (node) writes.saw(node.stat.mzxid);
    done(nodes, children);
  }

  #publish(copy: SubtreeCopy): void {
    // A new copy shows the nodes that it has read itself, not changes since then.
    const changed = copy.hasChanged || !this.isCurrent;
    copy.publishIn(this.#tree);
    this.isCurrent = true;
    // Taken before listeners are called: a listener that begins to wait now waits for a later moment.
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    if (changed) this.#listeners.notify();
    for (const waiter of waiters) waiter.resolve();
  }

  /** Begins again: drops the copy, with everything that the failed round should have read. */
  #onFailure(error: unknown): void {
    const connected = this.#connected;
    // Even after a short failure: events are ignored until everything is read again.
    this.stop();
    if (!(error instanceof ZooKeeperError) || !isRetryable(error)) {
      const failure = translated('mirror', this.path, error);
      this.#context.logger.error(`The mirror of ${this.path} cannot be kept up to date: ${String(failure)}`);
      this.#failWaiters(failure);
    }
    // A listener may have closed the mirror.
    if (!connected || this.#isClosed) return;
    // After a broken connection, the next connection starts the mirror earlier than this.
    this.#cancelRetry = this.#context.clock.after(this.#context.settings.retry.maxMs, () => this.start(connected));
  }

  /** A change that is not routine ends the scope, or keeps it from being entered. */
  #noteChange(path: string, { isOwn }: { readonly isOwn: boolean }): void {
    const scope = this.#scope ?? this.#pendingScope;
    if (scope?.isEndedBy(path, isOwn) === true) this.widen();
  }

  /** Retains the watches of these subtrees, and no others any more. */
  #retain(roots: readonly string[]): void {
    const { watches } = this.#context;
    const former = this.#retained;
    this.#retained = roots;
    for (const root of roots) watches.retain(root);
    for (const root of former) watches.release(root);
  }

  #leave(): void {
    this.#scope = undefined;
    this.#cancelRetry?.();
    this.#copy = undefined;
    this.#connected = undefined;
    this.#isWorking = false;
  }

  #failWaiters(error: unknown): void {
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    for (const waiter of waiters) waiter.reject(error);
  }
}

function chunks<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}
