/**
 * The rules: what an instance should do next, decided from how things are. No I/O, no clock, no memory: the same
 * situation always gives the same actions, and a decided job gives none. Each action is performed by a guarded write
 * that only one instance can win, so a stale plan does no harm and a missed notification heals at the next look.
 *
 * | Rule | Performed by | Java's counterpart |
 * |---|---|---|
 * | stop | job-runtime | InstanceShutdownStatusJobListener |
 * | restoreOwnNodes | registration | – (Java never comes back) |
 * | standForElection | leadership | LeaderElectionJobListener |
 * | abdicate | leadership | LeaderAbdicationJobListener |
 * | requestResharding | assignment | ShardingTotalCountChanged-, ListenServersChangedJobListener |
 * | requestInLeadersPlace | leadership, assignment | – (Java loses such requests) |
 * | reshard | leadership, assignment | ShardingService, at the leader's next firing |
 * | reportCrashed | failover | JobCrashedJobListener, LegacyCrashedRunningItemListener |
 * | endFailover | housekeeping | FailoverSettingsChangedJobListener |
 * | tidyUp | housekeeping | – (Java leaves it) |
 * | clearMarks, clearMisfired | item-marks | MonitorExecutionSettingsChangedJobListener |
 * | reschedule | cron-timer | CronSettingAndJobEventChangedJobListener |
 * | runOnce | job-runtime | JobTriggerStatusJobListener |
 * | takeOver | failover | FailoverService.failoverIfNecessary |
 * | recoverMisfires | work-lane | JobTriggerListener, the misfire loop of ElasticJobExecutor |
 * | recoverHandover | work-lane | – (Java misses the firing) |
 *
 * Java's ReconcileService has no rule of its own: a reconciliation is one more look, at a fresh reading of everything.
 */
import { availableInstances, hasJavaPeers, type JobView } from '../../layout/job-view.js';
import {
  type AssignedFor,
  assignmentBasis,
  instantLostInHandover,
  isAssigned,
  isAvailable,
  isMisassigned,
  isRecounted,
  runningItems,
  scheduleKey,
  staysAsAssigned,
} from '../view/assignment.js';
import {
  cleanupOwner,
  deadRuns,
  failoverRemains,
  idleReports,
  mayPurgeRecordOf,
  shareOfCrashed,
} from '../view/crashes.js';
import { type Firing } from '../view/firing.js';
import { assignedItems, failsOver, isFree, numbersOf, wasBegun } from '../view/items.js';
import { type Action, type DecidedFiring, type PlanInput } from './plan-input.js';

type Rule = (situation: PlanInput) => Action | undefined;

/** What this instance should do next, in this order. */
export function plan(situation: PlanInput): readonly Action[] {
  // An operator ends an instance by removing its node; nothing else matters then. A lost session is not that: the
  // runtime plans only while the session in which it registered lives.
  if (!situation.now.instances.has(situation.me)) {
    const { now, me } = situation;
    return now.leader === me ? [{ type: 'abdicate', leaving: leaving(now) }, { type: 'stop' }] : [{ type: 'stop' }];
  }
  return RULES.map((rule) => rule(situation)).filter((action) => action !== undefined);
}

const restoreOwnNodes: Rule = ({ now, me, myIp }) =>
  now.servers.has(myIp) && now.live.has(me) && now.beginRecords.has(me) ? undefined : { type: 'restore-own-nodes' };

const standForElection: Rule = ({ now, me }) =>
  now.leader === undefined && isAvailable(now, me) ? { type: 'campaign' } : undefined;

const abdicate: Rule = ({ now, me, myIp }) =>
  now.leader === me && now.servers.get(myIp) === 'DISABLED' ? { type: 'abdicate', leaving: leaving(now) } : undefined;

/**
 * What a leader leaves to its successor. A Java peer asks for an assignment only if it leads already when it hears of a
 * change, so it never would for the one that ended this instance's leadership.
 */
function leaving(now: JobView): 'resharding' | 'nothing' {
  const isWanted = !now.reshardingNeeded && availableInstances(now).length > 0;
  return isWanted && !staysAsAssigned(now) ? 'resharding' : 'nothing';
}

const requestResharding: Rule = ({ now, me, local }) => {
  if (now.leader !== me || now.reshardingNeeded || now.config === undefined) return undefined;
  if (availableInstances(now).length === 0) return undefined;
  if (isRecounted(now, now.config.shardingTotalCount))
    return { type: 'request-resharding', reason: 'the number of items differs from the configured one' };
  if (staysAsAssigned(now)) return undefined;
  const reason = whyAssignmentIsOutdated(now, local.assignedFor);
  return reason === undefined ? undefined : { type: 'request-resharding', reason };
};

