/** The parts of a `JobView` that are not its items, each read as a whole whenever one of its nodes has changed. */
import { InvalidConfigurationError } from '../api/errors/errors.js';
import { type JobConfiguration } from '../api/job/job-configuration.js';
import { type MirroredNode } from '../registry/registry-center.js';
import { decodeCrash } from './x-node/crash-report.js';
import { decodeAssignmentRecord } from './x-node/assignment-record.js';
import { decodeWithdrawals } from './x-node/withdrawals.js';
import { type BeginRecord, decodeBeginRecord, lastInstants, mergeBeginRecords } from './x-node/begin-record.js';
import { GuaranteeDraft, NO_GUARANTEE } from './x-node/guarantee-view.js';
import { textOf } from './item-view.js';
import { fromYaml } from './job-configuration-yaml.js';
import { ipOfInstanceId, parseInstanceYaml } from './job-instance.js';
import { type GuaranteeStage, type JobPath, type JobPaths } from './job-paths.js';
import { type InstanceView, type JobView, type ServerStatus } from './job-view-types.js';
import { mapOf } from './shared-empty.js';

/** Remembers what was made of a node, as long as the node is in use. */
class Memo<T extends object> {
  readonly #known = new WeakMap<MirroredNode, T>();

  of(node: MirroredNode, make: () => T): T {
    let made = this.#known.get(node);
    if (made === undefined) this.#known.set(node, (made = make()));
    return made;
  }
}

// For all readers of the process: mirrors of the embedded registry show the same node objects.
const configurations = new Memo<ReadConfiguration>();
const instances = new Memo<InstanceView>();
const records = new Memo<BeginRecord>();
const guaranteeRecords = new Memo<object>();

interface ReadConfiguration {
  readonly configuration: JobConfiguration | undefined;
  readonly configFault: string | undefined;
}

/** A node of a part, and which one of the job's it is. */
export interface PartNode {
  readonly part: Part;
  readonly path: JobPath;
  readonly node: MirroredNode;
}

/** What is read together whenever one of its nodes has changed. */
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
  | 'crashedItems'
  | 'crashReports'
  | 'guaranteeItems'
  | 'guarantee'
  | 'strayItems'
  | 'nextJobInstanceIp'
  | 'assignmentRecord';

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
  crashedItem: 'crashedItems',
  crashReport: 'crashReports',
  guaranteeItem: 'guaranteeItems',
  arrivals: 'guarantee',
  called: 'guarantee',
  call: 'guarantee',
  strayItem: 'strayItems',
  nextJobInstanceIp: 'nextJobInstanceIp',
  assignmentRecord: 'assignmentRecord',
};

type PartReader = (nodes: readonly PartNode[], paths: JobPaths) => Partial<JobView>;

