import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../../support/program.js';
import { until } from '../../../support/until.js';
import { JAVA_VERSIONS, javaPeer } from './java.js';
import { type JobSettings, Peer } from './peer.js';
import { PeerProcess } from './peer-process.js';
import { misdeeds, overlaps, PERIOD_MS, type PeerCall, type PeerRun, readCalls, readRuns } from './run-log.js';
import { type TreeNode, TreeReader } from './tree.js';

export interface ClusterOptions {
  /**
   * The differences from the usual job: 'job', four items, every two seconds, with failover, misfire and
   * monitorExecution.
   */
  readonly job?: Partial<JobSettings>;
  readonly sessionMs?: number;
}

export interface StartOptions {
  /** Of a Java instance. Default: the first version the suite runs with. */
  readonly version?: string;
  /** The differences from the cluster's job for this instance; `false` starts no job. */
  readonly job?: Partial<JobSettings> | false;
  /** Where it connects to. Default: the cluster's servers. */
  readonly servers?: string;
  readonly sessionMs?: number;
  /** Default: another one for each instance. */
  readonly ip?: string;
  /** How long the listener ONCE waits for the items of all instances. Default: 15 s. */
  readonly onceTimeoutMs?: number;
  /** The PostgreSQL database of this machine that its runs are traced in. Default: they are not traced. */
  readonly trace?: { readonly port: number; readonly database: string };
  /** Time zone of the process, such as `Asia/Kathmandu`. Default: that of the machine. */
  readonly timeZone?: string;
}

const JOB: JobSettings = {
  jobName: 'job',
  shardingTotalCount: 4,
  cron: '0/2 * * * * ?',
  failover: true,
  misfire: true,
  monitorExecution: true,
};

/** The parts that a cluster and its views of other jobs share. */
class Machines {
  readonly peers = new Map<string, Peer>();
  readonly folder = mkdtempSync(join(tmpdir(), 'interop-'));
  operator: Promise<PeerProcess> | undefined;
  ips = 0;
}

/** Java and Node instances of one job, what they ran, and what the registry centre holds. */
export class MixedCluster implements AsyncDisposable {
  readonly job: JobSettings;

  private constructor(
    readonly servers: string,
    readonly namespace: string,
    readonly reader: TreeReader,
    private readonly options: ClusterOptions,
    private readonly machines = new Machines(),
    /** The instances that take part, if this is a view of another job. */
    private readonly members?: readonly string[],
  ) {
    this.job = { ...JOB, ...options.job };
  }

  /** An empty cluster in a namespace of its own. */
  static async open(servers: string, namespace: string, options: ClusterOptions = {}): Promise<MixedCluster> {
    return new MixedCluster(servers, namespace, await TreeReader.open(servers, namespace), options);
  }

  /**
   * Lets running instances take part in another job; the first one leads it. The result is like a cluster of that job
   * alone; at its end the instances leave the job and go on running.
   */
  async with(job: Partial<JobSettings>, ...names: readonly string[]): Promise<MixedCluster> {
    const options = { ...this.options, job: { ...this.options.job, ...job } };
    const view = new MixedCluster(this.servers, this.namespace, this.reader, options, this.machines, names);
    for (const name of names) {
      await view.peer(name).begin(view.job);
      // A Node instance has begun before it is elected; a Java one that leads in its place assigns nothing until it
      // fires.
      if (name === names[0]) await view.untilLeads(name);
    }
    return view;
  }

  /** Starts an instance and waits until it is registered. A name with J is a Java instance, with N one of Node. */
  async start(name: string, options: StartOptions = {}): Promise<Peer> {
    if (this.machines.peers.get(name)?.process.hasExited === false) throw new Error(`${name} is running already`);
    const { job = {}, version = JAVA_VERSIONS[0], servers = this.servers, timeZone } = options;
    const ip = options.ip ?? `10.0.0.${++this.machines.ips}`;
    const runs = join(this.machines.folder, `${name}-${this.machines.ips}.log`);
    const sessionMs = options.sessionMs ?? this.options.sessionMs ?? 4_000;
    const command = name.startsWith('J')
      ? javaPeer(version)
      : ([process.execPath, join(root, 'test/campaigns/interop/node-peer.mjs')] as const);
    const [file, ...args] = command;
    const settings = {
      servers,
      namespace: this.namespace,
      runs,
      ip,
      session: `${sessionMs}`,
      once: `${options.onceTimeoutMs ?? 15_000}`,
      ...(options.trace !== undefined && { trace: JSON.stringify(options.trace) }),
    };
    const flags = Object.entries(settings).flatMap(([key, value]) => [`--${key}`, value]);
    const jobs = job === false ? [] : ['--job', JSON.stringify({ ...this.job, ...job })];
    const peer = new Peer(
      name,
      ip,
      runs,
      await PeerProcess.start(file, [...args, ...flags, ...jobs], timeZone === undefined ? {} : { TZ: timeZone }),
      this.job.jobName,
    );
    const { peers } = this.machines;
    const before = peers.get(name);
    if (before !== undefined) peers.set(`${name} (${before.process.pid})`, before);
    peers.set(name, peer);
    return peer;
  }

