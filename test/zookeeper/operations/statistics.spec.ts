/** The statistics of the same trees, in the embedded registry and in ZooKeeper. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { toYaml } from '../../../lib/layout/job-configuration-yaml.js';
import { instanceYaml, jobInstanceOn } from '../../../lib/layout/job-instance.js';
import { JobPaths } from '../../../lib/layout/job-paths.js';
import { JobStatisticsAPI } from '../../../lib/operations/job-statistics-api.js';
import { ServerStatisticsAPI } from '../../../lib/operations/server-statistics-api.js';
import { ShardingStatisticsAPI } from '../../../lib/operations/sharding-statistics-api.js';
import { EmbeddedRegistryCenter } from '../../../lib/registry/embedded/embedded-registry-center.js';
import { type RegistryCenter } from '../../../lib/registry/registry-center.js';
import { ZookeeperRegistryCenter } from '../../../lib/registry/zookeeper/zookeeper-registry-center.js';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { until } from '../../support/until.js';
import { aConfiguration } from '../../support/views.js';

const zooKeeper = sharedZooKeeper();
const [one, two] = [jobInstanceOn('10.0.0.1', '1-a'), jobInstanceOn('10.0.0.2', '2-b')];
const instances = { one, two };

/** A job with servers by ip and values by path below the job. */
interface StoredJob {
  readonly servers?: Readonly<Record<string, string>>;
  readonly instances?: readonly (keyof typeof instances)[];
  readonly owners?: readonly string[];
  readonly nodes?: Readonly<Record<string, string>>;
  readonly config?: string;
}

const config = (jobName: string): string =>
  toYaml(aConfiguration({ jobName, cron: '0/5 * * * * ?', description: `The job ${jobName}` }));

const both = { '10.0.0.1': 'ENABLED', '10.0.0.2': 'DISABLED' };
const JOBS: Readonly<Record<string, StoredJob>> = {
  well: { servers: both, instances: ['one', 'two'], owners: [one.jobInstanceId, two.jobInstanceId] },
  disabled: { servers: { '10.0.0.1': 'DISABLED' }, instances: ['one'], owners: [one.jobInstanceId] },
  crashed: { servers: both, owners: [one.jobInstanceId] },
  orphaned: {
    servers: { '10.0.0.1': 'ENABLED' },
    instances: ['one'],
    owners: [one.jobInstanceId, two.jobInstanceId, one.jobInstanceId, one.jobInstanceId, one.jobInstanceId],
    nodes: {
      'sharding/2/running': one.jobInstanceId,
      'sharding/3/disabled': '',
      'sharding/4/failover': two.jobInstanceId,
    },
  },
  unreadable: { config: 'jobName: [', servers: { '10.0.0.1': 'disabled' }, instances: ['one', 'two'] },
  bare: { config: '', servers: { '10.0.0.3': 'ENABLED' } },
};

async function store(registry: RegistryCenter): Promise<void> {
  for (const [jobName, job] of Object.entries(JOBS)) {
    const paths = new JobPaths(jobName);
    await registry.put(paths.root, 'TheJob');
    const text = job.config ?? config(jobName);
    if (text !== '') await registry.put(paths.config, text);
    for (const [ip, status] of Object.entries(job.servers ?? {})) await registry.put(paths.server(ip), status);
    for (const each of (job.instances ?? []).map((name) => instances[name]))
      await registry.create(paths.instance(each.jobInstanceId), instanceYaml(each), 'session');
    for (const [item, owner] of (job.owners ?? []).entries()) await registry.put(paths.item(item, 'instance'), owner);
    for (const [path, value] of Object.entries(job.nodes ?? {})) await registry.put(`${paths.root}/${path}`, value);
  }
}

