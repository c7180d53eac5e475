/**
 * One job on one instance, from its start to its end. Start reading the kernel here.
 *
 * A runtime has two lanes. In the *control lane* it reconciles: it reads the job as a whole, asks the rules, and
 * performs their actions one after the other; user code is never awaited there. In the *work lane* it runs firings.
 *
 * ```
 *            start()              session suspended or lost
 *  created ─────────▶ starting ─▶ active ─────────────────▶ suspended
 *                                   ▲                           │
 *                                   └── connected again, and ───┘
 *                                   │   registered again if the session is a new one
 *                                   │ stop(), or an operator removed the instance's node
 *                                   ▼
 *                                stopping ── the runs have ended or were aborted ──▶ stopped
 * ```
 * The registry centre is authoritative for the distribution of work; the clock decides only when this instance
 * reconciles and when it stops trusting itself. If the registry cannot be reached, the job waits in `starting` or
 * `suspended`, and goes on by itself when it can.
 */
import { describeCause, stackOf } from '../api/text/describe-cause.js';
import {
  InvalidConfigurationError,
  JobConflictError,
  JobStateError,
  JobStoppedError,
  RegistryCredentialsError,
  RegistryIncompatibleError,
  RegistryRefusedError,
  SessionLostError,
} from '../api/errors/errors.js';
import { type JobConfiguration } from '../api/job/job-configuration.js';
import { dependenciesOf, isScheduled } from '../api/settings/dependencies.js';
import { callingCode, type RunningCode } from '../api/job/running-code.js';
import { type JobLogger } from '../api/text/logger.js';
import { isDisconnection, isLostRace } from '../api/errors/registry-errors.js';
import { type JobInstance } from '../api/extensions/sharding-strategy.js';
import { Deferred } from '../async/deferred.js';
import { Mailbox } from '../async/mailbox.js';
import { NamedTimers } from '../async/named-timers.js';
import { findGraphProblems } from '../graphs/read-graph.js';
import { JobPaths } from '../layout/job-paths.js';
import { isInGraph } from '../layout/job-view.js';
import {
  type Lineage,
  type MirroredNode,
  type RegistryCenter,
  type SessionState,
} from '../registry/registry-center.js';
import { type Clock } from '../time/clock.js';
import { detached } from '../time/detached.js';
import { InvalidCronError, InvalidTimeZoneError } from '../time/invalid-cron-error.js';
import { assembleJob, type JobComponents } from './life/job-components.js';
import { JobShutdown } from './life/job-shutdown.js';
import { DoubtLog } from './types/doubt-log.js';
import { type JobHealth, jobHealth } from './life/job-health.js';
import { type JobEnd, type JobPhase, type JobState, nextState } from './life/job-state.js';
import { removalOf } from './life/job-removal.js';
import { CronTimer, type FiringTimers } from './lanes/cron-timer.js';
import { type Extensions, SETTINGS_PARTS, type SettingsPart } from './types/extensions.js';
import { type JobTimer } from './job/job-context.js';
import { type JobDefinition } from './job/job-definition.js';
import { registeredEvent } from './job/job-events.js';
import { type JobContext } from './job/job-context.js';
import { JobLog } from './job/job-log.js';
import { checkedTrigger, triggerAll, type TriggerOptions } from './life/job-trigger.js';
import { assignedItems } from './view/items.js';
import { type Occasion } from './writes/registration.js';
import { establishConfiguration, restoreConfiguration } from './writes/stored-configuration.js';

/** Dependencies of a runtime, shared by all jobs of a host. */
export interface JobRuntimeDeps {
  readonly registry: RegistryCenter;
  readonly instance: JobInstance;
  readonly extensions: Extensions;
  readonly firingTimers: FiringTimers;
  readonly clock: Clock;
  readonly logger: JobLogger;
  /** How long a stopping job waits for its running items, in milliseconds. */
  readonly shutdownGracePeriodMs: number;
}

/** One job on this instance. */
export class JobRuntime {
  readonly definition: JobDefinition;
  readonly #deps: JobRuntimeDeps;
  readonly #paths: JobPaths;
  readonly #logger: JobLog;
  readonly #timers: NamedTimers<JobTimer>;
  readonly #timer: CronTimer;
  readonly #mailbox = new Mailbox();
  readonly #doubts: DoubtLog;

