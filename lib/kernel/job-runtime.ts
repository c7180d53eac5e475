/**
 * One job on one instance, from its start to its end. Start reading the kernel here.
 *
 * A runtime has two lanes. In the *control lane* it looks at the job as a whole, plans, and performs the plan's actions
 * one after the other; user code is never awaited there. In the *work lane* it runs firings.
 *
 * ```
 *            start()              session suspended or lost
 *  created ─────────▶ starting ─▶ active ─────────────────▶ suspended
 *                         ▲         │                           │
 *                         │         │◀──── the same session ────┤
 *                         └─────────┼────── a new session ──────┘
 *                                   │ stop(), or an operator removed the instance's node
 *                                   ▼
 *                                stopping ── the run has ended or was aborted ──▶ stopped
 * ```
 * The registry centre is authoritative for who does what; the clock decides only when this instance looks and when it
 * stops trusting itself. If the registry cannot be reached, the job waits in `starting` or `suspended`, whichever it was, and
 * goes on by itself when it can.
 */
import {
  DeadlineExceededError,
  InvalidConfigurationError,
  JobConflictError,
  JobStateError,
  JobStoppedError,
  RegistryRefusedError,
  RegistryUnavailableError,
  SessionLostError,
} from '../api/errors.js';
import { type JobConfiguration } from '../api/job-configuration.js';
import { type JobLogger } from '../api/logger.js';
import { type JobInstance } from '../api/sharding-strategy.js';
import { Deferred } from '../async/deferred.js';
import { withDeadline } from '../async/wait.js';
import { JobPaths } from '../layout/job-paths.js';
import { type RegistryCenter, type SessionState } from '../registry/registry-center.js';
import { type Clock } from '../time/clock.js';
import { NamedTimers } from '../async/named-timers.js';
import { ControlLane } from './lanes/control-lane.js';
import { CronTimer, type FiringTimers } from './lanes/cron-timer.js';
import { type JobDefinition } from './job-definition.js';
import { JobLog } from './view/job-log.js';
import { type JobComponents, assembleJob } from './job-components.js';
import { JobRun } from './lanes/job-run.js';
import { type Extensions } from './types/extensions.js';
import { establishConfiguration, registerInstance, removeEndedMarks, withdrawInstance } from './writes/registration.js';
import { isLostRace } from '../api/registry-errors.js';
import { withdrawWhenPossible } from './writes/withdraw-later.js';
import { WorkLane } from './lanes/work-lane.js';
import { type JobTimer } from './view/job-context.js';

/** What a runtime needs; shared by all jobs of a host. */
export interface JobRuntimePorts {
  readonly registry: RegistryCenter;
  readonly instance: JobInstance;
  readonly types: Extensions;
  readonly firingTimers: FiringTimers;
  readonly clock: Clock;
  readonly logger: JobLogger;
  /** How long a stopping job waits for its running items, in milliseconds. */
  readonly shutdownGracePeriodMs: number;
}

/** Where a job stands on this instance. */
export type JobPhase = 'created' | 'starting' | 'active' | 'suspended' | 'stopping' | 'stopped';

/** How long withdrawing from the registry may take when stopping. */
const WITHDRAWAL_TIMEOUT_MS = 5_000;

/** One job on this instance. */
export class JobRuntime {
  readonly definition: JobDefinition;
  readonly #ports: Omit<JobRuntimePorts, 'logger'> & { readonly logger: JobLog };
  readonly #paths: JobPaths;
  readonly #timers: NamedTimers<JobTimer>;
  readonly #timer: CronTimer;
  readonly #work: WorkLane;
  readonly #control: ControlLane;

  #phase: JobPhase = 'created';
  #parts: JobComponents | undefined;
  #config: JobConfiguration | undefined;
  /** Id of the session in which this instance is registered. */
  #registeredIn: string | undefined;
  /** True once the job has been active here: what is refused later is no mistake of the one who started it. */
  #hasTakenPart = false;
  #isScheduled = false;
  #acceptsFirings = true;
  #started: Deferred | undefined;
  #startFailure: Error | undefined;
  #stopped: Promise<void> | undefined;
  #giveUpWithdrawal = (): void => undefined;
  readonly #cleanUps: (() => void)[] = [];

