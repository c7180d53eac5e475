import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { toYaml } from '../../lib/layout/job-configuration-yaml.js';
import { EtcdRegistryCenter } from '../../lib/registry/etcd/etcd-registry-center.js';
import { type RegistryCenter } from '../../lib/registry/registry-center.js';
import { ZookeeperRegistryCenter } from '../../lib/registry/zookeeper/zookeeper-registry-center.js';
import { createRegistryCenter } from '../../lib/settings/create-registry-center.js';
import { untilConnected } from '../../lib/testing/contract/stage.js';
import { EtcdServer } from '../support/etcd-server.js';
import { freePort } from '../support/free-port.js';
import { sharedZooKeeper } from '../support/shared-zookeeper.js';
import { aConfiguration } from '../support/views.js';
import { CommandStage, type Outcome } from '../unit/cli/stage.js';

const zooKeeper = sharedZooKeeper();
let server: EtcdServer;
beforeAll(async () => {
  server = await EtcdServer.start();
});
afterAll(() => server.dispose());

async function run(line: string): Promise<Outcome> {
  await using stage = await CommandStage.open();
  return stage.run(line, {}, { openRegistry: createRegistryCenter });
}

async function connected(centre: RegistryCenter): Promise<RegistryCenter> {
  centre.connect();
  await untilConnected(centre);
  return centre;
}

/** Values by path below the namespace. */
async function treeOf(centre: RegistryCenter): Promise<Readonly<Record<string, string | undefined>>> {
  const mirror = await centre.mirror('/');
  const entries = [...mirror.nodes].map(([path, { value }]) => [path, value] as const);
  mirror.close();
  return Object.fromEntries(entries.filter(([path]) => path !== '/').sort());
}

test('jobs move from ZooKeeper to etcd and back, also one that needs several commits', async () => {
  const [zooKeeperNamespace, etcdNamespace] = [zooKeeper.namespace(), 'orders'];
  const zoo = await connected(
    new ZookeeperRegistryCenter({ serverLists: zooKeeper.servers, namespace: zooKeeperNamespace }),
  );
  const endpoints = `http://${server.address}`;
  const etcd = await connected(new EtcdRegistryCenter({ endpoints, namespace: etcdNamespace }));
  for (const jobName of ['bill', '账单 ä']) {
    await zoo.create(`/${jobName}`, 'org.acme.Job');
    await zoo.create(`/${jobName}/config`, toYaml(aConfiguration({ jobName, shardingTotalCount: 200, cron: '' })));
  }
  for (let item = 0; item < 100; item++) await zoo.create(`/bill/sharding/${item}/disabled`, '');
  const before = await treeOf(zoo);

  const there = await run(
    `registry copy --from ${zooKeeper.servers} --namespace ${zooKeeperNamespace} --to ${endpoints} --to-namespace ${etcdNamespace}`,
  );
  expect(there).toMatchObject({ exitCode: 0 });
  expect(there.err).toContain('Now start the applications with etcd at');
  expect(await treeOf(etcd)).toEqual(before);
  // In several commits, which remove the former nodes first.
  const again = await run(
    `registry copy --from ${zooKeeper.servers} --namespace ${zooKeeperNamespace} --to ${endpoints} --to-namespace ${etcdNamespace} --overwrite --yes`,
  );
  expect(again).toMatchObject({ exitCode: 0 });
  expect(await treeOf(etcd)).toEqual(before);

  const back = await run(
    `registry copy --from ${endpoints} --namespace ${etcdNamespace} --to ${zooKeeper.servers} --to-namespace ${zooKeeperNamespace} --overwrite --yes`,
  );
  expect(back).toMatchObject({ exitCode: 0 });
  expect(await treeOf(zoo)).toEqual(before);
  await Promise.all([zoo.close(), etcd.close()]);
});

test('the same registry centre is recognised, whatever it is called', async () => {
  const namespace = zooKeeper.namespace();
  const zoo = await connected(new ZookeeperRegistryCenter({ serverLists: zooKeeper.servers, namespace }));
  await zoo.create('/bill', '');
  const otherName = zooKeeper.servers.replace('127.0.0.1', 'localhost');

  const copy = await run(`registry copy --from ${zooKeeper.servers} --namespace ${namespace} --to ${otherName}`);

  expect(copy).toMatchObject({ exitCode: 2, err: expect.stringContaining('are the same place') });
  await zoo.close();
});

test('a registry centre that cannot be reached is named', async () => {
  const nowhere = `127.0.0.1:${await freePort()}`;

  const copy = await run(
    `registry copy --from ${zooKeeper.servers} --namespace ${zooKeeper.namespace()} --to ${nowhere} --timeout 1s`,
  );

  expect(copy).toMatchObject({ exitCode: 6, err: expect.stringContaining(`No connection to ZooKeeper at ${nowhere}`) });
});
