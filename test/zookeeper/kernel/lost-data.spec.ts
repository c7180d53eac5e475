/** A ZooKeeper that comes back without its data, or with older ones: a pod without a volume, a backup. */
import { expect, test } from '@jest/globals';
import { type JobHealth } from '../../../lib/kernel/life/job-health.js';
import { ScheduleJobBootstrap } from '../../../lib/kernel/job-bootstrap.js';
import { JobHost } from '../../../lib/kernel/job-host.js';
import { JobConfigurationAPI } from '../../../lib/operations/job-configuration-api.js';
import { type RegistryCenter } from '../../../lib/registry/registry-center.js';
import { ZookeeperRegistryCenter } from '../../../lib/registry/zookeeper/zookeeper-registry-center.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { aConfiguration } from '../../support/views.js';
import { until } from '../../support/until.js';
import { ZooKeeperServer } from '../../support/zookeeper-server.js';

/** Instances of one job that fires each second, each with a session of its own. */
class Instances implements AsyncDisposable {
  readonly #hosts = new Map<string, JobHost>();
  readonly #proxies: TcpProxy[] = [];
  readonly log: string[] = [];
  /** Items that were run since the last `forget()`, by instance. */
  #ran = new Map<string, Set<number>>();

  /** Starts an instance whose connection to the server can be cut off. */
  async startBehindProxy(server: ZooKeeperServer, name: string): Promise<TcpProxy> {
    const proxy = await TcpProxy.start(server.address);
    this.#proxies.push(proxy);
    await this.start(proxy, name);
    return proxy;
  }

  healthOf(name: string): JobHealth | undefined {
    return this.#hosts.get(name)?.jobs.get('bill')?.health;
  }

  async start(server: { readonly address: string }, name: string): Promise<void> {
    const registryCenter = new ZookeeperRegistryCenter({
      ...{ serverLists: server.address, namespace: 'lost', sessionTimeoutMilliseconds: 2_000 },
    });
    const note = (level: string) => (line: string) => void this.log.push(`${name} ${level} ${line}`);
    const logger = { debug: note('debug'), log: note('log'), warn: note('warn'), error: note('error') };
    const host = new JobHost({ registryCenter, logger });
    this.#hosts.set(name, host);
    registryCenter.connect();
    const job = {
      execute: ({ shardingItem }: { shardingItem: number }): void => {
        this.#ran.set(name, (this.#ran.get(name) ?? new Set()).add(shardingItem));
      },
    };
    const configuration = aConfiguration({ cron: '* * * * * ?', shardingTotalCount: 2 });
    await new ScheduleJobBootstrap(registryCenter, job, configuration, { host, jobClassName: 'BillJob' }).schedule();
  }

  forget(): void {
    this.#ran = new Map();
  }

  /** True if both items have run, and each of these instances has run one. */
  haveRun(names: readonly string[]): boolean {
    const items = new Set([...this.#ran.values()].flatMap((each) => [...each]));
    return items.size === 2 && this.#ran.size === names.length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(
      [...this.#hosts.values()].map(async (host) => {
        await host.stop();
        await host.registryCenter.close();
      }),
    );
    await Promise.all(this.#proxies.map((proxy) => proxy.close()));
  }
}

/** An operator's registry centre. */
async function connected(server: ZooKeeperServer): Promise<AsyncDisposable & { readonly registry: RegistryCenter }> {
  const registry = new ZookeeperRegistryCenter({ serverLists: server.address, namespace: 'lost' });
  registry.connect();
  await until(() => registry.session.state.phase === 'connected', 'the operator to be connected');
  return { registry, [Symbol.asyncDispose]: () => registry.close() };
}

test.each([[['A']], [['A', 'B']]])(
  'the instances %p of a job go on, each with its items, after ZooKeeper has lost its data',
  async (names) => {
    await using server = await ZooKeeperServer.start();
    await using instances = new Instances();
    for (const name of names) await instances.start(server, name);
    await until(() => instances.haveRun(names), 'all items to run');

    await server.loseData();
    instances.forget();
    await server.restart();

    await until(() => instances.haveRun(names), 'all items to run again');
    const warnings = instances.log.filter((line) => line.includes('came back without'));
    expect(warnings).toEqual([
      expect.stringContaining(`warn Job 'bill': the registry centre came back without /lost/bill/config;`),
    ]);
    expect(instances.log.filter((line) => line.includes(' error '))).toEqual([]);
  },
);

test('the instances of a job go on after the data of ZooKeeper were replaced by a backup', async () => {
  await using server = await ZooKeeperServer.start();
  await using instances = new Instances();
  for (const name of ['A', 'B']) await instances.start(server, name);
  await until(() => instances.haveRun(['A', 'B']), 'all items to run');
  await server.backUp();
  // Transactions that the backup does not have.
  instances.forget();
  await until(() => instances.haveRun(['A', 'B']), 'all items to run after the backup');

  await server.loseData('backup');
  instances.forget();
  await server.restart();

  await until(() => instances.haveRun(['A', 'B']), 'all items to run again');
  expect(instances.log.filter((line) => line.includes(' error '))).toEqual([]);
});

test('a job that an operator removes while an instance is away does not come back with the instance', async () => {
  await using server = await ZooKeeperServer.start();
  await using instances = new Instances();
  const connection = await instances.startBehindProxy(server, 'A');
  await instances.start(server, 'B');
  await until(() => instances.haveRun(['A', 'B']), 'all items to run');
  await using operator = await connected(server);

  connection.refuse();
  connection.cut();
  await until(async () => (await operator.registry.children('/bill/instances')).length === 1, 'A to be given up');
  await new JobConfigurationAPI(operator.registry).removeJobConfiguration('bill', { living: true });
  expect(await operator.registry.children('/')).toEqual([]);
  connection.heal();

  await until(() => instances.log.some((line) => line.includes("A warn Job 'bill': the whole job was removed")));
  expect(await operator.registry.children('/')).toEqual([]);
  expect(instances.healthOf('A')).toMatchObject({ state: 'removed' });
});

test('a job goes on after ZooKeeper has lost its data, also if others have stored theirs again before', async () => {
  await using server = await ZooKeeperServer.start();
  await using instances = new Instances();
  const connection = await instances.startBehindProxy(server, 'A');
  await until(() => instances.haveRun(['A']), 'all items to run');

  connection.refuse();
  connection.cut();
  await server.loseData();
  await server.restart();
  await using operator = await connected(server);
  for (const job of ['one', 'two', 'three']) await operator.registry.create(`/${job}/config`, '');
  instances.forget();
  connection.heal();

  await until(() => instances.haveRun(['A']), 'all items to run again');
});

test('a job that a backup does not have yet is stored again', async () => {
  await using server = await ZooKeeperServer.start();
  await using operator = await connected(server);
  await operator.registry.create('/other/config', '');
  await server.backUp();
  await using instances = new Instances();
  await instances.start(server, 'A');
  await until(() => instances.haveRun(['A']), 'all items to run');

  await server.loseData('backup');
  instances.forget();
  await server.restart();

  await until(() => instances.haveRun(['A']), 'all items to run again');
});
