import { setMaxListeners } from 'node:events';
import { JobStoppedError } from '../../api/errors.js';
import { type JobLogger } from '../../api/logger.js';
import { withDeadline } from '../../async/wait.js';
import { type Clock } from '../../time/clock.js';
import { type Firing } from '../view/firing.js';
import { type BegunRun, type JobRun } from './job-run.js';
import { type Backlog, type DecidedFiring } from '../rules/plan-input.js';

/** How long a run that was told to end past the grace period is still waited for. */
const ABORTED_RUN_PATIENCE_MS = 1_000;

/** What the work lane needs. */
export interface WorkLanePorts {
  readonly jobName: string;
  readonly clock: Clock;
  readonly logger: JobLogger;
  readonly open: (firing: Firing) => JobRun;
  /** Whether a run may begin now. */
  readonly mayBegin: () => boolean;
  /** Whether a run may begin while others are in progress. Listeners are promised that it may not. */
  readonly mayOverlap: () => boolean;
  /** Whether firings that had to wait are made up for (manual, `misfire`). */
  readonly recoversMisfires: () => boolean;
  /** Something can be begun that could not be before. */
  readonly onProgress: () => void;
  /** Taking over has failed, if only because others were faster; not to be tried again at once. */
  readonly onFailoverFailed: () => void;
}

/** A run in progress. */
interface RunInProgress {
  readonly firing: Firing;
  readonly abort: AbortController;
}

/**
 * The work lane of a job. Runs begin one after the other; having begun, they go on side by side, each with items of its own, so that
 * a slow item keeps no other from its next firing. What comes while it cannot be run waits in the backlog, as one.
 */
export class WorkLane {
  readonly #ports: WorkLanePorts;
  readonly #runs = new Map<RunInProgress, Promise<void>>();
  readonly #busy = new Set<number>();
  readonly #missed = new Map<number, number>();
  readonly #triggered = new Set<number>();
  #isBeginning = false;
  /** The latest instant at which nothing could be begun. */
  #waiting: number | undefined;
  /** Whether a session has been lost since the last run began. */
  #hasLostSession = false;
  /** Whether a trigger that was accepted still waits for its run. */
  #isTriggered = false;
  #decided: DecidedFiring | undefined;

  constructor(ports: WorkLanePorts) {
    this.#ports = ports;
  }

  /** True while no run is in progress. */
  get isIdle(): boolean {
    return this.#runs.size === 0;
  }

  /** Whether a run may begin now. */
  get canBegin(): boolean {
    const { mayBegin, mayOverlap } = this.#ports;
    return !this.#isBeginning && mayBegin() && (this.isIdle || mayOverlap());
  }

  /** Items that are being run. */
  get busy(): ReadonlySet<number> {
    return this.#busy;
  }

  /** What could not be run when it was due. */
  get backlog(): Backlog {
    return {
      instant: this.#waiting,
      hasLostSession: this.#hasLostSession,
      missed: this.#missed,
      trigger: this.#isTriggered,
      triggered: this.#triggered,
    };
  }

  /** The last scheduled firing that was decided on. */
  get decided(): DecidedFiring | undefined {
    return this.#decided;
  }

  /** Fires for a scheduled instant (milliseconds since 1970): now, or as soon as it is possible. */
  fire(instant: number): void {
    if (this.canBegin) return this.start({ cause: 'schedule', instant });
    const { logger, recoversMisfires, mayOverlap } = this.#ports;
    // Neither a run that is just beginning, of some items only maybe, nor a rescue is a run of the items that are due, which
    // `misfire` is about.
    const isKept =
      recoversMisfires() ||
      (this.#isBeginning && mayOverlap()) ||
      [...this.#runs.keys()].some(({ firing }) => firing.cause === 'failover');
    logger.debug(`the firing at ${new Date(instant).toISOString()} ${isKept ? 'has to wait' : 'is dropped'}.`);
    if (isKept) this.#waiting = instant;
    else this.#decided = { instant, items: 'all' };
  }

  /** Begins a run. If that is not possible now, a triggered one waits, for its trigger has been accepted; others need not. */
  start(firing: Firing): void {
    if (!this.canBegin) {
      if (firing.cause === 'manual' && firing.items === undefined) this.#isTriggered = true;
      return;
    }
    this.#takeFromBacklog(firing);
    this.#hasLostSession = false;
    this.#isBeginning = true;
    const run = { firing, abort: new AbortController() };
    // Each item may listen, with as many requests as it likes; Node warns of more than ten listeners.
    setMaxListeners(Infinity, run.abort.signal);
    const ended = this.#carryOut(run).finally(() => {
      this.#runs.delete(run);
      this.#ports.onProgress();
    });
    this.#runs.set(run, ended);
  }

