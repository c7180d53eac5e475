import { describeValue } from '../text/describe-value.js';
import { type ShardingContexts } from '../job/sharding-contexts.js';

/** Java's `ElasticJobListener.LOWEST`: the order of a listener without one. */
export const LOWEST_ORDER = 2_147_483_647;

/** Called on every instance, once before the items of a firing run there and once after they have ended. */
export interface ElasticJobListener {
  /**
   * The name by which `jobListenerTypes` refers to it; compared without regard to case. `@JobListener('…')` gives it,
   * too.
   */
  readonly type?: string;
  /**
   * Listeners are called in ascending order, before and after. If it throws or returns no number, a job that names the
   * listener is refused when it is defined, and later the listener is called last. Default: 2147483647, the last.
   */
  order?(): number;
  /**
   * Called once the items are chosen, even if there are none. If it throws, the error handler is notified and the
   * listeners that follow are not called; the items run all the same. The job runs nothing on this instance until it
   * returns: after a minute a warning names it, after ten minutes it counts as failed, and `shardingContexts.signal`
   * aborts.
   */
  beforeJobExecuted(shardingContexts: ShardingContexts): void | Promise<void>;
  /**
   * Called when the items have ended, successfully or not. An error that it throws, and a delay, have the same
   * consequences as for `beforeJobExecuted`.
   */
  afterJobExecuted(shardingContexts: ShardingContexts): void | Promise<void>;
}

/**
 * Called once for each firing in the whole cluster, before its first item begins and after its last item has ended; the
 * last calls come in the order of their firings. A call is begun at most once, even if instances crash; if the instance
 * that makes it dies during the call, no other instance repeats it.
 */
export abstract class AbstractDistributeOnceElasticJobListener {
  /**
   * The name by which `jobListenerTypes` refers to it; compared without regard to case. `@JobListener('…')` gives it,
   * too.
   */
  declare readonly type?: string;

  /**
   * @param startedTimeoutMilliseconds how long an instance waits before its items run, for those of others, and, once
   *   the call has begun, as long again for its end. Then the error handler is notified and the items run. 0 or less:
   *   no such limit.
   * @param completedTimeoutMilliseconds how long it waits when its items have ended, for those of others and for the
   *   call, before its next firing
   *
   * Both also limit the call itself; without a limit it is given up after ten minutes. No instance waits for items that
   * cannot come any more, because their instance is gone or they are disabled.
   */
  constructor(
    readonly startedTimeoutMilliseconds: number,
    readonly completedTimeoutMilliseconds: number,
  ) {}

  /** Listeners are called in ascending order, before and after. Default: 2147483647, the last. */
  order(): number {
    return LOWEST_ORDER;
  }

  /** Called when all items are about to start, on one instance; `shardingContexts` has that instance's items. */
  abstract doBeforeJobExecutedAtLastStarted(shardingContexts: ShardingContexts): void | Promise<void>;

  /**
   * Called when all items have completed, on one instance; `shardingContexts` has that instance's items, or none if it
   * took no part.
   */
  abstract doAfterJobExecutedAtLastCompleted(shardingContexts: ShardingContexts): void | Promise<void>;
}

/** Either kind of listener. */
export type AnyJobListener = ElasticJobListener | AbstractDistributeOnceElasticJobListener;

/** True if it is called once for the whole cluster. Recognised by its methods: there may be two copies of the class. */
export function isDistributeOnce(listener: AnyJobListener): listener is AbstractDistributeOnceElasticJobListener {
  return 'doBeforeJobExecutedAtLastStarted' in listener;
}

/** Checks that `candidate` is a listener. @returns the problem, as a predicate (`has no method …`), or undefined */
export function listenerProblem(candidate: unknown): string | undefined {
  const members = (candidate ?? {}) as Readonly<Record<string, unknown>>;
  const has = (name: string): boolean => typeof members[name] === 'function';
  if (members['order'] !== undefined && !has('order')) return 'has an order that is no method';
  if (has('beforeJobExecuted') && has('afterJobExecuted')) return undefined;
  if (!has('doBeforeJobExecutedAtLastStarted') && !has('doAfterJobExecutedAtLastCompleted'))
    return 'has no methods beforeJobExecuted(shardingContexts) and afterJobExecuted(shardingContexts), as ElasticJobListener demands';
  for (const name of ['doBeforeJobExecutedAtLastStarted', 'doAfterJobExecutedAtLastCompleted'])
    if (!has(name))
      return `has no method ${name}(shardingContexts), as AbstractDistributeOnceElasticJobListener demands`;
  for (const name of ['startedTimeoutMilliseconds', 'completedTimeoutMilliseconds'])
    if (!Number.isFinite(members[name]))
      return `must have a number of milliseconds as its ${name}, not ${describeValue(members[name])}`;
  return undefined;
}
