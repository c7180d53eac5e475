/**
 * Finds the obstacles that keep a job from running although its instance is registered: a pure function of the view.
 * Each obstacle is a sentence with the reason and the cure, for the log and for the health report, so that both say the
 * same.
 *
 * An operator's wish (a disabled server) is no fault: it shows in the health report and is not logged here. Most other
 * obstacles are also states that a healthy job passes through, so they count only once they have lasted for their
 * grace.
 */
import { isScheduled } from '../../api/settings/dependencies.js';
import { type FoundProblem } from '../../graphs/read-graph.js';
import { type JobPaths } from '../../layout/job-paths.js';
import { isGone, type ItemView, type JobView } from '../../layout/job-view.js';
import { MOST_ROUNDS } from '../../layout/x-node/round-record.js';
import { isAvailable, staysAsAssigned } from './assignment.js';
import { describeItems, numbersOf } from './items.js';

/**
 * `blocked`: nothing runs. `impaired`: something does not run as configured. `disabled`: an operator has switched the
 * job off here.
 */
export type ObstacleEffect = 'blocked' | 'impaired' | 'disabled';

/** A reason why a job does not run, or not as configured. */
export interface Obstacle {
  /** Equal for the same obstacle, and different for different obstacles. */
  readonly key: string;
  readonly effect: ObstacleEffect;
  /** How long it must have lasted to count, in milliseconds. */
  readonly graceMs: number;
  /** Reason and cure, in sentences that follow `Job 'bill': `. */
  readonly reason: string;
  /** The sentence to log when it is over. */
  readonly ending: string;
  /** True if its cause logs it, so that it is for the health report only. */
  readonly isLoggedByCause?: true;
  /**
   * True if no other node of the registry centre shows it fully, so this instance stores it for `explain` in other
   * processes.
   */
  readonly isOnlyKnownHere?: true;
}

/** The schedule of a job on this instance. */
export type ScheduleState =
  /** This instance does not fire by a schedule: the job is a one-off job, or its firings have been stopped. */
  | { readonly type: 'off' }
  /** `cron` is the expression in force; `undefined` if the settings have none. */
  | { readonly type: 'in-force'; readonly cron: string | undefined }
  /** The stored cron expression cannot be used for this `reason`; the job goes on firing by `cron`. */
  | { readonly type: 'refused'; readonly cron: string | undefined; readonly reason: string };

/** Something in the stored settings that this instance does not have or cannot use. */
export interface StoredFault {
  readonly effect: 'blocked' | 'impaired';
  /** Begins with the setting: `jobErrorHandlerType: unknown error handler 'NOPE'; known are: LOG`. */
  readonly problem: string;
  /** The behaviour without it; `undefined` if the job is blocked. */
  readonly consequence: string | undefined;
}

/** The facts from which obstacles are found. */
export interface ObstacleInput {
  readonly view: JobView;
  /** Id of this instance, and the ip of its server. */
  readonly me: string;
  readonly myIp: string;
  readonly paths: JobPaths;
  /** A path as operators' tools show it. */
  readonly fullPath: (path: string) => string;
  readonly schedule: ScheduleState;
  /** The cron expression of this instance's own settings. */
  readonly ownCron: string | undefined;
  /** The faults of stored settings that can be read. */
  readonly settingFaults: readonly StoredFault[];
  /** The reason why this instance, as the leader, could not assign the items last; `undefined` if it could. */
  readonly assignmentFailure: string | undefined;
  /** That failure, if the sharding strategy is its reason. */
  readonly strategyFailure: string | undefined;
  /** What keeps the job from running after others. */
  readonly graphProblems: readonly FoundProblem[];
  /** Items of this instance that were to run for upstream rounds that are on record no more (`afterRounds: 'every'`). */
  readonly itemsThatLostRounds: readonly number[];
  /** Upstream jobs that no enabled instance runs. */
  readonly idleUpstreams: readonly string[];
  /** The latest round of the graph that this instance has stopped because it took too long; `undefined`: none. */
  readonly stoppedRound: string | undefined;
  /** The impairments of items that run here, by item: reason and cure. */
  readonly impairments: ReadonlyMap<number, string>;
}

/** How long a leader may be missing or unknown, and items may be without owner, before that counts, in milliseconds. */
const UNKNOWN_LEADER_GRACE_MS = 5_000;
const ASSIGNMENT_GRACE_MS = 30_000;

