/**
 * The rules: they decide from the present state which actions this instance performs next. No I/O, no clock, no memory:
 * the same input always gives the same actions, and a settled job gives none. Each action is performed by a guarded
 * write that only one instance can win, so an outdated plan does no harm, and a missed notification heals at the next
 * reconciliation.
 *
 * | Rule | Performed by | Java's counterpart |
 * |---|---|---|
 * | stop | job-runtime | InstanceShutdownStatusJobListener |
 * | awaitRemoval | control-lane | – (Java makes nothing again by itself) |
 * | restoreOwnNodes | registration | – (Java never comes back) |
 * | standForElection | leadership | LeaderElectionJobListener |
 * | abdicate | leadership | LeaderAbdicationJobListener |
 * | requestResharding | assignment | ShardingTotalCountChanged-, ListenServersChangedJobListener |
 * | requestInLeadersPlace | leadership, assignment | – (Java loses such requests) |
 * | reshard | assignment | ShardingService, at the leader's next firing |
 * | softStop | work-lane | – (a Java dataflow job asks before each batch) |
 * | reportCrashed | crash-reports | JobCrashedJobListener, LegacyCrashedRunningItemListener |
 * | endFailover | housekeeping | FailoverSettingsChangedJobListener |
 * | tidyUp, removeServers | housekeeping | – (Java leaves it) |
 * | clearMarks, clearMisfired | mark-removal, item-marks | MonitorExecutionSettingsChangedJobListener |
 * | forgetMissed | work-lane | – (Java asks at the end of each run) |
 * | reschedule | cron-timer | CronSettingAndJobEventChangedJobListener |
 * | acceptTrigger | trigger-acceptance | JobTriggerStatusJobListener |
 * | dropTriggered | trigger-acceptance | – (Java drops a trigger that comes during a run) |
 * | takeOver | takeover | FailoverService.failoverIfNecessary |
 * | recoverMisfires | work-lane | JobTriggerListener, the misfire loop of ElasticJobExecutor |
 * | recoverHandover | work-lane | – (Java misses the firing) |
 * | followUpstreams, completeRounds, runDue | upstreams, round-completion, work-lane | – (Java has no dependencies) |
 * | followOwnShare | job-watch | – (Java watches everything) |
 * | scheduleResync, awaitFlappingPeers, endTakeoverWait, endTriggerWait | control-lane | ReconcileService |
 *
 * The repairs of Java's ReconcileService need no rules of their own: a resync is one more reconciliation, after
 * everything was read again.
 */
import { availableInstances, hasJavaPeers, type ItemView, type JobView } from '../../layout/job-view.js';
import {
  type AssignedFor,
  assignmentBasis,
  wasCompletionCalled,
  isAssigned,
  isAvailable,
  isMisassigned,
  isRecounted,
  itemsToAwait,
  runningItems,
  scheduleKey,
  staysAsAssigned,
} from '../view/assignment.js';
import {
  cleanupOwner,
  failoverRemains,
  obsoleteCrashReports,
  isReported,
  mayPurgeRecordOf,
  shareOfCrashed,
} from '../view/crashes.js';
import { type Firing } from '../view/firing.js';
import { mayFollowOwnShare } from '../view/own-share.js';
import { assignedItems, failsOver, isFree, isInAssignment, numbersOf, wasBegun } from '../view/items.js';
import { nextParameters } from '../../layout/waiting-runs.js';
import { completeRounds, followUpstreams, runDue } from './graph-rules.js';
import { undueTriggers } from './undue-triggers.js';
import { type Action, type DecidedFiring, type LocalState, type PlanInput } from './plan-input.js';
import { isLosingNodes, lacksOwnNodes, wasLeaderRemoved, wereItemsRemoved } from './removal.js';

type Rule = (input: PlanInput) => Action | undefined;

