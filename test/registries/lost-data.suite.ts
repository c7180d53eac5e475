/** A registry centre that comes back without its data, or with older ones: a pod without a volume, a backup. */
/* eslint-disable jest/no-export -- a suite that the specs of several registry centres call */
import { expect, test } from '@jest/globals';
import { type JobHealth } from '../../lib/kernel/life/job-health.js';
import { ScheduleJobBootstrap } from '../../lib/kernel/job-bootstrap.js';
import { JobHost } from '../../lib/kernel/job-host.js';
import { JobConfigurationAPI } from '../../lib/operations/job-configuration-api.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { aConfiguration } from '../support/views.js';
import { until } from '../support/until.js';
import { connected, connecting, type OwnRegistryServer, type RegistryKind } from './registry-kind.js';

const SHORT = { namespace: 'lost', sessionTimeoutMilliseconds: 2_000 };

/** Instances of one job that fires each second, each with a session of its own. */
class Instances implements AsyncDisposable {
  readonly #hosts = new Map<string, JobHost>();
  readonly #proxies: TcpProxy[] = [];
  readonly log: string[] = [];
  /** Items that were run since the last `forget()`, by instance. */
  #ran = new Map<string, Set<number>>();

  /** Starts an instance whose connection to the server can be cut off. */
  async startBehindProxy(server: OwnRegistryServer, name: string): Promise<TcpProxy> {
    const proxy = await TcpProxy.start(server.address, 'other');
    this.#proxies.push(proxy);
    await this.start(server, name, proxy);
    return proxy;
  }

  healthOf(name: string): JobHealth | undefined {
    return this.#hosts.get(name)?.jobs.get('bill')?.health;
  }

  /** The path as operators' tools show it. */
  pathOf(path: string): string {
    return [...this.#hosts.values()][0]!.registryCenter.fullPath(path);
  }

  async start(server: OwnRegistryServer, name: string, proxy?: TcpProxy): Promise<void> {
    const note = (level: string) => (line: string) => void this.log.push(`${name} ${level} ${line}`);
    const logger = { debug: note('debug'), log: note('log'), warn: note('warn'), error: note('error') };
    const address = proxy?.address ?? server.address;
    const registryCenter = connecting(server.regCenter({ ...SHORT, address }), logger);
    const host = new JobHost({ registryCenter, logger });
    this.#hosts.set(name, host);
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
async function operatorOf(server: OwnRegistryServer) {
  const registry = await connected(server.regCenter({ namespace: 'lost' }));
  return { registry, [Symbol.asyncDispose]: () => registry.close() };
}

/** Instances go on after the registry centre has lost its data. */
export function lostData(kind: RegistryKind): void {
  test.each([[['A']], [['A', 'B']]])(
    'the instances %p of a job go on, each with its items, after the registry centre has lost its data',
    async (names) => {
      await using server = await kind.start();
      await using instances = new Instances();
      for (const name of names) await instances.start(server, name);
      await until(() => instances.haveRun(names), 'all items to run');

      await server.loseData();
      instances.forget();
      await server.restart();

      await until(() => instances.haveRun(names), 'all items to run again');
      const config = instances.pathOf('/bill/config');
      const warnings = instances.log.filter((line) => line.includes('came back without'));
      expect(warnings).toEqual([
        expect.stringContaining(`warn Job 'bill': the registry centre came back without ${config};`),
      ]);
      expect(instances.log.filter((line) => line.includes(' error '))).toEqual([]);
    },
  );

  test('the instances of a job go on after the data of the registry centre were replaced by a backup', async () => {
    await using server = await kind.start();
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
    await using server = await kind.start();
    await using instances = new Instances();
    const connection = await instances.startBehindProxy(server, 'A');
    await instances.start(server, 'B');
    await until(() => instances.haveRun(['A', 'B']), 'all items to run');
    await using operator = await operatorOf(server);

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

  test('a job goes on after the registry centre has lost its data, also if others have stored theirs again before', async () => {
    await using server = await kind.start();
    await using instances = new Instances();
    const connection = await instances.startBehindProxy(server, 'A');
    await until(() => instances.haveRun(['A']), 'all items to run');

    connection.refuse();
    connection.cut();
    await server.loseData();
    await server.restart();
    await using operator = await operatorOf(server);
    for (const job of ['one', 'two', 'three']) await operator.registry.create(`/${job}/config`, '');
    instances.forget();
    connection.heal();

    await until(() => instances.haveRun(['A']), 'all items to run again');
  });

  test('a job that a backup does not have yet is stored again', async () => {
    await using server = await kind.start();
    await using operator = await operatorOf(server);
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
}
