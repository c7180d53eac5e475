/**
 * The control lane of a job: a mailbox that does one thing after the other, and never runs user code. The answer to
 * every event is the same: reconcile. That is to read the job's present state, ask the rules, and perform the actions
 * they give.
 */
import { describeCause } from '../../api/text/describe-cause.js';
import { type JobConfiguration } from '../../api/job/job-configuration.js';
import { isLostRace, isOutage } from '../../api/errors/registry-errors.js';
import { type Deadlines } from '../../async/deadlines.js';
import { type Mailbox } from '../../async/mailbox.js';
import { JobStoppedError } from '../../api/errors/errors.js';
import { isInGraph, type JobView } from '../../layout/job-view.js';
import { type StoredInstanceFault } from '../../layout/x-node/instance-fault.js';
import { plan } from '../rules/plan.js';
import { type Action, type LeaderSighting, type PlanInput } from '../rules/plan-input.js';
import { lastKnownLeaderOf } from '../rules/removal.js';
import { lostInHandover, type MissedInstant } from '../view/assignment.js';
import { cleanupOwner, type DeadRun, deadRuns } from '../view/crashes.js';
import { type JobContext, type JobTimer } from '../job/job-context.js';
import { type JobDefinition } from '../job/job-definition.js';
import { JAVA_RECONNECT_GRACE_MS } from '../view/java-peers.js';
import { type Obstacle, obstacleTo } from '../view/obstacles.js';
import { mayFollowOwnShare, ownItems } from '../view/own-share.js';
import { requestedItems } from '../graph/requested-items.js';
import { completedRounds, type CompletedRound } from '../graph/rounds.js';
import { type Assignment } from '../writes/assignment.js';
import { type RunObservers } from '../run/run-observers.js';
import { type SettingFaults } from '../types/setting-faults.js';
import { reportCrashes } from '../marks/crash-reports.js';
import { type FaultReport } from '../log/fault-report.js';
import { type Housekeeping } from '../writes/housekeeping.js';
import { type ItemMarks } from '../marks/item-marks.js';
import { LostFirings } from '../marks/lost-firings.js';
import { TriggerAcceptance } from '../marks/trigger-acceptance.js';
import { type Leadership } from '../writes/leadership.js';
import { type Registration } from '../writes/registration.js';
import { completeRounds } from '../writes/round-completion.js';
import { ActionFailures } from '../log/action-failures.js';
import { ChangeLog } from '../log/change-log.js';
import { type DoubtLog } from '../types/doubt-log.js';
import { type CronTimer } from './cron-timer.js';
import { GraphDeadline } from './graph-deadline.js';
import { ReconcileFilter } from './reconcile-filter.js';
import { type Upstreams } from './upstreams.js';
import { StandingObstacle } from '../log/standing-obstacle.js';
import { type WorkLane } from './work-lane.js';

/** Dependencies of a control lane. */
export interface ControlLaneDeps extends JobContext {
  readonly doubts: DoubtLog;
  readonly mailbox: Mailbox;
  readonly registration: Registration;
  readonly marks: ItemMarks;
  readonly housekeeping: Housekeeping;
  readonly assignment: Assignment;
  readonly leadership: Leadership;
  readonly faultReport: FaultReport;
  readonly timer: CronTimer;
  readonly work: WorkLane;
  readonly upstreams: Upstreams;
  readonly observers: RunObservers;
  readonly definition: JobDefinition;
  readonly settingFaults: SettingFaults;
  /** Deadlines of this job. */
  readonly deadlines: Deadlines<JobTimer>;
  missedInstant(...of: Parameters<MissedInstant>): number | undefined;
  /** The configuration in force. */
  configuration(): JobConfiguration;
  /** To be called when the node of this instance was removed. */
  onRemoved(): void;
}

/** How long a trigger waits for the items to be assigned again: a Java leader may do that only at the next firing. */
const TRIGGER_DEADLINE_MS = 2_000;

/**
 * How long a node must have been missing before it is created again: an operator may be deleting the job node by node.
 */
const REMOVAL_DEADLINE_MS = 1_000;

