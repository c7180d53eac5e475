/** Operations on a ZooKeeper whose nodes have access rules. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type OperationRecord } from '../../../lib/api/events/operation-record.js';
import { toYaml } from '../../../lib/layout/job-configuration-yaml.js';
import { instanceYaml, jobInstanceOn } from '../../../lib/layout/job-instance.js';
import { DoctorAPI } from '../../../lib/operations/doctor-api.js';
import { JobConfigurationAPI } from '../../../lib/operations/job-configuration-api.js';
import { JobOperateAPI } from '../../../lib/operations/job-operate-api.js';
import { JobStatisticsAPI } from '../../../lib/operations/job-statistics-api.js';
import { ServerStatisticsAPI } from '../../../lib/operations/server-statistics-api.js';
import { ShardingOperateAPI } from '../../../lib/operations/sharding-operate-api.js';
import { ShardingStatisticsAPI } from '../../../lib/operations/sharding-statistics-api.js';
import { ZookeeperRegistryCenter } from '../../../lib/registry/zookeeper/zookeeper-registry-center.js';
import { AccessGuard, ALL, CREATE, READ } from '../../support/access-rules.js';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { aConfiguration } from '../../support/views.js';

const zooKeeper = sharedZooKeeper();
const DIGEST = 'app:right';
const instance = jobInstanceOn('10.0.0.1', '1-a');

let namespace: string;
let owner: ZookeeperRegistryCenter;
let guard: AccessGuard;

const centre = (digest?: string) =>
  new ZookeeperRegistryCenter({ serverLists: zooKeeper.servers, namespace, ...(digest !== undefined && { digest }) });

/** Lets everyone read a node of the namespace, or do more, besides its owner. */
const open = (path: string, permissions: number) => guard.open(owner.fullPath(path), permissions);

async function nodesOf(registry: ZookeeperRegistryCenter) {
  const mirror = await registry.mirror('/bill');
  const nodes = new Map([...mirror.nodes].map(([path, { value, version }]) => [path, { value, version }]));
  mirror.close();
  return nodes;
}

beforeAll(async () => {
  guard = await AccessGuard.connect(zooKeeper.servers, DIGEST);
});
afterAll(() => guard.close());

beforeEach(async () => {
  namespace = zooKeeper.namespace();
  owner = centre(DIGEST);
  owner.connect();
  await owner.put('/bill/config', toYaml(aConfiguration()));
  for (const ip of ['10.0.0.1', '10.0.0.2']) await owner.put(`/bill/servers/${ip}`, 'ENABLED');
  await owner.create(`/bill/instances/${instance.jobInstanceId}`, instanceYaml(instance));
  await owner.put('/bill/sharding/0/instance', instance.jobInstanceId);
});

afterEach(() => owner.close());

test('an operator who may only read sees everything, is refused every change, and leaves nothing half-written', async () => {
  for (const path of ['/', ...(await nodesOf(owner)).keys()]) await open(path, READ);
  // One of the two servers may be written by everyone.
  await open('/bill/servers/10.0.0.1', ALL);
  const before = await nodesOf(owner);
  const reader = centre();
  reader.connect();
  const records: OperationRecord[] = [];
  const options = { listeners: [{ onOperation: (each: OperationRecord) => void records.push(each) }] };
  const configurations = new JobConfigurationAPI(reader, options);
  const jobs = new JobOperateAPI(reader, options);
  const items = new ShardingOperateAPI(reader, options);

  expect(await new JobStatisticsAPI(reader).getAllJobsBriefInfo()).toMatchObject([{ jobName: 'bill', status: 'OK' }]);
  expect(await new ShardingStatisticsAPI(reader).getShardingInfo('bill')).toMatchObject([{ status: 'PENDING' }]);
  const configuration = await configurations.getJobConfiguration('bill');
  for (const change of [
    () => configurations.updateJobConfiguration({ ...configuration, jobParameter: 'theirs' }),
    () => configurations.removeJobConfiguration('bill', { living: true }),
    () => jobs.trigger('bill'),
    () => jobs.disable({ jobName: 'bill' }),
    () => jobs.disable({ serverIp: '10.0.0.2' }),
    () => jobs.shutdown({ jobName: 'bill' }),
    () => jobs.remove({ jobName: 'bill' }),
    () => jobs.pruneServers(),
    () => items.disable('bill', 0),
  ])
    await expect(change()).rejects.toMatchObject({
      code: 'REGISTRY_CREDENTIALS',
      message: expect.stringContaining('as the node belongs to other credentials') as unknown,
    });

  expect(await nodesOf(owner)).toEqual(before);
  expect(records.map(({ outcome, after }) => [outcome, after])).toEqual(Array(9).fill(['failed', {}]));
  await reader.close();
});

