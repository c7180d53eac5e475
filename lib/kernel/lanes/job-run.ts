/**
 * One firing on this instance, told in its order:
 *
 * 1. the clock agrees with the registry's, if the job asks for that
 * 2. the items have owners: nobody asks for another assignment, or the run waits for it
 * 3. the run chooses this instance's items
 * 4. with `monitorExecution` it marks them as running, in a commit that fails if the assignment or the settings have changed
 * 5. the job's listeners are called; those that are called once in the cluster wait for the items of other instances
 * 6. the items run concurrently, up to the limit of the job's pool; a failure is reported and stops no other item
 * 7. the run removes the marks, in one commit, or in batches if some items take longer
 * 8. the listeners are called again
 *
 * A run that takes over crashed items replaces 2 to 4 by the takeover, which marks the items too.
 */
import { describeCause, stackOf } from '../../api/describe-cause.js';
import { DeadlineExceededError, InvalidConfigurationError } from '../../api/errors.js';
import { type JobConfiguration } from '../../api/job-configuration.js';
import { isDisconnection } from '../../api/registry-errors.js';
import {
  type ItemInterceptor,
  type ItemOutcome,
  type NothingToRun,
  type RunEvent,
  type RunInfo,
  type RunItem,
  type RunOutcome,
} from '../../api/run-events.js';
import { type Limiter } from '../../async/limiter.js';
import { type ItemView, type JobView } from '../../layout/job-view.js';
import { readItemParameters } from '../../layout/sharding-item-parameters.js';
import { taskId } from '../../layout/task-id.js';
import { whenConnected } from '../../registry/session-state.js';
import { type ItemExecutor } from '../types/extensions.js';
import { type FailureReports } from '../types/failure-reports.js';
import { isDecided, runningItems } from '../view/assignment.js';
import { type BegunItem, type Firing } from '../view/firing.js';
import { type ItemsHere } from '../view/items-here.js';
import { assignedItems, chooseItems, numbersOf } from '../view/items.js';
import { type JobContext } from '../view/job-context.js';
import { type ItemMarks } from '../writes/item-marks.js';
import { type Takeover } from '../writes/takeover.js';
import { checkClock } from './clock-check.js';
import { ItemRun, type ItemRunOptions } from './item-run.js';
import { type JobListeners, listenedFiring, type ListenedFiring } from './job-listeners.js';

/** How long a firing waits for the items to be assigned, in milliseconds. Then it is postponed. */
const ASSIGNMENT_TIMEOUT_MS = 30_000;

/** What a run needs besides the context of its job. */
export interface JobRunDeps extends JobContext {
  readonly executor: ItemExecutor;
  readonly interceptors: readonly ItemInterceptor[];
  readonly listeners: JobListeners;
  readonly failures: FailureReports;
  readonly marks: ItemMarks;
  readonly takeover: Takeover;
  /** What runs on this instance. */
  readonly items: ItemsHere;
  /** The pool of the job on this instance, sized for these settings. */
  readonly pool: (configuration: JobConfiguration) => Limiter;
}

/** The work lane, as a run sees it. */
export interface RunOwner {
  /** The run has chosen its items, and holds them; it may have none. */
  onBegun(begun: BegunRun): void;
  /** An item may be begun again. */
  onItemReleased(): void;
  onEvent(event: RunEvent): void;
}

/** The items that a run has begun. */
export interface BegunRun {
  readonly items: readonly BegunItem[];
  /** Items that are due too, but still run or wait to be taken over. */
  readonly blocked: readonly number[];
  /** Items that need no other decision on this firing: begun, blocked, disabled, or begun before. */
  readonly decidedOn: readonly number[];
  /** The settings they run with. */
  readonly config: JobConfiguration;
}

/** One attempt at beginning the items that are due. */
type Turn = Omit<BegunRun, 'items'> & { readonly isComplete: boolean };

