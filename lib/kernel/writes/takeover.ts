/**
 * Running again what has died with its instance (manual, `failover`).
 *
 * ```
 *   a mark by one that is gone ──report──▶ item waits ──take over──▶ marked by the rescuer, who runs it ──▶ marks removed
 *   running | failovering                  failover/items/{i}         running, failover, failovering
 * ```
 * Each arrow is one commit, so an instance that dies at any moment leaves one of these states and nothing in between. Every
 * instance reports what it sees; the version of the item's node, which each report increases, lets only one of them succeed. Taking over
 * marks the item as running in the same commit: there is no moment at which it is claimed and not begun.
 *
 * Java peers write the same nodes one by one. While they take part, taking over is done as theirs is, under the failover latch.
 */
import { RegistryConflictError, RegistryOutcomeUnknownError } from '../../api/errors.js';
import { type JobLogger } from '../../api/logger.js';
import { type JobPaths } from '../../layout/job-paths.js';
import { encodeCrash } from '../../layout/x-node/crash-report.js';
import { hasJavaPeers, isGone, type ItemView, type JobView } from '../../layout/job-view.js';
import { type Operation, type RegistryCenter } from '../../registry/registry-center.js';
import { type BegunItem } from '../view/firing.js';
import { liveSessionId, type ItemMarks } from './item-marks.js';
import { type JobWatch } from '../view/job-watch.js';
import { type DeadRun, deadRuns, shareOfCrashed } from '../view/crashes.js';

/** What taking over needs. */
export interface FailoverPorts {
  readonly registry: RegistryCenter;
  readonly watch: JobWatch;
  readonly paths: JobPaths;
  readonly me: string;
  readonly marks: ItemMarks;
  readonly logger: JobLogger;
}

/** Longest wait for the latch that a Java peer may hold. One that has died holds it until its session is over. */
const LATCH_TIMEOUT_MS = 30_000;

/** Finds what instances that are gone have left unfinished, and takes it over. */
export class Failover {
  readonly #ports: FailoverPorts;

  constructor(ports: FailoverPorts) {
    this.#ports = ports;
  }

  /**
   * Puts an end to runs that have died with their instance, or that this one knows nothing of although they bear its mark:
   * they wait to be taken over, or are just over.
   * @throws RegistryConflictError if others have done so
   */
  async report(hasLostTrackOf: (item: number) => boolean): Promise<void> {
    const { registry, watch, paths, me, logger } = this.#ports;
    const seen = deadRuns(watch.view, me, hasLostTrackOf);
    if (seen.length === 0) return;
    for (const parent of [paths.crashedItems, paths.crashReports])
      if (!watch.nodes.has(parent)) await registry.create(parent, '');
    // The view may be behind this instance's own commits: a mark that it has just removed is not forgotten, and what stands
    // in its place by now is a peer's.
    const isMine = ({ item: { runningOn, failoveringBy } }: DeadRun): boolean =>
      runningOn === me || failoveringBy === me;
    const view = seen.some(isMine) ? await watch.sync() : watch.view;
    const dead = deadRuns(view, me, hasLostTrackOf);
    if (dead.length === 0) return;
    await registry.commit(
      dead.flatMap(({ item, isToBeTakenOver }) =>
        reportOperations({
          watch,
          paths,
          item,
          isDead: (id) => isGone(view, id) || (id === me && hasLostTrackOf(item.item)),
          isToWait: isToBeTakenOver && !view.crashedItems.includes(item.item),
        }),
      ),
    );
    for (const { item, isToBeTakenOver } of dead)
      logger.warn(
        `item ${item.item} was being run by ${item.runningOn ?? item.failoveringBy ?? '?'}, which is gone; ` +
          (isToBeTakenOver ? 'it waits to be taken over.' : 'it is not run again.'),
      );
  }

  /** Takes over this instance's share of the items that wait, and marks them as running. `busy`: items it still runs. */
  async takeOver(busy: ReadonlySet<number>, signal: AbortSignal): Promise<readonly BegunItem[]> {
    const { registry, watch, paths } = this.#ports;
    if (!hasJavaPeers(watch.view)) return this.#takeShare(busy, signal);
    return registry.exclusively(paths.failoverLatch, LATCH_TIMEOUT_MS, async (held) => {
      await watch.sync();
      return this.#takeShare(busy, AbortSignal.any([signal, held]));
    });
  }

