/**
 * Removes the marks of runs that have ended: in one commit for all items that end about now. Marks that could not be
 * removed then are removed later, if they are still this instance's.
 */
import { describeCause } from '../../api/text/describe-cause.js';
import { isLostRace } from '../../api/errors/registry-errors.js';
import { Deferred } from '../../async/deferred.js';
import { Limiter } from '../../async/limiter.js';
import { awaitsTakeover, itemOf } from '../../layout/job-view.js';
import { type RunEnd } from '../../layout/x-node/end-record.js';
import { toRanges } from '../../layout/x-node/item-ranges.js';
import { REQUESTS_AT_ONCE } from '../../registry/change-each.js';
import { commitChunks } from '../../registry/commit-chunks.js';
import { type Operation } from '../../registry/registry-center.js';
import { liveSessionId, whenConnected } from '../../registry/session-state.js';
import { firingTurns } from '../../time/event-loop.js';
import { type JobContext } from '../job/job-context.js';
import { isReported } from '../view/crashes.js';
import { type HeldItems, RUN_MARKS, TAKEOVER_MARKS } from '../view/held-items.js';
import { failsOver, numbersOf } from '../view/items.js';
import { type EndRecords, type RunToEnd } from './end-records.js';

/** How long the marks of an ended item may wait to be removed together with those of others, in milliseconds. */
const BATCH_MS = 100;

/** Characters that an end record may have for one instant, besides the items. */
const LINE_LENGTH = 100;

/** How the run of an item has ended. */
export interface ItemEnd {
  /** True if it ended because its signal aborted. */
  readonly isCutShort: boolean;
  /** What peers are told. */
  readonly end: RunEnd;
}

/** Dependencies of a `MarkRemoval`. */
export interface MarkRemovalDeps extends JobContext {
  readonly ends: EndRecords;
}

/** Removes the marks of this instance's runs. */
export class MarkRemoval {
  readonly #deps: MarkRemovalDeps;
  readonly #held: HeldItems;
  /** Marks that wait to be removed together. */
  #batch: { readonly removed: Deferred; readonly cancel: () => void } | undefined;
  /** One removal after the other, so that a begin can wait for all that were asked for before. */
  #removal: Promise<void> | undefined;
  /** How many removals have not ended. */
  #unended = 0;

  constructor(deps: MarkRemovalDeps) {
    this.#deps = deps;
    this.#held = deps.held;
  }

  /** True if no mark is being removed, or waits for that. */
  get isAtRest(): boolean {
    return this.#unended === 0 && this.#batch === undefined;
  }

  /** Resolves when all removals that were asked for before have ended. Never rejects. */
  get settled(): Promise<void> {
    return this.#removal ?? Promise.resolve();
  }

