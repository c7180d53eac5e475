import { InvalidConfigurationError } from '../api/errors.js';
import { type JobConfiguration } from '../api/job-configuration.js';
import { type MirroredNode } from '../registry/registry-center.js';
import { type CrashedRun, decodeCrash } from './x-node/crash-report.js';
import { type AssignmentRecord, decodeAssignmentRecord } from './x-node/assignment-record.js';
import { decodeWithdrawals } from './x-node/withdrawals.js';
import { type BeginRecord, decodeBeginRecord, lastInstants, mergeBeginRecords } from './x-node/begin-record.js';
import { GuaranteeDraft } from './x-node/guarantee-view.js';
import { addMark, type ItemDraft, newItem, textOf } from './item-view.js';
import { fromYaml } from './job-configuration-yaml.js';
import { ipOfInstanceId, parseInstanceYaml } from './job-instance.js';
import { type JobPath, JobPaths } from './job-paths.js';
import { type InstanceView, type JobView, type ServerStatus } from './job-view-types.js';

/** Reads a job's nodes, given by absolute path as a mirror of the job's root has them. Other nodes are ignored. */
export function readJobView(nodes: ReadonlyMap<string, MirroredNode>, jobName: string): JobView {
  return new JobViewReader(jobName).read(nodes);
}

/**
 * `readJobView` for one job again and again. What is costly to read is not read again while the mirror hands out the
 * same node object, which it does for every node that has not changed.
 */
export class JobViewReader {
  readonly #paths: JobPaths;
  readonly #parsed = new Map<string, JobPath>();

  constructor(jobName: string) {
    this.#paths = new JobPaths(jobName);
  }

  read(nodes: ReadonlyMap<string, MirroredNode>): JobView {
    if (this.#parsed.size > 2 * nodes.size + 1000) this.#parsed.clear();
    const view = new Draft();
    for (const [path, node] of nodes) this.#add(view, this.#parse(path), node);
    return view.finished();
  }

  /** Latch participants have ever new names, so what is remembered of paths is forgotten from time to time. */
  #parse(path: string): JobPath {
    let parsed = this.#parsed.get(path);
    if (parsed === undefined) {
      parsed = this.#paths.parse(path);
      this.#parsed.set(path, parsed);
    }
    return parsed;
  }

  #add(view: Draft, path: JobPath, node: MirroredNode): void {
    switch (path.type) {
      case 'item':
        view.item(path.item).version = node.version;
        return;
      case 'itemMark':
        addMark(view.item(path.item), path.mark, node);
        return;
      case 'config':
        view.config = node;
        Object.assign(
          view,
          configurations.of(node, () => readConfiguration(node, this.#paths.config)),
        );
        return;
      case 'instance':
        view.instances.set(
          path.id,
          instances.of(node, () => readInstance(path.id, node)),
        );
        return;
      case 'beginRecord':
        view.beginRecords.set(
          path.id,
          node.value === undefined ? undefined : records.of(node, () => decodeBeginRecord(node.value ?? '')),
        );
        return;
      case 'arrivals':
      case 'called':
      case 'call':
        return view.guarantee.add(
          path,
          node,
          (known, make) => guaranteeRecords.of(known, make) as ReturnType<typeof make>,
        );
      default:
        view.add(path, node);
    }
  }
}

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

/** A view in the making. */
class Draft {
  root: MirroredNode | undefined;
  config: MirroredNode | undefined;
  configuration: JobConfiguration | undefined;
  configFault: string | undefined;
  readonly instances = new Map<string, InstanceView>();
  readonly beginRecords = new Map<string, BeginRecord | undefined>();
  readonly guarantee = new GuaranteeDraft();
  readonly #servers = new Map<string, ServerStatus>();
  readonly #items = new Map<number, ItemDraft>();
  readonly #live = new Set<string>();
  #withdrawn: readonly string[] = [];
  readonly #triggers = new Set<string>();
  readonly #crashedItems: number[] = [];
  readonly #crashReports = new Map<number, CrashedRun>();
  readonly #startedItems = new Set<number>();
  readonly #completedItems = new Set<number>();
  #leader: MirroredNode | undefined;
  #resharding: MirroredNode | undefined;
  #sharding: MirroredNode | undefined;
  #processing = false;
  #nextJobInstanceIp: string | undefined;
  #assignmentRecord: AssignmentRecord | undefined;

