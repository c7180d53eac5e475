/**
 * The rules: what an instance should do next, decided from how things are. No I/O, no clock, no memory: the same
 * situation always gives the same actions, and a settled job gives none. Each action is performed by a guarded write
 * that only one instance can win, so a stale plan does no harm and a missed notification heals at the next look.
 *
 * | Rule | Performed by | Java's counterpart |
 * |---|---|---|
 * | stop | job-runtime | InstanceShutdownStatusJobListener |
 * | returnToServers | registration | – (Java never comes back) |
 * | standForElection | election | LeaderElectionJobListener |
 * | abdicate | election | LeaderAbdicationJobListener |
 * | requestResharding | sharding | ShardingTotalCountChanged-, ListenServersChangedJobListener |
 * | reshard | sharding | ShardingService, at the leader's next firing |
 * | clearMarks | item-marks | MonitorExecutionSettingsChangedJobListener |
 * | reschedule | cron-timer | CronSettingAndJobEventChangedJobListener |
 * | runOnce | job-runtime | JobTriggerStatusJobListener |
 * | catchUp | job-runtime | – (Java misses the firing) |
 */
import { availableInstances, type JobView } from '../layout/job-view.js';
import { assignedItems } from './select-items.js';

/** All that a decision may depend on. */
export interface Situation {
  readonly now: JobView;
  readonly me: string;
  readonly myIp: string;
  /** Facts of this instance that are in no node. */
  readonly local: LocalFacts;
}

/** What only this instance knows of itself. */
export interface LocalFacts {
  /** True while no run is in progress here. */
  readonly isIdle: boolean;
  /** Items that this instance marked as running and whose marks it could not remove. */
  readonly leftoverMarks: readonly number[];
  /** What the timer is armed for, as `scheduleKey` says it; `undefined` while it is not armed, or not to be armed. */
  readonly armedFor: string | undefined;
  /** Whether this job is to fire by its cron on this instance. */
  readonly isScheduled: boolean;
  /** What this instance, as the leader, last assigned the items for. */
  readonly assignedFor: AssignedFor | undefined;
  /** Whether the leader has waited long enough for running items. */
  readonly patienceIsOver: boolean;
  /** The last scheduled firing that this instance has decided on. */
  readonly settled: SettledFiring | undefined;
  /**
   * The one recent instant of the schedule that is missing if the item was last begun at `mark`; `undefined` if none is,
   * or more than one, or if nobody can tell. Milliseconds since 1970.
   */
  readonly missedSince: (item: number, mark: number) => number | undefined;
}

/** What an assignment was made for, to see when it is out of date. */
export interface AssignedFor {
  /** `assignmentBasis` of then. */
  readonly basis: string;
  /** Items that stayed where they were because they were running. */
  readonly pinned: readonly number[];
}

/** A firing that this instance has taken its decision on. */
export interface SettledFiring {
  /** Milliseconds since 1970. */
  readonly instant: number;
  /** Items that were this instance's at the decision; whether run or not, they need no second one. */
  readonly items: ReadonlySet<number> | 'all';
}

/** One thing to do. */
export type Action =
  | { readonly type: 'stop' }
  | { readonly type: 'return-to-servers' }
  | { readonly type: 'campaign' }
  | { readonly type: 'abdicate'; readonly bequest: 'resharding' | 'nothing' }
  | { readonly type: 'request-resharding'; readonly reason: string }
  | { readonly type: 'await-idle-items'; readonly items: readonly number[] }
  | { readonly type: 'reshard' }
  | { readonly type: 'clear-marks'; readonly items: readonly number[] }
  | { readonly type: 'reschedule' }
  | { readonly type: 'run-once' }
  | { readonly type: 'catch-up'; readonly instant: number; readonly items: readonly number[] };

type Rule = (situation: Situation) => Action | undefined;

/** What this instance should do next, in this order. */
export function plan(situation: Situation): readonly Action[] {
  // An operator ends an instance by removing its node; nothing else matters then. A lost session is not that: the
  // runtime plans only while the session in which it registered lives.
  if (!situation.now.instances.has(situation.me)) {
    const { now, me } = situation;
    return now.leader === me ? [{ type: 'abdicate', bequest: bequest(now) }, { type: 'stop' }] : [{ type: 'stop' }];
  }
  return RULES.map((rule) => rule(situation)).filter((action) => action !== undefined);
}

const returnToServers: Rule = ({ now, myIp }) => (now.servers.has(myIp) ? undefined : { type: 'return-to-servers' });

const standForElection: Rule = ({ now, me }) =>
  now.leader === undefined && isAvailable(now, me) ? { type: 'campaign' } : undefined;

const abdicate: Rule = ({ now, me, myIp }) =>
  now.leader === me && now.servers.get(myIp) === 'DISABLED' ? { type: 'abdicate', bequest: bequest(now) } : undefined;

/**
 * What a leader leaves to its successor. A Java peer asks for an assignment only if it leads already when it hears of a
 * change, so it never would for the one that ended this instance's leadership.
 */
function bequest(now: JobView): 'resharding' | 'nothing' {
  const isWanted = !now.reshardingNeeded && availableInstances(now).length > 0;
  return isWanted && !staysAsAssigned(now) ? 'resharding' : 'nothing';
}

