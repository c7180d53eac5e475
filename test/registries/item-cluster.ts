import { type JobConfiguration } from '../../lib/api/job/job-configuration.js';
import { type ShardingContext } from '../../lib/api/job/sharding-context.js';
import { ScheduleJobBootstrap } from '../../lib/kernel/job-bootstrap.js';
import { JobHost } from '../../lib/kernel/job-host.js';
import { type FiringTimers } from '../../lib/kernel/lanes/cron-timer.js';
import { isPresenceOnly, type JobView, readJobView } from '../../lib/layout/job-view.js';
import { JobPaths } from '../../lib/layout/job-paths.js';
import { type Mirror, type RegistryCenter } from '../../lib/registry/registry-center.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { until } from '../support/until.js';
import { aConfiguration } from '../support/views.js';
import { connecting, newNamespace, type ProxiedRegistryCenter, type RegistryServer, silent } from './registry-kind.js';

const paths = new JobPaths('bill');
/** The number of items of the job. */
export const ITEMS = 20;

/** The numbers of all items. */
export const ALL: readonly number[] = Array.from({ length: ITEMS }, (_, item) => item);

const CONFIG = aConfiguration({ cron: '0 0 0 * * ?', timeZone: 'GMT', shardingTotalCount: ITEMS, failover: true });

/** Timers that fire when a test wants it. */
class ManualTimers implements FiringTimers {
  #onFire: () => void = () => undefined;

  arm(_jobName: string, _instant: Date, onFire: () => void): void {
    this.#onFire = onFire;
  }

  disarm(): void {
    this.#onFire = () => undefined;
  }

  fire(): void {
    this.#onFire();
  }
}

/** An instance of the job. */
export interface Member {
  readonly name: string;
  readonly proxied: ProxiedRegistryCenter;
  readonly host: JobHost;
  readonly timers: ManualTimers;
  readonly id: string;
}

/** A job of twenty items on three instances, each behind a proxy of its own, and an operator who sees everything. */
export class ItemCluster implements AsyncDisposable {
  readonly clock = new ManualClock();
  readonly members: Member[] = [];
  /** The items that have run to their end, as `A 3`; those of a crashed instance do not. */
  readonly ended: string[] = [];
  /** Items that do not end. */
  readonly held = new Set<string>();
  /** Ends the runs of held items. */
  readonly release: (() => void)[] = [];
  operator!: RegistryCenter;
  readonly #dead: Member[] = [];
  #mirror!: Mirror;

  private constructor(
    private readonly server: RegistryServer,
    private readonly configuration: JobConfiguration,
  ) {}

  static async start(server: RegistryServer, changes: Partial<JobConfiguration> = {}): Promise<ItemCluster> {
    const cluster = new ItemCluster(server, { ...CONFIG, ...changes });
    const namespace = newNamespace();
    cluster.operator = connecting(server.regCenter({ namespace }));
    for (const name of ['A', 'B', 'C']) await cluster.#join(name, namespace);
    cluster.#mirror = await cluster.operator.mirror(paths.root, { presenceOnly: isPresenceOnly });
    const owners = (): number => new Set(cluster.view.items.map(({ owner }) => owner)).size;
    await until(() => cluster.view.items.length === ITEMS && owners() === 3, 'all instances own items');
    return cluster;
  }

  get view(): JobView {
    return readJobView(this.#mirror.nodes, 'bill');
  }

  get leader(): Member {
    return this.members.find(({ id }) => id === this.view.leader)!;
  }

  get followers(): readonly Member[] {
    return this.members.filter(({ id }) => id !== this.view.leader);
  }

  itemsOf({ id }: Member): readonly number[] {
    return this.view.items.filter(({ owner }) => owner === id).map(({ item }) => item);
  }

  /** All living instances fire; resolves when no item is marked as running, but for those that are held. */
  async fire(expected: number): Promise<readonly number[]> {
    this.ended.length = 0;
    for (const { timers } of this.members) timers.fire();
    await this.untilEnded(expected);
    return this.endedItems;
  }

  get endedItems(): readonly number[] {
    return this.ended.map((run) => Number(run.split(' ')[1])).sort((a, b) => a - b);
  }

  /** Waits until so many items have ended, and all marks of runs that are not held are gone. */
  async untilEnded(expected: number): Promise<void> {
    const isQuiet = async (): Promise<boolean> => {
      // Retries that wait for a while.
      await this.clock.advance(50);
      const marked = this.view.items.filter(({ running }) => running).length;
      return this.ended.length >= expected && marked <= this.held.size;
    };
    await until(isQuiet, `${expected} items to run and end, not ${this.ended.join(', ')}`);
  }

  /** Lets the calm time pass and the job fire: instances that may stop listening to the items of others do. */
  async calmDown(): Promise<void> {
    await this.fire(ITEMS);
    await this.clock.advance(5_000);
    for (const { proxied } of this.members) proxied.proxy.resetRequests();
    await this.fire(ITEMS);
  }

  /** Resolves when all events of the servers have arrived. */
  async settle(): Promise<void> {
    for (const { proxied } of this.members) {
      await proxied.centre.get(paths.root);
      proxied.proxy.resetRequests();
    }
  }

  /** The process of an instance dies, and its session ends. */
  async crash(member: Member): Promise<void> {
    this.members.splice(this.members.indexOf(member), 1);
    const { proxied } = member;
    proxied.proxy.refuse();
    proxied.proxy.cut();
    await proxied.expire();
    this.#dead.push(member);
  }

  async #join(name: string, namespace: string): Promise<void> {
    const proxied = await this.server.openProxied({ namespace, sessionTimeoutMilliseconds: 20_000 });
    const timers = new ManualTimers();
    const host = new JobHost({ registryCenter: proxied.centre, logger: silent, timers, clock: this.clock });
    const execute = async ({ shardingItem, signal }: ShardingContext): Promise<void> => {
      const run = `${name} ${shardingItem}`;
      if (this.held.has(run)) await this.#untilReleased(signal);
      if (!signal.aborted) this.ended.push(run);
    };
    const options = { host, jobClassName: 'BillJob' };
    this.members.push({ name, proxied, host, timers, id: host.instance.jobInstanceId });
    await new ScheduleJobBootstrap(proxied.centre, { execute }, this.configuration, options).schedule();
  }

  #untilReleased(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.release.push(resolve);
      signal.addEventListener('abort', () => resolve());
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.members.map(({ host }) => host.stop()));
    for (const { proxied } of [...this.members, ...this.#dead]) await proxied.close();
    await this.operator.close();
  }
}
