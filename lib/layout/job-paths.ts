/**
 * The nodes of a job in the registry centre. Only this file builds and parses their paths.
 *
 * ```
 * /{job}                                  the job's class or type
 * ├── config                              its settings as YAML            → job-configuration-yaml.ts
 * ├── instances/{id}                      one for each living instance    → job-instance.ts
 * ├── servers/{ip}                        ENABLED or DISABLED
 * ├── leader
 * │   ├── election/instance               id of the leader
 * │   ├── election/latch                  held while electing
 * │   ├── sharding/necessary              present: the items must be assigned again
 * │   ├── sharding/processing             present: the leader is assigning
 * │   ├── failover/items/{item}           items whose instance crashed, waiting to be taken over
 * │   └── failover/latch                  held while taking over
 * ├── sharding/{item}
 * │   ├── instance                        id of the owner
 * │   ├── running                         id of the instance that runs it now
 * │   ├── failover, failovering           id of the instance that has taken it over
 * │   └── misfire, disabled               present or absent
 * ├── guarantee/{started,completed}[/{item}], {started,completed}-latch
 * ├── trigger/{id}                        present: this instance is to run now
 * ├── systemTime/current                  written to learn the registry's time
 * ├── next-job-instance-ip                ip of the next runner, with SINGLE_SHARDING_BALANCE
 * └── x-node                              our own
 *     ├── fired/{id}                      instants that this instance has begun → begin-record.ts
 *     ├── live/{id}                       a session node: this instance's process has not ended
 *     ├── assigned-for                    basis of the present assignment → assignment-record.ts
 *     ├── triggered/{id}                  items whose trigger this instance has accepted → accepted-triggers.ts
 *     ├── faults/{id}                     a session node: fault that only this instance knows → instance-fault.ts
 *     ├── crashed/{item}                  the firing that was cut short, until it has been run again → crash-report.ts
 *     ├── ended/{id}                      instants that this instance has ended; only in a graph → end-record.ts
 *     ├── graph/rounds                    the rounds that the job has completed → round-record.ts
 *     ├── graph/orders                    what operators have ordered for its rounds → graph-orders.ts
 *     ├── graph/successors/{job}          present: that job runs after this one → graph-view.ts
 *     └── guarantee/…                     items that have arrived at barriers → arrival-record.ts
 * ```
 *
 * All of it except `x-node` is Java ElasticJob's. Java ignores other children of the job's root, and nothing else.
 */
import { InvalidConfigurationError } from '../api/errors/errors.js';

/** A fact about an item that a node below it states: the last segment of that node's path. */
export type ItemMark = (typeof ITEM_MARKS)[number];

/**
 * The two moments of a firing at which its items wait for each other: before they start, and when they have completed.
 */
export type GuaranteeStage = 'started' | 'completed';

/** The node of a job that a path names; the inverse of the builders of `JobPaths`. */
export type JobPath =
  | { readonly type: PlainNode }
  | {
      readonly type: 'instance' | 'trigger' | 'accepted' | 'beginRecord' | 'endRecord' | 'live' | 'arrivals';
      readonly id: string;
    }
  | { readonly type: 'successor'; readonly jobName: string }
  | { readonly type: 'server'; readonly ip: string }
  | { readonly type: 'crashedItem' | 'crashReport' | 'item'; readonly item: number }
  | { readonly type: 'itemMark'; readonly item: number; readonly mark: ItemMark }
  | { readonly type: 'guarantee' | 'guaranteeLatch' | 'called' | 'call'; readonly stage: GuaranteeStage }
  | { readonly type: 'guaranteeItem'; readonly stage: GuaranteeStage; readonly item: number }
  /** A child of `sharding` that is no item, because `name` is no number as Java writes it. */
  | { readonly type: 'strayItem'; readonly name: string }
  /** Not a node of this job, or one without a meaning: inner folders, latch participants, nodes of other software. */
  | { readonly type: 'unknown' };

/** Nodes of which a job has one each. */
type PlainNode =
  | 'root'
  | 'config'
  | 'instances'
  | 'servers'
  | 'leader'
  | 'electionLatch'
  | 'leaderSharding'
  | 'resharding'
  | 'processing'
  | 'crashedItems'
  | 'failoverLatch'
  | 'sharding'
  | 'systemTime'
  | 'triggers'
  | 'acceptedTriggers'
  | 'nextJobInstanceIp'
  | 'beginRecords'
  | 'lives'
  | 'arrivalRecords'
  | 'crashReports'
  | 'assignmentRecord'
  | 'endRecords'
  | 'rounds'
  | 'orders'
  | 'successors';

/** All marks of an item. */
export const ITEM_MARKS = ['instance', 'running', 'failover', 'failovering', 'misfire', 'disabled'] as const;

