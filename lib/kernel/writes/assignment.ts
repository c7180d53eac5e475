/**
 * Assigning items to instances.
 *
 * The leader alone requests an assignment and makes it; all others read the result. Two writes make it safe against
 * instances that begin a run at the same moment, in any order of notification:
 *
 * ```
 *   leader   request ──────────────▶ nothing runs? ─▶ (parts) ─▶ commit: owners, request removed
 *            (sharding node v+1)                                 (sharding node v+2)
 *   others            begin a run: commit that checks the sharding node's version
 * ```
 * A begin that was decided before the request carries the old version and is refused; a begin that was committed before
 * the request is visible to the leader, which waits for it. So the old owner and the new one never both begin an item.
 * Java peers do not check the version; against them, as among themselves, only the `running` marks protect an item.
 *
 * The wait for running items has a limit (`IDLE_ITEMS_DEADLINE_MS`). Past it, items that still run stay with their
 * living owner, the others are assigned, and another assignment follows when the busy ones have finished. The leader
 * does not wait for items that are being taken over: the instance that has taken an item over runs it, even if the
 * assignment gives it to another.
 *
 * If there are more changes than one commit may hold, the leader writes them in parts below the standing request, and
 * only the last commit removes it. No instance begins a run while the request stands, so no instance acts on a part.
 * Each part checks the sharding node's version and writes the request again, so that of two instances which both
 * believe to lead only one goes on. If the leader dies half-way, the request stands, and its successor assigns the
 * items again.
 */
import { describeCause } from '../../api/text/describe-cause.js';
import { type JobShardingStrategy } from '../../api/extensions/sharding-strategy.js';
import { availableInstances, type JobView } from '../../layout/job-view.js';
import { type OperationGroup, commitChunks } from '../../registry/commit-chunks.js';
import { commitSizeProblem } from '../../registry/commit-limits.js';
import { pathsDownTo } from '../../registry/node-paths.js';
import { type Operation } from '../../registry/registry-center.js';
import { encodeAssignmentRecord } from '../../layout/x-node/assignment-record.js';
import { encodeBeginRecord, NOTHING_BEGUN, withReturned } from '../../layout/x-node/begin-record.js';
import { type Extensions } from '../types/extensions.js';
import { type JobContext } from '../job/job-context.js';
import { describeOwners } from '../job/job-events.js';
import { averageAllocation } from '../types/strategies/average-allocation.js';
import { ownersBy } from '../types/strategies/owners.js';
import {
  assignmentBasis,
  type AssignedFor,
  assignmentRecordFor,
  pinnedItems,
  readdedItems,
} from '../view/assignment.js';

/** How long the leader lets running items finish before it assigns the others without them. */
export const IDLE_ITEMS_DEADLINE_MS = 1_000;

/** Dependencies of an `Assignment`. */
export interface AssignmentDeps extends JobContext {
  readonly types: Extensions;
  /** The last instant of the schedule that has passed; milliseconds since 1970. `undefined` if there is none. */
  latestInstant(): number | undefined;
}

/** The leader's part in assigning items. */
export class Assignment {
  readonly #deps: AssignmentDeps;
  #readdedHandledForRevision: number | undefined;

  constructor(deps: AssignmentDeps) {
    this.#deps = deps;
  }

  /** Revision of the settings for which this instance has last marked the re-added items as not due. */
  get readdedHandledForRevision(): number | undefined {
    return this.#readdedHandledForRevision;
  }

  /** Requests an assignment. From then on no instance begins a run until it is made. */
  async request(reason: string): Promise<void> {
    await this.#request();
    this.#deps.logger.debug(`asks for an assignment of the items, because ${reason}.`);
  }

  /** Gives up leading, and in the same commit requests an assignment from the next leader. */
  async abdicateRequestingAssignment(): Promise<void> {
    const { paths, logger } = this.#deps;
    await this.#request([{ type: 'remove', path: paths.leader }]);
    logger.debug(`this instance leads no more; its successor has to assign the items.`);
  }