/** How long crashed items wait for an idle instance before a busy one takes them over beside its own. */
const IDLE_INSTANCES_DEADLINE_MS = 10_000;

const NOTHING_LOST: ReadonlyMap<number, number> = new Map();

/** Reconciles one job on this instance. */
export class ControlLane {
  readonly #deps: ControlLaneDeps;
  readonly #changes: ChangeLog;
  #isReconcileQueued = false;
  readonly #failures: ActionFailures;
  readonly #obstacle: StandingObstacle;
  #resyncMinutes: number | undefined;
  #lastKnownLeader: LeaderSighting | undefined;
  readonly #filter: ReconcileFilter;
  readonly #lostFirings: LostFirings;
  readonly #graphDeadline: GraphDeadline;

  constructor(deps: ControlLaneDeps) {
    this.#deps = deps;
    this.#changes = new ChangeLog(deps);
    this.#failures = new ActionFailures(deps);
    this.#filter = new ReconcileFilter(deps);
    this.#obstacle = new StandingObstacle(deps);
    this.#lostFirings = new LostFirings(deps);
    this.#graphDeadline = new GraphDeadline(deps);
  }

  /** The obstacle that keeps the job from running here although it takes part; `undefined` if there is none. */
  get obstacle(): Obstacle | undefined {
    return this.#obstacle.present;
  }