/** Builds the paths of one job's nodes, absolute within the namespace, and finds the node that a path names. */
export class JobPaths {
  /** The job's root node; its value is the job's name, or a Java job's class name or type. */
  readonly root: string;

  /**
   * @param jobName name of the job; `api/` decides which names a new job may have
   * @throws InvalidConfigurationError if the name is empty or contains `/`, so that it names no single node
   */
  constructor(readonly jobName: string) {
    if (jobName === '' || jobName.includes('/')) {
      throw new InvalidConfigurationError([`jobName must be a single path segment, got ${JSON.stringify(jobName)}.`]);
    }
    this.root = `/${jobName}`;
  }

  /** The inner folder of our own nodes. */
  get own(): string {
    return `${this.root}/x-node`;
  }

  /** The job's settings as YAML. */
  get config(): string {
    return `${this.root}/config`;
  }

  get instances(): string {
    return `${this.root}/instances`;
  }

  /** A session node that exists while this instance lives. */
  instance(id: string): string {
    return `${this.root}/instances/${id}`;
  }

  get servers(): string {
    return `${this.root}/servers`;
  }

  /** `ENABLED` or `DISABLED`: instances with this ip are given items only if it is enabled. */
  server(ip: string): string {
    return `${this.root}/servers/${ip}`;
  }

  /** A session node holding the id of the leader. */
  get leader(): string {
    return `${this.root}/leader/election/instance`;
  }

  /** To be held exclusively while writing `leader`. */
  get electionLatch(): string {
    return `${this.root}/leader/election/latch`;
  }

  /** Parent of `resharding` and `processing`. */
  get leaderSharding(): string {
    return `${this.root}/leader/sharding`;
  }

  /** Present while the items must be assigned again; no instance may begin a run meanwhile. */
  get resharding(): string {
    return `${this.root}/leader/sharding/necessary`;
  }

  /** A session node of the leader, present while it assigns the items. */
  get processing(): string {
    return `${this.root}/leader/sharding/processing`;
  }

  get crashedItems(): string {
    return `${this.root}/leader/failover/items`;
  }

  /** Present while this item, whose instance crashed, waits to be taken over. */
  crashedItem(item: number): string {
    return `${this.root}/leader/failover/items/${item}`;
  }

  /** To be held exclusively while taking over a crashed item. */
  get failoverLatch(): string {
    return `${this.root}/leader/failover/latch`;
  }

  /** Parent of the items. Our leaders write its (empty) value with each assignment, so that its version fences them. */
  get sharding(): string {
    return `${this.root}/sharding`;
  }

  /** The item's node, or the node below it that bears the mark. */
  item(item: number, mark?: ItemMark): string {
    return mark === undefined ? `${this.root}/sharding/${item}` : `${this.root}/sharding/${item}/${mark}`;
  }

