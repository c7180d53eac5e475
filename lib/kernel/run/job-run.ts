/**
 * One firing on this instance, from first to last:
 *
 * 1. the clock agrees with the registry's, if the job asks for that
 * 2. the items have owners and no request for another assignment stands, or the run waits for that
 * 3. the run chooses this instance's items
 * 4. with `monitorExecution` it marks them as running, in a commit that fails if the assignment or the settings have
 *    changed
 * 5. the job's listeners are called; those that are called once in the cluster wait for the items of other instances
 * 6. the items run concurrently, up to the limit of the job's pool, within their time and with their retries
 *    (`ItemRun`); a failure is reported and stops no other item, unless the job's error handler interrupts firings, as
 *    `THROW` does: items that have not started are not run then
 * 7. the run removes the marks, in one commit, or in batches if some items take longer
 * 8. the listeners are called again
 *
 * A run that takes over crashed items replaces 2 to 4 by the takeover, which marks the items too.
 */
import { describeCause } from '../../api/text/describe-cause.js';
import { DeadlineExceededError, type FiringInterruptedError } from '../../api/errors/errors.js';
import { type JobConfiguration } from '../../api/job/job-configuration.js';
import { isDisconnection } from '../../api/errors/registry-errors.js';
import { type ItemInterceptor, type ItemOutcome, type RunOutcome } from '../../api/events/run-events.js';
import { type ShardingContext } from '../../api/job/sharding-context.js';
import { runLimitsOf } from '../../api/settings/run-limits.js';
import { Abort, type AbortSource, throwIfAborted } from '../../async/abort.js';
import { type Limiter } from '../../async/limiter.js';
import { scheduledDate } from '../../graphs/orders.js';
import { readItemParameters } from '../../layout/sharding-item-parameters.js';
import { whenConnected } from '../../registry/session-state.js';
import { type ItemExecutor } from '../types/item-executor.js';
import { type BegunItem, type BegunRun, type Firing } from '../view/firing.js';
import { type Takeover } from '../marks/takeover.js';
import { TriggerAcceptance } from '../marks/trigger-acceptance.js';
import { checkClock } from './clock-check.js';
import { configurationIn, ItemChoice, type ItemChoiceDeps } from './item-choice.js';
import { ItemRun, type ItemRunOptions } from './item-run.js';
import { type JobListeners, listenedFiring, type ListenedFiring } from './job-listeners.js';
import { BlockedFiringError, type SettingFaults } from '../types/setting-faults.js';
import { outcomeOf, RunReport, type RunReportDeps } from './run-report.js';

/** Dependencies of a run, besides the context of its job. */
export interface JobRunDeps extends ItemChoiceDeps, RunReportDeps {
  readonly executor: ItemExecutor;
  readonly settingFaults: SettingFaults;
  /** The configuration in force now. */
  configuration(): JobConfiguration;
  readonly interceptors: readonly ItemInterceptor[];
  readonly listeners: JobListeners;
  readonly takeover: Takeover;
}

/** Facts about the firings before a run. */
export interface EarlierFirings {
  /** True if an earlier firing has waited until its deadline without beginning, and none has begun since. */
  readonly lastFiringTimedOut: boolean;
}

/** Result of the beginning of a run. */
export type RunBeginning =
  /** It has chosen its items, and holds them; it may have none. */
  | { readonly type: 'begun'; readonly begun: BegunRun }
  /** It is over. */
  | { readonly type: 'not-begun'; readonly outcome: RunOutcome };

/** One firing on this instance; it does not survive the process. */
export class JobRun {
  readonly firing: Firing;
  readonly #deps: JobRunDeps;
  readonly #earlier: EarlierFirings;
  readonly #report: RunReport;
  /** Ends the choice of items; has no effect once they have begun. */
  readonly #beginning = new Abort();
  readonly #stop = new Abort();
  #items: ReadonlyMap<number, ItemRun> = new Map();
  /** Set before the items are chosen. */
  #pool: Limiter | undefined;
  /** Reason for which the firing was interrupted; `undefined` while it goes on. */
  #interruption: FiringInterruptedError | undefined;
  /** The outcome of items that could not be made ready to run. */
  #unprepared: ItemOutcome = { type: 'succeeded' };

  constructor(deps: JobRunDeps, firing: Firing, earlier: EarlierFirings) {
    this.#deps = deps;
    this.#earlier = earlier;
    this.firing = firing;
    this.#report = new RunReport(deps, firing);
  }

