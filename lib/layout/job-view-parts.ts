/** The parts of a `JobView` that are not its items, each read as a whole whenever one of its nodes has changed. */
import { InvalidConfigurationError } from '../api/errors/errors.js';
import { type JobConfiguration } from '../api/job/job-configuration.js';
import { type MirroredNode } from '../registry/registry-center.js';
import { decodeAccepted } from './x-node/accepted-triggers.js';
import { decodeCrash } from './x-node/crash-report.js';
import { decodeAssignmentRecord } from './x-node/assignment-record.js';
import { decodeWithdrawals } from './x-node/withdrawals.js';
import { type BeginRecord, decodeBeginRecord, lastInstants, mergeBeginRecords } from './x-node/begin-record.js';
import { decodeEndRecord } from './x-node/end-record.js';
import { decodeSuccessor, type GraphView, NO_GRAPH } from './x-node/graph-view.js';
import { decodeOrders, type GraphOrders, NO_ORDERS } from './x-node/graph-orders.js';
import { decodeRounds, NO_ROUNDS, type RoundRecord } from './x-node/round-record.js';
import { GuaranteeDraft, NO_GUARANTEE } from './x-node/guarantee-view.js';
import { textOf } from './item-view.js';
import { fromYaml } from './job-configuration-yaml.js';
import { ipOfInstanceId, parseInstanceYaml } from './job-instance.js';
import { type GuaranteeStage, type JobPath, type JobPaths } from './job-paths.js';
import { type InstanceView, type JobView, type ServerStatus } from './job-view-types.js';

/**
 * The configurations read from nodes that are in use. Shared by all readers of the process: mirrors of the embedded
 * registry show the same node objects.
 */
const configurations = new WeakMap<MirroredNode, ReadConfiguration>();

interface ReadConfiguration {
  readonly config: JobConfiguration | undefined;
  readonly configFault: string | undefined;
}

/** A node that may have changed, with its parsed path; `undefined`: it is not there. */
export interface ChangedNode {
  readonly path: JobPath;
  readonly node: MirroredNode | undefined;
}

/** A part of a job that is read as a whole whenever one of its nodes has changed. */
export type Part =
  | 'root'
  | 'config'
  | 'instances'
  | 'records'
  | 'servers'
  | 'leader'
  | 'resharding'
  | 'processing'
  | 'sharding'
  | 'lives'
  | 'live'
  | 'triggers'
  | 'accepted'
  | 'crashedItems'
  | 'crashReports'
  | 'guaranteeItems'
  | 'guarantee'
  | 'strayItems'
  | 'nextJobInstanceIp'
  | 'assignmentRecord'
  | 'graph';

/** The part that a node belongs to; none: it means nothing to a view, or belongs to an item. */
export const PART_OF: { readonly [Type in JobPath['type']]?: Part } = {
  root: 'root',
  config: 'config',
  instance: 'instances',
  beginRecord: 'records',
  server: 'servers',
  leader: 'leader',
  resharding: 'resharding',
  processing: 'processing',
  sharding: 'sharding',
  lives: 'lives',
  live: 'live',
  trigger: 'triggers',
  accepted: 'accepted',
  crashedItem: 'crashedItems',
  crashReport: 'crashReports',
  guaranteeItem: 'guaranteeItems',
  arrivals: 'guarantee',
  called: 'guarantee',
  call: 'guarantee',
  strayItem: 'strayItems',
  nextJobInstanceIp: 'nextJobInstanceIp',
  assignmentRecord: 'assignmentRecord',
  endRecord: 'graph',
  rounds: 'graph',
  orders: 'graph',
  successor: 'graph',
};

/** Reads a part again. The view before has the facts of all nodes that have not changed. */
type PartReader = (changed: readonly ChangedNode[], before: JobView, paths: JobPaths) => Partial<JobView>;