/** One firing on this instance; it does not survive the process. */
export class JobRun {
  readonly info: RunInfo;
  readonly firing: Firing;
  readonly #deps: JobRunDeps;
  readonly #owner: RunOwner;
  /** Ends the choice of items; once they have begun, it has no effect. */
  readonly #beginning = new AbortController();
  readonly #stop = new AbortController();
  #items: ReadonlyMap<number, ItemRun> = new Map();
  /** The outcome of items that could not be made ready to run. */
  #unprepared: ItemOutcome = { type: 'succeeded' };
  #hasLoggedAbort = false;

  constructor(deps: JobRunDeps, firing: Firing, owner: RunOwner) {
    const { paths, instance } = deps;
    const { cause, instant } = firing;
    this.#deps = deps;
    this.#owner = owner;
    this.firing = firing;
    const scheduledAt = instant === undefined ? undefined : new Date(instant);
    this.info = { jobName: paths.jobName, instance, runId: nextRunId(), cause, scheduledAt };
  }

  /** Whether the run was told to end. */
  get isAborted(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Runs from the choice of the items to the last listener. Never rejects. */
  async execute(): Promise<RunOutcome> {
    this.#emit({ type: 'staged' });
    const outcome = await this.#carryOut();
    this.#emit({ type: 'run-ended', outcome });
    return outcome;
  }

  /** Tells the run to end: it begins nothing more, and its items are told to end now. */
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

  async #carryOut(): Promise<RunOutcome> {
    let begun: BegunRun;
    try {
      begun = await this.#begin();
    } catch (error) {
      return this.#notBegun(error);
    }
    this.#owner.onBegun(begun);
    this.#emitBegun(begun);
    const listened = this.#prepare(begun);
    if (listened !== undefined) await this.#listen(() => this.#deps.listeners.before(listened));
    const outcomes = await Promise.all(begun.items.map((item) => this.#runItem(item, begun.config)));
    if (listened !== undefined) await this.#listen(() => this.#deps.listeners.after(listened));
    return outcomeOf(outcomes, this.firing, begun);
  }

  // ── beginning ──────────────────────────────────────────────────────────────────────────────────────────────────

  async #begin(): Promise<BegunRun> {
    await checkClock(this.#deps);
    return this.firing.cause === 'failover' ? this.#takeOver() : this.#choose();
  }

  async #takeOver(): Promise<BegunRun> {
    const { watch, takeover } = this.#deps;
    const config = this.#configOf(watch.view);
    const items = await takeover.takeOver(this.#beginning.signal);
    return { items, blocked: [], decidedOn: [], config };
  }

  /** Chooses items and marks them, until all that are due have begun: the assignment may change in between. */
  async #choose(): Promise<BegunRun> {
    const { marks, clock, paths, watch } = this.#deps;
    const deadline = clock.monotonic() + ASSIGNMENT_TIMEOUT_MS;
    const begun = new Map<number, BegunItem>();
    let turn: Turn | undefined;
    try {
      // Items that have ended and only wait for others to lose their marks with them are free.
      await marks.flush();
      await marks.clearLeftovers();
      while (!(turn = await this.#turn(begun)).isComplete) {
        if (clock.monotonic() > deadline)
          throw new DeadlineExceededError(`a stable assignment of job '${paths.jobName}'`, ASSIGNMENT_TIMEOUT_MS);
        // Not a poll: each turn follows a commit that was refused because the view was behind.
        await watch.sync();
      }
      return { ...turn, items: [...begun.values()] };
    } catch (error) {
      if (turn === undefined || begun.size === 0) throw error;
      // Items that have begun run, whatever keeps the others from it. The others are still due.
      const blocked = turn.decidedOn.filter((item) => !begun.has(item));
      this.#deps.logger.warn(`items ${blocked.join(',')} could not begin with the others: ${describeCause(error)}`);
      return { ...turn, items: [...begun.values()], blocked };
    }
  }

  /** Chooses once, from a view in which the items have owners, and adds what could be marked to `begun`. */
  async #turn(begun: Map<number, BegunItem>): Promise<Turn> {
    const { watch, marks, me, items: here } = this.#deps;
    const { instant, items: only } = this.firing;
    const { signal } = this.#beginning;
    let view = await this.#assignedView();
    while (this.#configOf(view).monitorExecution && (await watch.readBeginRecords())) view = await this.#assignedView();
    signal.throwIfAborted();
    const config = this.#configOf(view);
    const { items, blocked } = chooseItems(view, me, this.firing, here.busy);
    const turn = {
      config,
      blocked: numbersOf(blocked).filter((item) => !begun.has(item)),
      decidedOn: only ?? numbersOf(assignedItems(view, me)),
    };
    if (config.monitorExecution && config.misfire && instant !== undefined) await this.#noteMisfired(blocked);
    if (items.length === 0) return { ...turn, isComplete: true };
    if (!config.monitorExecution) {
      here.run(numbersOf(items));
      const { configRevision = 0 } = view;
      for (const { item, ownerRevision } of items)
        begun.set(item, { item, instant, fencingToken: Math.max(ownerRevision, configRevision) });
      return { ...turn, isComplete: true };
    }
    const begin = await marks.begin(items, instant, signal);
    for (const each of begin.items) begun.set(each.item, each);
    return { ...turn, isComplete: begin.isComplete };
  }

  /** For Java peers, and for the next owner of the item. This instance remembers it by itself. */
  async #noteMisfired(items: readonly ItemView[]): Promise<void> {
    const { marks, logger } = this.#deps;
    try {
      await marks.noteMisfired(items);
    } catch (error) {
      logger.warn(`could not mark items ${numbersOf(items).join(',')} as misfired: ${describeCause(error)}`);
    }
  }

  #assignedView(): Promise<JobView> {
    const { watch, paths } = this.#deps;
    return watch.until(isDecided, {
      signal: this.#beginning.signal,
      timeoutMs: ASSIGNMENT_TIMEOUT_MS,
      what: () =>
        `the items of job '${paths.jobName}' to be assigned by the leader ${watch.view.leader ?? '(there is none)'}, ` +
        `which waits for the running items ${runningItems(watch.view).join(',') || '(none)'}`,
    });
  }