function staysAsAssigned({ config, items }: JobView): boolean {
  return config?.staticSharding === true && items.every(({ owner }) => owner !== undefined);
}

const requestResharding: Rule = ({ now, me, local }) => {
  if (now.leader !== me || now.reshardingNeeded || now.config === undefined) return undefined;
  if (availableInstances(now).length === 0) return undefined;
  const recounted = now.items.length !== now.config.shardingTotalCount;
  if (recounted) return { type: 'request-resharding', reason: 'the number of items differs from the configured one' };
  if (staysAsAssigned(now)) return undefined;
  const reason = whyAssignmentIsOutdated(now, local.assignedFor);
  return reason === undefined ? undefined : { type: 'request-resharding', reason };
};

function whyAssignmentIsOutdated(now: JobView, assignedFor: AssignedFor | undefined): string | undefined {
  if (assignedFor === undefined) return 'there is a new leader';
  if (assignedFor.basis !== assignmentBasis(now)) return 'instances, servers or settings have changed';
  if (now.items.some(({ owner }) => !now.instances.has(owner ?? ''))) return 'items have no living owner';
  const { pinned } = assignedFor;
  const running = runningItems(now);
  const released = pinned.length > 0 && !pinned.some((item) => running.includes(item));
  return released ? 'items that had to stay with their instance have finished' : undefined;
}

const reshard: Rule = ({ now, me, local }) => {
  if (now.leader !== me || !now.reshardingNeeded || now.config === undefined) return undefined;
  if (availableInstances(now).length === 0) return undefined;
  const busy = runningItems(now);
  return busy.length === 0 || local.patienceIsOver ? { type: 'reshard' } : { type: 'await-idle-items', items: busy };
};

const clearMarks: Rule = ({ now, me, local }) => {
  if (!local.isIdle) return undefined;
  const unmonitored = now.config?.monitorExecution === false;
  const items = now.items
    .filter(
      ({ item, running, owner }) => running && (local.leftoverMarks.includes(item) || (unmonitored && owner === me)),
    )
    .map(({ item }) => item);
  return items.length > 0 ? { type: 'clear-marks', items } : undefined;
};

const reschedule: Rule = ({ now, local }) =>
  now.config !== undefined && local.isScheduled && local.armedFor !== scheduleKey(now.config)
    ? { type: 'reschedule' }
    : undefined;

const runOnce: Rule = ({ now, me, local }) => (now.triggers.has(me) && local.isIdle ? { type: 'run-once' } : undefined);

/**
 * A firing that was due while its item changed hands: the former owner was gone, or told to wait, and the new one was not
 * the owner yet, or not even there. The records tell that exactly this firing is missing.
 */
const catchUp: Rule = ({ now, me, local: { isIdle, settled, missedSince } }) => {
  if (!isIdle || !isAssigned(now) || now.config?.monitorExecution !== true) return undefined;
  const missed = assignedItems(now, me).flatMap(({ item }) => {
    const mark = now.firings.get(item);
    const instant = mark === undefined ? undefined : missedSince(item, mark);
    return instant === undefined || isSettled(settled, item, instant) ? [] : [{ item, instant }];
  });
  const [first] = missed;
  if (first === undefined) return undefined;
  const items = missed.filter(({ instant }) => instant === first.instant).map(({ item }) => item);
  return { type: 'catch-up', instant: first.instant, items };
};

function isSettled(settled: SettledFiring | undefined, item: number, instant: number): boolean {
  if (settled?.instant !== instant) return false;
  return settled.items === 'all' || settled.items.has(item);
}

const RULES: readonly Rule[] = [
  returnToServers,
  abdicate,
  standForElection,
  requestResharding,
  reshard,
  clearMarks,
  reschedule,
  runOnce,
  catchUp,
];

/** Whether the instance is registered, described, and its server enabled. */
export function isAvailable(view: JobView, id: string): boolean {
  return availableInstances(view).some(({ jobInstanceId }) => jobInstanceId === id);
}

/** Whether the items have been assigned, and nobody asks for that to be done anew. */
export function isAssigned(view: JobView): boolean {
  return view.items.length > 0 && !view.reshardingNeeded && !view.processing;
}

/** Whether it is clear whose the items are: they are assigned, or there is nobody to assign them to. */
export function isDecided(view: JobView): boolean {
  return isAssigned(view) || availableInstances(view).length === 0;
}

/** Numbers of the items that somebody runs. */
export function runningItems(view: JobView): readonly number[] {
  return view.items.filter(({ running }) => running).map(({ item }) => item);
}

/** All that an assignment depends on, as one text to compare. */
export function assignmentBasis(view: JobView): string {
  const ids = availableInstances(view).map(({ jobInstanceId }) => jobInstanceId);
  return [view.config?.shardingTotalCount, view.config?.jobShardingStrategyType ?? '', ...ids].join('\n');
}

/** All that the instants of firing depend on, as one text to compare. */
export function scheduleKey({ cron, timeZone }: { readonly cron?: string; readonly timeZone?: string }): string {
  return `${cron ?? ''}\n${timeZone ?? ''}`;
}