  /** Number of the item that a node is or belongs to: `7` for `sharding/7`, `sharding/7/running` and all else there. */
  itemOf(path: string): number | undefined {
    if (!this.#isBelowRoot(path) || !path.startsWith(ITEMS, this.root.length)) return undefined;
    const start = this.root.length + ITEMS.length;
    const end = path.indexOf('/', start);
    return itemNumber(end < 0 ? path.slice(start) : path.slice(start, end));
  }

  /** Parent of the items that have reported the stage of a firing; with an item, that item's node. Java's. */
  guarantee(stage: GuaranteeStage, item?: number): string {
    const path = `${this.root}/guarantee/${stage}`;
    return item === undefined ? path : `${path}/${item}`;
  }

  /** To be held exclusively while making the call of a stage. */
  guaranteeLatch(stage: GuaranteeStage): string {
    return `${this.root}/guarantee/${stage}-latch`;
  }

  /** The node that is written to learn the registry's time. */
  get systemTime(): string {
    return `${this.root}/systemTime/current`;
  }

  get triggers(): string {
    return `${this.root}/trigger`;
  }

  /** Present: this instance is to run its items once, now. Removing it is accepting it. */
  trigger(id: string): string {
    return `${this.root}/trigger/${id}`;
  }

  get acceptedTriggers(): string {
    return `${this.root}/x-node/triggered`;
  }

  /**
   * The items for which this instance has accepted a trigger, and that no instance has begun. Persistent, unknown to
   * Java.
   */
  accepted(id: string): string {
    return `${this.root}/x-node/triggered/${id}`;
  }

  /** A session node of the last runner with the ip of the next one; only with SINGLE_SHARDING_BALANCE and one item. */
  get nextJobInstanceIp(): string {
    return `${this.root}/next-job-instance-ip`;
  }

  get beginRecords(): string {
    return `${this.root}/x-node/fired`;
  }

  /** The runs that this instance has begun, with their instants. Persistent, unknown to Java. */
  beginRecord(id: string): string {
    return `${this.root}/x-node/fired/${id}`;
  }

  get endRecords(): string {
    return `${this.root}/x-node/ended`;
  }

  /** The runs that this instance has brought to an end, with their instants. Persistent, unknown to Java. */
  endRecord(id: string): string {
    return `${this.root}/x-node/ended/${id}`;
  }

  /** Parent of the nodes that concern the job's graph. Absent for a job that belongs to none. */
  get graph(): string {
    return `${this.root}/x-node/graph`;
  }

  /** The rounds that the job has completed. Persistent, unknown to Java. */
  get rounds(): string {
    return `${this.root}/x-node/graph/rounds`;
  }

  /** The orders of operators for the job's rounds. Persistent, unknown to Java. */
  get orders(): string {
    return `${this.root}/x-node/graph/orders`;
  }

  get successors(): string {
    return `${this.root}/x-node/graph/successors`;
  }

  /** Present: the job of that name runs after this one. Persistent, unknown to Java. */
  successor(jobName: string): string {
    return `${this.root}/x-node/graph/successors/${jobName}`;
  }

  /** Basis of the present assignment. Persistent, unknown to Java. */
  get assignmentRecord(): string {
    return `${this.root}/x-node/assigned-for`;
  }

  get crashReports(): string {
    return `${this.root}/x-node/crashed`;
  }

  /** The run of a crashed item that was cut short, until an instance has run it again. Persistent, unknown to Java. */
  crashReport(item: number): string {
    return `${this.root}/x-node/crashed/${item}`;
  }

  /** The parent of the signs of life. Its value names instances that have stopped: see `x-node/withdrawals.ts`. */
  get lives(): string {
    return `${this.root}/x-node/live`;
  }

  /**
   * A session node that this instance keeps until it has ended, also while it is stopping after an operator removed its
   * `instance` node. Unknown to Java.
   */
  live(id: string): string {
    return `${this.root}/x-node/live/${id}`;
  }

  /** Parent of the faults that instances report. Absent until an instance has one. */
  get faults(): string {
    return `${this.root}/x-node/faults`;
  }

  /** A session node, present while the job has a fault on this instance that no other node shows. Unknown to Java. */
  fault(id: string): string {
    return `${this.root}/x-node/faults/${id}`;
  }

  get arrivalRecords(): string {
    return `${this.root}/x-node/guarantee/present`;
  }

  /**
   * A session node with the items that this instance has reported at the barriers of firings. Unknown to Java, as are
   * the next two.
   */
  arrivals(id: string): string {
    return `${this.root}/x-node/guarantee/present/${id}`;
  }

  /** The rounds of a stage whose callback was begun. */
  called(stage: GuaranteeStage): string {
    return `${this.root}/x-node/guarantee/${stage}`;
  }

  /** A session node of the instance that makes the callback of a stage now. */
  call(stage: GuaranteeStage): string {
    return `${this.root}/x-node/guarantee/${stage}-by`;
  }

  /**
   * The subtrees that concern an instance which owns these items: everything except other items, other instances'
   * records, and the job's root itself.
   */
  shareOf(id: string, items: readonly number[]): readonly string[] {
    return [
      ...[this.config, this.instances, this.servers, `${this.root}/leader`, `${this.root}/guarantee`],
      ...[this.triggers, this.acceptedTriggers, this.systemTime, this.nextJobInstanceIp],
      ...[this.lives, this.assignmentRecord, this.crashReports, `${this.own}/guarantee`, this.beginRecord(id)],
      ...[this.graph, this.endRecord(id)],
      ...items.map((item) => this.item(item)),
    ];
  }

  /** The node of this job that `path` names. Items must be written as Java writes them: `7`, not `07` or `+7`. */
  parse(path: string): JobPath {
    if (path === this.root) return { type: 'root' };
    if (!this.#isBelowRoot(path)) return UNKNOWN;
    const { length } = this.root;
    return path.startsWith(ITEMS, length)
      ? parseBelowItems(path.slice(length + ITEMS.length))
      : parseBelowRoot(path.slice(length + 1));
  }

  #isBelowRoot(path: string): boolean {
    return path.startsWith(this.root) && path[this.root.length] === '/';
  }
}

/** Beginning of the paths of all items, after that of the root. */
const ITEMS = '/sharding/';

const UNKNOWN: JobPath = { type: 'unknown' };

const PLAIN_NODES: ReadonlyMap<string, JobPath> = new Map<string, JobPath>([
  ['config', { type: 'config' }],
  ['instances', { type: 'instances' }],
  ['servers', { type: 'servers' }],
  ['leader/election/instance', { type: 'leader' }],
  ['leader/election/latch', { type: 'electionLatch' }],
  ['leader/sharding', { type: 'leaderSharding' }],
  ['leader/sharding/necessary', { type: 'resharding' }],
  ['leader/sharding/processing', { type: 'processing' }],
  ['leader/failover/items', { type: 'crashedItems' }],
  ['leader/failover/latch', { type: 'failoverLatch' }],
  ['sharding', { type: 'sharding' }],
  ['guarantee/started', { type: 'guarantee', stage: 'started' }],
  ['guarantee/completed', { type: 'guarantee', stage: 'completed' }],
  ['guarantee/started-latch', { type: 'guaranteeLatch', stage: 'started' }],
  ['guarantee/completed-latch', { type: 'guaranteeLatch', stage: 'completed' }],
  ['systemTime/current', { type: 'systemTime' }],
  ['trigger', { type: 'triggers' }],
  ['next-job-instance-ip', { type: 'nextJobInstanceIp' }],
  ['x-node/triggered', { type: 'acceptedTriggers' }],
  ['x-node/fired', { type: 'beginRecords' }],
  ['x-node/assigned-for', { type: 'assignmentRecord' }],
  ['x-node/live', { type: 'lives' }],
  ['x-node/guarantee/present', { type: 'arrivalRecords' }],
  ['x-node/guarantee/started', { type: 'called', stage: 'started' }],
  ['x-node/guarantee/completed', { type: 'called', stage: 'completed' }],
  ['x-node/guarantee/started-by', { type: 'call', stage: 'started' }],
  ['x-node/guarantee/completed-by', { type: 'call', stage: 'completed' }],
  ['x-node/crashed', { type: 'crashReports' }],
  ['x-node/ended', { type: 'endRecords' }],
  ['x-node/graph/rounds', { type: 'rounds' }],
  ['x-node/graph/orders', { type: 'orders' }],
  ['x-node/graph/successors', { type: 'successors' }],
]);

function parseBelowRoot(relative: string): JobPath {
  const plain = PLAIN_NODES.get(relative);
  if (plain !== undefined) return plain;
  const slash = relative.lastIndexOf('/');
  const parent = relative.slice(0, Math.max(slash, 0));
  const name = relative.slice(slash + 1);
  if (name === '') return UNKNOWN;
  switch (parent) {
    case 'instances':
      return { type: 'instance', id: name };
    case 'servers':
      return { type: 'server', ip: name };
    case 'trigger':
      return { type: 'trigger', id: name };
    case 'x-node/triggered':
      return { type: 'accepted', id: name };
    case 'x-node/fired':
      return { type: 'beginRecord', id: name };
    case 'x-node/ended':
      return { type: 'endRecord', id: name };
    case 'x-node/graph/successors':
      return { type: 'successor', jobName: name };
    case 'x-node/live':
      return { type: 'live', id: name };
    case 'x-node/guarantee/present':
      return { type: 'arrivals', id: name };
    case 'leader/failover/items':
      return ofItem(name, (item) => ({ type: 'crashedItem', item }));
    case 'x-node/crashed':
      return ofItem(name, (item) => ({ type: 'crashReport', item }));
    case 'guarantee/started':
      return ofItem(name, (item) => ({ type: 'guaranteeItem', stage: 'started', item }));
    case 'guarantee/completed':
      return ofItem(name, (item) => ({ type: 'guaranteeItem', stage: 'completed', item }));
    default:
      return UNKNOWN;
  }
}

/** The items are most of a job's nodes, and change most often. */
function parseBelowItems(relative: string): JobPath {
  const slash = relative.indexOf('/');
  const name = slash < 0 ? relative : relative.slice(0, slash);
  const item = itemNumber(name);
  if (slash < 0) {
    if (item !== undefined) return { type: 'item', item };
    return name === '' ? UNKNOWN : { type: 'strayItem', name };
  }
  const last = relative.slice(slash + 1);
  const mark = ITEM_MARKS.find((candidate) => candidate === last);
  return item === undefined || mark === undefined ? UNKNOWN : { type: 'itemMark', item, mark };
}

function ofItem(text: string, then: (item: number) => JobPath): JobPath {
  const item = itemNumber(text);
  return item === undefined ? UNKNOWN : then(item);
}

function itemNumber(text: string): number | undefined {
  const item = /^(?:0|[1-9]\d{0,9})$/.test(text) ? Number(text) : Infinity;
  return item <= GREATEST_ITEM ? item : undefined;
}

/** Java keeps items in an `int`. */
const GREATEST_ITEM = 2_147_483_647;