export const READERS: { readonly [Key in Part]: PartReader } = {
  root: ([root]) => ({ exists: root?.node !== undefined, jobClass: textOf(root?.node) }),
  config: ([config], _before, paths) => {
    const node = config?.node;
    if (node === undefined) return NO_CONFIGURATION;
    const read = configurations.get(node) ?? readConfiguration(node, paths.config);
    configurations.set(node, read);
    return { ...read, configRevision: node.revision, configVersion: node.version };
  },
  instances: (changed, before) => ({
    instances: mapAfter(before.instances, withId(changed), (node, id) => readInstance(id, node)),
  }),
  records: (changed, before) => {
    const beginRecords = mapAfter(before.beginRecords, withId(changed), beginRecordOf);
    const begun = mergeBeginRecords(beginRecords.values());
    const manuallyBegun = new Map([...begun.manual].filter(([item]) => !begun.returned.has(item)));
    return { beginRecords, lastBegun: lastInstants(begun), lastKeys: begun.keys, manuallyBegun };
  },
  servers: (changed, before) => {
    const byIp = changed.flatMap(({ path, node }) => (path.type === 'server' ? [[path.ip, node] as const] : []));
    return { servers: mapAfter(before.servers, byIp, serverStatus) };
  },
  leader: ([leader]) => {
    const id = textOf(leader?.node);
    return { leader: id, leaderSession: id === undefined ? undefined : leader?.node?.session };
  },
  resharding: ([request]) => ({
    reshardingNeeded: request?.node !== undefined,
    reshardingVersion: request?.node?.version,
  }),
  processing: ([mark]) => ({ processing: mark?.node !== undefined }),
  sharding: ([parent]) => ({ shardingVersion: parent?.node?.version }),
  lives: ([parent]) => {
    const withdrawn = parent?.node === undefined ? NO_IDS : decodeWithdrawals(valueOf(parent.node));
    return { withdrawn: withdrawn.length === 0 ? NO_IDS : withdrawn };
  },
  live: (changed, before) => ({ live: setAfter(before.live, withId(changed)) }),
  triggers: (changed, before) => ({ triggers: setAfter(before.triggers, withId(changed)) }),
  accepted: (changed, before) => ({
    acceptedTriggers: mapAfter(before.acceptedTriggers, withId(changed), (node) => decodeAccepted(valueOf(node))),
  }),
  crashedItems: (changed, before) => ({
    crashedItems: [...setAfter(new Set(before.crashedItems), withItem(changed))].sort((one, other) => one - other),
  }),
  crashReports: (changed, before) => ({
    crashReports: mapAfter(before.crashReports, withItem(changed), (node) => decodeCrash(valueOf(node))),
  }),
  guaranteeItems: (changed, before) => ({
    startedItems: setAfter(before.startedItems, arrivingAt('started', changed)),
    completedItems: setAfter(before.completedItems, arrivingAt('completed', changed)),
  }),
  guarantee: (changed, before) => {
    const draft = new GuaranteeDraft(before.guarantee);
    for (const { path, node } of changed) draft.note(path, node);
    return { guarantee: draft.finished() };
  },
  strayItems: (changed, before) => {
    const byName = changed.flatMap(({ path, node }) => (path.type === 'strayItem' ? [[path.name, node] as const] : []));
    return { strayItems: [...setAfter(new Set(before.strayItems), byName)] };
  },
  nextJobInstanceIp: ([next]) => ({ nextJobInstanceIp: textOf(next?.node) }),
  assignmentRecord: ([record]) => {
    return { assignmentRecord: decodeAssignmentRecord(record?.node === undefined ? '' : valueOf(record.node)) };
  },
  graph: (changed, before) => ({ graph: graphAfter(before.graph, changed) }),
};

function graphAfter(
  { ends, rounds, orders, ordersVersion, successors }: GraphView,
  changed: readonly ChangedNode[],
): GraphView {
  const endNodes = changed.filter(({ path }) => path.type === 'endRecord');
  const roundsNode = changed.find(({ path }) => path.type === 'rounds');
  const ordersNode = changed.find(({ path }) => path.type === 'orders');
  const byName = changed.flatMap(({ path, node }) =>
    path.type === 'successor' ? [[path.jobName, node] as const] : [],
  );
  return {
    ends: endNodes.length === 0 ? ends : mapAfter(ends, withId(endNodes), (node) => decodeEndRecord(valueOf(node))),
    rounds: roundsNode === undefined ? rounds : roundsOf(roundsNode.node),
    orders: ordersNode === undefined ? orders : ordersOf(ordersNode.node),
    ordersVersion: ordersNode === undefined ? ordersVersion : ordersNode.node?.version,
    successors:
      byName.length === 0 ? successors : mapAfter(successors, byName, (node) => decodeSuccessor(valueOf(node))),
  };
}

