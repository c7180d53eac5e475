/**
 * The marks of a run in the registry centre: an item that bears `running` is begun by no other instance. A run costs two
 * commits whatever the number of its items (as long as they fit into one): one creates all marks, one removes them. The
 * first one also writes down for which instant the items are begun, and checks that the assignment and the settings it
 * relies on are still the present ones. If some items of a run take longer, the marks of those that have ended go in batches.
 *
 * With failover the marks outlive their instance, so that its peers find what it has left unfinished; without failover they
 * live with its session.
 */
import { describeCause } from '../../api/describe-cause.js';
import { isLostRace, isOutage, isOutcomeUnknown } from '../../api/registry-errors.js';
import { Deferred } from '../../async/deferred.js';
import { sleep } from '../../async/wait.js';
import { type ItemMark } from '../../layout/job-paths.js';
import { type ItemView } from '../../layout/job-view.js';
import { type BeginRecord, encodeBeginRecord, NOTHING_BEGUN, withoutBegun } from '../../layout/x-node/begin-record.js';
import { commitChunks } from '../../registry/commit-chunks.js';
import { type Lifetime, type Operation } from '../../registry/registry-center.js';
import { liveSessionId, whenConnected } from '../../registry/session-state.js';
import { type BegunItem } from '../view/firing.js';
import { type ItemsHere } from '../view/items-here.js';
import { type EndedItem, failsOver, numbersOf } from '../view/items.js';
import { isReported } from '../view/crashes.js';
import { type JobContext } from '../job/job-context.js';
import { BeginCommits, type Beginning } from './begin-commits.js';

/** What marking needs. */
export interface ItemMarksDeps extends JobContext {
  /** What runs on this instance. */
  readonly items: ItemsHere;
}

/** How long the mark of an item that has ended may wait for others to be removed with it, in milliseconds. */
const BATCH_MS = 100;

/** Time between two attempts to learn what became of a commit, in milliseconds. */
const PAUSE_MS = 200;

/** The marks that a run makes of an item. */
const RUN_MARKS: readonly ItemMark[] = ['running'];

/** The marks that a takeover makes of an item. */
export const TAKEOVER_MARKS: readonly ItemMark[] = ['running', 'failover', 'failovering'];

/** How a run of an item ended: by itself, or because its signal aborted. */
export type ItemEnd = 'ended' | 'cut-short';

/** What this instance has marked an item with. */
interface Marked {
  readonly lifetime: Lifetime;
  readonly marks: readonly ItemMark[];
  readonly instant: number | undefined;
  /** Id of the session in which the marks were made. */
  readonly session: string | undefined;
  /**
   * `standing`: the item runs. `orphaned`: it runs, and the session of its marks is over. `ended`: its marks are about to be
   * removed. `left`: it has ended, and the marks could not be removed. `superseded`: it has ended, and a peer that took it
   * for crashed runs the item again.
   */
  state: 'standing' | 'orphaned' | 'ended' | 'left' | 'superseded';
}

/** For what, and from what, items were chosen. */
export type Choosing = Pick<Beginning, 'instant' | 'view'>;

/** What `begin` has marked. */
export interface Begin {
  readonly items: readonly BegunItem[];
  /** False if the assignment or the settings have changed meanwhile, so that some items are not marked. */
  readonly isComplete: boolean;
}

/** Writes and removes the marks of this instance's runs. */
export class ItemMarks {
  readonly #deps: ItemMarksDeps;
  readonly #commits: BeginCommits;
  readonly #marked = new Map<number, Marked>();
  /** Marks that wait to be removed together. */
  #batch: { readonly removed: Deferred; readonly cancel: () => void } | undefined;
  /** One removal after the other, so that a begin can wait for all that were asked for before. */
  #removal: Promise<void> = Promise.resolve();

  constructor(deps: ItemMarksDeps) {
    this.#deps = deps;
    this.#commits = new BeginCommits(deps);
  }

  /** Items whose run has ended and that may still bear this instance's marks, because these could not be removed. */
  get leftovers(): readonly EndedItem[] {
    return this.#itemsThatAre('left');
  }

  /** Items whose run has ended and that a peer runs again, because it took that run for crashed. */
  get superseded(): readonly EndedItem[] {
    return this.#itemsThatAre('superseded');
  }

  #itemsThatAre(wanted: Marked['state']): readonly EndedItem[] {
    return [...this.#marked].flatMap(([item, { state, instant }]) => (state === wanted ? [{ item, instant }] : []));
  }