/** The next actions of this instance, in the order in which they are to be performed. */
export function plan(input: PlanInput): readonly Action[] {
  // An operator ends an instance by removing its node; nothing else matters then. A lost session is not that: the
  // control lane plans only while the session in which the instance registered lives.
  if (!input.now.instances.has(input.me)) {
    const { now, me } = input;
    return now.leader === me ? [{ type: 'abdicate', requesting: wanted(now) }, { type: 'stop' }] : [{ type: 'stop' }];
  }
  // Drop first: the other rules must not plan a dropped firing.
  const drop = forgetMissed(input);
  if (drop !== undefined) return [drop];
  return RULES.map((rule) => rule(input)).filter((action) => action !== undefined);
}

const awaitRemoval: Rule = (input) => {
  const isWaiting = input.local.removalWait !== 'none';
  const isLosing = isLosingNodes(input);
  if (isLosing === isWaiting) return undefined;
  return { type: isLosing ? 'await-removal' : 'end-removal-wait' };
};

const restoreOwnNodes: Rule = (input) => {
  const { now, me, local } = input;
  // `TRIGGER` in its node triggers an instance, and no longer describes it.
  const own = now.instances.get(me);
  // A copy of the tree that was written back made the node persistent: it would outlive this instance.
  const isSound = own?.readable === true && own.session !== undefined;
  const isToRestore = !isSound || (lacksOwnNodes(input) && local.removalWait === 'over');
  return isToRestore ? { type: 'restore-own-nodes' } : undefined;
};

const standForElection: Rule = (input) => {
  const { now, me, local } = input;
  if (now.leader !== undefined || !isAvailable(now, me)) return undefined;
  return wasLeaderRemoved(input) && local.removalWait !== 'over' ? undefined : { type: 'campaign' };
};

const abdicate: Rule = ({ now, me, myIp }) =>
  now.leader === me && now.servers.get(myIp) === 'DISABLED' ? { type: 'abdicate', requesting: wanted(now) } : undefined;

/**
 * The request of an abdicating leader to its successor. A Java peer asks for an assignment only if it leads already
 * when it is notified of a change, so it would never ask because of the change that ended this instance's leadership.
 */
function wanted(now: JobView): 'assignment' | 'nothing' {
  const isWanted = !now.reshardingNeeded && availableInstances(now).length > 0;
  return isWanted && !staysAsAssigned(now) ? 'assignment' : 'nothing';
}

const requestResharding: Rule = (input) => {
  const { now, me, local } = input;
  if (now.leader !== me || now.reshardingNeeded || now.config === undefined) return undefined;
  if (availableInstances(now).length === 0) return undefined;
  // An accepted trigger runs by the assignment under which it was accepted. If there was none yet, it waits for the
  // first one.
  if (local.isBeginningManually && isAssigned(now)) return undefined;
  if (wereItemsRemoved(input) && local.removalWait !== 'over') return undefined;
  const total = now.config.shardingTotalCount;
  if (now.items.length === 0)
    return { type: 'request-resharding', reason: 'they have not been assigned to any instance yet' };
  if (isRecounted(now, total))
    return { type: 'request-resharding', reason: 'the number of items differs from the configured one' };
  if (staysAsAssigned(now)) return undefined;
  const reason = whyAssignmentIsOutdated(now, total, local.assignedFor);
  return reason === undefined ? undefined : { type: 'request-resharding', reason };
};

function whyAssignmentIsOutdated(
  now: JobView,
  total: number,
  assignedFor: AssignedFor | undefined,
): string | undefined {
  if (assignedFor === undefined) return 'there is a new leader, or the answer to its last assignment was lost';
  if (assignedFor.basis !== assignmentBasis(now)) return 'instances, servers or settings have changed';
  // A surplus item that still runs is unowned from now on.
  if (now.items.some(({ item, owner }) => item < total && !now.instances.has(owner ?? '')))
    return 'items have no living owner';
  const { pinned } = assignedFor;
  const running = new Set(runningItems(now));
  const released = pinned.some((item) => !running.has(item));
  return released ? 'items that had to stay with their instance have finished' : undefined;
}