type Finding = (input: ObstacleInput) => Obstacle | undefined;

/** The most important obstacle; `undefined` if the job can run here. */
export function obstacleTo(input: ObstacleInput): Obstacle | undefined {
  for (const find of FINDINGS) {
    const obstacle = find(input);
    if (obstacle !== undefined) return obstacle;
  }
  return undefined;
}

/** `fault` with the path of the settings node as operators' tools show it. `fault`: as `JobView.configFault` has it. */
export function configurationFault(fault: string, paths: JobPaths, fullPath: (path: string) => string): string {
  return fault.replaceAll(`${paths.config}: `, `${fullPath(paths.config)}: `);
}

/** The reason why stored settings cannot be used, and what to do. `fault`: as `JobView.configFault` has it. */
export function unreadableConfiguration(fault: string, paths: JobPaths, fullPath: (path: string) => string): string {
  const path = fullPath(paths.config);
  return (
    `its settings cannot be used: ${configurationFault(fault, paths, fullPath)} Nothing of this job runs until ${path} ` +
    `is mended: write valid settings there, or delete that node and restart an instance, which then stores its own.`
  );
}

const settings: Finding = ({ view, paths, fullPath }) => {
  if (view.config !== undefined) return undefined;
  if (view.configFault !== undefined)
    return {
      key: `unreadable-settings ${view.configRevision ?? ''}`,
      ...{ effect: 'blocked', graceMs: 0, ending: 'its settings can be used again.' },
      reason: unreadableConfiguration(view.configFault, paths, fullPath),
    };
  return {
    key: 'missing-settings',
    ...{ effect: 'blocked', graceMs: 0, ending: 'its settings are stored again.' },
    reason:
      `its settings are gone: there is no node ${fullPath(paths.config)}. Nothing of this job runs until it is there again: ` +
      `restart an instance, which then stores its own settings, or restore the node.`,
  };
};

const server: Finding = ({ view, myIp, paths, fullPath }) => {
  const status = view.servers.get(myIp);
  // A server that is missing is registered again by a rule.
  if (status === 'ENABLED' || status === undefined) return undefined;
  const path = fullPath(paths.server(myIp));
  const ending = 'its server is enabled again.';
  if (status === 'DISABLED')
    return {
      ...{ key: 'disabled-server', effect: 'disabled', graceMs: 0, ending },
      reason:
        `its server is disabled for this job: ${path} is DISABLED, by an operator or by the setting 'disabled'. This instance ` +
        `runs no items until the node is ENABLED.`,
    };
  return {
    ...{ key: 'unknown-server-status', effect: 'blocked', graceMs: 0, ending },
    reason:
      `${path} is neither ENABLED nor DISABLED, which counts as disabled: this instance runs no items. Write ENABLED or ` +
      `DISABLED there.`,
  };
};

const unknownLeader: Finding = ({ view, paths, fullPath }) => {
  const { leader, leaderSession } = view;
  if (leader === undefined || !isGone(view, leader)) return undefined;
  const node = `${fullPath(paths.leader)} names '${leader}', which is not a living instance`;
  const ending = 'it can have a leader again.';
  if (leaderSession === undefined)
    return {
      ...{ key: 'restored-leader', effect: 'blocked', graceMs: 0, ending },
      reason:
        `${node}, and the node is persistent, as copies and backups make it. No instance leads, so no items are assigned. ` +
        `Run npx elasticjob doctor ${paths.jobName} --fix, which removes it, or delete the node.`,
    };
  return {
    ...{ key: 'unknown-leader', effect: 'blocked', graceMs: UNKNOWN_LEADER_GRACE_MS, ending },
    reason:
      `${node}, and session ${leaderSession} keeps the node. No instance leads, so no items are assigned. End the process ` +
      `of that session, or delete the node.`,
  };
};

const missingLeader: Finding = ({ view, me, paths, fullPath }) => {
  if (view.leader !== undefined || !isAvailable(view, me)) return undefined;
  return {
    key: 'no-leader',
    ...{ effect: 'blocked', graceMs: ASSIGNMENT_GRACE_MS, ending: 'it has a leader again.' },
    reason:
      `no instance leads, so no items are assigned. This instance stands for election; a node below ` +
      `${fullPath(paths.electionLatch)} whose process is gone is in its way: delete that node.`,
  };
};