  /** Whether this instance has marked the item, as far as it knows. */
  has(item: number): boolean {
    const state = this.#marked.get(item)?.state;
    return state !== undefined && state !== 'orphaned' && state !== 'superseded';
  }

  /**
   * Marks items as running, and as begun for the instant if there is one. Items that do not fit into one commit are marked in
   * several; each is guarded as the first one is.
   * @throws RegistryUnavailableError if an item may still be due and the registry centre cannot be reached
   * @throws the reason of `signal` if it is aborted before anything was asked for
   */
  async begin(items: readonly ItemView[], { instant, view }: Choosing, signal: AbortSignal): Promise<Begin> {
    const { registry, watch, me, items: here } = this.#deps;
    // While a former mark of an item is being removed, the removal could not distinguish it from the new one.
    await this.#removal;
    const session = liveSessionId(registry.session.state);
    const lifetime = failsOver(view) ? 'persistent' : 'session';
    const former = watch.view.beginRecords.get(me);
    const begun: BegunItem[] = [];
    let isComplete = true;
    here.begin(numbersOf(items));
    try {
      for (const chunk of await this.#commits.chunks(items, { instant, lifetime, view })) {
        signal.throwIfAborted();
        const revision = await this.#commit(chunk.operations, chunk.items, signal);
        isComplete = revision !== undefined;
        if (revision === undefined) break;
        for (const { item } of chunk.items) begun.push({ item, instant, fencingToken: revision });
      }
    } catch (error) {
      if (begun.length === 0 || signal.aborted) {
        await this.#giveBack(begun, { former });
        throw error;
      }
      // What has begun runs; the rest is still due.
      this.#deps.logger.warn(`could not begin all items: ${describeCause(error)}`);
      isComplete = false;
    } finally {
      here.release(numbersOf(items).filter((item) => here.phase(item) === 'beginning'));
    }
    if (session !== liveSessionId(registry.session.state)) {
      // After it was frozen, this process may have begun the items in the *next* session, on a choice made in the old one.
      // Persistent marks are reported as crashed when the instance registers again; ephemeral ones must go now.
      if (lifetime === 'session') await this.#giveBack(begun, { former });
      return { items: [], isComplete: false };
    }
    this.#note(begun, { lifetime, marks: RUN_MARKS, session });
    return { items: begun, isComplete };
  }

  /** Notes marks that a takeover has made. */
  noteTakenOver(items: readonly BegunItem[], session: string | undefined): void {
    this.#note(items, { lifetime: 'persistent', marks: TAKEOVER_MARKS, session });
  }

