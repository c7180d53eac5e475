/**
 * The marks of a run in the registry centre: an item that bears `running` is begun by no other instance. A run costs two
 * commits whatever the number of its items (as long as they fit into one): one creates all marks, one removes them. The
 * first one also writes down for which instant the items are begun, and checks that the assignment and the settings it
 * relies on are still the present ones. If some items of a run take longer, the marks of those that have ended go in batches.
 *
 * With failover the marks outlive their instance, so that its peers find what it has left unfinished; without failover they
 * live with its session.
 */
import { describeCause } from '../../api/text/describe-cause.js';
import { isLostRace, isOutage, isOutcomeUnknown } from '../../api/errors/registry-errors.js';
import { type AbortSource, throwIfAborted } from '../../async/abort.js';
import { sleep } from '../../async/wait.js';
import { type ItemView } from '../../layout/job-view.js';
import { type BeginRecord, encodeBeginRecord, NOTHING_BEGUN, withoutBegun } from '../../layout/x-node/begin-record.js';
import { changeEach } from '../../registry/change-each.js';
import { commitChunks } from '../../registry/commit-chunks.js';
import { type Operation } from '../../registry/registry-center.js';
import { liveSessionId, whenConnected } from '../../registry/session-state.js';
import { type BegunItem } from '../view/firing.js';
import { type ItemsHere } from '../view/items-here.js';
import { failsOver, numbersOf } from '../view/items.js';
import { type JobContext } from '../job/job-context.js';
import { BeginCommits, type Beginning } from './begin-commits.js';
import { MarkRemoval } from './mark-removal.js';
import { TriggerAcceptance } from './trigger-acceptance.js';
import { type OwnMark, OwnMarks, RUN_MARKS, TAKEOVER_MARKS } from './own-marks.js';

/** What marking needs. */
export interface ItemMarksDeps extends JobContext {
  /** What runs on this instance. */
  readonly items: ItemsHere;
}

/** Time between two attempts to learn what became of a commit, in milliseconds. */
const PAUSE_MS = 200;

/** For what, and from what, items were chosen. */
export type Choosing = Omit<Beginning, 'lifetime'>;

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
  /** What this instance has marked. */
  readonly own = new OwnMarks();
  /** Removes what it has marked. */
  readonly removal: MarkRemoval;

  constructor(deps: ItemMarksDeps) {
    this.#deps = deps;
    this.#commits = new BeginCommits(deps);
    this.removal = new MarkRemoval(deps, this.own);
  }

  /**
   * Marks items as running, and as begun for the instant if there is one. Items that do not fit into one commit are marked in
   * several; each is guarded as the first one is.
   * @throws RegistryUnavailableError if an item may still be due and the registry centre cannot be reached
   * @throws the reason of `signal` if it is aborted before anything was asked for
   */
  async begin(items: readonly ItemView[], choosing: Choosing, signal: AbortSource): Promise<Begin> {
    const { instant, jobParameter, view } = choosing;
    const { registry, watch, me, items: here } = this.#deps;
    // While a former mark of an item is being removed, the removal could not distinguish it from the new one.
    if (!this.removal.isAtRest) await this.removal.settled;
    const session = liveSessionId(registry.session.state);
    const lifetime = failsOver(view) ? 'persistent' : 'session';
    const former = watch.view.beginRecords.get(me);
    const begun: BegunItem[] = [];
    let isComplete = true;
    here.begin(numbersOf(items));
    try {
      for (const chunk of await this.#commits.chunks(items, { ...choosing, lifetime })) {
        throwIfAborted(signal);
        const revision = await this.#commit(chunk.operations, chunk.items, signal);
        isComplete = revision !== undefined;
        if (revision === undefined) break;
        for (const { item } of chunk.items) begun.push({ item, instant, jobParameter, fencingToken: revision });
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
    this.#note(begun, { marks: RUN_MARKS, session });
    return { items: begun, isComplete };
  }

  /** Notes marks that a takeover has made. */
  noteTakenOver(items: readonly BegunItem[], session: string | undefined): void {
    this.#note(items, { marks: TAKEOVER_MARKS, session });
  }

  #note(items: readonly BegunItem[], marked: Pick<OwnMark, 'marks' | 'session'>): void {
    for (const { item, instant } of items) this.own.set(item, { ...marked, instant, state: 'standing' });
    this.#deps.items.run(items.map(({ item }) => item));
  }

  /** @returns the revision of the commit; `undefined` if it did not fit */
  async #commit(
    operations: readonly Operation[],
    items: readonly ItemView[],
    signal: AbortSource,
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
  async wasMarked(items: readonly ItemView[], signal: AbortSource): Promise<number | undefined> {
    const [first] = items;
    if (first === undefined) return undefined;
    const { watch, paths, me } = this.#deps;
    // Until it is known: an item that is marked and not run would be lost.
    await this.readAgain(signal);
    const node = watch.nodes.get(paths.item(first.item, 'running'));
    return node?.value === me ? node.revision : undefined;
  }

  /** Reads everything as soon as the registry centre answers. @throws the reason of `signal` if it is aborted before */
  async readAgain(signal: AbortSource): Promise<void> {
    for (let isKnown = false; !isKnown; isKnown = await this.#readAll(signal))
      await whenConnected(this.#deps.registry.session, signal);
  }

  /** Whether everything has been read. If not, the connection has broken once more, and this resolves after a pause. */
  async #readAll(signal: AbortSource): Promise<boolean> {
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

  /** Notes in the registry centre that a firing came while these items were running (manual, `misfire`). */
  async noteMisfired(items: readonly ItemView[]): Promise<void> {
    const { registry, paths } = this.#deps;
    const unmarked = items.filter(({ misfired }) => !misfired);
    const notes = unmarked.map(
      ({ item }) => ({ type: 'create', path: paths.item(item, 'misfire'), value: '' }) as const,
    );
    await changeEach(registry, notes);
  }

  /** Removes the notes that a firing was missed. */
  async clearMisfired(items: readonly number[]): Promise<void> {
    const { registry, paths } = this.#deps;
    const removals = items.map((item) => ({ type: 'remove', path: paths.item(item, 'misfire') }) as const);
    await changeEach(registry, removals);
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
        const [first] = begun;
        const again =
          first === undefined || first.instant !== undefined
            ? []
            : new TriggerAcceptance(this.#deps).waitingAgain(items, first.jobParameter);
        const groups = [restored, ...again, ...removals].map((operation) => ({ operations: [operation] }));
        for (const { operations } of commitChunks(groups, registry.limits)) await registry.commit(operations);
        return;
      }
    } catch (error) {
      // Whatever it was, what is left is removed one by one.
      logger.debug(`items ${items.join(',')} are given back one by one: ${describeCause(error)}`);
    }
    await this.removal.clearOwn(items);
  }
}
