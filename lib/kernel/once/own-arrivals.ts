import { RegistryConflictError } from '../../api/errors.js';
import { type JobLogger } from '../../api/logger.js';
import { sleep } from '../../async/wait.js';
import { encodeArrivals } from '../../layout/x-node/arrival-record.js';
import { type JobPaths } from '../../layout/job-paths.js';
import { type Operation, type RegistryCenter } from '../../registry/registry-center.js';
import { type Clock } from '../../time/clock.js';
import { type JobWatch } from '../view/job-watch.js';
import { isTransient } from '../../api/registry-errors.js';
import { type BarrierRound, isClaimed } from './round.js';
import { liveSessionId } from '../../registry/session-state.js';

/** What reporting needs. */
export interface OwnArrivalsPorts {
  readonly registry: RegistryCenter;
  readonly watch: JobWatch;
  readonly paths: JobPaths;
  readonly me: string;
  readonly clock: Clock;
  readonly logger: JobLogger;
  /** Resolves as soon as the session is connected; rejects with the signal's reason when it is aborted. */
  readonly whenConnected: (signal: AbortSignal) => Promise<void>;
}

/** How many rounds that came to no end this instance goes on telling of. */
const MOST_OPEN_ROUNDS = 8;

/** Most of Java's nodes created in one commit, so that thousands of items do not exceed the registry's limit. */
const NODES_A_COMMIT = 2_000;

/** Time between two attempts at what failed because the registry did not answer. */
const PAUSE_MS = 200;

/** How often a report is tried again because something else was written at the same time. */
const ATTEMPTS = 50;

/** What this instance has told of the rounds it takes part in. It is forgotten with the session. */
export class OwnArrivals {
  readonly #ports: OwnArrivalsPorts;
  readonly #rounds = new Map<string, { readonly started: Set<number>; readonly completed: Set<number> }>();
  #session: string | undefined;

  constructor(ports: OwnArrivalsPorts) {
    this.#ports = ports;
  }

  /** Those this instance tells of. */
  get rounds(): readonly string[] {
    return [...this.#rounds.keys()];
  }

  /** Whether this instance has reported anything for the round, in the present session. */
  has(key: string): boolean {
    return this.#rounds.has(key);
  }

  /** The round is over; the next report leaves it out. */
  forget(key: string): void {
    this.#rounds.delete(key);
  }

  /**
   * Tells that items have come to a meeting: in our record, and, unless its call was begun already, in Java's nodes.
   * @throws the signal's reason when it is aborted
   */
  async report({ stage, key }: BarrierRound, items: readonly number[], signal: AbortSignal): Promise<void> {
    this.#note(stage, key, items);
    const { watch, paths } = this.#ports;
    await this.#write(stage, signal, () => {
      const { view } = watch;
      if (isClaimed(view, stage, key)) return [];
      const come = stage === 'started' ? view.startedItems : view.completedItems;
      return items
        .filter((item) => !come.has(item))
        .map((item): Operation => ({ type: 'create', path: paths.guarantee(stage, item), value: '' }));
    });
  }

  /** Tells nothing any more. That is tidiness: peers ignore what an instance has told that is not registered. Never rejects. */
  async withdraw(): Promise<void> {
    this.#rounds.clear();
    const { registry, paths, me, watch, logger } = this.#ports;
    if (!watch.nodes.has(paths.arrivals(me))) return;
    await registry.remove(paths.arrivals(me)).catch((error: unknown) => logger.debug(String(error)));
  }

  #note(stage: BarrierRound['stage'], key: string, items: readonly number[]): void {
    const { logger } = this.#ports;
    this.#forgetWithSession();
    const { started, completed } = this.#rounds.get(key) ?? { started: new Set(), completed: new Set() };
    for (const item of items) {
      if (stage === 'completed') started.delete(item);
      else completed.delete(item);
      (stage === 'completed' ? completed : started).add(item);
    }
    this.#rounds.delete(key);
    this.#rounds.set(key, { started, completed });
    for (const [oldest] of this.#rounds) {
      if (this.#rounds.size <= MOST_OPEN_ROUNDS) return;
      this.#rounds.delete(oldest);
      logger.warn(`the items of ${oldest} have never all completed; its listener is not told.`);
    }
  }

  #forgetWithSession(): void {
    const id = liveSessionId(this.#ports.registry.session.state);
    if (this.#session !== id) this.#rounds.clear();
    this.#session = id;
  }

  async #write(stage: BarrierRound['stage'], signal: AbortSignal, more: () => readonly Operation[]): Promise<void> {
    const { registry, watch, paths, me, clock, whenConnected } = this.#ports;
    for (let attempt = 1; ; attempt++) {
      signal.throwIfAborted();
      try {
        const creations = more();
        const parents =
          creations.length === 0 ? [paths.arrivalRecords] : [paths.arrivalRecords, paths.guarantee(stage)];
        const missing = parents.filter((path) => !watch.nodes.has(path));
        await Promise.all(missing.map((path) => registry.create(path, '')));
        // Who was frozen for longer than its session must not tell anything in the next one before it has registered.
        const operations: Operation[] = [{ type: 'check', path: paths.live(me) }];
        operations.push(...this.#ownRecord(paths.arrivals(me)), ...creations);
        for (let from = 0; from < operations.length; from += NODES_A_COMMIT) {
          // In order: the first one also carries our own record, by which alone we count.
          await registry.commit(operations.slice(from, from + NODES_A_COMMIT));
        }
        return;
      } catch (error) {
        if (!isTransient(error) || attempt === ATTEMPTS) throw error;
        if (!(error instanceof RegistryConflictError)) await sleep(clock, PAUSE_MS, signal);
        await whenConnected(signal);
        // If that fails, so does the next commit.
        await watch.sync().catch(() => undefined);
      }
    }
  }

  #ownRecord(path: string): readonly Operation[] {
    const { watch, registry } = this.#ports;
    const { state } = registry.session;
    const value = encodeArrivals(this.#rounds);
    const node = watch.nodes.get(path);
    if (node !== undefined && state.phase === 'connected' && node.session === state.id)
      return node.value === value ? [] : [{ type: 'set', path, value }];
    const creation: Operation = { type: 'create', path, value, lifetime: 'session' };
    // A node of an earlier session would vanish when the server notices that session's end.
    return node === undefined ? [creation] : [{ type: 'remove', path, version: node.version }, creation];
  }
}
