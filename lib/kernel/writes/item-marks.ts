/**
 * The marks of a run in the registry centre: an item that bears `running` is begun by nobody else. A run costs two commits
 * whatever the number of its items: one that creates all marks, one that removes them. The first one also writes down
 * for which instant the items are begun, and checks that the assignment it relies on is still the present one. If some items
 * of a run take longer than others, the marks of those that have ended go in batches.
 *
 * With failover the marks outlive their instance, for its peers to find what it has left unfinished; without it they live
 * with its session.
 */
import { RegistryConflictError, RegistryOutcomeUnknownError, RegistryUnavailableError } from '../../api/errors.js';
import { type JobLogger } from '../../api/logger.js';
import { Deferred } from '../../async/deferred.js';
import { sleep } from '../../async/wait.js';
import {
  NOTHING_BEGUN,
  encodeBeginRecord,
  type BeginRecord,
  withBegun,
  withoutBegun,
} from '../../layout/x-node/begin-record.js';
import { type ItemMark, type JobPaths } from '../../layout/job-paths.js';
import { type ItemView } from '../../layout/job-view.js';
import {
  type Lifetime,
  type Operation,
  type RegistryCenter,
  type SessionState,
} from '../../registry/registry-center.js';
import { type Clock } from '../../time/clock.js';
import { type JobWatch } from '../view/job-watch.js';
import { failsOver } from '../view/items.js';

/** What marking needs. */
export interface ItemMarksPorts {
  readonly registry: RegistryCenter;
  readonly watch: JobWatch;
  readonly paths: JobPaths;
  readonly me: string;
  readonly clock: Clock;
  readonly logger: JobLogger;
  /** Resolves as soon as the session is connected; rejects with the signal's reason when it is aborted. */
  readonly whenConnected: (signal: AbortSignal) => Promise<void>;
}

/** How long the mark of an item that has ended may wait for others to be removed with it. */
const BATCH_MS = 100;

/** Time between two attempts to learn what became of a commit. */
const PAUSE_MS = 200;

/** All marks that a run, and who takes one over, may make of an item. */
const RUN: readonly ItemMark[] = ['running'];
const TAKEOVER_MARKS: readonly ItemMark[] = ['running', 'failover', 'failovering'];

/** What this instance has marked an item with. */
interface Marked {
  readonly lifetime: Lifetime;
  readonly marks: readonly ItemMark[];
  /** Id of the session in which the marks were made. */
  readonly session: string | undefined;
  /** `left`: the run has ended, and removing its marks has failed. */
  state: 'running' | 'ended' | 'left';
}

/** Marks the items of this instance's runs as running. */
export class ItemMarks {
  readonly #ports: ItemMarksPorts;
  readonly #marked = new Map<number, Marked>();
  /** Number of items whose run has not ended. */
  #running = 0;
  /** Marks that wait to be removed together. */
  #batch: { readonly removed: Deferred; readonly cancel: () => void } | undefined;
  /** One after the other, so that who begins can wait for all that were asked for before. */
  #removal: Promise<void> = Promise.resolve();
  /** Items that are being marked. */
  readonly #beginning = new Set<number>();

  constructor(ports: ItemMarksPorts) {
    this.#ports = ports;
  }