const unassigned: Finding = ({ view, me, assignmentFailure, strategyFailure }) => {
  const { leader, javaPeers, reshardingNeeded, items } = view;
  // A Java leader assigns the items at its next firing, which may be a day away.
  if (leader === undefined || javaPeers.has(leader) || (!reshardingNeeded && items.length > 0)) return undefined;
  const failure = strategyFailure ?? assignmentFailure;
  const why =
    leader === me
      ? `this instance leads, and could not assign the items${failure === undefined ? '' : `: ${failure}`}`
      : `its items wait for the leader ${leader} to assign them, whose log and health report say what keeps it from that`;
  return {
    key: 'unassigned',
    ...{ effect: 'blocked', graceMs: ASSIGNMENT_GRACE_MS, ending: 'its items are assigned.' },
    reason: `${why.replace(/\.$/, '')}. Nothing of this job runs until they are assigned.`,
    ...(leader === me && strategyFailure !== undefined && { isLoggedByCause: true }),
    ...(leader === me && failure !== undefined && { isOnlyKnownHere: true }),
  };
};

const unownedItems: Finding = ({ view, paths, fullPath }) => {
  const { config, items, leader, javaPeers, reshardingNeeded } = view;
  if (reshardingNeeded && leader !== undefined && javaPeers.has(leader)) return undefined;
  const present = items.filter(({ item }) => item < (config?.shardingTotalCount ?? 0));
  const unowned = present.filter((item) => isUnowned(view, item));
  if (unowned.length === 0) return undefined;
  const cure = staysAsAssigned(view)
    ? `staticSharding keeps them so: set it to false in ${fullPath(paths.config)} until they are assigned again.`
    : `The leader ${leader ?? ''} assigns them again; its log says what keeps it from that.`;
  return {
    key: 'unowned-items',
    ...{ graceMs: ASSIGNMENT_GRACE_MS, ending: 'all its items have living owners again.' },
    effect: unowned.length === present.length ? 'blocked' : 'impaired',
    reason: `items ${describeItems(numbersOf(unowned))} have no living owner, so no instance runs them. ${cure}`,
  };
};

/**
 * True if no living instance owns or runs the item. A taken-over item is run by the instance that has taken it over.
 */
function isUnowned(view: JobView, { owner, running, takenOverBy }: ItemView): boolean {
  return (owner === undefined || isGone(view, owner)) && !running && takenOverBy === undefined;
}

const schedule: Finding = ({ view, schedule: state, ownCron, paths, fullPath }) => {
  const path = fullPath(paths.config);
  switch (state.type) {
    case 'off':
      return undefined;
    case 'refused':
      return {
        key: `unusable-schedule ${state.reason}`,
        effect: state.cron === undefined ? 'blocked' : 'impaired',
        // Other processes cannot see which cron stays in force.
        ...{ graceMs: 0, ending: 'its schedule can be used again.', isOnlyKnownHere: true },
        reason: `the schedule in ${path} cannot be used, and ${formerSchedule(state.cron)}: ${state.reason} Correct cron and timeZone there.`,
      };
    case 'in-force':
      // While it cannot be read, or has just been mended, nothing is armed yet.
      if (state.cron !== undefined || (view.config !== undefined && isScheduled(view.config))) return undefined;
      return {
        key: 'no-cron',
        ...{ effect: 'blocked', graceMs: 0, ending: 'it has a cron expression again.', isOnlyKnownHere: true },
        reason:
          `its settings in ${path} have no cron expression, so that it runs only when it is triggered` +
          (ownCron === undefined
            ? '. Write one there.'
            : `: the cron '${ownCron}' of this instance has no effect, as stored settings win. Write it there, or start an ` +
              'instance with overwrite: true.'),
      };
    default:
      return state satisfies never;
  }
};

/** An upstream job that is deployed at the same moment may come a little later. */
const UPSTREAM_GRACE_MS = 5_000;

