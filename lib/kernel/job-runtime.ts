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
  RegistryRefusedError,
  JobStateError,
  JobStoppedError,
  RegistryUnavailableError,
  SessionLostError,
} from '../api/errors.js';
import { type JobConfiguration } from '../api/job-configuration.js';
import { type JobLogger } from '../api/logger.js';
import { type JobInstance } from '../api/sharding-strategy.js';
import { backoffMs } from '../async/backoff.js';
import { Mailbox } from '../async/mailbox.js';
import { withDeadline } from '../async/wait.js';
import { JobPaths } from '../layout/job-paths.js';
import { isPresenceOnly, JobViewReader } from '../layout/job-view.js';
import { type RegistryCenter, type SessionState } from '../registry/registry-center.js';
import { type Clock } from '../time/clock.js';
import { CronTimer, type FiringTimers } from './cron-timer.js';
import { campaign } from './election.js';
import { ItemMarks } from './item-marks.js';
import { type JobDefinition } from './job-definition.js';
import { type Firing, JobRun } from './job-run.js';
import { type JobTypes } from './job-types.js';
import { JobWatch } from './job-watch.js';
import { type Action, type AssignedFor, plan, type SettledFiring } from './plan.js';
import { establishConfiguration, registerInstance, withdrawInstance } from './registration.js';
import { isLostRace, Sharding, RESHARDING_PATIENCE_MS } from './sharding.js';

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

/** How long a run that was told to end past the grace period is still waited for. */
const ABORTED_RUN_PATIENCE_MS = 1_000;

/** How long withdrawing from the registry may take when stopping. */
const WITHDRAWAL_TIMEOUT_MS = 5_000;

const RETRY = { baseMs: 100, maxMs: 5_000 };

/** Everything that exists once the job's tree is being watched. */
interface Parts {
  readonly watch: JobWatch;
  readonly marks: ItemMarks;
  readonly sharding: Sharding;
}

/** The run in progress. */
interface CurrentRun {
  readonly firing: Firing;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

/** One job on this instance. */
export class JobRuntime {
  readonly definition: JobDefinition;
  readonly #ports: JobRuntimePorts;
  readonly #paths: JobPaths;
  readonly #mailbox = new Mailbox();
  readonly #timer: CronTimer;

  #phase: JobPhase = 'created';
  #parts: Parts | undefined;
  #config: JobConfiguration | undefined;
  /** Id of the session in which this instance is registered. */
  #registeredIn: string | undefined;
  /** True once the job has been active here: what is refused later is no mistake of the one who started it. */
  #hasTakenPart = false;
  #isScheduled = false;
  #acceptsFirings = true;

  #run: CurrentRun | undefined;
  /** The latest instant that came while nothing could be run; to be made up for. */
  #missed: number | undefined;
  #settled: SettledFiring | undefined;

  #assignedFor: AssignedFor | undefined;
  #patience: 'not asked for' | 'running' | 'over' = 'not asked for';
  #isCampaigning = false;

  #lookIsQueued = false;
  #failures = 0;
  readonly #cleanUps: (() => void)[] = [];
  readonly #cancels = new Map<'retry' | 'patience' | 'reconcile', () => void>();
  #started: PromiseWithResolvers | undefined;
  #stopped: Promise<void> | undefined;

  constructor(definition: JobDefinition, ports: JobRuntimePorts) {
    this.definition = definition;
    this.#ports = ports;
    this.#paths = new JobPaths(definition.configuration.jobName);
    this.#timer = new CronTimer({
      jobName: this.jobName,
      clock: ports.clock,
      timers: ports.timers,
      onFire: (instant) => this.#onFire(instant.getTime()),
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
   */
  start(): Promise<void> {
    if (this.#started !== undefined) return this.#started.promise;
    this.#started = promiseWithResolvers();
    this.#phase = 'starting';
    const { registry } = this.#ports;
    this.#cleanUps.push(registry.session.onChange((state) => this.#onSession(state)));
    this.#onSession(registry.session.state);
    return this.#started.promise;
  }

  /** From now on also fires by the cron expression. @throws JobStateError if the configuration that holds has none */
  async schedule(): Promise<void> {
    this.#isScheduled = true;
    await this.start();
    if (this.configuration.cron === undefined)
      throw new JobStateError(`Cron can not be empty: job '${this.jobName}' has none and cannot be scheduled.`);
    await this.#mailbox.post(() => this.#look());
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
    this.#stopped ??= this.#stop(why);
    return this.#stopped;
  }

  async #stop(why: string): Promise<void> {
    const wasRegistered = this.#registeredIn !== undefined;
    this.#phase = 'stopping';
    this.#started?.reject(new JobStoppedError(this.jobName, why));
    await this.#endRun(why);
    try {
      if (wasRegistered) await this.#withdraw();
    } catch (error) {
      this.#ports.logger.warn(
        `Job '${this.jobName}' could not withdraw this instance; peers take over when its session ends: ${String(error)}`,
      );
    }
    this.#enterStopped();
  }

