import { describe, expect, test } from '@jest/globals';
import { sharedZooKeeper } from '../support/shared-zookeeper.js';
import { fire, settings, sharedJob, untilReassigned } from './support/triggered-job.js';
import { MixedCluster } from './support/mixed-cluster.js';

const zooKeeper = sharedZooKeeper();

describe('Java and Node instances', () => {
  test('share several jobs in one namespace, which do not disturb each other', async () => {
    await using cluster = await openCluster();
    const one = await cluster.with({ ...settings(), cron: '0/2 * * * * ?' }, 'J1', 'N1');
    const other = await cluster.with({ ...settings(), cron: '0/2 * * * * ?', shardingTotalCount: 3 }, 'N1', 'J1');
    for (const job of [one, other]) await job.untilSharedBy('J1', 'N1');

    await one.operate('disable', one.job.jobName, one.peer('J1').ip);
    await one.untilSharedBy('N1');
    const firings = await one.firings(2);

    expect(one.misdeeds(firings)).toEqual([]);
    expect(other.misdeeds(firings)).toEqual([]);
    expect(Object.keys(one.ran(firings.from))).toEqual(['N1']);
    expect(Object.keys(other.ran(firings.from)).sort()).toEqual(['J1', 'N1']);
    for (const job of [one, other]) expect(await job.leftOver()).toEqual([]);
  });

  test('share jobs of one name in two namespaces, which do not know of each other', async () => {
    await using one = await openCluster();
    await using other = await openCluster();
    const jobs = [
      await sharedJob(one, ['J1', 'N1'], { jobName: 'job' }),
      await sharedJob(other, ['J1', 'N1'], { jobName: 'job', shardingTotalCount: 3 }),
    ] as const;
    const before = jobs[1].runs().length;

    await fire(jobs[0]);
    await jobs[0].operate('remove', 'job', null);

    expect(jobs[1].runs().length).toBe(before);
    expect(Object.keys(await fire(jobs[1])).sort()).toEqual(['J1', 'N1']);
  });

  test.each(['täglicher Bericht', '日報', "it's – {really} so & more; ok"])(
    'share a job with the name %s',
    async (jobName) => {
      await using cluster = await openCluster();
      const job = await sharedJob(cluster, ['J1', 'N1'], { jobName });
      await job.operate('disable', jobName, job.peer('J1').ip);
      await job.operate('enable', jobName, job.peer('J1').ip);

      expect(Object.keys(await fire(job)).sort()).toEqual(['J1', 'N1']);
      expect(await job.operate('configuration', jobName)).toMatchObject({ jobName });
    },
  );

  test('share 1,000 items', async () => {
    await using cluster = await openCluster();
    await using job = await cluster.with({ ...settings(), shardingTotalCount: 1_000 }, 'N1', 'J1');
    await untilReassigned(
      job,
      async () => (await job.reader.value(`/${job.job.jobName}/sharding/999/instance`)) !== undefined,
    );

    const ran = await fire(job);

    expect(Object.values(ran).map(({ length }) => length)).toEqual([500, 500]);
  });
});

async function openCluster(): Promise<MixedCluster> {
  const cluster = await MixedCluster.open(zooKeeper.servers, zooKeeper.namespace());
  await Promise.all(['J1', 'N1'].map((name) => cluster.start(name, { job: false })));
  return cluster;
}
