/**
 * The marks of a run in the registry centre: while an item bears `running`, no other instance begins it. A run costs
 * two commits however many items it has, as long as they fit into one commit: the first creates all marks, the second
 * removes them. The first one also writes down for which instant the items are begun, and checks that the assignment
 * and the settings it relies on are still the present ones. If some items of a run take longer, the marks of those that
 * have ended are removed in batches.
 *
 * With failover, the marks outlive their instance, so that its peers find its unfinished items; without failover, they
 * end with its session.
 */
import { describeCause } from '../../api/text/describe-cause.js';
import { isLostRace, isOutage, isOutcomeUnknown } from '../../api/errors/registry-errors.js';
import { type AbortSource, throwIfAborted } from '../../async/abort.js';
import { sleep } from '../../async/wait.js';
import { itemOf, type ItemView, type JobView } from '../../layout/job-view.js';
import {
  type BeginRecord,
  type BegunFor,
  encodeBeginRecord,
  NOTHING_BEGUN,
  withBegun,
  withoutBegun,
  withParametersOf,
} from '../../layout/x-node/begin-record.js';
import { isRunKey } from '../../layout/x-node/run-key.js';
import { changeEach } from '../../registry/change-each.js';
import { commitChunks } from '../../registry/commit-chunks.js';
import { type Lifetime, type Operation } from '../../registry/registry-center.js';
import { liveSessionId, whenConnected } from '../../registry/session-state.js';
import { type BegunItem } from '../view/firing.js';
import { RUN_MARKS } from '../view/held-items.js';
import { failsOver, numbersOf } from '../view/items.js';
import { MarkRemoval, type MarkRemovalDeps } from './mark-removal.js';
import { TriggerAcceptance } from './trigger-acceptance.js';

/** Time between two attempts to learn the outcome of a commit, in milliseconds. */
const PAUSE_MS = 200;

/** A record that is written step by step may be a little longer in between than before and after. */
const RECORD_SLACK = 100;

/** The firing that items were chosen for, and the view they were chosen from. */
export interface Choosing extends BegunFor {
  /** The view from which the items were chosen. */
  readonly view: JobView;
}

/** A choice of items, and the lifetime of their marks. */
interface Beginning extends Choosing {
  /** Lifetime of the marks. */
  readonly lifetime: Lifetime;
}

/** One commit that begins items. */
interface BeginCommit {
  readonly items: readonly ItemView[];
  readonly operations: readonly Operation[];
}

/** The items that `begin` has marked. */
export interface Begin {
  readonly items: readonly BegunItem[];
  /** False if the assignment or the settings have changed meanwhile, so that some items are not marked. */
  readonly isComplete: boolean;
}

/** Writes and removes the marks of this instance's runs. */
export class ItemMarks {
  readonly #deps: MarkRemovalDeps;
  /** Removes the marks of this instance's runs. */
  readonly removal: MarkRemoval;

  constructor(deps: MarkRemovalDeps) {
    this.#deps = deps;
    this.removal = new MarkRemoval(deps);
  }