  async #request(more: readonly Operation[] = []): Promise<void> {
    const { registry, watch, paths } = this.#deps;
    const { configRevision } = watch.view;
    const parents = [paths.sharding, ...pathsDownTo(paths.leaderSharding, paths.root)];
    const missing = parents.filter((path) => !watch.nodes.has(path));
    const request: readonly Operation[] = [
      { type: 'create', path: paths.resharding, value: '' },
      // A node that the same commit creates fences as well as one that is written.
      ...(missing.includes(paths.sharding) ? [] : [{ type: 'set', path: paths.sharding, value: '' } as const]),
      ...(await this.#readdedRecord()),
      ...more,
    ];
    const groups = [...missing.map((path) => [{ type: 'create', path, value: '' } as const]), request];
    const guard: readonly Operation[] = [{ type: 'check', path: paths.leader }];
    const chunks = commitChunks(
      groups.map((operations) => ({ operations })),
      registry.limits,
      { guard },
    );
    for (const { operations } of chunks) await registry.commit(operations);
    this.#readdedHandledForRevision = configRevision;
  }

  /** Marks items as not due that are re-added because the settings have changed since the assignment was requested. */
  async markReaddedAsNotDue(): Promise<void> {
    const { registry, watch, paths, requestReconcile } = this.#deps;
    const { configRevision } = watch.view;
    const operations = await this.#readdedRecord();
    if (operations.length > 0) await registry.commit([{ type: 'check', path: paths.leader }, ...operations]);
    this.#readdedHandledForRevision = configRevision;
    requestReconcile();
  }

