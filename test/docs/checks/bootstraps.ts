import { expect } from '@jest/globals';
import { JobConfiguration } from '../../../lib/api/job/job-configuration.js';
import { OneOffJobBootstrap, ScheduleJobBootstrap } from '../../../lib/kernel/job-bootstrap.js';
import { JobHost } from '../../../lib/kernel/job-host.js';
import { createJobInstance } from '../../../lib/layout/job-instance.js';
import { EmbeddedRegistryCenter } from '../../../lib/registry/embedded/embedded-registry-center.js';
import { EmbeddedRegistryServer } from '../../../lib/registry/embedded/embedded-registry-server.js';
import {
  resolveZookeeperConfiguration,
  type ZookeeperConfiguration,
} from '../../../lib/registry/zookeeper/zookeeper-configuration.js';
import { ZookeeperRegistryCenter } from '../../../lib/registry/zookeeper/zookeeper-registry-center.js';
import { readApplicationSettings } from '../../../lib/nest/settings/application-settings.js';
import { RecordingLogger } from '../../unit/nest/application.js';
import { until } from '../../support/until.js';
import { NAMESPACE } from '../application.js';
import { SyncOrdersJob } from '../jobs.js';
import { type Check, type Checks, codeIn } from '../page.js';

const builder = () => JobConfiguration.newBuilder('syncOrders', 2);
const daily = (): JobConfiguration => builder().cron('0 0 0 1 1 ? 2099').build();

/** A registry centre of its own, with a look at its nodes. */
function aCentre(): { centre: EmbeddedRegistryCenter; server: EmbeddedRegistryServer; has: (path: string) => boolean } {
  const server = new EmbeddedRegistryServer();
  const centre = new EmbeddedRegistryCenter({ server, namespace: NAMESPACE });
  return { centre, server, has: (path) => server.namespace(NAMESPACE).get(path) !== undefined };
}

/** Schedules a job, and ends it. */
const schedules: Check = async () => {
  const { centre, has } = aCentre();
  const bootstrap = new ScheduleJobBootstrap(centre, new SyncOrdersJob(), daily());
  expect(has('/syncOrders')).toBe(false);

  await bootstrap.schedule();
  expect(has('/syncOrders/config')).toBe(true);
  await bootstrap.shutdown();

  await centre.close();
};

/** Runs a one-off job, and ends it when its items have. */
const executes: Check = async () => {
  const { centre, server } = aCentre();
  const job = new SyncOrdersJob();
  const bootstrap = new OneOffJobBootstrap(centre, job, builder().build());

  await bootstrap.start();
  expect(job.contexts).toEqual([]);
  await bootstrap.execute();
  await until(() => job.contexts.length === 2, 'both items to run');
  await bootstrap.shutdown();

  expect(server.namespace(NAMESPACE).children('/syncOrders/instances')).toEqual([]);
  expect(() => new OneOffJobBootstrap(centre, job, daily())).toThrow('Cron should be empty');
  await centre.close();
};

const given = { serverLists: 'localhost:2181', namespace: NAMESPACE };

/** The field is named as the row says, and is taken over. */
const zookeeper =
  (value: number | string, read: (settings: ReturnType<typeof resolveZookeeperConfiguration>) => unknown): Check =>
  (row) => {
    const name = codeIn(row, 'Here') as keyof ZookeeperConfiguration;
    expect(row.java.toLowerCase()).toBe(`set${name.toLowerCase()}(…)`);

    expect(read(resolveZookeeperConfiguration({ ...given, [name]: value }))).toBe(value);
  };

/** A centre that is not reached does not fail, neither when it is made nor when a bootstrap connects it. */
const goesOnTrying: Check = async () => {
  const centre = new ZookeeperRegistryCenter({ ...given, serverLists: '127.0.0.1:1' });
  const bootstrap = new ScheduleJobBootstrap(centre, new SyncOrdersJob(), daily());
  const scheduled = bootstrap.schedule().catch((error: unknown) => String(error));

  await bootstrap.shutdown();

  expect(await scheduled).toContain('is being stopped');
  await centre.close();
  expect(centre.session.state.phase).toBe('closed');
};

