/**
 * The rounds of a graph as its jobs have them on record: pure functions of their views. The kernel decides by its own
 * rules what is due; this is the same seen from outside, for people and for operations.
 */
import { scheduledFor } from '../layout/x-node/graph-orders.js';
import { isRunKey } from '../layout/x-node/run-key.js';
import {
  type GraphRound,
  type GraphRoundState,
  type GraphViews,
  MOST_GRAPH_ROUNDS,
  type NodeRound,
  type NodeState,
} from './graph-round.js';
import { type JobGraph } from './job-graphs.js';
import { isOpen, NodeHistory } from './node-history.js';

/** The latest rounds of a graph, newest first. */
export function graphRounds(graph: JobGraph, views: GraphViews, limit = MOST_GRAPH_ROUNDS): readonly GraphRound[] {
  const nodes = graph.jobs.map((member) => new NodeHistory(member, views.get(member.jobName)));
  const instants = new Set(nodes.flatMap((node) => node.instants));
  return [...instants]
    .sort((one, other) => other - one)
    .slice(0, limit)
    .map((instant) => roundOf(nodes, instant));
}

/** The round of that instant (milliseconds since 1970); `undefined` if no job has it on record. */
export function graphRound(graph: JobGraph, views: GraphViews, instant: number): GraphRound | undefined {
  const nodes = graph.jobs.map((member) => new NodeHistory(member, views.get(member.jobName)));
  return nodes.some((node) => node.instants.includes(instant)) ? roundOf(nodes, instant) : undefined;
}

function roundOf(histories: readonly NodeHistory[], instant: number): GraphRound {
  const known = new Map<string, NodeRound>();
  for (const history of histories) known.set(history.jobName, history.at(instant, known));
  const nodes = [...known.values()];
  const isOver = !nodes.some(isOpen);
  const ends = nodes.flatMap(({ since }) => since?.getTime() ?? []);
  const orders = histories.map(({ orders: own }) => own);
  const original = orders.map((own) => scheduledFor(own, instant)).find((each) => each !== instant);
  return {
    instant: new Date(instant),
    cause: !isRunKey(instant) ? 'schedule' : original === undefined ? 'manual' : 'again',
    scheduledAt: new Date(original ?? instant),
    state: isOver ? outcomeOf(nodes.map(({ state }) => state)) : 'running',
    endedAt: isOver && ends.length > 0 ? new Date(Math.max(...ends)) : undefined,
    nodes,
  };
}

function outcomeOf(states: readonly NodeState[]): GraphRoundState {
  for (const state of ['failed', 'stopped', 'succeeded'] as const) if (states.includes(state)) return state;
  return 'skipped';
}
