import { sharedZooKeeper } from '../support/shared-zookeeper.js';
import { openProxied } from '../support/zookeeper-centres.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';
import { type OwnRegistryServer, type RegistryKind, type RegistryServer } from './registry-kind.js';

/** ZooKeeper: the one of the whole test run, or servers of the tests' own. */
export const zookeeper: RegistryKind = {
  name: 'ZooKeeper',
  shared() {
    const shared = sharedZooKeeper();
    return serverAt(() => shared.servers);
  },
  async start() {
    return own(await ZooKeeperServer.start());
  },
};

function serverAt(servers: () => string): RegistryServer {
  return {
    regCenter: ({ address, ...choices }) => ({ serverLists: address ?? servers(), ...choices }),
    openProxied: ({ address, ...choices }) => openProxied(address ?? servers().split(',')[0]!, choices),
  };
}

function own(server: ZooKeeperServer): OwnRegistryServer {
  return {
    ...serverAt(() => server.address),
    address: server.address,
    logged: {
      absent: `ZooKeeper server ${server.address} refuses connections (`,
      connected: `ZooKeeper server ${server.address} is connected, after `,
    },
    stop: () => server.stop(),
    restart: () => server.restart(),
    backUp: () => server.backUp(),
    loseData: (instead) => server.loseData(instead),
    [Symbol.asyncDispose]: () => server.dispose(),
  };
}