  #enterStopped(): void {
    this.#phase = 'stopped';
    this.#timer.disarm();
    for (const cancel of this.#cancels.values()) cancel();
    for (const cleanUp of this.#cleanUps.splice(0)) cleanUp();
    this.#parts?.watch.close();
  }

  async #endRun(why: string): Promise<void> {
    const { clock, logger, shutdownGracePeriodMs } = this.#ports;
    if (this.#run === undefined) return;
    const { ended, abort } = this.#run;
    const waitFor = (timeoutMs: number): Promise<boolean> =>
      withDeadline(clock, ended, timeoutMs, () => new Error('time is up')).then(
        () => true,
        () => false,
      );
    if (await waitFor(shutdownGracePeriodMs)) return;
    abort.abort(
      new JobStoppedError(this.jobName, `${why}, and the grace period of ${shutdownGracePeriodMs} ms is over`),
    );
    if (await waitFor(ABORTED_RUN_PATIENCE_MS)) return;
    logger.error(`Job '${this.jobName}' is left although items still run: they do not react to context.signal.`);
    await this.#parts?.marks.clear(this.#parts.marks.leftovers);
  }

  /** In the control lane, so that nothing registers this instance again behind its back. */
  #withdraw(): Promise<void> {
    const { registry, clock } = this.#ports;
    const withdrawal = this.#mailbox.post(async () => {
      if (this.#parts === undefined || registry.session.state.phase !== 'connected') return;
      this.#registeredIn = undefined;
      await withdrawInstance({ ...this.#ports, watch: this.#parts.watch, paths: this.#paths });
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
    this.#assignedFor = undefined;
    // Peers make up for what is ours no more.
    this.#missed = undefined;
    this.#settled = undefined;
    this.#parts?.marks.forgetLeftovers();
    this.#run?.abort.abort(new SessionLostError(reason));
  }

  #onRegistryClosed(reason: string): void {
    if (this.#phase === 'stopped') return;
    const error = new JobStoppedError(this.jobName, `the registry centre is closed (${reason})`);
    this.#started?.reject(error);
    this.stopFirings();
    this.#run?.abort.abort(error);
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
    if (this.#registeredIn === state.id) {
      await parts.watch.sync();
    } else {
      const ports = { ...this.#ports, watch: parts.watch, paths: this.#paths };
      const config = (this.#config ??= await establishConfiguration(ports, this.definition));
      this.#ports.types.check(config);
      await registerInstance(ports, config);
      this.#registeredIn = state.id;
      logger.log(`Job '${this.jobName}' is registered by instance ${instance.jobInstanceId}.`);
    }
    // The session may have been suspended or lost while this was under way; its next change enters again.
    if (registry.session.state.phase !== 'connected' || registry.session.state.id !== this.#registeredIn) return;
    if (this.#phase !== 'starting' && this.#phase !== 'suspended') return;
    this.#phase = 'active';
    this.#hasTakenPart = true;
    this.#failures = 0;
    this.#started?.resolve();
    await this.#look();
    this.#makeUpForMissed();
  }

  async #openParts(): Promise<Parts> {
    const { registry, clock, instance, types, logger } = this.#ports;
    const paths = this.#paths;
    const mirror = await registry.mirror(paths.root, { presenceOnly: isPresenceOnly });
    const watch = new JobWatch(mirror, new JobViewReader(this.jobName), clock);
    this.#cleanUps.push(watch.onChange(() => this.#lookSoon()));
    const shared = { registry, watch, paths, me: instance.jobInstanceId, logger };
    const marks = new ItemMarks({ ...shared, whenConnected: (signal) => this.#whenConnected(signal) });
    return { watch, marks, sharding: new Sharding({ ...shared, types }) };
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
      this.#after('retry', this.#nextDelayMs(), () => this.#enterSoon());
      return;
    }
    logger.error(`Job '${this.jobName}' could not be started: ${String(error)}`);
    this.#started?.reject(error);
    this.#enterStopped();
  }

  #whenConnected(signal: AbortSignal): Promise<void> {
    const { session } = this.#ports.registry;
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error);
      if (session.state.phase === 'connected') return resolve();
      const end = (): void => {
        unsubscribe();
        signal.removeEventListener('abort', onAbort);
      };
      const onAbort = (): void => {
        end();
        reject(signal.reason as Error);
      };
      const unsubscribe = session.onChange((state) => {
        if (state.phase !== 'connected') return;
        end();
        resolve();
      });
      signal.addEventListener('abort', onAbort, { once: true });
    });
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
    if (parts === undefined || !isTakingPart || this.#registeredIn === undefined || !parts.watch.isCurrent) return;
    this.#armReconcile();
    try {
      if (this.configuration.monitorExecution) await parts.watch.readFirings();
    } catch (error) {
      this.#ports.logger.debug(`Job '${this.jobName}': ${String(error)}`);
      this.#after('retry', this.#nextDelayMs(), () => this.#lookSoon());
      return;
    }
    for (const action of plan(this.#situation(parts))) {
      try {
        await this.#perform(action, parts);
        this.#failures = 0;
      } catch (error) {
        // A lost race shows in the view sooner or later, and that leads to another look; the retry is for all else.
        if (!isLostRace(error) && !(error instanceof RegistryUnavailableError))
          this.#ports.logger.error(`Job '${this.jobName}': ${action.type} failed and is tried again: ${String(error)}`);
        this.#after('retry', this.#nextDelayMs(), () => this.#lookSoon());
      }
    }
  }

  #situation({ watch, marks }: Parts): Parameters<typeof plan>[0] {
    const { instance } = this.#ports;
    return {
      now: watch.view,
      me: instance.jobInstanceId,
      myIp: instance.serverIp,
      local: {
        isIdle: this.#run === undefined && this.#acceptsFirings && this.#phase === 'active',
        leftoverMarks: this.#run === undefined ? marks.leftovers : [],
        armedFor: this.#timer.armedFor,
        isScheduled: this.#isScheduled && this.#acceptsFirings,
        assignedFor: this.#assignedFor,
        patienceIsOver: this.#patience === 'over',
        settled: this.#settled,
        missedSince: (mark) => this.#timer.missedSince(mark, this.#catchUpWindowMs()),
      },
    };
  }

  async #perform(action: Action, { watch, marks, sharding }: Parts): Promise<void> {
    const { registry, instance, logger } = this.#ports;
    const me = instance.jobInstanceId;
    switch (action.type) {
      case 'stop':
        logger.warn(`Job '${this.jobName}': an operator has ended this instance.`);
        void this.stop('an operator has removed its instance from the registry centre');
        return;
      case 'return-to-servers':
        await registry.create(this.#paths.server(instance.serverIp), 'ENABLED');
        return;
      case 'campaign':
        return this.#campaignSoon();
      case 'abdicate':
        await registry.remove(this.#paths.leader);
        return;
      case 'request-resharding':
        return sharding.request(action.reason);
      case 'await-idle-items':
        return this.#awaitIdleItems(action.items);
      case 'reshard':
        this.#assignedFor = await sharding.assign();
        this.#patience = 'not asked for';
        this.#cancel('patience');
        return;
      case 'clear-marks':
        return marks.clear(action.items);
      case 'reschedule':
        return this.#timer.arm(watch.view.config ?? {});
      case 'run-once':
        // Removing the node is the claim: a trigger that somebody has withdrawn is not run.
        if (await registry.remove(this.#paths.trigger(me))) this.#startRun({ cause: 'trigger', instant: undefined });
        return;
      case 'catch-up':
        return this.#startRun({ cause: 'catch-up', instant: action.instant, items: action.items });
      default:
        return action satisfies never;
    }
  }

  /** Beside the control lane, because the latch may be held by an instance that has just died. */
  #campaignSoon(): void {
    if (this.#isCampaigning) return;
    this.#isCampaigning = true;
    // What an earlier leadership of this instance assigned says nothing of what its successors did.
    this.#assignedFor = undefined;
    const { registry, instance, logger } = this.#ports;
    campaign({
      registry,
      paths: this.#paths,
      me: instance.jobInstanceId,
      isStanding: () => this.#registeredIn !== undefined,
    })
      .then((won) => won && logger.log(`Job '${this.jobName}': instance ${instance.jobInstanceId} leads.`))
      .catch((error: unknown) => {
        logger.warn(
          `Job '${this.jobName}': could not stand for election, and tries again: ${String(error)}${causeOf(error)}`,
        );
        this.#after('retry', this.#nextDelayMs(), () => this.#lookSoon());
      })
      .finally(() => {
        this.#isCampaigning = false;
        this.#lookSoon();
      });
  }

  #awaitIdleItems(items: readonly number[]): void {
    if (this.#patience !== 'not asked for') return;
    this.#patience = 'running';
    this.#ports.logger.debug(
      `Job '${this.jobName}': to assign the items, the running ones are waited for: ${items.join(',')}`,
    );
    this.#after('patience', RESHARDING_PATIENCE_MS, () => {
      this.#patience = 'over';
      this.#lookSoon();
    });
  }

  /** Looks again now and then although nothing was notified (manual, `reconcileIntervalMinutes`; below 1: never). */
  #armReconcile(): void {
    const minutes = this.configuration.reconcileIntervalMinutes;
    if (minutes >= 1 && !this.#cancels.has('reconcile'))
      this.#after('reconcile', minutes * 60_000, () => this.#lookSoon());
  }

  #nextDelayMs(): number {
    this.#failures++;
    return backoffMs(this.#failures, RETRY);
  }

  #after(name: 'retry' | 'patience' | 'reconcile', delayMs: number, task: () => void): void {
    this.#cancel(name);
    this.#cancels.set(
      name,
      this.#ports.clock.after(delayMs, () => {
        this.#cancels.delete(name);
        if (this.#phase !== 'stopped') task();
      }),
    );
  }

  #cancel(name: 'retry' | 'patience' | 'reconcile'): void {
    this.#cancels.get(name)?.();
    this.#cancels.delete(name);
  }

