import { EtcdServer } from '../../support/etcd-server.js';
import { ZooKeeperServer } from '../../support/zookeeper-server.js';
import { bystanderContract } from './bystander.contract.js';

bystanderContract('ZooKeeper', async () =>
  Object.assign(await ZooKeeperServer.start(), { settings: (address: string) => ({ serverLists: address }) }),
);
bystanderContract('etcd', async () =>
  Object.assign(await EtcdServer.start(), { settings: (address: string) => ({ endpoints: `http://${address}` }) }),
);