test('what an operator with the credentials of the namespace writes belongs to them', async () => {
  const jobs = new JobOperateAPI(owner);
  await jobs.disable({ jobName: 'bill', serverIp: '10.0.0.9', unknownServer: true });
  await new ShardingOperateAPI(owner).disable('bill', 1);
  await jobs.trigger('bill', { acceptTimeoutMs: 1 });
  const written = ['/servers/10.0.0.9', '/sharding/1', '/sharding/1/disabled', `/trigger/${instance.jobInstanceId}`];
  // The namespace itself may be read, so that a stranger gets as far as the nodes.
  await open('/', READ);
  const stranger = centre();
  stranger.connect();

  for (const path of written) {
    expect(await owner.get(`/bill${path}`)).toBeDefined();
    await expect(stranger.get(`/bill${path}`)).rejects.toMatchObject({ code: 'REGISTRY_CREDENTIALS' });
  }
  await stranger.close();
});

test('a job that belongs to other credentials is examined by nobody else, and hides no other job', async () => {
  // The namespace itself may be read, so that a stranger gets as far as the nodes.
  await open('/', READ + CREATE);
  const stranger = centre();
  stranger.connect();
  await stranger.put('/open/config', toYaml(aConfiguration({ jobName: 'open' })));

  const { jobs, findings } = await new DoctorAPI(stranger).examine({ settleMs: 0 });

  expect(jobs).toBe(2);
  expect(findings).toMatchObject([
    {
      ...{ type: 'hidden-job', severity: 'warning', jobName: 'bill' },
      sentence: expect.stringContaining('as the node belongs to other credentials') as unknown,
    },
    { type: 'no-instance', jobName: 'open' },
  ]);
  await stranger.close();
});

test('nodes that anyone may change are reported if a digest is configured, those that anyone may only read are not', async () => {
  const anyones = '/bill/servers/10.0.0.1';
  await open('/bill/config', READ);
  await open(anyones, ALL);

  const guarded = await new DoctorAPI(owner).examine({ settleMs: 0 });

  expect(guarded.findings.filter(({ type }) => type === 'open-nodes')).toMatchObject([
    {
      severity: 'warning',
      subject: '1 node',
      sentence: `Anyone may change ${owner.fullPath(anyones)}, although a digest is configured here.`,
    },
  ]);
});

test('a job that belongs to other credentials concerns its own row of lists alone', async () => {
  await open('/', READ + CREATE);
  const stranger = centre();
  stranger.connect();
  for (const jobName of ['alpha', 'omega']) {
    await stranger.put(`/${jobName}/config`, toYaml(aConfiguration({ jobName })));
    await stranger.put(`/${jobName}/servers/10.0.0.1`, 'ENABLED');
  }
  const statistics = new JobStatisticsAPI(stranger);

  expect(await statistics.getAllJobsBriefInfo()).toMatchObject([
    { jobName: 'alpha', status: 'CRASHED' },
    {
      jobName: 'bill',
      status: 'HIDDEN',
      configurationProblem: expect.stringContaining('other credentials') as unknown,
    },
    { jobName: 'omega', status: 'CRASHED' },
  ]);
  expect(await statistics.getJobsTotalCount()).toBe(3);
  expect((await statistics.getJobsBriefInfo('10.0.0.1')).map(({ jobName }) => jobName)).toEqual(['alpha', 'omega']);
  expect(await new ServerStatisticsAPI(stranger).getAllServersBriefInfo()).toMatchObject([{ jobsNum: 2 }]);
  expect(await new JobOperateAPI(stranger).disable({ serverIp: '10.0.0.1' })).toHaveLength(2);
  await stranger.close();
});
