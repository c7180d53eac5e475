import { DeadlineExceededError } from '../../api/errors/errors.js';
import { type JobConfiguration } from '../../api/job/job-configuration.js';
import { type AbstractDistributeOnceElasticJobListener, isDistributeOnce } from '../../api/extensions/job-listener.js';
import { runCode } from '../../api/job/running-code.js';
import { type ShardingContexts } from '../../api/job/sharding-contexts.js';
import { type Abort } from '../../async/abort.js';
import { timedCall } from '../../async/timed-call.js';
import { type GuaranteeStage } from '../../layout/job-paths.js';
import { readItemParameters } from '../../layout/sharding-item-parameters.js';
import { parseTaskId, taskId } from '../../layout/task-id.js';
import { type ItemMarks } from '../marks/item-marks.js';
import { type Barrier, type BarrierRun, type RunPart } from '../once/barrier.js';
import { type BarrierCall } from '../once/once-callback.js';
import { type BarrierRound } from '../once/round.js';
import { type Extensions } from '../types/extensions.js';
import { type BegunItem, type Firing } from '../view/firing.js';
import { type JobContext } from '../job/job-context.js';

/** A firing whose items this instance has chosen. */
export interface ChosenFiring {
  readonly firing: Firing;
  readonly items: readonly BegunItem[];
  /** Items that are due as well but still run. */
  readonly blocked: readonly number[];
  readonly config: JobConfiguration;
  readonly jobInstanceId: string;
  /** The `scheduledAt` of a run for that instant. */
  readonly dateOf: (instant: number | undefined) => Date | undefined;
  /** Aborts the run. */
  readonly stop: Pick<Abort, 'signal'>;
}

/** The items of a run that belong to one firing of the cluster: a takeover may run items of several. */
interface ListenedPart extends RunPart {
  readonly contexts: ShardingContexts;
}

/** One run on this instance, as its listeners see it. */
export interface ListenedFiring {
  readonly config: JobConfiguration;
  /** The contexts of all items, without an instant if the items belong to several firings. */
  readonly contexts: ShardingContexts;
  /** The parts by firing, the earliest first. */
  readonly parts: readonly ListenedPart[];
}

/**
 * Arguments of a firing for the job's listeners; `undefined` if they are not called.
 * @throws if item parameters cannot be read
 */
export function listenedFiring(chosen: ChosenFiring): ListenedFiring | undefined {
  const { firing, items, config } = chosen;
  if (config.jobListenerTypes.length === 0 || !callsListeners(chosen)) return undefined;
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
  dateOf,
  stop,
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
    scheduledAt: dateOf(instant),
    signal: stop.signal,
  });
}

/**
 * True if listeners are called for the firing. As in Java, they are called without items too, unless the firing only
 * came too early, or other instances were faster.
 */
function callsListeners({ firing, items, blocked }: ChosenFiring): boolean {
  return items.length > 0 || (firing.items === undefined && firing.cause !== 'failover' && blocked.length === 0);
}

function partsOf({ firing, items }: ChosenFiring): readonly RunPart[] {
  // A run that completes a firing which other instances have begun is no firing of its own.
  const isPartial = firing.cause === 'failover' || (firing.cause === 'manual' && firing.items !== undefined);
  const byInstant = new Map<number | undefined, number[]>();
  for (const { item, instant } of items) {
    const numbers = byInstant.get(instant);
    if (numbers === undefined) byInstant.set(instant, [item]);
    else numbers.push(item);
  }
  return [...byInstant]
    .sort(([one = 0], [other = 0]) => one - other)
    .map(([instant, numbers]) => ({ firing: { instant, isPartial }, items: numbers }));
}

/** How long a listener of every instance may take before the log warns that it holds up the job. */
const LISTENER_WARNING_MS = 60_000;

/** How long the run waits for such a listener; then it goes on without it. */
const LISTENER_DEADLINE_MS = 600_000;

/** Dependencies of `JobListeners`. */
export interface JobListenersDeps extends Pick<JobContext, 'clock' | 'logger' | 'paths' | 'me'> {
  readonly types: Extensions;
  readonly barrier: Barrier;
  readonly marks: ItemMarks;
}

/**
 * Calls a job's listeners: those of every instance, and those that are called once in the cluster, in ascending order
 * both before and after, as in Java. If one fails, the following ones are not called in that phase, and the items run
 * all the same.
 */
export class JobListeners {
  readonly #deps: JobListenersDeps;
  readonly #barriers = new WeakMap<ListenedFiring, BarrierRun<ListenedPart>>();

  constructor(deps: JobListenersDeps) {
    this.#deps = deps;
  }

