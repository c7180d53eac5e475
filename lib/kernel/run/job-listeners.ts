import { type JobConfiguration } from '../../api/job-configuration.js';
import { isDistributeOnce } from '../../api/job-listener.js';
import { type ShardingContexts } from '../../api/sharding-contexts.js';
import { abortable } from '../../async/wait.js';
import { readItemParameters } from '../../layout/sharding-item-parameters.js';
import { parseTaskId, taskId } from '../../layout/task-id.js';
import { type Barrier } from '../once/barrier.js';
import { type BegunItem, type Firing } from '../view/firing.js';
import { type Extensions, type NamedListener } from '../types/extensions.js';
import { type BarrierArrival, type BarrierRound } from '../once/round.js';

/** A firing whose items this instance has chosen. */
export interface ChosenFiring {
  readonly firing: Firing;
  readonly items: readonly BegunItem[];
  /** Items that are due as well but are still being run. */
  readonly blocked: readonly number[];
  readonly config: JobConfiguration;
  readonly jobInstanceId: string;
  readonly signal: AbortSignal;
}

/** The items of a run that belong to one firing of the cluster: a takeover may run items of several. */
interface ListenedPart extends Pick<BarrierArrival, 'firing' | 'items'> {
  readonly contexts: ShardingContexts;
}

/** One run on this instance, as its listeners see it. */
export interface ListenedFiring {
  readonly config: JobConfiguration;
  /** Of all items. Without an instant if the items belong to several firings. */
  readonly contexts: ShardingContexts;
  /** By firing, the earliest first. */
  readonly parts: readonly ListenedPart[];
}

/** What a job's listeners get of a firing; `undefined` if they are not called. @throws if item parameters cannot be read */
export function listenedFiring(chosen: ChosenFiring): ListenedFiring | undefined {
  const { firing, items, config } = chosen;
  if (config.jobListenerTypes.length === 0 || !isToBeTold(chosen)) return undefined;
  const contextsOf = contextsFor(chosen);
  const numbers = items.map(({ item }) => item);
  const parts = partsOf(chosen);
  const [part] = parts;
  const instant = firing.instant ?? (parts.length === 1 ? part?.firing.instant : undefined);
  return {
    config,
    contexts: contextsOf(numbers, instant),
    parts: parts.map((each) => ({ ...each, contexts: contextsOf(each.items, each.firing.instant) })),
  };
}

function contextsFor({
  config,
  jobInstanceId,
  signal,
}: ChosenFiring): (items: readonly number[], instant: number | undefined) => ShardingContexts {
  const { jobName, shardingTotalCount, jobParameter } = config;
  const parameters = readItemParameters(config.shardingItemParameters);
  return (items, instant) => ({
    jobName,
    taskId: taskId({ jobName, items, jobInstanceId }),
    shardingTotalCount,
    jobParameter,
    shardingItemParameters: new Map(items.map((item) => [item, parameters.get(item)])),
    jobEventSamplingCount: 0,
    currentJobEventSamplingCount: 0,
    allowSendJobEvent: true,
    scheduledAt: instant === undefined ? undefined : new Date(instant),
    signal,
  });
}

/** As in Java, a firing without items is told, unless it only came too early, or others were faster. */
function isToBeTold({ firing, items, blocked }: ChosenFiring): boolean {
  return items.length > 0 || (firing.items === undefined && firing.cause !== 'failover' && blocked.length === 0);
}

function partsOf({ firing, items }: ChosenFiring): readonly Omit<ListenedPart, 'contexts'>[] {
  // What completes a firing that others have begun is no firing of its own.
  const isPartial = firing.cause === 'failover' || (firing.cause === 'manual' && firing.items !== undefined);
  const byInstant = new Map<number | undefined, number[]>();
  for (const { item, instant } of items) byInstant.set(instant, [...(byInstant.get(instant) ?? []), item]);
  return [...byInstant]
    .sort(([one = 0], [other = 0]) => one - other)
    .map(([instant, numbers]) => ({ firing: { instant, isPartial }, items: numbers }));
}

/**
 * Calls a job's listeners: those of every instance, and those that are called once in the cluster, in ascending order both
 * before and after, as in Java. The first one that fails keeps those that follow from being called in that phase, and
 * never keeps the items from running.
 */
export class JobListeners {
  readonly #types: Extensions;
  readonly #barrier: Barrier;

  constructor(types: Extensions, barrier: Barrier) {
    this.#types = types;
    this.#barrier = barrier;
  }

  /** When the items are chosen, and before the first one begins. Rejects with what a listener throws. */
  async before(firing: ListenedFiring): Promise<void> {
    // One after the other: their order is what `order()` is for.
    for (const named of this.#types.listeners(firing.config)) await this.#before(named, firing);
  }

  /** When all items have ended. Rejects with what a listener throws. */
  async after(firing: ListenedFiring): Promise<void> {
    for (const named of this.#types.listeners(firing.config)) await this.#after(named, firing);
  }

  async #before({ type, listener }: NamedListener, { contexts, parts }: ListenedFiring): Promise<void> {
    if (!isDistributeOnce(listener)) return calling(() => listener.beforeJobExecuted(contexts), contexts.signal);
    for (const { contexts: own, ...part } of parts)
      await this.#barrier.meet({
        ...part,
        type,
        stage: 'started',
        signal: contexts.signal,
        timeoutMs: listener.startedTimeoutMilliseconds,
        callback: (signal) => listener.doBeforeJobExecutedAtLastStarted({ ...own, signal }),
      });
  }

  async #after({ type, listener }: NamedListener, { contexts, parts }: ListenedFiring): Promise<void> {
    if (!isDistributeOnce(listener)) return calling(() => listener.afterJobExecuted(contexts), contexts.signal);
    // Peers do not wait for an instance whose run was told to end: it is about to go.
    if (contexts.signal.aborted) return;
    for (const { contexts: own, ...part } of parts)
      await this.#barrier.meet({
        ...part,
        type,
        stage: 'completed',
        signal: contexts.signal,
        timeoutMs: listener.completedTimeoutMilliseconds,
        callback: (signal, abandoned) =>
          listener.doAfterJobExecutedAtLastCompleted({ ...own, ...withoutItems(own, abandoned), signal }),
      });
  }
}

/** Of an earlier firing nothing is known but when it was. */
function withoutItems(
  { jobName, taskId: id }: ShardingContexts,
  abandoned: BarrierRound | undefined,
): Partial<ShardingContexts> {
  if (abandoned === undefined) return {};
  const { instant } = abandoned;
  return {
    taskId: taskId({ jobName, items: [], jobInstanceId: parseTaskId(id)?.jobInstanceId ?? '' }),
    shardingItemParameters: new Map(),
    scheduledAt: instant === undefined ? undefined : new Date(instant),
  };
}

/** Calls, and waits no longer than the run may take. */
function calling(call: () => void | Promise<void>, signal: AbortSignal): Promise<void> {
  return abortable(Promise.resolve().then(call), signal);
}
