/* eslint-disable jest/no-export -- a suite that the specs of several registry centres call */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type ShardingContext } from '../../lib/api/job/sharding-context.js';
import { ScheduleJobBootstrap } from '../../lib/kernel/job-bootstrap.js';
import { JobHost } from '../../lib/kernel/job-host.js';
import { jobInstanceOn } from '../../lib/layout/job-instance.js';
import { JobConfigurationAPI } from '../../lib/operations/job-configuration-api.js';
import { JobOperateAPI } from '../../lib/operations/job-operate-api.js';
import { JobStatisticsAPI } from '../../lib/operations/job-statistics-api.js';
import { ShardingOperateAPI } from '../../lib/operations/sharding-operate-api.js';
import { type RegistryCenter } from '../../lib/registry/registry-center.js';
import { until } from '../support/until.js';
import { aConfiguration } from '../support/views.js';
import { connected, connecting, newNamespace, type RegistryKind, silent } from './registry-kind.js';

/** Operations on the jobs of instances that run. */
export function operations(kind: RegistryKind): void {
  const server = kind.shared();
  let operator: RegistryCenter;
  let hosts: readonly JobHost[];
  let ran: string[];

  beforeEach(async () => {
    const at = server.regCenter({ namespace: newNamespace() });
    operator = await connected(at);
    ran = [];
    hosts = ['A', 'B'].map((name) => {
      return new JobHost({
        registryCenter: connecting(at),
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

  test('a job whose name, namespace, parameters and description are in other scripts runs as others do', async () => {
    const at = server.regCenter({ namespace: `${newNamespace()}-größe/日本` });
    const registryCenter = await connected(at);
    const host = new JobHost({ registryCenter, logger: silent });
    const parameters: string[] = [];
    const job = {
      execute: ({ jobName, shardingParameter }: ShardingContext) =>
        void parameters.push(`${jobName} ${shardingParameter}`),
    };
    const configuration = aConfiguration({
      ...{ jobName: '工作-ünï', cron: '0 0 0 1 1 ? 2099', shardingTotalCount: 2 },
      ...{ shardingItemParameters: '0=Łódź,1=Αθήνα', description: 'счета — 毎月 👩‍👩‍👧' },
    });
    await new ScheduleJobBootstrap(registryCenter, job, configuration, { host }).schedule();

    await (await new JobOperateAPI(registryCenter).trigger(configuration.jobName)).ended({ timeoutMs: 60_000 });
    const stored = await new JobConfigurationAPI(registryCenter).getJobConfiguration(configuration.jobName);
    await host.stop();
    await registryCenter.close();

    expect(parameters.sort()).toEqual(['工作-ünï Łódź', '工作-ünï Αθήνα']);
    expect(stored?.description).toBe(configuration.description);
  });
}
