/** Graphs as the console's page shows them: pure functions of the views of jobs. */
import { pausedSince } from '../../../graphs/graph-acts.js';
import { type GraphRound, type GraphViews, type NodeRound } from '../../../graphs/graph-round.js';
import { graphProblems, graphProblemWording } from '../../../graphs/job-graph.js';
import { type GraphMember, type JobGraph } from '../../../graphs/job-graphs.js';
import { graphBrief } from '../../../operations/graphs/graph-facts.js';
import { withoutSetting } from '../../answers/setting-problem.js';
import {
  type GraphDetail,
  type GraphNode,
  type GraphRoundRow,
  type GraphRoundSummary,
  type GraphRow,
  type NodeRoundRow,
} from '../../contract/graphs.js';

/** The row of a graph in the list. */
export function graphRow(graph: JobGraph, views: GraphViews): GraphRow {
  const { name, jobs, roots, isPaused, problemCount, lastRound } = graphBrief(graph, views);
  return { name, jobs, roots, isPaused, problemCount, ...(lastRound && { lastRound: summary(lastRound) }) };
}

/** The whole graph. @param names of all jobs, to find the one that was meant by an unknown name */
export function graphDetail(graph: JobGraph, views: GraphViews, names: readonly string[]): GraphDetail {
  const since = pausedSince(views);
  return {
    name: graph.name,
    nodes: graph.jobs.map((member) => nodeOf(graph, member, { views, names })),
    edges: graph.jobs.flatMap(({ jobName: to, dependencies }) =>
      (dependencies?.after ?? []).map((from) => ({ from, to, items: dependencies?.items ?? ('all' as const) })),
    ),
    ...(since !== undefined && { pausedSince: since }),
    ...(graph.timeoutMs !== undefined && { timeoutMs: graph.timeoutMs }),
  };
}

function nodeOf(
  { jobs }: JobGraph,
  { jobName, settings, level }: GraphMember,
  { views, names }: { readonly views: GraphViews; readonly names: readonly string[] },
): GraphNode {
  const find = (name: string) => jobs.find((each) => each.jobName === name)?.settings;
  const problems = settings === undefined ? [] : graphProblems(settings, find);
  const others = names.filter((name) => name !== jobName);
  return {
    ...{ jobName, exists: settings !== undefined, level },
    ...(settings?.cron !== undefined && { cron: settings.cron }),
    shardingTotalCount: settings?.shardingTotalCount ?? 0,
    instanceCount: views.get(jobName)?.instances.size ?? 0,
    problems: problems.map((problem) => withoutSetting(graphProblemWording(problem, others))),
  };
}

/** A round with the state of each job. */
export function roundRow(round: GraphRound): GraphRoundRow {
  return { ...summary(round), nodes: round.nodes.map(nodeRow) };
}

function summary({
  instant,
  scheduledAt,
  cause,
  state,
  endedAt,
}: Pick<GraphRound, 'instant' | 'scheduledAt' | 'cause' | 'state' | 'endedAt'>): GraphRoundSummary {
  return {
    ...{ instant: instant.getTime(), scheduledAt: scheduledAt.getTime(), cause, state },
    ...(endedAt !== undefined && { endedAt: endedAt.getTime() }),
  };
}

function nodeRow({ since, madeUpBy, ...node }: NodeRound): NodeRoundRow {
  const { jobName, state, waitingFor, items, failedItems, takesPart, isCarried } = node;
  return {
    ...{ jobName, state, waitingFor, items, failedItems, takesPart, isCarried },
    ...(since !== undefined && { since: since.getTime() }),
    ...(madeUpBy !== undefined && { madeUpBy: madeUpBy.getTime() }),
  };
}
