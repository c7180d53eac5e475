import { describe, expect, test } from '@jest/globals';
import { type JobConfiguration } from '../../../lib/api/job/job-configuration.js';
import { JobHost } from '../../../lib/kernel/job-host.js';
import { ScheduleJobBootstrap } from '../../../lib/kernel/job-bootstrap.js';
import { type FiringTimers } from '../../../lib/kernel/lanes/cron-timer.js';
import { JobPaths } from '../../../lib/layout/job-paths.js';
import { ZookeeperRegistryCenter } from '../../../lib/registry/zookeeper/zookeeper-registry-center.js';
import { Once, CallNotes } from '../../support/listeners.js';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { type RequestName } from '../../support/zookeeper-frames.js';
import { until } from '../../support/until.js';
import { aConfiguration } from '../../support/views.js';

const zooKeeper = sharedZooKeeper();
const silent = { debug: () => undefined, log: () => undefined, warn: () => undefined, error: () => undefined };

/** Timers that fire when a test wants it, those of all jobs together, each time for a later instant. */
class ManualTimers implements FiringTimers {
  readonly #armed = new Map<string, () => void>();

  arm(jobName: string, _instant: Date, onFire: () => void): void {
    this.#armed.set(jobName, onFire);
  }

  disarm(jobName: string): void {
    this.#armed.delete(jobName);
  }

  fire(): void {
    for (const onFire of [...this.#armed.values()]) onFire();
  }
}

/** Numbers of requests by their names. */
type Requests = Readonly<Partial<Record<RequestName, number>>>;

/**
 * The requests that the proxy has seen, except pings and `questions` of the test, each of which is a `sync` and a
 * `getData`.
 */
function countedBy({ requests: { ping: _, ...all } }: TcpProxy, questions: number): Requests {
  const own: Requests = { sync: questions, getData: questions };
  const others = Object.entries(all).map(([name, count]) => [name, count - (own[name as RequestName] ?? 0)] as const);
  return Object.fromEntries(others.filter(([, count]) => count !== 0));
}

const sumOf = (requests: Requests): number => Object.values(requests).reduce((sum, count) => sum + count, 0);

/** One instance of a job on ZooKeeper, behind a proxy that counts its requests. */
class CountedInstance implements AsyncDisposable {
  readonly timers = new ManualTimers();
  readonly proxy: TcpProxy;
  readonly #registry: ZookeeperRegistryCenter;
  readonly #host: JobHost;
  readonly #paths: JobPaths;
  #ran = 0;

  private constructor(proxy: TcpProxy, namespace: string, jobName: string) {
    this.proxy = proxy;
    this.#paths = new JobPaths(jobName);
    this.#registry = new ZookeeperRegistryCenter({
      serverLists: proxy.address,
      namespace,
      sessionTimeoutMilliseconds: 20_000,
    });
    const listeners = [new Once(new CallNotes(), 'A')];
    this.#host = new JobHost({ registryCenter: this.#registry, logger: silent, timers: this.timers, listeners });
  }

  static async start(namespace: string, configuration: JobConfiguration): Promise<CountedInstance> {
    const instance = new CountedInstance(
      await TcpProxy.start(zooKeeper.servers.split(',')[0]!),
      namespace,
      configuration.jobName,
    );
    instance.#registry.connect();
    await instance.begin(configuration);
    return instance;
  }

