import { type ContractServer, registryCenterContract } from '../../lib/testing/index.js';
import { type RegistryCenter } from '../../lib/registry/registry-center.js';
import { openProxied, type ProxiedCentre } from '../support/zookeeper-centres.js';
import { sharedZooKeeper } from '../support/shared-zookeeper.js';

const zooKeeper = sharedZooKeeper();

registryCenterContract('the registry centre on ZooKeeper', () => Promise.resolve(contractServer()));

function contractServer(): ContractServer {
  const namespace = zooKeeper.namespace();
  const opened = new Map<RegistryCenter, ProxiedCentre>();
  const proxied = (centre: RegistryCenter): ProxiedCentre => opened.get(centre)!;
  return {
    async open({ sessionTimeoutMilliseconds = 10_000 } = {}) {
      const [server = ''] = zooKeeper.servers.split(',');
      const each = await openProxied(server, { namespace, sessionTimeoutMilliseconds });
      opened.set(each.centre, each);
      return each.centre;
    },
    expire: (centre) => proxied(centre).expire(),
    disconnect: (centre) => {
      proxied(centre).proxy.refuse();
      proxied(centre).proxy.cut();
      return Promise.resolve();
    },
    reconnect: (centre) => Promise.resolve(proxied(centre).proxy.heal()),
    contenders: async (centre, path) => (await centre.children(path)).length,
    async close() {
      await Promise.all([...opened.values()].map((each) => each.close()));
    },
  };
}
