/**
 * The control lane of a job: a mailbox in which one thing is done after the other, user code never. Whatever happens,
 * the answer is the same: look at the job as it is, plan, perform the plan.
 */
import { RegistryOutcomeUnknownError, RegistryUnavailableError } from '../../api/errors.js';
import { type JobConfiguration } from '../../api/job-configuration.js';
import { type JobLogger } from '../../api/logger.js';
import { type JobInstance } from '../../api/sharding-strategy.js';
import { Mailbox } from '../../async/mailbox.js';
import { type JobPaths } from '../../layout/job-paths.js';
import { type RegistryCenter } from '../../registry/registry-center.js';
import { type NamedTimers } from '../../async/named-timers.js';
import { type CronTimer } from './cron-timer.js';
import { type JobComponents } from '../job-components.js';
import { JAVA_RECONNECT_GRACE_MS } from '../view/java-peers.js';
import { plan } from '../rules/plan.js';
import { type Action, type PlanInput } from '../rules/plan-input.js';
import { restoreOwnNodes } from '../writes/registration.js';
import { isLostRace } from '../../api/registry-errors.js';
import { type WorkLane } from './work-lane.js';
import { type JobTimer } from '../view/job-context.js';

/** What a control lane needs. */
export interface ControlLanePorts {
  readonly registry: RegistryCenter;
  readonly instance: JobInstance;
  readonly paths: JobPaths;
  readonly logger: JobLogger;
  readonly timers: NamedTimers<JobTimer>;
  readonly timer: CronTimer;
  readonly work: WorkLane;
  /** The configuration that holds. */
  readonly configuration: () => JobConfiguration;
  /** `undefined` while this instance takes no part in the job. */
  readonly parts: () => JobComponents | undefined;
  /** Id of the session in which this instance is registered. */
  readonly session: () => string | undefined;
  /** Whether this job is to fire by its cron on this instance. */
  readonly isScheduled: () => boolean;
  /** An operator has removed this instance. */
  readonly onRemoved: () => void;
}

/** How long, beside two session timeouts, a handover may take. */
const HANDOVER_MS = 5_000;

/** How long a trigger waits for the items to be assigned anew, which a Java leader may do at the next firing only. */
const TRIGGER_DEADLINE_MS = 2_000;

/** How long crashed items wait for an idle instance before a busy one takes them over beside its own. */
const IDLE_INSTANCES_DEADLINE_MS = 10_000;

/** Looks at the job, and does what is to be done. */
export class ControlLane {
  readonly #ports: ControlLanePorts;
  readonly #mailbox = new Mailbox();
  #lookIsQueued = false;
  #isTriggerInDoubt = false;
  #triggerDeadlinePassed = false;
  #idlePatience: 'not asked for' | 'running' | 'over' = 'not asked for';

  constructor(ports: ControlLanePorts) {
    this.#ports = ports;
  }

  /** Does something when all that was asked for before is done; rejects as `task` does. */
  post<T>(task: () => T | Promise<T>): Promise<T> {
    return this.#mailbox.post(task);
  }