/**
 * A Java leader loses a request that comes while it assigns the items, or while it is being elected. It then assigns
 * nothing until instances change once more; but it answers a request of any instance.
 */
const requestInLeadersPlace: Rule = ({ now, me, local: { overdueAssignment } }) => {
  if (cleanupOwner(now) !== me || !isOverdue(now)) return undefined;
  const basis = assignmentBasis(now);
  if (overdueAssignment?.basis !== basis) return { type: 'wait-for-java-leader', basis };
  return overdueAssignment.state === 'due' ? { type: 'request-in-leaders-place', basis } : undefined;
};

/** True if a Java leader does nothing about an assignment that does not fit the instances. */
function isOverdue(now: JobView): boolean {
  const { leader, javaPeers } = now;
  return leader !== undefined && javaPeers.has(leader) && isAssigned(now) && isMisassigned(now);
}

const reshard: Rule = ({ now, me, local }) => {
  if (now.leader !== me || !now.reshardingNeeded || now.config === undefined) return undefined;
  if (local.readdedHandledForRevision !== now.configRevision) return { type: 'mark-readded-as-not-due' };
  if (availableInstances(now).length === 0 || local.hasFlappingPeers) return undefined;
  if (local.strategyWaitsFor === assignmentBasis(now)) return undefined;
  const busy = itemsToAwait(now);
  return busy.length === 0 || local.idleItemsDeadlinePassed
    ? { type: 'reshard' }
    : { type: 'await-idle-items', items: busy };
};

/** The leader waits for the items that run: they may end early, between two batches. */
const softStop: Rule = ({ now, local }) =>
  now.reshardingNeeded && local.busy.size > 0 ? { type: 'soft-stop' } : undefined;

/**
 * Before `takeOver`: if a run has ended here although a peer reported it as crashed, the report is withdrawn, so that
 * no instance runs the item again.
 */
const clearMarks: Rule = ({ now, me, local }) => {
  const isUnmonitored = now.config?.monitorExecution === false;
  const left = new Set(local.leftovers.map(({ item }) => item));
  const reported = reportedAfterEnd(now, local);
  const isToClear = ({ item, running, owner }: ItemView): boolean => {
    const isMarked = running && (left.has(item) || (isUnmonitored && owner === me));
    return isMarked || reported.has(item);
  };
  const items = now.items.filter((item) => !local.busy.has(item.item) && isToClear(item));
  return items.length > 0 ? { type: 'clear-marks', items: numbersOf(items) } : undefined;
};

/** Items that wait to be taken over although their run has ended here. */
function reportedAfterEnd(now: JobView, { rerunByPeers, leftovers }: LocalState): ReadonlySet<number> {
  return new Set(numbersOf([...rerunByPeers, ...leftovers].filter((run) => isReported(now, run))));
}

/**
 * Firings that items, or the whole instance, have missed while they were busy are not recovered once `misfire` is off.
 */
const forgetMissed: Rule = ({ now, local: { backlog } }) =>
  now.config?.misfire === false && (backlog.missedByItem.size > 0 || backlog.isDroppedIfMisfireTurnsOff)
    ? { type: 'forget-missed' }
    : undefined;

const reschedule: Rule = ({ now, local }) =>
  now.config !== undefined && local.isScheduled && local.armedFor !== scheduleKey(now.config)
    ? { type: 'reschedule' }
    : undefined;

/**
 * A trigger carries no instant, so no instance can see later for which assignment it ran. If another assignment is
 * clearly due, the trigger waits for it, for 2 seconds at most.
 */
const acceptTrigger: Rule = (input) => {
  const { now, me, local } = input;
  if (!now.triggers.has(me) || !local.canBegin) return undefined;
  return isMisassigned(now) && local.assignmentWait !== 'over'
    ? { type: 'await-assignment' }
    : (keptFiring(input) ?? { type: 'accept-trigger' });
};

/**
 * Items that were triggered and cannot be run any more must not be run hours later, when an operator enables them
 * again.
 */