function roundsOf(node: MirroredNode | undefined): RoundRecord {
  return node === undefined ? NO_ROUNDS : decodeRounds(valueOf(node));
}

function ordersOf(node: MirroredNode | undefined): GraphOrders {
  return node === undefined ? NO_ORDERS : decodeOrders(valueOf(node));
}

/** Nodes of a part, each with the key that distinguishes it there. */
type Keyed<Key> = readonly (readonly [Key, MirroredNode | undefined])[];

function withId(changed: readonly ChangedNode[]): Keyed<string> {
  return changed.flatMap(({ path, node }) => ('id' in path ? [[path.id, node] as const] : []));
}

function withItem(changed: readonly ChangedNode[]): Keyed<number> {
  return changed.flatMap(({ path, node }) => ('item' in path ? [[path.item, node] as const] : []));
}

function arrivingAt(stage: GuaranteeStage, changed: readonly ChangedNode[]): Keyed<number> {
  return withItem(changed.filter(({ path }) => path.type === 'guaranteeItem' && path.stage === stage));
}

function mapAfter<Key, Value>(
  before: ReadonlyMap<Key, Value>,
  changed: Keyed<Key>,
  valueFrom: (node: MirroredNode, key: Key) => Value,
): ReadonlyMap<Key, Value> {
  const after = new Map(before);
  for (const [key, node] of changed)
    if (node === undefined) after.delete(key);
    else after.set(key, valueFrom(node, key));
  return after;
}

function setAfter<Key extends string | number>(before: ReadonlySet<Key>, changed: Keyed<Key>): ReadonlySet<Key> {
  const after = new Set(before);
  for (const [key, node] of changed)
    if (node === undefined) after.delete(key);
    else after.add(key);
  return after;
}

function serverStatus({ value }: MirroredNode): ServerStatus {
  return value === 'ENABLED' || value === 'DISABLED' ? value : 'UNKNOWN';
}

function beginRecordOf(node: MirroredNode): BeginRecord | undefined {
  return node.value === undefined ? undefined : decodeBeginRecord(node.value);
}

const NO_CONFIGURATION = {
  config: undefined,
  configFault: undefined,
  configRevision: undefined,
  configVersion: undefined,
};

const NO_IDS: readonly string[] = [];

/** A job that has no node. */
export const ABSENT_JOB: JobView = {
  exists: false,
  jobClass: undefined,
  config: undefined,
  configFault: undefined,
  configRevision: undefined,
  configVersion: undefined,
  instances: new Map(),
  live: new Set(),
  withdrawn: NO_IDS,
  javaPeers: new Set(),
  servers: new Map(),
  leader: undefined,
  leaderSession: undefined,
  reshardingNeeded: false,
  reshardingVersion: undefined,
  processing: false,
  shardingVersion: undefined,
  assignmentRecord: undefined,
  items: [],
  strayItems: [],
  triggers: new Set(),
  acceptedTriggers: new Map(),
  crashedItems: [],
  crashReports: new Map(),
  startedItems: new Set(),
  completedItems: new Set(),
  guarantee: NO_GUARANTEE,
  nextJobInstanceIp: undefined,
  lastBegun: new Map(),
  lastKeys: new Map(),
  manuallyBegun: new Map(),
  beginRecords: new Map(),
  graph: NO_GRAPH,
};

function readConfiguration(node: MirroredNode, path: string): ReadConfiguration {
  try {
    return { config: fromYaml(valueOf(node), path).configuration, configFault: undefined };
  } catch (fault) {
    if (!(fault instanceof InvalidConfigurationError)) throw fault;
    return { config: undefined, configFault: fault.faults.join(' ') };
  }
}

function readInstance(id: string, node: MirroredNode): InstanceView {
  const described = parseInstanceYaml(valueOf(node));
  const readable = described?.jobInstanceId === id;
  return {
    jobInstanceId: id,
    serverIp: readable ? described.serverIp : ipOfInstanceId(id),
    session: node.session,
    readable,
    ...(readable && described.labels !== undefined && { labels: described.labels }),
  };
}

/** The node's value; the empty text if it has not been read, as if the node were empty. */
function valueOf(node: MirroredNode): string {
  return node.value ?? '';
}
