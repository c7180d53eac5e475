/** Instances that have stopped listening to each other's items: the events of a firing, and the end of this state. */
import { describe, expect, test } from '@jest/globals';
import { type JobConfiguration } from '../../../lib/api/job/job-configuration.js';
import { type ShardingContext } from '../../../lib/api/job/sharding-context.js';
import { ScheduleJobBootstrap } from '../../../lib/kernel/job-bootstrap.js';
import { JobHost } from '../../../lib/kernel/job-host.js';
import { type FiringTimers } from '../../../lib/kernel/lanes/cron-timer.js';
import { isPresenceOnly, type JobView, readJobView } from '../../../lib/layout/job-view.js';
import { JobPaths } from '../../../lib/layout/job-paths.js';
import { JobOperateAPI } from '../../../lib/operations/job-operate-api.js';
import { ShardingOperateAPI } from '../../../lib/operations/sharding-operate-api.js';
import { type Mirror } from '../../../lib/registry/registry-center.js';
import { ZookeeperRegistryCenter } from '../../../lib/registry/zookeeper/zookeeper-registry-center.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';
import { endSession } from '../../support/session-end.js';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { until } from '../../support/until.js';
import { aConfiguration } from '../../support/views.js';
import { openProxied, type ProxiedCentre } from '../../support/zookeeper-centres.js';

const zooKeeper = sharedZooKeeper();
const silent = { debug: () => undefined, log: () => undefined, warn: () => undefined, error: () => undefined };
const paths = new JobPaths('bill');
const ITEMS = 20;
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

interface Member {
  readonly name: string;
  readonly proxied: ProxiedCentre;
  readonly host: JobHost;
  readonly timers: ManualTimers;
  readonly id: string;
}

/** A job of twenty items on three instances, each behind a proxy of its own, and an operator who sees everything. */
class Cluster implements AsyncDisposable {
  readonly clock = new ManualClock();
  readonly members: Member[] = [];
  /** The items that have run to their end, as `A 3`; those of a crashed instance do not. */
  readonly ended: string[] = [];
  /** Items that do not end. */
  readonly held = new Set<string>();
  /** Ends the runs of held items. */
  readonly release: (() => void)[] = [];
  operator!: ZookeeperRegistryCenter;
  readonly #dead: Member[] = [];
  #mirror!: Mirror;

  private constructor(private readonly configuration: JobConfiguration) {}

