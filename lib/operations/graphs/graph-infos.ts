/** What operations tell of graphs. */
import { type Dependencies } from '../../api/settings/dependencies.js';
import { type GraphRound } from '../../graphs/graph-round.js';

export { type GraphRound, type GraphRoundState, type NodeRound, type NodeState } from '../../graphs/graph-round.js';

/** A graph in a list of graphs. */
export interface GraphBriefInfo {
  readonly name: string;
  /** All names that its jobs give it; empty if they give it none. */
  readonly names: readonly string[];
  /** Names of its jobs, each after all those after which it runs. */
  readonly jobs: readonly string[];
  /** Names of the jobs that run after no other. */
  readonly roots: readonly string[];
  readonly isPaused: boolean;
  /** Number of its jobs that cannot run after the others, such as jobs of a cycle. */
  readonly problemCount: number;
  /** The latest round that is on record; `undefined` if there is none. A round that has only begun may be missing. */
  readonly lastRound: Pick<GraphRound, 'instant' | 'scheduledAt' | 'cause' | 'state' | 'endedAt'> | undefined;
}

/** A graph with its jobs. */
export interface GraphInfo {
  readonly name: string;
  /** All names that its jobs give it, in ascending order; empty if they give it none. */
  readonly names: readonly string[];
  /** Each job after all those after which it runs. */
  readonly nodes: readonly GraphNodeInfo[];
  readonly edges: readonly GraphEdge[];
  /** Since when nothing of it begins; `undefined` while it is not paused. */
  readonly pausedSince: Date | undefined;
  /** The most milliseconds that a round may take; `undefined`: no limit. */
  readonly timeoutMs: number | undefined;
}

/** A job of a graph. */
export interface GraphNodeInfo {
  readonly jobName: string;
  /** False if there is no such job, or its settings cannot be read. */
  readonly exists: boolean;
  /** Number of jobs on the longest way to it from a root: 0 for a root. */
  readonly level: number;
  /** `undefined` for jobs that run after others, and for one-off jobs. */
  readonly cron: string | undefined;
  /** 0 if the job does not exist. */
  readonly shardingTotalCount: number;
  /** `undefined` for a root. */
  readonly dependencies: Dependencies | undefined;
  /** Number of living instances. */
  readonly instanceCount: number;
  /** Everything that keeps the job from its part in the graph, with its cure, in words that follow its name. */
  readonly problems: readonly string[];
}

/** The line from a job to one that runs after it. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** `same`: each item follows the item of its number. */
  readonly items: Dependencies['items'];
}

/** A round that an operation has begun. */
export interface BegunRound {
  /** Name of the graph. */
  readonly graph: string;
  /** Names the round in all other operations: its run key. */
  readonly instant: Date;
  /** The jobs that run for it, or wait for others of it. */
  readonly jobs: readonly string[];
}
