import { describeCause, describeFailure, stackOf } from '../../api/text/describe-cause.js';
import { InvalidConfigurationError } from '../../api/errors/errors.js';
import {
  type ItemOutcome,
  type RunEvent,
  type RunInfo,
  type RunItem,
  type RunOutcome,
} from '../../api/events/run-events.js';
import { scheduledDate } from '../../graphs/orders.js';
import { taskId } from '../../layout/task-id.js';
import { type FailureReports } from '../types/failure-reports.js';
import { type BegunItem, type BegunRun, type Firing, runPolicyOf } from '../view/firing.js';
import { type JobContext } from '../job/job-context.js';
import { type Retry } from './item-run.js';
import { type RunObservers } from './run-observers.js';

/** Dependencies of a report. */
export interface RunReportDeps extends JobContext {
  readonly failures: FailureReports;
  readonly observers: RunObservers;
}

/** An event without the members that all events of a run share. */
type Event = DistributiveOmit<RunEvent, 'run' | 'at'>;
type DistributiveOmit<Union, Key extends PropertyKey> = Union extends unknown ? Omit<Union, Key> : never;

/** Reports one run: by events to its observers, by failures to the error handler, and to the log. */
export class RunReport {
  readonly info: RunInfo;
  readonly #deps: RunReportDeps;
  /** True if there is an observer: without one, no event is made. */
  readonly #isObserved: boolean;
  #hasLoggedAbort = false;
  /** Set when the run has chosen its items. */
  #taskId: string | undefined;

  constructor(deps: RunReportDeps, { cause, instant }: Firing) {
    const { paths, instance, observers } = deps;
    this.#deps = deps;
    this.#isObserved = observers.isAny;
    this.info = { jobName: paths.jobName, instance, runId: nextRunId(), cause, scheduledAt: this.#dateOf(instant) };
  }

  #runItemOf({ item, instant, fencingToken }: BegunItem): RunItem {
    return { item, scheduledAt: this.#dateOf(instant), fencingToken };
  }

  /** For a round that is run again, the original instant. */
  #dateOf(instant: number | undefined): Date | undefined {
    return scheduledDate(this.#deps.watch.view, instant);
  }

  /** Java's task id of the run; until the run has chosen its items, the task id has none. */
  get taskId(): string {
    return this.#taskId ?? this.#taskIdOf([]);
  }

  #taskIdOf(items: readonly number[]): string {
    const { paths, me } = this.#deps;
    return taskId({ jobName: paths.jobName, items, jobInstanceId: me });
  }

  /** Notifies the observers. */
  emit(event: Exclude<Event, { type: 'run-ended' }>): void {
    this.#emit(event);
  }

  /** Reports that the run is over. */
  ended(outcome: RunOutcome): void {
    this.#emit({ type: 'run-ended', outcome, taskId: this.taskId });
  }

  #emit(event: Event): void {
    if (!this.#isObserved) return;
    const { observers, clock } = this.#deps;
    observers.notify({ ...event, run: this.info, at: new Date(clock.now()) });
  }