  /**
   * Ends the item's run: its marks are removed, together with those of other items that end about now. If the item was
   * cut short by the end of its session, its marks stay, for the instance that takes it over. Never rejects.
   */
  end(item: number, { isCutShort, end }: ItemEnd): Promise<void> {
    const marked = this.#held.mark(item);
    if (marked !== undefined) marked.end = end;
    if (marked?.state === 'session-lost') {
      if (!isCutShort || this.#isLost) marked.state = 'not-removed';
      else this.#held.unmark(item);
      // In a graph, peers wait to hear of the end, although no mark may be left to remove.
      if (this.#deps.ends.areWritten) void this.clearLeftovers();
    }
    if (marked?.state !== 'running') return Promise.resolve();
    marked.state = 'ended';
    if (this.#batch === undefined) {
      const { clock } = this.#deps;
      this.#batch = { removed: new Deferred(), cancel: clock.after(BATCH_MS, () => this.#flushSoon()) };
    }
    const { removed } = this.#batch;
    if (!this.#held.isRunning) this.#flushSoon();
    return removed.promise;
  }

  /** True if no instance runs an item again that was cut short, and peers wait to hear of its end. */
  get #isLost(): boolean {
    const { ends, watch } = this.#deps;
    return ends.areWritten && !failsOver(watch.view);
  }

  /** Firings that are due begin first. */
  #flushSoon(): void {
    firingTurns.runWhenFree(() => void this.flush());
  }

  /** Removes the marks of all runs that have ended. Never rejects: marks that cannot be removed become leftovers. */
  async flush(): Promise<void> {
    const batch = this.#batch;
    batch?.cancel();
    this.#batch = undefined;
    if (batch !== undefined) {
      const items = numbersOf(this.#held.itemsMarked('ended'));
      void this.#queue(() => this.#remove(items));
      // An earlier leftover's removal may have succeeded without an answer, and a peer's mark may stand there now, so
      // each node is checked before it is removed.
      void this.clearLeftovers();
    }
    await this.#removal;
    batch?.removed.resolve();
  }

  /** Removes all marks that this instance has made: of runs in progress, and leftovers. Never rejects. */
  async clearAll(): Promise<void> {
    await this.#queue(() => this.#clearEach(this.#held.marked));
  }

  /** Removes leftovers, and reports of peers that took an ended run for crashed. Never rejects. */
  async clearLeftovers(): Promise<void> {
    const items = numbersOf(this.#held.leftovers);
    if (items.length > 0) await this.clearOwn(items);
  }

  /**
   * Removes leftovers as soon as the registry centre can be reached, or not if `signal` aborts before. Never rejects.
   */
  async clearWhenConnected(signal: AbortSignal): Promise<void> {
    if (this.#held.leftovers.length === 0) return;
    const isConnected = await whenConnected(this.#deps.registry.session, signal).then(
      () => true,
      () => false,
    );
    if (isConnected) await this.clearLeftovers();
  }

  /**
   * Removes the marks of items whose run has ended, but only those of this instance: a peer's mark may stand there now.
   * Never rejects.
   */
  async clearOwn(items: readonly number[]): Promise<void> {
    await this.#queue(() => this.#clearEach(items.filter((item) => !this.#held.isMarking(item))));
  }

  #queue(removal: () => Promise<void>): Promise<void> {
    this.#unended++;
    this.#removal = this.settled.then(removal).finally(() => this.#unended--);
    return this.#removal;
  }

  async #clearEach(items: readonly number[]): Promise<void> {
    const { registry, logger } = this.#deps;
    const session = liveSessionId(registry.session.state);
    const limiter = new Limiter(REQUESTS_AT_ONCE);
    const results = await Promise.allSettled(items.map((item) => limiter.run(() => this.#clear(item, session))));
    for (const item of items) this.#held.leave(item);
    for (const result of results)
      if (result.status === 'rejected') logger.debug(`a mark could not be removed: ${describeCause(result.reason)}`);
  }

  /** Uses one commit, as for making the marks: if a single mark of a takeover remained, it would pass for a crash. */
  async #clear(item: number, session: string | undefined): Promise<void> {
    const { registry, watch, paths, me } = this.#deps;
    const marks = this.#held.mark(item)?.marks ?? RUN_MARKS;
    const { version } = itemOf(watch.view, item) ?? {};
    const values = await Promise.all(marks.map(async (mark) => registry.get(paths.item(item, mark))));
    const own = marks.filter((_, index) => values[index] === me);
    // As long as the session lives, no other instance removes its marks. A process that was frozen here wakes up when
    // its session has ended and peers may run the item, so the removal is done in the present session or not at all.
    if (own.length > 0 && (session === undefined || session !== liveSessionId(registry.session.state))) return;
    const removals: readonly Operation[] = [
      // Until this instance has registered, peers may report the run as crashed and take the item over, which gives its
      // node another version. The mark of such a peer is as new as this one was, so the mark's own version proves
      // nothing.
      ...(version === undefined ? [] : [{ type: 'check', path: paths.item(item), version } as const]),
      ...own.map((mark) => ({ type: 'remove', path: paths.item(item, mark) }) as const),
    ];
    const operations = own.length > 0 ? removals : this.#reportRemovals(item);
    const marked = this.#held.mark(item);
    const hasEnded = marked?.state === 'not-removed' || marked?.state === 'rerun-by-peer';
    const isUnmarked = values.every((value) => value === undefined) && !awaitsTakeover(watch.view, item);
    const runs = hasEnded && (operations.length > 0 || isUnmarked) ? [this.#runOf(item)] : [];
    const isEndToWrite = runs.length > 0 && this.#deps.ends.areWritten;
    if (operations.length > 0 || isEndToWrite)
      await this.#deps.ends.write(runs, (ends) => this.#commit([...operations, ...ends]));
    // A peer has the item, or is about to take it over. This instance keeps remembering that its run has ended: if that
    // peer dies too, its report must be withdrawn again. For a manual run that is impossible: it has no instant by
    // which to recognise its report.
    const isRerunByPeer = operations.length === 0 || values.some((value) => value !== undefined && value !== me);
    if (hasEnded && isRerunByPeer && marked.instant !== undefined) marked.state = 'rerun-by-peer';
    else this.#held.unmark(item);
  }

  /** A peer may have reported this very run as crashed before this instance was back, although it has ended. */
  #reportRemovals(item: number): readonly Operation[] {
    const { watch, paths } = this.#deps;
    const { view } = watch;
    const marked = this.#held.mark(item);
    const hasEnded = marked?.state === 'not-removed' || marked?.state === 'rerun-by-peer';
    if (!hasEnded || !isReported(view, { item, instant: marked.instant })) return [];
    const version = itemOf(view, item)?.version;
    return [
      // A takeover that comes first increases the version; the run then belongs to the instance that has taken it over.
      { type: 'set', path: paths.item(item), value: '', ...(version !== undefined && { version }) },
      { type: 'remove', path: paths.crashedItem(item) },
      { type: 'remove', path: paths.crashReport(item) },
    ];
  }

  /** A run without an instant has no end on record, so that nothing may be left to write. */
  #commit(operations: readonly Operation[]): Promise<unknown> {
    return operations.length === 0 ? Promise.resolve() : this.#deps.registry.commit(operations);
  }

  /** A run whose end is not known has not come to one. */
  #runOf(item: number): RunToEnd {
    const { instant, end = 'failed' } = this.#held.mark(item) ?? { instant: undefined };
    return { item, instant, end };
  }

  /** All nodes that record this instance's run of the item. */
  #traces(item: number): readonly string[] {
    const { paths, watch } = this.#deps;
    const marks = this.#held.mark(item)?.marks ?? [];
    const report = paths.crashReport(item);
    return [
      ...marks.map((mark) => paths.item(item, mark)),
      ...(marks === TAKEOVER_MARKS && watch.nodes.has(report) ? [report] : []),
    ];
  }

  /** Uses one commit, or as few as hold the items; items whose commit fails become leftovers. */
  async #remove(items: readonly number[]): Promise<void> {
    const { registry } = this.#deps;
    const session = liveSessionId(registry.session.state);
    // The registration in a new session deals with marks of an earlier one; the marks there now may be a peer's.
    const isPresent = (item: number): boolean =>
      !this.#held.isMarking(item) && this.#held.mark(item)?.session === session;
    const present = items.filter(isPresent);
    for (const item of items) if (!isPresent(item)) this.#held.leave(item);
    const groups = present.map((item) => ({
      item,
      operations: this.#traces(item).map((path): Operation => ({ type: 'remove', path })),
    }));
    for (const chunk of commitChunks(groups, registry.limits, { guard: this.#measure(present) })) {
      const chunkItems = chunk.groups.map(({ item }) => item);
      const removals = chunk.groups.flatMap(({ operations }) => operations);
      try {
        const runs = chunkItems.map((item) => this.#runOf(item));
        await this.#deps.ends.write(runs, (ends) => this.#commit([...removals, ...ends]));
        for (const item of chunkItems) this.#held.unmark(item);
      } catch (error) {
        // Some marks are gone already: a peer has removed them, or the item was dropped.
        if (isLostRace(error)) await this.#clearEach(chunkItems);
        else this.#keep(chunkItems, error);
      }
    }
  }

  /** While commits are measured, it stands for the longest end record that any of them can write. */
  #measure(items: readonly number[]): readonly Operation[] {
    const { ends, watch, paths, me } = this.#deps;
    if (!ends.areWritten) return [];
    const path = paths.endRecord(me);
    const instants = new Set(items.map((item) => this.#held.mark(item)?.instant));
    const length = (watch.nodes.get(path)?.value?.length ?? 0) + toRanges(items).length + instants.size * LINE_LENGTH;
    return [{ type: 'set', path, value: '-'.repeat(length) }];
  }

  #keep(items: readonly number[], error: unknown): void {
    for (const item of items) this.#held.leave(item);
    this.#deps.logger.warn(
      `items ${items.join(',')} have ended, and their marks stay until the registry centre answers: ${describeCause(error)}`,
    );
  }
}
