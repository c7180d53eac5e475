/**
 * One job on one instance, from its start to its end. Start reading the kernel here.
 *
 * A runtime has two lanes. In the *control lane*, a mailbox, it looks at the job as a whole, plans, and performs the
 * plan's actions one after the other; user code is never awaited there. In the *work lane* it runs at most one firing at a time.
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
import { Mailbox } from '../async/mailbox.js';
import { withDeadline } from '../async/wait.js';
import { JobPaths } from '../layout/job-paths.js';
import { isPresenceOnly, JobViewReader } from '../layout/job-view.js';
import { type RegistryCenter, type SessionState } from '../registry/registry-center.js';
import { type Clock } from '../time/clock.js';
import { Alarms, type JobAlarm } from './alarms.js';
import { CronTimer, type FiringTimers } from './cron-timer.js';
import { Failover } from './failover.js';
import { Housekeeping } from './housekeeping.js';
import { ItemMarks } from './item-marks.js';
import { type JobDefinition } from './job-definition.js';
import { JobRun, type JobRunPorts } from './job-run.js';
import { type JobTypes } from './job-types.js';
import { JobWatch } from './job-watch.js';
import { Leadership } from './leadership.js';
import { type Action, plan, type Situation } from './plan.js';
import { establishConfiguration, registerInstance, restoreOwnNodes, withdrawInstance } from './registration.js';
import { isLostRace, RESHARDING_PATIENCE_MS, Sharding } from './sharding.js';
import { whenConnected } from './when-connected.js';
import { withdrawWhenPossible } from './withdrawal.js';
import { WorkLane } from './work-lane.js';

/** What a runtime needs; shared by all jobs of a host. */
export interface JobRuntimePorts {
  readonly registry: RegistryCenter;
  readonly instance: JobInstance;
  readonly types: JobTypes;
  readonly timers: FiringTimers;
  readonly clock: Clock;
  readonly logger: JobLogger;
  /** How long a stopping job waits for its running items, in milliseconds. */
  readonly shutdownGracePeriodMs: number;
}

/** Where a job stands on this instance. */
export type JobPhase = 'created' | 'starting' | 'active' | 'suspended' | 'stopping' | 'stopped';

/** How long withdrawing from the registry may take when stopping. */
const WITHDRAWAL_TIMEOUT_MS = 5_000;

/** Everything that exists once the job's tree is being watched. */
interface Parts {
  readonly watch: JobWatch;
  readonly marks: ItemMarks;
  readonly failover: Failover;
  readonly housekeeping: Housekeeping;
  readonly sharding: Sharding;
  readonly leadership: Leadership;
  readonly run: JobRunPorts;
}

/** One job on this instance. */
export class JobRuntime {
  readonly definition: JobDefinition;
  readonly #ports: JobRuntimePorts;
  readonly #paths: JobPaths;
  readonly #mailbox = new Mailbox();
  readonly #alarms: Alarms<JobAlarm>;
  readonly #timer: CronTimer;
  readonly #work: WorkLane;

  #phase: JobPhase = 'created';
  #parts: Parts | undefined;
  #config: JobConfiguration | undefined;
  /** Id of the session in which this instance is registered. */
  #registeredIn: string | undefined;
  /** True once the job has been active here: what is refused later is no mistake of the one who started it. */
  #hasTakenPart = false;
  #isScheduled = false;
  #acceptsFirings = true;
  #lookIsQueued = false;
  #started: Deferred | undefined;
  #startFailure: Error | undefined;
  #stopped: Promise<void> | undefined;
  #giveUpWithdrawal = (): void => undefined;
  readonly #cleanUps: (() => void)[] = [];

  constructor(definition: JobDefinition, ports: JobRuntimePorts) {
    const { clock, timers, logger } = ports;
    this.definition = definition;
    this.#ports = ports;
    this.#paths = new JobPaths(definition.configuration.jobName);
    this.#alarms = new Alarms(clock);
    const { jobName } = this;
    this.#work = new WorkLane({
      jobName,
      clock,
      logger,
      open: (firing) => new JobRun(this.#active().run, firing),
      mayBegin: () => this.#phase === 'active' && this.#acceptsFirings,
      mayOverlap: () => this.configuration.jobListenerTypes.length === 0,
      makesUp: () => this.configuration.misfire,
      onProgress: () => this.#lookSoon(),
      onFailoverFailed: () => this.#alarms.setRetry('failover', () => this.#lookSoon()),
    });
    const onFire = (instant: Date): void => {
      if (this.#acceptsFirings) this.#work.fire(instant.getTime());
    };
    this.#timer = new CronTimer({ jobName, clock, timers, onFire });
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
      await this.#mailbox.post(() => this.#schedule());
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
    await this.#look();
  }

