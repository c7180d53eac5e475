/** A ZooKeeper that comes back without its data, or with older ones: a pod without a volume, a backup. */
import { expect, test } from '@jest/globals';
import { ScheduleJobBootstrap } from '../../../lib/kernel/job-bootstrap.js';
import { JobHost } from '../../../lib/kernel/job-host.js';
import { ZookeeperRegistryCenter } from '../../../lib/registry/zookeeper/zookeeper-registry-center.js';
import { aConfiguration } from '../../support/views.js';
import { until } from '../../support/until.js';
import { ZooKeeperServer } from '../../support/zookeeper-server.js';

/** Instances of one job that fires each second, each with a session of its own. */
class Instances implements AsyncDisposable {
  readonly #hosts: JobHost[] = [];
  readonly log: string[] = [];
  /** Items that were run since the last `forget()`, by instance. */
  #ran = new Map<string, Set<number>>();

  async start(server: ZooKeeperServer, name: string): Promise<void> {
    const registryCenter = new ZookeeperRegistryCenter({
      ...{ serverLists: server.address, namespace: 'lost', sessionTimeoutMilliseconds: 2_000 },
    });
    const note = (level: string) => (line: string) => void this.log.push(`${name} ${level} ${line}`);
    const logger = { debug: note('debug'), log: note('log'), warn: note('warn'), error: note('error') };
    const host = new JobHost({ registryCenter, logger });
    this.#hosts.push(host);
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

  /** Whether both items have run, and each of these instances has run one. */
  haveRun(names: readonly string[]): boolean {
    const items = new Set([...this.#ran.values()].flatMap((each) => [...each]));
    return items.size === 2 && this.#ran.size === names.length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(
      this.#hosts.map(async (host) => {
        await host.stop();
        await host.registryCenter.close();
      }),
    );
  }
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

    await until(() => instances.haveRun(names), 'all items to run again', 20_000);
    const warnings = instances.log.filter((line) => line.includes('came back without'));
    expect(warnings).toEqual([
      expect.stringContaining(`warn Job 'bill': the registry centre came back without /lost/bill/config;`),
    ]);
    expect(instances.log.filter((line) => line.includes(' error '))).toEqual([]);
  },
  60_000,
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

  await until(() => instances.haveRun(['A', 'B']), 'all items to run again', 20_000);
  expect(instances.log.filter((line) => line.includes(' error '))).toEqual([]);
}, 60_000);