function whyAssignmentIsOutdated(now: JobView, assignedFor: AssignedFor | undefined): string | undefined {
  if (assignedFor === undefined) return 'there is a new leader';
  if (assignedFor.basis !== assignmentBasis(now)) return 'instances, servers or settings have changed';
  const total = now.config?.shardingTotalCount ?? 0;
  // One that is too many and still runs belongs to nobody any more.
  if (now.items.some(({ item, owner }) => item < total && !now.instances.has(owner ?? '')))
    return 'items have no living owner';
  const { pinned } = assignedFor;
  const running = runningItems(now);
  const released = pinned.some((item) => !running.includes(item));
  return released ? 'items that had to stay with their instance have finished' : undefined;
}

/**
 * A Java leader loses a request that comes while it assigns the items, and one that comes while it is being elected. It then
 * does nothing until instances change once more; but it heeds a request whoever makes it.
 */
const requestInLeadersPlace: Rule = ({ now, me, local: { overdueAssignment } }) => {
  if (cleanupOwner(now) !== me || !isOverdue(now)) return undefined;
  const basis = assignmentBasis(now);
  if (overdueAssignment?.basis !== basis) return { type: 'wait-for-java-leader', basis };
  return overdueAssignment.state === 'due' ? { type: 'request-in-leaders-place', basis } : undefined;
};

/** Whether a Java leader takes an assignment for decided that does not fit the instances. */
function isOverdue(now: JobView): boolean {
  const { leader, javaPeers } = now;
  return leader !== undefined && javaPeers.has(leader) && isAssigned(now) && isMisassigned(now);
}

const reshard: Rule = ({ now, me, local }) => {
  if (now.leader !== me || !now.reshardingNeeded || now.config === undefined) return undefined;
  if (availableInstances(now).length === 0 || local.hasFlappingPeers) return undefined;
  const busy = runningItems(now);
  return busy.length === 0 || local.idleItemsDeadlinePassed
    ? { type: 'reshard' }
    : { type: 'await-idle-items', items: busy };
};

const clearMarks: Rule = ({ now, me, local }) => {
  const unmonitored = now.config?.monitorExecution === false;
  const items = now.items
    .filter(
      ({ item, running, owner }) =>
        running && !local.busy.has(item) && (local.leftoverMarks.includes(item) || (unmonitored && owner === me)),
    )
    .map(({ item }) => item);
  return items.length > 0 ? { type: 'clear-marks', items } : undefined;
};

const reschedule: Rule = ({ now, local }) =>
  now.config !== undefined && local.isScheduled && local.armedFor !== scheduleKey(now.config)
    ? { type: 'reschedule' }
    : undefined;

/**
 * A trigger belongs to no instant by which it could be told what has been run. So it waits for the assignment that all others
 * go by too, if it is clear that there will be another one.
 */
const runOnce: Rule = ({ now, me, local }) => {
  if (!(now.triggers.has(me) || local.isTriggerInDoubt) || !local.canBegin) return undefined;
  return isMisassigned(now) && !local.triggerDeadlinePassed ? { type: 'await-assignment' } : { type: 'run-once' };
};

/** What was due while it could not be run follows as soon as it can be, once for all instants that were missed. */
const recoverMisfires: Rule = ({ now, me, local }) => {
  const { canBegin, busy, backlog } = local;
  if (!canBegin || !isAssigned(now) || !isAvailable(now, me)) return undefined;
  if (backlog.trigger) return begin({ cause: 'manual', instant: undefined });
  const free = assignedItems(now, me).filter((item) => !item.disabled && isFree(now, item, busy));
  const triggered = free.filter(({ item }) => backlog.triggered.has(item));
  if (triggered.length > 0) return begin({ cause: 'manual', instant: undefined, items: numbersOf(triggered) });
  if (backlog.instant !== undefined && (!backlog.hasLostSession || isOnRecord(now)))
    return begin({ cause: 'misfire', instant: backlog.instant });
  return recoverItems(
    free.flatMap(({ item, misfired }) => {
      const instant = backlog.missed.get(item) ?? (misfired && isMisfiring(now) ? local.latestInstant() : undefined);
      return instant === undefined || wasBegun(now, item, instant) ? [] : [{ item, instant }];
    }),
    'misfire',
  );
};

/** Whether all that is begun is written down, by everybody. */
const isOnRecord = (view: JobView): boolean => view.config?.monitorExecution === true && !hasJavaPeers(view);

/** One firing for one instant; the others follow when this one has begun. */
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
/** Whether marks tell what has been missed. Without monitorExecution nothing would tell that it has been made up for. */
const isMisfiring = ({ config }: JobView): boolean => config?.misfire === true && config.monitorExecution;