  item(item: number): ItemDraft {
    let view = this.#items.get(item);
    if (view === undefined) this.#items.set(item, (view = newItem(item)));
    return view;
  }

  add(path: JobPath, node: MirroredNode): void {
    switch (path.type) {
      case 'root':
        this.root = node;
        return;
      case 'server':
        this.#servers.set(path.ip, node.value === 'ENABLED' || node.value === 'DISABLED' ? node.value : 'UNKNOWN');
        return;
      case 'leader':
        this.#leader = node;
        return;
      case 'resharding':
        this.#resharding = node;
        return;
      case 'processing':
        this.#processing = true;
        return;
      case 'sharding':
        this.#sharding = node;
        return;
      case 'lives':
        this.#withdrawn = decodeWithdrawals(node.value ?? '');
        return;
      case 'live':
        this.#live.add(path.id);
        return;
      case 'trigger':
        this.#triggers.add(path.id);
        return;
      case 'crashedItem':
        this.#crashedItems.push(path.item);
        return;
      case 'crashReport':
        this.#crashReports.set(path.item, decodeCrash(node.value ?? ''));
        return;
      case 'guaranteeItem':
        (path.stage === 'started' ? this.#startedItems : this.#completedItems).add(path.item);
        return;
      case 'nextJobInstanceIp':
        this.#nextJobInstanceIp = textOf(node);
        return;
      case 'assignmentRecord':
        this.#assignmentRecord = decodeAssignmentRecord(node.value ?? '');
        return;
      default:
    }
  }

  finished(): JobView {
    const begun = mergeBeginRecords(this.beginRecords.values());
    const ids = [...this.instances.keys()];
    const leader = textOf(this.#leader);
    return {
      exists: this.root !== undefined,
      jobClass: textOf(this.root),
      config: this.configuration,
      configFault: this.configFault,
      configRevision: this.config?.revision,
      configVersion: this.config?.version,
      instances: this.instances,
      live: this.#live,
      withdrawn: this.#withdrawn,
      javaPeers: new Set(ids.filter((id) => !this.#live.has(id) && !this.beginRecords.has(id))),
      servers: this.#servers,
      leader,
      leaderSession: leader === undefined ? undefined : this.#leader?.session,
      reshardingNeeded: this.#resharding !== undefined,
      reshardingVersion: this.#resharding?.version,
      processing: this.#processing,
      shardingVersion: this.#sharding?.version,
      assignmentRecord: this.#assignmentRecord,
      items: [...this.#items.values()].sort((one, other) => one.item - other.item),
      triggers: this.#triggers,
      crashedItems: this.#crashedItems.sort((one, other) => one - other),
      crashReports: this.#crashReports,
      startedItems: this.#startedItems,
      completedItems: this.#completedItems,
      guarantee: this.guarantee.finished(),
      nextJobInstanceIp: this.#nextJobInstanceIp,
      lastBegun: lastInstants(begun),
      manuallyBegun: new Map([...begun.manual].filter(([item]) => !begun.returned.has(item))),
      beginRecords: this.beginRecords,
    };
  }
}

function readConfiguration(node: MirroredNode, path: string): ReadConfiguration {
  try {
    return { configuration: fromYaml(node.value ?? '', path).configuration, configFault: undefined };
  } catch (fault) {
    if (!(fault instanceof InvalidConfigurationError)) throw fault;
    return { configuration: undefined, configFault: fault.faults.join(' ') };
  }
}

function readInstance(id: string, node: MirroredNode): InstanceView {
  const described = parseInstanceYaml(node.value ?? '');
  const readable = described?.jobInstanceId === id;
  return {
    jobInstanceId: id,
    serverIp: readable ? described.serverIp : ipOfInstanceId(id),
    session: node.session,
    readable,
  };
}