const dropTriggered: Rule = ({ now, me }) => {
  const items = undueTriggers(now, me);
  return items.length > 0 ? { type: 'drop-triggered', items } : undefined;
};

/**
 * With `misfire: false`, a firing that was kept during a takeover runs before a trigger: peers move on to later firings
 * during the manual run, and this one would come after them.
 */
function keptFiring({ now, me, local: { backlog } }: PlanInput): Action | undefined {
  const { missedInstant, hasLostSession } = backlog;
  if (missedInstant === undefined || now.config?.misfire !== false) return undefined;
  const mayBegin = isAssigned(now) && isAvailable(now, me) && (!hasLostSession || isStillDue(now, missedInstant));
  return mayBegin ? begin({ cause: 'misfire', instant: missedInstant }) : undefined;
}

/** The next trigger may wait for an assignment again. */
const endTriggerWait: Rule = ({ now, me, local }) =>
  local.assignmentWait !== 'none' && !now.triggers.has(me) ? { type: 'end-trigger-wait' } : undefined;

/** Runs missed firings as soon as they can run: one run for all the instants that were missed. */
const recoverMisfires: Rule = (input) => {
  const { now, me, local } = input;
  const { canBegin, busy, backlog } = local;
  if (!canBegin || !isAssigned(now) || !isAvailable(now, me)) return undefined;
  const free = assignedItems(now, me).filter((item) => !item.disabled && isFree(now, item, busy));
  const triggered = keptFiring(input) ?? runTriggered(now, me, free);
  if (triggered !== undefined) return triggered;
  if (backlog.missedInstant !== undefined && (!backlog.hasLostSession || isStillDue(now, backlog.missedInstant)))
    return begin({ cause: 'misfire', instant: backlog.missedInstant });
  const missedIn = (item: ItemView): number | undefined =>
    backlog.missedByItem.get(item.item) ?? (item.misfired && isMisfiring(now) ? local.latestInstant : undefined);
  return recoverItems(
    free.flatMap((item) => {
      // A run leaves out items outside the assignment. If such an item were planned, it would be planned again and
      // again.
      const instant = isInAssignment(now, item.item) ? missedIn(item) : undefined;
      return instant === undefined || wasBegun(now, item.item, instant) ? [] : [{ item: item.item, instant }];
    }),
    'misfire',
  );
};

/**
 * Runs items that were triggered with the same job parameter: those of a trigger of all items first, which begins a
 * firing of its own.
 */
function runTriggered(now: JobView, me: string, free: readonly ItemView[]): Action | undefined {
  if (now.acceptedTriggers.size === 0) return undefined;
  const waiting = now.acceptedTriggers.get(me)?.waiting ?? [];
  const ofAll = waiting.find(({ isForAll, items }) => isForAll && free.some(({ item }) => items.has(item)));
  if (ofAll !== undefined) return begin({ cause: 'manual', instant: undefined, jobParameter: ofAll.jobParameter });
  const next = nextParameters(now);
  const [first] = free.filter(({ item }) => next.has(item));
  if (first === undefined) return undefined;
  const jobParameter = next.get(first.item);
  const isLikeFirst = ({ item }: ItemView): boolean => next.has(item) && next.get(item) === jobParameter;
  return begin({ cause: 'manual', instant: undefined, items: numbersOf(free.filter(isLikeFirst)), jobParameter });
}

/**
 * True if a firing that came without a session may still be run: its last once-listener has not been called, and the
 * runs of peers are on record.
 */
const isStillDue = (view: JobView, instant: number): boolean => isOnRecord(view) && !wasCompletionCalled(view, instant);

/** True if every instance writes down the runs that it begins. */
const isOnRecord = (view: JobView): boolean => view.config?.monitorExecution === true && !hasJavaPeers(view);

/** One firing for one instant; other instants follow when this one has begun. */
function recoverItems(
  missed: readonly { readonly item: number; readonly instant: number }[],
  cause: 'misfire' | 'catch-up',
): Action | undefined {
  const [first] = missed;
  if (first === undefined) return undefined;
  return begin({
    cause,
    instant: first.instant,
    items: missed.filter(({ instant }) => instant === first.instant).map(({ item }) => item),
  });
}

