import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { SnapshotService } from '../../../lib/dump/snapshot-service.js';
import { ZookeeperRegistryCenter } from '../../../lib/registry/zookeeper/zookeeper-registry-center.js';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { MixedCluster } from './support/mixed-cluster.js';
import { sharedJob } from './support/triggered-job.js';

const zooKeeper = sharedZooKeeper();
let cluster: MixedCluster;

beforeAll(async () => {
  cluster = await MixedCluster.open(zooKeeper.servers, zooKeeper.namespace());
  for (const name of ['J1', 'N1']) await cluster.start(name, { job: false });
});
afterAll(() => cluster[Symbol.asyncDispose]());

test("Java's JobOperateAPI.dump reads the answer of our dump port whole, of a job of both kinds", async () => {
  await using job = await sharedJob(cluster, ['J1', 'N1']);
  const { jobName } = job.job;
  const registry = new ZookeeperRegistryCenter({ serverLists: cluster.servers, namespace: cluster.namespace });
  registry.connect();
  const service = new SnapshotService(registry, { port: 0 });
  try {
    // While it is not connected yet, a request waits.
    const direct = await service.dumpJobDirectly(jobName);
    await service.listen();

    const read = (await cluster.operate('dump', jobName, service.port)) as string;

    // Java's client sets each line an entry; what differs is the very end.
    expect(read.trimEnd()).toBe(direct.trimEnd());
    expect(read).toMatch(new RegExp(`^/${jobName}/sharding \\| $`, 'm'));
    expect(read).toMatch(new RegExp(`^/${jobName}/instances/ip1@-@\\d+`, 'm'));
    expect(read).toMatch(new RegExp(`^/${jobName}/config \\| `, 'm'));
    expect(await cluster.operate('dump', 'unknown', service.port)).toMatch(/^\s*$/);
  } finally {
    await service.close();
    await registry.close();
  }
});
