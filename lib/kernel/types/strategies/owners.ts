import { describeCause } from '../../../api/text/describe-cause.js';
import { type JobInstance, type JobShardingStrategy } from '../../../api/extensions/sharding-strategy.js';

/** A sharding strategy, which may be the user's own, threw, or returned something that is no assignment. */
export class ShardingStrategyError extends Error {
  override readonly name = 'ShardingStrategyError';
}

/** A task for a strategy: the items to assign, and the instances that may own them. */
export interface ToAssign {
  /** In the order in which strategies receive them. */
  readonly instances: readonly JobInstance[];
  readonly jobName: string;
  readonly shardingTotalCount: number;
  /** Id of the present owner by item. */
  readonly owners: ReadonlyMap<number, string>;
}

/**
 * Asks a strategy for the owner of each item.
 * @returns id of the owner by item
 * @throws ShardingStrategyError if the strategy throws, or does not give each item to exactly one of the instances
 */
export function ownersBy(strategy: JobShardingStrategy, toAssign: ToAssign): Map<number, string> {
  const { instances, jobName, shardingTotalCount: total } = toAssign;
  const shares = sharesBy(strategy, toAssign);
  const given = pairsOf(shares);
  const known = new Set(instances.map(({ jobInstanceId }) => jobInstanceId));
  const owners = new Map(given?.filter(([item, id]) => item < total && known.has(id)));
  if (given !== undefined && owners.size === total && given.length === total) return owners;
  throw new ShardingStrategyError(
    `The sharding strategy ${strategy.type} must return a Map that gives each of the items 0 to ${total - 1} of job ` +
      `'${jobName}' to exactly one of the given instances, but returned ${isPromise(shares) ? 'a promise: sharding() must not be async' : describeCause(shares)}`,
  );
}

function sharesBy(strategy: JobShardingStrategy, toAssign: ToAssign): unknown {
  const { instances, jobName, shardingTotalCount, owners } = toAssign;
  try {
    // Copies: a strategy of the user may change its arguments.
    return strategy.sharding([...instances], jobName, shardingTotalCount, new Map(owners));
  } catch (error) {
    const message = `The sharding strategy ${strategy.type} failed: ${describeCause(error)}`;
    throw new ShardingStrategyError(message, { cause: error });
  }
}

/** Pairs of item and instance id; `undefined` if the shares are anything but a Map of lists of items. */
function pairsOf(shares: unknown): readonly (readonly [item: number, id: string])[] | undefined {
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

function isPromise(shares: unknown): boolean {
  return typeof (shares as { readonly then?: unknown } | undefined | null)?.then === 'function';
}
