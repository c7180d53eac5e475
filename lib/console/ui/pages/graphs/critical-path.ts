import { type GraphDetail, type GraphRoundRow, type NodeRoundRow } from '../../../contract/graphs.js';

/** A job on the critical path, with the time from which it was due to the end of its round. */
export interface Step {
  readonly jobName: string;
  readonly dueAt: number;
  readonly endedAt: number;
}

/**
 * The jobs that decided when a round ended: the one that ended last, before it the upstream job that ended last, and so
 * on to a root. The first one comes first; empty as long as no job has run and ended.
 */
export function criticalPath({ edges }: GraphDetail, round: GraphRoundRow): readonly Step[] {
  const ended = new Map(round.nodes.flatMap((node) => (endOf(node) === undefined ? [] : [[node.jobName, node]])));
  const steps: Step[] = [];
  let last = latest([...ended.values()]);
  while (last !== undefined && !steps.some(({ jobName }) => jobName === last?.jobName)) {
    const { jobName } = last;
    const before = latest(edges.flatMap(({ from, to }) => (to === jobName ? (ended.get(from) ?? []) : [])));
    const dueAt = (before && endOf(before)) ?? round.instant;
    steps.unshift({ jobName, dueAt, endedAt: Math.max(dueAt, endOf(last) ?? dueAt) });
    last = before;
  }
  return steps;
}

/** When the job has ended what it ran itself; `undefined` if it ran nothing, or has not ended. */
function endOf({ state, since, isCarried }: NodeRoundRow): number | undefined {
  return (state === 'succeeded' || state === 'failed') && !isCarried ? since : undefined;
}

function latest(nodes: readonly NodeRoundRow[]): NodeRoundRow | undefined {
  return nodes.reduce<NodeRoundRow | undefined>(
    (last, node) => ((endOf(node) ?? 0) > ((last && endOf(last)) ?? -Infinity) ? node : last),
    undefined,
  );
}
