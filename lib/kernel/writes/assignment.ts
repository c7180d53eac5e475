/**
 * Assigning items to instances.
 *
 * The leader alone asks for an assignment and makes it; all others read the result. Two writes make it safe against
 * instances that begin a run at the same moment, whatever the order in which the news reaches them:
 *
 * ```
 *   leader   request ──────────────▶ nothing runs? ──────▶ commit: owners, request removed
 *            (sharding node v+1)                           (sharding node v+2)
 *   others            begin a run: commit that checks the sharding node's version
 * ```
 * A begin that was decided before the request carries the old version and is refused; one that was committed before the request is
 * visible to the leader, which waits for it. So no item is begun twice, by the old owner and by the new one. Java peers
 * do not check the version; against them only the `running` marks stand, as among themselves.
 *
 * The wait for running items has a limit (`IDLE_ITEMS_DEADLINE_MS`). Past it, items that still run stay with their living
 * owner, the others are assigned, and another assignment follows when the busy ones have finished. Items that are being taken
 * over are not waited for: who runs them does so whomever they are assigned to.
 */
import { type JobInstance, type JobShardingStrategy } from '../../api/sharding-strategy.js';
import { availableInstances, type JobView } from '../../layout/job-view.js';
import { type Operation } from '../../registry/registry-center.js';
import { type Extensions } from '../types/extensions.js';
import { type JobContext } from '../job/job-context.js';
import { averageAllocation } from '../types/strategies/average-allocation.js';
import { assignmentBasis, type AssignedFor, pinnedItems } from '../view/assignment.js';
import { describeCause } from '../../api/describe-cause.js';

/** How long the leader lets running items finish before it assigns the others without them. */
export const IDLE_ITEMS_DEADLINE_MS = 1_000;

/** Most item nodes created in one commit, so that thousands of new items do not exceed the registry's limit. */
const ITEM_NODES_A_COMMIT = 2_000;

/** What assigning needs. */
export interface AssignmentDeps extends JobContext {
  readonly types: Extensions;
}

/** The leader's part in assigning items. */
export class Assignment {
  readonly #deps: AssignmentDeps;

  constructor(deps: AssignmentDeps) {
    this.#deps = deps;
  }

  /** Asks for an assignment, and from then on keeps everybody from beginning a run until it is made. */
  async request(reason: string): Promise<void> {
    const { logger } = this.#deps;
    await this.#request();
    logger.debug(`the items are to be assigned anew, because ${reason}.`);
  }

  /** Gives up leading, and in the same commit asks the next leader for an assignment. */
  async abdicateRequestingAssignment(): Promise<void> {
    const { paths, logger } = this.#deps;
    await this.#request([{ type: 'remove', path: paths.leader }]);
    logger.debug(`this instance leads no more; the items are to be assigned by its successor.`);
  }

