/**
 * Taking over crashed items (manual, `failover`). A takeover marks the item as running in the same commit: at no moment
 * is an item claimed and not begun. `crash-reports.ts` has the picture.
 *
 * Java peers write the same nodes one by one. While they take part, our takeovers hold the failover latch, as theirs
 * do.
 */
import { describeCause } from '../../api/text/describe-cause.js';
import { isDisconnection, isLostRace, isOutcomeUnknown } from '../../api/errors/registry-errors.js';
import { Limiter } from '../../async/limiter.js';
import { hasJavaPeers, type ItemView, type JobView } from '../../layout/job-view.js';
import { REQUESTS_AT_ONCE } from '../../registry/change-each.js';
import { commitChunks } from '../../registry/commit-chunks.js';
import { type Operation } from '../../registry/registry-center.js';
import { liveSessionId } from '../../registry/session-state.js';
import { isReported, shareOfCrashed } from '../view/crashes.js';
import { type BegunItem } from '../view/firing.js';
import { TAKEOVER_MARKS } from '../view/held-items.js';
import { describeItems, numbersOf } from '../view/items.js';
import { type JobContext } from '../job/job-context.js';
import { crashedRun, newVersion } from './crash-reports.js';
import { type ItemMarks } from './item-marks.js';

/** Dependencies of a takeover. */
export interface TakeoverDeps extends JobContext {
  readonly marks: ItemMarks;
}

/**
 * How long a takeover waits for the latch, in milliseconds. A Java peer that has died holds it until its session is
 * over.
 */
const LATCH_TIMEOUT_MS = 30_000;

/** An item that is to be taken over. */
interface Claim {
  /** The run that died. */
  readonly run: Omit<BegunItem, 'fencingToken'>;
  readonly item: ItemView;
  /** Operations that, in one commit, take the item over. */
  readonly operations: readonly Operation[];
}

/** The outcome of a commit that takes items over. */
type Attempt =
  /** All items are taken; or the commit was lost on its way, so that they still wait. */
  | 'settled'
  /** One of the items, or more, cannot be taken: another instance was faster, or the registry centre refuses it. */
  | 'contested'
  /** This instance's registration, its record or the settings have changed: it must read them again first. */
  | 'outdated';

/** Signals that end a takeover. */
interface TakeoverEnds {
  /** The job stops, or its session is lost. */
  readonly stop: AbortSignal;
  /** As `stop`, or the latch may be lost. */
  readonly end: AbortSignal;
}

/** A takeover that is in progress. */
interface Taking extends TakeoverEnds {
  /** The conditions under which this instance may take over any item. */
  readonly fence: readonly Operation[];
  /** The items taken so far. */
  readonly begun: BegunItem[];
  /** The reason why the others could not be taken, unless other instances were faster. */
  failure: { readonly cause: unknown } | undefined;
}

/** Takes over the unfinished items of instances that are gone. */
export class Takeover {
  readonly #deps: TakeoverDeps;

  constructor(deps: TakeoverDeps) {
    this.#deps = deps;
  }

  /**
   * Takes over this instance's share of the items that wait, and marks them as running.
   * @returns the items that it has taken; none if other instances were faster
   * @throws the reason of `signal` if it is aborted; items that were taken meanwhile wait again
   */
  async takeOver(signal: AbortSignal): Promise<readonly BegunItem[]> {
    const { registry, watch, paths } = this.#deps;
    if (!hasJavaPeers(watch.view)) return this.#takeShare({ stop: signal, end: signal });
    return registry.exclusively(paths.failoverLatch, LATCH_TIMEOUT_MS, async (held) => {
      await watch.sync();
      return this.#takeShare({ stop: signal, end: AbortSignal.any([signal, held]) });
    });
  }

