/** Reads whole graphs from the registry centre, and writes orders for their jobs. */
import { isLostRace } from '../api/errors/registry-errors.js';
import { JobPaths } from '../layout/job-paths.js';
import { readJobView } from '../layout/job-view.js';
import { encodeOrders } from '../layout/x-node/graph-orders.js';
import { pathsDownTo } from '../registry/node-paths.js';
import { type MirroredNode, type Operation, type RegistryCenter } from '../registry/registry-center.js';
import { type NewOrders } from './graph-acts.js';
import { type GraphViews } from './graph-round.js';
import { findGraph, graphsOf, type JobGraph } from './job-graphs.js';

/** All graphs of the namespace, from the settings of all jobs. */
export async function readGraphs(registry: RegistryCenter): Promise<readonly JobGraph[]> {
  const names = await registry.children('/');
  const nodes = await registry.getAll(names.map((name) => new JobPaths(name).config));
  const settings = names.flatMap((jobName, index) => {
    const node = nodes[index];
    if (node === undefined) return [];
    const { config } = readJobView(new Map([[new JobPaths(jobName).config, node]]), jobName);
    return config === undefined ? [] : [{ ...config, jobName }];
  });
  return graphsOf(settings);
}

/** A graph, and its jobs with all their nodes, each as of one moment. */
export interface GraphAtPresent {
  readonly graph: JobGraph;
  /** By name; jobs that do not exist are missing. */
  readonly views: GraphViews;
  readonly nodes: ReadonlyMap<string, MirroredNode>;
}

/** The graph of that name, or to which the job of that name belongs; `undefined` if there is none. */
export async function readGraphOf(registry: RegistryCenter, name: string): Promise<GraphAtPresent | undefined> {
  const graph = findGraph(await readGraphs(registry), name);
  if (graph === undefined) return undefined;
  const read = await Promise.all(graph.jobs.map(({ jobName }) => readNodes(registry, jobName)));
  const views = new Map(
    graph.jobs.flatMap(({ jobName }, index) => {
      const view = readJobView(read[index] ?? new Map(), jobName);
      return view.exists ? [[jobName, view]] : [];
    }),
  );
  return { graph, views, nodes: new Map(read.flatMap((nodes) => [...nodes])) };
}

async function readNodes(registry: RegistryCenter, jobName: string): Promise<ReadonlyMap<string, MirroredNode>> {
  const mirror = await registry.mirror(new JobPaths(jobName).root);
  try {
    return new Map(mirror.nodes);
  } finally {
    mirror.close();
  }
}

/** The most attempts to write orders that others write at the same moment. */
const ATTEMPTS = 10;

/**
 * Writes orders in one commit; if others write at the same moment, everything is read and planned again.
 * @param plan `undefined`: there is nothing to write
 * @returns the result of the plan that was carried out; `undefined` if there was none
 * @throws RegistryConflictError if others write again and again; and what `plan` throws
 */
export async function orderFor<T>(
  registry: RegistryCenter,
  name: string,
  plan: (present: GraphAtPresent) => { readonly orders: NewOrders; readonly result: T } | undefined,
): Promise<T | undefined> {
  for (let attempt = 1; ; attempt++) {
    const present = await readGraphOf(registry, name);
    const planned = present && plan(present);
    if (present === undefined || planned === undefined || planned.orders.size === 0) return planned?.result;
    try {
      await registry.commit(operationsFor(present.nodes, planned.orders));
      return planned.result;
    } catch (error) {
      if (!isLostRace(error) || attempt === ATTEMPTS) throw error;
    }
  }
}

function operationsFor(nodes: ReadonlyMap<string, MirroredNode>, orders: NewOrders): readonly Operation[] {
  return [...orders].flatMap(([jobName, own]): readonly Operation[] => {
    const paths = new JobPaths(jobName);
    const value = encodeOrders(own);
    const version = nodes.get(paths.orders)?.version;
    if (version !== undefined) return [{ type: 'set', path: paths.orders, value, version }];
    const parents = pathsDownTo(paths.graph, paths.root).filter((path) => !nodes.has(path));
    return [
      ...parents.map((path): Operation => ({ type: 'create', path, value: '' })),
      { type: 'create', path: paths.orders, value },
    ];
  });
}