  // ── work lane ──────────────────────────────────────────────────────────────────────────────────────────────────

  #onFire(instant: number): void {
    if (!this.#acceptsFirings) return;
    if (this.#phase === 'active' && this.#run === undefined) return this.#startRun({ cause: 'schedule', instant });
    this.#missed = instant;
    this.#ports.logger.debug(`Job '${this.jobName}': the firing at ${new Date(instant).toISOString()} has to wait.`);
  }

  /** Firings that came while a run was in progress, or while suspended, are made up for by one run (manual, `misfire`). */
  #makeUpForMissed(): void {
    const instant = this.#missed;
    if (instant === undefined || this.#phase !== 'active' || this.#run !== undefined || !this.#acceptsFirings) return;
    this.#missed = undefined;
    if (this.configuration.misfire) this.#startRun({ cause: 'misfire', instant });
    else this.#settle(instant, this.#parts?.watch.view.items.map(({ item }) => item) ?? []);
  }

  /**
   * How long after its instant a firing is made up for when its item has changed hands. It has to cover the longest
   * handover, that of a crash; past it, operators who switch a job on again do not expect last night's run.
   */
  #catchUpWindowMs(): number {
    return 2 * this.#ports.registry.session.timeoutMs + RESHARDING_PATIENCE_MS;
  }