  /**
   * Notes, for each re-added item, the latest instant before its return. The item was not in the assignment at the
   * instants since it was removed, and must not be run for any of them; without this note, they would look like firings
   * lost while the item changed its owner. The instant that it was last begun for stays on record: that run may still
   * go on, and be taken over.
   */
  async #readdedRecord(): Promise<readonly Operation[]> {
    const { watch, paths, me } = this.#deps;
    const instant = this.#deps.latestInstant();
    if (instant === undefined) return [];
    const readded = readdedItems(watch.view, instant);
    if (readded.length === 0) return [];
    const path = paths.beginRecord(me);
    if (watch.nodes.get(path)?.value === undefined) await watch.readAll();
    const record = watch.view.beginRecords.get(me) ?? NOTHING_BEGUN;
    const value = encodeBeginRecord(withReturned(record, readded, instant));
    const version = watch.nodes.get(path)?.version;
    return [version === undefined ? { type: 'create', path, value } : { type: 'set', path, value, version }];
  }

  /**
   * Assigns all items by the job's strategy. The commit that makes the assignment valid fails if this instance leads no
   * more or if anything that the assignment is based on has changed.
   * @returns the basis of the assignment and the items that stayed, or `undefined` if there is nothing to assign (any
   *   more)
   * @throws RegistryConflictError if the situation has changed; the next reconciliation decides again
   * @throws ShardingStrategyError if the strategy throws, or returns something else than an assignment
   */
  async assign(): Promise<AssignedFor | undefined> {
    const { registry, watch, paths, me, logger } = this.#deps;
    const { view } = watch;
    const instances = availableInstances(view);
    if (view.leader !== me || !view.reshardingNeeded || view.config === undefined || instances.length === 0) return;

    if (view.shardingVersion === undefined) {
      // A Java leader asked for the assignment and vanished before it made the node that fences assignments.
      await registry.create(paths.sharding, '');
      return;
    }

    const { shardingTotalCount } = view.config;
    const owners = ownersBy(this.#strategy(view), {
      ...{ instances, jobName: paths.jobName, shardingTotalCount },
      owners: new Map(view.items.flatMap(({ item, owner }) => (owner === undefined ? [] : [[item, owner]]))),
    });
    // A running item that the strategy leaves with its owner is not pinned: it needs no further assignment.
    const pinned = pinnedItems(view, owners.size).filter(({ item, owner }) => owners.get(item) !== owner);
    for (const { item, owner } of pinned) owners.set(item, owner);
    await this.#commit(view, [...this.#ownerChanges(owners), ...this.#removalsOfSurplusItems(view, owners.size)]);

    if (pinned.length > 0) {
      const waited = describeOwners(new Map(pinned.map(({ item, owner }) => [item, owner])), ' on ');
      logger.warn(
        `assigned the items, except those still running after ${IDLE_ITEMS_DEADLINE_MS} ms: ` +
          `${waited}. They follow when they have finished.`,
      );
    }
    logger.event({ type: 'assigned', owners });
    return { basis: assignmentBasis(view), pinned: pinned.map(({ item }) => item) };
  }

  #strategy({ config }: JobView): JobShardingStrategy {
    const { types, logger } = this.#deps;
    if (config === undefined) return averageAllocation;
    try {
      return types.strategy(config);
    } catch (error) {
      // With the default, the job goes on; Java's would stand still. An unknown type is logged once for all
      // assignments.
      logger.debug(`${describeCause(error)}. Items are assigned by ${averageAllocation.type} instead.`);
      return averageAllocation;
    }
  }

  /**
   * Uses one commit, or, if that would be too large, several, of which only the last one makes the assignment valid.
   */
  async #commit(view: JobView, changes: readonly OperationGroup[]): Promise<void> {
    const { registry } = this.#deps;
    const whole = this.#validating(view, view.reshardingVersion, changes);
    if (commitSizeProblem(whole, registry.limits) === undefined) {
      await registry.commit(whole);
      return;
    }
    const requestVersion = await this.#writeParts(view, changes);
    await registry.commit(this.#validating(view, requestVersion, []));
  }

  /** The operations that make an assignment valid: they remove the request for it, and record its basis. */
  #validating(
    view: JobView,
    requestVersion: number | undefined,
    changes: readonly OperationGroup[],
  ): readonly Operation[] {
    const { paths } = this.#deps;
    return [
      { type: 'check', path: paths.leader },
      versioned({ type: 'set', path: paths.sharding, value: '' }, view.shardingVersion),
      ...changes.flatMap(({ operations }) => operations),
      ...this.#record(view),
      versioned({ type: 'remove', path: paths.resharding }, requestVersion),
      ...(view.processing ? [{ type: 'remove', path: paths.processing } as const] : []),
    ];
  }

  #record(view: JobView): readonly Operation[] {
    const { paths, watch } = this.#deps;
    const path = paths.assignmentRecord;
    const value = encodeAssignmentRecord(assignmentRecordFor(view));
    const known = watch.nodes.get(path)?.value;
    if (known === value) return [];
    return [{ type: known === undefined ? 'create' : 'set', path, value }];
  }

  /** @returns the version of the request after the last part */
  async #writeParts(view: JobView, changes: readonly OperationGroup[]): Promise<number | undefined> {
    const { registry, paths } = this.#deps;
    const fence = (version: number | undefined): readonly Operation[] => [
      { type: 'check', path: paths.leader },
      versioned({ type: 'check', path: paths.sharding }, view.shardingVersion),
      versioned({ type: 'set', path: paths.resharding, value: '' }, version),
    ];
    let version = view.reshardingVersion;
    for (const { groups } of commitChunks(changes, registry.limits, { guard: fence(version) })) {
      // In order, because each part checks the version that the one before has left.
      await registry.commit([...fence(version), ...groups.flatMap(({ operations }) => operations)]);
      if (version !== undefined) version++;
    }
    return version;
  }

  /** The writes for each item that has no node yet, or that changes its owner. */
  #ownerChanges(owners: ReadonlyMap<number, string>): readonly OperationGroup[] {
    const { paths, watch } = this.#deps;
    return [...owners].flatMap(([item, id]): readonly OperationGroup[] => {
      const operations: Operation[] = [];
      const path = paths.item(item, 'instance');
      const owner = watch.nodes.get(path);
      if (!watch.nodes.has(paths.item(item))) operations.push({ type: 'create', path: paths.item(item), value: '' });
      if (owner === undefined) operations.push({ type: 'create', path, value: id });
      else if (owner.value !== id) operations.push({ type: 'set', path, value: id });
      return operations.length === 0 ? [] : [{ operations }];
    });
  }

  /** Removes item by item with all nodes below it. An item that still runs goes with a later assignment. */
  #removalsOfSurplusItems(view: JobView, total: number): readonly OperationGroup[] {
    const { paths, watch } = this.#deps;
    const surplus = view.items.filter(({ item, running }) => item >= total && !running);
    if (surplus.length === 0) return [];
    const nodes = new Map(surplus.map(({ item }) => [item, [] as string[]]));
    for (const path of watch.nodes.keys()) nodes.get(paths.itemOf(path) ?? NaN)?.push(path);
    const waiting = new Set(view.crashedItems);
    return [...nodes].map(([item, below]) => ({
      operations: [...below, ...(waiting.has(item) ? [paths.crashedItem(item)] : [])]
        // Children first: a node that has some cannot be removed.
        .sort((one, other) => other.length - one.length)
        .map((path): Operation => ({ type: 'remove', path })),
    }));
  }
}

function versioned<T extends Operation>(operation: T, version: number | undefined): T {
  return version === undefined ? operation : { ...operation, version };
}