  /** To be called after each change of the job's nodes. Reconciles soon, unless instances have only fired. */
  noteChange(): void {
    const changes = this.#deps.watch.newChanges() ?? [];
    if (changes.length === 0 || !changes.every((path) => this.#filter.canIgnore(path))) this.requestReconcile();
  }

  /** To be called when a run has begun or an item has ended. Reconciles soon, unless nothing waits for that. */
  noteProgress(): void {
    if (!this.#filter.needsNoReconcile) this.requestReconcile();
  }

  /** Reconciles soon; several requests that come before that are one. */
  requestReconcile(): void {
    if (this.#isReconcileQueued) return;
    this.#isReconcileQueued = true;
    this.#post(() => {
      this.#isReconcileQueued = false;
      return this.reconcile();
    });
  }

  #post(task: () => Promise<void>): void {
    const { mailbox, logger } = this.#deps;
    void mailbox.post(task).catch((error: unknown) => logger.error(`reconciling failed: ${describeCause(error)}`));
  }

  /** Plans from the present view and performs the plan. To be called in the mailbox only. Never rejects. */
  async reconcile(): Promise<void> {
    const { timers, logger, registration, watch } = this.#deps;
    this.#filter.disable();
    const { session } = registration;
    if (session === undefined || !watch.isCurrent) return;
    try {
      if (this.#deps.configuration().monitorExecution) await watch.readBeginRecords();
      await watch.readRunners();
    } catch (error) {
      logger.debug(`could not read what peers run: ${describeCause(error)}`);
      timers.setRetry('retry', () => this.requestReconcile());
      return;
    }
    // If the session had ended meanwhile, the missing own node would pass for an operator's order to stop.
    if (registration.session !== session) return;
    this.#noteState();
    this.#changes.note(session);
    this.#lostFirings.note();
    this.#lostFirings.report();
    const input = this.#planInput();
    const actions = plan(input);
    // A mirror may refuse again and again to follow only a part; the job is at rest all the same.
    if (actions.every(({ type }) => type === 'follow-own-share') && !this.#lostFirings.isWaiting) this.#filter.enable();
    await this.#performAll(actions, input);
    // Comes last: running the job is more urgent than reporting on it.
    const fault = faultOf(this.obstacle);
    if (!this.#deps.faultReport.says(fault)) await this.#storeFault(fault);
  }

  async #storeFault(fault: StoredInstanceFault | undefined): Promise<void> {
    const { faultReport, logger, timers } = this.#deps;
    try {
      await faultReport.store(fault);
    } catch (error) {
      logger.debug(`what is wrong with the job here is not stored yet: ${describeCause(error)}`);
      timers.setRetry('retry', () => this.requestReconcile());
    }
  }

  /** Updates the last known leader and the obstacle. */
  #noteState(): void {
    const { watch, me, instance, paths, registry, timer, leadership } = this.#deps;
    const { definition, settingFaults, held, upstreams } = this.#deps;
    const { view } = watch;
    this.#lastKnownLeader = lastKnownLeaderOf(view, watch.nodes.get(paths.leader)?.session, this.#lastKnownLeader);
    // Without its node, the instance is about to stop.
    if (!view.instances.has(me)) return;
    this.#graphDeadline.note(view);
    const obstacle = obstacleTo({
      view,
      me,
      myIp: instance.serverIp,
      paths,
      fullPath: (path) => registry.fullPath(path),
      schedule: timer.state,
      ownCron: definition.configuration.cron,
      settingFaults: view.config === undefined ? [] : settingFaults.of(view.config),
      assignmentFailure: this.#failures.of('reshard', 'request-resharding', 'mark-readded-as-not-due'),
      strategyFailure: leadership.strategyFailure,
      graphProblems: upstreams.problems,
      itemsThatLostRounds: upstreams.itemsThatLost(view),
      idleUpstreams: upstreams.idle,
      stoppedRound: this.#graphDeadline.stoppedRound,
      impairments: held.impairments,
    });
    this.#obstacle.note(obstacle);
  }

  async #performAll(actions: readonly Action[], input: PlanInput): Promise<void> {
    const { timers } = this.#deps;
    let failed = false;
    for (const action of actions) {
      try {
        await this.#perform(action, input);
        this.#failures.succeeded(action.type);
      } catch (error) {
        // A lost race shows in the view sooner or later, and the view's change leads to another reconciliation. The
        // retry is for all else. An outage of the registry centre is logged once for all jobs.
        if (!isLostRace(error) && !isOutage(error)) this.#failures.failed(action.type, error);
        failed = true;
        timers.setRetry('retry', () => this.requestReconcile());
      }
    }
    if (!failed) timers.succeeded('retry');
  }

  #planInput(): PlanInput {
    const { instance, timers, timer, work, watch, held, housekeeping, assignment, leadership, deadlines, upstreams } =
      this.#deps;
    const { isIdle, canBegin, isBeginningManually, busy, backlog, decided } = work;
    const { view } = watch;
    const me = instance.jobInstanceId;
    return {
      now: view,
      me,
      myIp: instance.serverIp,
      local: {
        canBegin,
        isBeginningManually,
        isIdle,
        busy,
        backlog,
        assignmentWait: deadlines.state('trigger-deadline'),
        mayTakeOver: !timers.isSet('takeover'),
        removalWait: deadlines.state('removal-deadline'),
        lastKnownLeader: this.#lastKnownLeader,
        idleInstancesWait: deadlines.state('idle-instances-deadline'),
        dead: this.#deadRuns(),
        leftovers: held.leftovers,
        rerunByPeers: held.rerunByPeers,
        offlineServers: housekeeping.offlineServers,
        spentAcceptances: housekeeping.spentAcceptances,
        latestInstant: view.items.some(({ misfired }) => misfired) ? timer.latestDue(view.config ?? {}) : undefined,
        isNextInstantNear: timer.isNextNear,
        armedFor: timer.armedFor,
        isScheduled: timer.isEnabled,
        assignedFor: leadership.assignedFor,
        readdedHandledForRevision: assignment.readdedHandledForRevision,
        strategyWaitsFor: leadership.strategyWaitsFor,
        idleItemsDeadlinePassed: leadership.idleItemsDeadlinePassed,
        hasFlappingPeers: watch.hasFlappingPeers,
        isAwaitingFlappingPeers: timers.isSet('java-reconnect'),
        overdueAssignment: leadership.overdueAssignment,
        decided,
        lostInHandover: canBegin
          ? lostInHandover(view, me, (item, lastBegun) => this.#deps.missedInstant(item, lastBegun))
          : NOTHING_LOST,
        areUpstreamsFollowed: view.config === undefined || upstreams.areFollowed(view.config),
        dueByItem: canBegin ? this.#dueByItem(view) : NOTHING_LOST,
        completedRounds: this.#completedRounds(view),
        resyncMinutes: this.#resyncMinutes,
        isNarrowed: watch.isNarrowed,
        sinceSignificantChangeMs: watch.sinceSignificantChangeMs,
      },
    };
  }

  async #perform(action: Action, { now, local }: PlanInput): Promise<void> {
    const { registry, paths, timers, registration, marks, housekeeping, assignment, leadership } = this.#deps;
    const { work, watch, me, deadlines } = this.#deps;
    switch (action.type) {
      case 'stop':
        return this.#deps.onRemoved();
      case 'restore-own-nodes':
        deadlines.reset('removal-deadline');
        return registration.restoreOwnNodes();
      case 'await-removal':
        deadlines.begin('removal-deadline', REMOVAL_DEADLINE_MS);
        return;
      case 'end-removal-wait':
        return deadlines.reset('removal-deadline');
      case 'campaign':
        deadlines.reset('removal-deadline');
        return leadership.campaignSoon();
      case 'abdicate':
        if (action.requesting === 'assignment') return assignment.abdicateRequestingAssignment();
        await registry.remove(paths.leader);
        return;
      case 'request-resharding':
        deadlines.reset('removal-deadline');
        return assignment.request(action.reason);
      case 'wait-for-java-leader':
        return leadership.waitForJavaLeader(action.basis);
      case 'request-in-leaders-place':
        return leadership.requestInLeadersPlace(action.basis);
      case 'await-idle-items':
        return leadership.awaitIdleItems(action.items);
      case 'soft-stop':
        return work.softStop(new JobStoppedError(paths.jobName, 'the leader waits to assign the items again'));
      case 'mark-readded-as-not-due':
        return assignment.markReaddedAsNotDue();
      case 'reshard':
        return leadership.assign();
      case 'report-crashed':
        return this.#reportCrashes(now, local.dead);
      case 'await-idle-instances':
        return this.#awaitIdleInstances(action.items);
      case 'end-takeover-wait':
        return this.#endTakeoverWait();
      case 'end-failover':
        return housekeeping.endFailover();
      case 'tidy-up':
        return housekeeping.tidyUp();
      case 'remove-servers':
        return housekeeping.removeServers(action.ips);
      case 'clear-marks':
        return marks.removal.clearOwn(action.items);
      case 'clear-misfired':
        return marks.clearMisfired(action.items);
      case 'forget-missed':
        work.forgetMissed();
        return this.requestReconcile();
      case 'reschedule':
        return this.#reschedule();
      case 'schedule-resync':
        return this.#scheduleResync(action.minutes);
      case 'await-flapping-peers':
        return timers.set('java-reconnect', JAVA_RECONNECT_GRACE_MS, () => this.#reread());
      case 'await-assignment':
        deadlines.begin('trigger-deadline', TRIGGER_DEADLINE_MS);
        return;
      case 'end-trigger-wait':
        return deadlines.reset('trigger-deadline');
      case 'follow-own-share':
        // The actions before this one may have taken time, and the job may have changed since it was planned.
        if (!mayFollowOwnShare(watch.view, me)) return;
        return watch.narrow(paths.shareOf(me, ownItems(watch.view, me)));
      case 'follow-upstreams':
        return this.#deps.upstreams.follow(this.#deps.configuration());
      case 'complete-rounds':
        return completeRounds(this.#deps, action.rounds);
      case 'accept-trigger':
        deadlines.reset('trigger-deadline');
        return this.#acceptTrigger();
      case 'drop-triggered':
        return new TriggerAcceptance(this.#deps).drop(action.items);
      case 'begin':
        return work.start(action.firing);
      default:
        return action satisfies never;
    }
  }

  /**
   * If the schedule cannot be used, the next reconciliation notes that as an obstacle; the former one stays in force.
   */
  #reschedule(): void {
    const { timer, watch, requestReconcile } = this.#deps;
    requestReconcile();
    try {
      timer.arm(watch.view.config ?? {});
    } catch (error) {
      if (timer.state.type !== 'refused') throw error;
    }
  }

  #dueByItem(view: JobView): ReadonlyMap<number, number> {
    const { timer, upstreams, me } = this.#deps;
    const requested = requestedItems(view, me);
    return timer.isEnabled && requested.size === 0 ? upstreams.dueIn(view) : requested;
  }

  #completedRounds(view: JobView): readonly CompletedRound[] {
    const { me, upstreams } = this.#deps;
    return isInGraph(view) && cleanupOwner(view) === me ? completedRounds(view, upstreams.fates) : [];
  }