  #note(items: readonly BegunItem[], marked: Pick<Marked, 'lifetime' | 'marks' | 'session'>): void {
    for (const { item, instant } of items) this.#marked.set(item, { ...marked, instant, state: 'standing' });
    this.#deps.items.run(items.map(({ item }) => item));
  }

  /** @returns the revision of the commit; `undefined` if it did not fit */
  async #commit(
    operations: readonly Operation[],
    items: readonly ItemView[],
    signal: AbortSignal,
  ): Promise<number | undefined> {
    try {
      return await this.#deps.registry.commit(operations);
    } catch (error) {
      if (isLostRace(error)) return undefined;
      if (isOutcomeUnknown(error)) return this.wasMarked(items, signal);
      throw error;
    }
  }

  /**
   * After an unknown outcome of a commit that marked items: they all bear its mark, or none.
   * @returns the revision of the commit; `undefined` if it was not carried out
   * @throws the reason of `signal` if it is aborted before that is known
   */
  async wasMarked(items: readonly ItemView[], signal: AbortSignal): Promise<number | undefined> {
    const [first] = items;
    if (first === undefined) return undefined;
    const { registry, watch, paths, me } = this.#deps;
    // Until it is known: an item that is marked and not run would be lost.
    for (let isKnown = false; !isKnown; isKnown = await this.#readAll(signal))
      await whenConnected(registry.session, signal);
    const node = watch.nodes.get(paths.item(first.item, 'running'));
    return node?.value === me ? node.revision : undefined;
  }

  /** Whether everything has been read. If not, the connection has broken once more, and this resolves after a pause. */
  async #readAll(signal: AbortSignal): Promise<boolean> {
    const { watch, clock } = this.#deps;
    try {
      await watch.sync();
      await watch.readAll();
      return true;
    } catch (error) {
      if (!isOutage(error)) throw error;
      await sleep(clock, PAUSE_MS, signal);
      return false;
    }
  }

  /**
   * The item's run has ended: its marks go, together with those of other items that end about now. An item that was cut
   * short by the end of its session keeps them, for the instance that takes it over. Never rejects.
   */
  end(item: number, how: ItemEnd): Promise<void> {
    const marked = this.#marked.get(item);
    if (marked?.state === 'orphaned') {
      if (how === 'ended') marked.state = 'left';
      else this.#marked.delete(item);
    }
    if (marked?.state !== 'standing') return Promise.resolve();
    marked.state = 'ended';
    if (this.#batch === undefined) {
      const { clock } = this.#deps;
      this.#batch = { removed: new Deferred(), cancel: clock.after(BATCH_MS, () => void this.flush()) };
    }
    const { removed } = this.#batch;
    if (!this.#deps.items.isRunning) void this.flush();
    return removed.promise;
  }

  /** Removes the marks of all runs that have ended now. Never rejects: what cannot be removed is a leftover. */
  async flush(): Promise<void> {
    const batch = this.#batch;
    batch?.cancel();
    this.#batch = undefined;
    if (batch !== undefined) {
      const items = [...this.#marked].flatMap(([item, { state }]) =>
        state === 'ended' || state === 'left' ? [item] : [],
      );
      void this.#queue(() => this.#remove(items));
    }
    await this.#removal;
    batch?.removed.resolve();
  }

  /** Notes in the registry centre that a firing came while these items were running (manual, `misfire`). */
  async noteMisfired(items: readonly ItemView[]): Promise<void> {
    const { registry, paths } = this.#deps;
    const unmarked = items.filter(({ misfired }) => !misfired);
    await Promise.all(unmarked.map(({ item }) => registry.create(paths.item(item, 'misfire'), '')));
  }

  /** Removes the notes that a firing was missed. */
  async clearMisfired(items: readonly number[]): Promise<void> {
    const { registry, paths } = this.#deps;
    await Promise.all(items.map((item) => registry.remove(paths.item(item, 'misfire'))));
  }

  /**
   * The session is over. Marks that lived with it are gone. Of the others, those of ended runs are removed when the instance
   * is back; an item that still runs here may be taken over by a peer from now on.
   */
  forgetSession(): void {
    for (const [item, marked] of this.#marked)
      if (marked.lifetime === 'session') this.#marked.delete(item);
      else marked.state = marked.state === 'standing' || marked.state === 'orphaned' ? 'orphaned' : 'left';
  }

  /** Removes all marks that this instance has made: of runs in progress, and leftovers. Never rejects. */
  async clearAll(): Promise<void> {
    await this.#queue(() => this.#clearEach([...this.#marked.keys()]));
  }

  /** Removes leftovers, and reports of peers that took an ended run for crashed. Never rejects. */
  async clearLeftovers(): Promise<void> {
    const items = this.leftovers.map(({ item }) => item);
    if (items.length > 0) await this.clearOwn(items);
  }

  /** Removes the marks of items whose run has ended, but only this instance's: a peer's may stand in their place. Never rejects. */
  async clearOwn(items: readonly number[]): Promise<void> {
    await this.#queue(() => this.#clearEach(items.filter((item) => !this.#deps.items.isMarking(item))));
  }

  #queue(removal: () => Promise<void>): Promise<void> {
    this.#removal = this.#removal.then(removal);
    return this.#removal;
  }

  async #clearEach(items: readonly number[]): Promise<void> {
    const { registry, logger } = this.#deps;
    const session = liveSessionId(registry.session.state);
    const results = await Promise.allSettled(items.map((item) => this.#clear(item, session)));
    for (const item of items) this.#markLeft(item);
    for (const result of results)
      if (result.status === 'rejected') logger.debug(`a mark could not be removed: ${describeCause(result.reason)}`);
  }

  /** In one commit, like the one that made them: a single mark of a takeover that is left would pass for a crash. */
  async #clear(item: number, session: string | undefined): Promise<void> {
    const { registry, paths, me } = this.#deps;
    const marks = this.#marked.get(item)?.marks ?? RUN_MARKS;
    const values = await Promise.all(marks.map(async (mark) => registry.get(paths.item(item, mark))));
    const own = marks.filter((_, index) => values[index] === me);
    // No other instance removes the mark of an instance whose session lives. A process that was frozen here wakes up when
    // its session is over and peers may run the item; what is asked for now is done in this session or not at all.
    if (own.length > 0 && (session === undefined || session !== liveSessionId(registry.session.state))) return;
    const removals = own.map((mark): Operation => ({ type: 'remove', path: paths.item(item, mark) }));
    const operations = own.length > 0 ? removals : this.#reportRemovals(item);
    if (operations.length > 0) await registry.commit(operations);
    const marked = this.#marked.get(item);
    const isSuperseded = values.some((value) => value !== undefined && value !== me);
    // If the peer dies too, this instance still knows that the run has ended. A manual run has nothing to know it again by.
    if (marked?.state === 'left' && isSuperseded && marked.instant !== undefined) marked.state = 'superseded';
    else this.#marked.delete(item);
  }

  /** A peer may have reported this very run as crashed before this instance was back, although it has ended. */
  #reportRemovals(item: number): readonly Operation[] {
    const { watch, paths } = this.#deps;
    const { view } = watch;
    const marked = this.#marked.get(item);
    const hasEnded = marked?.state === 'left' || marked?.state === 'superseded';
    if (!hasEnded || !isReported(view, { item, instant: marked.instant })) return [];
    const version = view.items.find((each) => each.item === item)?.version;
    return [
      // A takeover that comes first increases the version, and the run is that instance's then.
      { type: 'set', path: paths.item(item), value: '', ...(version !== undefined && { version }) },
      { type: 'remove', path: paths.crashedItem(item) },
      { type: 'remove', path: paths.crashReport(item) },
    ];
  }

  /** All nodes that record this instance's run of the item. */
  #traces(item: number): readonly string[] {
    const { paths, watch } = this.#deps;
    const marks = this.#marked.get(item)?.marks ?? [];
    const report = paths.crashReport(item);
    return [
      ...marks.map((mark) => paths.item(item, mark)),
      ...(marks === TAKEOVER_MARKS && watch.nodes.has(report) ? [report] : []),
    ];
  }

  /** In one commit, or in as few as hold them; items whose commit fails are leftovers. */
  async #remove(items: readonly number[]): Promise<void> {
    const { registry, items: here } = this.#deps;
    const session = liveSessionId(registry.session.state);
    // Marks of an earlier session are dealt with on return, and what stands in their place may be a peer's.
    const isPresent = (item: number): boolean => !here.isMarking(item) && this.#marked.get(item)?.session === session;
    const present = items.filter(isPresent);
    for (const item of items) if (!isPresent(item)) this.#markLeft(item);
    const groups = present.map((item) => ({
      item,
      operations: this.#traces(item).map((path): Operation => ({ type: 'remove', path })),
    }));
    for (const chunk of commitChunks(groups, registry.limits)) {
      const chunkItems = chunk.groups.map(({ item }) => item);
      try {
        await registry.commit(chunk.operations);
        for (const item of chunkItems) this.#marked.delete(item);
      } catch (error) {
        // Some marks are gone already: a peer has removed them, or the item was dropped.
        if (isLostRace(error)) await this.#clearEach(chunkItems);
        else this.#keep(chunkItems, error);
      }
    }
  }

  #keep(items: readonly number[], error: unknown): void {
    for (const item of items) this.#markLeft(item);
    this.#deps.logger.warn(
      `items ${items.join(',')} have ended, and their marks stay until the registry centre answers: ${describeCause(error)}`,
    );
  }

  #markLeft(item: number): void {
    const marked = this.#marked.get(item);
    if (marked?.state === 'ended') marked.state = 'left';
  }

  /** As if the items had not been begun, so that their owner can begin them. Never rejects. */
  async #giveBack(
    begun: readonly BegunItem[],
    { former }: { readonly former: BeginRecord | undefined },
  ): Promise<void> {
    if (begun.length === 0) return;
    const { registry, watch, paths, me, logger } = this.#deps;
    const items = begun.map(({ item }) => item);
    try {
      await watch.sync();
      await watch.readAll();
      const { view } = watch;
      const given = new Set(items);
      const isMine = view.items.filter(({ item, runningOn }) => given.has(item) && runningOn === me);
      const node = watch.nodes.get(paths.beginRecord(me));
      const record = view.beginRecords.get(me);
      if (isMine.length === items.length && node !== undefined && record !== undefined) {
        const value = encodeBeginRecord(withoutBegun(record, items, former ?? NOTHING_BEGUN));
        const restored: Operation = { type: 'set', path: paths.beginRecord(me), value, version: node.version };
        const removals = items.map((item): Operation => ({ type: 'remove', path: paths.item(item, 'running') }));
        const groups = [restored, ...removals].map((operation) => ({ operations: [operation] }));
        for (const { operations } of commitChunks(groups, registry.limits)) await registry.commit(operations);
        return;
      }
    } catch (error) {
      // Whatever it was, what is left is removed one by one.
      logger.debug(`items ${items.join(',')} are given back one by one: ${describeCause(error)}`);
    }
    await this.clearOwn(items);
  }
}