  async #request(more: readonly Operation[] = []): Promise<void> {
    const { registry, watch, paths } = this.#deps;
    const parents = [paths.sharding, paths.leaderSharding].filter((path) => !watch.nodes.has(path));
    await Promise.all(parents.map((path) => registry.create(path, '')));
    await registry.commit([
      { type: 'check', path: paths.leader },
      { type: 'create', path: paths.resharding, value: '' },
      { type: 'set', path: paths.sharding, value: '' },
      ...more,
    ]);
  }

  /**
   * Assigns all items by the job's strategy, in one commit that fails if this instance leads no more or if anything it
   * is based on has changed.
   * @returns what the assignment was made for, or `undefined` if there is nothing to assign (any more)
   * @throws RegistryConflictError if the situation has changed; a look at the new one tells what to do
   */
  async assign(): Promise<AssignedFor | undefined> {
    const { registry, watch, paths, me, logger } = this.#deps;
    const { view } = watch;
    const instances = availableInstances(view);
    if (view.leader !== me || !view.reshardingNeeded || view.config === undefined || instances.length === 0) return;

    if (view.shardingVersion === undefined) {
      // A Java leader asked for it and vanished before it made the node that fences assignments.
      await registry.create(paths.sharding, '');
      return;
    }

    const owners = this.#owners(view, instances);
    // Those that are where they belong anyway do not have to be assigned once more.
    const pinned = pinnedItems(view, owners.size).filter(({ item, owner }) => owners.get(item) !== owner);
    for (const { item, owner } of pinned) owners.set(item, owner);
    await this.#createItemNodes(view, owners.size);
    const operations = [
      { type: 'check', path: paths.leader },
      versioned({ type: 'set', path: paths.sharding, value: '' }, view.shardingVersion),
      ...this.#ownerOperations(owners),
      ...this.#removalsOfSurplusItems(view, owners.size),
      versioned({ type: 'remove', path: paths.resharding }, view.reshardingVersion),
      ...(view.processing ? [{ type: 'remove', path: paths.processing } as const] : []),
    ] satisfies readonly Operation[];
    await registry.commit(operations);

    const waited = pinned.map(({ item, owner }) => `${item} on ${owner}`).join(', ');
    if (waited !== '') {
      logger.warn(
        `assigned the items, except those still running after ${IDLE_ITEMS_DEADLINE_MS} ms: ` +
          `${waited}. They follow when they have finished.`,
      );
    }
    logger.log(describe(owners));
    return { basis: assignmentBasis(view), pinned: pinned.map(({ item }) => item) };
  }

  /** Owner by item, as the strategy wants it. */
  #owners(view: JobView, instances: readonly JobInstance[]): Map<number, string> {
    const total = view.config?.shardingTotalCount ?? 0;
    const strategy = this.#strategy(view);
    const shares: unknown = strategy.sharding(instances, this.#deps.paths.jobName, total);
    const given = sharesOf(shares);
    const known = new Set(instances.map(({ jobInstanceId }) => jobInstanceId));
    const owners = new Map(given?.filter(([item, id]) => item < total && known.has(id)));
    if (given !== undefined && owners.size === total && given.length === total) return owners;
    throw new Error(
      `The sharding strategy ${strategy.type} must return a Map that gives each of the items 0 to ${total - 1} of job ` +
        `'${this.#deps.paths.jobName}' to exactly one of the given instances, but returned ${describeCause(shares)}`,
    );
  }

  #strategy({ config }: JobView): JobShardingStrategy {
    const { types, logger } = this.#deps;
    if (config === undefined) return averageAllocation;
    try {
      return types.strategy(config);
    } catch (error) {
      // Changed to something unknown at run time: better the default than a job that stands still, as Java's does.
      logger.error(`${String(error)}. Items are assigned by ${averageAllocation.type} instead.`);
      return averageAllocation;
    }
  }

  async #createItemNodes(view: JobView, total: number): Promise<void> {
    const { registry, paths, watch } = this.#deps;
    const missing = Array.from({ length: total }, (_, item) => paths.item(item)).filter(
      (path) => !watch.nodes.has(path),
    );
    for (let from = 0; from < missing.length; from += ITEM_NODES_A_COMMIT) {
      const chunk = missing.slice(from, from + ITEM_NODES_A_COMMIT);
      // In order, because each checks that this instance still leads.
      await registry.commit([
        { type: 'check', path: paths.leader },
        versioned({ type: 'check', path: paths.sharding }, view.shardingVersion),
        ...chunk.map((path) => ({ type: 'create', path, value: '' }) as const),
      ]);
    }
  }

  #ownerOperations(owners: ReadonlyMap<number, string>): readonly Operation[] {
    const { paths, watch } = this.#deps;
    return [...owners].flatMap(([item, id]): readonly Operation[] => {
      const path = paths.item(item, 'instance');
      const node = watch.nodes.get(path);
      if (node === undefined) return [{ type: 'create', path, value: id }];
      return node.value === id ? [] : [{ type: 'set', path, value: id }];
    });
  }

  #removalsOfSurplusItems(view: JobView, total: number): readonly Operation[] {
    const { paths, watch } = this.#deps;
    const isWaiting = (item: number): boolean => view.crashedItems.includes(item);
    const surplus = view.items.filter(({ item, running }) => item >= total && !running).map(({ item }) => item);
    if (surplus.length === 0) return [];
    const roots = surplus.flatMap((item) => [paths.item(item), ...(isWaiting(item) ? [paths.crashedItem(item)] : [])]);
    return [...watch.nodes.keys()]
      .filter((path) => roots.some((root) => path === root || path.startsWith(`${root}/`)))
      .sort((a, b) => b.length - a.length)
      .map((path) => ({ type: 'remove', path }));
  }
}

/** Pairs of item and instance id, as a strategy returned them; `undefined` if that is anything but a Map of lists of items. */
function sharesOf(shares: unknown): readonly (readonly [item: number, id: string])[] | undefined {
  if (!(shares instanceof Map)) return undefined;
  const pairs: (readonly [number, string])[] = [];
  for (const [id, items] of shares as Map<unknown, unknown>) {
    if (typeof id !== 'string' || !Array.isArray(items)) return undefined;
    for (const item of items as unknown[]) {
      if (typeof item !== 'number' || !Number.isInteger(item) || item < 0) return undefined;
      pairs.push([item, id]);
    }
  }
  return pairs;
}

function versioned<T extends Operation>(operation: T, version: number | undefined): T {
  return version === undefined ? operation : { ...operation, version };
}

function describe(owners: ReadonlyMap<number, string>): string {
  const itemsById = new Map<string, number[]>();
  for (const [item, id] of owners) itemsById.set(id, [...(itemsById.get(id) ?? []), item]);
  const shares = [...itemsById].map(([id, items]) => `${ranges(items)} → ${id}`);
  return shares.length === 0 ? 'no items' : `items ${shares.join(', ')}`;
}

function ranges(items: readonly number[]): string {
  const sorted = [...items].sort((a, b) => a - b);
  const spans: [number, number][] = [];
  for (const item of sorted) {
    const last = spans.at(-1);
    if (last !== undefined && last[1] === item - 1) last[1] = item;
    else spans.push([item, item]);
  }
  return spans.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
}