  static async start(changes: Partial<JobConfiguration> = {}): Promise<Cluster> {
    const cluster = new Cluster({ ...CONFIG, ...changes });
    const namespace = zooKeeper.namespace();
    cluster.operator = new ZookeeperRegistryCenter({ serverLists: zooKeeper.servers, namespace });
    cluster.operator.connect();
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

  /** Lets the calm time pass and the job fire, until all instances but the leader have narrowed their watches. */
  async calmDown(): Promise<void> {
    await this.fire(ITEMS);
    await this.clock.advance(5_000);
    for (const { proxied } of this.members) proxied.proxy.resetRequests();
    await this.fire(ITEMS);
    const isNarrowed = ({ proxied: { proxy } }: Member): boolean => proxy.count('removeWatches') > 0;
    await until(() => this.followers.every(isNarrowed), 'the followers have stopped listening to everything');
    await this.settle();
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
    const { proxy } = member.proxied;
    proxy.refuse();
    proxy.cut();
    await endSession(zooKeeper.servers.split(',')[0]!, proxy.session);
    this.#dead.push(member);
  }

  async #join(name: string, namespace: string): Promise<void> {
    const proxied = await openProxied(zooKeeper.servers.split(',')[0]!, {
      namespace,
      sessionTimeoutMilliseconds: 20_000,
    });
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

const ALL = Array.from({ length: ITEMS }, (_, item) => item);

test('a firing tells an instance that does not lead of its own items only, and the leader of all', async () => {
  await using cluster = await Cluster.start();
  await cluster.calmDown();

  expect(await cluster.fire(ITEMS)).toEqual(ALL);
  await Promise.all(cluster.members.map(({ proxied }) => proxied.centre.get(paths.root)));

  const eventsOf = ({ proxied: { proxy } }: Member): number => proxy.events;
  // The mark of each item comes and goes, and each instance writes its record.
  for (const each of cluster.followers) expect(eventsOf(each)).toBe(2 * cluster.itemsOf(each).length + 1);
  expect(eventsOf(cluster.leader)).toBe(2 * ITEMS + 3);
  for (const { proxied } of cluster.members) expect(proxied.proxy.count('multiRead', 'addWatch')).toBe(0);
});

describe('when instances have stopped listening to each other’s items', () => {
  test.each<[who: string, pick: (cluster: Cluster) => Member]>([
    ['the leader', ({ leader }) => leader],
    ['another instance', ({ followers }) => followers[0]!],
  ])('the items that %s was running when it died are run again, each once', async (_, pick) => {
    await using cluster = await Cluster.start();
    await cluster.calmDown();
    const victim = pick(cluster);
    const lost = cluster.itemsOf(victim);
    for (const item of lost) cluster.held.add(`${victim.name} ${item}`);

    expect(await cluster.fire(ITEMS - lost.length)).toEqual(ALL.filter((item) => !lost.includes(item)));
    await cluster.crash(victim);
    cluster.held.clear();
    await cluster.untilEnded(ITEMS);
    expect(cluster.endedItems).toEqual(ALL);

    const ownedByLiving = (): boolean =>
      cluster.view.items.every(({ owner }) => owner !== undefined && owner !== victim.id);
    await until(ownedByLiving, 'the items of the dead instance have other owners');
    await until(() => !cluster.view.reshardingNeeded && !cluster.view.processing, 'the items are assigned');
    expect(await cluster.fire(ITEMS)).toEqual(ALL);
  });

  test('an item that an operator disables does not run, and others go on', async () => {
    await using cluster = await Cluster.start();
    await cluster.calmDown();
    const owner = cluster.followers[0]!;
    const [item] = cluster.itemsOf(owner);

    await new ShardingOperateAPI(cluster.operator).disable('bill', item!);
    const seen = (): boolean => owner.host.jobs.get('bill')?.nodes?.has(paths.item(item!, 'disabled')) === true;
    await until(seen, 'the owner sees that the item is disabled');

    expect(await cluster.fire(ITEMS - 1)).toEqual(ALL.filter((each) => each !== item));
  });

  test('items that an operator triggers by number run, each once', async () => {
    await using cluster = await Cluster.start();
    await cluster.calmDown();
    const items = cluster.members.map((member) => cluster.itemsOf(member)[0]!).sort((a, b) => a - b);
    cluster.ended.length = 0;

    await new JobOperateAPI(cluster.operator).trigger('bill', { items });
    await cluster.untilEnded(items.length);

    expect(cluster.endedItems).toEqual(items);
  });

  test('an instance runs its items once if its node is overwritten with TRIGGER', async () => {
    await using cluster = await Cluster.start();
    await cluster.calmDown();
    const owner = cluster.followers[0]!;
    const items = [...cluster.itemsOf(owner)].sort((a, b) => a - b);
    cluster.ended.length = 0;

    await cluster.operator.put(paths.instance(owner.id), 'TRIGGER');
    await cluster.untilEnded(items.length);

    expect(cluster.endedItems).toEqual(items);
    expect(await cluster.operator.get(paths.instance(owner.id))).toContain(owner.id);
  });

  test('a firing that comes while an instance reads everything again goes by what it reads then', async () => {
    // With misfire off, a firing of an item that seems to run is dropped.
    await using cluster = await Cluster.start({ misfire: false });
    await cluster.calmDown();
    const owner = cluster.followers[0]!;
    const { proxy } = owner.proxied;
    const [long, disabled] = cluster.itemsOf(owner) as [number, number];
    cluster.held.add(`${owner.name} ${long}`);
    await cluster.fire(ITEMS - 1);
    cluster.held.clear();

    proxy.delay('down', 50);
    proxy.resetRequests();
    await new ShardingOperateAPI(cluster.operator).disable('bill', disabled);
    await until(() => proxy.count('addWatch') > 0, 'the owner listens to everything again');
    for (const end of cluster.release) end();
    const job = owner.host.jobs.get('bill')!;
    await until(() => job.itemsRunning === 0, 'the long run has ended');
    cluster.ended.length = 0;
    owner.timers.fire();
    await cluster.untilEnded(1);
    await cluster.settle();

    expect(cluster.endedItems).toEqual(cluster.itemsOf(owner).filter((item) => item !== disabled));
  });
});