  /** Items whose run has ended and whose marks could not be removed; they may still bear them. */
  get leftovers(): readonly number[] {
    return [...this.#marked].filter(([, { state }]) => state === 'left').map(([item]) => item);
  }

  /** Whether this instance has marked the item, as far as it knows. */
  has(item: number): boolean {
    return this.#marked.has(item);
  }

  /**
   * Marks all `items` as running, and as begun for `instant` if there is one.
   * @returns the commit's revision; `undefined` if nothing was marked because the view they were chosen from is out of date
   * @throws RegistryUnavailableError if nothing was marked because the registry cannot be reached
   */
  async begin(
    items: readonly ItemView[],
    instant: number | undefined,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { registry, watch, me } = this.#ports;
    // Whoever is still removing a former mark could not tell it from the new one.
    await this.#removal;
    const session = liveSessionId(registry.session.state);
    const lifetime = failsOver(watch.view) ? 'persistent' : 'session';
    const former = watch.view.beginRecords.get(me);
    const numbers = items.map(({ item }) => item);
    for (const item of numbers) this.#beginning.add(item);
    const revision = await this.#commitBegin(items, instant, lifetime, signal).finally(() => {
      for (const item of numbers) this.#beginning.delete(item);
    });
    if (revision === undefined) return undefined;
    if (session === liveSessionId(registry.session.state)) {
      this.#note(numbers, { lifetime, marks: RUN, session });
      return revision;
    }
    // A process that was suspended begins before it has heard that its session is over, and what its items were chosen by
    // may be long out of date. Marks that outlive a session are told as crashed when it registers in the next one, and
    // may be a peer's by now; others came to live with the next one.
    if (lifetime === 'session') await this.#takeBack(numbers, former);
    return undefined;
  }

  /** Takes note of marks that were made by taking the items over. */
  noteTakenOver(items: readonly number[], session: string | undefined): void {
    this.#note(items, { lifetime: 'persistent', marks: TAKEOVER_MARKS, session });
  }

  #note(items: readonly number[], marked: Omit<Marked, 'state'>): void {
    for (const item of items) {
      if (this.#marked.get(item)?.state !== 'running') this.#running++;
      this.#marked.set(item, { ...marked, state: 'running' });
    }
  }

  async #commitBegin(
    items: readonly ItemView[],
    instant: number | undefined,
    lifetime: Lifetime,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { registry, watch, paths, me } = this.#ports;
    const { shardingVersion } = watch.view;
    try {
      return await registry.commit([
        shardingVersion === undefined
          ? { type: 'check', path: paths.sharding }
          : { type: 'check', path: paths.sharding, version: shardingVersion },
        ...items.flatMap(({ item, misfired }): readonly Operation[] => [
          { type: 'create', path: paths.item(item, 'running'), value: me, lifetime },
          // A run by hand makes up for nothing.
          ...(misfired && instant !== undefined
            ? [{ type: 'remove', path: paths.item(item, 'misfire') } as const]
            : []),
        ]),
        ...(await this.#record(items, instant)),
      ]);
    } catch (error) {
      if (error instanceof RegistryConflictError) return undefined;
      if (error instanceof RegistryOutcomeUnknownError) return this.wasMarked(items, signal);
      throw error;
    }
  }

  /**
   * After an unknown outcome of a commit that marked items: they all bear its mark, or none.
   * @returns the revision of the commit; `undefined` if it was not carried out
   */
  async wasMarked(items: readonly ItemView[], signal: AbortSignal): Promise<number | undefined> {
    const [first] = items;
    if (first === undefined) return undefined;
    const { watch, paths, me, whenConnected } = this.#ports;
    // Until it is known: what was marked, and is not run, would be lost.
    for (let isKnown = false; !isKnown; isKnown = await this.#readAll(signal)) await whenConnected(signal);
    const node = watch.nodes.get(paths.item(first.item, 'running'));
    return node?.value === me ? node.revision : undefined;
  }

  /** Whether everything has been read; after a pause if not, for the connection has broken once more. */
  async #readAll(signal: AbortSignal): Promise<boolean> {
    const { watch, clock } = this.#ports;
    try {
      await watch.sync();
      await watch.readAll();
      return true;
    } catch (error) {
      if (!(error instanceof RegistryUnavailableError)) throw error;
      await sleep(clock, PAUSE_MS, signal);
      return false;
    }
  }

  /** The item's run has ended: its marks go, together with those of others that end about now. Never rejects. */
  end(item: number): Promise<void> {
    if (!this.#markEnded(item)) return Promise.resolve();
    if (this.#batch === undefined) {
      const { clock } = this.#ports;
      this.#batch = { removed: new Deferred(), cancel: clock.after(BATCH_MS, () => void this.flush()) };
    }
    const { removed } = this.#batch;
    if (this.#running === 0) void this.flush();
    return removed.promise;
  }

  /** Removes the marks of all runs that have ended now. Never rejects: what cannot be removed is a leftover. */
  async flush(): Promise<void> {
    const batch = this.#batch;
    batch?.cancel();
    this.#batch = undefined;
    if (batch !== undefined) {
      const items = this.#ended();
      void this.#queue(() => this.#remove(items));
    }
    await this.#removal;
    batch?.removed.resolve();
  }

  /** Says in the registry centre that a firing came while these items were running (manual, `misfire`). */
  async noteMisfired(items: readonly ItemView[]): Promise<void> {
    const { registry, paths } = this.#ports;
    const unmarked = items.filter(({ misfired }) => !misfired);
    await Promise.all(unmarked.map(({ item }) => registry.create(paths.item(item, 'misfire'), '')));
  }

  /** Removes what says that a firing has been missed. */
  async clearMisfired(items: readonly number[]): Promise<void> {
    const { registry, paths } = this.#ports;
    await Promise.all(items.map((item) => registry.remove(paths.item(item, 'misfire'))));
  }

  /**
   * The session is over. Marks that lived with it are nobody's business any more; of the others, those of runs that had
   * ended are to be removed on return, and those of runs that had not are told as crashed then, by whoever comes first.
   */
  forgetSession(): void {
    for (const [item, marked] of this.#marked)
      if (marked.lifetime === 'session' || marked.state === 'running') this.#marked.delete(item);
      else marked.state = 'left';
    this.#running = 0;
  }

  /** Forgets leftovers that have been removed by other means. */
  forget(items: readonly number[]): void {
    for (const item of items) if (this.#marked.get(item)?.state === 'left') this.#marked.delete(item);
  }

  /** Removes all marks this instance has made: of runs in progress, and leftovers. */
  async clearAll(): Promise<void> {
    await this.#queue(() => this.#clearEach([...this.#marked.keys()]));
  }

  /** Removes the marks of items whose run has ended, but only this instance's: a peer's may stand in their place. */
  async clearOwn(items: readonly number[]): Promise<void> {
    await this.#queue(() => this.#clearEach(items.filter((item) => !this.#isRunning(item))));
  }

  #isRunning(item: number): boolean {
    return this.#beginning.has(item) || this.#marked.get(item)?.state === 'running';
  }

  #queue(removal: () => Promise<void>): Promise<void> {
    this.#removal = this.#removal.then(removal);
    return this.#removal;
  }

  /** Never rejects. */
  async #clearEach(items: readonly number[]): Promise<void> {
    const { registry, logger } = this.#ports;
    const session = liveSessionId(registry.session.state);
    const results = await Promise.allSettled(items.map((item) => this.#clear(item, session)));
    for (const item of items) this.#markLeft(item);
    for (const result of results) if (result.status === 'rejected') logger.debug(String(result.reason));
  }

  /** In one commit, like those that made them: of a rescue, no single mark may be left, or it would be taken for a crash. */
  async #clear(item: number, session: string | undefined): Promise<void> {
    const { registry, paths, me } = this.#ports;
    const marks = this.#marked.get(item)?.marks ?? RUN;
    const values = await Promise.all(marks.map(async (mark) => registry.get(paths.item(item, mark))));
    const own = marks.filter((_, index) => values[index] === me);
    // Nobody else removes the mark of an instance whose session lives. A process that was stopped here wakes up when it is
    // over, and peers may run the item; what is asked for now is done in this session or not at all.
    if (own.length > 0 && (session === undefined || session !== liveSessionId(registry.session.state))) return;
    if (own.length > 0) await registry.commit(own.map((mark) => ({ type: 'remove', path: paths.item(item, mark) })));
    this.#drop(item);
  }

  /** All nodes that speak of this instance's run of the item. */
  #traces(item: number): readonly string[] {
    const { paths, watch } = this.#ports;
    const marks = this.#marked.get(item)?.marks ?? [];
    const report = paths.crashReport(item);
    return [
      ...marks.map((mark) => paths.item(item, mark)),
      ...(marks === TAKEOVER_MARKS && watch.nodes.has(report) ? [report] : []),
    ];
  }

  #drop(item: number): void {
    if (this.#marked.get(item)?.state === 'running') this.#running--;
    this.#marked.delete(item);
  }

  #ended(): readonly number[] {
    return [...this.#marked].filter(([, { state }]) => state !== 'running').map(([item]) => item);
  }

  /** In one commit; if it fails, they are leftovers. */
  async #remove(items: readonly number[]): Promise<void> {
    const { registry, logger } = this.#ports;
    const session = liveSessionId(registry.session.state);
    // Marks of an earlier session are dealt with on return, and what stands in their place may be a peer's.
    const present = items.filter((item) => !this.#isRunning(item) && this.#marked.get(item)?.session === session);
    for (const item of items) if (!present.includes(item)) this.#markLeft(item);
    if (present.length === 0) return;
    const operations = present
      .flatMap((item) => this.#traces(item))
      .map((path): Operation => ({ type: 'remove', path }));
    try {
      await registry.commit(operations);
      for (const item of present) this.#drop(item);
    } catch (error) {
      // Some marks are gone already: removed by a peer, or with an item that was dropped.
      if (error instanceof RegistryConflictError) return this.#clearEach(present);
      for (const item of present) this.#markLeft(item);
      logger.warn(
        `could not tell that items ${present.join(',')} have finished, ` +
          `and will as soon as the registry centre answers: ${String(error)}`,
      );
    }
  }

  /** As if they had not been begun, so that they can be begun by whom they belong to. */
  async #takeBack(items: readonly number[], former: BeginRecord | undefined): Promise<void> {
    const { registry, watch, paths, me, logger } = this.#ports;
    try {
      await watch.sync();
      await watch.readAll();
      const { view } = watch;
      const isMine = view.items.filter(({ item, runningOn }) => items.includes(item) && runningOn === me);
      const node = watch.nodes.get(paths.beginRecord(me));
      const record = view.beginRecords.get(me);
      if (isMine.length === items.length && node !== undefined && record !== undefined) {
        const value = encodeBeginRecord(withoutBegun(record, items, former ?? NOTHING_BEGUN));
        await registry.commit([
          ...items.map((item): Operation => ({ type: 'remove', path: paths.item(item, 'running') })),
          { type: 'set', path: paths.beginRecord(me), value, version: node.version },
        ]);
        return;
      }
    } catch (error) {
      // Whatever it was, what is left is removed one by one.
      logger.debug(String(error));
    }
    await this.clearOwn(items);
  }

  /** Returns false if it had ended already, or is none of ours. */
  #markEnded(item: number): boolean {
    const marked = this.#marked.get(item);
    if (marked?.state !== 'running') return false;
    marked.state = 'ended';
    this.#running--;
    return true;
  }

  #markLeft(item: number): void {
    const marked = this.#marked.get(item);
    if (marked?.state === 'ended') marked.state = 'left';
  }

  async #record(items: readonly ItemView[], instant: number | undefined): Promise<readonly Operation[]> {
    const { registry, watch, paths, me } = this.#ports;
    const path = paths.beginRecord(me);
    if (!watch.nodes.has(path)) {
      await registry.create(path, '');
      await watch.sync();
    }
    // After a disconnection the mirror need not know what this instance itself has written.
    if (watch.nodes.get(path)?.value === undefined) await watch.readAll();
    const { beginRecords, lastBegun } = watch.view;
    const numbers = items.map(({ item }) => item);
    const value = encodeBeginRecord(withBegun(beginRecords.get(me) ?? NOTHING_BEGUN, numbers, instant, lastBegun));
    // Who puts away the records of instances that are gone writes here too, so nothing may be overwritten unseen.
    const version = watch.nodes.get(path)?.version;
    return [version === undefined ? { type: 'set', path, value } : { type: 'set', path, value, version }];
  }
}

/** Id of a session that lives, or may live. */
export function liveSessionId(state: SessionState): string | undefined {
  return state.phase === 'connected' || state.phase === 'suspended' ? state.id : undefined;
}
