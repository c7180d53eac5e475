/**
 * A job as the registry centre has it, at one moment. The kernel, the operations, the console and the dump all read a
 * `JobView`, and nothing else in the kernel reads the nodes:
 *
 * ```
 *  registry centre ──▶ Mirror.nodes ──▶ JobViewReader.read() ──▶ JobView ──▶ plan(input)
 *    (all peers)        (local copy)          (pure)            (immutable)
 * ```
 *
 * The registry centre is authoritative; a view is as old as its mirror. A node that cannot be read is marked so in the
 * view and nothing is thrown: one broken node must not hide the rest.
 */
import { dependenciesOf, graphNameOf } from '../api/settings/dependencies.js';
import { type JobInstance } from '../api/extensions/sharding-strategy.js';
import { isIn, itemIn, type ItemView } from './item-view.js';
import { type JobView } from './job-view-types.js';

export { type BeginRecord } from './x-node/begin-record.js';
export { type GraphView, NO_GRAPH } from './x-node/graph-view.js';
export { type GuaranteeView, NO_GUARANTEE, type StageView } from './x-node/guarantee-view.js';
export { type ItemView } from './item-view.js';
export { type InstanceView, type JobView, type ServerStatus } from './job-view-types.js';
export { JobViewReader, readJobView } from './job-view-reader.js';

/**
 * Instances that get items, in the order Java gives them to strategies: descending UTF-16 order of id.
 * @returns for the same view always the same list
 */
export function availableInstances({ instances, servers }: JobView): readonly JobInstance[] {
  let byServers = availableBy.get(instances);
  if (byServers === undefined) availableBy.set(instances, (byServers = new WeakMap()));
  let available = byServers.get(servers);
  if (available === undefined) byServers.set(servers, (available = findAvailable(instances, servers)));
  return available;
}

/** The rules ask many times. Kept by instances and servers, because most views of a job share these. */
const availableBy = new WeakMap<JobView['instances'], WeakMap<JobView['servers'], readonly JobInstance[]>>();

function findAvailable(instances: JobView['instances'], servers: JobView['servers']): readonly JobInstance[] {
  return [...instances.values()]
    .filter(({ readable, serverIp }) => readable && servers.get(serverIp) === 'ENABLED')
    .sort((one, other) => (one.jobInstanceId < other.jobInstanceId ? 1 : -1));
}

/**
 * True if the job belongs to a graph: it runs after others, others run after it, or it names its graph. Only then its
 * instances write down
 * the ends of runs.
 */
export function isInGraph({ config, graph }: JobView): boolean {
  if (graph.successors.size > 0) return true;
  return config !== undefined && (dependenciesOf(config) !== undefined || graphNameOf(config) !== undefined);
}

/** The item of that number; `undefined` if the job has none. */
export function itemOf({ items }: JobView, item: number): ItemView | undefined {
  return itemIn(items, item);
}

/** True if the item waits to be taken over. */
export function awaitsTakeover({ crashedItems }: Pick<JobView, 'crashedItems'>, item: number): boolean {
  return isIn(crashedItems, item);
}

/**
 * True if the instance has ended, with all its runs. An instance whose node an operator has removed is not gone while
 * it brings its items to their end.
 */
export function isGone(view: JobView, id: string): boolean {
  return !view.instances.has(id) && !view.live.has(id);
}

/** True if instances of Java ElasticJob take part, which know nothing of our own nodes. */
export function hasJavaPeers({ javaPeers }: JobView): boolean {
  return javaPeers.size > 0;
}

/**
 * True if only the existence of this node matters in the steady state; for `MirrorOptions.presenceOnly`. Such nodes are
 * all marks that come and go with each firing, the records of peers (which matter only when their items are taken
 * over), and the node that is rewritten just to learn the time.
 */
export function isPresenceOnly(path: string): boolean {
  return PRESENCE_ONLY.test(path);
}

const PRESENCE_ONLY = new RegExp(
  '^/[^/]+/(?:' +
    [
      String.raw`sharding/\d+/(?:running|misfire|disabled)`,
      String.raw`guarantee/(?:started|completed)/\d+`,
      String.raw`leader/failover/items/\d+`,
      'leader/sharding/processing',
      String.raw`(?:leader/(?:election|failover)/latch|guarantee/(?:started|completed)-latch|trigger)/[^/]+`,
      'systemTime/current',
      'x-node/(?:fired|live)/[^/]+',
    ].join('|') +
    ')$',
);

/**
 * True if nodes like this one come, go or change although a job only does routine work: it fires, and is triggered. For
 * `MirrorOptions.isRoutine`.
 */
export function isRoutine(path: string): boolean {
  return ROUTINE.test(path);
}

const ROUTINE =
  /^\/[^/]+\/(?:sharding\/\d+\/(?:running|misfire)|trigger\/[^/]+|x-node\/(?:(?:fired|triggered|ended)\/[^/]+|graph\/rounds)|systemTime\/current)$/;
