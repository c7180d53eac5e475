import { type JobConfiguration } from '../../lib/api/job-configuration.js';
import { type ShardingContext } from '../../lib/api/sharding-context.js';
import { JobHost, type JobHostOptions } from '../../lib/kernel/job-host.js';
import { ScheduleJobBootstrap } from '../../lib/kernel/job-bootstrap.js';
import { JobPaths } from '../../lib/layout/job-paths.js';
import { type JobView, readJobView } from '../../lib/layout/job-view.js';
import { type Deliver } from '../../lib/registry/embedded/delivery.js';
import { EmbeddedRegistryCenter } from '../../lib/registry/embedded/embedded-registry-center.js';
import { EmbeddedRegistryServer } from '../../lib/registry/embedded/embedded-registry-server.js';
import { type MirroredNode } from '../../lib/registry/registry-center.js';
import { ManualClock } from './manual-clock.js';
import { aConfiguration, idOf, ipOf } from './views.js';

/** What an item did, in the order in which it happened in the cluster. */
export interface Run {
  readonly name: string;
  readonly item: number;
  /** The scheduled instant as `HH:mm:ss`, or `by hand`. */
  readonly at: string;
  readonly context: ShardingContext;
}

export interface ClusterOptions {
  readonly job?: Partial<JobConfiguration>;
  /** What the job does for an item; returning at once if not given. */
  readonly work?: (name: string, context: ShardingContext) => void | Promise<void>;
  readonly host?: Partial<JobHostOptions>;
  readonly sessionTimeoutMs?: number;
  /** How messages between instances and registry travel; at once and in order if not given. */
  readonly deliver?: (clock: ManualClock) => Deliver;
}

/** A living instance of a test's cluster. */
export interface Member {
  readonly name: string;
  readonly registry: EmbeddedRegistryCenter;
  readonly host: JobHost;
  readonly bootstrap: ScheduleJobBootstrap;
  readonly started: Promise<void>;
  readonly log: string[];
}

/** Several instances of one job in one process, on one embedded registry and one clock that stands still by itself. */
export class Cluster implements AsyncDisposable {
  /** Starts on the second, so that `0/5 * * * * ?` fires first five seconds later. */
  readonly clock = new ManualClock('2030-01-01T00:00:00Z');
  readonly server: EmbeddedRegistryServer;
  readonly runs: Run[] = [];
  readonly members = new Map<string, Member>();
  readonly paths: JobPaths;
  /** A registry centre of the test's own, as an operator has it. */
  readonly operator: EmbeddedRegistryCenter;
  readonly #options: ClusterOptions;
  readonly #configuration: JobConfiguration;

  private constructor(options: ClusterOptions) {
    this.#options = options;
    const deliver = options.deliver?.(this.clock);
    this.server = new EmbeddedRegistryServer({ clock: this.clock, ...(deliver && { deliver }) });
    this.#configuration = aConfiguration({ cron: '0/5 * * * * ?', timeZone: 'GMT', ...options.job });
    this.paths = new JobPaths(this.#configuration.jobName);
    this.operator = new EmbeddedRegistryCenter({ server: this.server, clock: this.clock });
  }

  /** Starts the given instances one after the other and lets them settle. */
  static async start(names: readonly string[], options: ClusterOptions = {}): Promise<Cluster> {
    const cluster = new Cluster(options);
    cluster.operator.connect();
    await cluster.settle();
    for (const name of names) await cluster.join(name);
    return cluster;
  }

  /** The job as it is in the registry. */
  get view(): JobView {
    return readJobView(this.#nodes, this.paths.jobName);
  }

  /** Paths of all nodes of the job, with their values. */
  get tree(): ReadonlyMap<string, string | undefined> {
    return new Map([...this.#nodes].map(([path, { value }]) => [path, value]));
  }

  get #nodes(): ReadonlyMap<string, MirroredNode> {
    return this.server.namespace('elasticjob').subtree(this.paths.root);
  }

  /** Items by the name of their owner. */
  get owners(): Record<string, number[]> {
    const owners: Record<string, number[]> = {};
    for (const { item, owner } of this.view.items) (owners[this.nameOf(owner)] ??= []).push(item);
    return owners;
  }

  /** Items each instance ran since the last call of `forget`, in ascending order. */
  get ran(): Record<string, number[]> {
    const ran: Record<string, number[]> = {};
    for (const { name, item } of this.runs) (ran[name] ??= []).push(item);
    for (const items of Object.values(ran)) items.sort((a, b) => a - b);
    return ran;
  }

  forget(): void {
    this.runs.length = 0;
  }

  member(name: string): Member {
    const member = this.members.get(name);
    if (member === undefined) throw new Error(`${name} is not a member of the cluster`);
    return member;
  }

  nameOf(id: string | undefined): string {
    const code = /^10\.0\.0\.(\d+)@/.exec(id ?? '')?.[1];
    return code === undefined ? String(id) : String.fromCharCode(Number(code));
  }

  async join(name: string, job: Partial<JobConfiguration> = {}): Promise<Member> {
    const member = this.#memberOf(name, { ...this.#configuration, ...job });
    this.members.set(name, member);
    await this.settle();
    return member;
  }

  #memberOf(name: string, configuration: JobConfiguration): Member {
    const { clock, server } = this;
    const timeout = this.#options.sessionTimeoutMs ?? 6_000;
    const registry = new EmbeddedRegistryCenter({ server, clock, sessionTimeoutMilliseconds: timeout });
    registry.connect();
    const log: string[] = [];
    const write = (message: string): void => void log.push(message);
    const host = new JobHost({
      registryCenter: registry,
      clock,
      logger: { debug: write, log: write, warn: write, error: write },
      instance: { jobInstanceId: idOf(name), serverIp: ipOf(name) },
      ...this.#options.host,
    });
    const job = { execute: (context: ShardingContext) => this.#execute(name, context) };
    const bootstrap = new ScheduleJobBootstrap(registry, job, configuration, { host, jobClassName: 'BillJob' });
    const started = bootstrap.schedule();
    started.catch(() => undefined);
    return { name, registry, host, bootstrap, started, log };
  }

  async #execute(name: string, context: ShardingContext): Promise<void> {
    const at = context.scheduledAt?.toISOString().slice(11, 19) ?? 'by hand';
    this.runs.push({ name, item: context.shardingItem, at, context });
    await this.#options.work?.(name, context);
  }

  /** Stops an instance as its process would on SIGTERM. */
  async leave(name: string): Promise<void> {
    const { host, registry } = this.member(name);
    this.members.delete(name);
    await Promise.all([this.settle(), host.stop().then(() => registry.close())]);
    await this.settle();
  }

  /** Ends an instance without a word; its session ends by itself after its time. */
  kill(name: string): void {
    const { host, registry } = this.member(name);
    this.members.delete(name);
    host.stopFirings();
    registry.faults.silence();
  }

  /** Lets the time pass until the next instant of the job's default cron, and everything that follows happen. */
  async fire(): Promise<void> {
    await this.advance(5_000 - (this.clock.now() % 5_000));
  }

  async advance(ms: number): Promise<void> {
    await this.clock.advance(ms);
    await this.settle();
  }

  /** Lets everything happen that needs no time. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const members = [...this.members.values()];
    const closed = Promise.all([
      ...members.map(({ host, registry }) => host.stop().then(() => registry.close())),
      this.operator.close(),
    ]);
    await this.advance(60_000);
    await closed;
  }
}