  /** To be called when the items are chosen, and before the first one begins. Rejects with the error of a listener. */
  async before(firing: ListenedFiring): Promise<void> {
    const barriers = this.#barriersOf(firing);
    const { contexts } = firing;
    // One after the other: `order()` determines their order.
    for (const { type, listener } of this.#deps.types.listeners(firing.config))
      if (isDistributeOnce(listener))
        await barriers.start(type, contexts.signal, (part) => onceCall(listener, 'started', part));
      else await this.#calling(`${type}.beforeJobExecuted`, contexts, (each) => listener.beforeJobExecuted(each));
  }

  /** To be called when all items have ended. Rejects with the error of a listener. */
  async after(firing: ListenedFiring): Promise<void> {
    const barriers = this.#barriersOf(firing);
    try {
      await this.#after(firing, barriers);
    } finally {
      if (!firing.contexts.signal.aborted) await barriers.end();
    }
  }

  /**
   * Reports that this instance was busy and drops the firing at that instant, in milliseconds since 1970, for these
   * items. Rejects if listeners are unknown.
   */
  async drop(instant: number, items: readonly number[], config: JobConfiguration): Promise<void> {
    const { types, barrier } = this.#deps;
    if (types.listeners(config).some(({ listener }) => isDistributeOnce(listener))) await barrier.drop(instant, items);
  }

  async #after(firing: ListenedFiring, barriers: BarrierRun<ListenedPart>): Promise<void> {
    const { contexts, config } = firing;
    const listeners = this.#deps.types.listeners(config);
    const once = listeners.filter(({ listener }) => isDistributeOnce(listener)).map(({ type }) => type);
    // If an item is reported and still marked, and this instance dies now, a peer would run the item again after the
    // last call.
    if (once.length > 0) await this.#deps.marks.removal.clearWhenConnected(contexts.signal);
    const { signal } = contexts;
    // A failure at the barriers must not keep listeners of every instance from closing resources that they have opened.
    const failures: unknown[] = [];
    // Peers do not wait for an instance whose run was aborted: it is about to go.
    if (!signal.aborted)
      await barriers.reportCompleted(once, signal).catch((error: unknown) => void failures.push(error));
    for (const { type, listener } of listeners)
      if (!isDistributeOnce(listener))
        await this.#calling(`${type}.afterJobExecuted`, contexts, (each) => listener.afterJobExecuted(each));
      else if (!signal.aborted && failures.length === 0)
        await barriers
          .complete(type, (part) => onceCall(listener, 'completed', part))
          .catch((error: unknown) => {
            if (!signal.aborted) throw error;
            failures.push(error);
          });
    if (failures.length > 0) throw failures[0];
  }

  #barriersOf(firing: ListenedFiring): BarrierRun<ListenedPart> {
    const barriers = this.#barriers.get(firing) ?? this.#deps.barrier.run(firing.parts);
    this.#barriers.set(firing, barriers);
    return barriers;
  }

  /** Calls a listener of every instance. It waits until the run is aborted or the deadline has passed, at most. */
  async #calling(
    what: string,
    contexts: ShardingContexts,
    call: (contexts: ShardingContexts) => void | Promise<void>,
  ): Promise<void> {
    const { clock, logger, paths, me } = this.#deps;
    const { jobName } = paths;
    const code = { jobName, instanceId: me, part: 'listener', what: `the listener ${what}` } as const;
    const endWarning = clock.after(LISTENER_WARNING_MS, () =>
      logger.warn(
        `the listener ${what} has not returned for ${LISTENER_WARNING_MS / 1000} s; the job runs nothing on this instance ` +
          `until it returns, or until ${LISTENER_DEADLINE_MS / 60_000} minutes have passed.`,
      ),
    );
    const error = (): Error =>
      new DeadlineExceededError(`the listener ${what} of job '${jobName}' to return`, LISTENER_DEADLINE_MS);
    try {
      const { signal } = contexts;
      await timedCall((each) => runCode(code, () => call({ ...contexts, signal: each })), {
        clock,
        signal,
        limitMs: LISTENER_DEADLINE_MS,
        error,
      });
    } finally {
      endWarning();
    }
  }
}

type OnceListener = AbstractDistributeOnceElasticJobListener;

function onceCall(listener: OnceListener, stage: GuaranteeStage, { contexts }: ListenedPart): BarrierCall {
  const isStart = stage === 'started';
  return {
    timeoutMs: isStart ? listener.startedTimeoutMilliseconds : listener.completedTimeoutMilliseconds,
    signal: contexts.signal,
    make: (signal) =>
      isStart
        ? listener.doBeforeJobExecutedAtLastStarted({ ...contexts, signal })
        : listener.doAfterJobExecutedAtLastCompleted({ ...contexts, signal }),
    makeAbandoned: (signal, round) =>
      listener.doAfterJobExecutedAtLastCompleted({ ...withoutItems(contexts, round), signal }),
  };
}

/** An abandoned firing is known only by its instant. */
function withoutItems(contexts: ShardingContexts, { instant }: BarrierRound): ShardingContexts {
  const jobInstanceId = parseTaskId(contexts.taskId)?.jobInstanceId ?? '';
  return {
    ...contexts,
    taskId: taskId({ jobName: contexts.jobName, items: [], jobInstanceId }),
    shardingItemParameters: new Map(),
    scheduledAt: instant === undefined ? undefined : new Date(instant),
  };
}
