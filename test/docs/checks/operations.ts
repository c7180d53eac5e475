import { expect } from '@jest/globals';
import { SnapshotService } from '../../../lib/dump/snapshot-service.js';
import * as library from '../../../lib/index.js';
import { fromYaml } from '../../../lib/layout/job-configuration-yaml.js';
import { parseInstanceYaml } from '../../../lib/layout/job-instance.js';
import { type Work } from '../../../lib/testing/runs.js';
import { TestCluster } from '../../../lib/testing/test-cluster.js';
import { type Check, type Checks } from '../page.js';

const clusterOf = (names: readonly string[], work?: Work): Promise<TestCluster> =>
  TestCluster.start(names, {
    job: { cron: '0 0 2 * * ?', shardingTotalCount: 2 },
    ...(work && { work }),
  });

/** An operation that Java's API carries out by changing nodes, of which the instances then hear. */
async function operate(cluster: TestCluster, change: (paths: TestCluster['paths']) => Promise<unknown>): Promise<void> {
  await change(cluster.paths);
  await cluster.settle();
}

/** `JobOperateAPI.shutdown` of one server. */
const shutDown = (cluster: TestCluster, name: string): Promise<void> =>
  operate(cluster, (paths) => cluster.operator.remove(paths.instance(cluster.idOf(name))));

