/** Servers that are known by an IPv6 address. */
import { expect, test } from '@jest/globals';
import { jobConfiguration } from '../../../lib/api/job/job-configuration.js';
import { ScheduleJobBootstrap } from '../../../lib/kernel/job-bootstrap.js';
import { JobHost } from '../../../lib/kernel/job-host.js';
import { jobInstanceOn } from '../../../lib/layout/job-instance.js';
import { JobOperateAPI } from '../../../lib/operations/job-operate-api.js';
import { EmbeddedRegistryCenter } from '../../../lib/registry/embedded/embedded-registry-center.js';
import { EmbeddedRegistryServer } from '../../../lib/registry/embedded/embedded-registry-server.js';
import { until } from '../../support/until.js';

const nothing = (): void => undefined;
const logger = { debug: nothing, log: nothing, warn: nothing, error: nothing };

test('a server with an IPv6 address is disabled and enabled as any other, and no other server with it', async () => {
  const server = new EmbeddedRegistryServer();
  const hosts = ['2001:db8::7', '2001:db8::8'].map((ip) => {
    const registryCenter = new EmbeddedRegistryCenter({ server, namespace: 'six' });
    return new JobHost({ registryCenter, logger, instance: jobInstanceOn(ip, '1-a') });
  });
  const configuration = jobConfiguration({ jobName: 'job', shardingTotalCount: 4, cron: '0 0 0 1 1 ?' });
  for (const host of hosts)
    await new ScheduleJobBootstrap(host.registryCenter, { execute: nothing }, configuration, { host }).schedule();
  const registry = new EmbeddedRegistryCenter({ server, namespace: 'six' });
  registry.connect();
  await until(() => registry.session.state.phase === 'connected');
  const operate = new JobOperateAPI(registry);
  const owners = async () =>
    (await Promise.all([0, 1, 2, 3].map((item) => registry.get(`/job/sharding/${item}/instance`)))).sort().join();
  const [seven, eight] = ['2001:db8::7@-@1-a', '2001:db8::8@-@1-a'];
  await until(async () => (await owners()) === [seven, seven, eight, eight].join(), 'the first assignment');

  await operate.disable({ jobName: 'job', serverIp: '2001:db8::7' });
  await until(async () => (await owners()) === [eight, eight, eight, eight].join(), 'the second assignment');
  expect(await registry.get('/job/servers/2001:db8::8')).toBe('ENABLED');

  await operate.enable({ jobName: 'job', serverIp: '2001:db8::7' });
  await until(async () => (await owners()) === [seven, seven, eight, eight].join(), 'the third assignment');
  await Promise.all(hosts.map((host) => host.stop()));
  await registry.close();
});
