/**
 * Assumptions of the product about Java that come from reading its source, proved by experiment. None of our instances
 * takes part here, unless the name says so.
 */
import { describe, expect, test } from '@jest/globals';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { until } from '../../support/until.js';
import { MixedCluster } from './support/mixed-cluster.js';
import { untilStill } from './support/until-still.js';

const zooKeeper = sharedZooKeeper();

describe('a Java instance', () => {
  test('that reconnects enables its server anew, if its node was removed meanwhile', async () => {
    await using cluster = await MixedCluster.open(zooKeeper.servers, zooKeeper.namespace());
    await using proxy = await TcpProxy.start(zooKeeper.servers);
    const java = await cluster.start('J1', { servers: proxy.address });
    await cluster.untilSharedBy('J1');

    proxy.refuse();
    proxy.cut();
    await cluster.reader.remove(`/job/servers/${java.ip}`);
    proxy.heal();

    const status = (): Promise<string | undefined> => cluster.reader.value(`/job/servers/${java.ip}`);
    await until(async () => (await status()) !== undefined, 'the server to be there again', 20_000);
    // It writes the former value of its cache; with a current cache, it would be DISABLED.
    expect(await status()).toBe('ENABLED');
  });

  test('that is triggered between its construction and its scheduling never fires by its cron expression', async () => {
    await using cluster = await MixedCluster.open(zooKeeper.servers, zooKeeper.namespace());
    const java = await cluster.start('J1', { job: false });
    await java.process.ask('prepare', cluster.job);
    await cluster.operate('trigger', 'job');
    await cluster.untilRan('the triggered run', (runs) => runs.length === 4);

    await java.process.ask('schedule', 'job');
    await cluster.firings(2);

    expect(cluster.runs()).toHaveLength(4);
  });
});

describe('when an operator disables the server of a Java leader', () => {
  const jobNames = Array.from({ length: 12 }, (_, index) => `job-${index}`);
  const cron = '0/2 * * * * ?';

  /**
   * Makes J1 lead all jobs beside another instance, disables its server, and returns the owners of the items two
   * firings later.
   */
  async function ownersAfterwards(other: 'J2' | 'N1'): Promise<readonly string[]> {
    await using cluster = await MixedCluster.open(zooKeeper.servers, zooKeeper.namespace());
    const java = await cluster.start('J1', { job: false });
    const peer = await cluster.start(other, { job: false });
    for (const instance of [java, peer])
      for (const jobName of jobNames) await instance.process.ask('start', { ...cluster.job, jobName, cron });
    const owners = async (): Promise<string[]> =>
      Promise.all(
        jobNames.map(async (jobName) => {
          const items = (await cluster.reader.read(`/${jobName}/sharding`)).filter(({ path }) =>
            path.endsWith('/instance'),
          );
          return [...new Set(items.map(({ value }) => cluster.nameOf(value)))].sort().join();
        }),
      );
    const shared = ['J1', other].join();
    await cluster.firings(2);
    let current = await owners();
    // The request with which the peer joins may get lost, too: then the operator makes another one, after each firing.
    for (let firings = 0; firings < 10; firings++) {
      const unshared = jobNames.filter((_, index) => current[index] !== shared);
      if (unshared.length === 0) break;
      for (const jobName of unshared) await cluster.operate('enable', jobName, peer.ip);
      await cluster.firings(2);
      current = await owners();
    }
    expect(new Set(current)).toEqual(new Set([shared]));

    await cluster.operate('disable', null, java.ip);
    await cluster.firings(3);
    // A Java leader that assigns items removes their owners first and stores the new ones afterwards.
    return await untilStill(owners);
  }

  test('its items move to a Java follower, or the request for that is lost and they rest', async () => {
    const owners = await ownersAfterwards('J2');
    console.log(
      `Of ${owners.length} jobs, ${owners.filter((each) => each === 'J1,J2').length} were not assigned anew.`,
    );
    expect(owners.filter((each) => each !== 'J2' && each !== 'J1,J2')).toEqual([]);
  });

  test('its items always move to a follower of ours', async () => {
    expect(new Set(await ownersAfterwards('N1'))).toEqual(new Set(['N1']));
  });
});
