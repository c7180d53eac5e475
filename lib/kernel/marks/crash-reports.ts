/**
 * Reporting runs that have died with their instance (manual, `failover`).
 *
 * ```
 *   a mark of an instance that is gone ──report──▶ item waits ──take over──▶ marked by the taker, which runs it ──▶ marks removed
 *   running | failovering                          failover/items/{i}        running, failover, failovering
 * ```
 * Each arrow is one commit, so an instance that dies at any moment leaves one of these states and nothing in between.
 * Every instance reports what it sees; each report increases the version of the item's node, so only one of them
 * succeeds.
 */
import { awaitsTakeover, isGone, type ItemView } from '../../layout/job-view.js';
import { type JobPaths } from '../../layout/job-paths.js';
import { type CrashedRun, encodeCrash } from '../../layout/x-node/crash-report.js';
import { commitChunks } from '../../registry/commit-chunks.js';
import { type Operation } from '../../registry/registry-center.js';
import { type DeadRun } from '../view/crashes.js';
import { describeItems } from '../view/items.js';
import { type JobContext } from '../job/job-context.js';
import { type JobWatch } from '../view/job-watch.js';

/** The dead runs that a reconciliation has found. */
export interface CrashFindings {
  /** As of the present view. */
  readonly dead: readonly DeadRun[];
  /** Finds them in a later view. */
  readonly findAgain: () => readonly DeadRun[];
  /** Returns true if the item bears this instance's mark, although this instance knows of no such run. */
  readonly hasLostTrackOf: (item: number) => boolean;
}

/**
 * Ends runs that have died with their instance, and runs that this instance has lost track of although they bear its
 * mark. The items wait to be taken over, or are not run again.
 * @throws RegistryConflictError if other instances have done so
 */
export async function reportCrashes(context: JobContext, findings: CrashFindings): Promise<void> {
  const { registry, watch, paths, me, logger } = context;
  const { findAgain, hasLostTrackOf } = findings;
  const isMine = ({ item: { runningOn, failoveringBy } }: DeadRun): boolean => runningOn === me || failoveringBy === me;
  // The view may be behind this instance's own commits. It has not lost track of a mark that it has just removed, and a
  // mark that stands there by now is a peer's.
  const upToDate = async (dead: readonly DeadRun[]): Promise<readonly DeadRun[]> => {
    if (!dead.some(isMine)) return dead;
    await watch.sync();
    return findAgain();
  };
  let dead = await upToDate(findings.dead);
  if (dead.length === 0) return;
  let isOld = false;
  for (const parent of [paths.crashedItems, paths.crashReports]) {
    // Peers that report the same make them, too.
    if (watch.nodes.has(parent)) continue;
    await registry.create(parent, '');
    isOld = true;
  }
  // Peers may have reported some of them meanwhile.
  if (isOld) dead = await upToDate(findAgain());
  const { view } = watch;
  const groups = dead.map(({ item, isToBeTakenOver }) => ({
    operations: reportOperations({
      ...{ watch, paths, item },
      isDead: (id) => isGone(view, id) || (id === me && hasLostTrackOf(item.item)),
      isToWait: isToBeTakenOver && !awaitsTakeover(view, item.item),
    }),
  }));
  for (const { operations } of commitChunks(groups, registry.limits)) await registry.commit(operations);
  for (const [what, items] of byFate(dead)) logger.warn(`items ${describeItems(items)} ${what}`);
}

function byFate(dead: readonly DeadRun[]): ReadonlyMap<string, readonly number[]> {
  const itemsByFate = new Map<string, number[]>();
  for (const each of dead) {
    const items = itemsByFate.get(fateOf(each));
    if (items === undefined) itemsByFate.set(fateOf(each), [each.item.item]);
    else items.push(each.item.item);
  }
  return itemsByFate;
}

function fateOf({ item, isToBeTakenOver }: DeadRun): string {
  const fate = isToBeTakenOver ? 'they wait to be taken over.' : 'they are not run again.';
  return `were running on ${item.runningOn ?? item.failoveringBy ?? '?'}, which is gone; ${fate}`;
}

/** An item whose run is over although its instance has not ended it. */
export interface DeadItem {
  readonly watch: JobWatch;
  readonly paths: JobPaths;
  readonly item: ItemView;
  /** Returns true if the marks of that instance mean nothing any more. */
  readonly isDead: (id: string) => boolean;
  /** True if the item is to wait for an instance that takes it over. */
  readonly isToWait: boolean;
}

/** The operations that end a run whose instance is gone, or has come back without remembering the run. */
export function reportOperations({ watch, paths, item, isDead, isToWait }: DeadItem): readonly Operation[] {
  const { running, runningOn, takenOverBy, failoveringBy } = item;
  const operations: Operation[] = [newVersion(paths, item)];
  const isOfDead = (id: string | undefined): boolean => id !== undefined && isDead(id);
  if (isToWait) {
    operations.push({ type: 'create', path: paths.crashedItem(item.item), value: '' });
    // If an instance died during a takeover, the run that it took over is on record already.
    const isKnown = watch.view.crashReports.has(item.item);
    const value = encodeCrash(crashedRun(watch, item));
    if (!isKnown) operations.push({ type: 'create', path: paths.crashReport(item.item), value });
    else if (!isOfDead(failoveringBy)) operations.push({ type: 'set', path: paths.crashReport(item.item), value });
  }
  if (running && isOfDead(runningOn)) operations.push({ type: 'remove', path: paths.item(item.item, 'running') });
  if (isOfDead(takenOverBy)) operations.push({ type: 'remove', path: paths.item(item.item, 'failover') });
  if (isOfDead(failoveringBy)) operations.push({ type: 'remove', path: paths.item(item.item, 'failovering') });
  return operations;
}

/** Fits only if no instance has reported or taken over the item meanwhile. */
export function newVersion(paths: JobPaths, { item, version }: ItemView): Operation {
  return { type: 'set', path: paths.item(item), value: '', ...(version !== undefined && { version }) };
}

/** The run of the item that died. Its instant is unknown if a Java instance may have begun it. */
export function crashedRun(watch: JobWatch, { item, runningOn }: ItemView): CrashedRun {
  const { lastBegun, manuallyBegun, beginRecords } = watch.view;
  // Another instance's record may have a later instant: a leader has brought the item back while it ran.
  const record = runningOn === undefined ? undefined : beginRecords.get(runningOn);
  const key = record?.keyed.has(item) === true ? record.keys.get(item) : undefined;
  if (key !== undefined) return { instant: key, jobParameter: undefined };
  const isInRecord = record?.instants.has(item) === true || record?.manual.has(item) === true;
  const { instants, manual } = isInRecord ? record : { instants: lastBegun, manual: manuallyBegun };
  const instant = instants.get(item);
  if (manual.has(item)) return { instant: undefined, jobParameter: manual.get(item) };
  const isKnown = instant !== undefined && watch.isHistoryCompleteSince(item, instant);
  return { instant: isKnown ? instant : undefined, jobParameter: undefined };
}
