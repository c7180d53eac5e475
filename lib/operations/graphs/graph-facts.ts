/** Graphs in the words of the operations: pure functions of what was read. */
import { graphProblems } from '../../graphs/job-graph.js';
import { pausedSince } from '../../graphs/graph-acts.js';
import { type GraphViews } from '../../graphs/graph-round.js';
import { graphRounds } from '../../graphs/graph-rounds.js';
import { type GraphMember, type JobGraph } from '../../graphs/job-graphs.js';
import { type GraphBriefInfo, type GraphEdge, type GraphInfo } from './graph-infos.js';
import { type ReadGraph } from './graph-reading.js';

/** The row of a graph. @param views of its jobs, with their settings, rounds and orders at least */
export function graphBrief(graph: JobGraph, views: GraphViews): GraphBriefInfo {
  const { name, names, jobs, roots } = graph;
  const own: GraphViews = new Map(
    jobs.flatMap(({ jobName }) => {
      const view = views.get(jobName);
      return view === undefined ? [] : [[jobName, view]];
    }),
  );
  const [last] = graphRounds(graph, own, 1);
  return {
    name,
    names,
    jobs: jobs.map(({ jobName }) => jobName),
    roots,
    isPaused: pausedSince(own) !== undefined,
    problemCount: jobs.filter((member) => hasProblem(graph, member)).length,
    lastRound: last && pick(last),
  };
}

function pick({
  instant,
  scheduledAt,
  cause,
  state,
  endedAt,
}: NonNullable<GraphBriefInfo['lastRound']>): GraphBriefInfo['lastRound'] {
  return { instant, scheduledAt, cause, state, endedAt };
}

function hasProblem({ jobs }: JobGraph, { settings }: GraphMember): boolean {
  if (settings === undefined) return false;
  return graphProblems(settings, (name) => jobs.find(({ jobName }) => jobName === name)?.settings).length > 0;
}

/** The whole graph. */
export function graphInfo({ graph, views, problems }: ReadGraph): GraphInfo {
  const since = pausedSince(views);
  return {
    name: graph.name,
    names: graph.names,
    nodes: graph.jobs.map(({ jobName, settings, dependencies, level }) => ({
      jobName,
      exists: settings !== undefined,
      level,
      cron: settings?.cron,
      shardingTotalCount: settings?.shardingTotalCount ?? 0,
      dependencies,
      instanceCount: views.get(jobName)?.instances.size ?? 0,
      problems: problems.get(jobName) ?? [],
    })),
    edges: graph.jobs.flatMap(edgesTo),
    pausedSince: since === undefined ? undefined : new Date(since),
    timeoutMs: graph.timeoutMs,
  };
}

function edgesTo({ jobName, dependencies }: GraphMember): readonly GraphEdge[] {
  return (dependencies?.after ?? []).map((from) => ({ from, to: jobName, items: dependencies?.items ?? 'all' }));
}