  #startRun(firing: Firing): void {
    if (this.#run !== undefined || this.#parts === undefined || !this.#acceptsFirings) return;
    const { registry, types, clock, logger, instance } = this.#ports;
    const { watch, marks } = this.#parts;
    const abort = new AbortController();
    const run = new JobRun(
      {
        registry,
        watch,
        marks,
        types,
        clock,
        logger,
        paths: this.#paths,
        me: instance.jobInstanceId,
        job: this.definition.job,
        whenConnected: (signal) => this.#whenConnected(signal),
      },
      firing,
    );
    const ended = run.execute(abort.signal).then(({ decidedOn }) => {
      this.#run = undefined;
      if (decidedOn !== undefined && firing.instant !== undefined) this.#settle(firing.instant, decidedOn);
      this.#makeUpForMissed();
      this.#lookSoon();
    });
    this.#run = { firing, abort, ended };
  }

  #settle(instant: number, items: readonly number[]): void {
    const former = this.#settled?.instant === instant ? this.#settled.items : [];
    this.#settled = { instant, items: new Set([...former, ...items]) };
  }

  #active(): Parts {
    if (this.#parts !== undefined) return this.#parts;
    throw new JobStateError(`Job '${this.jobName}' is ${this.#phase} and cannot do this.`);
  }
}

function causeOf(error: unknown): string {
  return error instanceof Error && error.cause !== undefined ? ` (${String(error.cause)})` : '';
}

interface PromiseWithResolvers {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

function promiseWithResolvers(): PromiseWithResolvers {
  let resolve!: () => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  // Those who start a job without waiting for it learn of a failure from the log.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