  async #takeShare(busy: ReadonlySet<number>, signal: AbortSignal): Promise<readonly BegunItem[]> {
    const { registry, watch, me, marks, logger, paths } = this.#ports;
    if (watch.nodes.get(paths.beginRecord(me))?.value === undefined) await watch.readAll();
    const { view } = watch;
    const session = liveSessionId(registry.session.state);
    const share = shareOfCrashed(view, me, busy);
    const taken = await Promise.allSettled(share.map((item) => this.#take(view, item, signal)));
    const begun = taken.flatMap((result) => (result.status === 'fulfilled' && result.value ? [result.value] : []));
    // The next session's registration tells what this one has left.
    if (session !== liveSessionId(registry.session.state)) return [];
    marks.noteTakenOver(
      begun.map(({ item }) => item),
      session,
    );
    const failure = taken.find((result) => result.status === 'rejected');
    if (failure !== undefined && begun.length === 0) throw failure.reason;
    if (failure !== undefined) logger.warn(`could not take over everything yet: ${String(failure.reason)}`);
    // Others were faster, which this instance's view does not show yet.
    if (begun.length < share.length) await watch.sync();
    if (begun.length > 0) logger.warn(`takes over items ${begun.map(({ item }) => item).join(',')}.`);
    return begun;
  }

  /** Returns `undefined` if somebody else has taken it. */
  async #take(view: JobView, item: ItemView, signal: AbortSignal): Promise<BegunItem | undefined> {
    const { registry, watch, paths, me, marks } = this.#ports;
    signal.throwIfAborted();
    const own = watch.nodes.get(paths.beginRecord(me));
    const path = (mark: 'running' | 'failover' | 'failovering'): string => paths.item(item.item, mark);
    const { crashReports } = view;
    const instant = crashReports.has(item.item) ? crashReports.get(item.item) : instantOf(watch, item.item);
    const begun = (fencingToken: number | undefined): BegunItem | undefined =>
      fencingToken === undefined ? undefined : { item: item.item, instant, fencingToken };
    try {
      return begun(
        await registry.commit([
          { type: 'check', path: paths.instance(me) },
          // As when beginning a run of its own: not if it was asked for in an earlier session.
          ...(own === undefined ? [] : [{ type: 'check', path: paths.beginRecord(me), version: own.version } as const]),
          // So that a report, or a take-over, that was decided on before this one comes too late.
          newVersion(paths, item),
          { type: 'remove', path: paths.crashedItem(item.item) },
          ...(item.running ? [{ type: 'remove', path: path('running') } as const] : []),
          { type: 'create', path: path('failover'), value: me, lifetime: 'session' },
          { type: watch.nodes.has(path('failovering')) ? 'set' : 'create', path: path('failovering'), value: me },
          { type: 'create', path: path('running'), value: me },
        ]),
      );
    } catch (error) {
      if (error instanceof RegistryConflictError) return undefined;
      if (error instanceof RegistryOutcomeUnknownError) return begun(await marks.wasMarked([item], signal));
      throw error;
    }
  }
}

/** An item whose run is over although nobody has ended it. */
interface DeadItem {
  readonly watch: JobWatch;
  readonly paths: JobPaths;
  readonly item: ItemView;
  /** Whether an instance's marks mean nothing any more. */
  readonly isDead: (id: string) => boolean;
  /** Whether it is to wait for somebody who takes it over. */
  readonly isToWait: boolean;
}

/** Puts an end to a run of an instance that is gone, or that comes back without remembering it. */
export function reportOperations({ watch, paths, item, isDead, isToWait }: DeadItem): readonly Operation[] {
  const { running, runningOn, takenOverBy, failoveringBy } = item;
  const operations: Operation[] = [newVersion(paths, item)];
  const isOfDead = (id: string | undefined): boolean => id !== undefined && isDead(id);
  if (isToWait) {
    operations.push({ type: 'create', path: paths.crashedItem(item.item), value: '' });
    // What a rescuer that has died was to run is known already.
    const isKnown = watch.view.crashReports.has(item.item);
    const value = encodeCrash(instantOf(watch, item.item));
    if (!isKnown) operations.push({ type: 'create', path: paths.crashReport(item.item), value });
    else if (!isOfDead(failoveringBy)) operations.push({ type: 'set', path: paths.crashReport(item.item), value });
  }
  if (running && isOfDead(runningOn)) operations.push({ type: 'remove', path: paths.item(item.item, 'running') });
  if (isOfDead(takenOverBy)) operations.push({ type: 'remove', path: paths.item(item.item, 'failover') });
  if (isOfDead(failoveringBy)) operations.push({ type: 'remove', path: paths.item(item.item, 'failovering') });
  return operations;
}

/** Fits only if nobody has reported or taken over the item meanwhile. */
function newVersion(paths: JobPaths, { item, version }: ItemView): Operation {
  return { type: 'set', path: paths.item(item), value: '', ...(version !== undefined && { version }) };
}

/** The instant of the run that died; nobody knows it if the item was run by hand, or maybe by a Java instance. */
function instantOf(watch: JobWatch, item: number): number | undefined {
  const instant = watch.view.lastBegun.get(item);
  if (instant === undefined || watch.view.manuallyBegun.has(item)) return undefined;
  return watch.isOnRecordSince(item, instant) ? instant : undefined;
}