describe.each([
  ['the embedded registry', () => new EmbeddedRegistryCenter({ namespace: zooKeeper.namespace() })],
  [
    'ZooKeeper',
    () => new ZookeeperRegistryCenter({ serverLists: zooKeeper.servers, namespace: zooKeeper.namespace() }),
  ],
])('On %s,', (_, open) => {
  let registry: RegistryCenter;

  beforeAll(async () => {
    registry = open();
    registry.connect();
    await until(() => registry.session.state.phase === 'connected');
    await store(registry);
  });
  afterAll(() => registry.close());

  test('all jobs with a configuration are listed by name; an unreadable one and dead owners concern their row alone', async () => {
    const jobs = await new JobStatisticsAPI(registry).getAllJobsBriefInfo();

    const settings = (jobName: string) => ({
      description: `The job ${jobName}`,
      cron: '0/5 * * * * ?',
      shardingTotalCount: 2,
    });
    expect(jobs).toEqual([
      { jobName: 'crashed', status: 'CRASHED', instanceCount: 0, ...settings('crashed') },
      { jobName: 'disabled', status: 'DISABLED', instanceCount: 1, ...settings('disabled') },
      { jobName: 'orphaned', status: 'SHARDING_FLAG', instanceCount: 1, ...settings('orphaned') },
      {
        jobName: 'unreadable',
        status: 'DISABLED',
        instanceCount: 2,
        description: undefined,
        cron: undefined,
        shardingTotalCount: 0,
        configurationProblem: expect.stringContaining('/unreadable/config') as unknown,
      },
      { jobName: 'well', status: 'OK', instanceCount: 2, ...settings('well') },
    ]);
    expect(await new JobStatisticsAPI(registry).getJobsTotalCount()).toBe(6);
  });

  test('a configuration that has changed since the last list is read again, whichever job had the path before', async () => {
    const api = new JobStatisticsAPI(registry);
    const descriptions = async () => (await api.getAllJobsBriefInfo()).map(({ description }) => description);
    const before = await descriptions();
    await registry.put('/well/config', toYaml(aConfiguration({ jobName: 'well', description: 'another' })));

    expect(await descriptions()).toEqual([...before.slice(0, -1), 'another']);

    await registry.remove('/well/config');
    expect(await descriptions()).toEqual(before.slice(0, -1));
    await registry.put('/well/config', config('well'));
    expect(await descriptions()).toEqual(before);
  });

  test('one job is shown as in the list', async () => {
    const api = new JobStatisticsAPI(registry);
    const all = await api.getAllJobsBriefInfo();

    expect(await Promise.all(all.map(({ jobName }) => api.getJobBriefInfo(jobName)))).toEqual(all);
    await expect(api.getJobBriefInfo('wel')).rejects.toThrow("did you mean 'well'?");
  });

  test('the jobs of a server are OK or DISABLED there', async () => {
    const jobs = await new JobStatisticsAPI(registry).getJobsBriefInfo('10.0.0.1');

    expect(jobs.map(({ jobName, status, instanceCount }) => [jobName, status, instanceCount])).toEqual([
      ['crashed', 'OK', 0],
      ['disabled', 'DISABLED', 1],
      ['orphaned', 'OK', 1],
      ['unreadable', 'DISABLED', 1],
      ['well', 'OK', 1],
    ]);
    expect(jobs[0]).toMatchObject({ description: undefined, cron: undefined, shardingTotalCount: 0 });
  });

  test('servers are listed with their instances and jobs; instances on servers without a node are left out', async () => {
    const api = new ServerStatisticsAPI(registry);

    expect(await api.getServersTotalCount()).toBe(3);
    expect(await api.getAllServersBriefInfo()).toEqual([
      {
        serverIp: '10.0.0.1',
        instances: new Set([one.jobInstanceId]),
        jobNames: new Set(['crashed', 'disabled', 'orphaned', 'unreadable', 'well']),
        instancesNum: 1,
        jobsNum: 5,
        disabledJobsNum: 2,
      },
      {
        serverIp: '10.0.0.2',
        instances: new Set([two.jobInstanceId]),
        jobNames: new Set(['crashed', 'well']),
        instancesNum: 1,
        jobsNum: 2,
        disabledJobsNum: 2,
      },
      {
        serverIp: '10.0.0.3',
        instances: new Set(),
        jobNames: new Set(['bare']),
        instancesNum: 0,
        jobsNum: 1,
        disabledJobsNum: 0,
      },
    ]);
  });

  test('the items of a job are listed, those of a dead owner with its id and ip', async () => {
    const items = await new ShardingStatisticsAPI(registry).getShardingInfo('orphaned');

    const ofOne = { serverIp: '10.0.0.1', instanceId: one.jobInstanceId, failover: false };
    expect(items).toEqual([
      { item: 0, status: 'PENDING', ...ofOne },
      { item: 1, status: 'SHARDING_FLAG', ...ofOne, serverIp: '10.0.0.2', instanceId: two.jobInstanceId },
      { item: 2, status: 'RUNNING', ...ofOne },
      { item: 3, status: 'DISABLED', ...ofOne },
      { item: 4, status: 'PENDING', ...ofOne, failover: true },
    ]);
  });
});