  #configOf(view: JobView): JobConfiguration {
    if (view.config !== undefined) return view.config;
    const { paths } = this.#deps;
    throw new InvalidConfigurationError([
      view.configFault ?? `${paths.config}: there is no such node; the job has been removed`,
    ]);
  }

  #notBegun(cause: unknown): RunOutcome {
    const { signal } = this.#beginning;
    if (isDisconnection(cause)) {
      this.#deps.logger.warn(`a firing waits because the registry centre cannot be reached: ${describeCause(cause)}`);
      return { type: 'postponed', cause };
    }
    if (signal.aborted && cause === signal.reason) return { type: 'stopped', cause };
    this.#report(cause);
    return { type: cause instanceof DeadlineExceededError ? 'postponed' : 'failed', cause };
  }

  // ── running ────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Makes the begun items ready to run. Settings that became wrong while the job runs fail each of them. */
  #prepare(begun: BegunRun): ListenedFiring | undefined {
    const { signal } = this.#stop;
    try {
      const options = this.#itemOptions(begun);
      this.#items = new Map(begun.items.map((each) => [each.item, new ItemRun(options, each)]));
      if (signal.aborted) this.abort(signal.reason as Error);
      return listenedFiring({ ...begun, firing: this.firing, jobInstanceId: this.#deps.me, signal });
    } catch (error) {
      this.#items = new Map();
      this.#unprepared = { type: 'failed', cause: error };
      this.#report(error);
      return undefined;
    }
  }

  #itemOptions(begun: BegunRun): ItemRunOptions {
    const { paths, registry, executor, interceptors, pool, clock } = this.#deps;
    const { config } = begun;
    return {
      configuration: config,
      shared: {
        jobName: paths.jobName,
        taskId: this.#taskIdOf(begun),
        shardingTotalCount: config.shardingTotalCount,
        jobParameter: config.jobParameter,
      },
      parameters: readItemParameters(config.shardingItemParameters),
      executor,
      interceptors,
      pool: pool(config),
      clock,
      whenConnected: (signal) => whenConnected(registry.session, signal),
      onStart: (context) => this.#emit({ type: 'item-started', context }),
    };
  }

  /** What a listener throws keeps no item from running. */
  async #listen(call: () => Promise<void>): Promise<void> {
    try {
      await call();
    } catch (error) {
      if (!this.#isAbort(error)) this.#report(error);
    }
  }

  /** Runs one item to its end, and gives it back. Never rejects, so that a failure stops no other item. */
  async #runItem(begun: BegunItem, config: JobConfiguration): Promise<ItemOutcome> {
    const { marks, items: here, failures, instance } = this.#deps;
    const run = this.#items.get(begun.item);
    const outcome = (await run?.outcome()) ?? this.#unprepared;
    const info = runItemOf(begun);
    this.#emit({ type: 'item-ended', item: info, outcome, durationMs: run?.durationMs });
    if (outcome.type === 'aborted') this.#logAbort(outcome.cause);
    if (outcome.type === 'failed' && run !== undefined)
      failures.report({
        ...{ configuration: config, cause: outcome.cause, item: begun.item, parameter: run.parameter },
        ...{ scheduledAt: info.scheduledAt, instance, attempt: 1 },
      });
    here.end(begun.item);
    // A job that returns when it is told to end may have left its work half done.
    await marks.end(begun.item, run?.isAborted === true ? 'cut-short' : 'ended');
    here.release([begun.item]);
    this.#owner.onItemReleased();
    return outcome;
  }

  // ── reporting ──────────────────────────────────────────────────────────────────────────────────────────────────

  #emit(event: DistributiveOmit<RunEvent, 'run' | 'at'>): void {
    this.#owner.onEvent({ ...event, run: this.info, at: new Date(this.#deps.clock.now()) });
  }

  #emitBegun(begun: BegunRun): void {
    const { items, blocked, config: configuration } = begun;
    if (items.length === 0) return;
    this.#emit({
      type: 'items-begun',
      taskId: this.#taskIdOf(begun),
      configuration,
      items: items.map(runItemOf),
      blocked,
    });
  }

  #taskIdOf({ items }: BegunRun): string {
    const { paths, me } = this.#deps;
    return taskId({ jobName: paths.jobName, items: items.map(({ item }) => item), jobInstanceId: me });
  }

  /** A failure of the firing as a whole, or of a listener. */
  #report(cause: unknown): void {
    const { watch, failures, logger, instance } = this.#deps;
    const { config } = watch.view;
    if (config === undefined) return logger.error(describeCause(cause), stackOf(cause));
    const { scheduledAt } = this.info;
    failures.report({
      ...{ configuration: config, cause, item: undefined, parameter: undefined },
      ...{ scheduledAt, instance, attempt: 1 },
    });
  }

  #isAbort(error: unknown): boolean {
    const { signal } = this.#stop;
    return signal.aborted && error === signal.reason;
  }

  /** Once a run: all its items are told to end by the same reason. */
  #logAbort(cause: unknown): void {
    if (!this.#hasLoggedAbort) this.#deps.logger.warn(describeCause(cause));
    this.#hasLoggedAbort = true;
  }
}

type DistributiveOmit<Union, Key extends PropertyKey> = Union extends unknown ? Omit<Union, Key> : never;

let lastRunId = 0;
const nextRunId = (): number => ++lastRunId;

function runItemOf({ item, instant, fencingToken }: BegunItem): RunItem {
  return { item, scheduledAt: instant === undefined ? undefined : new Date(instant), fencingToken };
}

function outcomeOf(outcomes: readonly ItemOutcome[], { cause }: Firing, { blocked }: BegunRun): RunOutcome {
  const count = (type: ItemOutcome['type']): number => outcomes.filter((outcome) => outcome.type === type).length;
  if (outcomes.length > 0)
    return {
      type: 'completed',
      succeeded: count('succeeded'),
      failed: count('failed'),
      aborted: count('aborted'),
    };
  const idle: NothingToRun = blocked.length > 0 ? 'still-running' : 'no-items';
  return { type: 'nothing-to-run', reason: cause === 'failover' ? 'taken-by-others' : idle };
}