/** Idle instances take over at once, busy ones when they have finished; or when that takes too long. */
const takeOver: Rule = ({ now, me, local: { canBegin, isIdle, busy, mayTakeOver, idleInstancesDeadlinePassed } }) => {
  if (!canBegin || !mayTakeOver) return undefined;
  const share = shareOfCrashed(now, me, busy);
  if (share.length === 0) return undefined;
  return isIdle || idleInstancesDeadlinePassed
    ? begin({ cause: 'failover', instant: undefined })
    : { type: 'await-idleness', items: numbersOf(share) };
};

/** Marks that say that a firing was missed, although that has been made up for, or is not to be. */
const clearMisfired: Rule = ({ now, me, local }) => {
  const isOver = (item: number): boolean => {
    const instant = local.latestInstant();
    if (instant !== undefined) return wasBegun(now, item, instant);
    // Who leaves has no instants any more; its successor has.
    return now.config?.cron === undefined;
  };
  const items = assignedItems(now, me).filter(
    ({ item, misfired, disabled, running }) => misfired && !running && (disabled || !isMisfiring(now) || isOver(item)),
  );
  return items.length > 0 ? { type: 'clear-misfired', items: numbersOf(items) } : undefined;
};

const reportCrashed: Rule = ({ now, me, local }) => {
  // Settings that cannot be read do not say that nobody is to be rescued.
  if (now.config === undefined) return undefined;
  const dead = deadRuns(now, me, local.hasLostTrackOf);
  if (dead.length === 0) return undefined;
  // Without failover they are merely in the way, and one who removes them is enough.
  const isMine = failsOver(now) ? local.isIdle || !isAnyJavaAvailable(now) : cleanupOwner(now) === me;
  return isMine || dead.some(({ item }) => item.runningOn === me) ? { type: 'report-crashed' } : undefined;
};

/**
 * Whether a Java peer could take items over. It notices a crash only by the marks that a report removes, so one who is busy
 * and cannot take over itself leaves it to the peer.
 */
function isAnyJavaAvailable(view: JobView): boolean {
  return availableInstances(view).some(({ jobInstanceId }) => view.javaPeers.has(jobInstanceId));
}

/** What failover has left behind when it is switched off, or when the number of items is reduced. */
const endFailover: Rule = ({ now, me }) =>
  now.config !== undefined && cleanupOwner(now) === me && failoverRemains(now).length > 0 ? END_FAILOVER : undefined;
const END_FAILOVER: Action = { type: 'end-failover' };

/** What instances that are gone have left, or a leader that leads no more; and whom a Java peer wants to run next. */
const tidyUp: Rule = ({ now, me }) => {
  const isLeft = (id: string): boolean => mayPurgeRecordOf(now, id);
  if (cleanupOwner(now) !== me) return undefined;
  if ([...now.beginRecords.keys(), ...now.triggers].some(isLeft) || idleReports(now).length > 0)
    return { type: 'tidy-up' };
  // Java 3.0.5 goes by it instead of the assignment: an item would run twice, or never, if it named another one than its owner.
  if (now.nextJobInstanceIp !== undefined) return { type: 'tidy-up' };
  return now.leader === me && now.processing && !now.reshardingNeeded ? { type: 'tidy-up' } : undefined;
};

const removeServers: Rule = ({ now, me, local }) => {
  const used = new Set([...now.instances.values()].map(({ serverIp }) => serverIp));
  const ips = local.offlineServers.filter((ip) => now.servers.get(ip) === 'ENABLED' && !used.has(ip));
  return cleanupOwner(now) === me && ips.length > 0 ? { type: 'remove-servers', ips } : undefined;
};

/**
 * A firing that was due while its item changed hands: the former owner was gone, or told to wait, and the new one was not
 * the owner yet, or not even there. The records tell that exactly this firing is missing.
 */
const recoverHandover: Rule = ({ now, me, local: { canBegin, busy, decided, missedInstant } }) => {
  if (!canBegin || !isAssigned(now)) return undefined;
  const missed = assignedItems(now, me)
    .filter((item) => isFree(now, item, busy))
    .flatMap(({ item }) => {
      const instant = instantLostInHandover(now, item, missedInstant);
      return instant === undefined || isDecidedOn(decided, item, instant) ? [] : [{ item, instant }];
    });
  return recoverItems(missed, 'catch-up');
};

function isDecidedOn(decided: DecidedFiring | undefined, item: number, instant: number): boolean {
  if (decided?.instant !== instant) return false;
  return decided.items === 'all' || decided.items.has(item);
}

const RULES: readonly Rule[] = [
  restoreOwnNodes,
  reportCrashed,
  abdicate,
  standForElection,
  requestResharding,
  requestInLeadersPlace,
  reshard,
  endFailover,
  tidyUp,
  removeServers,
  clearMarks,
  clearMisfired,
  reschedule,
  runOnce,
  takeOver,
  recoverMisfires,
  recoverHandover,
];
