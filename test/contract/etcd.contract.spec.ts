import { type RegistryCenter } from '../../lib/registry/registry-center.js';
import { openProxiedEtcd, type ProxiedEtcdCentre } from '../support/etcd-centres.js';
import { EtcdServer } from '../support/etcd-server.js';
import { type ContractServer, registryCenterContract } from '../../lib/testing/index.js';

registryCenterContract('the registry centre on etcd', contractServer, { canNarrow: false });

async function contractServer(): Promise<ContractServer> {
  const server = await EtcdServer.start();
  const namespace = 'contract/of etcd';
  const opened = new Map<RegistryCenter, ProxiedEtcdCentre>();
  const proxied = (centre: RegistryCenter): ProxiedEtcdCentre => opened.get(centre)!;
  return {
    async open({ sessionTimeoutMilliseconds = 10_000 } = {}) {
      const each = await openProxiedEtcd(server.address, { namespace, sessionTimeoutMilliseconds });
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
      await server.dispose();
    },
  };
}
