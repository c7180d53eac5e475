/** The jobs that run after others, as the console shows and steers them. Times in milliseconds since 1970. */
import { type SettingProblem } from './common.js';

/** The state of a job in a round of its graph. */
export type GraphNodeState = 'waiting' | 'running' | 'succeeded' | 'failed' | 'skipped' | 'stopped';

/** The state of a round as a whole; `running`: jobs of it run, or are still to run. */
export type GraphRoundState = Exclude<GraphNodeState, 'waiting'>;

/** The cause of a round: a schedule, a trigger of the graph, or a round that is run again. */
export type GraphRoundCause = 'schedule' | 'manual' | 'again';

/** `GET /api/v1/registries/{r}/graphs`. */
export interface GraphRow {
  /** The name that its jobs give it, or else that of its first root. */
  readonly name: string;
  /** Its jobs, each after all those after which it runs. */
  readonly jobs: readonly string[];
  /** The jobs that run after no other. */
  readonly roots: readonly string[];
  readonly isPaused: boolean;
  /** The number of its jobs that cannot run after the others. */
  readonly problemCount: number;
  /** The latest round on record; absent if there is none. */
  readonly lastRound?: GraphRoundSummary;
}

export interface GraphRoundSummary {
  /** Names the round: an instant of a schedule, or a run key. */
  readonly instant: number;
  /** The instant that items see as theirs: of a round that is run again, the original one. */
  readonly scheduledAt: number;
  readonly cause: GraphRoundCause;
  readonly state: GraphRoundState;
  /** When its last job came to its end; absent while it is running. */
  readonly endedAt?: number;
}

/** `GET /api/v1/registries/{r}/graphs/{graph}`. */
export interface GraphDetail {
  readonly name: string;
  /** Each job after all those after which it runs. */
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** Since when nothing of it begins; absent if it is not paused. */
  readonly pausedSince?: number;
  /** The most milliseconds that a round may take; absent if there is no limit. */
  readonly timeoutMs?: number;
  readonly staleSince?: number;
}

/** A job of a graph. */
export interface GraphNode {
  readonly jobName: string;
  /** False if there is no such job, or its settings cannot be read. */
  readonly exists: boolean;
  /** The number of jobs on the longest way to it from a root: 0 for a root. */
  readonly level: number;
  /** Absent for jobs that run after others, and for one-off jobs. */
  readonly cron?: string;
  readonly shardingTotalCount: number;
  readonly instanceCount: number;
  /** Its problems, which keep it from its part in the graph, each with the cure. */
  readonly problems: readonly SettingProblem[];
}

/** The line from a job to one that runs after it; `same`: each item follows the item of its number. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly items: 'all' | 'same';
}

/** `GET /api/v1/registries/{r}/graphs/{graph}/rounds?limit=`: the newest first. */
export interface GraphRoundRow extends GraphRoundSummary {
  /** One entry a job, in the order of the graph's jobs. */
  readonly nodes: readonly NodeRoundRow[];
}

/** A job in a round. */
export interface NodeRoundRow {
  readonly jobName: string;
  readonly state: GraphNodeState;
  /** When it got into this state; absent if no record shows it. */
  readonly since?: number;
  /** While it waits: the upstream jobs whose rounds are not complete. */
  readonly waitingFor: readonly string[];
  readonly items: { readonly total: number; readonly ended: number };
  readonly failedItems: readonly number[];
  /** False for a job that has no part in the round. */
  readonly takesPart: boolean;
  /** True if it did not run again, because it had succeeded in the round that is run again. */
  readonly isCarried: boolean;
  /** The later round in which it has made up for this one; absent if it has not. */
  readonly madeUpBy?: number;
}

/** `POST …/graphs/{graph}/trigger`, `/pause`, `/resume` and `POST …/rounds/{instant}/stop`. */
export interface GraphAction {
  readonly reason?: string;
}

/** `POST …/graphs/{graph}/rounds/{instant}/again`. */
export interface RunAgainRequest {
  /** The job to begin with. Default: all jobs that have failed or were stopped. */
  readonly from?: string;
  readonly reason?: string;
}

/** A round that an action has begun. */
export interface BegunRoundAnswer {
  readonly instant: number;
  /** The jobs that run for it, or wait for others of it. */
  readonly jobs: readonly string[];
}

/** Answer of `POST …/rounds/{instant}/stop`: the jobs that are kept from running. */
export interface StoppedRoundAnswer {
  readonly jobs: readonly string[];
}
