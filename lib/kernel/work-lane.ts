import { JobStoppedError } from '../api/errors.js';
import { type JobLogger } from '../api/logger.js';
import { withDeadline } from '../async/wait.js';
import { type Clock } from '../time/clock.js';
import { type Firing, type RunOutcome } from './job-run.js';
import { type SettledFiring } from './plan.js';

/** How long a run that was told to end past the grace period is still waited for. */
const ABORTED_RUN_PATIENCE_MS = 1_000;

/** What the work lane needs. */
export interface WorkLanePorts {
  readonly jobName: string;
  readonly clock: Clock;
  readonly logger: JobLogger;
  /** Carries out a firing; never rejects. */
  readonly execute: (firing: Firing, signal: AbortSignal) => Promise<RunOutcome>;
  /** Whether a run may begin now. */
  readonly mayBegin: () => boolean;
  /** Whether firings that had to wait are made up for (manual, `misfire`). */
  readonly makesUp: () => boolean;
  /** Called after each run. */
  readonly onEnd: () => void;
}

/** The work lane of a job: at most one firing at a time; what comes meanwhile waits, as one. */
export class WorkLane {
  readonly #ports: WorkLanePorts;
  #run: { readonly abort: AbortController; readonly ended: Promise<void> } | undefined;
  /** The latest instant that came while nothing could be run; to be made up for. */
  #missed: number | undefined;
  /** Whether a trigger that was accepted still waits for its run. */
  #isAsked = false;
  #settled: SettledFiring | undefined;

  constructor(ports: WorkLanePorts) {
    this.#ports = ports;
  }

  get isIdle(): boolean {
    return this.#run === undefined;
  }

  /** The last scheduled firing that was decided on. */
  get settled(): SettledFiring | undefined {
    return this.#settled;
  }

  /** Fires for a scheduled instant (milliseconds since 1970): now, or as soon as it is possible. */
  fire(instant: number): void {
    if (this.isIdle && this.#ports.mayBegin()) return this.start({ cause: 'schedule', instant });
    this.#missed = instant;
    const { logger, jobName } = this.#ports;
    logger.debug(`Job '${jobName}': the firing at ${new Date(instant).toISOString()} has to wait.`);
  }

  /** Firings that came while a run was in progress, or while suspended, are made up for by one run, or dropped. */
  makeUpForMissed(): void {
    if (!this.isIdle || !this.#ports.mayBegin()) return;
    if (this.#isAsked) return this.start({ cause: 'trigger', instant: undefined });
    const instant = this.#missed;
    if (instant === undefined) return;
    this.#missed = undefined;
    if (this.#ports.makesUp()) this.start({ cause: 'misfire', instant });
    else this.#settled = { instant, items: 'all' };
  }

  /** Begins a run. If that is not possible now, a triggered one waits, for its trigger has been accepted; others need not. */
  start(firing: Firing): void {
    const isTriggered = firing.cause === 'trigger';
    const mayStart = this.isIdle && this.#ports.mayBegin();
    if (isTriggered) this.#isAsked = !mayStart;
    if (!mayStart) return;
    const abort = new AbortController();
    const ended = this.#ports.execute(firing, abort.signal).then(({ decidedOn }) => {
      this.#run = undefined;
      if (decidedOn !== undefined && firing.instant !== undefined) this.#settle(firing.instant, decidedOn);
      this.makeUpForMissed();
      this.#ports.onEnd();
    });
    this.#run = { abort, ended };
  }

  /** Tells the run in progress to end, and forgets what was to be made up for: peers do that now. */
  abandon(reason: Error): void {
    this.#missed = undefined;
    this.#settled = undefined;
    this.#run?.abort.abort(reason);
  }

  /**
   * Waits for the run in progress; past the grace period, tells it to end and waits a little more.
   * @returns whether it has ended
   */
  async end(why: string, gracePeriodMs: number): Promise<boolean> {
    if (this.#run === undefined || (await this.#endsWithin(gracePeriodMs))) return true;
    const reason = `${why}, and the grace period of ${gracePeriodMs} ms is over`;
    this.#run.abort.abort(new JobStoppedError(this.#ports.jobName, reason));
    return this.#endsWithin(ABORTED_RUN_PATIENCE_MS);
  }

  #endsWithin(timeoutMs: number): Promise<boolean> {
    const ended = this.#run?.ended ?? Promise.resolve();
    return withDeadline(this.#ports.clock, ended, timeoutMs, () => new Error('time is up')).then(
      () => true,
      () => false,
    );
  }

  #settle(instant: number, items: readonly number[]): void {
    const former = this.#settled?.instant === instant ? this.#settled.items : [];
    this.#settled = { instant, items: former === 'all' ? 'all' : new Set([...former, ...items]) };
  }
}
