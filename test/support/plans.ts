import { type Action, type Backlog, type LocalState } from '../../lib/kernel/rules/plan-input.js';
import { plan } from '../../lib/kernel/rules/plan.js';
import { assignmentBasis, lostInHandover, type MissedInstant, scheduleKey } from '../../lib/kernel/view/assignment.js';
import { deadRuns } from '../../lib/kernel/view/crashes.js';
import { type JobView } from '../../lib/layout/job-view.js';
import { idOf, ipOf } from './views.js';

/** An instance that has missed nothing. */
export const NO_BACKLOG: Backlog = {
  missedInstant: undefined,
  isDroppedIfMisfireTurnsOff: false,
  hasLostSession: false,
  missedByItem: new Map(),
};

/** The knowledge of an instance besides the view, from which the control lane makes facts. */
export interface LocalFacts extends Partial<LocalState> {
  readonly missedInstant?: MissedInstant;
  readonly hasLostTrackOf?: (item: number) => boolean;
}

/** Names of what the instance `name` plans in `now`. */
export function planOf(name: string, now: JobView, local: LocalFacts = {}): string[] {
  return actionsOf(name, now, local).map(({ type }) => type);
}

/**
 * The actions that the idle instance `name` plans in `now`; a leader has made the present assignment, unless `local`
 * says otherwise.
 */
export function actionsOf(name: string, now: JobView, local: LocalFacts = {}): readonly Action[] {
  const { missedInstant = () => undefined, hasLostTrackOf = () => false, ...given } = local;
  const facts: LocalState = {
    canBegin: true,
    isBeginningManually: false,
    isIdle: true,
    busy: new Set(),
    backlog: NO_BACKLOG,
    mayTakeOver: true,
    removalWait: 'none',
    lastKnownLeader: undefined,
    idleInstancesWait: 'none',
    latestInstant: undefined,
    isNextInstantNear: false,
    offlineServers: [],
    spentAcceptances: [],
    dead: deadRuns(now, idOf(name), hasLostTrackOf),
    leftovers: [],
    rerunByPeers: [],
    armedFor: now.config === undefined ? undefined : scheduleKey(now.config),
    isScheduled: true,
    assignedFor: { basis: assignmentBasis(now), pinned: [] },
    readdedHandledForRevision: now.configRevision,
    strategyWaitsFor: undefined,
    idleItemsDeadlinePassed: false,
    hasFlappingPeers: false,
    isAwaitingFlappingPeers: false,
    overdueAssignment: undefined,
    assignmentWait: 'none',
    decided: undefined,
    lostInHandover: lostInHandover(now, idOf(name), missedInstant),
    areUpstreamsFollowed: true,
    dueByItem: new Map(),
    completedRounds: [],
    resyncMinutes: now.config?.reconcileIntervalMinutes,
    isNarrowed: false,
    sinceSignificantChangeMs: 0,
    ...given,
  };
  return plan({ now, me: idOf(name), myIp: ipOf(name), local: facts });
}
