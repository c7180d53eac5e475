/**
 * The work lane of a job: it owns the runs on this instance.
 *
 * - Runs begin one after the other. Having begun, they go on side by side, each with items of its own, so that a slow
 *   item keeps no other item from its next firing.
 * - A firing that cannot be run waits in the backlog, where later firings replace it. The rules decide when the backlog
 *   is run.
 * - While the session is suspended or lost, nothing begins. If it is lost, the running items are aborted.
 */
import { describeCause } from '../../api/text/describe-cause.js';
import { DeadlineExceededError, JobStoppedError } from '../../api/errors/errors.js';
import { type JobConfiguration } from '../../api/job/job-configuration.js';
import { type DueFiring, type RunOutcome } from '../../api/events/run-events.js';
import { withDeadline } from '../../async/wait.js';
import { firingTurns } from '../../time/event-loop.js';
import { type Backlog, type DecidedFiring } from '../rules/plan-input.js';
import { type BegunRun, type Firing, runPolicyOf } from '../view/firing.js';
import { type ReleasedItem } from '../view/held-items.js';
import { assignedItems, numbersOf } from '../view/items.js';
import { isWaiting } from '../../layout/waiting-runs.js';
import { type CronTimer } from './cron-timer.js';
import { JobRun, type JobRunDeps } from '../run/job-run.js';
import { LateFirings, PassedFirings } from '../log/untimely-firings.js';

/** How long the instance still waits for a run that was aborted after the grace period, in milliseconds. */
const ABORTED_RUN_TIMEOUT_MS = 1_000;

/** How often a waiting shutdown checks whether it waits in vain, in milliseconds. */
const LOOK_EVERY_MS = 1_000;

/** Limits of the wait for the runs in progress. */
export interface RunsEnd {
  /** How long the shutdown waits for them, in milliseconds. */
  readonly gracePeriodMs: number;
  /** Returns true if everything that still runs waits for this very end. */
  readonly isInVain: () => boolean;
}

/** Dependencies of a work lane. */
export interface WorkLaneDeps extends JobRunDeps {
  readonly timer: CronTimer;
  /** The configuration in force. */
  configuration(): JobConfiguration;
  /** Requests a reconciliation if the begin of a run, or the end of an item, may have made something due. */
  noteProgress(): void;
}

/** Owns the runs of one job on this instance. */
export class WorkLane {
  readonly #deps: WorkLaneDeps;
  readonly #lateFirings: LateFirings;
  readonly #passedFirings: PassedFirings;
  readonly #runs = new Map<JobRun, Promise<void>>();
  #beginning: JobRun | undefined;
  /**
   * `open`: runs may begin. `paused`: the session is suspended or lost. `closed`: the job stops, and begins nothing
   * more.
   */
  #gate: 'open' | 'paused' | 'closed' = 'paused';
  #missedInstant: number | undefined;
  #isDroppedIfMisfireTurnsOff = false;
  #hasLostSession = false;
  readonly #missedByItem = new Map<number, number>();
  #decided: DecidedFiring | undefined;
  /** True if the latest firing that ended without beginning had waited until its deadline. */
  #lastFiringTimedOut = false;

  constructor(deps: WorkLaneDeps) {
    this.#deps = deps;
    this.#passedFirings = new PassedFirings(deps.clock, deps.logger);
    this.#lateFirings = new LateFirings(deps.clock, deps.logger);
    deps.timer.onFire = (instant) => this.fire(instant);
    deps.held.onReleased = (released) => this.#noteReleased(released);
  }

  /** True while no run is in progress. */
  get isIdle(): boolean {
    return this.#runs.size === 0;
  }