export const READERS: { readonly [Key in Part]: PartReader } = {
  root: ([root]) => ({ exists: root !== undefined, jobClass: textOf(root?.node) }),
  config: ([config], paths) => {
    if (config === undefined) return NO_CONFIGURATION;
    const { node } = config;
    const { configuration, configFault } = configurations.of(node, () => readConfiguration(node, paths.config));
    return { config: configuration, configFault, configRevision: node.revision, configVersion: node.version };
  },
  instances: (nodes) => ({
    instances: new Map(
      withId(nodes).map(([id, node]) => [id, instances.of(node, () => readInstance(id, node))] as const),
    ),
  }),
  records: (nodes) => {
    const beginRecords = new Map(withId(nodes).map(([id, node]) => [id, beginRecordOf(node)] as const));
    const begun = mergeBeginRecords(beginRecords.values());
    const manuallyBegun = mapOf([...begun.manual].filter(([item]) => !begun.returned.has(item)));
    return { beginRecords, lastBegun: lastInstants(begun), manuallyBegun };
  },
  servers: (nodes) => ({
    servers: new Map(
      nodes.flatMap(({ path, node }) => (path.type === 'server' ? [[path.ip, serverStatus(node)] as const] : [])),
    ),
  }),
  leader: ([leader]) => {
    const id = textOf(leader?.node);
    return { leader: id, leaderSession: id === undefined ? undefined : leader?.node.session };
  },
  resharding: ([request]) => ({ reshardingNeeded: request !== undefined, reshardingVersion: request?.node.version }),
  processing: ([mark]) => ({ processing: mark !== undefined }),
  sharding: ([parent]) => ({ shardingVersion: parent?.node.version }),
  lives: ([parent]) => ({ withdrawn: parent === undefined ? [] : decodeWithdrawals(valueOf(parent.node)) }),
  live: (nodes) => ({ live: new Set(withId(nodes).map(([id]) => id)) }),
  triggers: (nodes) => ({ triggers: new Set(withId(nodes).map(([id]) => id)) }),
  crashedItems: (nodes) => ({
    crashedItems: withItem(nodes)
      .map(([item]) => item)
      .sort((one, other) => one - other),
  }),
  crashReports: (nodes) => ({
    crashReports: new Map(withItem(nodes).map(([item, node]) => [item, decodeCrash(valueOf(node))] as const)),
  }),
  guaranteeItems: (nodes) => ({
    startedItems: arrivedAt('started', nodes),
    completedItems: arrivedAt('completed', nodes),
  }),
  guarantee: (nodes) => {
    const draft = new GuaranteeDraft();
    for (const { path, node } of nodes)
      draft.add(path, node, (known, make) => guaranteeRecords.of(known, make) as ReturnType<typeof make>);
    return { guarantee: draft.finished() };
  },
  strayItems: (nodes) => ({ strayItems: nodes.flatMap(({ path }) => (path.type === 'strayItem' ? [path.name] : [])) }),
  nextJobInstanceIp: ([node]) => ({ nextJobInstanceIp: textOf(node?.node) }),
  assignmentRecord: ([record]) => ({
    assignmentRecord: record === undefined ? undefined : decodeAssignmentRecord(valueOf(record.node)),
  }),
};

function withId(nodes: readonly PartNode[]): readonly (readonly [string, MirroredNode])[] {
  return nodes.flatMap(({ path, node }) => ('id' in path ? [[path.id, node] as const] : []));
}

function withItem(nodes: readonly PartNode[]): readonly (readonly [number, MirroredNode])[] {
  return nodes.flatMap(({ path, node }) => ('item' in path ? [[path.item, node] as const] : []));
}

function arrivedAt(stage: GuaranteeStage, nodes: readonly PartNode[]): ReadonlySet<number> {
  return new Set(
    nodes.flatMap(({ path }) => (path.type === 'guaranteeItem' && path.stage === stage ? [path.item] : [])),
  );
}

function serverStatus({ value }: MirroredNode): ServerStatus {
  return value === 'ENABLED' || value === 'DISABLED' ? value : 'UNKNOWN';
}

function beginRecordOf(node: MirroredNode): BeginRecord | undefined {
  return node.value === undefined ? undefined : records.of(node, () => decodeBeginRecord(valueOf(node)));
}

const NO_CONFIGURATION = {
  config: undefined,
  configFault: undefined,
  configRevision: undefined,
  configVersion: undefined,
};

/** A job of which there is no node. */
export const NOTHING: JobView = {
  ...{ exists: false, jobClass: undefined, ...NO_CONFIGURATION },
  ...{ instances: new Map(), live: new Set(), withdrawn: [], javaPeers: new Set(), servers: new Map() },
  ...{ leader: undefined, leaderSession: undefined, reshardingNeeded: false, reshardingVersion: undefined },
  ...{ processing: false, shardingVersion: undefined, assignmentRecord: undefined, items: [], strayItems: [] },
  ...{
    triggers: new Set(),
    crashedItems: [],
    crashReports: new Map(),
    startedItems: new Set(),
    completedItems: new Set(),
  },
  ...{ guarantee: NO_GUARANTEE, nextJobInstanceIp: undefined, lastBegun: new Map(), manuallyBegun: new Map() },
  beginRecords: new Map(),
};

function readConfiguration(node: MirroredNode, path: string): ReadConfiguration {
  try {
    return { configuration: fromYaml(valueOf(node), path).configuration, configFault: undefined };
  } catch (fault) {
    if (!(fault instanceof InvalidConfigurationError)) throw fault;
    return { configuration: undefined, configFault: fault.faults.join(' ') };
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

/** The node's value; the empty text if it has not been read, as if the node said nothing. */
function valueOf(node: MirroredNode): string {
  return node.value ?? '';
}
