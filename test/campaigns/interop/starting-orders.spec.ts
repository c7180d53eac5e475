import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { MixedCluster } from './support/mixed-cluster.js';

const zooKeeper = sharedZooKeeper();

/** Two Java and two Node instances can come in six orders, if those of one kind are alike. */
const ORDERS = ['J1 J2 N1 N2', 'J1 N1 J2 N2', 'J1 N1 N2 J2', 'N1 J1 J2 N2', 'N1 J1 N2 J2', 'N1 N2 J1 J2'];

describe('Two Java and two Node instances share a job', () => {
  let cluster: MixedCluster;
  let passed: { readonly from: number; readonly to: number };
  const jobs = new Map<string, MixedCluster>();

  // Four processes do, with a job for each order.
  beforeAll(async () => {
    cluster = await MixedCluster.open(zooKeeper.servers, zooKeeper.namespace());
    await Promise.all(['J1', 'J2', 'N1', 'N2'].map((name) => cluster.start(name, { job: false })));
    await Promise.all(
      ORDERS.map(async (order) =>
        jobs.set(order, await cluster.with({ jobName: order.replaceAll(' ', '-') }, ...order.split(' '))),
      ),
    );
    await Promise.all([...jobs.values()].map((job) => job.untilSharedBy('J1', 'J2', 'N1', 'N2')));
    passed = await cluster.firings(3);
  });

  afterAll(() => cluster?.[Symbol.asyncDispose]());

  test.each(ORDERS)('if they come as %s: each firing runs every item exactly once', async (order) => {
    const job = jobs.get(order)!;

    expect(job.misdeeds(passed)).toEqual([]);
    expect(await job.leftOver()).toEqual([]);
    expect(await job.leader()).toBe(order.slice(0, 2));
  });
});