const upstreams: Finding = ({ graphProblems }) => {
  const [first] = graphProblems;
  if (first === undefined) return undefined;
  const isExpected = graphProblems.every(({ problem }) => problem.type === 'unknown');
  return {
    key: `upstream jobs: ${graphProblems.map(({ text }) => text).join(' ')}`,
    ...{
      effect: 'blocked',
      graceMs: isExpected ? UPSTREAM_GRACE_MS : 0,
      ending: 'it can run after its upstream jobs.',
    },
    reason: `it does not run by itself: ${graphProblems.map(({ text }) => text).join(' Besides, ')}`,
    isOnlyKnownHere: true,
  };
};

const lostRounds: Finding = ({ itemsThatLostRounds }) =>
  itemsThatLostRounds.length === 0
    ? undefined
    : {
        key: 'lost-rounds',
        ...{ effect: 'impaired', graceMs: 0, ending: 'all upstream rounds that wait for it are on record.' },
        reason:
          `rounds of its upstream jobs come faster than it runs: items ${describeItems(itemsThatLostRounds)} never run for ` +
          `the earliest of them, of which the last ${MOST_ROUNDS} are kept. Give it more items or instances, or set ` +
          `afterRounds: 'latest'.`,
        isOnlyKnownHere: true,
      };

const idleUpstreams: Finding = ({ idleUpstreams: names }) =>
  names.length === 0
    ? undefined
    : {
        key: `idle upstream jobs ${names.join(' ')}`,
        ...{ effect: 'impaired', graceMs: UPSTREAM_GRACE_MS, ending: 'its upstream jobs are run.' },
        reason:
          `it waits for ${names.map((name) => `'${name}'`).join(', ')}, which no enabled instance runs. Start an ` +
          'application that has the job, or enable a server of it; or take it out of the after of this job.',
        isOnlyKnownHere: true,
      };

const stoppedRound: Finding = ({ stoppedRound: why }) =>
  why === undefined
    ? undefined
    : {
        key: `stopped round ${why}`,
        ...{ effect: 'impaired', graceMs: 0, ending: 'a round of its graph was in time again.' },
        reason: `${why}.`,
        isLoggedByCause: true,
        isOnlyKnownHere: true,
      };

function formerSchedule(cron: string | undefined): string {
  return cron === undefined
    ? 'there is no former one, so it runs only when it is triggered'
    : `the former cron '${cron}' stays in force, but not on an instance that starts meanwhile`;
}

/** Finds the faults with that effect, all in one obstacle. */
const faulty =
  (effect: StoredFault['effect']): Finding =>
  ({ settingFaults, paths, fullPath }) => {
    const faults = settingFaults.filter((fault) => fault.effect === effect);
    if (faults.length === 0) return undefined;
    const problems = faults.map(({ problem, consequence }) =>
      consequence === undefined ? problem : `${problem} (${consequence})`,
    );
    const path = fullPath(paths.config);
    const so = effect === 'blocked' ? ' Nothing of this job runs here until they are corrected there.' : '';
    return {
      key: `${effect} by settings: ${problems.join('; ')}`,
      ...{ effect, graceMs: 0, ending: 'all its settings can be used.', isOnlyKnownHere: true },
      reason: `settings in ${path} cannot be used: ${problems.join('; ').replace(/\.$/, '')}.${so || ' Correct them there.'}`,
    };
  };

/** Most items whose impairments an obstacle names. */
const MOST_IMPAIRED = 3;

/** Its cause, the executor of the job, logs it. */
const impairedItems: Finding = ({ impairments }) => {
  if (impairments.size === 0) return undefined;
  const first = [...impairments].sort(([one], [other]) => one - other).slice(0, MOST_IMPAIRED);
  const reasons = first.map(([item, reason]) => `item ${item}: ${reason.replace(/\.$/, '')}.`);
  const reason = [
    ...reasons,
    ...(impairments.size > MOST_IMPAIRED ? [`In all, ${impairments.size} items are impaired.`] : []),
  ].join(' ');
  return {
    ...{
      key: `impaired items: ${reason}`,
      effect: 'impaired',
      graceMs: 0,
      ending: 'its items run as they should.',
      reason,
    },
    ...{ isLoggedByCause: true, isOnlyKnownHere: true },
  };
};

const FINDINGS: readonly Finding[] = [
  settings,
  faulty('blocked'),
  server,
  unknownLeader,
  missingLeader,
  unassigned,
  unownedItems,
  schedule,
  upstreams,
  lostRounds,
  idleUpstreams,
  stoppedRound,
  faulty('impaired'),
  impairedItems,
];