  #state: JobState = { phase: 'created' };
  #components: JobComponents | undefined;
  readonly #shutdown: JobShutdown;
  #unsubscribe: (() => void) | undefined;
  /** True once the job has been active here: the caller of `start()` is not to blame for later refusals. */
  #hasTakenPart = false;
  /** Set by the first call of `start()`. */
  #started: Deferred | undefined;
  /** Set by the first call of `stop()`. */
  #stopped: Promise<void> | undefined;
  /** Set when the executor is asked to free what it keeps for the job. */
  #released: Promise<void> | undefined;
  /** The reason why no firing begins any more; `undefined` while firings may begin. */
  #firingsEnd: JobStoppedError | undefined;
  /**
   * Set by `boot()`, after which a fault of this job alone does not end its start: whether the job fires by its cron
   * expression.
   */
  #bootsAs: 'scheduled' | 'triggered' | undefined;
  /** The fault that keeps such a job from starting; `undefined` while none is known. */
  #startFault: StandingFault | undefined;
  /** The reason why the latest attempt to register failed; `undefined` once one has succeeded. */
  #registrationFailure: string | undefined;
  /** The tree in which the job was stored when this instance took part last. */
  #lineage: Lineage | undefined;

  constructor(definition: JobDefinition, deps: JobRuntimeDeps) {
    const { clock, firingTimers, instance, logger } = deps;
    const { jobName } = definition.configuration;
    this.definition = definition;
    this.#deps = deps;
    this.#paths = new JobPaths(jobName);
    this.#logger = new JobLog(logger, { jobName, instance: instance.jobInstanceId }, clock);
    this.#timers = new NamedTimers(clock);
    this.#doubts = new DoubtLog({ definition, extensions: deps.extensions, clock, logger: this.#logger });
    this.#timer = new CronTimer({ jobName, clock, timers: firingTimers });
    this.#shutdown = new JobShutdown({
      mailbox: this.#mailbox,
      registry: deps.registry,
      paths: this.#paths,
      clock,
      logger: this.#logger,
      me: instance.jobInstanceId,
      gracePeriodMs: deps.shutdownGracePeriodMs,
    });
  }

  get jobName(): string {
    return this.#paths.jobName;
  }

  /**
   * The job's nodes as this instance sees them, by absolute path; `undefined` while it does not follow the job. Nodes
   * that this instance does not need to read have no value.
   */
  get nodes(): ReadonlyMap<string, MirroredNode> | undefined {
    return this.#components?.watch.nodes;
  }

  /** True if this instance leads the job, as far as it knows. */
  get isLeader(): boolean {
    const { watch, me } = this.#components ?? {};
    return me !== undefined && watch?.view.leader === me;
  }

  /** Phase of the job on this instance. */
  get phase(): JobPhase {
    return this.#state.phase;
  }

  /** Health of the job on this instance, with the reason. */
  get health(): JobHealth {
    return jobHealth({
      state: this.#state,
      session: this.#deps.registry.session,
      isPaused: this.#components?.work.isPaused === true,
      obstacle: this.#components?.control.obstacle,
      registrationFailure: this.#registrationFailure,
      startFault: this.#startFault?.reason,
    });
  }

  /** How many items are assigned to this instance, as far as it knows; 0 while it does not take part. */
  get itemsOwned(): number {
    const { watch, me } = this.#components ?? {};
    return watch === undefined || me === undefined ? 0 : assignedItems(watch.view, me).length;
  }

  /** Number of items that run here, or are ending. */
  get itemsRunning(): number {
    return this.#components?.work.busy.size ?? 0;
  }

  /** Number of instants for which items of this instance are due and have not begun; `undefined` outside of graphs. */
  get roundsWaiting(): number | undefined {
    const { watch, upstreams } = this.#components ?? {};
    return watch === undefined || !isInGraph(watch.view) ? undefined : (upstreams?.waitingIn(watch.view).size ?? 0);
  }

  /** The scheduled instant that comes next; `undefined` if the job does not fire by a schedule here. */
  get nextInstant(): Date | undefined {
    return this.#timer.nextInstant;
  }

  /** Milliseconds from `nextInstant` to the instant that follows; `undefined` if there is none. */
  get periodMs(): number | undefined {
    return this.#timer.periodMs;
  }

  /** The configuration in force: the registry's, or the local one until the registry has been read. */
  get configuration(): JobConfiguration {
    return this.#components?.configuration() ?? this.definition.configuration;
  }

  /**
   * Registers the job and this instance, as soon as the registry can be reached, and takes part in the job from then
   * on.
   * @returns when registered; for a further call, the same promise
   * @throws JobConflictError, InvalidConfigurationError, RegistryCredentialsError, RegistryRefusedError if it cannot be
   *   started; the job is ended then, unless it was started by `boot()`
   * @throws JobStateError if the job has been stopped
   */
  start(): Promise<void> {
    if (this.#started === undefined || this.#isEnding()) return this.#firstStart();
    if (this.#startFault !== undefined) return Promise.reject(this.#startFault.error);
    return this.#started.promise;
  }

  /**
   * As `start()`, for an application that boots even if one of its jobs has a fault. A fault of this job alone, in its
   * nodes or in its executor, ends nothing: the log has one error, `health` has the reason, and the job runs as soon as
   * the fault is mended.
   * @param as whether the job fires by its cron expression
   * @returns when registered, or when a fault that prevents that is known
   * @throws RegistryCredentialsError if the registry centre refuses this process
   * @throws JobStoppedError if the job is stopped before
   */
  async boot(as: 'scheduled' | 'triggered'): Promise<void> {
    this.#bootsAs ??= as;
    try {
      await this.start();
    } catch (error) {
      if (error !== this.#startFault?.error) throw error;
    }
  }

  #firstStart(): Promise<void> {
    if (this.#isEnding()) {
      const failure =
        this.#state.phase === 'stopped' && this.#state.end.type === 'failed' ? this.#state.end.failure : undefined;
      const ended = `Job '${this.jobName}' has been stopped. Make a new bootstrap to start it again.`;
      return Promise.reject(failure ?? new JobStateError(ended));
    }
    this.#started = new Deferred();
    this.#doubts.note(this.definition.configuration, new Set());
    const { registry } = this.#deps;
    const { session } = registry;
    registry.connect();
    void this.#mailbox.post(() => this.#become({ phase: 'starting' }));
    this.#unsubscribe = session.onChange((state) => this.#onSession(state));
    this.#onSession(session.state);
    return this.#started.promise;
  }

  /**
   * Also fires by the cron expression from now on. If that is not possible, the job is stopped.
   * @throws JobStateError if the stored configuration has no cron expression, or the job has been stopped
   * @throws InvalidConfigurationError if the stored cron expression or time zone cannot be used; its cause is the
   *   `InvalidCronError`
   * @throws all that `start()` throws
   */
  async schedule(): Promise<void> {
    await this.start();
    if (this.#timer.isEnabled) return;
    try {
      if (!isScheduled(this.configuration))
        throw new JobStateError(
          `Cron can not be empty: job '${this.jobName}' has none in ${this.#settingsNode} and cannot be scheduled. Write one there` +
            `${this.definition.configuration.cron === undefined ? '' : `, or set overwrite: true, which stores that of this instance`}.`,
        );
      await this.#mailbox.post(() => this.#enableTimer());
    } catch (error) {
      await this.#end(`it could not be scheduled: ${describeCause(error)}`, asFailure(error));
      throw error;
    }
  }

  /**
   * The first time directly, so that an error reaches the caller of `schedule()`; later changes are up to the rules.
   */
  async #enableTimer(): Promise<void> {
    if (this.#timer.isEnabled || this.#firingsEnd !== undefined) return;
    try {
      this.#timer.enable(this.configuration);
    } catch (error) {
      if (!(error instanceof InvalidCronError || error instanceof InvalidTimeZoneError)) throw error;
      throw new InvalidConfigurationError([`${this.#settingsNode}: ${error.message}`], { cause: error });
    }
    await this.#components?.control.reconcile();
  }

  /** The node that has the job's settings, as operators' tools show it. */
  get #settingsNode(): string {
    return this.#deps.registry.fullPath(this.#paths.config);
  }

  /** To be called when the wall clock was set. */
  onClockSet(): void {
    this.#components?.watch.reread();
    if (this.#timer.isEnabled) this.#timer.rearm();
  }

  /** True if no node in the registry centre shows that this instance takes part; of use once the job has stopped. */
  get hasWithdrawn(): boolean {
    return this.#components?.registration.session === undefined;
  }

  /**
   * Gives up withdrawing, if that was not possible when the job stopped: the registration belongs to another job object
   * now.
   */
  keepRegistration(): void {
    this.#shutdown.keepRegistration();
  }

  /**
   * Makes every registered instance run its items once, now. An instance that is just running does so afterwards; two
   * triggers that meet an instance while it runs are one, unless their job parameters differ.
   * @throws RegistryUnavailableError if the registry centre does not answer; some instances may have been triggered
   * @throws DeadlineExceededError if this instance does not take part, as after a lost session, and does not within 10
   *   seconds
   * @throws JobStateError if the job has been stopped; if a `jobParameter` is given and Java instances take part, which
   *   would run without it; if an instance has not accepted a trigger with another job parameter yet
   * @throws InvalidConfigurationError if the options cannot be used, or the job parameter is too long for so many
   *   instances
   */
  async trigger(options?: TriggerOptions): Promise<void> {
    const checked = checkedTrigger(this.jobName, options);
    await this.start();
    const components = this.#components;
    if (components === undefined)
      throw new JobStateError(`Job '${this.jobName}' is ${this.phase} and cannot be triggered.`);
    await triggerAll(components, checked);
  }

  /** No firing begins from now on, scheduled or manual; one that is choosing its items gives up. */
  stopFirings(why = 'it begins no more runs'): void {
    this.#firingsEnd = new JobStoppedError(this.jobName, why);
    this.#timer.disable();
    this.#components?.work.close(this.#firingsEnd);
  }

  /**
   * Ends the job on this instance: begins no firing any more, hands over its idle items, waits for the running ones up
   * to the grace period, aborts those that remain, and withdraws, so that peers take over at once. Never rejects.
   * @returns when the job has ended; if the job's own code calls, at once, as the job ends after its code
   */
  stop(why = 'it is shut down'): Promise<void> {
    return this.asAwaited(this.end(why));
  }

  /** As `stop`; resolves when the job has ended, also if the job's own code calls. */
  end(why: string): Promise<void> {
    return this.#end(why, () => ({ type: 'stopped', why }));
  }

  /**
   * @param end of this job. @returns the same; already resolved if the job's own code calls, which would wait for
   *   itself
   */
  asAwaited(end: Promise<void>): Promise<void> {
    const caller = this.#callingCode();
    if (caller === undefined) return end;
    const { what } = caller;
    this.#logger.log(`${what} ends its own job: the call returns at once, and the job ends when ${what} has returned.`);
    return Promise.resolve();
  }

  /** The whole process is ending. If this job's own code waits for that, the job waits only shortly for that code. */
  noteCaller(): void {
    const caller = this.#callingCode();
    if (caller !== undefined) this.#shutdown.noteCaller(caller);
  }

  #callingCode(): RunningCode | undefined {
    const code = callingCode();
    const isOwn = code?.jobName === this.jobName && code.instanceId === this.#deps.instance.jobInstanceId;
    return isOwn ? code : undefined;
  }

  /** As `stop`. `ended`: how the job has ended, asked when it has withdrawn. */
  #end(why: string, ended: () => JobEnd | Promise<JobEnd>): Promise<void> {
    this.stopFirings(why);
    this.#stopped ??= this.phase === 'stopped' ? Promise.resolve() : detached(() => this.#stop(why, ended));
    return this.#stopped;
  }

  async #stop(why: string, ended: () => JobEnd | Promise<JobEnd>): Promise<void> {
    this.#started?.reject(new JobStoppedError(this.jobName, why));
    this.#components?.barrier.leave();
    await this.#shutdown.step({
      what: `the registry centre to end what job '${this.jobName}' is doing`,
      registration: () => this.#components?.registration,
      task: async () => {
        this.#become({ phase: 'stopping', why });
        const { work, registration } = this.#components ?? {};
        if (work?.isIdle === false) await registration?.announceLeaving(this.configuration);
      },
    });
    const components = this.#components;
    if (components !== undefined) {
      await this.#shutdown.endRuns(components, why);
      await this.#shutdown.withdraw(components);
    }
    await this.#releaseExecutor();
    const end = await ended();
    this.#enterStopped(end);
    if (this.#hasTakenPart && end.type === 'stopped') this.#logger.event({ type: 'stopped', why });
  }

  #enterStopped(end: JobEnd): void {
    this.#become({ phase: 'stopped', end });
    this.#timer.disable();
    this.#timers.cancelAll();
    this.#components?.barrier.stop();
    this.#components?.upstreams.close();
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    this.#components?.watch.close();
    if (this.#components !== undefined) this.#shutdown.end(this.#components);
    void this.#releaseExecutor();
  }

  /** Frees what the job's executor keeps for it. Never rejects. */
  #releaseExecutor(): Promise<void> {
    const { extensions, clock } = this.#deps;
    this.#released ??= extensions.release(this.jobName, this.definition.job, { clock, logger: this.#logger });
    return this.#released;
  }

  #onRemoved(): void {
    if (this.#isEnding()) return;
    const { registry, instance } = this.#deps;
    let seen: JobEnd | undefined;
    const look = async (): Promise<JobEnd> => {
      const end = await removalOf({ registry, paths: this.#paths, me: instance.jobInstanceId });
      if (end.why !== seen?.why) this.#logRemoval(end);
      return (seen = end);
    };
    // Check again at the end: when a whole job is deleted, its nodes vanish one by one.
    if (this.#components?.work.isIdle === false) void look();
    void this.#end('its instance was removed from the registry centre', look);
  }

  /**
   * Removing one instance is deliberate, so it is logged; a missing job or namespace may be an accident, so it is a
   * warning.
   */
  #logRemoval({ type, why }: JobEnd): void {
    if (type === 'ended') this.#logger.log(why, { event: 'ended' });
    else this.#logger.warn(why, { event: 'removed' });
  }

  // ── state ──────────────────────────────────────────────────────────────────────────────────────────────────────

  /** The only place that changes the state; in the mailbox, unless that is stuck past a deadline. */
  #become(next: JobState): void {
    this.#state = nextState(this.#state, next);
  }

  #isEnding(): boolean {
    return this.#stopped !== undefined || this.phase === 'stopping' || this.phase === 'stopped';
  }

  // ── session ────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Stops at once the parts that must not go on, and leaves the rest to the mailbox. */
  #onSession(state: SessionState): void {
    switch (state.phase) {
      case 'connecting':
        return;
      case 'connected':
        return this.#enterSoon();
      case 'suspended':
        return this.#suspend();
      case 'lost':
        this.#onSessionLost(state.reason);
        return this.#suspend();
      case 'closed':
        return this.#onRegistryClosed(state);
      default:
        return state satisfies never;
    }
  }

  #suspend(): void {
    this.#components?.work.pause();
    void this.#mailbox.post(() => {
      const { state } = this.#deps.registry.session;
      if (state.phase !== 'connected' && this.phase === 'active') this.#become({ phase: 'suspended' });
    });
  }

  #onSessionLost(reason: string): void {
    this.#components?.registration.forget();
    this.#components?.leadership.forget();
    this.#components?.held.forgetSession();
    this.#components?.work.abandon(new SessionLostError(reason));
  }

  #onRegistryClosed({ reason, refusal }: Extract<SessionState, { phase: 'closed' }>): void {
    if (this.phase === 'stopped') return;
    const error = refusal ?? new JobStoppedError(this.jobName, `the registry centre is closed (${reason})`);
    this.#started?.reject(error);
    this.stopFirings();
    this.#components?.work.abandon(error);
    const why = error.message;
    const end: JobEnd = refusal === undefined ? { type: 'stopped', why } : { type: 'failed', why, failure: refusal };
    this.#stopped ??= this.#mailbox.post(() => this.#enterStopped(end));
  }

  #enterSoon(): void {
    void this.#mailbox.post(() => this.#enter()).catch((error: unknown) => this.#onEnterFailed(error));
  }

  /** Brings the job from `starting` or `suspended` to `active`, if the session allows. */
  async #enter(): Promise<void> {
    const { registry } = this.#deps;
    const { state } = registry.session;
    // A session that broke and came back before this task began was never seen as suspended in the mailbox.
    if (state.phase !== 'connected' || this.#isEnding()) return;
    const components = (this.#components ??= await this.#assemble());
    const { registration, watch, work, control } = components;
    // While the components were being assembled, there was nothing to close.
    if (this.#firingsEnd !== undefined) work.close(this.#firingsEnd);
    if (this.phase === 'stopped') watch.close();
    if (this.#isEnding()) return;
    if (registration.session === state.id) await watch.sync();
    else await this.#register(components);
    if (this.#isEnding()) return;
    this.#lineage = await registry.lineage();
    // The session may have been suspended or lost meanwhile; its next change enters again.
    if (registry.session.state.phase !== 'connected' || registry.session.state.id !== registration.session) return;
    if (this.#isEnding()) return;
    this.#become({ phase: 'active' });
    this.#registrationFailure = undefined;
    if (this.#startFault !== undefined) this.#logger.log('it can be started now.', { event: 'recovered' });
    this.#startFault = undefined;
    this.#hasTakenPart = true;
    this.#timers.succeeded('enter');
    work.open();
    if (this.#bootsAs === 'scheduled' && this.#firingsEnd === undefined) this.#timer.enableAnyway(watch.view.config);
    this.#started?.resolve();
    await control.reconcile();
  }

  async #register(components: JobComponents): Promise<void> {
    const { registration, observers, watch, me } = components;
    const occasion: Occasion = this.#hasTakenPart ? 'return' : 'start';
    const config = await this.#establish(components, occasion);
    if (this.#isEnding()) return;
    if (config === undefined) return this.#onRemoved();
    await registration.register(config, occasion);
    const { instances, live, javaPeers } = watch.view;
    this.#logger.event(registeredEvent(watch, { isOneOff: !isScheduled(this.definition.configuration) }));
    const { clock, instance } = this.#deps;
    const living = [...new Set([...instances.keys(), ...live, me])];
    const { jobName } = this;
    observers.notifyOfRegistration({
      jobName,
      instance,
      living,
      livingJava: [...javaPeers],
      at: new Date(clock.now()),
    });
  }

  /** @returns `undefined` if an operator has removed the job while this instance was away */
  async #establish(context: JobContext, occasion: Occasion): Promise<JobConfiguration | undefined> {
    if (occasion === 'return') return restoreConfiguration(context, this.definition, this.#lineage);
    const { extensions, clock } = this.#deps;
    const { job, configuration } = this.definition;
    const established = await establishConfiguration(context, this.definition);
    if (established.type === 'unusable' && this.#bootsAs === undefined)
      throw new InvalidConfigurationError([established.fault]);
    const config = established.type === 'usable' ? established.config : configuration;
    if (dependenciesOf(config) !== undefined) await this.#checkGraph(config);
    const parts = this.#bootsAs === undefined ? ALL_PARTS : PARTS_FOR_STARTING;
    const faults = extensions.faultsIn(config, job);
    const fatal = faults.filter(({ part }) => parts.has(part));
    if (fatal.length > 0)
      throw new InvalidConfigurationError(fatal.map(({ problem }) => `${this.#settingsNode}: ${problem}`));
    await extensions.prepareExecutor(config, job, clock);
    if (faults.every(({ part }) => part !== 'error-handler')) await extensions.prepareErrorHandler(config, clock);
    return config;
  }

  /** An upstream job that is not there may come later, and is no reason to refuse the start. */
  async #checkGraph(config: JobConfiguration): Promise<void> {
    const { jobName } = this;
    const problems = await findGraphProblems(this.#deps.registry, { ...config, jobName });
    const faults = problems.filter(({ problem }) => problem.type !== 'unknown');
    if (faults.length > 0)
      throw new InvalidConfigurationError(
        faults.map(({ text }) => `Job '${jobName}' cannot run after others: ${text}`),
      );
  }

  async #assemble(): Promise<JobComponents> {
    const { registry, instance, extensions, clock } = this.#deps;
    const components = await assembleJob({
      registry,
      instance,
      extensions,
      clock,
      paths: this.#paths,
      me: instance.jobInstanceId,
      logger: this.#logger,
      timers: this.#timers,
      timer: this.#timer,
      mailbox: this.#mailbox,
      definition: this.definition,
      doubts: this.#doubts,
      onRemoved: () => this.#onRemoved(),
    });
    components.watch.observer = components.control;
    return components;
  }

  /** Logs the failure when it is new; the health report shows it as long as it lasts. */
  #noteRegistrationFailure(reason: string): void {
    if (this.#registrationFailure !== reason) this.#logger.warn(`could not be registered, and tries again: ${reason}`);
    this.#registrationFailure = reason;
  }

  #onEnterFailed(error: unknown): void {
    const isFinal =
      error instanceof JobConflictError ||
      error instanceof InvalidConfigurationError ||
      error instanceof RegistryCredentialsError ||
      error instanceof RegistryIncompatibleError ||
      error instanceof RegistryRefusedError;
    if (this.#isEnding()) return;
    if (isFinal && !this.#hasTakenPart && this.#bootsAs !== undefined) return this.#awaitMending(error);
    if (!isFinal || this.#hasTakenPart) {
      // Most likely a connection that is just breaking, or a peer that was faster.
      if (!isDisconnection(error) && !isLostRace(error)) this.#noteRegistrationFailure(describeCause(error));
      this.#timers.setRetry('enter', () => this.#enterSoon());
      return;
    }
    this.#logger.error(`could not be started: ${describeCause(error)}`);
    this.stopFirings();
    this.#started?.reject(error);
    this.#enterStopped({ type: 'failed', why: describeCause(error), failure: error });
  }

  /** Tries again and again to start the job. Calls that wait for its start are rejected. */
  #awaitMending(error: Error): void {
    const { clock, registry } = this.#deps;
    const node = error instanceof JobConflictError ? this.#paths.root : this.#paths.config;
    const message = error.message
      .trim()
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .join(' ')
      .replace(/\.$/, '');
    const path = registry.fullPath(node);
    const where = message.includes(path) ? '' : ` The node in question is ${path}.`;
    const reason = `it cannot be started: ${message}.${where} It starts by itself as soon as that is mended.`;
    const former = this.#startFault;
    const isNew = former?.reason !== reason || clock.monotonic() - former.loggedAt >= FAULT_REMINDER_MS;
    if (isNew) this.#logger.error(reason, stackOf(error.cause), { event: 'failed' });
    this.#startFault = { error, reason, loggedAt: isNew ? clock.monotonic() : former.loggedAt };
    const waiting = this.#started;
    this.#started = new Deferred();
    waiting?.reject(error);
    this.#timers.setRetry('enter', () => this.#enterSoon());
    this.#storeFault(reason);
  }

  /** If the fault cannot be stored, the next attempt to start stores it. */
  #storeFault(reason: string): void {
    const store = async (): Promise<void> => {
      if (!this.#isEnding()) await this.#components?.faultReport.store({ state: 'failed', reason });
    };
    void this.#mailbox.post(store).catch((error: unknown) => {
      this.#logger.debug(`what is wrong with the job here is not stored yet: ${describeCause(error)}`);
    });
  }
}

/**
 * The fault that keeps a job from starting, in words for the log and the health report, and when it was logged last.
 */
interface StandingFault {
  readonly error: Error;
  readonly reason: string;
  /** By the monotonic clock, in milliseconds. */
  readonly loggedAt: number;
}

/** How often a fault that lasts is logged again, in milliseconds. */
const FAULT_REMINDER_MS = 3_600_000;

/** Faults in other parts block or impair a job that takes part; see `SettingFaults`. */
const PARTS_FOR_STARTING: ReadonlySet<SettingsPart> = new Set(['executor']);
const ALL_PARTS: ReadonlySet<SettingsPart> = new Set(SETTINGS_PARTS);

function asFailure(error: unknown): () => JobEnd {
  const failure = error instanceof Error ? error : new Error(describeCause(error));
  return () => ({ type: 'failed', why: describeCause(error), failure });
}
