import { describe, expect, test } from '@jest/globals';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { fire, sharedJob } from './support/triggered-job.js';
import { JAVA_VERSIONS } from './support/java.js';
import { MixedCluster } from './support/mixed-cluster.js';

const zooKeeper = sharedZooKeeper();
const UPGRADE = ['3.0.4', '3.0.5'] as const;

/** The setting that was renamed in 3.0.5: neither side knows the other's key. */
const POOL_KEYS = { '3.0.4': 'jobExecutorServiceHandlerType', '3.0.5': 'jobExecutorThreadPoolSizeProviderType' };
const foreignKey = JAVA_VERSIONS[0] === '3.0.4' ? POOL_KEYS['3.0.5'] : POOL_KEYS['3.0.4'];

describe('A configuration with a key that the Java instances of a job do not know', () => {
  test.each([`${foreignKey}: CPU`, 'soon: maybe'])('stops their firings, and Node goes on: %s', async (line) => {
    await using cluster = await MixedCluster.open(zooKeeper.servers, zooKeeper.namespace());
    for (const name of ['J1', 'N1']) await cluster.start(name, { job: false });
    const job = await sharedJob(cluster, ['N1', 'J1']);
    const path = `/${job.job.jobName}/config`;
    const before = (await job.reader.value(path))!;
    const owners = await job.owners();

    await job.reader.write(path, `${line}\n${before}`);
    expect(await fire(job, owners['N1'])).toEqual({ N1: owners['N1'] });
    await expect(
      cluster
        .with({ ...job.job, jobName: 'other' }, 'J1')
        .then((other) => other.operate('configuration', job.job.jobName)),
    ).rejects.toThrow('Unable to find property');
    expect(await job.reader.value(path)).toBe(`${line}\n${before}`);
    await job.reader.write(path, before);

    expect(await fire(job)).toEqual(owners);
  });
});

// `npm run test:interop` says at its end that these are left out.
if (UPGRADE.every((version) => JAVA_VERSIONS.includes(version))) {
  describe('While Java instances are upgraded from 3.0.4 to 3.0.5 one by one', () => {
    test('every firing runs every item once', async () => {
      await using cluster = await MixedCluster.open(zooKeeper.servers, zooKeeper.namespace(), {
        // Java would make up for a late firing during its start after its next firing.
        job: { shardingTotalCount: 6, misfire: false },
      });
      for (const name of ['J1', 'J2']) await cluster.start(name, { version: '3.0.4' });
      await cluster.start('N1');
      await cluster.untilSharedBy('J1', 'J2', 'N1');
      const { from } = await cluster.firings(1);

      for (const name of ['J1', 'J2']) {
        await cluster.betweenFirings();
        await cluster.peer(name).stop();
        await cluster.peer(name).close();
        await cluster.start(name, { version: '3.0.5', job: false });
        // A Java instance gets items as soon as it is registered, and fires only from a little later on.
        await cluster.betweenFirings();
        await cluster.peer(name).begin(cluster.job);
        await cluster.untilSharedBy('J1', 'J2', 'N1');
      }
      const { to } = await cluster.firings(2);

      expect({ misdeeds: cluster.misdeeds({ from, to }), story: cluster.story(from) }).toMatchObject({ misdeeds: [] });
      expect(await cluster.leftOver()).toEqual([]);
    });

    test('a job that Node has stored is read by both', async () => {
      await using cluster = await MixedCluster.open(zooKeeper.servers, zooKeeper.namespace());
      await cluster.start('N1', { job: false });
      await cluster.start('J1', { job: false, version: '3.0.4' });
      await cluster.start('J2', { job: false, version: '3.0.5' });

      const job = await sharedJob(cluster, ['N1', 'J1', 'J2'], { shardingTotalCount: 6, overwrite: true });

      expect(Object.keys(await fire(job)).sort()).toEqual(['J1', 'J2', 'N1']);
    });
  });
}