  /** True if a run may begin now. */
  get canBegin(): boolean {
    const isFree = this.isIdle || runPolicyOf(this.#deps.configuration()).overlap === 'by-item';
    return this.#gate === 'open' && this.#beginning === undefined && isFree;
  }

  /** True if nothing begins because the session is, or was, suspended or lost. */
  get isPaused(): boolean {
    return this.#gate === 'paused';
  }

  /** True while a manual run is choosing its items. */
  get isBeginningManually(): boolean {
    return this.#beginning?.firing.cause === 'manual';
  }

  /** Items that run here. A live view. */
  get busy(): ReadonlySet<number> {
    return this.#deps.held.busy;
  }

  /** Those of `busy` for which the job's code was called. A live view. */
  get started(): ReadonlySet<number> {
    return this.#deps.held.started;
  }

  /** Firings that could not be run when they were due. */
  get backlog(): Backlog {
    return {
      missedInstant: this.#missedInstant,
      isDroppedIfMisfireTurnsOff: this.#isDroppedIfMisfireTurnsOff && this.#missedInstant !== undefined,
      hasLostSession: this.#hasLostSession,
      missedByItem: this.#missedByItem,
    };
  }

  /** The last scheduled firing that this instance has decided on. */
  get decided(): DecidedFiring | undefined {
    return this.#decided;
  }

  /** Lets runs begin: this instance is registered, and its view is current. */
  open(): void {
    if (this.#gate === 'paused') this.#gate = 'open';
  }

  /** Lets nothing begin until `open()`. */
  pause(): void {
    if (this.#gate === 'open') this.#gate = 'paused';
  }

  /** Lets nothing begin any more; a run that is still choosing its items gives up. */
  close(reason: JobStoppedError): void {
    this.#gate = 'closed';
    this.#beginning?.cancelBeginning(reason);
  }

  /** Fires for a scheduled instant: now, or as soon as it is possible. */
  fire(scheduledAt: Date): void {
    this.#lateFirings.note(scheduledAt);
    const instant = scheduledAt.getTime();
    if (this.canBegin) {
      this.#notifyOfDue(instant, 'begins');
      return this.start({ cause: 'schedule', instant });
    }
    if (this.#gate === 'closed') return;
    const { overlap, missed } = runPolicyOf(this.#deps.configuration());
    // `misfire: false` drops a firing only if its own items still run. A run that is only beginning, or a takeover of
    // other items, does not count.
    const isKeptAnyway =
      // One run makes up for both, or the earlier firing would begin after peers have ended the later one.
      (this.#missedInstant !== undefined && !this.#isDroppedIfMisfireTurnsOff) ||
      (this.#beginning !== undefined && overlap === 'by-item') ||
      [...this.#runs.keys()].some(({ firing }) => firing.cause === 'failover');
    const isKept = isKeptAnyway || missed === 'recover';
    this.#notifyOfDue(instant, isKept ? 'waits' : 'dropped');
    this.#logPassed(instant, isKept ? 'recover' : 'drop');
    if (!isKept) {
      // Report the older dropped firing first, so that peers see both in order.
      this.forgetMissed();
      return this.#drop(instant);
    }
    this.#missedInstant = instant;
    this.#isDroppedIfMisfireTurnsOff = !isKeptAnyway;
  }

  /** With listeners, a run keeps all items of the job from the next firing. */
  #logPassed(instant: number, missed: 'recover' | 'drop'): void {
    const { logger, held } = this.#deps;
    if (this.#gate === 'open' && this.#beginning === undefined && held.busy.size > 0)
      return this.#passedFirings.note({ instant, items: [...held.busy], missed });
    const fate = missed === 'recover' ? 'has to wait' : 'is dropped';
    logger.debug(`the firing at ${new Date(instant).toISOString()} ${fate}.`);
  }

  /** Starts a run, if one can begin now. */
  start(firing: Firing): void {
    if (!this.canBegin) return;
    this.#takeFromBacklog(firing);
    this.#hasLostSession = false;
    const run = new JobRun(this.#deps, firing, { lastFiringTimedOut: this.#lastFiringTimedOut });
    this.#beginning = run;
    this.#runs.set(run, this.#execute(run));
  }

  /** Never rejects. */
  async #execute(run: JobRun): Promise<void> {
    const beginning = await run.begin();
    if (beginning.type === 'not-begun') return this.#noteEnd(run, beginning.outcome);
    this.#noteBegun(run, beginning.begun);
    this.#noteEnd(run, await run.carryOut(beginning.begun));
  }

  /** Drops the firings that wait only because `misfire` was on when they came: it is switched off. */
  forgetMissed(): void {
    const { missedInstant, isDroppedIfMisfireTurnsOff } = this.backlog;
    this.#missedByItem.clear();
    if (missedInstant === undefined || !isDroppedIfMisfireTurnsOff) return;
    this.#missedInstant = undefined;
    this.#deps.logger.debug(`the firing at ${new Date(missedInstant).toISOString()} is dropped.`);
    this.#drop(missedInstant);
  }

  #drop(instant: number): void {
    const { listeners, logger } = this.#deps;
    const items = this.#ownItems;
    this.#noteDecided(instant, items);
    void listeners.drop(instant, items, this.#deps.configuration()).catch((error: unknown) => {
      logger.debug(`could not report that a firing is dropped: ${describeCause(error)}`);
    });
  }

  /** Asks the items that run to end at their next good moment. */
  softStop(reason: Error): void {
    for (const run of this.#runs.keys()) run.softStop(reason);
  }

  /**
   * Aborts the runs in progress: the session is lost. Peers recover the firings that single items have missed. A firing
   * that this instance could not begin is still due, unless the records show that a peer has begun it.
   */
  abandon(reason: Error): void {
    this.pause();
    this.#missedByItem.clear();
    this.#decided = undefined;
    this.#hasLostSession = true;
    for (const run of this.#runs.keys()) run.abort(reason);
  }

  /**
   * Waits for the runs in progress. After the grace period, or once waiting is in vain, aborts them and waits a little
   * more.
   * @returns whether they have ended
   */
  async end(why: string, { gracePeriodMs, isInVain }: RunsEnd): Promise<boolean> {
    const { clock, paths } = this.#deps;
    this.softStop(new JobStoppedError(paths.jobName, why));
    if (this.isIdle) return true;
    const endsAt = clock.monotonic() + gracePeriodMs;
    let restMs = gracePeriodMs;
    do {
      if (await this.#endWithin(Math.min(restMs, LOOK_EVERY_MS))) return true;
      restMs = endsAt - clock.monotonic();
    } while (restMs > 0 && !isInVain());
    const reason = restMs > 0 ? why : `${why}, and the grace period of ${gracePeriodMs} ms is over`;
    for (const run of this.#runs.keys()) run.abort(new JobStoppedError(paths.jobName, reason));
    return this.#endWithin(ABORTED_RUN_TIMEOUT_MS);
  }

  #endWithin(timeoutMs: number): Promise<boolean> {
    const ended = Promise.all(this.#runs.values());
    return withDeadline(this.#deps.clock, ended, timeoutMs, () => new Error('time is up')).then(
      () => true,
      () => false,
    );
  }

  #notifyOfDue(instant: number, fate: DueFiring['fate']): void {
    const { observers, paths, clock, held } = this.#deps;
    if (!observers.isAny) return;
    observers.notifyOfDueFiring({
      jobName: paths.jobName,
      fate,
      itemsRunning: held.busy.size,
      scheduledAt: new Date(instant),
      at: new Date(clock.now()),
    });
  }

  #takeFromBacklog(firing: Firing): void {
    const { items, instant } = firing;
    if (instant === undefined) return;
    if (items === undefined && (this.#missedInstant ?? Infinity) <= instant) this.#missedInstant = undefined;
    for (const item of items ?? [...this.#missedByItem.keys()])
      if ((this.#missedByItem.get(item) ?? Infinity) <= instant) this.#missedByItem.delete(item);
  }

  /**
   * An item without marks requests a reconciliation only if a missed firing or a trigger waits for it. Otherwise a
   * firing of many items would reconcile for each of them.
   */
  #noteReleased({ item, wasMarked }: ReleasedItem): void {
    const isAwaited = this.#missedByItem.has(item) || isWaiting(this.#deps.watch.view, item);
    if (isAwaited) this.#deps.requestReconcile();
    else if (wasMarked) this.#deps.noteProgress();
  }

  /** Lets the next run begin beside this one. */
  #noteBegun(run: JobRun, begun: BegunRun): void {
    this.#beginning = undefined;
    this.#lastFiringTimedOut = false;
    if (!run.isAborted) this.#noteDecision(run.firing, begun);
    this.#deps.noteProgress();
  }

  #noteEnd(run: JobRun, outcome: RunOutcome): void {
    const { firing } = run;
    if (this.#beginning === run) this.#beginning = undefined;
    this.#runs.delete(run);
    if (outcome.type === 'postponed' && outcome.cause instanceof DeadlineExceededError) this.#lastFiringTimedOut = true;
    if (firing.cause === 'failover' && outcome.type !== 'completed') this.#retryTakeover();
    else if (outcome.type === 'postponed') this.#postpone(firing);
    else if (outcome.type === 'failed' && firing.instant !== undefined)
      this.#noteDecided(firing.instant, firing.items ?? this.#ownItems);
    // Other firings that are due begin first.
    firingTurns.runWhenFree(this.#deps.requestReconcile);
  }

  /** A takeover has failed, perhaps because other instances were faster, so it is not tried again at once. */
  #retryTakeover(): void {
    const { timers, requestReconcile } = this.#deps;
    timers.setRetry('takeover', requestReconcile);
  }

  /** Keeps the firing due. If the session is lost, the records show whether peers have begun it meanwhile. */
  #postpone(firing: Firing): void {
    const { cause, instant, items } = firing;
    if (cause === 'dependency') return;
    if (instant === undefined || runPolicyOf(this.#deps.configuration()).missed === 'drop') return;
    if (items === undefined && this.#missedInstant === undefined) {
      this.#missedInstant = instant;
      this.#isDroppedIfMisfireTurnsOff = true;
    }
    for (const item of items ?? []) this.#missItem(item, instant);
  }

  #noteDecision(firing: Firing, { blocked, decidedOn, config }: BegunRun): void {
    const { instant, cause } = firing;
    if (instant === undefined) return;
    if (cause === 'schedule' && blocked.length > 0)
      this.#passedFirings.note({ instant, items: blocked, missed: runPolicyOf(config).missed });
    // The records of the upstream jobs show again and again for which rounds items are due.
    if (cause === 'dependency') return this.#noteDecided(instant, withoutItems(decidedOn, blocked));
    if (runPolicyOf(config).missed === 'recover') for (const item of blocked) this.#missItem(item, instant);
    this.#noteDecided(instant, decidedOn);
  }

  #noteDecided(instant: number, items: readonly number[]): void {
    const former = this.#decided?.instant === instant ? this.#decided.items : [];
    this.#decided = { instant, items: new Set([...former, ...items]) };
  }

  get #ownItems(): readonly number[] {
    const { watch, me } = this.#deps;
    return numbersOf(assignedItems(watch.view, me));
  }

  #missItem(item: number, instant: number): void {
    this.#missedByItem.set(item, Math.max(instant, this.#missedByItem.get(item) ?? instant));
  }
}

function withoutItems(items: readonly number[], others: readonly number[]): readonly number[] {
  const left = new Set(others);
  return items.filter((item) => !left.has(item));
}
