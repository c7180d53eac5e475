/** This library's operations, and their effect on Java instances. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DoctorAPI } from '../../../lib/operations/doctor-api.js';
import { ExplanationAPI } from '../../../lib/operations/explanation-api.js';
import { JobConfigurationAPI } from '../../../lib/operations/job-configuration-api.js';
import { JobOperateAPI } from '../../../lib/operations/job-operate-api.js';
import { JobStatisticsAPI } from '../../../lib/operations/job-statistics-api.js';
import { ShardingOperateAPI } from '../../../lib/operations/sharding-operate-api.js';
import { ZookeeperRegistryCenter } from '../../../lib/registry/zookeeper/zookeeper-registry-center.js';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { until } from '../../support/until.js';
import { MixedCluster } from './support/mixed-cluster.js';
import {
  areOver,
  fire,
  fireAndBlock,
  release,
  sharedJob,
  untilSharedAnew,
  untilTaken,
} from './support/triggered-job.js';

const zooKeeper = sharedZooKeeper();

let cluster: MixedCluster;
let registry: ZookeeperRegistryCenter;

beforeAll(async () => {
  cluster = await MixedCluster.open(zooKeeper.servers, zooKeeper.namespace());
  for (const name of ['J1', 'J2', 'N1']) await cluster.start(name, { job: false });
  registry = new ZookeeperRegistryCenter({ serverLists: zooKeeper.servers, namespace: cluster.namespace });
  registry.connect();
  await until(() => registry.session.state.phase === 'connected');
});
afterAll(async () => {
  await registry.close();
  await cluster[Symbol.asyncDispose]();
});

const instancesOf = async (job: MixedCluster): Promise<readonly string[]> =>
  (await job.nodes(/^instances\/./)).map(({ path }) => job.nameOf(path.split('/')[1]!)).sort();

test.each([['J1'], ['N1']])(
  'a single item is run again by its Node owner alone, and refused at Java; %s leads',
  async (leader) => {
    await using job = await sharedJob(cluster, leader === 'J1' ? ['J1', 'N1'] : ['N1', 'J1']);
    const owners = await job.owners();
    const jobs = new JobOperateAPI(registry);
    const { jobName } = job.job;
    const since = Date.now();

    await expect(jobs.trigger(jobName, { items: [owners['J1']![0]!] })).rejects.toThrow('belongs to the Java instance');
    const item = owners['N1']![0]!;
    const triggered = await jobs.trigger(jobName, { items: [item] });
    await triggered.ended({ timeoutMs: 20_000 });

    expect(triggered.instances).toMatchObject([{ answer: 'taken', willRun: true }]);
    await job.untilRan('the item', (runs) => areOver(runs, 1), since);
    expect(job.ran(since)).toEqual({ N1: [item] });
  },
);

describe.each([
  ['Java alone', ['J1', 'J2']],
  ['both kinds that Java leads', ['J1', 'N1']],
  ['both kinds that Node leads', ['N1', 'J1']],
] as const)('On a job of %s,', (_, members) => {
  const all = [...members].sort();
  const [first, second] = members;

  test('a trigger runs each item once, and says that all instances have taken it', async () => {
    await using job = await sharedJob(cluster, members);
    const since = Date.now();

    const triggered = await new JobOperateAPI(registry).trigger(job.job.jobName);
    await triggered.ended({ timeoutMs: 20_000 });

    expect(triggered.instances.map(({ answer }) => answer)).toEqual(['taken', 'taken']);
    await job.untilRan('all items', (runs) => areOver(runs, 4), since);
    expect(job.ran(since)).toEqual(await job.owners());
  });

  test('a trigger of busy instances says so; those of Java will not run for it', async () => {
    await using job = await sharedJob(cluster, members);
    const owners = await job.owners();
    const since = Date.now();
    await fireAndBlock(job, members);

    const triggered = await new JobOperateAPI(registry).trigger(job.job.jobName);
    await release(job, members);

    const said = triggered.instances.map(({ instanceId, answer, willRun }) => [
      job.nameOf(instanceId),
      answer,
      willRun,
    ]);
    expect(said.sort()).toEqual(all.map((name) => [name, 'busy', name.startsWith('N')]));
    const again = all.filter((name) => name.startsWith('N')).flatMap((name) => owners[name]!).length;
    await job.untilRan('what is run again', (runs) => areOver(runs, 4 + again), since);
  });

  test('a job parameter for one run alone is refused, as Java instances would not be given it', async () => {
    await using job = await sharedJob(cluster, members);

    await expect(
      new JobOperateAPI(registry).trigger(job.job.jobName, { jobParameter: 'only Beijing' }),
    ).rejects.toThrow('take part, and would run without the jobParameter');
  });

  test('all servers are disabled and enabled: nothing runs in between, and the explanation says why', async () => {
    await using job = await sharedJob(cluster, members);
    const { jobName } = job.job;
    const operate = new JobOperateAPI(registry);
    const since = Date.now();

    await operate.disable({ jobName });
    await operate.trigger(jobName);
    await until(async () => (await job.leader()) === undefined, 'the leader to abdicate');
    expect((await new JobStatisticsAPI(registry).getJobBriefInfo(jobName)).status).toBe('DISABLED');
    expect((await new ExplanationAPI(registry).explain(jobName)).reason.type).toBe('servers-disabled');
    expect(job.ran(since)).toEqual({});

    await operate.enable({ jobName });
    await until(async () => (await job.leader()) !== undefined, 'a leader to be elected');
    await untilSharedAnew(job, members);
    expect(Object.keys(await fire(job)).sort()).toEqual(all);
  });

  test('one server is disabled: the other runs everything', async () => {
    await using job = await sharedJob(cluster, members);
    // If Java leads and Java comes after it, the request to assign the items again may be lost with the leader.
    const [disabled, other] = second.startsWith('J') && first.startsWith('J') ? [second, first] : [first, second];

    await new JobOperateAPI(registry).disable({ jobName: job.job.jobName, serverIp: job.peer(disabled).ip });
    await untilTaken(job, [other]);

    expect(await fire(job)).toEqual({ [other]: [0, 1, 2, 3] });
  });

  test('an item is disabled and enabled: it is left out in between', async () => {
    await using job = await sharedJob(cluster, members);
    const { jobName } = job.job;
    const items = new ShardingOperateAPI(registry);

    await items.disable(jobName, 3);
    await fire(job, [0, 1, 2]);
    expect((await new ExplanationAPI(registry).explain(jobName, 3)).reason.type).toBe('item-disabled');
    await items.enable(jobName, 3);

    expect(await fire(job)).toEqual(await job.owners());
  });

  test('an instance is shut down, and a server removed: the other runs everything', async () => {
    for (const operation of ['shutdown', 'remove'] as const) {
      await using job = await sharedJob(cluster, members);
      const { jobName } = job.job;

      // Not the leader's: a Java instance that comes to lead may lose the request to assign the items again.
      await new JobOperateAPI(registry)[operation]({ jobName, serverIp: job.peer(second).ip });
      await untilTaken(job, [first]);

      expect(await fire(job)).toEqual({ [first]: [0, 1, 2, 3] });
      expect(await instancesOf(job)).toEqual([first]);
      expect((await job.nodes(/^servers\/./)).length).toBe(operation === 'remove' ? 1 : 2);
    }
  });

  test('settings are changed, and changed back: all instances go by them', async () => {
    await using job = await sharedJob(cluster, members);
    const { jobName } = job.job;
    const configurations = new JobConfigurationAPI(registry);
    const configuration = await configurations.getJobConfiguration(jobName);

    const changes = { cron: '0/2 * * * * ?', jobParameter: 'changed' };
    const { version } = await configurations.updateJobConfiguration({ ...configuration, ...changes });
    const since = Date.now() + 1_000;

    await job.untilRan('two firings of all items', (runs) => areOver(runs, 8), since);
    expect(Object.keys(job.ran(since)).sort()).toEqual(all);
    await configurations.updateJobConfiguration({ ...configuration, version });
    expect((await configurations.getJobConfiguration(jobName)).cron).toBe(configuration.cron);
  });

  test('the job is removed: nothing of it is left, and no instance runs it', async () => {
    await using job = await sharedJob(cluster, members);
    const { jobName } = job.job;

    const removed = await new JobConfigurationAPI(registry).removeJobConfiguration(jobName, { living: true });

    expect(removed.instances.map((id) => job.nameOf(id)).sort()).toEqual(all);
    expect(await registry.children('/')).not.toContain(jobName);
    expect((await new ExplanationAPI(registry).explain(jobName)).reason.type).toBe('unknown-job');
  });

  test('an examination finds nothing but that both kinds run it together', async () => {
    await using job = await sharedJob(cluster, members);

    const { findings } = await new DoctorAPI(registry).examine({ jobName: job.job.jobName, settleMs: 500 });

    const isMixed = members.some((name) => name.startsWith('N'));
    expect(findings.map(({ type }) => type)).toEqual(isMixed ? ['mixed-versions'] : []);
  });
});