  /** Takes part in a job. */
  async begin(configuration: JobConfiguration): Promise<void> {
    const job = { execute: () => void this.#ran++ };
    const options = { host: this.#host, jobClassName: 'CountedJob' };
    await new ScheduleJobBootstrap(this.#registry, job, configuration, options).schedule();
  }

  /** Fires once, and waits until `items` items have run. Returns the requests that this instance has made for it. */
  async fire(items: number, atLeast = 0): Promise<Requests> {
    this.#ran = 0;
    this.proxy.resetRequests();
    this.timers.fire();
    await until(() => this.#ran === items, `${items} items to run`);
    return this.requests(atLeast);
  }

  /**
   * The requests since the counter was reset, as soon as there are at least so many and no further ones follow from
   * them: what the server has to say of those before is here with the answer to a question, and nothing comes of it.
   */
  async requests(atLeast = 0): Promise<Requests> {
    await until(() => this.proxy.count() >= atLeast, `${atLeast} requests`);
    let before: Requests = {};
    for (let questions = 0; questions < 50; questions++) {
      const now = countedBy(this.proxy, questions);
      if (questions > 0 && sumOf(now) === sumOf(before)) return now;
      before = now;
      await this.#registry.get(this.#paths.root);
      // Events that came with the answer are handled before the next question is asked.
      await new Promise((resolve) => setImmediate(resolve));
    }
    throw new Error(`There is no end to the requests: ${JSON.stringify(before)}`);
  }

  /** Ids of the instances that own items. */
  async owners(): Promise<ReadonlySet<string | undefined>> {
    const { sharding } = this.#paths;
    const items = await this.#registry.children(sharding);
    return new Set(await Promise.all(items.map((item) => this.#registry.get(`${sharding}/${item}/instance`))));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#host.stop();
    await this.#registry.close();
    await this.proxy[Symbol.asyncDispose]();
  }
}

const JOB = { cron: '0 0 0 * * ?', timeZone: 'GMT' };

test('fifty jobs of two items that fire at the same second cost two requests in all', async () => {
  const [first, ...others] = Array.from({ length: 50 }, (_, index) =>
    aConfiguration({ jobName: `job${index}`, cron: '0 0 0 * * ?' }),
  );
  const { shardingTotalCount } = first!;
  await using instance = await CountedInstance.start(zooKeeper.namespace(), first!);
  for (const configuration of others) await instance.begin(configuration);
  // The first firing of a job reads and writes more, and on a busy machine some of the jobs do that a firing later.
  let requests = await instance.fire(50 * shardingTotalCount, 2);
  for (let firing = 0; firing < 3 && sumOf(requests) > 2; firing++)
    requests = await instance.fire(50 * shardingTotalCount, 2);

  expect(requests).toEqual({ multi: 2 });
});

test('a new job costs 15 requests until its items are assigned, whatever their number', async () => {
  const namespace = zooKeeper.namespace();
  await using instance = await CountedInstance.start(namespace, aConfiguration({ ...JOB, shardingTotalCount: 1 }));
  await until(async () => (await instance.owners()).size === 1, 'its items to be assigned');
  await instance.requests();

  const operator = new ZookeeperRegistryCenter({ serverLists: zooKeeper.servers, namespace });
  operator.connect();

  instance.proxy.resetRequests();
  await instance.begin(aConfiguration({ ...JOB, jobName: 'another', shardingTotalCount: 500 }));
  const owner = (): Promise<string | undefined> => operator.get('/another/sharding/499/instance');
  await until(async () => (await owner()) !== undefined, 'the items of the other job to be assigned');

  expect(await instance.requests(15)).toEqual({
    ...{ addWatch: 1, multiRead: 1, sync: 3, multi: 5, create2: 3, getChildren: 1, delete: 1 },
  });
  await operator.close();
});

test('an instance that joins a job of 500 items makes no request for each of them', async () => {
  const namespace = zooKeeper.namespace();
  const configuration = aConfiguration({ ...JOB, shardingTotalCount: 500 });
  await using first = await CountedInstance.start(namespace, configuration);
  await until(async () => (await first.owners()).size === 1, 'its items to be assigned');

  await using second = await CountedInstance.start(namespace, configuration);
  await until(async () => (await first.owners()).size === 2, 'half of the items to move');

  // Reading the nodes one by one would take more than 500.
  expect(sumOf(await second.requests())).toBeLessThanOrEqual(40);
});

describe('a steady firing', () => {
  test.each([1, 10, 500])(
    'of a monitored job with %i items costs two commits and no read',
    async (shardingTotalCount) => {
      const configuration = aConfiguration({ ...JOB, shardingTotalCount });
      await using instance = await CountedInstance.start(zooKeeper.namespace(), configuration);
      await instance.fire(shardingTotalCount);

      for (let firing = 0; firing < 3; firing++)
        expect(await instance.fire(shardingTotalCount, 2)).toEqual({ multi: 2 });
    },
  );

  test('of a job that is not monitored costs nothing', async () => {
    const configuration = aConfiguration({ ...JOB, shardingTotalCount: 10, monitorExecution: false });
    await using instance = await CountedInstance.start(zooKeeper.namespace(), configuration);
    await instance.fire(10);

    expect(await instance.fire(10)).toEqual({});
  });

  test('of a peer costs an instance nothing', async () => {
    const configuration = aConfiguration({ ...JOB, shardingTotalCount: 10 });
    const namespace = zooKeeper.namespace();
    await using first = await CountedInstance.start(namespace, configuration);
    await using second = await CountedInstance.start(namespace, configuration);
    await until(async () => (await first.owners()).size === 2, 'both to own items');
    await first.fire(5, 2);
    await second.requests();

    second.proxy.resetRequests();
    await first.fire(5, 2);
    expect(await second.requests()).toEqual({});
  });

  test.each([1, 500])(
    'of a job with %i items and a listener that is called once in the cluster costs a few requests more, whatever their number',
    async (shardingTotalCount) => {
      const configuration = aConfiguration({ ...JOB, shardingTotalCount, jobListenerTypes: ['ONCE'] });
      await using instance = await CountedInstance.start(zooKeeper.namespace(), configuration);
      await instance.fire(shardingTotalCount, 10);

      const requests = await instance.fire(shardingTotalCount, 10);
      // Begin and end as ever; for each of the two calls: the stage's node, the report, the entry, and the end. One may
      // have to be tried again, where the mirror did not show yet what the call before has removed.
      expect(sumOf(requests)).toBeLessThanOrEqual(20);
    },
  );
});