  /** The wall clock was set. */
  onClockSet(): void {
    this.#parts?.watch.onClockSet();
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
    await this.#endRun(why);
    try {
      await this.#withdraw();
    } catch (error) {
      this.#ports.logger.warn(
        `Job '${this.jobName}' could not withdraw this instance, and will when the registry centre answers, unless its ` +
          `session is over by then: ${String(error)}`,
      );
    }
    this.#enterStopped();
  }

  #enterStopped(): void {
    this.#phase = 'stopped';
    this.#timer.disarm();
    this.#alarms.cancelAll();
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
    logger.error(`Job '${this.jobName}' is left although items still run: they do not react to context.signal.`);
    await this.#parts?.marks.clearAll();
  }

  /** In the control lane, where a registration that is under way comes to its end before. */
  #withdraw(): Promise<void> {
    const { registry, clock } = this.#ports;
    const withdrawal = this.#mailbox.post(async () => {
      const session = this.#registeredIn;
      if (this.#parts === undefined || session === undefined || registry.session.state.phase !== 'connected') return;
      this.#registeredIn = undefined;
      try {
        await withdrawInstance({ ...this.#ports, watch: this.#parts.watch, paths: this.#paths });
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
    void this.#mailbox.post(() => this.#enter()).catch((error: unknown) => this.#onEnterFailed(error));
  }

  /** From `starting` or `suspended` to `active`, if the session allows. */
  async #enter(): Promise<void> {
    const { registry, logger, instance } = this.#ports;
    const { state } = registry.session;
    if (state.phase !== 'connected' || (this.#phase !== 'starting' && this.#phase !== 'suspended')) return;
    const parts = (this.#parts ??= await this.#openParts());
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
      logger.log(`Job '${this.jobName}' is registered by instance ${instance.jobInstanceId}.`);
    }
    // The session may have been suspended or lost while this was under way; its next change enters again.
    if (registry.session.state.phase !== 'connected' || registry.session.state.id !== this.#registeredIn) return;
    if (this.#phase !== 'starting' && this.#phase !== 'suspended') return;
    this.#phase = 'active';
    this.#hasTakenPart = true;
    this.#alarms.succeeded();
    this.#started?.resolve();
    await this.#look();
  }

  /** Whether the job was stopped meanwhile, and did not wait for what is under way. */
  #isOver(): boolean {
    return this.#phase === 'stopped';
  }

  async #openParts(): Promise<Parts> {
    const { registry, clock, instance, types, logger } = this.#ports;
    const paths = this.#paths;
    const mirror = await registry.mirror(paths.root, { presenceOnly: isPresenceOnly });
    const watch = new JobWatch(mirror, new JobViewReader(this.jobName), clock);
    this.#cleanUps.push(watch.onChange(() => this.#lookSoon()));
    const shared = { registry, watch, paths, me: instance.jobInstanceId, logger };
    const connected = (signal: AbortSignal): Promise<void> => whenConnected(registry.session, signal);
    const marks = new ItemMarks({ ...shared, clock, whenConnected: connected });
    const failover = new Failover({ ...shared, marks });
    const sharding = new Sharding({ ...shared, types });
    const leadership = new Leadership({
      ...shared,
      sharding,
      alarms: this.#alarms,
      isStanding: () => this.#registeredIn !== undefined,
      lookSoon: () => this.#lookSoon(),
    });
    const run = { ...shared, job: this.definition.job, types, marks, failover, clock, whenConnected: connected };
    return { watch, marks, failover, housekeeping: new Housekeeping(shared), sharding, leadership, run };
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
        logger.warn(`Job '${this.jobName}' could not be registered, and tries again: ${String(error)}`);
      this.#alarms.setRetry('enter', () => this.#enterSoon());
      return;
    }
    logger.error(`Job '${this.jobName}' could not be started: ${String(error)}`);
    this.#startFailure = error;
    this.#started?.reject(error);
    this.#enterStopped();
  }

  // ── control lane ───────────────────────────────────────────────────────────────────────────────────────────────

  /** Looks once more; several requests that come before the look begins are one. */
  #lookSoon(): void {
    if (this.#lookIsQueued || this.#phase === 'stopped') return;
    this.#lookIsQueued = true;
    void this.#mailbox
      .post(async () => {
        this.#lookIsQueued = false;
        await this.#look();
      })
      .catch((error: unknown) => this.#ports.logger.error(`Job '${this.jobName}': ${String(error)}`));
  }

  /** Plans from the present view and performs the plan. Never rejects. */
  async #look(): Promise<void> {
    const parts = this.#parts;
    const isTakingPart = this.#phase === 'active' || this.#phase === 'stopping';
    const session = this.#registeredIn;
    if (parts === undefined || !isTakingPart || session === undefined || !parts.watch.isCurrent) return;
    this.#armReconcile();
    try {
      if (this.configuration.monitorExecution) await parts.watch.readFirings();
      await parts.watch.readRunners();
    } catch (error) {
      this.#ports.logger.debug(`Job '${this.jobName}': ${String(error)}`);
      this.#alarms.setRetry('retry', () => this.#lookSoon());
      return;
    }
    // Read in a session that has ended meanwhile, the absence of the own node would pass for an operator's order to stop.
    if (this.#registeredIn !== session) return;
    let failed = false;
    for (const action of plan(this.#situation(parts))) {
      try {
        await this.#perform(action, parts);
      } catch (error) {
        // A lost race shows in the view sooner or later, and that leads to another look; the retry is for all else.
        if (!isLostRace(error) && !(error instanceof RegistryUnavailableError))
          this.#ports.logger.error(`Job '${this.jobName}': ${action.type} failed: ${String(error)}`);
        failed = true;
        this.#alarms.setRetry('retry', () => this.#lookSoon());
      }
    }
    if (!failed) this.#alarms.succeeded();
  }

  #situation({ watch, marks, housekeeping, leadership }: Parts): Situation {
    const { instance } = this.#ports;
    const { isIdle, canBegin, busy, backlog, settled } = this.#work;
    return {
      now: watch.view,
      me: instance.jobInstanceId,
      myIp: instance.serverIp,
      local: {
        canBegin,
        isIdle,
        busy,
        backlog,
        mayTakeOver: !this.#alarms.isSet('failover'),
        isForgotten: (item) => canBegin && !busy.has(item) && !marks.has(item),
        leftoverMarks: marks.leftovers,
        desertedServers: housekeeping.desertedServers,
        latestInstant: () => this.#timer.latest(),
        armedFor: this.#timer.armedFor,
        isScheduled: this.#isScheduled && this.#acceptsFirings,
        assignedFor: leadership.assignedFor,
        patienceIsOver: leadership.patienceIsOver,
        settled,
        missedSince: (item, mark) =>
          watch.isOnRecordSince(item, mark) ? this.#timer.missedSince(mark, this.#catchUpWindowMs()) : undefined,
      },
    };
  }

  async #perform(action: Action, parts: Parts): Promise<void> {
    const { watch, marks, failover, housekeeping, sharding, leadership } = parts;
    const { registry, instance, logger } = this.#ports;
    const me = instance.jobInstanceId;
    switch (action.type) {
      case 'stop':
        if (this.#phase === 'stopping') return;
        logger.warn(`Job '${this.jobName}': an operator has ended this instance.`);
        void this.stop('an operator has removed its instance from the registry centre');
        return;
      case 'restore-own-nodes':
        return restoreOwnNodes({ ...this.#ports, watch, paths: this.#paths });
      case 'campaign':
        return leadership.campaignSoon();
      case 'abdicate':
        if (action.bequest === 'resharding') return sharding.bequeath();
        await registry.remove(this.#paths.leader);
        return;
      case 'request-resharding':
        return sharding.request(action.reason);
      case 'await-idle-items':
        return leadership.awaitIdleItems(action.items);
      case 'reshard':
        return leadership.reshard();
      case 'report-crashed':
        return failover.report((item) => this.#work.canBegin && !this.#work.busy.has(item) && !marks.has(item));
      case 'end-failover':
        return housekeeping.endFailover();
      case 'tidy-up':
        return housekeeping.tidyUp();
      case 'remove-servers':
        return housekeeping.removeServers(action.ips);
      case 'clear-marks':
        return marks.clearOwn(action.items);
      case 'clear-misfired':
        return marks.clearMisfired(action.items);
      case 'reschedule':
        return this.#timer.arm(watch.view.config ?? {});
      case 'run-once':
        // Removing the node is the claim: a trigger that somebody has withdrawn is not run.
        if (await registry.remove(this.#paths.trigger(me))) this.#work.start({ cause: 'trigger', instant: undefined });
        return;
      case 'begin':
        return this.#work.start(action.firing);
      default:
        return action satisfies never;
    }
  }

  /** Looks again now and then although nothing was notified (manual, `reconcileIntervalMinutes`; below 1: never). */
  #armReconcile(): void {
    const minutes = this.configuration.reconcileIntervalMinutes;
    if (minutes < 1 || this.#alarms.isSet('reconcile')) return;
    this.#alarms.set('reconcile', minutes * 60_000, () => {
      void this.#mailbox
        .post(() => this.#reconcile())
        .catch((error: unknown) => this.#ports.logger.error(String(error)));
    });
  }

  /** A look at a fresh reading of everything, what is never notified included. */
  async #reconcile(): Promise<void> {
    if (this.#parts !== undefined && this.#phase === 'active') {
      const { watch, housekeeping } = this.#parts;
      watch.forgetReadings();
      try {
        await watch.readAll();
        housekeeping.noteServers(await watch.sync());
      } catch (error) {
        // The next look, when the registry answers again, reads what it needs.
        this.#ports.logger.debug(`Job '${this.jobName}': ${String(error)}`);
      }
    }
    await this.#look();
  }

  /**
   * How long after its instant a firing is made up for when its item has changed hands. It has to cover the longest
   * handover, that of a crash; past it, operators who switch a job on again do not expect last night's run.
   */
  #catchUpWindowMs(): number {
    return 2 * this.#ports.registry.session.timeoutMs + RESHARDING_PATIENCE_MS;
  }

  #active(): Parts {
    if (this.#parts !== undefined) return this.#parts;
    throw new JobStateError(`Job '${this.jobName}' is ${this.#phase} and cannot do this.`);
  }
}
