import { describeValue } from './describe-value.js';
import { type ShardingContexts } from './sharding-contexts.js';

/** Java's `ElasticJobListener.LOWEST`: the order of a listener that does not say one. */
export const LOWEST_ORDER = 2_147_483_647;

/** Told on every instance, once before the items of a firing run there and once after they have ended. */
export interface ElasticJobListener {
  /** The name by which `jobListenerTypes` refers to it; compared without regard to case. `@JobListener('…')` gives it, too. */
  readonly type?: string;
  /** Listeners are called in ascending order, before and after. Default: 2147483647, the last. */
  order?(): number;
  /**
   * Called once the items are chosen; also if there are none. What it throws goes to the error handler and keeps the
   * listeners that follow from being called; the items run all the same.
   */
  beforeJobExecuted(shardingContexts: ShardingContexts): void | Promise<void>;
  /** Called when the items have ended, whether they failed or not. What it throws has the same consequences. */
  afterJobExecuted(shardingContexts: ShardingContexts): void | Promise<void>;
}

/**
 * Told once for each firing in the whole cluster: by the instance that saw the last item start, and by the one that saw the
 * last item complete. The items of a firing do not begin before the first call has ended. A call is begun at most
 * once, whatever happens to instances; if the instance that makes it dies in the middle of it, nobody repeats it.
 */
export abstract class AbstractDistributeOnceElasticJobListener {
  /** The name by which `jobListenerTypes` refers to it; compared without regard to case. `@JobListener('…')` gives it, too. */
  declare readonly type?: string;

  /**
   * @param startedTimeoutMilliseconds how long an instance waits before its items run, for those of others and for the call.
   *   Past it the error handler is told and the items run. 0 or less: no such limit.
   * @param completedTimeoutMilliseconds the same when its items have ended, before the instance's next firing
   *
   * Both also limit the call itself; without a limit it is given up after ten minutes. Items that can no longer
   * come, because their instance is gone or they are disabled, are not waited for in any case.
   */
  constructor(
    readonly startedTimeoutMilliseconds: number,
    readonly completedTimeoutMilliseconds: number,
  ) {}

  /** Listeners are called in ascending order, before and after. Default: 2147483647, the last. */
  order(): number {
    return LOWEST_ORDER;
  }

  /** Called when all items are about to start, on one instance; `shardingContexts` tells of that instance's items. */
  abstract doBeforeJobExecutedAtLastStarted(shardingContexts: ShardingContexts): void | Promise<void>;

  /** Called when all items have completed, on one instance. */
  abstract doAfterJobExecutedAtLastCompleted(shardingContexts: ShardingContexts): void | Promise<void>;
}

/** Either kind of listener. */
export type AnyJobListener = ElasticJobListener | AbstractDistributeOnceElasticJobListener;

/** Whether it is to be told once for the whole cluster. By its methods, for there may be two copies of the class. */
export function isDistributeOnce(listener: AnyJobListener): listener is AbstractDistributeOnceElasticJobListener {
  return 'doBeforeJobExecutedAtLastStarted' in listener;
}

/** What keeps `candidate` from being a listener, said of it (`has no method …`); `undefined`: nothing. */
export function faultInListener(candidate: unknown): string | undefined {
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
