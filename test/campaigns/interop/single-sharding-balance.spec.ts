import { describe, expect, test } from '@jest/globals';
import { until } from '../../support/until.js';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { JAVA_VERSIONS } from './support/java.js';
import { MixedCluster } from './support/mixed-cluster.js';

const zooKeeper = sharedZooKeeper();

/** One item that stays with who has it first. */
const JOB = { shardingTotalCount: 1, jobShardingStrategyType: 'SINGLE_SHARDING_BALANCE', staticSharding: true };

describe.each(JAVA_VERSIONS)('a job of one item with SINGLE_SHARDING_BALANCE, beside Java %s', (version) => {
  if (version < '3.0.5')
    test('is not assigned by a Java leader, which does not know this strategy', async () => {
      await using cluster = await MixedCluster.open(zooKeeper.servers, zooKeeper.namespace(), { job: JOB });
      const java = await cluster.start('J1', { version });
      await cluster.start('N1');

      await until(() => java.process.output.includes('Cannot find sharding strategy'), 'Java to refuse', 10_000);
      expect(await cluster.owners()).toEqual({});

      await java.close();
      await cluster.untilSharedBy('N1');
    });
  else
    test('runs at each firing, though Java hands it over to a Node instance that does not own it', async () => {
      await using cluster = await MixedCluster.open(zooKeeper.servers, zooKeeper.namespace(), { job: JOB });
      await cluster.start('J1', { version });
      await cluster.untilSharedBy('J1');
      await cluster.start('N1');

      expect(cluster.misdeeds(await cluster.firings(4))).toEqual([]);
    });
});