const begin = (firing: Firing): Action => ({ type: 'begin', firing });
/** True if `misfire` marks count. Without monitorExecution, nothing would show that a misfire was recovered. */
const isMisfiring = ({ config }: JobView): boolean => config?.misfire === true && config.monitorExecution;

/** Idle instances take over at once; a busy one when it has finished, or when that takes too long. */
const takeOver: Rule = ({ now, me, local }) => {
  const { canBegin, isIdle, busy, mayTakeOver, idleInstancesWait } = local;
  if (!canBegin || !mayTakeOver) return undefined;
  const reported = reportedAfterEnd(now, local);
  const share = shareOfCrashed(now, me, busy).filter(({ item }) => !reported.has(item));
  if (share.length === 0) return undefined;
  return isIdle || idleInstancesWait === 'over'
    ? begin({ cause: 'failover', instant: undefined })
    : { type: 'await-idle-instances', items: numbersOf(share) };
};

/** The next crash starts with a fresh wait, and with takeovers that are tried at once. */
const endTakeoverWait: Rule = ({ now, local: { isIdle, idleInstancesWait, mayTakeOver } }) => {
  const isWaiting = idleInstancesWait !== 'none' && (isIdle || now.crashedItems.length === 0);
  const isRetrying = !mayTakeOver && now.crashedItems.length === 0;
  return isWaiting || isRetrying ? { type: 'end-takeover-wait' } : undefined;
};

/** Removes `misfire` nodes without a meaning: the firing was recovered, the item is disabled, or `misfire` is off. */
const clearMisfired: Rule = ({ now, me, local }) => {
  // Settings that cannot be read do not mean that misfire is off.
  if (now.config === undefined) return undefined;
  const { cron } = now.config;
  const misfired = assignedItems(now, me).filter((item) => item.misfired && !item.running);
  if (misfired.length === 0) return undefined;
  // A peer whose clock is ahead may have marked the item for an instant that is still to come here.
  const { isNextInstantNear: mayBeEarly, latestInstant: instant } = local;
  const isOver = (item: number): boolean => {
    if (mayBeEarly) return false;
    if (instant !== undefined) return wasBegun(now, item, instant);
    // An instance that is stopping has no instants any more; its successor has.
    return cron === undefined;
  };
  const items = misfired.filter(({ item, disabled }) => disabled || !isMisfiring(now) || isOver(item));
  return items.length > 0 ? { type: 'clear-misfired', items: numbersOf(items) } : undefined;
};

const reportCrashed: Rule = ({ now, me, local }) => {
  // Settings that cannot be read do not mean that failover is off.
  if (now.config === undefined) return undefined;
  const { dead } = local;
  if (dead.length === 0) return undefined;
  // Without failover, dead marks are only in the way, and one instance that removes them is enough.
  const isMine = failsOver(now) ? local.isIdle || !isAnyJavaAvailable(now) : cleanupOwner(now) === me;
  return isMine || dead.some(({ item }) => item.runningOn === me) ? { type: 'report-crashed' } : undefined;
};

/**
 * True if a Java peer could take items over. It notices a crash only by the marks that a report removes, so an instance
 * that is busy, and cannot take over itself, leaves the report to the Java peer.
 */
function isAnyJavaAvailable(view: JobView): boolean {
  return availableInstances(view).some(({ jobInstanceId }) => view.javaPeers.has(jobInstanceId));
}

/** Removes leftovers of failover after it was switched off, or after the number of items was reduced. */
const endFailover: Rule = ({ now, me }) =>
  now.config !== undefined && cleanupOwner(now) === me && failoverRemains(now).length > 0 ? END_FAILOVER : undefined;
const END_FAILOVER: Action = { type: 'end-failover' };