  peer(name: string): Peer {
    const peer = this.machines.peers.get(name);
    if (peer === undefined) throw new Error(`There is no instance ${name}`);
    return peer.in(this.job.jobName);
  }

  /** Carries out a command of Java's lifecycle API, such as `('trigger', 'job')`. A process of its own does it. */
  async operate(...command: readonly unknown[]): Promise<unknown> {
    this.machines.operator ??= PeerProcess.start(...this.#operatorCommand());
    return (await this.machines.operator).ask(...command);
  }

  #operatorCommand(): [string, readonly string[]] {
    const [file, ...args] = javaPeer(JAVA_VERSIONS[0]);
    const runs = join(this.machines.folder, 'operator.log');
    return [file, [...args, '--servers', this.servers, '--namespace', this.namespace, '--runs', runs]];
  }

  /** All runs of the cluster's job in the order of their starts; of those since a time, if one is given. */
  runs(since = 0): readonly PeerRun[] {
    return [...this.machines.peers.values()]
      .flatMap(({ name, log, process }) => readRuns(name, log, process.diedAt))
      .filter(({ job, startedAt }) => job === this.job.jobName && startedAt >= since)
      .sort((one, other) => one.startedAt - other.startedAt);
  }

  /** All calls of the job's listeners in their order. */
  calls(since = 0): readonly PeerCall[] {
    return [...this.machines.peers.values()]
      .flatMap(({ name, log }) => readCalls(name, log))
      .filter(({ job, at }) => job === this.job.jobName && at >= since)
      .sort((one, other) => one.at - other.at);
  }

  /** Items by the name of the instance that owns them, as the registry has it now; unowned ones under `-`. */
  async owners(): Promise<Readonly<Record<string, readonly number[]>>> {
    const owners: Record<string, number[]> = {};
    for (const { path, value } of await this.nodes(/^sharding\/\d+\/instance$/))
      (owners[this.nameOf(value)] ??= []).push(Number(path.split('/')[1]));
    return owners;
  }

  /** Name of the leading instance, if there is one. */
  async leader(): Promise<string | undefined> {
    const id = await this.reader.value(`/${this.job.jobName}/leader/election/instance`);
    return id === undefined ? undefined : this.nameOf(id);
  }

  /** Waits until an instance leads. */
  async untilLeads(name: string): Promise<void> {
    await until(async () => (await this.leader()) === name, `${name} to lead`, 30_000);
  }

  /** The job's nodes whose paths, which begin below the job, match. */
  async nodes(matching = /^/): Promise<readonly TreeNode[]> {
    const root = `/${this.job.jobName}/`;
    return (await this.reader.read(root.slice(0, -1)))
      .map((node) => ({ ...node, path: node.path.slice(root.length) }))
      .filter(({ path }) => matching.test(path));
  }

  /** Waits until the items are shared by exactly these instances, and nothing is to be assigned any more. */
  async untilSharedBy(...names: readonly string[]): Promise<void> {
    let seen = '';
    const isSo = async (): Promise<boolean> => {
      const owners = await this.owners();
      const open = await this.nodes(/^leader\/sharding\/./);
      seen = JSON.stringify(owners);
      return open.length === 0 && Object.keys(owners).sort().join() === [...names].sort().join();
    };
    await until(isSo, `the items to be shared by ${names.join(', ')}`, 30_000).catch((error: unknown) => {
      throw new Error(`${String(error)}: ${seen}\n${this.output}`, { cause: error });
    });
  }

  /**
   * Waits until no item is of an instance that is gone, or that is to be changed: a Java leader does so at its next
   * firing.
   */
  async untilReassigned(): Promise<void> {
    const isSo = async (): Promise<boolean> => {
      const nodes = await this.nodes();
      const living = nodes.flatMap(({ path }) =>
        path.startsWith('instances/') ? [path.slice('instances/'.length)] : [],
      );
      const owners = nodes.filter(({ path }) => /^sharding\/\d+\/instance$/.test(path));
      return (
        owners.every(({ value }) => living.includes(value)) ||
        nodes.some(({ path }) => path === 'leader/sharding/necessary')
      );
    };
    await until(isSo, 'items to be assigned to who is there', 30_000);
  }

