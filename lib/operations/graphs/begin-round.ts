import { newRound } from '../../graphs/graph-acts.js';
import { type OrdersPlan } from '../changes/graph-orders.js';
import { type BegunRound } from './graph-infos.js';
import { type ReadGraph } from './graph-reading.js';
import { refuseGraph } from './graph-refusals.js';

/**
 * Plans a new round of a whole graph.
 * @param now milliseconds since 1970
 * @throws JobStateError if it could not run
 */
export function roundToBegin(read: ReadGraph, now: number): Omit<OrdersPlan<BegunRound>, 'jobs'> {
  const { graph, views } = read;
  refuseGraph(
    read,
    graph.jobs.map(({ jobName }) => jobName),
  );
  const { key, orders } = newRound(graph, views, now);
  const jobs = graph.jobs.map(({ jobName }) => jobName);
  return { orders, result: { graph: graph.name, instant: new Date(key), jobs } };
}