  #takeFromBacklog({ cause, items, instant }: Firing): void {
    if (cause === 'manual') {
      if (items === undefined) this.#isTriggered = false;
      for (const item of items ?? [...this.#triggered]) this.#triggered.delete(item);
    }
    if (instant === undefined) return;
    if (items === undefined && (this.#waiting ?? Infinity) <= instant) this.#waiting = undefined;
    for (const item of items ?? [...this.#missed.keys()])
      if ((this.#missed.get(item) ?? Infinity) <= instant) this.#missed.delete(item);
  }

  /** Never rejects: a run tells the error handler what goes wrong. */
  async #carryOut({ firing, abort: { signal } }: RunInProgress): Promise<void> {
    const run = this.#ports.open(firing);
    const begun = await run.begin(signal, this.#busy);
    this.#isBeginning = false;
    if (typeof begun === 'string') {
      if (firing.cause === 'failover') this.#ports.onFailoverFailed();
      else if (begun === 'too-early') this.#postpone(firing);
      else if (firing.instant !== undefined) this.#decided = { instant: firing.instant, items: 'all' };
      return;
    }
    // Others were faster, or something is in the way.
    if (firing.cause === 'failover' && begun.items.length === 0) this.#ports.onFailoverFailed();
    for (const { item } of begun.items) this.#busy.add(item);
    this.#settle(firing, begun, signal);
    this.#ports.onProgress();
    await run.process(begun, signal, (item) => {
      this.#busy.delete(item);
      this.#ports.onProgress();
    });
  }

  /** It is due as before; if the session is lost, records tell whether peers have begun it meanwhile. */
  #postpone({ cause, instant, items }: Firing): void {
    if (cause === 'manual') {
      if (items === undefined) this.#isTriggered = true;
      for (const item of items ?? []) this.#triggered.add(item);
    }
    if (instant === undefined || !this.#ports.recoversMisfires()) return;
    if (items === undefined) this.#waiting ??= instant;
    for (const item of items ?? []) this.#missed.set(item, Math.max(instant, this.#missed.get(item) ?? instant));
  }

  #settle({ instant, cause }: Firing, { blocked, decidedOn }: BegunRun, signal: AbortSignal): void {
    // A session that ended meanwhile has made others responsible.
    if (signal.aborted) return;
    if (cause === 'manual') for (const item of blocked) this.#triggered.add(item);
    if (instant === undefined) return;
    if (this.#ports.recoversMisfires())
      for (const item of blocked) this.#missed.set(item, Math.max(instant, this.#missed.get(item) ?? instant));
    const former = this.#decided?.instant === instant ? this.#decided.items : [];
    this.#decided = { instant, items: former === 'all' ? 'all' : new Set([...former, ...decidedOn]) };
  }

  /** Drops what items have missed while they were running: `misfire` is switched off. */
  dropMissed(): void {
    this.#missed.clear();
  }

  /**
   * Tells the runs in progress to end, and forgets what is to be made up for item by item: peers do that now. What came
   * while nothing could be begun is still due, unless a peer was able to; the records tell.
   */
  abandon(reason: Error): void {
    this.#missed.clear();
    this.#triggered.clear();
    this.#isTriggered = false;
    this.#decided = undefined;
    this.#hasLostSession = true;
    for (const { abort } of this.#runs.keys()) abort.abort(reason);
  }

  /**
   * Waits for the runs in progress; past the grace period, tells them to end and waits a little more.
   * @returns whether they have ended
   */
  async end(why: string, gracePeriodMs: number): Promise<boolean> {
    if (this.isIdle || (await this.#endWithin(gracePeriodMs))) return true;
    const reason = `${why}, and the grace period of ${gracePeriodMs} ms is over`;
    for (const { abort } of this.#runs.keys()) abort.abort(new JobStoppedError(this.#ports.jobName, reason));
    return this.#endWithin(ABORTED_RUN_PATIENCE_MS);
  }

  #endWithin(timeoutMs: number): Promise<boolean> {
    const ended = Promise.all(this.#runs.values());
    return withDeadline(this.#ports.clock, ended, timeoutMs, () => new Error('time is up')).then(
      () => true,
      () => false,
    );
  }
}
