import { type Mirror, type MirrorOptions, type SessionState } from '../registry-center.js';
import { isWithin } from '../node-paths.js';
import { SubtreeIndex } from '../subtree-index.js';
import { type WatchEvent } from './transport.js';
import { perform } from './zookeeper-call.js';
import { type MirrorContext, type MirrorOwner, type OwnedMirrorContext, ZooKeeperMirror } from './zookeeper-mirror.js';

/** Called for an event within the watched path; its path is that within the namespace. */
export type EventListener = (event: WatchEvent) => void;

/** The mirrors and watches of one registry centre. All users of a path share one watch. */
export class Mirrors implements MirrorOwner {
  readonly #context: OwnedMirrorContext;
  readonly #mirrors = new Set<ZooKeeperMirror>();
  readonly #byRoot = new SubtreeIndex<ZooKeeperMirror>();
  readonly #listeners = new Set<EventListener>();
  readonly #watches = new Map<string, number>();
  /** Paths whose watches were to be removed while there was no connection; the client sets them again on the next one. */
  readonly #abandoned = new Set<string>();

  constructor(context: MirrorContext) {
    this.#context = { ...context, owner: this };
    context.session.onEvent = (event) => this.#onEvent(event);
    context.session.onChange((state) => this.#onSession(state));
  }

  /** Opens a mirror and waits until it is complete. */
  open(path: string, options: MirrorOptions = {}): Promise<Mirror> {
    return perform(this.#context, { operation: 'mirror', path }, async (call) => {
      const connected = await call.connected();
      const mirror = this.#add(path, options);
      try {
        mirror.start(connected);
        await call.within(mirror.settled());
        return mirror;
      } catch (error) {
        mirror.close();
        throw error;
      }
    });
  }

  /**
   * Watches a subtree until the next disconnection. Resolves once the watch is set.
   * @returns a function that ends it
   */
  async watch(path: string, listener: EventListener): Promise<() => void> {
    const entry: EventListener = (event) => {
      if (isWithin(event.path, path)) listener(event);
    };
    this.#listeners.add(entry);
    this.retain(path);
    const release = (): void => {
      if (this.#listeners.delete(entry)) this.release(path);
    };
    try {
      await this.#context.session.connected?.transport.addWatch(this.#context.namespace.at(path));
    } catch (error) {
      release();
      throw error;
    }
    return release;
  }

  isShared(path: string): boolean {
    return (this.#watches.get(path) ?? 0) > 1;
  }

  close(): void {
    for (const mirror of [...this.#mirrors]) mirror.close();
  }

  #onEvent(event: WatchEvent): void {
    if (event.zxid !== undefined) this.#context.writes.saw(event.zxid);
    const path = this.#context.namespace.within(event.path);
    if (path === undefined) return;
    const inside = { ...event, path };
    for (const mirror of this.#byRoot.covering([path])) mirror.onEvent(inside);
    for (const listener of [...this.#listeners]) listener(inside);
  }

  #add(path: string, options: MirrorOptions): ZooKeeperMirror {
    const mirror = new ZooKeeperMirror(path, this.#context, options);
    this.#context.writes.observe(path, mirror);
    this.#byRoot.add(path, mirror);
    this.#mirrors.add(mirror);
    return mirror;
  }

  forget(mirror: ZooKeeperMirror): void {
    this.#context.writes.stopObserving(mirror.path, mirror);
    this.#byRoot.remove(mirror.path, mirror);
    this.#mirrors.delete(mirror);
  }

  #onSession(state: SessionState): void {
    const { connected } = this.#context.session;
    if (connected) this.#removeAbandoned();
    for (const mirror of [...this.#mirrors]) {
      if (state.phase === 'closed') mirror.close();
      else if (connected) mirror.start(connected);
      else mirror.stop();
    }
  }

  retain(path: string): void {
    this.#watches.set(path, (this.#watches.get(path) ?? 0) + 1);
  }

  release(path: string): void {
    const count = (this.#watches.get(path) ?? 0) - 1;
    if (count > 0) return void this.#watches.set(path, count);
    this.#watches.delete(path);
    this.#remove(path);
  }

  #remove(path: string): void {
    const transport = this.#context.session.connected?.transport;
    if (!transport) return void this.#abandoned.add(path);
    transport.removeWatch(this.#context.namespace.at(path)).catch((error: unknown) => {
      // Harmless: events of an unused watch are ignored.
      this.#context.logger.debug(`The watch of ${path} could not be removed: ${String(error)}`);
    });
  }

  #removeAbandoned(): void {
    const paths = [...this.#abandoned].filter((path) => !this.#watches.has(path));
    this.#abandoned.clear();
    for (const path of paths) this.#remove(path);
  }
}