/**
 * Removes leftovers of instances that are gone and of former leaders, and the note of the next runner that Java peers
 * make.
 */
const tidyUp: Rule = ({ now, me, local }) => {
  const isLeft = (id: string): boolean => mayPurgeRecordOf(now, id);
  if (cleanupOwner(now) !== me) return undefined;
  if ([...now.beginRecords.keys(), ...now.triggers].some(isLeft) || obsoleteCrashReports(now).length > 0)
    return { type: 'tidy-up' };
  if (local.spentAcceptances.some((id) => now.acceptedTriggers.get(id)?.waiting.length === 0))
    return { type: 'tidy-up' };
  // Java 3.0.5 goes by this note instead of the assignment: an item would run twice, or never, if it did not name the
  // owner.
  if (now.nextJobInstanceIp !== undefined) return { type: 'tidy-up' };
  return now.leader === me && now.processing && !now.reshardingNeeded ? { type: 'tidy-up' } : undefined;
};

const removeServers: Rule = ({ now, me, local }) => {
  const used = new Set([...now.instances.values()].map(({ serverIp }) => serverIp));
  const ips = local.offlineServers.filter((ip) => now.servers.get(ip) === 'ENABLED' && !used.has(ip));
  return cleanupOwner(now) === me && ips.length > 0 ? { type: 'remove-servers', ips } : undefined;
};

/**
 * Runs a firing that was lost while its item changed its owner: the former owner was gone, or had to wait, and the new
 * one did not own the item yet. The records show that exactly this firing is missing.
 */
const recoverHandover: Rule = ({ now, me, local: { canBegin, busy, decided, lostInHandover } }) => {
  if (!canBegin || !isAssigned(now) || !isAvailable(now, me)) return undefined;
  const missed = assignedItems(now, me)
    .filter((item) => isFree(now, item, busy))
    .flatMap(({ item }) => {
      const instant = lostInHandover.get(item);
      return instant === undefined || isDecidedOn(decided, item, instant) ? [] : [{ item, instant }];
    });
  return recoverItems(missed, 'catch-up');
};

function isDecidedOn(decided: DecidedFiring | undefined, item: number, instant: number): boolean {
  return decided?.instant === instant && decided.items.has(item);
}

/** Re-checks the whole job now and then although nothing has changed (manual, `reconcileIntervalMinutes`). */
const scheduleResync: Rule = ({ now, local }) => {
  const minutes = now.config?.reconcileIntervalMinutes;
  return minutes === undefined || minutes === local.resyncMinutes ? undefined : { type: 'schedule-resync', minutes };
};

/** A Java instance that has vanished counts as gone after a while, and no notification comes then. */
const awaitFlappingPeers: Rule = ({ local }) =>
  local.hasFlappingPeers && !local.isAwaitingFlappingPeers ? { type: 'await-flapping-peers' } : undefined;

/** While a job only fires, the items of other instances concern the leader alone: it assigns, repairs and tidies up. */
const followOwnShare: Rule = ({ now, me, local }) =>
  !local.isNarrowed && local.isIdle && mayFollowOwnShare(now, me) && local.sinceSignificantChangeMs >= FIRING_ONLY_MS
    ? { type: 'follow-own-share' }
    : undefined;

/** How long a job must have done nothing but fire before its instances stop listening to each other's items. */
const FIRING_ONLY_MS = 5_000;

const RULES: readonly Rule[] = [
  scheduleResync,
  awaitFlappingPeers,
  endTriggerWait,
  endTakeoverWait,
  awaitRemoval,
  restoreOwnNodes,
  reportCrashed,
  abdicate,
  standForElection,
  requestResharding,
  requestInLeadersPlace,
  softStop,
  reshard,
  endFailover,
  tidyUp,
  removeServers,
  clearMarks,
  clearMisfired,
  reschedule,
  followUpstreams,
  completeRounds,
  acceptTrigger,
  dropTriggered,
  takeOver,
  recoverMisfires,
  recoverHandover,
  runDue,
  followOwnShare,
];