/** The library has a class of that name with that method; what a factory makes is made by `new`. */
const isThere: Check = ({ java }) => {
  const made = /^JobAPIFactory\.create(\w+)\(/.exec(java)?.[1];
  const [, name = made ?? '', method = 'constructor'] = made === undefined ? (/^(\w+)\.(\w+)\(/.exec(java) ?? []) : [];
  const type = (library as unknown as Readonly<Record<string, (new () => object) | undefined>>)[name];

  expect(type?.prototype).toHaveProperty(method);
};

const disables: Check = async (row) => {
  await isThere(row);
  await using cluster = await clusterOf(['A', 'B']);

  await operate(cluster, (paths) => cluster.operator.put(paths.server(cluster.ipOf('A')), 'DISABLED'));
  await cluster.advance('2s');
  expect(cluster.owners).toEqual({ B: [0, 1] });
  await cluster.leave('A');
  await cluster.join('A');
  expect(cluster.owners).toEqual({ B: [0, 1] });

  await operate(cluster, (paths) => cluster.operator.put(paths.server(cluster.ipOf('A')), 'ENABLED'));
  await cluster.advance('2s');
  expect(Object.keys(cluster.owners).sort()).toEqual(['A', 'B']);
};

const disablesItem: Check = async (row) => {
  await isThere(row);
  await using cluster = await clusterOf(['A']);

  await operate(cluster, (paths) => cluster.operator.put(paths.item(1, 'disabled'), ''));
  await cluster.fire();
  expect(cluster.ran).toEqual({ A: [0] });

  await operate(cluster, (paths) => cluster.operator.remove(paths.item(1, 'disabled')));
  await cluster.fire();
  expect(cluster.ran).toEqual({ A: [0, 0, 1] });
};

const shutsDown: Check = async (row) => {
  await isThere(row);
  const ends: (() => void)[] = [];
  const work: Work = (instance) => (instance === 'A' ? new Promise<void>((resolve) => ends.push(resolve)) : undefined);
  await using cluster = await clusterOf(['A', 'B'], work);
  await cluster.fire();

  await shutDown(cluster, 'A');
  await cluster.advance('2s');
  expect(cluster.runs.filter(({ instance, outcome }) => instance === 'A' && outcome === 'running')).toHaveLength(1);
  for (const end of ends) end();
  await cluster.advance('2s');

  expect(cluster.runs.filter(({ instance }) => instance === 'A').map(({ outcome }) => outcome)).toEqual(['completed']);
  expect(cluster.owners).toEqual({ B: [0, 1] });
};

/** Java's statistics, read from the nodes as Java reads them. */
async function statistics(): Promise<object> {
  await using cluster = await clusterOf(['A', 'B']);
  const { operator, paths } = cluster;
  const ids = await operator.children(paths.instances);
  const instances = await Promise.all(
    ids.map(async (id) => parseInstanceYaml((await operator.get(paths.instance(id))) ?? '')),
  );
  const ips = await operator.children(paths.servers);
  const statuses = await Promise.all(ips.map((ip) => operator.get(paths.server(ip))));
  const items = await operator.children(paths.sharding);
  const owners = await Promise.all(items.map((item) => operator.get(paths.item(Number(item), 'instance'))));
  const config = fromYaml((await operator.get(paths.config)) ?? '', paths.config).configuration;
  return {
    jobs: (await operator.children('/')).length,
    instances: instances.map((one) => one?.serverIp === ips.find((ip) => ip === one?.serverIp)),
    servers: statuses,
    items,
    areOwnersOnline: owners.every((owner) => ids.includes(owner ?? '')),
    brief: [config.jobName, config.cron, config.shardingTotalCount],
  };
}

const tells: Check = async (row) => {
  await isThere(row);

  expect(await statistics()).toEqual({
    jobs: 1,
    instances: [true, true],
    servers: ['ENABLED', 'ENABLED'],
    items: ['0', '1'],
    areOwnersOnline: true,
    brief: ['job', '0 0 2 * * ?', 2],
  });
};

const statisticsMethods = [
  ['JobConfigurationAPI.getJobConfiguration(…)', 'JobStatisticsAPI.getJobsTotalCount()'],
  ['JobStatisticsAPI.getAllJobsBriefInfo()', 'JobStatisticsAPI.getJobBriefInfo(…)'],
  ['JobStatisticsAPI.getJobsBriefInfo(…)', 'ServerStatisticsAPI.getServersTotalCount()'],
  ['ServerStatisticsAPI.getAllServersBriefInfo()', 'ShardingStatisticsAPI.getShardingInfo(…)'],
].flat();

const factories = ['JobConfiguration', 'JobOperate', 'ShardingOperate', 'JobStatistics', 'ServerStatistics'];

/** Checks of the lifecycle API. */
export const operationChecks: Checks = {
  ...Object.fromEntries(
    [...factories, 'ShardingStatistics'].map((name) => [`JobAPIFactory.create${name}API(…)`, isThere]),
  ),
  ...Object.fromEntries(statisticsMethods.map((name) => [name, tells])),
  'JobConfigurationAPI.updateJobConfiguration(…)': async (row) => {
    await isThere(row);
    await using cluster = await clusterOf(['A']);

    await cluster.reconfigure({ cron: '0 0 3 * * ?', shardingTotalCount: 3 });
    await cluster.fire();

    expect(cluster.runs.map(({ item, at }) => `${item}, ${at}`).sort()).toEqual([
      '0, 03:00:00',
      '1, 03:00:00',
      '2, 03:00:00',
    ]);
  },
  'JobConfigurationAPI.removeJobConfiguration(…)': async (row) => {
    await isThere(row);
    await using cluster = await clusterOf(['A']);

    await operate(cluster, (paths) => cluster.operator.remove(paths.root));
    await cluster.advance('1d');

    expect(cluster.runs).toEqual([]);
  },
  'JobOperateAPI.trigger(…)': async (row) => {
    await isThere(row);
    const ends: (() => void)[] = [];
    await using cluster = await clusterOf(['A'], () => new Promise<void>((resolve) => ends.push(resolve)));
    const trigger = (): Promise<void> =>
      operate(cluster, (paths) => cluster.operator.create(paths.trigger(cluster.idOf('A')), ''));

    await trigger();
    expect(cluster.ran).toEqual({ A: [0, 1] });
    await trigger();
    for (const end of ends.splice(0)) end();
    await cluster.settle();

    expect(cluster.ran).toEqual({ A: [0, 0, 1, 1] });
  },
  'JobOperateAPI.disable(…)': disables,
  'JobOperateAPI.enable(…)': disables,
  'JobOperateAPI.shutdown(…)': shutsDown,
  'JobOperateAPI.remove(…)': async (row) => {
    await isThere(row);
    await using cluster = await clusterOf(['A', 'B']);

    await shutDown(cluster, 'A');
    await operate(cluster, (paths) => cluster.operator.remove(paths.server(cluster.ipOf('A'))));
    await cluster.advance('2s');

    expect(cluster.owners).toEqual({ B: [0, 1] });
    expect([...cluster.view.servers.keys()]).toEqual([cluster.ipOf('B')]);
  },
  'JobOperateAPI.dump(…)': async () => {
    await using cluster = await clusterOf(['A']);
    const service = new SnapshotService(cluster.operator, { port: 0 });
    await service.listen();
    try {
      const dump = await SnapshotService.dumpJob('127.0.0.1', service.port ?? NaN, cluster.paths.jobName);

      expect(dump).toMatch(/\n\/\w+\/sharding\/0\/instance \| ip1@-@/);
    } finally {
      await service.close();
    }
  },
  'ShardingOperateAPI.disable(…)': disablesItem,
  'ShardingOperateAPI.enable(…)': disablesItem,
};