  constructor(definition: JobDefinition, ports: JobRuntimePorts) {
    const { clock, firingTimers } = ports;
    this.definition = definition;
    const logger = new JobLog(ports.logger, {
      jobName: definition.configuration.jobName,
      instance: ports.instance.jobInstanceId,
    });
    this.#ports = { ...ports, logger };
    this.#paths = new JobPaths(definition.configuration.jobName);
    this.#timers = new NamedTimers(clock);
    const { jobName } = this;
    this.#work = new WorkLane({
      jobName,
      clock,
      logger,
      open: (firing) => new JobRun(this.#active().run, firing),
      mayBegin: () => this.#phase === 'active' && this.#acceptsFirings,
      mayOverlap: () => this.configuration.jobListenerTypes.length === 0,
      recoversMisfires: () => this.configuration.misfire,
      onProgress: () => this.#control.requestReconcile(),
      onFailoverFailed: () => this.#timers.setRetry('takeover', () => this.#control.requestReconcile()),
    });
    const onFire = (instant: Date): void => {
      if (this.#acceptsFirings) this.#work.fire(instant.getTime());
    };
    this.#timer = new CronTimer({ jobName, clock, timers: firingTimers, onFire });
    this.#control = new ControlLane({
      ...this.#ports,
      paths: this.#paths,
      timers: this.#timers,
      timer: this.#timer,
      work: this.#work,
      configuration: () => this.configuration,
      parts: () => (this.#phase === 'active' || this.#phase === 'stopping' ? this.#parts : undefined),
      session: () => this.#registeredIn,
      isScheduled: () => this.#isScheduled && this.#acceptsFirings,
      onRemoved: () => this.#onRemoved(),
    });
  }

  get jobName(): string {
    return this.#paths.jobName;
  }

  get phase(): JobPhase {
    return this.#phase;
  }

  /** The configuration that holds: the registry's, or the local one until the registry has been read. */
  get configuration(): JobConfiguration {
    return this.#parts?.watch.view.config ?? this.#config ?? this.definition.configuration;
  }

  /**
   * Registers the job and this instance, as soon as the registry can be reached, and takes part in the job from then on.
   * @returns when registered; for a further call, the same promise
   * @throws JobConflictError, InvalidConfigurationError if that can never succeed; the job is stopped then
   * @throws JobStateError if the job has been stopped
   */
  start(): Promise<void> {
    if (this.#phase === 'stopping' || this.#phase === 'stopped')
      return Promise.reject(
        this.#startFailure ??
          new JobStateError(`Job '${this.jobName}' has been stopped. Make a new bootstrap to start it again.`),
      );
    if (this.#started !== undefined) return this.#started.promise;
    this.#started = new Deferred();
    this.#phase = 'starting';
    const { registry } = this.#ports;
    this.#cleanUps.push(registry.session.onChange((state) => this.#onSession(state)));
    this.#onSession(registry.session.state);
    return this.#started.promise;
  }

  /**
   * From now on also fires by the cron expression. What is wrong with it stops the job.
   * @throws JobStateError if the configuration that holds has no cron expression, or the job has been stopped
   * @throws InvalidCronError if it cannot be read
   */
  async schedule(): Promise<void> {
    await this.start();
    try {
      if (this.configuration.cron === undefined)
        throw new JobStateError(`Cron can not be empty: job '${this.jobName}' has none and cannot be scheduled.`);
      await this.#control.post(() => this.#schedule());
    } catch (error) {
      await this.stop('it could not be scheduled');
      throw error;
    }
  }

  /** The first time by itself, so that what is wrong is told to who asked for it; later changes are the plan's. */
  async #schedule(): Promise<void> {
    if (this.#isScheduled || !this.#acceptsFirings) return;
    this.#timer.arm(this.configuration);
    this.#isScheduled = true;
    await this.#control.reconcile();
  }

  /** The wall clock was set. */
  onClockSet(): void {
    this.#parts?.watch.reread();
    if (this.#isScheduled && this.#acceptsFirings) this.#timer.rearm();
  }

  /** Whether nothing in the registry centre says that this instance takes part; of use once the job has stopped. */
  get hasWithdrawn(): boolean {
    return this.#registeredIn === undefined;
  }

  /** Gives up withdrawing, if that was not possible when the job stopped: the registration is another's now. */
  keepRegistration(): void {
    this.#giveUpWithdrawal();
  }

  /**
   * Makes every registered instance run its items once, now. An instance that is just running does so afterwards; two
   * triggers that meet an instance while it runs are one.
   */
  async trigger(): Promise<void> {
    await this.start();
    const { watch } = this.#active();
    const { instances } = await watch.sync();
    await Promise.all([...instances.keys()].map((id) => this.#ports.registry.create(this.#paths.trigger(id), '')));
  }

  /** No new firing starts from now on, by schedule or by hand. */
  stopFirings(): void {
    this.#acceptsFirings = false;
    this.#timer.disarm();
  }

  /**
   * Ends the job on this instance: no new firing; running items are waited for up to the grace period and then told to
   * end; then the instance withdraws, so that peers take over at once. Never rejects.
   */
  stop(why = 'it is shut down'): Promise<void> {
    this.stopFirings();
    this.#stopped ??= this.#phase === 'stopped' ? Promise.resolve() : this.#stop(why);
    return this.#stopped;
  }

  async #stop(why: string): Promise<void> {
    this.#phase = 'stopping';
    this.#started?.reject(new JobStoppedError(this.jobName, why));
    this.#parts?.barrier.leave();
    await this.#endRun(why);
    try {
      await this.#withdraw();
    } catch (error) {
      this.#ports.logger.warn(
        `this instance could not withdraw, and will when the registry centre answers, unless its ` +
          `session is over by then: ${String(error)}`,
      );
    }
    this.#enterStopped();
  }

  #enterStopped(): void {
    this.#phase = 'stopped';
    this.#timer.disarm();
    this.#timers.cancelAll();
    this.#parts?.barrier.stop();
    for (const cleanUp of this.#cleanUps.splice(0)) cleanUp();
    this.#parts?.watch.close();
    if (this.#registeredIn !== undefined) this.#withdrawLater(this.#registeredIn);
  }

  #withdrawLater(session: string): void {
    const { registry, instance, logger } = this.#ports;
    const me = instance.jobInstanceId;
    this.#giveUpWithdrawal = withdrawWhenPossible({ registry, paths: this.#paths, me, session, logger });
  }

  async #endRun(why: string): Promise<void> {
    const { logger, shutdownGracePeriodMs } = this.#ports;
    if (await this.#work.end(why, shutdownGracePeriodMs)) return;
    logger.error('the job is left although items still run: they do not react to context.signal.');
    await this.#parts?.marks.clearAll();
  }

  /** In the control lane, where a registration that is under way comes to its end before. */
  #withdraw(): Promise<void> {
    const { registry, clock } = this.#ports;
    const withdrawal = this.#control.post(async () => {
      const session = this.#registeredIn;
      if (this.#parts === undefined || registry.session.state.phase !== 'connected') return;
      const ports = { ...this.#ports, watch: this.#parts.watch, paths: this.#paths };
      await removeEndedMarks(ports, this.#parts.marks.leftovers);
      if (session === undefined) return;
      this.#registeredIn = undefined;
      try {
        await withdrawInstance(ports);
        await this.#parts.barrier.withdraw();
      } catch (error) {
        this.#registeredIn = session;
        // Nobody waits any more if the deadline has passed meanwhile.
        if (this.#isOver()) this.#withdrawLater(session);
        throw error;
      }
    });
    const path = this.#paths.instance(this.#ports.instance.jobInstanceId);
    return withDeadline(
      clock,
      withdrawal,
      WITHDRAWAL_TIMEOUT_MS,
      () => new DeadlineExceededError(`the registry centre to remove ${path}`, WITHDRAWAL_TIMEOUT_MS),
    );
  }

  #onRemoved(): void {
    if (this.#phase === 'stopping') return;
    this.#ports.logger.warn(`an operator has ended this instance.`);
    void this.stop('an operator has removed its instance from the registry centre');
  }

  // ── session ────────────────────────────────────────────────────────────────────────────────────────────────────

  #onSession(state: SessionState): void {
    switch (state.phase) {
      case 'connecting':
        return;
      case 'connected':
        return this.#enterSoon();
      case 'suspended':
        if (this.#phase === 'active') this.#phase = 'suspended';
        return;
      case 'lost':
        if (this.#phase === 'active') this.#phase = 'suspended';
        return this.#onSessionLost(state.reason);
      case 'closed':
        return this.#onRegistryClosed(state.reason);
      default:
        return state satisfies never;
    }
  }

  #onSessionLost(reason: string): void {
    this.#registeredIn = undefined;
    this.#parts?.leadership.forget();
    this.#parts?.marks.forgetSession();
    this.#work.abandon(new SessionLostError(reason));
  }

  #onRegistryClosed(reason: string): void {
    if (this.#phase === 'stopped') return;
    const error = new JobStoppedError(this.jobName, `the registry centre is closed (${reason})`);
    this.#started?.reject(error);
    this.stopFirings();
    this.#work.abandon(error);
    this.#enterStopped();
  }

  #enterSoon(): void {
    if (this.#phase !== 'starting' && this.#phase !== 'suspended') return;
    void this.#control.post(() => this.#enter()).catch((error: unknown) => this.#onEnterFailed(error));
  }

  /** From `starting` or `suspended` to `active`, if the session allows. */
  async #enter(): Promise<void> {
    const { registry, logger, instance } = this.#ports;
    const { state } = registry.session;
    if (state.phase !== 'connected' || (this.#phase !== 'starting' && this.#phase !== 'suspended')) return;
    const parts = (this.#parts ??= await this.#assembleJob());
    if (this.#isOver()) return parts.watch.close();
    if (this.#registeredIn === state.id) {
      await parts.watch.sync();
    } else {
      const ports = { ...this.#ports, watch: parts.watch, paths: this.#paths };
      const config = (this.#config ??= await establishConfiguration(ports, this.definition));
      this.#ports.types.check(config);
      const endedItems = parts.marks.leftovers;
      await registerInstance(ports, config, { occasion: this.#hasTakenPart ? 'return' : 'start', endedItems });
      parts.marks.forget(endedItems);
      if (this.#isOver()) return withdrawInstance(ports);
      this.#registeredIn = state.id;
      logger.log(`registered by instance ${instance.jobInstanceId}.`);
    }
    // The session may have been suspended or lost while this was under way; its next change enters again.
    if (registry.session.state.phase !== 'connected' || registry.session.state.id !== this.#registeredIn) return;
    if (this.#phase !== 'starting' && this.#phase !== 'suspended') return;
    this.#phase = 'active';
    this.#hasTakenPart = true;
    this.#timers.succeeded('enter');
    this.#started?.resolve();
    await this.#control.reconcile();
  }

  /** Whether the job was stopped meanwhile, and did not wait for what is under way. */
  #isOver(): boolean {
    return this.#phase === 'stopped';
  }

  async #assembleJob(): Promise<JobComponents> {
    const parts = await assembleJob({
      ...this.#ports,
      paths: this.#paths,
      me: this.#ports.instance.jobInstanceId,
      job: this.definition.job,
      timers: this.#timers,
      isStanding: () => this.#registeredIn !== undefined,
      requestReconcile: () => this.#control.requestReconcile(),
      missedInstant: (item, mark) => this.#control.missedInstant(item, mark),
    });
    this.#cleanUps.push(parts.watch.onChange(() => this.#control.requestReconcile()));
    return parts;
  }

  #onEnterFailed(error: unknown): void {
    const { logger } = this.#ports;
    const isFinal =
      error instanceof JobConflictError ||
      error instanceof InvalidConfigurationError ||
      error instanceof RegistryRefusedError;
    if (!isFinal || this.#hasTakenPart) {
      // Most likely a connection that is just breaking, or somebody who was faster.
      if (!(error instanceof RegistryUnavailableError) && !isLostRace(error))
        logger.warn(`could not be registered, and tries again: ${String(error)}`);
      this.#timers.setRetry('enter', () => this.#enterSoon());
      return;
    }
    logger.error(`could not be started: ${String(error)}`);
    this.#startFailure = error;
    this.#started?.reject(error);
    this.#enterStopped();
  }

  #active(): JobComponents {
    if (this.#parts !== undefined) return this.#parts;
    throw new JobStateError(`Job '${this.jobName}' is ${this.#phase} and cannot do this.`);
  }
}
