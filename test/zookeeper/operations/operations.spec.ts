/** Operations on jobs of this library that run on a ZooKeeper. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ScheduleJobBootstrap } from '../../../lib/kernel/job-bootstrap.js';
import { JobHost } from '../../../lib/kernel/job-host.js';
import { jobInstanceOn } from '../../../lib/layout/job-instance.js';
import { JobConfigurationAPI } from '../../../lib/operations/job-configuration-api.js';
import { JobOperateAPI } from '../../../lib/operations/job-operate-api.js';
import { JobStatisticsAPI } from '../../../lib/operations/job-statistics-api.js';
import { ShardingOperateAPI } from '../../../lib/operations/sharding-operate-api.js';
import { ZookeeperRegistryCenter } from '../../../lib/registry/zookeeper/zookeeper-registry-center.js';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { until } from '../../support/until.js';
import { aConfiguration } from '../../support/views.js';

const zooKeeper = sharedZooKeeper();
const nothing = (): void => undefined;
const silent = { debug: nothing, log: nothing, warn: nothing, error: nothing };

let operator: ZookeeperRegistryCenter;
let hosts: readonly JobHost[];
let ran: string[];

beforeEach(async () => {
  const at = { serverLists: zooKeeper.servers, namespace: zooKeeper.namespace() };
  operator = new ZookeeperRegistryCenter(at);
  operator.connect();
  ran = [];
  hosts = ['A', 'B'].map((name) => {
    const registryCenter = new ZookeeperRegistryCenter(at);
    registryCenter.connect();
    return new JobHost({
      registryCenter,
      logger: silent,
      instance: jobInstanceOn(`10.0.0.${name.charCodeAt(0)}`, name),
    });
  });
  for (const host of hosts) {
    const { serverIp } = host.instance;
    const job = {
      execute: ({ shardingItem }: { shardingItem: number }) => void ran.push(`${serverIp}: ${shardingItem}`),
    };
    await new ScheduleJobBootstrap(
      host.registryCenter,
      job,
      aConfiguration({ cron: '0 0 0 1 1 ? 2099', shardingTotalCount: 4 }),
      { host },
    ).schedule();
  }
  await until(async () => (await new JobStatisticsAPI(operator).getJobBriefInfo('bill')).status === 'OK');
});
afterEach(async () => {
  await Promise.all(hosts.map((host) => host.stop()));
  await Promise.all([operator, ...hosts.map((host) => host.registryCenter)].map((each) => each.close()));
});

test('a trigger runs all items, and is over when they have run', async () => {
  const jobs = new JobOperateAPI(operator);

  const triggered = await jobs.trigger('bill');
  await triggered.ended({ timeoutMs: 60_000 });

  expect(triggered.instances.map(({ answer }) => answer)).toEqual(['taken', 'taken']);
  expect(ran.map((run) => run.slice(-1)).sort()).toEqual(['0', '1', '2', '3']);
});

test('a disabled server and a disabled item run nothing until they are enabled', async () => {
  const jobs = new JobOperateAPI(operator);
  const items = new ShardingOperateAPI(operator);

  await jobs.disable({ jobName: 'bill', serverIp: '10.0.0.65' });
  await items.disable('bill', 3);
  await until(async () => (await new JobStatisticsAPI(operator).getJobBriefInfo('bill')).status === 'OK');
  await (await jobs.trigger('bill')).ended({ timeoutMs: 60_000 });
  expect([...ran].sort()).toEqual(['10.0.0.66: 0', '10.0.0.66: 1', '10.0.0.66: 2']);

  await jobs.enable({ serverIp: '10.0.0.65' });
  await items.enable('bill', 3);
  ran.length = 0;
  await (await jobs.trigger('bill')).ended({ timeoutMs: 60_000 });
  expect(ran.map((run) => run.slice(-1)).sort()).toEqual(['0', '1', '2', '3']);
});

test('a removed job leaves nothing behind, and does not come back while its instances live', async () => {
  const removed = await new JobConfigurationAPI(operator).removeJobConfiguration('bill', { living: true });

  expect(removed).toMatchObject({ instances: { length: 2 }, stillRunning: [] });
  expect(await operator.children('/')).toEqual([]);
  expect(hosts.map((host) => host.jobs.get('bill')?.health.state)).toEqual(['removed', 'removed']);
});