  /** Looks once more; several requests that come before the look begins are one. */
  requestReconcile(): void {
    if (this.#lookIsQueued || this.#ports.parts() === undefined) return;
    this.#lookIsQueued = true;
    this.#post(() => {
      this.#lookIsQueued = false;
      return this.reconcile();
    });
  }

  #post(task: () => Promise<void>): void {
    const { logger } = this.#ports;
    void this.#mailbox.post(task).catch((error: unknown) => logger.error(String(error)));
  }

  /** Plans from the present view and performs the plan. To be called in the lane only. Never rejects. */
  async reconcile(): Promise<void> {
    const { timers, logger } = this.#ports;
    const parts = this.#ports.parts();
    const session = this.#ports.session();
    if (parts === undefined || session === undefined || !parts.watch.isCurrent) return;
    this.#armReconcile();
    try {
      if (this.#ports.configuration().monitorExecution) await parts.watch.readBeginRecords();
      await parts.watch.readRunners();
    } catch (error) {
      logger.debug(String(error));
      timers.setRetry('retry', () => this.requestReconcile());
      return;
    }
    // Read in a session that has ended meanwhile, the absence of the own node would pass for an operator's order to stop.
    if (this.#ports.session() !== session) return;
    if (!this.#ports.configuration().misfire) this.#ports.work.dropMissed();
    await this.#performAll(plan(this.#situation(parts)), parts);
  }

  async #performAll(actions: readonly Action[], parts: JobComponents): Promise<void> {
    const { timers, logger } = this.#ports;
    let failed = false;
    for (const action of actions) {
      try {
        await this.#perform(action, parts);
      } catch (error) {
        // A lost race shows in the view sooner or later, and that leads to another look; the retry is for all else.
        if (!isLostRace(error) && !isOutage(error)) logger.error(`${action.type} failed: ${String(error)}`);
        failed = true;
        timers.setRetry('retry', () => this.requestReconcile());
      }
    }
    if (!failed) timers.succeeded('retry');
  }

  #situation({ watch, marks, housekeeping, leadership }: JobComponents): PlanInput {
    const { instance, timers, timer, work, isScheduled } = this.#ports;
    const { isIdle, canBegin, busy, backlog, decided } = work;
    const { view } = watch;
    if (view.crashedItems.length === 0 || isIdle) this.#forgetIdlePatience();
    if (view.crashedItems.length === 0) timers.succeeded('takeover');
    if (!view.triggers.has(instance.jobInstanceId) && !this.#isTriggerInDoubt) this.#triggerDeadlinePassed = false;
    if (watch.hasFlappingPeers && !timers.isSet('java-reconnect'))
      timers.set('java-reconnect', JAVA_RECONNECT_GRACE_MS, () => this.#reread());
    return {
      now: view,
      me: instance.jobInstanceId,
      myIp: instance.serverIp,
      local: {
        canBegin,
        isIdle,
        busy,
        backlog,
        isTriggerInDoubt: this.#isTriggerInDoubt,
        triggerDeadlinePassed: this.#triggerDeadlinePassed,
        mayTakeOver: !timers.isSet('takeover'),
        idleInstancesDeadlinePassed: this.#idlePatience === 'over',
        hasLostTrackOf: this.#hasLostTrackOf(marks),
        leftoverMarks: marks.leftovers,
        offlineServers: housekeeping.offlineServers,
        latestInstant: () => timer.latest(),
        armedFor: timer.armedFor,
        isScheduled: isScheduled(),
        assignedFor: leadership.assignedFor,
        idleItemsDeadlinePassed: leadership.idleItemsDeadlinePassed,
        hasFlappingPeers: watch.hasFlappingPeers,
        overdueAssignment: leadership.overdueAssignment,
        decided,
        missedInstant: (item, mark) => this.missedInstant(item, mark),
      },
    };
  }

  async #perform(action: Action, parts: JobComponents): Promise<void> {
    const { watch, marks, failover, housekeeping, assignment, leadership } = parts;
    const { registry, instance, paths, timers, timer, work, onRemoved } = this.#ports;
    switch (action.type) {
      case 'stop':
        return onRemoved();
      case 'restore-own-nodes':
        return restoreOwnNodes({ registry, instance, watch, paths });
      case 'campaign':
        return leadership.campaignSoon();
      case 'abdicate':
        if (action.leaving === 'resharding') return assignment.abdicateRequestingAssignment();
        await registry.remove(paths.leader);
        return;
      case 'request-resharding':
        return assignment.request(action.reason);
      case 'wait-for-java-leader':
        return leadership.waitForJavaLeader(action.basis);
      case 'request-in-leaders-place':
        return leadership.requestInLeadersPlace(action.basis);
      case 'await-idle-items':
        return leadership.awaitIdleItems(action.items);
      case 'reshard':
        return leadership.assign();
      case 'report-crashed':
        return failover.report(this.#hasLostTrackOf(marks));
      case 'await-idleness':
        return this.#awaitIdleness(action.items);
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
        return timer.arm(watch.view.config ?? {});
      case 'await-assignment':
        if (!timers.isSet('trigger-deadline'))
          timers.set('trigger-deadline', TRIGGER_DEADLINE_MS, () => this.#stopWaitingToRunOnce());
        return;
      case 'run-once':
        timers.cancel('trigger-deadline');
        this.#triggerDeadlinePassed = false;
        if (await this.#acceptTrigger()) work.start({ cause: 'manual', instant: undefined });
        return;
      case 'begin':
        return work.start(action.firing);
      default:
        return action satisfies never;
    }
  }

  /** Removing the node is the claim: a trigger that somebody has withdrawn is not run. */
  async #acceptTrigger(): Promise<boolean> {
    const { registry, paths, instance } = this.#ports;
    const wasInDoubt = this.#isTriggerInDoubt;
    try {
      const isRemoved = await registry.remove(paths.trigger(instance.jobInstanceId));
      this.#isTriggerInDoubt = false;
      return isRemoved || wasInDoubt;
    } catch (error) {
      if (error instanceof RegistryOutcomeUnknownError) this.#isTriggerInDoubt = true;
      throw error;
    }
  }

  /** Whether an item bears this instance's mark without its knowing; so may one that it is just about to mark. */
  #hasLostTrackOf(marks: JobComponents['marks']): (item: number) => boolean {
    const { work } = this.#ports;
    return (item) => work.canBegin && !work.busy.has(item) && !marks.has(item);
  }

  #stopWaitingToRunOnce(): void {
    this.#triggerDeadlinePassed = true;
    this.requestReconcile();
  }

  #reread(): void {
    this.#ports.parts()?.watch.reread();
    this.requestReconcile();
  }

  /** Gives idle instances, and this one when it has finished, the time to take over; once for each crash. */
  #awaitIdleness(items: readonly number[]): void {
    if (this.#idlePatience !== 'not asked for') return;
    const { logger, timers, work } = this.#ports;
    this.#idlePatience = 'running';
    logger.log(
      `items ${items.join(',')} wait to be taken over; ` + `this instance still runs ${[...work.busy].join(',')}.`,
    );
    timers.set('idle-instances-deadline', IDLE_INSTANCES_DEADLINE_MS, () => {
      this.#idlePatience = 'over';
      this.requestReconcile();
    });
  }

  #forgetIdlePatience(): void {
    if (this.#idlePatience === 'not asked for') return;
    this.#idlePatience = 'not asked for';
    this.#ports.timers.cancel('idle-instances-deadline');
  }

  /** Looks again now and then although nothing was notified (manual, `reconcileIntervalMinutes`; below 1: never). */
  #armReconcile(): void {
    const { timers, configuration } = this.#ports;
    const minutes = configuration().reconcileIntervalMinutes;
    if (minutes < 1 || timers.isSet('resync')) return;
    timers.set('resync', minutes * 60_000, () => this.#post(() => this.#reconcile()));
  }

  /** A look at a fresh reading of everything, what is never notified included. */
  async #reconcile(): Promise<void> {
    const parts = this.#ports.parts();
    if (parts !== undefined) {
      const { watch, housekeeping } = parts;
      watch.forgetReadings();
      try {
        await watch.readAll();
        housekeeping.noteServers(await watch.sync());
      } catch (error) {
        // The next look, when the registry answers again, reads what it needs.
        this.#ports.logger.debug(String(error));
      }
    }
    await this.reconcile();
  }

  /** See `LocalState.missedInstant`. */
  missedInstant(item: number, mark: number): number | undefined {
    const isOnRecord = this.#ports.parts()?.watch.isOnRecordSince(item, mark) === true;
    return isOnRecord ? this.#ports.timer.missedInstant(mark, this.#catchUpWindowMs()) : undefined;
  }

  /**
   * How long after its instant a firing is made up for when its item has changed hands. It has to cover the longest
   * handover, that of a crash; past it, operators who switch a job on again do not expect last night's run.
   */
  #catchUpWindowMs(): number {
    return 2 * this.#ports.registry.session.timeoutMs + HANDOVER_MS;
  }
}

/** Whether an error only says that the registry centre cannot be reached, which is logged once for all jobs. */
function isOutage(error: unknown): boolean {
  return error instanceof RegistryUnavailableError || error instanceof RegistryOutcomeUnknownError;
}