  /** Undoes the takeover of the items: they wait again. Never rejects. */
  async #putBack(begun: readonly BegunItem[]): Promise<void> {
    const { registry, paths, logger } = this.#deps;
    const groups = begun.map(({ item }) => ({
      operations: [
        { type: 'set', path: paths.item(item), value: '' },
        { type: 'create', path: paths.crashedItem(item), value: '' },
        ...TAKEOVER_MARKS.map((mark) => ({ type: 'remove', path: paths.item(item, mark) }) as const),
      ] satisfies readonly Operation[],
    }));
    try {
      for (const { operations } of commitChunks(groups, registry.limits)) await registry.commit(operations);
    } catch (error) {
      // Peers may run the items by now; otherwise they will find the marks once this instance has ended.
      const items = begun.map(({ item }) => item).join(',');
      logger.warn(
        `items ${items} may wait to be taken over again until this instance has stopped: ${describeCause(error)}`,
      );
    }
  }

  async #takeShare(ends: TakeoverEnds): Promise<readonly BegunItem[]> {
    const { registry, watch, me, held, logger, paths } = this.#deps;
    if (watch.nodes.get(paths.beginRecord(me))?.value === undefined) await watch.readAll();
    const { view } = watch;
    const session = liveSessionId(registry.session.state);
    // A run that has ended here is not run again: its report is about to be withdrawn.
    const ended = new Set(numbersOf(held.rerunByPeers.filter((run) => isReported(view, run))));
    const share = shareOfCrashed(view, me, held.busy).filter(({ item }) => !held.hasMarked(item) && !ended.has(item));
    held.begin(numbersOf(share));
    const { begun, failure } = await this.#takeAll(view, share, ends);
    held.giveUpBeginning(numbersOf(share));
    // If the session has changed, the registration in the new one reports the marks of the old one as crashed.
    if (session !== liveSessionId(registry.session.state)) return [];
    if (ends.end.aborted && begun.length > 0) {
      await this.#putBack(begun);
      throw ends.end.reason;
    }
    held.runMarked(begun, { marks: TAKEOVER_MARKS, session });
    if (failure !== undefined && begun.length === 0) throw failure.cause;
    if (failure !== undefined) logger.warn(`could not take over all items yet: ${describeCause(failure.cause)}`);
    // Other instances were faster, which this instance's view does not show yet.
    if (begun.length < share.length) await this.#syncAfterLostRace(begun);
    if (begun.length > 0) logger.warn(`takes over items ${describeItems(numbersOf(begun))}.`);
    return begun;
  }

  /**
   * The items taken run, even if the view cannot be brought up to date: they are marked, and no other instance would
   * run them.
   */
  async #syncAfterLostRace(begun: readonly BegunItem[]): Promise<void> {
    const { watch, logger } = this.#deps;
    try {
      await watch.sync();
    } catch (error) {
      if (begun.length === 0) throw error;
      logger.debug(`could not see who has taken over the other items: ${describeCause(error)}`);
    }
  }

  /**
   * Uses as few commits as hold the items. If one item of a commit cannot be taken, the others are taken one by one.
   */
  async #takeAll(view: JobView, share: readonly ItemView[], ends: TakeoverEnds): Promise<Taking> {
    const { registry, watch } = this.#deps;
    // All operations come from one view: later commits are refused if the conditions of the first one have changed
    // meanwhile.
    const taking: Taking = { ...ends, fence: this.#fence(view), begun: [], failure: undefined };
    const claims = share.map((item): Claim => {
      const crashed = view.crashReports.get(item.item) ?? crashedRun(watch, item);
      return { run: { ...crashed, item: item.item }, item, operations: this.#takeOperations(item) };
    });
    try {
      for (const { groups } of commitChunks(claims, registry.limits, { guard: taking.fence })) {
        const attempt = await this.#take(groups, taking);
        if (attempt === 'outdated') break;
        if (attempt === 'contested' && groups.length > 1) await this.#takeEach(groups, taking);
      }
    } catch (cause) {
      taking.failure ??= { cause };
    }
    return taking;
  }

  async #takeEach(claims: readonly Claim[], taking: Taking): Promise<void> {
    const limiter = new Limiter(REQUESTS_AT_ONCE);
    const results = await Promise.allSettled(claims.map((claim) => limiter.run(() => this.#take([claim], taking))));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  /** Takes items over in one commit. @throws an outage of the registry centre, or the reason why the takeover ends */
  async #take(claims: readonly Claim[], taking: Taking): Promise<Attempt> {
    const { fence, begun, end } = taking;
    end.throwIfAborted();
    const operations = [...fence, ...claims.flatMap((claim) => claim.operations)];
    try {
      const fencingToken = await this.#commit(operations, itemsOf(claims), taking.stop);
      if (fencingToken !== undefined) for (const { run } of claims) begun.push({ ...run, fencingToken });
      return 'settled';
    } catch (cause) {
      if (isDisconnection(cause)) throw cause;
      if (isLostRace(cause)) return fence.some(({ path }) => path === cause.path) ? 'outdated' : 'contested';
      if (claims.length === 1) taking.failure ??= { cause };
      return 'contested';
    }
  }

  /** @returns the revision of the commit; `undefined` if its answer was lost, and it was not carried out */
  async #commit(
    operations: readonly Operation[],
    items: readonly ItemView[],
    stop: AbortSignal,
  ): Promise<number | undefined> {
    const { registry, marks } = this.#deps;
    try {
      return await registry.commit(operations);
    } catch (error) {
      // Also if the latch is lost: an item that is marked, and neither run nor put back, would stay as it is.
      if (isOutcomeUnknown(error)) return marks.wasMarked(items, stop);
      throw error;
    }
  }

  #fence({ configVersion }: JobView): readonly Operation[] {
    const { watch, paths, me } = this.#deps;
    const own = watch.nodes.get(paths.beginRecord(me));
    return [
      { type: 'check', path: paths.instance(me) },
      // As when this instance begins a run of its own: the commit fails if the takeover was requested in an earlier
      // session.
      ...(own === undefined ? [] : [{ type: 'check', path: paths.beginRecord(me), version: own.version } as const]),
      // As in every begin: tokens of unmonitored runs stem from the settings' revision.
      { type: 'check', path: paths.config, ...(configVersion !== undefined && { version: configVersion }) },
    ];
  }

  #takeOperations(item: ItemView): readonly Operation[] {
    const { watch, paths, me } = this.#deps;
    const path = (mark: 'running' | 'failover' | 'failovering'): string => paths.item(item.item, mark);
    return [
      // Increases the version, so that a report or a takeover that was decided on before this one comes too late.
      newVersion(paths, item),
      { type: 'remove', path: paths.crashedItem(item.item) },
      ...(item.running ? [{ type: 'remove', path: path('running') } as const] : []),
      { type: 'create', path: path('failover'), value: me, lifetime: 'session' },
      { type: watch.nodes.has(path('failovering')) ? 'set' : 'create', path: path('failovering'), value: me },
      { type: 'create', path: path('running'), value: me },
    ];
  }
}

const itemsOf = (claims: readonly Claim[]): readonly ItemView[] => claims.map(({ item }) => item);