  async #acceptTrigger(): Promise<void> {
    const { work } = this.#deps;
    const trigger = await new TriggerAcceptance(this.#deps).accept();
    if (trigger === undefined) return;
    const { jobParameter, isForAll, items } = trigger;
    // Items that cannot begin now wait on record. A run without items still calls the listeners, as in Java.
    work.start({ cause: 'manual', instant: undefined, jobParameter, ...(!isForAll && { items }) });
  }

  #deadRuns(): readonly DeadRun[] {
    const { watch, me } = this.#deps;
    return deadRuns(watch.view, me, (item) => this.#hasLostTrackOf(item));
  }

  /** @param dead the dead runs as of `seen`; an earlier action may have brought another view */
  async #reportCrashes(seen: JobView, dead: readonly DeadRun[]): Promise<void> {
    const { watch } = this.#deps;
    await reportCrashes(this.#deps, {
      dead: watch.view === seen ? dead : this.#deadRuns(),
      findAgain: () => this.#deadRuns(),
      hasLostTrackOf: (item) => this.#hasLostTrackOf(item),
    });
  }

  /**
   * True if an item bears this instance's mark and is unknown here. A run that is just beginning may be about to mark
   * it.
   */
  #hasLostTrackOf(item: number): boolean {
    const { work, held } = this.#deps;
    return work.canBegin && !held.isKnown(item);
  }

  #reread(): void {
    this.#deps.watch.reread();
    this.requestReconcile();
  }

  /** Gives idle instances, and this one when it has finished, the time to take over; once for each crash. */
  #awaitIdleInstances(items: readonly number[]): void {
    const { logger, work, deadlines } = this.#deps;
    if (!deadlines.begin('idle-instances-deadline', IDLE_INSTANCES_DEADLINE_MS)) return;
    logger.log(
      `items ${items.join(',')} wait to be taken over by an idle instance; this one still runs items ` +
        `${[...work.busy].join(',')}, and takes them over after ${IDLE_INSTANCES_DEADLINE_MS} ms at the latest.`,
    );
  }

  #endTakeoverWait(): void {
    const { timers, watch, deadlines } = this.#deps;
    deadlines.reset('idle-instances-deadline');
    if (watch.view.crashedItems.length > 0) return;
    timers.cancel('takeover');
    timers.succeeded('takeover');
  }

  #scheduleResync(minutes: number): void {
    const { timers } = this.#deps;
    this.#resyncMinutes = minutes;
    timers.cancel('resync');
    if (minutes >= 1) timers.set('resync', minutes * 60_000, () => this.#post(() => this.#resync(minutes)));
  }

  /** Reads everything again, also nodes whose changes are never notified, and reconciles. */
  async #resync(minutes: number): Promise<void> {
    const { registration, watch, housekeeping, logger } = this.#deps;
    if (this.#resyncMinutes === minutes) this.#scheduleResync(minutes);
    if (registration.session === undefined) return;
    watch.forgetReadings();
    try {
      await watch.readAll();
      housekeeping.noteLeftovers(await watch.sync());
      await housekeeping.dropFormerSuccessors();
    } catch (error) {
      // The next reconciliation, when the registry centre answers again, reads what it needs.
      logger.debug(`could not read everything again: ${describeCause(error)}`);
    }
    await this.reconcile();
  }
}

/** The fault to store for an obstacle; `undefined` if other nodes show it. */
function faultOf(obstacle: Obstacle | undefined): StoredInstanceFault | undefined {
  if (obstacle?.isOnlyKnownHere !== true || obstacle.effect === 'disabled') return undefined;
  return { state: obstacle.effect, reason: obstacle.reason };
}
