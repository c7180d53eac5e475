import { EmbeddedRegistryCenter } from '../../lib/registry/embedded/embedded-registry-center.js';
import { EmbeddedRegistryServer } from '../../lib/registry/embedded/embedded-registry-server.js';
import { type RegistryCenter } from '../../lib/registry/registry-center.js';
import { untilConnected } from '../../lib/testing/contract/stage.js';
import { type ContractServer, registryCenterContract } from '../../lib/testing/index.js';

function openEmbeddedServer(): Promise<ContractServer> {
  const server = new EmbeddedRegistryServer();
  const faultsOf = (centre: RegistryCenter) => (centre as EmbeddedRegistryCenter).faults;
  return Promise.resolve({
    async open({ sessionTimeoutMilliseconds = 10_000 } = {}) {
      const centre = new EmbeddedRegistryCenter({ server, sessionTimeoutMilliseconds });
      centre.connect();
      await untilConnected(centre);
      return centre;
    },
    expire: (centre) => Promise.resolve(faultsOf(centre).expire()),
    disconnect: (centre) => Promise.resolve(faultsOf(centre).disconnect()),
    reconnect: (centre) => Promise.resolve(faultsOf(centre).resume()),
    contenders: async (centre, path) => (await centre.children(path)).length,
    close: () => Promise.resolve(server.close()),
  });
}

registryCenterContract('The embedded registry', openEmbeddedServer);