  /** True if the run was aborted. */
  get isAborted(): boolean {
    return this.#stop.aborted;
  }

  /** Chooses the items, and marks them. Never rejects. */
  async begin(): Promise<RunBeginning> {
    this.#report.emit({ type: 'staged' });
    try {
      return { type: 'begun', begun: await this.#begin() };
    } catch (error) {
      const outcome = this.#notBegun(error);
      if (outcome.type === 'failed' && this.firing.cause === 'manual') await this.#dropTriggered();
      this.#report.ended(outcome);
      return { type: 'not-begun', outcome };
    }
  }

  /** Runs the begun items, from the first listener to the last one. Never rejects. */
  async carryOut(begun: BegunRun): Promise<RunOutcome> {
    const outcome = await this.#carryOut(begun);
    this.#report.ended(outcome);
    return outcome;
  }

  /** Aborts the run: it begins nothing more, and the signals of its items abort. */
  abort(reason: Error): void {
    this.#beginning.abort(reason);
    this.#stop.abort(reason);
    for (const item of this.#items.values()) item.abort(reason);
  }

  /** Asks the items that run to end at their next good moment. */
  softStop(reason: Error): void {
    for (const item of this.#items.values()) item.softStop(reason);
  }

  /** Keeps the run from beginning items, if it has not done so yet. */
  cancelBeginning(reason: Error): void {
    this.#beginning.abort(reason);
  }

  async #carryOut(begun: BegunRun): Promise<RunOutcome> {
    this.#report.begun(begun);
    const listened = this.#prepare(begun);
    if (listened !== undefined) await this.#listen(begun.config, () => this.#deps.listeners.before(listened));
    const outcomes = await Promise.all(begun.items.map((item) => this.#runItem(item, begun.config)));
    // After an interruption too: listeners must close what they have opened, and peers wait for the end of the round.
    if (listened !== undefined) await this.#listen(begun.config, () => this.#deps.listeners.after(listened));
    if (this.#interruption !== undefined) return { type: 'failed', cause: this.#interruption };
    return outcomeOf(outcomes, this.firing, begun);
  }

  // ── beginning ──────────────────────────────────────────────────────────────────────────────────────────────────

  async #begin(): Promise<BegunRun> {
    const { settingFaults, watch, paths } = this.#deps;
    this.#pool = settingFaults.pool(configurationIn(watch.view, paths));
    await checkClock(this.#deps);
    if (this.firing.cause === 'failover') return this.#takeOver();
    const begun = await new ItemChoice(this.#deps, this.firing, this.#beginning).begin();
    const { jobParameter = begun.config.jobParameter } = this.firing;
    return { ...begun, config: { ...begun.config, jobParameter } };
  }

  async #takeOver(): Promise<BegunRun> {
    const { watch, takeover, paths } = this.#deps;
    const config = configurationIn(watch.view, paths);
    const items = await takeover.takeOver(this.#beginning.signal);
    return { items, blocked: [], decidedOn: [], config };
  }

  #notBegun(cause: unknown): RunOutcome {
    const { aborted, reason } = this.#beginning;
    if (isDisconnection(cause)) {
      this.#deps.logger.warn(`a firing waits because the registry centre cannot be reached: ${describeCause(cause)}`);
      return { type: 'postponed', cause };
    }
    if (aborted && cause === reason) return { type: 'stopped', cause };
    if (!(cause instanceof DeadlineExceededError)) {
      if (cause instanceof BlockedFiringError) this.#report.leftOut(cause);
      else this.#report.failed(cause);
      return { type: 'failed', cause };
    }
    // Firings may wait for hours, each of them for half a minute.
    if (this.#earlier.lastFiringTimedOut) this.#deps.logger.debug(`a firing goes on waiting: ${describeCause(cause)}`);
    else this.#report.failed(cause);
    return { type: 'postponed', cause };
  }

  async #dropTriggered(): Promise<void> {
    try {
      await new TriggerAcceptance(this.#deps).dropUnbegun(this.firing);
    } catch (error) {
      this.#deps.logger.warn(`triggered items that could not begin are tried again: ${describeCause(error)}`);
    }
  }

  // ── running ────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Makes the begun items ready to run. Settings that became wrong while the job runs fail each of them. */
  #prepare(begun: BegunRun): ListenedFiring | undefined {
    const { reason } = this.#stop;
    try {
      const options = this.#itemOptions(begun);
      this.#items = new Map(begun.items.map((each) => [each.item, new ItemRun(options, each)]));
      if (reason !== undefined) this.abort(reason);
      const { firing } = this;
      return listenedFiring({ ...begun, firing, dateOf: this.#dateOf, jobInstanceId: this.#deps.me, stop: this.#stop });
    } catch (error) {
      this.#items = new Map();
      this.#unprepared = { type: 'failed', cause: error };
      this.#failed(error, begun.config);
      return undefined;
    }
  }

  readonly #dateOf = (instant: number | undefined): Date | undefined => scheduledDate(this.#deps.watch.view, instant);

  #itemOptions(begun: BegunRun): ItemRunOptions {
    const { paths, registry, executor, interceptors, clock, logger, settingFaults } = this.#deps;
    const { config } = begun;
    const { session } = registry;
    const isConnected = ({ aborted }: AbortSource): boolean => session.state.phase === 'connected' && !aborted;
    return {
      configuration: config,
      limits: runLimitsOf(config),
      shared: {
        jobName: paths.jobName,
        taskId: this.#report.taskId,
        shardingTotalCount: config.shardingTotalCount,
        jobParameter: config.jobParameter,
      },
      parameters: readItemParameters(config.shardingItemParameters),
      dateOf: this.#dateOf,
      executor,
      instanceId: this.#deps.me,
      present: () => this.#deps.configuration(),
      logger,
      interceptors,
      pool: this.#pool ?? settingFaults.pool(config),
      clock,
      whenConnected: (abort) => (isConnected(abort) && !session.isSilent ? undefined : this.#whenHeard(abort)),
      onStart: (context) => this.#started(context),
      onRetry: (item, retry) => this.#report.itemRetried(item, retry),
      onImpaired: (item, reason) => this.#noteImpairment(item, reason),
      onFailed: (cause) => this.#interruptAfter(cause, config),
    };
  }

  #started(context: ShardingContext): void {
    this.#deps.held.start(context.shardingItem);
    this.#report.emit({ type: 'item-started', context });
  }

  /** Resolves when the session is connected, and the registry centre has just answered if it was silent before. */
  async #whenHeard(abort: AbortSource): Promise<void> {
    const { watch, registry, logger } = this.#deps;
    const { session } = registry;
    for (;;) {
      await whenConnected(session, abort);
      if (!session.isSilent) return;
      const isHeard = await watch.sync().then(
        () => true,
        (error: unknown) => {
          logger.debug(`items wait until the registry centre answers: ${describeCause(error)}`);
          return false;
        },
      );
      throwIfAborted(abort);
      if (isHeard) return;
    }
  }

  /** An error of a listener keeps no item from running, unless the job's error handler interrupts firings. */
  async #listen(config: JobConfiguration, call: () => Promise<void>): Promise<void> {
    try {
      await call();
    } catch (error) {
      const { aborted, reason } = this.#stop;
      if (!aborted || error !== reason) this.#failed(error, config);
    }
  }

  /** Reports that the firing as a whole has failed, or a listener. */
  #failed(cause: unknown, config: JobConfiguration): void {
    this.#report.failed(cause);
    this.#interruptAfter(cause, config);
  }

  /** If the job's error handler interrupts firings, no item starts any more, and those that run are asked to end. */
  #interruptAfter(cause: unknown, config: JobConfiguration): void {
    this.#interruption ??= this.#deps.failures.interruption(config, cause);
    if (this.#interruption === undefined) return;
    for (const item of this.#items.values()) item.interrupt(this.#interruption);
  }

  /** Notes the impairment; the next reconciliation publishes it. */
  #noteImpairment(item: number, reason: string): void {
    this.#deps.held.impair(item, reason);
    this.#deps.requestReconcile();
  }

  /** Runs one item to its end, and releases it. Never rejects, so that a failure stops no other item. */
  async #runItem(begun: BegunItem, config: JobConfiguration): Promise<ItemOutcome> {
    const { marks, held, requestReconcile } = this.#deps;
    const run = this.#items.get(begun.item);
    const outcome = (await run?.outcome()) ?? this.#unprepared;
    const { durationMs, parameter, attempts = 0 } = run ?? {};
    this.#report.itemEnded(begun, config, { outcome, attempts, durationMs, parameter, isReported: run === undefined });
    if (held.impairments.has(begun.item)) requestReconcile();
    held.end(begun.item);
    // A job that returns because its signal aborted may have left its work half done.
    await marks.removal.end(begun.item, {
      isCutShort: run?.isCutShort === true,
      end: outcome.type === 'succeeded' ? 'succeeded' : 'failed',
    });
    held.release(begun.item);
    return outcome;
  }
}