  /**
   * Marks items as running, and as begun for the instant if there is one. Items that do not fit into one commit are
   * marked in several; each is guarded as the first one is.
   * @throws RegistryUnavailableError if an item may still be due and the registry centre cannot be reached
   * @throws the reason of `signal` if it is aborted before anything was asked for
   */
  async begin(items: readonly ItemView[], choosing: Choosing, signal: AbortSource): Promise<Begin> {
    const { instant, jobParameter, view } = choosing;
    const { registry, watch, me, held } = this.#deps;
    // While a former mark of an item is being removed, the removal could not distinguish it from the new one.
    if (!this.removal.isAtRest) await this.removal.settled;
    const session = liveSessionId(registry.session.state);
    const lifetime = failsOver(view) ? 'persistent' : 'session';
    const former = watch.view.beginRecords.get(me);
    const begun: BegunItem[] = [];
    let isComplete = true;
    held.begin(numbersOf(items));
    try {
      for (const chunk of await this.#beginCommits(items, { ...choosing, lifetime })) {
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
      // The items that have begun run; the others are still due.
      this.#deps.logger.warn(`could not begin all items: ${describeCause(error)}`);
      isComplete = false;
    } finally {
      held.giveUpBeginning(numbersOf(items));
    }
    if (session !== liveSessionId(registry.session.state)) {
      // After it was frozen, this process may have begun the items in the *next* session, on a choice made in the old
      // one. Persistent marks are reported as crashed when the instance registers again; ephemeral ones must go now.
      if (lifetime === 'session') await this.#giveBack(begun, { former });
      return { items: [], isComplete: false };
    }
    held.runMarked(begun, { marks: RUN_MARKS, session });
    return { items: begun, isComplete };
  }

  /**
   * The commits that begin these items, to be made in order; one, unless the items do not fit into it. Each of them
   * checks that the assignment and the settings are those by which the items were chosen, creates the marks, and writes
   * this instance's record of begun runs, which includes the items of the earlier commits.
   */
  async #beginCommits(items: readonly ItemView[], beginning: Beginning): Promise<readonly BeginCommit[]> {
    const { registry, watch, paths, me } = this.#deps;
    const path = paths.beginRecord(me);
    if (watch.nodes.get(path)?.value === undefined) await this.#openRecord();
    const version = watch.nodes.get(path)?.version;
    const fence = this.#fence(beginning.view);
    const record = (upTo: readonly ItemView[]): string => this.#record(upTo, beginning);
    const all = record(items);
    const length = Math.max(watch.nodes.get(path)?.value?.length ?? 0, all.length) + RECORD_SLACK;
    // While commits are measured, the longest record that any of them can write stands for all of them.
    const measure: Operation = { type: 'set', path, value: '-'.repeat(length) };
    const groups = items.map((item) => ({ item, operations: this.#markOperations(item, beginning) }));
    const triggers = new TriggerAcceptance(this.#deps);
    const takenOff = (steps: readonly (readonly number[])[]): readonly (readonly Operation[])[] =>
      beginning.instant === undefined ? triggers.beginning(steps, beginning.jobParameter) : [];
    const measures = takenOff([numbersOf(items)])
      .flat()
      .map((change) => this.#longest(change));
    const chunks = commitChunks(groups, registry.limits, { guard: [...fence, measure, ...measures] });
    const ofTriggers = takenOff(chunks.map((chunk) => chunk.groups.map(({ item }) => item.item)));
    let begun = 0;
    return chunks.map((chunk, index): BeginCommit => {
      begun += chunk.groups.length;
      const value = begun === items.length ? all : record(items.slice(0, begun));
      return {
        items: chunk.groups.map(({ item }) => item),
        operations: [
          ...fence,
          ...chunk.groups.flatMap(({ operations }) => operations),
          // The custodian of the record writes here too, so nothing may be overwritten unseen.
          { type: 'set', path, value, ...(version !== undefined && { version: version + index }) },
          ...(ofTriggers[index] ?? []),
        ],
      };
    });
  }

  /** An operation as long as the longest text that a node has while commits change it step by step. */
  #longest(change: Operation): Operation {
    const { path } = change;
    const before = this.#deps.watch.nodes.get(path)?.value?.length ?? 0;
    const after = change.type === 'set' ? change.value.length : 0;
    return { type: 'set', path, value: '-'.repeat(Math.max(before, after) + RECORD_SLACK) };
  }

  /** Checks that the assignment and the settings are those of the view; the present view may be a later one already. */
  #fence({ shardingVersion, configVersion, graph }: JobView): readonly Operation[] {
    const { paths } = this.#deps;
    const { ordersVersion } = graph;
    return [
      // No item begins that an operator has ordered not to run.
      ...(ordersVersion === undefined ? [] : [{ type: 'check', path: paths.orders, version: ordersVersion } as const]),
      { type: 'check', path: paths.sharding, ...(shardingVersion !== undefined && { version: shardingVersion }) },
      // Tokens of unmonitored runs stem from the settings' revision: no marked run may begin after they have changed.
      { type: 'check', path: paths.config, ...(configVersion !== undefined && { version: configVersion }) },
    ];
  }

  #markOperations({ item, misfired }: ItemView, { instant, lifetime }: Beginning): readonly Operation[] {
    const { paths, me } = this.#deps;
    const mark: Operation = { type: 'create', path: paths.item(item, 'running'), value: me, lifetime };
    // Neither a manual run nor one for a run key recovers a misfire.
    return misfired && instant !== undefined && !isRunKey(instant)
      ? [mark, { type: 'remove', path: paths.item(item, 'misfire') }]
      : [mark];
  }

  async #openRecord(): Promise<void> {
    const { registry, watch, paths, me } = this.#deps;
    const path = paths.beginRecord(me);
    if (!watch.nodes.has(path)) {
      await registry.create(path, '');
      await watch.sync();
    }
    // After a disconnection, the mirror may lack this instance's own writes.
    if (watch.nodes.get(path)?.value === undefined) await watch.readAll();
  }

  #record(items: readonly ItemView[], begunFor: BegunFor): string {
    const { watch, me, held } = this.#deps;
    const { view } = watch;
    const { beginRecords, lastBegun } = view;
    const record = withBegun(beginRecords.get(me) ?? NOTHING_BEGUN, numbersOf(items), begunFor, lastBegun);
    // An instance that takes over a run needs its job parameter, so the record keeps those of runs that may have to be
    // taken over: the ones with a mark. The parameters of all other runs would pile up.
    const isRunning = (item: number): boolean => held.isMarking(item) || itemOf(view, item)?.running === true;
    return encodeBeginRecord(withParametersOf(record, (item) => failsOver(view) && isRunning(item)));
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
   * Finds out whether a commit with unknown outcome has marked the items: all of them bear its mark, or none.
   * @returns the revision of the commit; `undefined` if it was not carried out
   * @throws the reason of `signal` if it is aborted before that is known
   */
  async wasMarked(items: readonly ItemView[], signal: AbortSource): Promise<number | undefined> {
    const [first] = items;
    if (first === undefined) return undefined;
    const { watch, paths, me } = this.#deps;
    // Read until the outcome is known: an item that is marked and not run would be lost.
    await this.readAgain(signal);
    const node = watch.nodes.get(paths.item(first.item, 'running'));
    return node?.value === me ? node.revision : undefined;
  }

  /** Reads everything as soon as the registry centre answers. @throws the reason of `signal` if it is aborted before */
  async readAgain(signal: AbortSource): Promise<void> {
    for (let isKnown = false; !isKnown; isKnown = await this.#readAll(signal))
      await whenConnected(this.#deps.registry.session, signal);
  }

  /** @returns false if the connection has broken once more; then it resolves after a pause */
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

  /** Marks in the registry centre that a firing came while these items were running (manual, `misfire`). */
  async noteMisfired(items: readonly ItemView[]): Promise<void> {
    const { registry, paths } = this.#deps;
    const unmarked = items.filter(({ misfired }) => !misfired);
    const notes = unmarked.map(
      ({ item }) => ({ type: 'create', path: paths.item(item, 'misfire'), value: '' }) as const,
    );
    await changeEach(registry, notes);
  }

  /** Removes the marks of missed firings. */
  async clearMisfired(items: readonly number[]): Promise<void> {
    const { registry, paths } = this.#deps;
    const removals = items.map((item) => ({ type: 'remove', path: paths.item(item, 'misfire') }) as const);
    await changeEach(registry, removals);
  }

  /** Undoes the begin of the items, so that their owner can begin them. Never rejects. */
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
      // After any failure, the remaining marks are removed one by one.
      logger.debug(`items ${items.join(',')} are given back one by one: ${describeCause(error)}`);
    }
    await this.removal.clearOwn(items);
  }
}
