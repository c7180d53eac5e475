import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sharedZooKeeper } from '../support/shared-zookeeper.js';
import { areOver, itemsOf, numbersOf, settings, untilReady } from './support/triggered-job.js';
import { MixedCluster } from './support/mixed-cluster.js';

const zooKeeper = sharedZooKeeper();

describe('A one-off job that Java and Node share', () => {
  let cluster: MixedCluster;
  beforeAll(async () => {
    cluster = await MixedCluster.open(zooKeeper.servers, zooKeeper.namespace());
    for (const name of ['J1', 'N1', 'N2']) await cluster.start(name, { job: false });
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  /** Lets an instance execute the job; returns what was run, by whom. */
  async function executedBy(job: MixedCluster, name: string): Promise<Readonly<Record<string, readonly number[]>>> {
    const since = Date.now();
    await job.peer(name).execute();
    await job.untilRan('all items to run', (runs) => areOver(runs, itemsOf(job).length), since);
    expect(await job.leftOver()).toEqual([]);
    expect(numbersOf(job.runs(since))).toEqual(itemsOf(job));
    return job.ran(since);
  }

  test.each([
    ['J1', ['J1', 'N1', 'N2']],
    ['N1', ['N2', 'N1', 'J1']],
  ])('runs each item once, on all instances, when %s executes it; the first of %j leads', async (name, members) => {
    await using job = await cluster.with({ ...settings(), cron: undefined, shardingTotalCount: 6 }, ...members);
    await untilReady(job, members);
    await executedBy(job, name);
    await job.untilSharedBy(...members);

    for (let time = 0; time < 3; time++) {
      const ran = await executedBy(job, name);
      expect(ran).toEqual(await job.owners());
      expect(Object.keys(ran).sort()).toEqual(['J1', 'N1', 'N2']);
    }
  });

  test('is executed by both in turn, and by an operator', async () => {
    await using job = await cluster.with({ ...settings(), cron: undefined }, 'J1', 'N1');
    await untilReady(job, ['J1', 'N1']);
    await executedBy(job, 'N1');
    await job.untilSharedBy('J1', 'N1');

    for (const name of ['J1', 'N1', 'J1']) expect(await executedBy(job, name)).toEqual(await job.owners());
    const since = Date.now();
    await job.operate('trigger', job.job.jobName);
    await job.untilRan('all items to run', (runs) => areOver(runs, 4), since);

    expect(job.ran(since)).toEqual(await job.owners());
    expect(await job.leftOver()).toEqual([]);
  });
});