/** The setting of the module is what chooses the address. */
const address =
  (name: 'preferredNetworkInterface' | 'preferredNetworkIp', value: string): Check =>
  (row) => {
    expect(codeIn(row, 'Here').replaceAll("'", '')).toBe(`${name}: ${value}`);
    const variable = `ELASTICJOB_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
    const settings = readApplicationSettings({
      options: {},
      file: undefined,
      environment: { [variable]: value },
      providers: [],
    });
    expect(settings?.module[name]).toBe(value);

    const ipv4 = (ip: string) => [{ address: ip, family: 'IPv4', internal: false }];
    const interfaces = { eth0: ipv4('192.168.0.7'), eth1: ipv4('10.1.0.7') } as unknown as NodeJS.Dict<never[]>;
    expect(createJobInstance({ [name]: value, interfaces }).serverIp).toBe('10.1.0.7');
    expect(createJobInstance({ interfaces }).serverIp).toBe('192.168.0.7');
  };

/** Checks of bootstraps and the registry centre. */
export const bootstrapChecks: Checks = {
  'new ScheduleJobBootstrap(registryCenter, job, configuration)': schedules,
  'new ScheduleJobBootstrap(registryCenter, "TYPE", configuration)': async () => {
    const { centre, server } = aCentre();
    centre.connect();
    const executors = [{ type: 'TYPE', process: () => undefined }];
    const host = new JobHost({ registryCenter: centre, logger: new RecordingLogger(), executors });

    const bootstrap = new ScheduleJobBootstrap(centre, 'TYPE', daily(), { host });
    await bootstrap.schedule();

    expect(server.namespace(NAMESPACE).get('/syncOrders')?.value).toBe('TYPE');
    await bootstrap.shutdown();
    await centre.close();
  },
  'new ScheduleJobBootstrap(registryCenter, annotatedJob)': () => {
    const { centre } = aCentre();
    const Bootstrap = ScheduleJobBootstrap as unknown as new (...args: unknown[]) => unknown;

    expect(() => new Bootstrap(centre, new SyncOrdersJob())).toThrow(
      "A job's configuration must be a plain object of settings",
    );
  },
  'schedule()': schedules,
  'new OneOffJobBootstrap(registryCenter, job, configuration)': executes,
  'execute()': executes,
  'shutdown()': executes,
  'new ZookeeperConfiguration(serverLists, namespace)': () => {
    expect(resolveZookeeperConfiguration(given)).toMatchObject({ namespace: NAMESPACE });
  },
  'setBaseSleepTimeMilliseconds(…)': zookeeper(500, ({ retry }) => retry.baseMs),
  'setMaxSleepTimeMilliseconds(…)': zookeeper(2_000, ({ retry }) => retry.maxMs),
  'setMaxRetries(…)': zookeeper(5, ({ retry }) => retry.retries),
  'setSessionTimeoutMilliseconds(…)': zookeeper(10_000, ({ sessionTimeoutMs }) => sessionTimeoutMs),
  'setConnectionTimeoutMilliseconds(…)': zookeeper(6_000, ({ connectionTimeoutMs }) => connectionTimeoutMs),
  'setDigest(…)': zookeeper('orders:secret', ({ digest }) => digest),
  'new ZookeeperRegistryCenter(configuration)': goesOnTrying,
  'registryCenter.init()': goesOnTrying,
  'registryCenter.close()': goesOnTrying,
  '-Delasticjob.preferred.network.interface=eth1': address('preferredNetworkInterface', 'eth1'),
  '-Delasticjob.preferred.network.ip=10.1': address('preferredNetworkIp', '10.1'),
};