  /** Waits until runs that are as they are asked for have been written down; returns them. */
  async untilRan(
    what: string,
    isEnough: (runs: readonly PeerRun[]) => boolean,
    since = 0,
  ): Promise<readonly PeerRun[]> {
    await until(() => isEnough(this.runs(since)), what, 30_000).catch((error: unknown) => {
      throw new Error(`${String(error)}: ${this.story(since)}\n${this.output}`, { cause: error });
    });
    return this.runs(since);
  }

  /** Lets so many whole firings pass. Returns the times between which they lie. */
  async firings(count: number): Promise<{ readonly from: number; readonly to: number }> {
    const from = Math.ceil(Date.now() / PERIOD_MS) * PERIOD_MS;
    const to = from + count * PERIOD_MS;
    // The last one's runs start at its beginning; a little later they have ended too.
    await until(() => Date.now() >= to - PERIOD_MS / 4, `${count} firings to pass`, count * PERIOD_MS + 10_000);
    return { from, to };
  }

  /** Waits until the next firing's runs have ended, so that what follows comes between two firings. */
  async betweenFirings(): Promise<void> {
    const since = Math.ceil(Date.now() / PERIOD_MS) * PERIOD_MS;
    const { shardingTotalCount } = this.job;
    const hasEnded = (runs: readonly PeerRun[]): boolean =>
      runs.filter(({ endedAt }) => endedAt !== undefined).length >= shardingTotalCount;
    await this.untilRan('the next firing to end', hasEnded, since);
    // An instance that has logged the end of an item removes its mark a little later.
    await this.leftOver();
  }

  /** The items that were not run exactly once for a firing between two times, and all runs by two instances at once. */
  misdeeds({ from, to }: { readonly from: number; readonly to: number }): readonly string[] {
    const items = this.job.shardingTotalCount;
    return [...misdeeds(this.runs(), { items, periodMs: PERIOD_MS, from, to }), ...overlaps(this.runs())];
  }

  /** Nodes that only stand while something is being done. Waits for them to go, 10 s at most. */
  async leftOver(): Promise<readonly string[]> {
    let found: readonly TreeNode[] = [];
    await until(async () => (found = await this.nodes(PASSING)).length === 0, 'nothing to be left', 10_000).catch(
      () => undefined,
    );
    return found.map(({ path, value }) => `${path} ${this.nameOf(value)}`.trim());
  }

  /** The instance's name; anything else is returned as it is. */
  nameOf(id: string): string {
    return [...this.machines.peers.values()].findLast((peer) => id.split('-node')[0] === peer.id)?.name ?? (id || '-');
  }

  /** The items that were run since a time, in their order, by the name of who ran them. */
  ran(since = 0): Readonly<Record<string, readonly number[]>> {
    const items: Record<string, number[]> = {};
    for (const { by, item } of this.runs(since)) (items[by] ??= []).push(item);
    for (const each of Object.values(items)) each.sort((one, other) => one - other);
    return items;
  }

  /** `0@J1+12 …`: what has been run since a time, with the milliseconds since then. */
  story(since = 0): string {
    const from = since || (this.runs()[0]?.startedAt ?? 0);
    return this.runs(since)
      .map(
        ({ item, by, startedAt, outcome }) =>
          `${item}@${by}+${startedAt - from}${outcome === 'ended' ? '' : ` ${outcome}`}`,
      )
      .join(' ');
  }

  /** The output of all instances. */
  get output(): string {
    return [...this.machines.peers.values()]
      .map(({ name, process }) => `${name}:\n${process.output.slice(-4_000)}`)
      .join('\n');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.members !== undefined) {
      // An instance that has ended has left the job already.
      await Promise.all(
        this.members.map((name) =>
          this.peer(name)
            .stop()
            .catch(() => undefined),
        ),
      );
      return;
    }
    await Promise.all([...this.machines.peers.values()].map(({ process }) => process[Symbol.asyncDispose]()));
    await (await this.machines.operator?.catch(() => undefined))?.[Symbol.asyncDispose]();
    await this.reader[Symbol.asyncDispose]();
    rmSync(this.machines.folder, { recursive: true });
  }
}

/**
 * Nodes that exist only while an item runs, is taken over or assigned, a trigger is on its way, or instances wait at a
 * barrier.
 */
const PASSING =
  /^(sharding\/\d+\/(running|failover|failovering|misfire)|leader\/failover\/items\/.|leader\/failover\/latch\/.|leader\/sharding\/.|trigger\/.|guarantee\/(started|completed)(-latch\/.|\/|$)|x-node\/crashed\/.)/;
