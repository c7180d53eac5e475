/** The parts of a `JobView` that are not its items, each read as a whole whenever one of its nodes has changed. */
import { InvalidConfigurationError } from '../api/errors/errors.js';
import { type JobConfiguration } from '../api/job/job-configuration.js';
import { type MirroredNode } from '../registry/registry-center.js';
import { type AcceptedTriggers, decodeAccepted } from './x-node/accepted-triggers.js';
import { type CrashedRun, decodeCrash } from './x-node/crash-report.js';
import { type AssignmentRecord, decodeAssignmentRecord } from './x-node/assignment-record.js';
import { decodeWithdrawals } from './x-node/withdrawals.js';
import {
  type BeginRecord,
  decodeBeginRecord,
  lastInstants,
  mergeBeginRecords,
  NOTHING_BEGUN,
} from './x-node/begin-record.js';
import { GuaranteeDraft, NO_GUARANTEE } from './x-node/guarantee-view.js';
import { textOf } from './item-view.js';
import { fromYaml } from './job-configuration-yaml.js';
import { ipOfInstanceId, parseInstanceYaml } from './job-instance.js';
import { type GuaranteeStage, type JobPath, type JobPaths } from './job-paths.js';
import { type InstanceView, type JobView, type ServerStatus } from './job-view-types.js';
import { mapOf, setOf, Shared, sharedIfEmpty, sharedMap } from './shared-collections.js';

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
const records = new Memo<BeginRecord>();

// Most jobs of a process know the same instances and servers, and were assigned for the same.
const INSTANCES = new Shared<InstanceView>();
const INSTANCE_MAPS = new Shared<ReadonlyMap<string, InstanceView>>();
const SERVER_MAPS = new Shared<ReadonlyMap<string, ServerStatus>>();
const ASSIGNMENT_RECORDS = new Shared<AssignmentRecord | undefined>();
const RECORD_MAPS = new Shared<ReadonlyMap<string, BeginRecord | undefined>>();

interface ReadConfiguration {
  readonly configuration: JobConfiguration | undefined;
  readonly configFault: string | undefined;
}

/** A node that may have changed, and which one of the job's it is; `undefined`: it is not there. */
export interface ChangedNode {
  readonly path: JobPath;
  readonly node: MirroredNode | undefined;
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
  | 'accepted'
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
};

/** What a part becomes: of the nodes that have not changed, the view before says all. */
type PartReader = (changed: readonly ChangedNode[], before: JobView, paths: JobPaths) => Partial<JobView>;

export const READERS: { readonly [Key in Part]: PartReader } = {
  root: ([root]) => ({ exists: root?.node !== undefined, jobClass: textOf(root?.node) }),
  config: ([config], _before, paths) => {
    const node = config?.node;
    if (node === undefined) return NO_CONFIGURATION;
    const { configuration, ...read } = configurations.of(node, () => readConfiguration(node, paths.config));
    // A fault names the path, and nodes of different jobs may be one object.
    const configFault = read.configFault && readConfiguration(node, paths.config).configFault;
    return { config: configuration, configFault, configRevision: node.revision, configVersion: node.version };
  },
  instances: (changed, before) => ({
    instances: sharedMap(
      mapAfter(before.instances, withId(changed), (node, id) => readInstance(id, node)),
      INSTANCE_MAPS,
      (instance) => JSON.stringify(instance),
    ),
  }),
  records: (changed, before) => {
    const beginRecords = sharedIfIdle(mapAfter(before.beginRecords, withId(changed), beginRecordOf));
    const begun = mergeBeginRecords(beginRecords.values());
    const manuallyBegun = mapOf([...begun.manual].filter(([item]) => !begun.returned.has(item)));
    return { beginRecords, lastBegun: lastInstants(begun), manuallyBegun };
  },
  servers: (changed, before) => {
    const byIp = changed.flatMap(({ path, node }) => (path.type === 'server' ? [[path.ip, node] as const] : []));
    return { servers: sharedMap(mapAfter(before.servers, byIp, serverStatus), SERVER_MAPS, (status) => status) };
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
    const text = record?.node === undefined ? '' : valueOf(record.node);
    return { assignmentRecord: ASSIGNMENT_RECORDS.of(text, () => decodeAssignmentRecord(text)) };
  },
};

/** A node by what distinguishes it from the other nodes of its part. */
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
  return sharedIfEmpty(after);
}

function setAfter<Key extends string | number>(before: ReadonlySet<Key>, changed: Keyed<Key>): ReadonlySet<Key> {
  const after = new Set(before);
  for (const [key, node] of changed)
    if (node === undefined) after.delete(key);
    else after.add(key);
  return setOf([...after]);
}

function serverStatus({ value }: MirroredNode): ServerStatus {
  return value === 'ENABLED' || value === 'DISABLED' ? value : 'UNKNOWN';
}

function beginRecordOf(node: MirroredNode): BeginRecord | undefined {
  if (node.value === '') return NOTHING_BEGUN;
  return node.value === undefined ? undefined : records.of(node, () => decodeBeginRecord(valueOf(node)));
}

/** A job that has not run yet has the same records as others. */
function sharedIfIdle(
  records: ReadonlyMap<string, BeginRecord | undefined>,
): ReadonlyMap<string, BeginRecord | undefined> {
  for (const record of records.values()) if (record !== undefined && record !== NOTHING_BEGUN) return records;
  return sharedMap(records, RECORD_MAPS, (record) => (record === undefined ? 'unread' : 'empty'));
}

const NO_CONFIGURATION = {
  config: undefined,
  configFault: undefined,
  configRevision: undefined,
  configVersion: undefined,
};

const NO_IDS: readonly string[] = [];

/** A job of which there is no node. One literal: a copy of it takes the least memory. */
export const NOTHING: JobView = {
  exists: false,
  jobClass: undefined,
  config: undefined,
  configFault: undefined,
  configRevision: undefined,
  configVersion: undefined,
  instances: mapOf<string, InstanceView>([]),
  live: setOf<string>([]),
  withdrawn: NO_IDS,
  javaPeers: setOf<string>([]),
  servers: mapOf<string, ServerStatus>([]),
  leader: undefined,
  leaderSession: undefined,
  reshardingNeeded: false,
  reshardingVersion: undefined,
  processing: false,
  shardingVersion: undefined,
  assignmentRecord: undefined,
  items: [],
  strayItems: [],
  triggers: setOf<string>([]),
  acceptedTriggers: mapOf<string, AcceptedTriggers>([]),
  crashedItems: [],
  crashReports: mapOf<number, CrashedRun>([]),
  startedItems: setOf<number>([]),
  completedItems: setOf<number>([]),
  guarantee: NO_GUARANTEE,
  nextJobInstanceIp: undefined,
  lastBegun: mapOf<number, number>([]),
  manuallyBegun: mapOf<number, string | undefined>([]),
  beginRecords: mapOf<string, BeginRecord | undefined>([]),
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
  // Neither ids nor sessions contain a slash.
  return INSTANCES.of(`${id}/${node.session ?? ''}/${valueOf(node)}`, () => instanceView(id, node));
}

function instanceView(id: string, node: MirroredNode): InstanceView {
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
