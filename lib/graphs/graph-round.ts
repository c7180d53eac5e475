/**
 * A round of a graph as its jobs have it on record.
 *
 * ```
 *   waiting ──▶ running ──▶ succeeded | failed | skipped | stopped
 *      └──────────────────────────────▶ skipped | stopped
 * ```
 */
import { type JobView } from '../layout/job-view.js';

/** State of a job in a round of its graph. */
export type NodeState =
  /** It has not begun: upstream jobs have not completed their rounds, or no instance has begun it yet. */
  | 'waiting'
  /** It has begun, and not all of its items have ended. */
  | 'running'
  /** All items have succeeded. */
  | 'succeeded'
  /** Items have failed, after their retries. */
  | 'failed'
  /** It does not run for this round, and that is no failure. */
  | 'skipped'
  /** It does not run for this round, because a job before it has failed or an operator has stopped it. */
  | 'stopped';

/** One job in a round. */
export interface NodeRound {
  readonly jobName: string;
  readonly state: NodeState;
  /** When it got into this state, as far as records show; `undefined` if no record does. */
  readonly since: Date | undefined;
  /** While it waits: the upstream jobs whose rounds are not complete; empty if it only waits for an instance. */
  readonly waitingFor: readonly string[];
  /** Numbers of items: of the whole job, and of those that have ended for this round. */
  readonly items: { readonly total: number; readonly ended: number };
  /** Items that have failed, or were stopped, in ascending order. */
  readonly failedItems: readonly number[];
  /** False for a root that does not fire for this instant, and for jobs that have no round because of that. */
  readonly takesPart: boolean;
  /** True if it did not run again, because it had succeeded in the round that is run again. */
  readonly isCarried: boolean;
  /** If it has made up for this round in a later one (`afterRounds: 'latest'`, or `misfire`): that round's instant. */
  readonly madeUpBy: Date | undefined;
}

/** State of a round as a whole. */
export type GraphRoundState =
  /** Jobs of it run, or are still to run. */
  'running' | 'succeeded' | 'failed' | 'stopped' | 'skipped';

/** A round of a graph. */
export interface GraphRound {
  /** Names the round: an instant of a schedule, or a run key. */
  readonly instant: Date;
  /** `schedule`: a cron expression fired. `manual`: the graph was triggered. `again`: another round is run again. */
  readonly cause: 'schedule' | 'manual' | 'again';
  /** The instant that items see as `scheduledAt`: of a round that is run again, the original one. */
  readonly scheduledAt: Date;
  readonly state: GraphRoundState;
  /** When the last job of it came to its end; `undefined` while the round is running. */
  readonly endedAt: Date | undefined;
  /** One entry a job, in the order of the graph's jobs. */
  readonly nodes: readonly NodeRound[];
}

/** The views of a graph's jobs, by name; jobs that do not exist are missing. */
export type GraphViews = ReadonlyMap<string, JobView>;

/** Most rounds that are listed. */
export const MOST_GRAPH_ROUNDS = 100;