  /** Reports that the run has begun its items. A run without items emits nothing. */
  begun(begun: BegunRun): void {
    const { items, blocked, config: configuration } = begun;
    this.#taskId = this.#taskIdOf(items.map(({ item }) => item));
    if (items.length === 0 || !this.#isObserved) return;
    const taskId = this.#taskId;
    this.emit({
      type: 'items-begun',
      taskId,
      configuration,
      items: items.map((item) => this.#runItemOf(item)),
      blocked,
    });
  }

  /**
   * Reports that an attempt at an item has failed, and another one follows. The error handler is given the last failure
   * only.
   */
  itemRetried(begun: BegunItem, { attempt, cause, pauseMs }: Retry): void {
    const { logger } = this.#deps;
    const { item } = begun;
    this.emit({ type: 'item-retried', item: this.#runItemOf(begun), attempt, cause, pauseMs });
    const text = `item ${item} failed at attempt ${attempt}, and is tried again in ${pauseMs} ms: ${describeFailure(cause)}`;
    logger.warn(text, { event: 'retried', item });
  }

  /**
   * Reports that an item has ended. Its failure goes to the error handler, unless the whole firing has failed already.
   */
  itemEnded(begun: BegunItem, config: BegunRun['config'], end: ItemEnding): void {
    const { failures, instance } = this.#deps;
    const { outcome, attempts, durationMs, parameter } = end;
    if (this.#isObserved)
      this.emit({ type: 'item-ended', item: this.#runItemOf(begun), outcome, attempts, durationMs });
    if (outcome.type === 'aborted') this.#logAbort(outcome.cause);
    if ((outcome.type !== 'failed' && outcome.type !== 'timed-out') || end.isReported) return;
    const scheduledAt = this.#dateOf(begun.instant);
    failures.report({
      ...{ configuration: config, cause: outcome.cause, item: begun.item, parameter, scheduledAt, instance },
      taskId: this.#taskId,
      attempt: Math.max(1, attempts),
    });
  }

  /** Reports that the firing as a whole has failed, or a listener. */
  failed(cause: unknown): void {
    const { watch, failures, logger, instance } = this.#deps;
    const { config: configuration } = watch.view;
    // Without settings, no error handler is known. Unusable settings are logged once for all firings.
    if (configuration === undefined)
      return cause instanceof InvalidConfigurationError
        ? this.leftOut(cause)
        : logger.error(describeCause(cause), stackOf(cause));
    const { scheduledAt } = this.info;
    failures.report({
      ...{ configuration, cause, item: undefined, parameter: undefined, scheduledAt, instance },
      taskId: this.#taskId,
      attempt: 1,
    });
  }

  /**
   * Logs that the settings keep the run from beginning. That is logged once for all firings; but for a manual run,
   * which somebody waits for, it is a warning.
   */
  leftOut(cause: InvalidConfigurationError): void {
    const { logger } = this.#deps;
    if (this.info.cause === 'manual')
      logger.warn(`a manual run is left out; trigger it again when the settings are mended: ${cause.message.trim()}`);
    else logger.debug(`a firing is left out: ${cause.message.trim()}`);
  }

  /** Logs once a run: all its items abort for the same reason. */
  #logAbort(cause: unknown): void {
    if (!this.#hasLoggedAbort) this.#deps.logger.warn(describeCause(cause));
    this.#hasLoggedAbort = true;
  }
}

/** The end of an item, for its report. */
export interface ItemEnding {
  readonly outcome: ItemOutcome;
  /** Number of attempts made. */
  readonly attempts: number;
  /** How long the item has run, in milliseconds; `undefined` if the job's code was not called. */
  readonly durationMs: number | undefined;
  /** The item's entry of `shardingItemParameters`. */
  readonly parameter: string | undefined;
  /** True if its failure has been reported as one of the whole firing. */
  readonly isReported: boolean;
}

/** The outcome of a run, from those of its items. */
export function outcomeOf(outcomes: readonly ItemOutcome[], { cause }: Firing, begun: BegunRun): RunOutcome {
  const { blocked, config } = begun;
  const count = (type: ItemOutcome['type']): number => outcomes.filter((outcome) => outcome.type === type).length;
  if (outcomes.length > 0)
    return {
      type: 'completed',
      succeeded: count('succeeded'),
      failed: count('failed'),
      aborted: count('aborted'),
      timedOut: count('timed-out'),
    };
  if (cause === 'failover') return { type: 'nothing-to-run', reason: 'taken-by-others' };
  if (blocked.length === 0) return { type: 'nothing-to-run', reason: 'no-items' };
  // A trigger is never dropped.
  const isMadeUpFor = cause === 'manual' || runPolicyOf(config).missed === 'recover';
  return { type: 'nothing-to-run', reason: 'still-running', items: blocked, isMadeUpFor };
}

let lastRunId = 0;
const nextRunId = (): number => ++lastRunId;
